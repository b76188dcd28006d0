// The decision under the current sliders, after thresher's published schema; what was not computed says so.
import type { Contents } from "./contents";
import { holdsFor } from "./choice";
import { rowsOf } from "./first";
import { plain } from "./reals";
import { COST } from "./state";
import type { View } from "./view";

const BY_HAND = "set on the page: the evaluation made no interval for it";

const KIND_NAMES = { model: "", never: "never", always: "always", half: "0.5", current: "current" };

/** Plain data of the decision; Python's own where nothing was changed. */
export function decisionNow(contents: Contents, view: View): Record<string, unknown> {
  const { stand, scene, state, joint, stands, costs } = view;
  const given = contents.decision ?? {};
  const rule = (given["rule"] ?? {}) as Record<string, unknown>;
  const own = stand.model.index === scene.model && given["model"] === stand.model.key;
  if (own && view.asEvaluated && stand.split === stand.model.start && (state.follow || stand.threshold === stand.model.curve.threshold[stand.split])) return given;
  const evaluated = view.asEvaluated && stand.split === stand.model.start ? stand.model.of : null;
  const best = joint.tied.includes(stand.model.index) && state.measure === COST && stand.ties.includes(stand.split);
  // What is not the best of all has no runner-up: another choice is cheaper, not dearer.
  const equal = best ? stands.filter((each) => each !== stand && joint.tied.includes(each.model.index)) : [];
  const others = best ? stands.filter((each) => each !== stand && !equal.includes(each)) : [];
  const runner = others.length ? others.reduce((a, b) => (b.cheapestCost < a.cheapestCost ? b : a)) : null;
  const [low, high] = best ? [joint.low, joint.high] : [state.costRatio, state.costRatio];
  const perCost = view.classRatio / state.costRatio;
  const cheap = rowsOf(contents, view, false).filter((row) => row.kind !== "model").reduce((a, b) => (b.cost < a.cost ? b : a));
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
  const known = (interval: object | undefined, estimate: number | null): Record<string, unknown> =>
    interval ? { ...undefinedToNull(interval), variance: null, note: "", apparent: null } : unknown(estimate, best ? BY_HAND : `${BY_HAND}; not the cheapest choice under this condition`);
  return {
    ...given,
    model: stand.model.key,
    rule: {
      ...rule,
      threshold: plain(stand.threshold),
      equivalent: equivalent(view).map(plain),
      interval: known(evaluated?.threshold, stand.threshold),
      holds_for: holdsFor(stand.model.curve, stand.split, view.classRatio)?.map(plain) ?? null,
      cost_ratios: [plain(low), plain(high)],
      class_ratios: [plain(low * perCost), plain(high * perCost)],
      calibration: own ? rule["calibration"] ?? null : null,
    },
    condition: {
      class_ratio: view.classRatio,
      cost_fp: scene.raw.cost_fp,
      cost_fn: costs.cost_fn + scene.raw.cost_tp,
      cost_tp: scene.raw.cost_tp,
      cost_tn: scene.raw.cost_tn,
    },
    expected_cost: known(evaluated?.expected_cost, stand.cost),
    out_of_bag_cost: known(evaluated?.out_of_bag_cost, null),
    baseline: KIND_NAMES[cheap.kind],
    saving: unknown(null), // on rows it was not chosen on, which the page has none of
    why: best ? "it is the cheapest under the costs and class ratio set on the page" : "it was set on the page",
    may_be_best: [...new Set([stand.model.key, ...joint.tied.map((i) => stands[i].model.key)])],
    runner_up: runner?.model.key ?? null,
    gap: runner === null ? null : plain(runner.cheapestCost - stand.cost),
    tied: [stand, ...equal].map((each) => each.model.key),
    wins: null,
  };
}

/** Thresholds t with lower < t <= upper that are known to make the same calls. */
function equivalent(view: View): [number, number] {
  const { split, threshold, model } = view.stand;
  const { lowest } = model.curve;
  // A threshold of +inf calls nothing positive, so it belongs to split 0 alone.
  const upper = split ? Math.min(lowest[split], Number.MAX_VALUE) : Infinity;
  if (model.exact) return [split + 1 < lowest.length ? Math.min(lowest[split + 1], Number.MAX_VALUE) : -Infinity, upper];
  // Of a thinned curve the neighbouring scores are not kept: only the threshold itself is known for sure.
  const under = threshold - Math.max(Math.abs(threshold) * Number.EPSILON, Number.MIN_VALUE);
  return [Number.isFinite(threshold) ? under : threshold > 0 ? Number.MAX_VALUE : -Infinity, Number.isFinite(threshold) ? threshold : upper];
}

/** Intervals as the schema has them: undefined limits are null. */
function undefinedToNull(interval: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(interval).map(([name, value]) => [name, value === "nan" ? null : value]));
}
