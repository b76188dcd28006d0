"""Rules priced against each other: models, never, always, 0.5, current."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from thresher.choices import Choice
from thresher.errors import ArgumentError, argument
from thresher.evaluation.decision import Decision
from thresher.evaluation.model import are_probabilities
from thresher.evaluation.results import PricedRule
from thresher.evaluation.rows import EvaluatedRows, cells, count_calls_of
from thresher.inference import Interval, interval
from thresher.inference.decision.best import allowances, decided_costs, may_be_best, saving_interval
from thresher.inference.decision.stability import ALWAYS, NEVER, Resamples, mean_of
from thresher.inference.intervals.rate import rate_interval
from thresher.inference.intervals.table import SampledTable
from thresher.ranking import Flags, Floats, reaches
from thresher.tables import Contingency, OperatingCondition, contingency_at

HALF, CURRENT, FIRST = "0.5", "current", "first"
NO_ROWS = "needs rows, and only counts left the table"
BASELINES = (NEVER, ALWAYS, HALF, CURRENT)
MOST_NAMED = 20  # models in one sentence


class PerCases(NamedTuple):
    """What a rule does among so many cases, and what that costs."""

    hits: float
    misses: float
    false_alarms: float
    cost: float


@dataclass(frozen=True, slots=True, repr=False)
class Rule(PricedRule):
    """One way to act: a model, "never", "always", "0.5", or the "current" rule.

    `table` counts its calls in the data, and `cost` is its cost per case at the condition: of a model the one on rows
    it was not chosen on, unless its threshold is that of a rule that needs no choice. `saving` is what the rule decided
    for saves per case against this one, None for itself. `model` and `threshold` are None for calls that no threshold
    is known to make.

    >>> from thresher import evaluate
    >>> rules = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2], seed=1).rules
    >>> list(rules)
    ['model', 'never', 'always', '0.5']
    >>> rules["never"].table, rules["never"].cost.estimate
    (Contingency(tp=0, fn=3, fp=0, tn=3), 0.5)
    """

    name: str
    model: str | None
    threshold: float | None
    table: Contingency
    cost: Interval
    saving: Interval | None

    def per(self, cases: float, condition: OperatingCondition) -> PerCases:
        """What the rule does among so many cases at the condition's class mix.

        >>> from thresher import evaluate
        >>> at = OperatingCondition(prevalence=0.25, cost_ratio=2)
        >>> evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2], condition=at).rules["always"].per(1000, at)
        PerCases(hits=250.0, misses=0.0, false_alarms=750.0, cost=750.0)
        """
        table = self.table
        of_pos, of_neg = condition.shares or (table.prevalence, table.Neg / table.total)
        positives, negatives = float(of_pos) * cases, float(of_neg) * cases
        hits, misses = positives * float(table.tpr), positives * float(table.fnr)
        return PerCases(hits, misses, negatives * float(table.fpr), self.cost.estimate * cases)

    def _brief(self) -> str:
        return f"{self.name!r}, cost {self.cost}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data; an infinite threshold is the text "inf" or "-inf"."""
        threshold = self.threshold
        return {
            "name": self.name,
            "model": self.model,
            "threshold": threshold if threshold is None or math.isfinite(threshold) else str(threshold),
            "table": cells(self.table),
            "cost": self.cost.to_dict(),
            "saving": None if self.saving is None else self.saving.to_dict(),
        }


@dataclass(frozen=True, slots=True, eq=False)
class FixedRule:
    """A rule that was not chosen on these rows, and its calls on them."""

    model: str | None
    threshold: float | None
    calls: Flags


