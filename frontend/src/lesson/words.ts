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

/** A line to write on, wider for longer answers. */
function blank(answer: string): string {
  return "\u00a0".repeat(Math.min(24, Math.max(8, 2 * answer.length)));
}

export function plainText(step: Step): string {
  return step.parts.join("");
}
