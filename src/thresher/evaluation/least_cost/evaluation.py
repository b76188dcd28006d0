"""`evaluate` for k classes: from probabilities to actions of least expected cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np

from thresher._internal.arguments import describe, require_one_of
from thresher._internal.results import ReadOnly
from thresher._internal.text import visible_lines
from thresher.choices.least_cost import class_condition, cost_cautions
from thresher.errors import ArgumentError, argument
from thresher.evaluation.cautions import class_cautions, equal_costs, no_better_action, uncertain_winner
from thresher.evaluation.decision import CONSTANT, MOST_PROBABLE, Decision
from thresher.evaluation.decision_rule import BestConstant, LeastCostRule
from thresher.evaluation.least_cost.fitted import FittedWeights, fit_weights_of
from thresher.evaluation.least_cost.model import LeastCostModel, confusion_of
from thresher.evaluation.least_cost.quantities import class_answer, parse_class_quantities
from thresher.evaluation.least_cost.rules import (
    ActionRule,
    PricedActions,
    action_in_use,
    fixed_actions,
    price_actions,
    require_no_reserved_names,
)
from thresher.evaluation.least_cost.sensitivity import CostSensitivity, cost_sensitivity
from thresher.evaluation.least_cost.summary import least_cost_text
from thresher.evaluation.results import Evaluation, fingerprint
from thresher.evaluation.rows import Asked
from thresher.evaluation.rules import Pick, parse_prefer, pick
from thresher.inference import Comparison, Interval
from thresher.inference.class_rows import ClassifiedRows, classified_rows
from thresher.inference.comparison.classes import class_comparison, cost_comparison
from thresher.inference.comparison.comparison import MOST_IN_PAIRS, Pairing
from thresher.inference.decision.out_of_fold import OutOfFoldCost
from thresher.inference.decision.resampled_costs import resample_costs
from thresher.inference.decision.stability import Resamples, out_of_bag_interval, wins_of
from thresher.inference.intervals.class_cost import CaseCosts
from thresher.inputs.labels import listed
from thresher.ranking import Floats, require_mix
from thresher.tables import CostMatrix, OperatingCondition
from thresher.tables.condition import required_costs
from thresher.version import __version__

COMPARED = (
    *("expected_cost", "overall_accuracy", "macro_recall", "macro_f1"),
    *("one_vs_rest_macro", "one_vs_one_macro", "brier", "log_loss"),
)
_TIE = 1e-12


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LeastCostEvaluation(Evaluation[LeastCostModel]):
    """An evaluation of k classes, whose decision is the action of least expected cost.

    Beyond what every `Evaluation` has, `wins` is the share of resamples in which each model is the cheapest, `sample`
    holds the rows behind it all, with the probabilities as they were given, and `costs` are those of the condition, in
    the order of the classes. Rules that need no decision are "most probable", "constant" and "current". `fitted` is
    what `fit="weights"` found out: the cost of fitted weights and of the Bayes decision on rows not fitted on.
    """

    rules: Mapping[str, ActionRule]
    costs: CostMatrix
    wins: Mapping[str, float]
    sample: ClassifiedRows
    fitted: OutOfFoldCost | None = None

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order of the columns of probabilities."""
        return self.sample.classes

    @property
    def weighted(self) -> bool:
        """Whether rows carry sampling weights."""
        return self.sample.weight is not None

    @property
    def clusters(self) -> int | None:
        """How many clusters the rows belong to, if they were given."""
        return None if self.sample.cluster is None else self.sample.clusters

    @cached_property
    def comparisons(self) -> Mapping[str, Comparison]:
        """The paired differences of models: `comparisons["expected_cost"]["a", "b"]`."""
        if len(self.models) == 1:
            return ReadOnly({})
        against = self.against
        if against is None and len(self.models) > MOST_IN_PAIRS:
            against = self.decision.model
        first = next(iter(self.models.values()))
        rows = replace(first.sample, matrices={name: each.sample.matrices[name] for name, each in self.models.items()})
        of_rows = {name: each.influence for name, each in self.models.items()}
        asked: dict[str, Any] = {"against": against, "level": self.level, "margin": 0.0}
        costs = {name: each.honest_costs for name, each in self.models.items()}
        every = {"expected_cost": cost_comparison(rows, costs, **asked)}
        for measure in COMPARED[1:]:
            if measure in first.influence and all(measure in each for each in of_rows.values()):
                every[measure] = class_comparison(rows, of_rows, measure, **asked)
        return ReadOnly(every)

    @cached_property
    def sensitivity(self) -> CostSensitivity:
        """What halving or doubling each cost does to the choice, nothing fitted."""
        return cost_sensitivity(self.sample, self.condition, self.decision.model)

    def summary(self) -> str:
        """The decision, the rules, the models with their intervals, and the cautions."""
        return visible_lines(least_cost_text(self))

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain data; lists are in the order of the classes."""
        return super().to_dict() | {
            "classes": list(self.classes),
            "weighted": self.weighted,
            "clusters": self.clusters,
            "wins": dict(self.wins),
            "comparisons": {
                measure: [one.to_dict() for one in comparison.differences.values()]
                for measure, comparison in self.comparisons.items()
            },
            "sensitivity": self.sensitivity.to_dict(),
            "fitted": None if self.fitted is None else self.fitted.to_dict(),
        }

    def _brief(self) -> str:
        names = ", ".join(self.models) if len(self.models) <= MOST_IN_PAIRS else f"{len(self.models):,} models"
        use = f"use {self.decision.model}, least expected cost of {listed(self.costs.actions)}"
        return f"{names}; {self.rows:,} rows; {use}"


def evaluate_vectors(
    labels: Any,
    probabilities: Any,
    asked: Asked,
    *,
    classes: Sequence[Any],
    other: Any,
    fit: Literal["weights"] | None,
) -> LeastCostEvaluation:
    """Evaluate probabilities of k classes, and decide for a model."""
    wanted = parse_class_quantities(asked.measures)
    current, level, margin, seed = asked.current, asked.level, asked.margin, asked.seed
    if fit is not None:
        require_one_of(fit, ("weights",), name="fit", fix='give "weights", or leave it out and nothing is fitted')
    raw = classified_rows(
        labels,
        probabilities,
        classes=classes,
        other=other,
        predictions=asked.predictions,
        current=None if isinstance(current, Decision) else current,
        actions=None if (priced := getattr(asked.condition, "costs", None)) is None else priced.actions,
        weights=asked.weights,
        clusters=asked.clusters,
        missing=asked.missing,
    )
    raw.require_two_clusters()
    require_no_reserved_names(raw.matrices)
    Pairing.of(asked.against, tuple(raw.matrices), "lower")  # refuses what is no model
    condition = class_condition(raw.class_mix, asked.condition)
    costs, made_at = required_costs(condition.for_data(raw.class_mix)), _trained_at(asked.trained_at, raw)
    restated = _restating(raw, made_at)
    rule_weights = condition.class_weights(raw.class_mix) * restated
    rows = _restate(raw, made_at)
    paid = {
        name: CaseCosts.of_rows(rows, name, condition, costs.decide(raw.matrices[name], weights=rule_weights))
        for name in raw.matrices
    }
    in_use = action_in_use(current, rows, raw, costs)
    preference = parse_prefer(asked.prefer, tuple(paid), None if in_use is None else in_use.model)
    fixed = fixed_actions(paid, rows, in_use)
    of_fixed = {name: each.costs for name, each in fixed.items()}
    drawn = resample_costs(paid, of_fixed, replicates=asked.replicates, seed=seed)
    models = _models(raw, rows, paid, rule_weights, level=level)
    on_data = {name: each.expected_cost.estimate for name, each in models.items()}
    tied = _cheapest(on_data)
    picked = pick(on_data, tied, drawn, level=level, margin=margin, preference=preference)
    fitted = None
    if fit is not None:
        fitted = fit_weights_of(rows, picked.model, condition, level=level, margin=margin, seed=seed)
        if fitted.taken:
            models |= {picked.model: _refit(models[picked.model], fitted, restated)}
            tied = _cheapest({name: each.honest_costs.mean for name, each in models.items()})
    winner = models[picked.model]
    honest = {name: each.out_of_bag_cost for name, each in models.items()}
    honest[picked.model] = _chosen_cost(picked, winner, paid[picked.model], drawn)
    rival = None
    if fitted is not None:
        rival = paid[picked.model] if fitted.taken else fitted.out_of_fold.costs
    priced = price_actions(models, fixed, honest, model=picked.model, level=level, rival=rival)
    rule = LeastCostRule(
        costs,
        winner.weights,
        trained_at=dict(zip(rows.classes, made_at.tolist(), strict=True)),
        used_at=dict(zip(rows.classes, winner.costs.shares().tolist(), strict=True)),
    )
    if fitted is not None and fitted.taken:
        picked = picked._replace(why=f"{picked.why}; fitted weights are surely cheaper on rows they were not fitted on")
    decision = _decide(raw, condition, rule, priced, picked, models=models, tied=tied, wins=wins_of(drawn.inside))
    evaluation = LeastCostEvaluation(
        models=models,
        condition=condition,
        costs=costs,
        decision=decision,
        rules=priced.rules,
        baseline=priced.baseline,
        savings=priced.savings,
        may_be_best=picked.may_be_best,
        wins=wins_of(drawn.inside),
        cautions=(
            *equal_costs(asked.condition),
            *cost_cautions(condition, costs),
            *winner.costs.cautions(level=level),
            *class_cautions(raw, models, costs),
            *uncertain_winner(picked.may_be_best, wins_of(drawn.inside), level),
            *no_better_action(priced.rules, decision.best_constant),
        ),
        rows=rows.index.size,
        dropped=rows.dropped,
        level=level,
        seed=seed,
        sample=raw,
        against=asked.against,
        fitted=None if fitted is None else fitted.out_of_fold,
    )
    quantities = {
        name: {text: class_answer(evaluation, name, one) for text, one in wanted.items()}
        for name in (models if wanted else ())
    }
    return replace(evaluation, quantities=quantities)


def _trained_at(trained_at: Any, rows: ClassifiedRows) -> Floats:
    """The class mix that probabilities were made for, by default that of the rows."""
    if trained_at is None:
        return rows.class_mix.mix
    if not isinstance(trained_at, Mapping):
        what = f"{argument('trained_at')} of k classes is a share for each by its name, got {describe(trained_at)}"
        raise ArgumentError(what, f"give {{{rows.classes[0]!r}: 0.2, ...}}, summing to 1", parameter="trained_at")
    shares = require_mix(trained_at, rows.classes)
    if not shares.all():
        absent = rows.classes[int(shares.argmin())]
        what = f"{argument('trained_at')} gives class {absent!r} no share, and rows are of it"
        raise ArgumentError(what, "give every class a share above 0", parameter="trained_at")
    return shares


def _restating(rows: ClassifiedRows, made_at: Floats) -> Floats:
    """What brings the mix that probabilities were made for to that of the rows."""
    return np.divide(rows.class_mix.mix, made_at, out=np.ones(made_at.size), where=made_at > 0)


def _restate(rows: ClassifiedRows, made_at: Floats) -> ClassifiedRows:
    """The rows with their probabilities as they are at the class mix of the rows."""
    factor = _restating(rows, made_at)
    if np.allclose(factor, 1, rtol=1e-12, atol=0):
        return rows
    restated = {}
    for name, matrix in rows.matrices.items():
        likelihood = matrix * factor
        restated[name] = likelihood / likelihood.sum(axis=1, keepdims=True)
    return replace(rows, matrices=restated)


def _models(
    raw: ClassifiedRows,
    rows: ClassifiedRows,
    paid: Mapping[str, CaseCosts],
    weights: Floats,
    *,
    level: float,
) -> dict[str, LeastCostModel]:
    """Each model's part, whose numbers are computed when they are asked for."""
    models = {}
    for name, costs in paid.items():
        sample = replace(
            rows, matrices={name: rows.matrices[name]}, calls={name: costs.actions}, predicted=frozenset(), current=None
        )
        predictions = None
        if name in raw.predicted:
            predictions = confusion_of(raw, replace(costs, actions=raw.calls[name]))
        models[name] = LeastCostModel(
            name=name,
            sample=sample,
            costs=costs,
            weights=tuple(weights.tolist()),
            out_of_bag_cost=replace(costs.interval(level=level), method="moments, nothing fitted"),
            predictions=predictions,
            level=level,
        )
    return models


