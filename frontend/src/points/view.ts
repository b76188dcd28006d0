// What a condition makes of classifiers that are points: where each stands, what it costs, and which are the cheapest.
import { expectedCost, type Costs } from "../formulas";
import { quotient } from "../ratio";
import type { Cells } from "../contents";
import type { Point, PointContents } from "./contents";

export interface PointState {
  costRatio: number;
  classRatio: number;
  current: number; // the point whose dominance is shaded; -1 for the cheapest
}

export interface PlacedPoint {
  index: number;
  point: Point;
  cells: Cells; // its cheapest corner
  fpr: number;
  tpr: number;
  cost: number;
}

export interface PointView {
  state: PointState;
  costs: Costs;
  placed: PlacedPoint[];
  best: PlacedPoint[];
  shaded: PlacedPoint;
  evaluated: boolean;
}

const SAME = 1e-12;

export function startState({ condition }: PointContents): PointState {
  const { cost_fp, cost_fn, cost_tp, cost_tn, class_ratio } = condition;
  return { costRatio: quotient(cost_fn - cost_tp, cost_fp - cost_tn), classRatio: class_ratio, current: -1 };
}

export function viewOf(contents: PointContents, state: PointState, start: PointState): PointView {
  const { cost_fp, cost_tp, cost_tn } = contents.condition;
  const alarm = cost_fp - cost_tn;
  const costs = { cost_fp: alarm, cost_fn: state.costRatio * alarm, cost_tp, cost_tn, class_ratio: state.classRatio };
  const placed = contents.points.map((point, index) => place(point, index, costs));
  const least = Math.min(...placed.map(({ cost }) => cost));
  const best = placed.filter(({ cost }) => cost - least <= SAME * Math.max(1, Math.abs(least)));
  const evaluated = state.costRatio === start.costRatio && state.classRatio === start.classRatio;
  return { state, costs, placed, best, shaded: placed[state.current] ?? best[0], evaluated };
}

function place(point: Point, index: number, costs: Costs): PlacedPoint {
  const priced = point.corners.map((cells) => ({ cells, cost: expectedCost(cells, costs) }));
  const { cells, cost } = priced.reduce((a, b) => (b.cost < a.cost ? b : a));
  return { index, point, cells, fpr: cells.fp / (cells.fp + cells.tn), tpr: cells.tp / (cells.tp + cells.fn), cost };
}

type Place = [x: number, y: number];

function placesOf(points: readonly Point[]): Place[] {
  const places = points.flatMap(({ corners }) => corners.map(({ tp, fn, fp, tn }): Place => [fp / (fp + tn), tp / (tp + fn)]));
  return places.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
}

/** The stairs of the Pareto front: below them some point has fewer false positives and finds more. */
export function frontOf(points: readonly Point[]): { x: number[]; y: number[] } {
  const stairs: Place[] = [];
  let height = 0;
  for (const [x, y] of placesOf(points)) {
    if (y <= height) continue;
    stairs.push([x, height], [x, y]);
    height = y;
  }
  stairs.push([1, height]);
  return { x: stairs.map(([x]) => x), y: stairs.map(([, y]) => y) };
}

/** The upper convex hull of all corners and of the two constant calls, by rising false positive rate. */
export function hullOf(points: readonly Point[]): { x: number[]; y: number[] } {
  const hull: Place[] = [[0, 0]];
  for (const [x, y] of [...placesOf(points), [1, 1]]) {
    for (;;) {
      const [before, last] = hull.slice(-2);
      if (!last || (last[1] - before[1]) * (x - before[0]) > (y - before[1]) * (last[0] - before[0])) break;
      hull.pop();
    }
    hull.push([x, y]);
  }
  return { x: hull.map(([x]) => x), y: hull.map(([, y]) => y) };
}
