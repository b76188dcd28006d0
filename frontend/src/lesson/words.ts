// Sentences of steps, with their numbers or with gaps; the words are Python's.
import { el } from "../dom";
import type { Step } from "./contents";

/** A step's sentence; `asked` leaves its numbers out. */
export function sentence(step: Step, asked: boolean, gap: "?" | "" = "?"): (Node | string)[] {
  return step.parts.map((part, i) => {
    if (i % 2 === 0) return part;
    return asked ? el("span", { class: "gap" }, gap || blank(part)) : el("b", { class: "number" }, part);
  });
}

/** A step's sentences, a line each, so that a class reads one idea at a time. */
export function lines(step: Step, asked: boolean): HTMLElement[] {
  const made: HTMLElement[] = [el("span", { class: "line" })];
  for (const piece of sentence(step, asked)) {
    const [first, ...rest] = typeof piece === "string" ? piece.split(/(?<=\. )/) : [piece];
    made[made.length - 1].append(first ?? "");
    made.push(...rest.map((text) => el("span", { class: "line" }, text)));
    if (typeof piece === "string" && piece.endsWith(". ")) made.push(el("span", { class: "line" }));
  }
  return made;
}

/** A line to write on, wider for longer answers. */
function blank(answer: string): string {
  return "\u00a0".repeat(Math.min(24, Math.max(8, 2 * answer.length)));
}

export function plainText(step: Step): string {
  return step.parts.join("");
}
