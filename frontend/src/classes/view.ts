// What costs, class mix and rule make of every model: its calls, what they cost, and what its probabilities said they would.
import type { Contents, Interval, LeastCost } from "../contents";
import { real } from "../reals";
import { bestConstant, confusion, decide, expectedCost, foretoldLessPaid, limits, mean, mostProbable, paid, readVectors, ruleWeights, sum, type Matrix, type Vectors } from "./formulas";

export type Rule = "probable" | "cost" | "fitted";

export interface ClassState {
  costs: Matrix;
  others: readonly string[]; // actions that are no classes
  mix: readonly number[] | null; // share of each class; null: as in the data
  rule: Rule;
  model: number | null; // null: the decision's, and the cheapest once something was set
}

/** A number with limits, which are NaN where nobody knows them. */
export interface Limited {
  estimate: number;
  lower: number;
  upper: number;
}

export interface ClassStand {
  index: number;
  cells: Matrix; // cases by actual class and action
  cost: Limited;
  foretold: number;
  apart: Limited; // foretold - paid
}

export interface ClassView {
  state: ClassState;
  asEvaluated: boolean; // costs, mix and rule are
  arbitrary: boolean; // all actions cost the same
  actions: readonly string[];
  shares: readonly number[];
  weights: readonly number[]; // of the model looked at
  stands: ClassStand[];
  best: number;
  stand: ClassStand; // the one looked at
  probable: Limited; // what the most probable class costs, by the model looked at
  leastCost: Limited | null; // and what the action of least expected cost does, where that is not what is said
  constant: { action: string; index: number; cost: Limited };
  cellCosts: Matrix; // of the model looked at: in these rows, or per 1,000 cases at the mix
  dearest: { row: number; column: number; cost: number; total: number };
}

interface SceneModel {
  vectors: Vectors;
  probable: Uint16Array;
  fitted: readonly number[] | null; // weights that are not those of the class mix alone
}

export interface ClassScene {
  contents: Contents;
  given: LeastCost;
  classes: readonly string[];
  names: readonly string[]; // of models
  cases: readonly number[];
  ofData: readonly number[]; // class mix of the data
  models: SceneModel[];
  decided: number; // the decision's model
  exact: boolean; // no model's segments are a sample
  limited: boolean; // the page may compute limits: cases are independent and all there
  start: ClassState;
}

const TIE = 1e-12;
const SAME = 1e-9;

export function classScene(contents: Contents): ClassScene {
  const given = contents.least_cost!;
  const { classes, data } = contents;
  const cases = given.cases.map(real);
  const total = sum(cases);
  const ofData = cases.map((each) => each / total);
  const byMix = ruleWeights(given.mix, ofData, given.trained_at);
  const restated = ruleWeights(null, ofData, given.trained_at);
  const models = given.models.map((model) => {
    const vectors = readVectors(model);
    const other = model.weights.some((weight, i) => Math.abs(weight - byMix[i]) > SAME * Math.max(1, byMix[i]));
    return { vectors, probable: mostProbable(vectors, restated), fitted: other ? model.weights : null };
  });
  const exact = given.models.every((model) => !model.sampled);
  const rule: Rule = models.some(({ fitted }) => fitted) ? "fitted" : "cost";
  return {
    contents,
    given,
    classes,
    names: given.models.map(({ shown }) => shown),
    cases,
    ofData,
    models,
    decided: Math.max(0, given.models.findIndex(({ name }) => name === given.decision["model"])),
    exact,
    limited: exact && !data.weighted && data.clusters === null,
    start: { costs: given.costs, others: given.actions.slice(classes.length), mix: given.mix, rule, model: null },
  };
}

