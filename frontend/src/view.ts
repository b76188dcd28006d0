// What follows from the scene and the state: where each model stands, what that costs, and which model is cheapest.
import { best, cheapest, jointChoice, middle, splitAt, type Joint } from "./choice";
import type { Cells, Measure } from "./contents";
import { atClassRatio, cellsAt, expectedCost, measureOf, type Costs } from "./formulas";
import { isometric, type Line, type Value } from "./isometric";
import type { Scene, SceneModel } from "./scene";
import { COST, type State } from "./state";

export interface Stand {
  model: SceneModel;
  split: number;
  threshold: number;
  cells: Cells;
  cost: number;
  optimum: number; // the split that the chosen measure likes best
  cheapest: number; // the split of least expected cost
  cheapestCost: number;
  ties: readonly number[];
}

export interface View {
  scene: Scene;
  state: State;
  classRatio: number; // filled in
  costs: Costs;
  asEvaluated: boolean; // costs and class ratio are those Python evaluated
  dataRatio: boolean; // the class ratio is that of the data
  evaluatedRatio: boolean; // the class ratio is that Python evaluated, whose bands hold
  measure: Measure | null; // null: expected cost
  stands: Stand[];
  stand: Stand; // of the current model
  joint: Joint;
  best: number; // the model that the chosen measure, or the evaluation, likes best
  value: (tp: number, fp: number) => number; // of the chosen measure, at the chosen class ratio
  /** The points as good as a split of the current model, solved for once per view. */
  isometric: (split: number) => Line;
}

export function view(scene: Scene, state: State): View {
  const classRatio = state.classRatio ?? scene.Pos / scene.Neg;
  const costs = netCosts(scene, state.costRatio, classRatio);
  const evaluatedRatio = classRatio === (scene.classRatio ?? scene.Pos / scene.Neg);
  const asEvaluated = state.costRatio === scene.costRatio && evaluatedRatio;
  const measure = scene.measures.find((each) => each.name === state.measure) ?? null;
  const value = valueOf(scene, state.measure, costs);
  const stands = scene.models.map((model) => standOf(model, { state, costs, asEvaluated, measure, value }));
  const joint = jointChoice(scene.models.map((model) => model.curve), state.costRatio, state.classRatio);
  // Python may have broken a near tie in another way than by cost alone.
  const cheapestModel = asEvaluated ? scene.model : joint.model;
  const best = measure === null ? cheapestModel : bestBy(stands, measure, value).model.index;
  const current = state.follow && state.auto ? best : state.current;
  return {
    scene,
    state: { ...state, current },
    classRatio,
    costs,
    asEvaluated,
    evaluatedRatio,
    dataRatio: state.classRatio === null || Math.abs(classRatio * scene.Neg - scene.Pos) < 1e-9 * scene.Pos,
    measure,
    stands,
    stand: stands[current],
    joint,
    best,
    value,
    isometric: solved(value, stands[current].model, scene),
  };
}

/** The model that a measure likes best, each at its own optimum. */
function bestBy(stands: readonly Stand[], measure: Measure, value: View["value"]): Stand {
  const sign = measure.direction === "lower" ? -1 : 1;
  const at = ({ model, optimum }: Stand): number => sign * value(model.curve.tp[optimum], model.curve.fp[optimum]);
  return stands.reduce((a, b) => (at(b) > at(a) ? b : a));
}

/** Costs of errors net of what the right call costs; the cost ratio moves the cost of misses. */
export function netCosts(scene: Scene, costRatio: number, classRatio: number): Costs {
  const { cost_fp, cost_tn, cost_tp, cost_fn } = scene.raw;
  const alarm = cost_fp - cost_tn;
  const miss = costRatio === scene.costRatio ? cost_fn - cost_tp : costRatio * alarm;
  return { cost_fp: alarm, cost_fn: miss, cost_tp, cost_tn, class_ratio: classRatio };
}

function solved(value: Value, model: SceneModel, { Pos, Neg }: Scene): (split: number) => Line {
  const found = new Map<number, Line>();
  return (split) => {
    const line = found.get(split) ?? isometric(value, value(model.curve.tp[split], model.curve.fp[split]), Pos, Neg);
    found.set(split, line);
    return line;
  };
}

function valueOf(scene: Scene, name: string, costs: Costs): (tp: number, fp: number) => number {
  const { Pos, Neg } = scene;
  if (name === COST) return (tp, fp) => expectedCost(cellsAt(tp, fp, Pos, Neg), costs);
  return (tp, fp) => measureOf(name, atClassRatio(cellsAt(tp, fp, Pos, Neg), costs.class_ratio));
}

type Given = Pick<View, "state" | "costs" | "asEvaluated" | "measure" | "value">;

function standOf(model: SceneModel, given: Given): Stand {
  const { state, costs, measure, value } = given;
  const { curve } = model;
  const at = (split: number): Cells => cellsAt(curve.tp[split], curve.fp[split], curve.Pos, curve.Neg);
  const ties = cheapest(curve, state.costRatio, state.classRatio);
  // Python saw every tie, of which a thinned curve keeps some only.
  const least = given.asEvaluated && model.start >= 0 ? model.start : middle(ties);
  const direction = measure?.direction === "lower" ? "lower" : "higher";
  const optimum = measure === null ? least : middle(best(curve, value, direction));
  const split = state.follow || !(model.index === state.current || state.shared) ? optimum : splitAt(curve, state.threshold);
  const byHand = !state.follow && (model.index === state.current || state.shared);
  const cells = at(split);
  return {
    model,
    split,
    threshold: byHand && model.exact ? state.threshold : curve.threshold[split],
    cells,
    cost: expectedCost(cells, costs),
    optimum,
    cheapest: least,
    cheapestCost: expectedCost(at(least), costs),
    ties,
  };
}
