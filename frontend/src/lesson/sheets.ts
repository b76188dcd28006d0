// A lesson on paper: a worksheet with lines in the place of numbers, and the answers on a sheet of their own.
import { el } from "../dom";
import { unique } from "../page";
import type { Lesson } from "./contents";
import { Picture } from "./picture";
import { lastStep } from "./state";
import { strip } from "./strip";
import { sentence } from "./words";

export function sheets(lesson: Lesson, title: string, facts: string): HTMLElement[] {
  return [sheet(lesson, title, facts, true), sheet(lesson, title, facts, false)];
}

function sheet(lesson: Lesson, title: string, facts: string, asked: boolean): HTMLElement {
  const picture = new Picture(unique());
  const at = asked ? lesson.paper : lastStep(lesson);
  picture.draw(lesson, at, asked, null);
  const row = el("ol", { class: "strip", "aria-label": "The segments, highest score first" });
  strip(row, lesson, at, asked);
  const steps = lesson.steps.map((step) => el("li", {}, ...sentence(step, asked, "")));
  const name = asked ? el("p", { class: "name-line" }, "Name: ", el("span", { class: "gap" }, "\u00a0".repeat(50))) : null;
  return el(
    "section",
    { class: asked ? "sheet" : "sheet answers" },
    el("h2", {}, asked ? `${title}: ${lesson.title}` : `Answers: ${lesson.title}`),
    el("p", { class: "facts" }, facts),
    name,
    row,
    picture.panel.figure,
    el("ol", { class: "steps", start: 0 }, ...steps),
  );
}