def _refit(model: LeastCostModel, fitted: FittedWeights, restated: Floats) -> LeastCostModel:
    """The same model, with fitted weights in place of the Bayes decision."""
    calls = {model.name: fitted.paid.actions}
    folds = len(fitted.out_of_fold.weights)
    return replace(
        model,
        sample=replace(model.sample, calls=calls),
        costs=fitted.paid,
        weights=tuple((fitted.weights * restated).tolist()),
        out_of_bag_cost=replace(fitted.out_of_fold.fitted, method=f"cross-fitted, {folds} folds"),
        out_of_fold=fitted.out_of_fold.costs,
    )


def _cheapest(costs: Mapping[str, float]) -> tuple[str, ...]:
    least = min(costs.values())
    return tuple(name for name, cost in costs.items() if cost <= least + _TIE * abs(least))


def _chosen_cost(picked: Pick, winner: LeastCostModel, unfitted: CaseCosts, drawn: Resamples) -> Interval:
    """The cost of choosing a model as this one was chosen, on rows not chosen on.

    Of a single model it is the cost itself, of fitted weights on rows not fitted on. Of several, the rows left out by
    resamples tell what choosing costs: the mean there of the models chosen, above that of the winner.
    """
    if len(drawn.inside) == 1:
        return winner.out_of_bag_cost
    outside = drawn.outside[picked.model]
    more = picked.out_of_bag - float(outside[~np.isnan(outside)].mean()) if (~np.isnan(outside)).any() else math.nan
    own = winner.out_of_bag_cost
    least = float(winner.costs.costs.costs.min())
    at_choice = drawn.at_choice[picked.model] + (own.estimate - unfitted.interval(level=winner.level).estimate)
    return out_of_bag_interval(own.estimate + more, own, least, at_choice)


