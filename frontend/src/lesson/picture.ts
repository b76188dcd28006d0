// The picture of a lesson at one step: Python's marks, in the order in which it wrote them.
import { svgEl } from "../dom";
import { Panel } from "../panel";
import { tenth } from "../path";
import { axis, caseAxis } from "../ticks";
import type { Drag, Lesson, Mark, Polynomial } from "./contents";

const FEW_CASES = 12;
const LETTER = 10;
const DOT = { here: 6.5, reading: 6, corner: 4 } as Record<string, number>;

export function valueAt(polynomial: Polynomial, at: number): number {
  return polynomial.reduceRight((sum, each) => sum * at + each, 0);
}

export class Picture {
  readonly panel: Panel;

  constructor(uid: string) {
    this.panel = new Panel({ id: "lesson", title: "Lesson", help: "" }, uid);
  }

  draw(lesson: Lesson, at: number, asked: boolean, dragged: number | null): void {
    const { panel } = this;
    const step = lesson.steps[at];
    const [low, high] = [lesson.y[0], step.top ?? lesson.y[1]];
    panel.title = lesson.title;
    panel.help = lesson.about;
    panel.axes(caseOrNumber(lesson.x[2], lesson.x[0], lesson.x[1]), caseOrNumber(lesson.y[2], low, high));
    panel.key(lesson.key.map(([style, text]) => ({ mark: svgEl("rect", { x: 4, width: 20, height: 12, class: style }), text })));
    panel.base.begin(`${lesson.name} ${at}`);
    panel.over.begin(`${lesson.name} ${at}`);
    lesson.marks.forEach((mark, i) => {
      if (at < mark.from || at > mark.to || (asked && mark.answer)) return;
      this.#mark(`m${i}`, mark);
    });
    if (step.drag) this.#dragged(step.drag, dragged ?? step.drag.start);
    panel.base.end();
    panel.over.end();
  }

  #dragged({ mark }: Drag, at: number): void {
    const points = mark.points.map(([x, y]): [number, number] => [valueAt(x, at), valueAt(y, at)]);
    this.#mark("dragged", { kind: mark.kind, style: mark.style, points });
  }

  #mark(key: string, { kind, style, points, text }: Pick<Mark, "kind" | "style" | "points" | "text">): void {
    const { panel } = this;
    const places = points.map(([x, y]) => [tenth(panel.x(x)), tenth(panel.y(y))]);
    const [[x, y]] = places;
    if (kind === "line") {
      panel.base.draw(key, "path", { d: `M${places.map((place) => place.join(",")).join("L")}`, class: style });
    } else if (kind === "area") {
      const [right, top] = places[1];
      const box = { x: Math.min(x, right), y: Math.min(y, top), width: tenth(Math.abs(right - x)), height: tenth(Math.abs(top - y)) };
      panel.base.draw(key, "rect", { ...box, class: style });
    } else if (kind === "dot") {
      places.forEach(([cx, cy], i) => panel.over.draw(`${key} ${i}`, "circle", { cx, cy, r: DOT[style] ?? 5, class: style }));
    } else if (kind === "letter") {
      panel.over.draw(key, "circle", { cx: x, cy: y, r: LETTER, class: style });
      panel.over.draw(`${key} text`, "text", { x, y: y + 4, "text-anchor": "middle", class: style.replace("letter", "lettertext") }, text);
    } else if (style === "middle" || style === "above") {
      panel.over.draw(key, "text", { x, y: y + (style === "above" ? -12 : 4), "text-anchor": "middle", class: "lessontext" }, text);
    } else {
      const left = x > panel.x.range()[1] * 0.7;
      const below = y < 24;
      panel.over.draw(key, "text", { x: x + (left ? -10 : 10), y: y + (below ? 20 : left ? -8 : 18), "text-anchor": left ? "end" : "start", class: "lessontext" }, text);
    }
  }
}

function caseOrNumber(label: string, low: number, high: number): ReturnType<typeof axis> {
  return low === 0 && Number.isInteger(high) && high > 1 && high <= FEW_CASES ? caseAxis(label, high, "cases") : axis(label, low, high);
}