export function classView(scene: ClassScene, state: ClassState): ClassView {
  const { given, classes, start } = scene;
  const { costs, mix } = state;
  const actions = [...classes, ...state.others];
  const asEvaluated = state.rule === start.rule && costs === start.costs && state.others === start.others && mix === start.mix;
  const shares = mix ?? scene.ofData;
  const byMix = ruleWeights(mix, scene.ofData, given.trained_at);
  const stands = scene.models.map((model, index): ClassStand => {
    const known = given.models[index];
    if (asEvaluated) return { index, cells: known.confusion, cost: limited(known.expected_cost), foretold: real(known.foretold_cost.estimate), apart: limited(known.foretold_minus_paid) };
    const weights = weightsOf(scene, state, index, byMix);
    const calls = state.rule === "probable" ? model.probable : decide(model.vectors, costs, weights);
    const cells = confusion(model.vectors, calls, actions.length);
    const cost = expectedCost(cells, costs, mix);
    const apart = mean(foretoldLessPaid(model.vectors, calls, costs, byMix), mix);
    return { index, cells, cost: { ...bounds(scene, mean(paid(cells, costs), mix)), estimate: cost }, foretold: cost + apart.estimate, apart: bounds(scene, apart) };
  });
  const least = Math.min(...stands.map((stand) => stand.cost.estimate));
  const cheapest = Math.max(0, stands.findIndex((stand) => stand.cost.estimate <= least + TIE * Math.abs(least)));
  const best = asEvaluated ? scene.decided : cheapest;
  const stand = stands[state.model ?? best];
  const { vectors, probable } = scene.models[stand.index];
  const usual = confusion(vectors, probable, actions.length);
  const evaluated = (name: string): Limited | null => {
    const rule = asEvaluated && stand.index === scene.decided ? given.rules.find((each) => each.name === name) : undefined;
    return rule ? limited(rule.cost) : null;
  };
  const constant = bestConstant(costs, shares);
  const always: Matrix = scene.cases.map((n) => actions.map((_, j) => (j === constant.action ? n : 0)));
  const cellCosts = stand.cells.map((row, i) => row.map((count, j) => (mix === null ? count : scene.cases[i] > 0 ? (1000 * mix[i] * count) / scene.cases[i] : 0) * costs[i][j]));
  return {
    state,
    asEvaluated,
    arbitrary: costs.every((row) => row.every((cost) => cost === row[0])),
    actions,
    shares,
    weights: weightsOf(scene, state, stand.index, byMix),
    stands,
    best,
    stand,
    probable: evaluated("most probable") ?? priced(scene, usual, costs, mix),
    leastCost: state.rule === "probable" ? priced(scene, confusion(vectors, decide(vectors, costs, byMix), actions.length), costs, mix) : null,
    constant: { action: actions[constant.action], index: constant.action, cost: evaluated("constant") ?? { ...priced(scene, always, costs, mix), estimate: constant.cost } },
    cellCosts,
    dearest: dearestOf(cellCosts),
  };
}

/** The weights of a model's rule. */
function weightsOf(scene: ClassScene, state: ClassState, index: number, byMix: readonly number[]): readonly number[] {
  const own = scene.given.models[index].weights;
  return state.rule === "fitted" || (state.mix === scene.start.mix && scene.models[index].fitted === null) ? own : byMix;
}

/** Whether a rule of fitted weights can be chosen. */
export function isFitted(scene: ClassScene): boolean {
  return scene.models.some(({ fitted }) => fitted !== null);
}

function priced(scene: ClassScene, cells: Matrix, costs: Matrix, mix: ClassState["mix"]): Limited {
  return { ...bounds(scene, mean(paid(cells, costs), mix)), estimate: expectedCost(cells, costs, mix) };
}

function bounds(scene: ClassScene, found: ReturnType<typeof mean>): Limited {
  const [lower, upper] = scene.limited ? limits(found, scene.given.quantile) : [NaN, NaN];
  return { estimate: found.estimate, lower, upper };
}

function limited(interval: Interval): Limited {
  return { estimate: real(interval.estimate), lower: real(interval.lower), upper: real(interval.upper) };
}

function dearestOf(costs: Matrix): ClassView["dearest"] {
  let [row, column] = [0, 0];
  costs.forEach((each, i) => each.forEach((cost, j) => {
    if (cost > costs[row][column]) [row, column] = [i, j];
  }));
  return { row, column, cost: costs[row][column], total: sum(costs.flat()) };
}

