// Two pictures of the same points: ROC space with lines of equal cost, and what each costs at every cost ratio.
import { isolated } from "../dom";
import { costRatioAt, probabilityCost, slopeRoc } from "../formulas";
import { Panel, PLOT } from "../panel";
import { dashes, series } from "../palette";
import { linePath, tenth } from "../path";
import { ratioText, tidyRatio } from "../ratio";
import { shown } from "../reals";
import type { Store } from "../state";
import { axis } from "../ticks";
import type { Point, PointContents } from "./contents";
import { frontOf, hullOf, type PlacedPoint, type PointState, type PointView } from "./view";

const NEAR = 16; // pixels from a point
const ROC_HELP = "The solid line joins all points as cheap as the cheapest ●; the shaded area is what the chosen point dominates. Below the stairs something else is better on both axes; below the dotted hull a point is the cheapest for no costs. Drag to turn the line.";
const COST_HELP = "Every classifier is a straight line; the lowest at the vertical line is the cheapest now. Drag sideways to change the cost ratio.";

export interface Plane {
  panel: Panel;
  update(view: PointView): void;
}

export function rocPlane(contents: PointContents, store: Store<PointState>, uid: string): Plane {
  const panel = new Panel({ id: "roc", title: "ROC space", help: ROC_HELP }, uid);
  panel.axes(axis("false positive rate: negatives called positive", 0, 1), axis("true positive rate: positives found", 0, 1));
  const [hull, front] = [hullOf(contents.points), frontOf(contents.points)];
  let now: PointView | null = null;
  const nearest = (px: number, py: number): PlacedPoint | null => {
    const away = (each: PlacedPoint): number => Math.hypot(panel.x(each.fpr) - px, panel.y(each.tpr) - py);
    const found = now?.placed.reduce((a, b) => (away(b) < away(a) ? b : a));
    return found && away(found) < NEAR ? found : null;
  };
  panel.move = (px, py) => {
    const touched = nearest(px, py);
    if (touched) return store.set({ current: touched.index });
    if (!now) return;
    // The line turns about the cheapest point until it passes the pointer.
    const { fpr, tpr } = now.best[0];
    const slope = (panel.y.invert(py) - tpr) / (panel.x.invert(px) - fpr);
    if (slope > 0.01 && slope < 100) store.set({ costRatio: tidyRatio(1 / (slope * now.costs.class_ratio)), current: -1 });
  };
  panel.hint = (px, py) => {
    const each = nearest(px, py);
    if (!each) return null;
    const { point } = each;
    const by = point.dominated.length ? [`dominated by ${point.dominated.map(isolated).join(", ")}`] : [];
    return { x: panel.x(each.fpr), y: panel.y(each.tpr), lines: [labelOf(point), `tpr ${shown(each.tpr)}, fpr ${shown(each.fpr)}`, `cost ${shown(each.cost)}`, ...by] };
  };
  return {
    panel,
    update(view) {
      now = view;
      panel.base.begin();
      const { shaded } = view;
      const corner = { x: tenth(panel.x(shaded.fpr)), y: tenth(panel.y(shaded.tpr)) };
      panel.base.draw("dominated", "rect", { ...corner, width: tenth(PLOT.width - corner.x), height: tenth(PLOT.height - corner.y), class: `dominates ${series(shaded.index)}` });
      panel.base.draw("chance", "line", { x1: 0, y1: PLOT.height, x2: PLOT.width, y2: 0, class: "chance" });
      panel.base.draw("hull", "path", { d: linePath(hull.x, hull.y, panel.x, panel.y), class: "hull" });
      panel.base.draw("front", "path", { d: linePath(front.x, front.y, panel.x, panel.y), class: "front" });
      const slope = slopeRoc(view.costs);
      const line = (fpr: number, tpr: number): string => linePath([0, 1], [tpr - slope * fpr, tpr + slope * (1 - fpr)], panel.x, panel.y);
      for (const each of view.placed) panel.base.draw(`equal${each.index}`, "path", { d: line(each.fpr, each.tpr), class: "contour" });
      panel.base.draw("equal", "path", { d: line(view.best[0].fpr, view.best[0].tpr), class: "isometric" });
      panel.base.end();
      panel.over.begin();
      view.placed.forEach((each) => drawLetter(panel, each, view, store));
      panel.over.end();
    },
  };
}