def _decide(
    rows: ClassifiedRows,
    condition: OperatingCondition,
    rule: LeastCostRule,
    priced: PricedActions,
    picked: Pick,
    *,
    models: Mapping[str, LeastCostModel],
    tied: tuple[str, ...],
    wins: Mapping[str, float],
) -> Decision:
    """The decision for one model; where another is cheaper, that one is the runner-up."""
    model, cheapest = picked.model, picked.model in tied
    on_data = {name: each.honest_costs.mean for name, each in models.items()}
    others = {name: cost for name, cost in on_data.items() if name != model and name not in tied}
    runner_up = min(others, key=lambda name: others[name], default=None) if cheapest else tied[0]
    constant = priced.rules[CONSTANT]
    labels, weights = rows.index.astype("<i8").tobytes(), () if rows.weight is None else (rows.weight,)
    return Decision(
        model=model,
        rule=rule,
        condition=condition.for_data(rows.class_mix),
        expected_cost=models[model].expected_cost,
        out_of_bag_cost=priced.rules[model].cost,
        baseline=priced.baseline,
        saving=priced.savings[model],
        why=picked.why,
        may_be_best=picked.may_be_best,
        runner_up=runner_up,
        gap=None if runner_up is None else on_data[runner_up] - on_data[model],
        tied=(model, *(name for name in tied if cheapest and name != model)),
        wins=wins[model],
        fingerprint=fingerprint(repr(rows.classes), labels, *chain.from_iterable(rows.matrices.items()), *weights),
        version=__version__,
        foretold_cost=models[model].foretold_cost,
        most_probable_cost=priced.rules[MOST_PROBABLE].cost,
        best_constant=BestConstant(constant.action, constant.cost),
    )
