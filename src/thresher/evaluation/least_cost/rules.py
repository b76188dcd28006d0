"""Rules of k classes: models, most probable, constant, and the one in use."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from thresher.errors import ArgumentError
from thresher.evaluation.decision import CONSTANT, MOST_PROBABLE, Decision
from thresher.evaluation.decision_rule import LeastCostRule
from thresher.evaluation.least_cost.model import LeastCostModel, confusion_of
from thresher.evaluation.results import PricedRule
from thresher.evaluation.rules import CURRENT
from thresher.inference import Interval
from thresher.inference.class_rows import ClassifiedRows
from thresher.inference.intervals.class_cost import CaseCosts
from thresher.inputs.labels import same
from thresher.ranking import Indices
from thresher.tables import ConfusionMatrix, CostMatrix

FITTED, UNFITTED = "fitted weights", "nothing fitted"
RESERVED = (MOST_PROBABLE, CONSTANT, CURRENT, FITTED, UNFITTED)


@dataclass(frozen=True, slots=True, repr=False)
class ActionRule(PricedRule):
    """One way to act: a model, "most probable", "constant", or the "current" rule.

    `confusion` counts its actions in the data, and `cost` is its cost per case at the condition: of a model the one on
    rows it was not chosen on. `action` is that of the "constant" rule. `saving` is what the rule decided for saves per
    case against this one, None for itself. Where weights were `fitted`, "nothing fitted" is the Bayes decision of the
    same model; where that is decided for, "fitted weights" are those of rows not fitted on.

    >>> from thresher import evaluate
    >>> matrix = [[.8, .1, .1], [.2, .7, .1], [.1, .1, .8]] * 2
    >>> rules = evaluate([0, 1, 2, 0, 1, 2], matrix, classes=[0, 1, 2]).rules
    >>> list(rules), rules["constant"].cost.estimate
    (['model', 'most probable', 'constant'], 0.666...)
    """

    name: str
    model: str | None
    action: Any
    confusion: ConfusionMatrix
    cost: Interval
    saving: Interval | None
    fitted: bool = False

    def _brief(self) -> str:
        return f"{self.name!r}, cost {self.cost}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data; rows of the matrix are actual classes."""
        return {
            "name": self.name,
            "model": self.model,
            "action": self.action,
            "confusion": self.confusion.to_dict(),
            "cost": self.cost.to_dict(),
            "saving": None if self.saving is None else self.saving.to_dict(),
            "fitted": self.fitted,
        }


class RuleInUse(NamedTuple):
    """The rule in use: its calls on the rows, and its model if it has one."""

    model: str | None
    actions: Indices


def action_in_use(current: Any, rows: ClassifiedRows, raw: ClassifiedRows, costs: CostMatrix) -> RuleInUse | None:
    """The rule in use: a column of calls, or a `Decision` of the same classes."""
    if current is None:
        return None
    if not isinstance(current, Decision):
        if rows.current is None:
            raise TypeError("a column of calls was read")
        return RuleInUse(None, rows.current)
    fix = "give a decision of one of these models and classes, or a column of its calls"
    if current.model not in raw.matrices or not isinstance(current.rule, LeastCostRule):
        what = f"the decision in use is of {current.model!r}, which has no matrix here"
        if current.model in raw.matrices:
            what = "the decision in use is a threshold, and these are matrices of probabilities"
        raise ArgumentError(what, fix, parameter="current")
    if strange := [each for each in current.rule.actions if not any(same(each, known) for known in costs.actions)]:
        what = f"the decision in use takes the action {strange[0]!r}, which has no cost here"
        raise ArgumentError(what, fix, parameter="current")
    order = [next(i for i, each in enumerate(rows.classes) if same(each, name)) for name in current.rule.classes]
    chosen = current.rule.costs.decide(raw.matrices[current.model][:, order], weights=current.rule.weights)
    place = [next(i for i, each in enumerate(costs.actions) if same(each, name)) for name in current.rule.actions]
    return RuleInUse(current.model, np.asarray(place)[chosen])


def require_no_reserved_names(names: Mapping[str, Any]) -> None:
    """Raise `ArgumentError` where a model has the name of a rule in the same table."""
    for name in names:
        if name in RESERVED:
            what = f"a model is called {name!r}, the name of a rule that every model is compared with"
            raise ArgumentError(what, "call it something else")