def rule_in_use(current: Any, calls: Flags | None, scores: Mapping[str, Any]) -> FixedRule | None:
    """The rule in use: calls, {model: threshold}, a threshold, or a `Decision`."""
    require_no_rule_names(tuple(scores), current=current is not None)
    if current is None:
        return None
    if calls is not None:
        return FixedRule(None, None, calls)
    fix = f"give a column of its calls, a threshold of one of {', '.join(scores)} by its name, or a decision"
    if isinstance(current, Decision):
        model, threshold = current.model, current.threshold
    elif isinstance(current, Mapping):
        if len(current) != 1:
            raise ArgumentError(f"{argument('current')} names {len(current)} models, and one rule is in use", fix)
        model, threshold = next(iter(current.items()))
    elif isinstance(current, Real) and not isinstance(current, bool):
        if len(scores) > 1:
            what = f"{argument('current', current)} is a threshold, and it could be one of {len(scores)} models"
            raise ArgumentError(what, f"write e.g. {argument('current', {next(iter(scores)): current})}")
        model, threshold = next(iter(scores)), float(current)
    else:
        raise ArgumentError(f"{argument('current', current)} is no rule", fix, parameter="current")
    if model not in scores:
        raise ArgumentError(f"the rule in use is of {model!r}, which has no scores here", fix)
    if not isinstance(threshold, Real) or isinstance(threshold, bool) or math.isnan(threshold):
        raise ArgumentError(f"the threshold in use of {model!r} must be a number, got {threshold!r}", fix)
    at = float(threshold)
    return FixedRule(model, at, reaches(scores[model].astype(np.float64), at))


def require_no_rule_names(names: Sequence[str], *, current: bool) -> None:
    """Raise `ArgumentError` where a model has the name of a rule in the same table."""
    for name in names:
        if name in (BASELINES if current else BASELINES[:-1]):
            what = f"a model is called {name!r}, the name of a rule that every model is compared with"
            raise ArgumentError(what, "call it something else")


def same_rule(one: FixedRule | Rule, other: FixedRule | Rule) -> bool:
    """Whether two rules call the same cases whatever the sample."""
    at = one.threshold
    return at is not None and at == other.threshold and (one.model == other.model or math.isinf(at))


def half_name(model: str) -> str:
    """How resamples call the rule that calls a model's scores positive from 0.5 on."""
    return f"{model} at {HALF}"


def fixed_rules(rows: EvaluatedRows, in_use: FixedRule | None) -> dict[str, FixedRule]:
    """The rules to resample: every model from 0.5 on, and the one in use."""
    halves = {
        half_name(name): FixedRule(name, 0.5, rows.scored.scores[name] >= 0.5)
        for name, ranking in rows.rankings.items()
        if are_probabilities(ranking)
    }
    return halves if in_use is None else halves | {CURRENT: in_use}


class Priced(NamedTuple):
    """Rules by name, the decision first, the cheapest fixed one, and savings."""

    rules: dict[str, Rule]
    baseline: str
    savings: dict[str, Interval]


def price_rules(
    rows: EvaluatedRows,
    choices: Mapping[str, Choice],
    costs: Mapping[str, Interval],
    drawn: Resamples,
    *,
    model: str,
    fixed: Mapping[str, FixedRule],
) -> Priced:
    """Price every way to act, and what the `model` decided for saves against each.

    `costs` are those out of bag, by model; for the one decided for, that of the decision. A model whose threshold is
    that of a rule which was not chosen here costs what that rule costs. `fixed` are the other rules resampled.
    """
    nothing = np.zeros(len(rows.scored), dtype=bool)
    baselines = {NEVER: FixedRule(None, math.inf, nothing), ALWAYS: FixedRule(None, -math.inf, ~nothing)}
    draws = {**drawn.at_choice, NEVER: drawn.rules[NEVER], ALWAYS: drawn.rules[ALWAYS]}
    for name, key in ((HALF, half_name(model)), (CURRENT, CURRENT)):
        if key in fixed:
            baselines[name], draws[name] = fixed[key], drawn.rules[key]
    acts = dict(baselines)
    for name, choice in choices.items():
        calls = reaches(rows.scored.scores[name].astype(np.float64), choice.threshold)
        acts[name] = FixedRule(name, choice.threshold, calls)

    priced = {name: _fixed_cost(rows, rule) for name, rule in baselines.items()}
    for name, choice in choices.items():
        same = (priced[at][1] for at, rule in baselines.items() if same_rule(acts[name], rule))
        priced[name] = choice.table, next(same, costs[name])
    optimism = dict.fromkeys(baselines, 0.0)
    optimism |= {name: priced[name][1].estimate - choice.expected_cost for name, choice in choices.items()}

    def saving(one: str, other: str) -> Interval:
        more = optimism[one] - optimism[other]
        return _saving(rows, acts[one], acts[other], optimism=more, drawn=draws[other] - draws[one])

    rules = {}
    for name in dict.fromkeys((model, *choices, *baselines)):
        saved = None if name == model else saving(model, name)
        rules[name] = Rule(name, acts[name].model, acts[name].threshold, *priced[name], saved)
    baseline = min(baselines, key=lambda name: rules[name].cost.estimate)
    return Priced(rules, baseline, {name: saving(name, baseline) for name in choices})


