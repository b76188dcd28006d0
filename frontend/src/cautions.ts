// What to mind: one box per kind of caution, however many models it is about.
import type { Contents } from "./contents";
import { el } from "./dom";

const SHOWN = 2;

/** The list, or null where there is nothing to say. */
export function cautionList(cautions: Contents["cautions"]): HTMLElement | null {
  const kinds = new Map<string, string[]>();
  for (const { code, text } of cautions) kinds.set(code, [...(kinds.get(code) ?? []), text]);
  if (!kinds.size) return null;
  const line = (text: string): HTMLElement => el("div", {}, el("bdi", {}, text));
  const boxes = Array.from(kinds, ([code, texts]) => {
    const box = el("li", {}, ...texts.slice(0, SHOWN).map(line));
    const rest = texts.slice(SHOWN);
    if (rest.length) box.append(el("details", {}, el("summary", {}, `and ${rest.length} more`), ...rest.map(line)));
    box.append(el("small", { class: "code" }, code));
    return box;
  });
  return el("ul", { class: "cautions", "aria-label": "What to mind" }, ...boxes);
}
