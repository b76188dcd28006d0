// The decision among k classes under what is set, after thresher's published schema; what was not computed says so.
import { plain } from "../reals";
import type { Limited, ClassScene, ClassView } from "./view";

const BY_HAND = "set on the page: the evaluation made no interval for it";
const TIE = 1e-12;

/** Plain data of the decision; Python's own where nothing was changed. */
export function decisionNow(scene: ClassScene, view: ClassView): Record<string, unknown> {
  const { given, contents, classes, start } = scene;
  const { state, stand, stands, actions, constant, probable } = view;
  const decision = given.decision;
  if (view.asEvaluated && stand.index === scene.decided) return decision;
  const rule = decision["rule"] as { classes: unknown[]; actions: unknown[] };
  const condition = decision["condition"] as { costs: object };
  // Names may be shown otherwise than they are; those added on the page are what they are.
  const known = new Map(start.others.map((name, i) => [name, rule.actions[classes.length + i]]));
  const labels = [...rule.classes, ...state.others.map((name) => known.get(name) ?? name)];
  const unknown = (estimate: number | null, note = BY_HAND): Record<string, unknown> => ({
    estimate: estimate === null ? null : plain(estimate),
    lower: null,
    upper: null,
    variance: null,
    level: contents.level,
    method: "none",
    note,
    apparent: null,
  });
  const of = ({ estimate }: Limited): Record<string, unknown> => unknown(estimate);
  const best = isBest(view);
  const close = stands.filter((each) => each !== stand && best && near(each.cost.estimate, stand.cost.estimate));
  const others = stands.filter((each) => each !== stand && best && !close.includes(each));
  const runner = others.length ? others.reduce((a, b) => (b.cost.estimate < a.cost.estimate ? b : a)) : null;
  const names = [stand, ...close].map(({ index }) => given.models[index].name);
  const usual = state.rule === "probable";
  // Every class once by its text, in no order: browsers put names that look like numbers first.
  const byClass = (shares: readonly number[]): object => Object.fromEntries(rule.classes.map((name, i) => [typeof name === "string" ? name : JSON.stringify(name), shares[i]]));
  return {
    ...decision,
    model: given.models[stand.index].name,
    rule: {
      ...rule,
      // The most probable class is the action of least cost where every error costs the same.
      actions: usual ? rule.classes : labels,
      costs: usual ? classes.map((_, i) => classes.map((_, j) => Number(i !== j))) : state.costs,
      weights: usual ? scene.ofData.map((share, i) => share / given.trained_at[i]) : view.weights,
      trained_at: byClass(given.trained_at),
      used_at: byClass(usual ? scene.ofData : view.shares),
    },
    condition: { ...condition, costs: { ...condition.costs, actions: labels, costs: state.costs }, mix: view.shares },
    expected_cost: of(stand.cost),
    out_of_bag_cost: unknown(null),
    baseline: !usual && probable.estimate <= constant.cost.estimate ? "most probable" : "constant",
    saving: unknown(null), // on rows it was not chosen on, which the page has none of
    why: best ? "it is the cheapest under the costs and class mix set on the page" : "it was set on the page",
    may_be_best: names,
    runner_up: runner === null ? null : given.models[runner.index].name,
    gap: runner === null ? null : plain(runner.cost.estimate - stand.cost.estimate),
    tied: names,
    wins: null,
    foretold_cost: unknown(stand.foretold),
    most_probable_cost: of(probable),
    best_constant: { action: labels[actions.indexOf(constant.action)], cost: of(constant.cost) },
  };
}

/** Whether the model looked at is the cheapest, and takes the action of least cost. */
function isBest({ state, stand, stands }: ClassView): boolean {
  const least = Math.min(...stands.map((each) => each.cost.estimate));
  return state.rule !== "probable" && near(stand.cost.estimate, least);
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= TIE * Math.max(Math.abs(a), Math.abs(b));
}
