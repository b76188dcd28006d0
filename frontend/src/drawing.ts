// What panels have in common: curves of all shown models, bands, markers with handles, and the nearest split to a pointer.
import { clamp, isolated } from "./dom";
import { restated } from "./formulas";
import type { Hint, Panel } from "./panel";
import { dashes, diamond, marker, series } from "./palette";
import { bandPath, tenth } from "./path";
import { scoreText } from "./reals";
import type { Scene, SceneModel } from "./scene";
import { byHand, type Store } from "./state";
import type { Stand, View } from "./view";

const FEW = 0.002; // as few cases beyond the axis do not matter

/** How far an axis of probabilities has to reach at a class ratio: a rare class leaves most of [0, 1] empty. */
export function probabilityReach(scene: Scene, ratio: number): number {
  const highest = scene.models.filter((model) => model.probabilities).map(({ curve, start }) => {
    const few = curve.tp.findIndex((tp, k) => (tp / curve.Pos) * ratio + curve.fp[k] / curve.Neg >= FEW * (1 + ratio));
    const scores = [curve.lowest[few], curve.threshold[start]].filter((score) => score <= 1);
    return restated(clamp(Math.max(0, ...scores), 0, 1), scene.trainedAt, ratio);
  });
  const most = 1.3 * Math.max(0.02, ...highest);
  return most > 0.6 ? 1 : most;
}

/** Everything a panel may ask for. */
export interface Part {
  panel: Panel;
  update(view: View): void;
}

export interface Columns {
  x: Float64Array;
  y: Float64Array;
}

export function isShown(view: View, model: SceneModel): boolean {
  return model.index === view.state.current || !view.state.hidden.has(model.index);
}

/** Models that are shown, the current one last, so that it lies on top. */
export function shownModels(view: View): SceneModel[] {
  const shown = view.scene.models.filter((model) => isShown(view, model));
  return shown.sort((a, b) => Number(a.index === view.state.current) - Number(b.index === view.state.current));
}

/** Models whose bands are drawn: more than three would only be murky, so then the current one's alone. */
export function banded(view: View): SceneModel[] {
  const shown = shownModels(view);
  return shown.length > 3 ? [view.stand.model] : shown;
}

/** What decides which lies above which: the current model, what is hidden, and whether there are bands. */
export function order({ state, evaluatedRatio }: View): string {
  return `${state.current} ${[...state.hidden].join(",")} ${state.bands && evaluatedRatio}`;
}

export function drawCurve(panel: Panel, model: SceneModel, d: string, view: View): void {
  const current = model.index === view.state.current ? " current" : "";
  const attributes = { d, class: `curve ${series(model.index)}${current}`, "stroke-dasharray": dashes(model.index) };
  panel.base.draw(`curve${model.index}`, "path", attributes);
}

export function drawBand(
  panel: Panel,
  model: SceneModel,
  lines: { x: readonly number[]; lower: readonly number[]; upper: readonly number[] } | null | undefined,
  scale: { x: number; y: number } = { x: 1, y: 1 },
): void {
  if (!lines) return;
  const place = { x: (at: number) => panel.x(at * scale.x), y: (at: number) => panel.y(at * scale.y) };
  const d = bandPath(lines.x, lines.lower, lines.upper, place.x, place.y);
  panel.base.draw(`band${model.index}`, "path", { d, class: `band ${series(model.index)}` });
}

/** Where a model stands now; the current model's marker can be dragged and moved by arrow keys. */
export function drawMarker(panel: Panel, stand: Stand, view: View, store: Store, x: number, y: number, what: string): void {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return;
  const { index, curve } = stand.model;
  if (index !== view.state.current) {
    panel.over.draw(`at${index}`, "path", { d: marker(index, x, y), class: `marker ${series(index)}` });
    return;
  }
  panel.over.draw("halo", "circle", { cx: tenth(x), cy: tenth(y), r: 10, class: "halo" });
  panel.over.draw("at", "path", { d: marker(index, x, y, 1.35), class: `marker current ${series(index)}` });
  const last = curve.threshold.length - 1;
  const handle = panel.over.draw("handle", "circle", {
    cx: tenth(x),
    cy: tenth(y),
    r: 15,
    class: "handle",
    tabindex: 0,
    role: "slider",
    "aria-label": `Threshold of ${isolated(stand.model.name)}`,
    "aria-valuemin": 0,
    "aria-valuemax": last,
    "aria-valuenow": stand.split,
    "aria-valuetext": `threshold ${scoreText(stand.threshold)}, ${what}`,
  });
  listenOnce(handle, store);
}

