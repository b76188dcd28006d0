// The cheapest split of one curve and the cheapest model of several, compared exactly where counts are whole.
import { ratio } from "./formulas";
import { simplest } from "./ratio";

/** A curve as the page computes with it. */
export interface Splits {
  threshold: Float64Array;
  lowest: Float64Array;
  tp: Float64Array;
  fp: Float64Array;
  hull: readonly number[];
  Pos: number;
  Neg: number;
  whole: boolean; // all counts are integers
  exact: boolean; // all splits are kept
}

/** What one false positive and one false negative of the data cost, up to a common factor. */
export interface UnitCosts {
  fp: bigint;
  fn: bigint;
}

export function unitCosts(costRatio: number, classRatio: number | null, Pos: number, Neg: number): UnitCosts | null {
  const cost = simplest(costRatio);
  if (classRatio === null) return { fp: cost.den, fn: cost.num };
  if (!Number.isInteger(Pos) || !Number.isInteger(Neg)) return null;
  const mix = simplest(classRatio);
  return { fp: cost.den * mix.den * BigInt(Pos), fn: cost.num * mix.num * BigInt(Neg) };
}

/** The split of a threshold: the last whose cases all score so high; of a thinned curve, the nearer neighbour kept. */
export function splitAt(curve: Splits, threshold: number): number {
  if (threshold === Infinity) return 0; // which calls nothing positive, also no score of +inf
  let low = 0;
  let high = curve.lowest.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (curve.lowest[middle] >= threshold) low = middle;
    else high = middle - 1;
  }
  const { lowest } = curve;
  // Above the highest score no case is called positive, and that is exact on any curve.
  if (curve.exact || low === 0 || low === lowest.length - 1 || lowest[low] === threshold) return low;
  return threshold - lowest[low + 1] < lowest[low] - threshold ? low + 1 : low;
}

/** All kept splits of least cost: those that tie, by falling threshold. */
export function cheapest(curve: Splits, costRatio: number, classRatio: number | null): number[] {
  const { tp, fp, Pos, Neg } = curve;
  const weight = classRatio === null ? costRatio : (costRatio * classRatio * Neg) / Pos;
  const [alarm, miss] = weight > 1 ? [1 / weight, 1] : [1, weight];
  let least = Infinity;
  for (let k = 0; k < tp.length; k++) if (reachable(curve, k)) least = Math.min(least, fp[k] * alarm + (Pos - tp[k]) * miss);
  const near: number[] = [];
  // Near counts are told apart exactly below; sums of weights tie up to rounding of the dearest split.
  const slack = curve.whole ? 1e-9 * least + 1e-300 : 1e-12 * Math.max(Neg * alarm, Pos * miss);
  for (let k = 0; k < tp.length; k++) if (reachable(curve, k) && fp[k] * alarm + (Pos - tp[k]) * miss <= least + slack) near.push(k);
  const units = curve.whole && near.length > 1 ? unitCosts(costRatio, classRatio, Pos, Neg) : null;
  return units === null ? near : exactlyLeast(near, (k) => BigInt(fp[k]) * units.fp + BigInt(Pos - tp[k]) * units.fn);
}

/** Cost ratios for which a split stays the best of its curve: those between the slopes of its edges; null off the hull. */
export function holdsFor({ hull, tp, fp, Pos, Neg }: Splits, split: number, classRatio: number): [number, number] | null {
  const at = hull.indexOf(split);
  if (at < 0) return null;
  const unit = (Neg / Pos) * classRatio;
  const slope = (a: number, b: number): number => ratio(fp[b] - fp[a], tp[b] - tp[a]) / unit;
  return [at > 0 ? slope(hull[at - 1], split) : 0, at + 1 < hull.length ? slope(split, hull[at + 1]) : Infinity];
}

/** All kept splits at which a measure is best; undefined values never are. */
export function best(curve: Splits, value: (tp: number, fp: number) => number, better: "higher" | "lower"): number[] {
  const sign = better === "higher" ? 1 : -1;
  const values = Float64Array.from(curve.tp, (tp, k) => sign * value(tp, curve.fp[k]));
  let most = -Infinity;
  for (let k = 0; k < values.length; k++) if (reachable(curve, k) && values[k] > most) most = values[k];
  const slack = Number.isFinite(most) ? 4 * Number.EPSILON * Math.abs(most) : 0;
  const found: number[] = [];
  values.forEach((each, k) => {
    if (each >= most - slack && reachable(curve, k)) found.push(k);
  });
  return most === -Infinity ? [0] : found;
}