export function costPlane(contents: PointContents, store: Store<PointState>, uid: string): Plane {
  const panel = new Panel({ id: "cost", title: "Cost at every cost ratio", help: COST_HELP }, uid);
  panel.axes(axis("probability-cost: how much of the cost misses decide", 0, 1), axis("cost, 1 = every case wrong (normalised)", 0, top(contents)));
  let now: PointView | null = null;
  const inside = (px: number): number => Math.min(0.999, Math.max(0.001, panel.x.invert(px)));
  panel.move = (px) => now && store.set({ costRatio: tidyRatio(costRatioAt(inside(px), now.costs.class_ratio)) });
  panel.hint = (px) => {
    if (!now) return null;
    const at = inside(px);
    const lines = now.placed.map((each) => `${labelOf(each.point)}: ${shown(heightAt(each, at))}`);
    return { x: px, y: 20, lines: [`cost ratio ${ratioText(tidyRatio(costRatioAt(at, now.costs.class_ratio)))}`, ...lines] };
  };
  return {
    panel,
    update(view) {
      now = view;
      panel.base.begin();
      panel.base.draw("chance", "path", { d: linePath([0, 0.5, 1], [0, 0.5, 0], panel.x, panel.y), class: "chance" });
      for (const each of view.placed) {
        const best = view.best.includes(each) ? " current" : "";
        const line = { x1: 0, x2: PLOT.width, y1: tenth(panel.y(each.fpr)), y2: tenth(panel.y(1 - each.tpr)) };
        panel.base.draw(`line${each.index}`, "line", { ...line, class: `curve ${series(each.index)}${best}`, "stroke-dasharray": dashes(each.index) });
      }
      panel.base.end();
      const at = probabilityCost(view.costs);
      panel.over.begin();
      panel.over.draw("condition", "line", { x1: tenth(panel.x(at)), x2: tenth(panel.x(at)), y1: 0, y2: PLOT.height, class: "condition" });
      for (const each of view.placed) {
        // Letters stand at the ends, on alternate sides, where lines are farthest apart.
        const left = each.index % 2 === 0;
        const place = { x: left ? 6 : PLOT.width - 6, y: tenth(panel.y(left ? each.fpr : 1 - each.tpr) - 5) };
        panel.over.draw(`letter${each.index}`, "text", { ...place, "text-anchor": left ? "start" : "end", class: "remark" }, each.point.letter);
      }
      panel.over.end();
    },
  };
}

function top({ points }: PointContents): number {
  const ends = points.flatMap(({ corners }) => corners.flatMap(({ tp, fn, fp, tn }) => [fp / (fp + tn), fn / (tp + fn)]));
  return Math.min(1, 1.15 * Math.max(0.1, ...ends));
}

function heightAt(each: PlacedPoint, at: number): number {
  return each.fpr * (1 - at) + (1 - each.tpr) * at;
}

/** A point by its letter and its name. */
function labelOf({ letter, name }: Point): string {
  return letter === name ? isolated(name) : `${letter} ${isolated(name)}`;
}

const LISTENING = new WeakSet<Element>();

/** A disc with its letter; a button that says what the point dominates. */
function drawLetter(panel: Panel, each: PlacedPoint, view: PointView, store: Store<PointState>): void {
  const [x, y] = [tenth(panel.x(each.fpr)), tenth(panel.y(each.tpr))];
  const [best, chosen] = [view.best.includes(each), view.shaded === each];
  const { letter } = each.point;
  panel.over.draw(`disc${each.index}`, "circle", { cx: x, cy: y, r: best ? 11 : 9, class: `letter ${series(each.index)}${best ? " best" : ""}` });
  panel.over.draw(`text${each.index}`, "text", { x, y: y + 4, "text-anchor": "middle", class: `lettertext${best ? " best" : ""}` }, letter);
  const handle = panel.over.draw(`handle${each.index}`, "circle", {
    cx: x, cy: y, r: 13, class: "handle", tabindex: 0, role: "button", "aria-pressed": String(chosen),
    "aria-label": `${labelOf(each.point)}: true positive rate ${shown(each.tpr)}, false positive rate ${shown(each.fpr)}, cost ${shown(each.cost)}`,
  });
  if (LISTENING.has(handle)) return;
  LISTENING.add(handle);
  handle.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    store.set({ current: each.index });
  });
}
