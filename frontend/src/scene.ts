// What there is to look at: the models of a page, their curves as typed arrays, and where everything starts.
import type { Splits } from "./choice";
import type { ClassModel, Contents, Curve, Measure, Model, Rule } from "./contents";
import { real, reals } from "./reals";

export interface SceneModel {
  index: number;
  name: string; // as it may be shown
  key: string; // as it was given
  curve: Splits;
  exact: boolean;
  splits: number;
  deviation: number;
  probabilities: boolean;
  start: number; // the split that Python chose
  bands: Model["bands"];
  of: Model | null; // all else that Python says; null for one class against the rest
}

/** Costs as given, right calls included. */
export interface RawCosts {
  cost_fp: number;
  cost_fn: number;
  cost_tp: number;
  cost_tn: number;
}

export interface Scene {
  models: SceneModel[];
  Pos: number;
  Neg: number;
  positive: string;
  negative: string;
  raw: RawCosts;
  costRatio: number;
  classRatio: number | null; // null: as in the data
  inPercent: boolean; // class mixes are shown as shares of positives
  trainedAt: number; // class ratio that probabilities were made for
  model: number;
  measures: Measure[];
  rules: Rule[];
  level: number;
}

export function scene(contents: Contents): Scene {
  const { data, condition } = contents;
  const models = contents.models.map((model, index) => sceneModel({ key: model.name, name: model.shown }, model.curve, index, model.bands, model));
  const name = contents.decision?.["model"];
  const chosen = models.findIndex((model) => model.key === name);
  return {
    models,
    Pos: data.Pos,
    Neg: data.Neg,
    positive: data.positive,
    negative: data.negative,
    raw: rawCosts(contents),
    costRatio: condition?.cost_ratio ?? 1,
    inPercent: condition?.in_percent === true,
    trainedAt: data.trained_at,
    classRatio: condition === null || condition.class_ratio_from_data ? null : condition.class_ratio,
    model: Math.max(0, chosen),
    measures: contents.measures,
    rules: contents.rules,
    level: contents.level,
  };
}

/** One class against the rest, with errors of equal cost. */
export function classScene(contents: Contents, at: number): Scene {
  const models = contents.class_models.map((model: ClassModel, index) =>
    sceneModel({ key: model.name, name: model.name }, model.curves[at], index, model.bands[at], null),
  );
  const first = models[0].curve;
  return {
    models,
    Pos: first.Pos,
    Neg: first.Neg,
    positive: contents.classes[at],
    negative: "the rest",
    raw: { cost_fp: 1, cost_fn: 1, cost_tp: 0, cost_tn: 0 },
    costRatio: 1,
    classRatio: null,
    inPercent: false,
    trainedAt: first.Pos / first.Neg,
    model: 0,
    measures: contents.measures,
    rules: [],
    level: contents.level,
  };
}

function sceneModel(names: { key: string; name: string }, curve: Curve, index: number, bands: Model["bands"], of: Model | null): SceneModel {
  const tp = Float64Array.from(curve.tp);
  const fp = Float64Array.from(curve.fp);
  const threshold = reals(curve.threshold);
  const splits: Splits = {
    threshold,
    lowest: curve.exact ? reals(curve.lowest) : lowestOf(threshold, reals(curve.lowest)),
    tp,
    fp,
    hull: curve.hull,
    Pos: tp[tp.length - 1],
    Neg: fp[fp.length - 1],
    whole: tp.every(Number.isInteger) && fp.every(Number.isInteger),
    exact: curve.exact,
  };
  const probabilities = of === null || of.probabilities;
  return { index, ...names, curve: splits, exact: curve.exact, splits: curve.splits, deviation: curve.deviation, probabilities, start: of === null ? -1 : chosenSplit(splits, of), bands, of };
}

/** Between two kept splits any threshold makes the same calls; beyond the outermost scores the exact ones count. */
function lowestOf(threshold: Float64Array, ends: Float64Array): Float64Array {
  const lowest = threshold.slice();
  [lowest[0], lowest[1], lowest[lowest.length - 1]] = ends;
  return lowest;
}

/** Python's optimum by its counts, so that no rounding of a threshold can move it. */
function chosenSplit(curve: Splits, of: Model): number {
  const { tp, fp } = of.optimum.cells;
  const threshold = real(of.optimum.threshold);
  const found = curve.threshold.indexOf(threshold);
  if (found >= 0 && curve.tp[found] === tp && curve.fp[found] === fp) return found;
  return Math.max(0, curve.tp.findIndex((each, k) => each === tp && curve.fp[k] === fp));
}

function rawCosts(contents: Contents): RawCosts {
  const given = contents.decision?.["condition"] as Partial<RawCosts> | undefined;
  const { cost_fp, cost_fn, cost_tp, cost_tn } = given ?? {};
  if ([cost_fp, cost_fn, cost_tp, cost_tn].every((cost) => typeof cost === "number")) {
    return { cost_fp, cost_fn, cost_tp, cost_tn } as RawCosts;
  }
  const { condition } = contents;
  return { cost_fp: condition?.cost_fp ?? 1, cost_fn: condition?.cost_fn ?? 1, cost_tp: 0, cost_tn: 0 };
}