def price_counted_rules(
    choices: Mapping[str, Choice], costs: Mapping[str, Interval], *, model: str, condition: OperatingCondition
) -> Priced:
    """The same from counts alone, on the rows thresholds were chosen on.

    Sums of weights are no numbers of cases, so savings then have no limits. The rule of 0.5 needs scores, not ranges.
    """
    chosen, level = choices[model], costs[model].level
    ranking, own = chosen.ranking, contingency_at(chosen.ranking, chosen.threshold)

    def act(name: str, threshold: float) -> Rule:
        table = contingency_at(ranking, threshold)
        more = _calls_of_wider(own, table) if chosen.threshold < threshold else None
        fewer = _calls_of_wider(table, own) if chosen.threshold > threshold else None
        saving = saving_interval(more, fewer, condition, level=level)
        if math.isinf(threshold):
            cost = _known_cost(table, condition, level, float(table.total))
        else:
            cost = interval(table, condition, level=level)
        if ranking.weighted:
            cost, saving = _without_limits(cost), _without_limits(saving)
        return Rule(name, model if name == HALF else None, threshold, table, cost, saving)

    baselines = {NEVER: math.inf, ALWAYS: -math.inf}
    if ranking.exact and are_probabilities(ranking):
        baselines[HALF] = 0.5
    acts = {name: act(name, threshold) for name, threshold in baselines.items()}
    known = {math.inf: acts[NEVER].cost, -math.inf: acts[ALWAYS].cost}
    costs = {name: known.get(choices[name].threshold, cost) for name, cost in costs.items()}
    if HALF in acts and chosen.threshold == 0.5:
        acts[HALF] = replace(acts[HALF], cost=costs[model])
    rules = {}
    for name in dict.fromkeys((model, *choices)):
        difference = costs[name].estimate - costs[model].estimate
        saving = None if name == model else replace(_without_limits(costs[name]), estimate=difference)
        rules[name] = Rule(name, name, choices[name].threshold, choices[name].table, costs[name], saving)
    baseline = min(acts, key=lambda name: acts[name].cost.estimate)
    against = acts[baseline].saving
    return Priced(rules | acts, baseline, {} if against is None else {model: against})


def _fixed_cost(rows: EvaluatedRows, rule: FixedRule) -> tuple[Contingency, Interval]:
    """The table of a rule that was not chosen here, and its cost per case."""
    table = count_calls_of(rows.scored, rule.calls)
    plain, condition, level = table.table if isinstance(table, SampledTable) else table, rows.condition, rows.level
    if rule.threshold is None or math.isfinite(rule.threshold):
        return plain, interval(table, condition, level=level)
    cases = float(plain.total)
    if isinstance(table, SampledTable):
        cases *= table.cases_per_weight(condition.expected_cost, varies=True, level=level)
    return plain, _known_cost(plain, condition, level, cases)


def _saving(rows: EvaluatedRows, rule: FixedRule, other: FixedRule, *, optimism: float, drawn: Floats) -> Interval:
    """What a rule saves, from the rows that only one of the two calls positive."""
    if same_rule(rule, other):
        return Interval(0.0, 0.0, 0.0, 0.0, rows.level, "known", "the same rule")
    own, others = rule.threshold, other.threshold
    more = fewer = True
    if own is not None and others is not None and (rule.model == other.model or math.isinf(own) or math.isinf(others)):
        more, fewer = own < others, own > others
    return saving_interval(
        count_calls_of(rows.scored, rule.calls & ~other.calls) if more else None,
        count_calls_of(rows.scored, other.calls & ~rule.calls) if fewer else None,
        rows.condition,
        level=rows.level,
        optimism=optimism,
        drawn=drawn,
    )


