// What Python hands to the page: exact counts and finished numbers. The page looks them up.
// Numbers that JSON lacks are the texts "inf", "-inf" and "nan". Python writes this in src/thresher/report/payload.py.

export type Real = number | "inf" | "-inf" | "nan";

export interface Interval {
  estimate: Real;
  lower: Real;
  upper: Real;
  level: number;
  method: string;
}

export interface Condition {
  cost_fp: number; // what a false positive costs beyond a true negative
  cost_fn: number; // what a false negative costs beyond a true positive
  cost_ratio: number; // cost_fn / cost_fp
  class_ratio: number; // Pos / Neg at deployment, always filled in
  class_ratio_from_data: boolean;
  in_percent: boolean; // the mix was given as a share of positives
  baseline: number; // constant part of the cost per case (from cost_tp, cost_tn), added to expected cost
}

export interface Cells {
  tp: number;
  fn: number;
  fp: number;
  tn: number;
}

/** Splits that are kept: all of them when `exact`, else every hull corner and as many more as look lossless. */
export interface Curve {
  exact: boolean;
  splits: number; // how many there are in the data
  deviation: number; // largest distance of a left-out split from the drawn curve, in ROC units
  threshold: Real[]; // of each kept split, falling; the first is "inf" (nothing is positive)
  /** Score of the last accepted segment at each kept split ("inf" for the first): `score >= lowest` is the same rule. Of a curve that is not exact, those of the first two splits and of the last: the thresholds serve for all others. */
  lowest: Real[];
  tp: number[];
  fp: number[];
  hull: number[]; // indices into the arrays above: the corners of the convex hull
}

/** One segment of the reliability diagram: a pool of the hull. */
export interface Pool {
  low: Real; // lowest and highest score in the pool
  high: Real;
  score: Real; // mean score
  pos: number;
  neg: number;
}

export interface Lines {
  x: number[];
  lower: number[];
  upper: number[];
}

export interface Model {
  name: string; // as given: the decision and the address know it by this
  shown: string; // what may be shown of it: nothing hidden, nothing that turns the text around it
  curve: Curve;
  probabilities: boolean; // all scores lie in [0, 1]
  ties: { segments: number; cases: number }; // distinct scores, and cases that share their score with another
  distribution: { edges: number[]; pos: number[]; neg: number[] };
  pools: Pool[];
  bands: { roc: Lines | null; pr: Lines | null; net_benefit: Lines | null; reliability: Lines | null };
  optimum: { threshold: Real; cells: Cells; undecided: [Real, Real]; holds_for: [Real, Real] };
  predictions: Cells | null; // the table of the user's own predictions
  /** Whole-model numbers: auc, average_precision, pr_area, ks, brier, log_loss, miscalibration, discrimination, uncertainty, ... */
  numbers: { name: string; label: string; interval: Interval | null; value: Real }[];
  data_numbers: Model["numbers"]; // the same in the rows as they are; none where no class mix was declared
  /** Registered measures at the model's own optimum, each with its interval. */
  measures: { name: string; interval: Interval }[];
  data_measures: Model["measures"];
  expected_cost: Interval;
  out_of_bag_cost: Interval;
  threshold: Interval; // of the chosen threshold under resampling
  calibration: { method: string; x: number[]; y: number[] } | null;
}

/** One way to act: a model at its best threshold, or what it is measured against. */
export interface Rule {
  kind: "model" | "never" | "always" | "half" | "current";
  name: string; // of the model, as it may be shown
  threshold: Real; // "nan" where only calls are known
  said: string; // the rule in a few words
  cells: Cells; // in the data
  cost: Interval; // per case at the evaluated condition
  saving: Interval | null; // per case: what the chosen rule saves against this one; null for the chosen one
  may_be_best: boolean; // as good as the chosen one, for all that is known
}

export interface Measure {
  name: string;
  label: string;
  symbol: string;
  formula: string;
  direction: "higher" | "lower" | "neither";
  range: [Real, Real];
}

export interface Pair {
  a: string;
  b: string;
  measure: string;
  difference: Real; // a - b
  lower: Real;
  upper: Real;
  p_value: Real;
  adjusted: Real;
  verdict: string;
}

export interface ClassRow {
  label: string;
  count: number;
  precision: Interval;
  recall: Interval;
  f1: Interval;
  auc: Interval;
}

export interface ClassModel {
  name: string;
  classes: ClassRow[];
  numbers: { name: string; label: string; interval: Interval | null; value: Real }[];
  curves: Curve[]; // one-vs-rest, one per class
  bands: Model["bands"][]; // likewise, of ROC and precision-recall
}

/** One model of k classes. Row i of `vectors` and of `counts` is a segment; both are flat, a number per class. */
export interface LeastCostModel {
  name: string; // as given: the decision knows it by this
  shown: string;
  weights: number[]; // of its own rule, one per class
  segments: number; // how many there are in the data
  sampled: boolean; // more than 20,000: a sample of each class, whose counts stand for all its cases
  error: Real; // half-width of the interval of the sample's expected cost around that of all cases
  vectors: string; // base64 of little-endian unsigned 16-bit numbers: probabilities in 65,535ths
  counts: number[];
  confusion: number[][]; // of all cases; rows: actual, columns: action
  cost_cells: number[][]; // what each of its cells costs in all
  expected_cost: Interval;
  foretold_cost: Interval;
  foretold_minus_paid: Interval;
}

/** What the page of k classes decides with: argmin over actions a of the sum over classes i, in order, of weights[i] * p[i] * costs[i][a], the first of equals. */
export interface LeastCost {
  actions: string[]; // the classes, then whatever else may be done with a case
  costs: number[][]; // a row per actual class, a column per action
  mix: number[] | null; // the declared share of each class; null: as in the data
  cases: Real[]; // of each class
  trained_at: number[]; // the class mix that probabilities were made for
  quantile: number; // of the normal distribution at the level, for limits that the page computes anew
  decision: Record<string, unknown>; // Decision.to_dict()
  rules: { name: string; said: string; cost: Interval; saving: Interval | null }[]; // the chosen one first
  models: LeastCostModel[];
}

export interface Contents {
  format: "thresher/page/1";
  kind: "binary" | "classes";
  title: string;
  version: string;
  level: number;
  folded: boolean; // comparisons of models open on request only, however few
  answer: string[]; // the answer in words, a paragraph each; the first is the headline
  why: string; // the sentence below it
  asked: string; // the condition as it was asked for
  unit: string; // what costs are counted in, per 1,000 cases
  rules: Rule[]; // the chosen one first
  mixes: { declared: string; rows: string } | null; // in words, where a class mix was declared
  cautions: { code: string; text: string }[]; // what matters most first
  data: {
    rows: number;
    dropped: number;
    weighted: boolean;
    clusters: number | null;
    Pos: number;
    Neg: number;
    positive: string;
    negative: string;
    trained_at: number; // class ratio that the probabilities were made for
    fingerprint: string;
    seed: number;
  };
  // kind "binary":
  condition: Condition | null;
  decision: Record<string, unknown> | null; // Decision.to_dict()
  models: Model[];
  measures: Measure[];
  comparison: Pair[];
  // kind "classes":
  classes: string[];
  class_models: ClassModel[];
  least_cost: LeastCost | null;
}
