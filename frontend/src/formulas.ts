// The few formulas of the page, pure, each tested against numbers from Python: rates, measures, cost, slopes, re-weighting.
import type { Cells } from "./contents";

/** Costs net of what right calls cost, and the class ratio Pos / Neg at deployment. */
export interface Costs {
  cost_fp: number;
  cost_fn: number;
  cost_tp: number;
  cost_tn: number;
  class_ratio: number;
}

export function cellsAt(tp: number, fp: number, Pos: number, Neg: number): Cells {
  return { tp, fn: Pos - tp, fp, tn: Neg - fp };
}

/** The cells these rates would give, on as many cases, at another ratio of Pos to Neg. */
export function atClassRatio(cells: Cells, ratio: number): Cells {
  const Pos = cells.tp + cells.fn;
  const Neg = cells.fp + cells.tn;
  const up = ((Pos + Neg) * (ratio / (1 + ratio))) / Pos;
  const down = ((Pos + Neg) * (1 / (1 + ratio))) / Neg;
  return { tp: cells.tp * up, fn: cells.fn * up, fp: cells.fp * down, tn: cells.tn * down };
}

/** Per 1,000 cases at a class ratio. */
export function perThousand(cells: Cells, ratio: number): Cells {
  const at = atClassRatio(cells, ratio);
  const scale = 1000 / (at.tp + at.fn + at.fp + at.tn);
  return { tp: at.tp * scale, fn: at.fn * scale, fp: at.fp * scale, tn: at.tn * scale };
}

/** Division as Python's `ratio`: 0/0 is undefined, x/0 infinite. */
export function ratio(numerator: number, denominator: number): number {
  if (denominator === 0) return numerator === 0 || Number.isNaN(numerator) ? NaN : numerator > 0 ? Infinity : -Infinity;
  return numerator / denominator;
}

type Formula = (tp: number, fn: number, fp: number, tn: number) => number;

/** By name, as in Python's registry. */
const FORMULAS = new Map<string, Formula>([
  ["accuracy", (tp, fn, fp, tn) => ratio(tp + tn, tp + fn + fp + tn)],
  ["error_rate", (tp, fn, fp, tn) => ratio(fp + fn, tp + fn + fp + tn)],
  ["tpr", (tp, fn) => ratio(tp, tp + fn)],
  ["tnr", (_tp, _fn, fp, tn) => ratio(tn, fp + tn)],
  ["fpr", (_tp, _fn, fp, tn) => ratio(fp, fp + tn)],
  ["fnr", (tp, fn) => ratio(fn, tp + fn)],
  ["precision", (tp, _fn, fp) => ratio(tp, tp + fp)],
  ["npv", (_tp, fn, _fp, tn) => ratio(tn, fn + tn)],
  ["false_discovery_rate", (tp, _fn, fp) => ratio(fp, tp + fp)],
  ["false_omission_rate", (_tp, fn, _fp, tn) => ratio(fn, fn + tn)],
  ["average_recall", (tp, fn, fp, tn) => ratio(tp * (fp + tn) + tn * (tp + fn), 2 * (tp + fn) * (fp + tn))],
  ["balanced_error_rate", (tp, fn, fp, tn) => ratio(fn * (fp + tn) + fp * (tp + fn), 2 * (tp + fn) * (fp + tn))],
  ["youden_j", (tp, fn, fp, tn) => ratio(tp * (fp + tn) - fp * (tp + fn), (tp + fn) * (fp + tn))],
  ["markedness", (tp, fn, fp, tn) => ratio(tp * (fn + tn) - fn * (tp + fp), (tp + fp) * (fn + tn))],
  ["g_mean", (tp, fn, fp, tn) => Math.sqrt(ratio(tp * tn, (tp + fn) * (fp + tn)))],
  ["f1", (tp, fn, fp) => ratio(2 * tp, 2 * tp + fp + fn)],
  ["jaccard", (tp, fn, fp) => ratio(tp, tp + fp + fn)],
  ["mcc", (tp, fn, fp, tn) => ratio(tp * tn - fp * fn, Math.sqrt((tp + fp) * (fn + tn) * (tp + fn) * (fp + tn)))],
  ["kappa", (tp, fn, fp, tn) => ratio(2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (fn + tn) * (tp + fn))],
  ["lr_plus", (tp, fn, fp, tn) => ratio(tp * (fp + tn), fp * (tp + fn))],
  ["lr_minus", (tp, fn, fp, tn) => ratio(fn * (fp + tn), tn * (tp + fn))],
  ["dor", (tp, fn, fp, tn) => ratio(tp * tn, fp * fn)],
  ["predicted_positive_rate", (tp, fn, fp, tn) => ratio(tp + fp, tp + fn + fp + tn)],
  ["lift", (tp, fn, fp, tn) => ratio(tp * (tp + fn + fp + tn), (tp + fp) * (tp + fn))],
  ["prevalence", (tp, fn, fp, tn) => ratio(tp + fn, tp + fn + fp + tn)],
  ["class_ratio", (tp, fn, fp, tn) => ratio(tp + fn, fp + tn)],
]);