def _known_cost(table: Contingency, condition: OperatingCondition, level: float, cases: float) -> Interval:
    """The cost of calling none, or all, positive: only the mix may be unknown."""
    cost = float(condition.expected_cost(table))
    if condition.prevalence is not None:
        return Interval(cost, cost, cost, 0.0, level, "known", "no data are needed to know it")
    all_called = table.fn + table.tn == 0
    of_pos = condition.cost_tp if all_called else condition.cost_fn
    of_neg = condition.cost_fp if all_called else condition.cost_tn
    share = rate_interval(float(table.prevalence) * cases, cases, level=level)
    ends = [of_neg + (of_pos - of_neg) * end for end in (share.lower, share.upper)]
    variance = (of_pos - of_neg) ** 2 * share.variance
    return Interval(cost, min(*ends, cost), max(*ends, cost), variance, level, share.method)


def _without_limits(interval: Interval) -> Interval:
    return replace(interval, **dict.fromkeys(("lower", "upper", "variance"), math.nan), method="none", note=NO_ROWS)


def _calls_of_wider(wider: Contingency, narrower: Contingency) -> Contingency:
    """The cases that the wider table calls positive and the narrower does not."""
    tp, fp = max(wider.tp - narrower.tp, 0), max(wider.fp - narrower.fp, 0)
    return Contingency(tp=tp, fn=wider.fn + narrower.tp, fp=fp, tn=wider.tn + narrower.fp)


class Preference(NamedTuple):
    """Models in order of preference, and the word that asked for it."""

    models: tuple[str, ...] = ()
    word: str = ""


class Pick(NamedTuple):
    """The model taken, those that may be best, why, and the cost out of bag."""

    model: str
    may_be_best: tuple[str, ...]
    why: str
    out_of_bag: float


def parse_prefer(prefer: Any, names: Sequence[str], in_use: str | None) -> Preference:
    """Read `prefer=`: a model's name, names in order, "first", or "current"."""
    if prefer is None:
        return Preference()
    fix = f'give "first", "current" or a model: {", ".join(names)}'
    if isinstance(prefer, str) and prefer not in names:
        if prefer == FIRST:
            return Preference(tuple(names), FIRST)
        if prefer == CURRENT:
            if in_use is None:
                what = "the current model is preferred, and it is not known which model is in use"
                raise ArgumentError(what, f"give {argument('current')}: the model's threshold, or its decision")
            return Preference((in_use,), CURRENT)
    wanted = [prefer] if isinstance(prefer, str) else prefer
    if not isinstance(wanted, Sequence) or not wanted:
        raise ArgumentError(f"{argument('prefer', prefer)} names no model", fix, parameter="prefer")
    for name in wanted:
        if name not in names:
            raise ArgumentError(f"the model {name!r} is preferred, and there is none of that name", fix)
    return Preference(tuple(wanted), ", ".join(wanted))


def pick(
    costs: Mapping[str, float],
    tied: Sequence[str],
    drawn: Resamples,
    *,
    level: float,
    margin: float = 0.0,
    preference: Preference,
) -> Pick:
    """Take the preferred one of the models that may be best, or the cheapest.

    `costs` are those on the data, and `tied` the cheapest models, the first of which is taken where none is preferred.
    """
    allowance = allowances(drawn.at_choice, level)
    contenders = may_be_best(costs, allowance, margin=margin)
    taken = next((name for name in preference.models if name in contenders), tied[0])
    out_of_bag = mean_of(decided_costs(drawn, allowance, margin=margin, preference=preference.models))
    within = f", or cost at most {margin:g} more per case" if margin else ""
    doubt = f"practically equal: at level {level:g} {_either(contenders)} may be the best{within}"
    why = "it is the only model"
    if len(costs) > 1:
        why = _why(taken, tied, doubt if len(contenders) > 1 else "", level, preference)
    return Pick(taken, contenders, why, out_of_bag)


def _either(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"each of {len(names)} models"
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _why(taken: str, tied: Sequence[str], doubt: str, level: float, preference: Preference) -> str:
    unmet = f"; {_either(preference.models)} was preferred, but costs more" if preference.models else ""
    if not doubt:
        what = "" if taken in preference.models else unmet
        return f"it is the cheapest, and at level {level:g} no other model may be the best{what}"
    if taken in preference.models:
        cheapest = "it is the cheapest and preferred" if taken in tied else "it is preferred"
        return f"{cheapest} ({preference.word}) among models that are {doubt}"
    others = [name for name in tied if name != taken]
    same = f", with {', '.join(others)} at the same cost and given later," if others else ""
    return f"it is the cheapest on these rows{same} among models that are {doubt}{unmet}"