/** The optimum of a model: a hollow diamond. */
export function drawOptimum(panel: Panel, stand: Stand, x: number, y: number): void {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return;
  const { index } = stand.model;
  panel.over.draw(`best${index}`, "path", { d: diamond(x, y), class: `optimum ${series(index)}` });
}

/** The user's own predictions: a cross. */
export function drawOwn(panel: Panel, model: SceneModel, place: (tp: number, fp: number) => [number, number]): void {
  const called = model.of?.predictions;
  if (!called || !(called.tp + called.fp)) return;
  const [x, y] = place(called.tp, called.fp).map(tenth);
  panel.over.draw(`own${model.index}`, "path", { d: `M${x - 5},${y - 5}l10,10m0,-10l-10,10`, class: `own ${series(model.index)}` });
}

/** Move the threshold of the current model to a split. */
export function goTo(store: Store, model: SceneModel, split: number): void {
  const to = clamp(split, 0, model.curve.threshold.length - 1);
  store.set(byHand(model.curve.threshold[to], model.index));
}

/** How far a key moves along a curve of so many splits; null for other keys. */
export function stepOf(key: string, split: number, last: number): number | null {
  switch (key) {
    case "ArrowRight":
    case "ArrowUp":
      return split + 1;
    case "ArrowLeft":
    case "ArrowDown":
      return split - 1;
    case "PageUp":
      return split + Math.max(1, Math.round(last / 20));
    case "PageDown":
      return split - Math.max(1, Math.round(last / 20));
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}

/** The split of a model whose point lies nearest to a place in the plot. */
export function nearestSplit(panel: Panel, columns: Columns, px: number, py: number): [number, number] {
  let found = 0;
  let least = Infinity;
  const [x0, x1] = [panel.x(0), panel.x(1) - panel.x(0)];
  const [y0, y1] = [panel.y(0), panel.y(1) - panel.y(0)];
  for (let k = 0; k < columns.x.length; k++) {
    const dx = x0 + x1 * columns.x[k] - px;
    const dy = y0 + y1 * columns.y[k] - py;
    const away = dx * dx + dy * dy;
    if (away < least) {
      least = away;
      found = k;
    }
  }
  return [found, Math.sqrt(least)];
}

/** What to tell of the point nearest to the pointer, of whichever shown model it is. */
export function nearestHint(
  panel: Panel,
  view: View,
  columns: (model: SceneModel) => Columns,
  px: number,
  py: number,
  words: (model: SceneModel, split: number) => string[],
): Hint | null {
  let hint: Hint | null = null;
  let least = 28;
  for (const model of shownModels(view)) {
    const points = columns(model);
    const [split, away] = nearestSplit(panel, points, px, py);
    if (away >= least) continue;
    least = away;
    const lines = [isolated(model.name), `threshold ${scoreText(model.curve.threshold[split])}`, ...words(model, split)];
    hint = { x: panel.x(points.x[split]), y: panel.y(points.y[split]), lines };
  }
  return hint;
}

/** Numbers kept until what they depend on changes. */
export function remembered<V>(): (key: string, made: () => V) => V {
  const kept = new Map<string, { key: string; value: V }>();
  return (key, made) => {
    const [slot] = key.split("|");
    const found = kept.get(slot);
    if (found && found.key === key) return found.value;
    const value = made();
    kept.set(slot, { key, value });
    return value;
  };
}

const LISTENING = new WeakSet<Element>();
const CURRENT = new WeakMap<Store, () => { model: SceneModel; split: number }>();

/** Tell handles where the current model stands. */
export function announceStand(store: Store, stand: () => { model: SceneModel; split: number }): void {
  CURRENT.set(store, stand);
}

function listenOnce(handle: SVGElement, store: Store): void {
  if (LISTENING.has(handle)) return;
  LISTENING.add(handle);
  handle.addEventListener("keydown", (event) => {
    const now = CURRENT.get(store)?.();
    if (!now) return;
    const to = stepOf(event.key, now.split, now.model.curve.threshold.length - 1);
    if (to === null) return;
    event.preventDefault();
    goTo(store, now.model, to);
  });
}