/** A measure of cells; a name that the page does not know, such as "f2", is read as an F measure or is undefined. */
export function measureOf(name: string, cells: Cells): number {
  const known = FORMULAS.get(name);
  if (known) return known(cells.tp, cells.fn, cells.fp, cells.tn);
  const beta = /^f([0-9.]+)$/.exec(name);
  if (!beta) return NaN;
  const square = Number(beta[1]) ** 2;
  return ratio((1 + square) * cells.tp, (1 + square) * cells.tp + square * cells.fn + cells.fp);
}

/** Cost per case at the costs' class ratio, what right calls cost included. */
export function expectedCost(cells: Cells, costs: Costs): number {
  const prevalence = costs.class_ratio / (1 + costs.class_ratio);
  const Pos = cells.tp + cells.fn;
  const Neg = cells.fp + cells.tn;
  const wrong = prevalence * (cells.fn / Pos) * costs.cost_fn + (1 - prevalence) * (cells.fp / Neg) * costs.cost_fp;
  return wrong + prevalence * costs.cost_tp + (1 - prevalence) * costs.cost_tn;
}

/** Slope of equal-cost lines in ROC space. */
export function slopeRoc(costs: Costs): number {
  return costs.cost_fp / (costs.cost_fn * costs.class_ratio);
}

/** Slope of equal-cost lines in the coverage space of data with Pos and Neg cases. */
export function slopeCoverage(costs: Costs, Pos: number, Neg: number): number {
  return (slopeRoc(costs) * Pos) / Neg;
}

/** Where a condition lies on the axis of the cost curve (Drummond & Holte 2006). */
export function probabilityCost(costs: Costs): number {
  const weight = costs.class_ratio * costs.cost_fn;
  return weight / (weight + costs.cost_fp);
}

/** The cost ratio that a place on the axis of the cost curve stands for. */
export function costRatioAt(place: number, classRatio: number): number {
  return place / (1 - place) / classRatio;
}

/** True positives per case less false positives at the exchange rate t / (1 - t) (Vickers & Elkin 2006). */
export function netBenefit(cells: Cells, t: number): number {
  return (cells.tp - (cells.fp * t) / (1 - t)) / (cells.tp + cells.fn + cells.fp + cells.tn);
}

/** A probability made for one class ratio, restated for another (Elkan 2001): its odds are multiplied by their quotient. */
export function restated(probability: number, from: number, to: number): number {
  const weight = from === to ? 1 : to / from;
  return (probability * weight) / (probability * weight + (1 - probability));
}

/** The probability from which on a positive call is the cheaper one. */
export function costThreshold(costRatio: number): number {
  return 1 / (1 + costRatio);
}