class Fixed(NamedTuple):
    """A rule that needs no decision: its model or action, and what it costs each case."""

    model: str | None
    action: Any
    costs: CaseCosts


def fixed_actions(costs: Mapping[str, CaseCosts], rows: ClassifiedRows, in_use: RuleInUse | None) -> dict[str, Fixed]:
    """Rules that need no decision: most probable classes, a constant, the one in use."""
    first = next(iter(costs.values()))

    def of(actions: Indices) -> CaseCosts:
        return replace(first, actions=actions, foretold=np.full(actions.size, math.nan))

    share = first.shares()
    best = int((share @ first.costs.costs).argmin())
    rules = {f"{name}: {MOST_PROBABLE}": Fixed(name, None, of(rows.matrices[name].argmax(axis=1))) for name in costs}
    rules[CONSTANT] = Fixed(None, first.costs.actions[best], of(np.full(rows.index.size, best)))
    if in_use is not None:
        rules[CURRENT] = Fixed(in_use.model, None, of(in_use.actions))
    return rules


class PricedActions(NamedTuple):
    """Rules by name, the decision first, the cheapest that needs none, and savings."""

    rules: dict[str, ActionRule]
    baseline: str
    savings: dict[str, Interval]


def price_actions(
    models: Mapping[str, LeastCostModel],
    fixed: Mapping[str, Fixed],
    costs: Mapping[str, Interval],
    *,
    model: str,
    level: float,
    rival: CaseCosts | None,
) -> PricedActions:
    """Price every way to act, and what the `model` decided for saves against each.

    `costs` are those of models on rows they were not chosen on. Where weights were fitted, `rival` is what the rows
    cost by the one of both rules of the model that was not decided for.
    """
    own = {MOST_PROBABLE: fixed[f"{model}: {MOST_PROBABLE}"]}
    baselines = own | {name: each for name, each in fixed.items() if name in RESERVED}
    paid = {name: each.honest_costs for name, each in models.items()}
    more = {name: costs[name].estimate - each.interval(level=level).estimate for name, each in paid.items()}
    others = dict(baselines)
    if rival is not None:
        other = FITTED if models[model].out_of_fold is None else UNFITTED
        others = {other: Fixed(model, None, rival)} | others
        more[other] = more[model]  # it is of the same model, chosen in the same way
    paid |= {name: each.costs for name, each in others.items()}

    def saving(one: str, other: str) -> Interval:
        return _move(paid[other].minus(paid[one], level=level), more.get(other, 0.0) - more.get(one, 0.0))

    rules = {}
    for name in dict.fromkeys((model, *models, *others)):
        saved = None if name == model else saving(model, name)
        if name in models:
            fitted = models[name].out_of_fold is not None
            rules[name] = ActionRule(name, name, None, models[name].confusion, costs[name], saved, fitted)
            continue
        rule = others[name]
        table = confusion_of(models[model].sample, rule.costs)
        cost = rule.costs.interval(level=level)
        cost = _move(cost, more[name]) if name in more else cost
        rules[name] = ActionRule(name, rule.model, rule.action, table, cost, saved, name == FITTED)
    baseline = min(baselines, key=lambda name: rules[name].cost.estimate)
    return PricedActions(rules, baseline, {name: saving(name, baseline) for name in models})


def _move(interval: Interval, by: float) -> Interval:
    """An interval around another estimate, whose limits hold the former ones."""
    estimate = interval.estimate + by
    ends = interval.lower, interval.lower + by, interval.upper, interval.upper + by, estimate
    return replace(interval, estimate=estimate, lower=min(ends), upper=max(ends), apparent=interval.estimate)


def action_words(rule: ActionRule, show: Callable[[str], str] = str) -> str:
    """A rule in a few words."""
    if rule.fitted:
        return f"{show(str(rule.model))}, fitted weights, cross-fitted"
    if rule.name == CONSTANT:
        return f"always {show(str(rule.action))}"
    if rule.name == MOST_PROBABLE:
        return f"{show(str(rule.model))}, most probable class"
    return "the rule in use" if rule.name == CURRENT else f"{show(str(rule.model))}, least expected cost"