/** The one of several ties that is recommended: the middle, of two middles the stricter, as Python's `choose`. */
export function middle(ties: readonly number[]): number {
  return ties[(ties.length - 1) >> 1];
}

export interface Joint {
  model: number;
  tied: number[];
  runnerUp: number | null;
  low: number; // cost ratios between which the model stays the cheapest
  high: number;
}

/** Which model is cheapest, and over which cost ratios it stays so: the joint hull (Provost & Fawcett 2001). */
export function jointChoice(curves: readonly Splits[], costRatio: number, classRatio: number | null): Joint {
  const { Pos, Neg } = curves[0];
  const odds = classRatio === null ? Pos / Neg : classRatio;
  const weight = costRatio * odds;
  const [alarm, miss] = weight > 1 ? [1 / weight, 1] : [1, weight];
  const points = curves.map((curve) => middle(cheapest(curve, costRatio, classRatio)));
  const losses = curves.map((curve, i) => (alarm * curve.fp[points[i]]) / Neg + (miss * (Pos - curve.tp[points[i]])) / Pos);
  const least = Math.min(...losses);
  let tied = losses.flatMap((loss, i) => (loss <= least + 1e-9 * Math.abs(least) + 1e-300 ? [i] : []));
  const units = curves.every((curve) => curve.whole) ? unitCosts(costRatio, classRatio, Pos, Neg) : null;
  if (units !== null) {
    const loss = (i: number): bigint =>
      BigInt(curves[i].fp[points[i]]) * units.fp + BigInt(Pos - curves[i].tp[points[i]]) * units.fn;
    tied = exactlyLeast(tied, loss);
  }
  const others = losses.map((_, i) => i).filter((i) => !tied.includes(i));
  const runnerUp = others.length ? others.reduce((a, b) => (losses[b] < losses[a] ? b : a)) : null;
  const [low, high] = stretch(jointCorners(curves), tied[0], costRatio, (Neg / Pos) * odds);
  return { model: tied[0], tied, runnerUp, low, high };
}

interface Corner {
  x: number;
  y: number;
  models: Set<number>;
}

/** Corners of the hull of all hulls in coverage space; the models were ranked on the same cases. */
function jointCorners(curves: readonly Splits[]): Corner[] {
  const all: Corner[] = curves.flatMap((curve, i) =>
    curve.hull.map((k) => ({ x: curve.fp[k], y: curve.tp[k], models: new Set([i]) })),
  );
  all.sort((a, b) => a.x - b.x || a.y - b.y);
  const corners: Corner[] = [];
  for (const point of all) {
    const same = corners[corners.length - 1];
    if (same && same.x === point.x && same.y === point.y) {
      point.models.forEach((each) => same.models.add(each));
      continue;
    }
    while (corners.length > 1 && turn(corners[corners.length - 2], corners[corners.length - 1], point) >= 0) corners.pop();
    corners.push(point);
  }
  return corners;
}

/** Above 0 when b lies below the line from a to c, 0 when on it; products of counts are exact below 2^53. */
function turn(a: Corner, b: Corner, c: Corner): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/** The run of neighbouring corners of a model around a cost ratio, as a range of cost ratios. */
function stretch(corners: readonly Corner[], model: number, costRatio: number, unit: number): [number, number] {
  // On the edge from a to b both cost the same when cost ratio · unit = rise of fp over rise of tp.
  const bound = corners.slice(1).map((b, i) => ratio(b.x - corners[i].x, b.y - corners[i].y) / unit);
  const from = [0, ...bound];
  const to = [...bound, Infinity];
  const near = 1 + 1e-12; // the ratio may be the very bound, but for rounding
  const here = corners.flatMap((_, i) => (from[i] <= costRatio * near && costRatio <= to[i] * near ? [i] : []));
  const mine = (i: number): boolean => i >= 0 && i < corners.length && corners[i].models.has(model);
  let first = here.find(mine);
  if (first === undefined) return [costRatio, costRatio];
  let last = here.filter(mine).pop() ?? first;
  while (mine(first - 1)) first -= 1;
  while (mine(last + 1)) last += 1;
  return [Math.min(costRatio, from[first]), Math.max(costRatio, to[last])];
}

/** A threshold of +inf calls nothing positive; no other lies between the largest float and a score of +inf. */
function reachable(curve: Splits, k: number): boolean {
  return k === 0 || curve.threshold[k] !== Infinity;
}

function exactlyLeast(of: readonly number[], loss: (k: number) => bigint): number[] {
  const losses = of.map(loss);
  const least = losses.reduce((a, b) => (b < a ? b : a));
  return of.filter((_, i) => losses[i] === least);
}
