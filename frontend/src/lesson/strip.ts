// The ranking as a row of segments: those passed, the one that a step is about, those in the wrong order.
import { el } from "../dom";
import { countText } from "../reals";
import type { Lesson } from "./contents";

const FEW = 40; // cases that are drawn one by one

export function strip(row: HTMLElement, lesson: Lesson, at: number, asked: boolean): void {
  const { strip: which, here = [], past = 0, next = [] } = lesson.steps[at];
  row.hidden = which === undefined;
  if (which === undefined) return;
  const segments = lesson.strips[which];
  const few = segments.reduce((sum, [pos, neg]) => sum + pos + neg, 0) <= FEW;
  row.replaceChildren(
    ...segments.map(([pos, neg, below], i) => {
      const kind = here.includes(i) ? "here" : next.includes(i) ? "next" : null;
      const passed = i < past ? " passed" : "";
      const signs = [...Array<string>(few ? pos : 0).fill("+"), ...Array<string>(few ? neg : 0).fill("−")];
      const chips = signs.map((sign) => el("span", { class: `case ${sign === "+" ? "positive" : "negative"}${passed}` }, sign));
      const counts = [pos ? el("span", { class: "up" }, `${countText(pos)}+`) : null, neg ? el("span", { class: "right" }, `${countText(neg)}−`) : null];
      const block = few ? chips : [el("span", { class: `block${passed}` }, ...counts)];
      return el("li", { class: kind }, ...block, el("small", {}, asked && lesson.shares ? "?" : below));
    }),
  );
}
