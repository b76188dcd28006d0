// Contents made of a few segments, for tests without Python.
import type { Contents, Interval, Model } from "../src/contents";

export interface Given {
  name: string;
  segments: [score: number, pos: number, neg: number][];
  split: number;
}

export const EMAILS: Given = {
  name: "tree",
  segments: [0.89, 0.8, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13].map((score, i) => {
    const pos = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0][i];
    return [score, pos, 1 - pos];
  }),
  split: 8,
};

const interval = (estimate: number): Interval => ({ estimate, lower: estimate / 2, upper: estimate * 2, level: 0.95, method: "test" });

export function contents(given: Given[], costRatio = 1): Contents {
  const sum = (part: 1 | 2): number => given[0].segments.reduce((all, each) => all + each[part], 0);
  const [Pos, Neg] = [sum(1), sum(2)];
  const models = given.map((each) => model(each, Pos, Neg));
  return {
    format: "thresher/page/1",
    kind: "binary",
    title: "Test",
    version: "0",
    level: 0.95,
    folded: false,
    answer: ["Use it.", "It is good."],
    why: "",
    asked: "a miss costs as much as a false alarm",
    unit: "cost",
    rules: rules(models[0], Pos, Neg),
    mixes: null,
    cautions: [{ code: "few-positives", text: "there are few" }],
    data: { rows: Pos + Neg, dropped: 0, weighted: false, clusters: null, Pos, Neg, positive: "spam", negative: "ham", trained_at: Pos / Neg, fingerprint: `sha256:${"0".repeat(64)}`, seed: 0 },
    condition: { cost_fp: 1, cost_fn: costRatio, cost_ratio: costRatio, class_ratio: Pos / Neg, class_ratio_from_data: true, in_percent: false, baseline: 0 },
    decision: {
      format: "thresher/decision/1",
      model: models[0].name,
      rule: {
        kind: "threshold",
        threshold: models[0].optimum.threshold,
        equivalent: [0.24, 0.32],
        interval: { ...interval(0.3), variance: 0.1, note: "", apparent: null },
        holds_for: [0.5, 2],
        cost_ratios: [0, "inf"],
        class_ratios: [0, "inf"],
        data_prevalence: Pos / (Pos + Neg),
        trained_at: Pos / (Pos + Neg),
        calibration: { kind: "map" },
      },
      condition: { class_ratio: Pos / Neg, cost_fp: 1, cost_fn: costRatio, cost_tp: 0, cost_tn: 0 },
      expected_cost: { ...interval(0.2), variance: 0.1, note: "", apparent: null },
      out_of_bag_cost: { ...interval(0.3), variance: 0.1, note: "", apparent: null },
      baseline: "never",
      saving: { ...interval(0.1), variance: 0.1, note: "", apparent: null },
      why: "it is the only model",
      may_be_best: [models[0].name],
      runner_up: null,
      gap: null,
      tied: [models[0].name],
      wins: 1,
      fingerprint: `sha256:${"0".repeat(64)}`,
      version: "0",
      foretold_cost: null,
      most_probable_cost: null,
      best_constant: null,
    },
    models,
    measures: [
      { name: "accuracy", label: "accuracy", symbol: "acc", formula: "(tp + tn) / total", direction: "higher", range: [0, 1] },
      { name: "precision", label: "precision", symbol: "prec", formula: "tp / (tp + fp)", direction: "higher", range: [0, 1] },
      { name: "f1", label: "f1", symbol: "F1", formula: "2 tp / (2 tp + fp + fn)", direction: "higher", range: [0, 1] },
    ],
    comparison: [],
    classes: [],
    class_models: [],
    least_cost: null,
  };
}

function rules({ name, optimum }: Model, Pos: number, Neg: number): Contents["rules"] {
  const rule = { name, said: name, cost: interval(0.2), saving: null, may_be_best: false };
  return [
    { ...rule, kind: "model", threshold: optimum.threshold, cells: optimum.cells },
    { ...rule, kind: "never", threshold: "inf", cells: { tp: 0, fn: Pos, fp: 0, tn: Neg }, saving: interval(0.1) },
    { ...rule, kind: "always", threshold: "-inf", cells: { tp: Pos, fn: 0, fp: Neg, tn: 0 }, saving: interval(0.1) },
    { ...rule, kind: "half", threshold: 0.5, cells: optimum.cells, saving: interval(0) },
  ];
}

function model({ name, segments, split }: Given, Pos: number, Neg: number): Model {
  const tp = [0];
  const fp = [0];
  for (const [, pos, neg] of segments) {
    tp.push(tp[tp.length - 1] + pos);
    fp.push(fp[fp.length - 1] + neg);
  }
  const score = segments.map((each) => each[0]);
  const threshold = ["inf" as const, ...score.map((each, i) => (i + 1 < score.length ? Math.min((each + score[i + 1]) / 2, Number.MAX_VALUE) : ("-inf" as const)))];
  return {
    name,
    shown: name,
    curve: { exact: true, splits: tp.length, deviation: 0, threshold, lowest: ["inf", ...score], tp, fp, hull: hull(tp, fp) },
    probabilities: score.every((each) => each >= 0 && each <= 1),
    ties: { segments: segments.length, cases: 0 },
    distribution: { edges: [0, 0.25, 0.5, 0.75, 1], pos: [0, 2, 2, 2], neg: [2, 1, 1, 0] },
    pools: segments.map(([at, pos, neg]) => ({ low: at, high: at, score: at, pos, neg })),
    bands: { roc: { x: [0, 0.5, 1], lower: [0, 0.3, 0.8], upper: [0.4, 1, 1] }, pr: null, net_benefit: null, reliability: null },
    optimum: { threshold: threshold[split], cells: { tp: tp[split], fn: Pos - tp[split], fp: fp[split], tn: Neg - fp[split] }, undecided: [0, 0], holds_for: [0, "inf"] },
    predictions: null,
    numbers: [
      { name: "auc", label: "AUC", interval: interval(0.75), value: 0.75 },
      { name: "brier", label: "Brier score", interval: null, value: "nan" },
    ],
    data_numbers: [],
    data_measures: [],
    measures: [{ name: "accuracy", interval: interval(0.8) }],
    expected_cost: interval(0.2),
    out_of_bag_cost: interval(0.3),
    threshold: interval(0.3),
    calibration: null,
  };
}

function hull(tp: number[], fp: number[]): number[] {
  const kept: number[] = [];
  tp.forEach((_, k) => {
    const below = (a: number, b: number): boolean => (fp[b] - fp[a]) * (tp[k] - tp[a]) >= (tp[b] - tp[a]) * (fp[k] - fp[a]);
    while (kept.length > 1 && below(kept[kept.length - 2], kept[kept.length - 1])) kept.pop();
    kept.push(k);
  });
  return kept;
}
