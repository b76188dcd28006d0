"""`evaluate`: from labels and scores to the decision, everything computed once."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher._internal.arguments import is_one_of, require_level
from thresher._internal.optional import lazy_import
from thresher._internal.parallel import parallel_map, threads_for
from thresher._internal.results import Tabular
from thresher._internal.text import visible_lines
from thresher.cautions import Caution
from thresher.choices import JointChoice, Range, choose
from thresher.choices.choose import operating_condition
from thresher.errors import ArgumentError, MissingExtraError
from thresher.evaluation.cautions import on_condition, on_saving, on_winner, remarks
from thresher.evaluation.decision import Decision
from thresher.evaluation.model import ModelEvaluation, model_evaluation, require_prevalence
from thresher.evaluation.quantities import asked_quantities, quantities_of
from thresher.evaluation.rows import evaluated_rows
from thresher.evaluation.rules import (
    CURRENT,
    Pick,
    Priced,
    Rule,
    calls_at_half,
    is_column_of_calls,
    pick,
    preference_of,
    priced_rules,
    require_no_rule_names,
    rule_in_use,
)
from thresher.evaluation.summary import summary_text
from thresher.inference import Comparison, Interval, compare, row_auc_interval
from thresher.inference.bootstrap.draws import require_replicates
from thresher.inference.comparison.difference import require_margin
from thresher.inference.decision import Stability, decision_stability, out_of_bag_interval
from thresher.inference.interval import interval_columns
from thresher.inference.rows import ScoredRows, require_two_clusters
from thresher.sources.columns import Missing
from thresher.tables import OperatingCondition


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(Tabular):
    """Several models on the same rows: how good each is, how they compare, and which to deploy how.

    `evaluation["name"]` is one model's part. `comparison` holds the paired differences in AUC (None for
    one model), `joint` the choice among models, `stability` what resampling does to it, `decision` the
    artefact, `cautions` what a careful analyst would notice. `scored` are the rows behind it all, and `positive`
    and `negative` their two labels as given. `rules` are all ways to act with their costs, the one decided for first;
    `baseline` is the cheapest of "never", "always", "0.5" and "current", and `savings` what every model saves per case
    against it. `may_be_best` names the models that may be the best at the level. `quantities` holds what `measures=`
    asked for, by model and text.
    """

    models: Mapping[str, ModelEvaluation]
    condition: OperatingCondition
    comparison: Comparison | None
    joint: JointChoice
    stability: Stability
    decision: Decision
    cautions: tuple[Caution, ...]
    rows: int
    dropped: int
    level: float
    seed: int
    scored: ScoredRows
    positive: Any
    negative: Any
    rules: Mapping[str, Rule]
    baseline: str
    savings: Mapping[str, Interval]
    may_be_best: tuple[str, ...]
    quantities: Mapping[str, Mapping[str, Interval]] = field(default_factory=dict)

    @property
    def saving(self) -> Interval:
        """What the decision saves per case against the baseline, on rows it was not chosen on."""
        return self.savings[self.decision.model]

    def __getitem__(self, name: str) -> ModelEvaluation:
        if not is_one_of(name, self.models):
            raise ArgumentError(f"there is no model {name!r}", f"pick one of {', '.join(self.models)}")
        return self.models[name]

    def summary(self) -> str:
        """A table of all models, each number with its interval, the decision, and the cautions."""
        return visible_lines(summary_text(self))

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain data."""
        return {
            "rows": self.rows,
            "dropped": self.dropped,
            "level": self.level,
            "seed": self.seed,
            "models": {name: model.to_dict() for name, model in self.models.items()},
            "quantities": {
                name: {text: interval.to_dict() for text, interval in each.items()}
                for name, each in self.quantities.items()
            },
            "comparison": self._differences(),
            "rules": {name: rule.to_dict() for name, rule in self.rules.items()},
            "baseline": self.baseline,
            "savings": {name: saving.to_dict() for name, saving in self.savings.items()},
            "may_be_best": list(self.may_be_best),
            "ranges": [_range(each) for each in self.joint.ranges],
            "stability": {
                "replicates": self.stability.replicates,
                "wins": dict(self.stability.wins),
                "cost_ratio": self.stability.cost_ratio.tolist(),
                "wins_at": {name: shares.tolist() for name, shares in self.stability.wins_at.items()},
            },
            "decision": self.decision.to_dict(),
            "cautions": [{"code": caution.code, "text": caution.text} for caution in self.cautions],
        }

    def _differences(self) -> list[dict[str, Any]]:
        return [] if self.comparison is None else [each.to_dict() for each in self.comparison.differences.values()]

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), indent=2)

    def to_html(self, path: str | PathLike[str], *, title: str | None = None) -> None:
        """Write everything as one self-contained HTML file; needs the extra `report`."""
        lazy_import("report").write_page(self, path, title=title)

    def widget(self) -> Any:
        """The page as a notebook widget whose `threshold` and `condition` are two-way; needs the extra `widget`."""
        return lazy_import("report.widget").widget(self)

    def _repr_html_(self) -> str | None:
        try:
            found: str = lazy_import("report").framed(self)
        except MissingExtraError:  # notebooks then show the text
            return None
        return found

    def __str__(self) -> str:
        return self.summary()

    def _brief(self) -> str:
        names, decision = ", ".join(self.models), self.decision
        return f"{names}; {self.rows:,} rows; use {decision.model} at {decision.threshold:g}"

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns(chain.from_iterable(model.intervals() for model in self.models.values()))


def evaluate(
    labels: Any,
    scores: Any,
    *,
    positive: Any = None,
    condition: OperatingCondition | None = None,
    predictions: Any = None,
    weights: Any = None,
    clusters: Any = None,
    trained_at: float | None = None,
    measures: Sequence[str] = (),
    level: float = 0.95,
    current: Any = None,
    prefer: Any = None,
    margin: float = 0.0,
    replicates: int = 500,
    seed: int = 0,
    missing: Missing = "raise",
) -> Evaluation:
    """Evaluate one or several models on the same rows and decide which to deploy, at which threshold.

    Parameters
    ----------
    labels
        Booleans, 0/1, or any two labels together with `positive`.
    scores
        One column of scores, a mapping of model names to columns, or a frame with a column per model.
    positive
        The positive label; needed unless labels are bool or 0/1.
    condition
        Costs and class ratio at deployment; without it errors cost the same and the class ratio is the data's.
    measures
        Further quantities of every model, such as "partial_auc[fpr<=0.1]", "net_benefit@0.05" or
        "specificity@recall>=0.9", each with its limits under `quantities`.
    predictions
        The models' own predicted labels, one column, a mapping or a frame; they are reported beside, never instead.
    weights
        Sampling weights, one per row.
    clusters
        What rows belong together (patients, users); intervals and resampling respect it.
    trained_at
        The prevalence that scores which are probabilities were made for, where it is not that of the rows. They are
        restated from it, to the declared class mix or that of the rows, before they are read as probabilities.
    level
        Of all intervals.
    current
        The rule in use, priced beside the others: a column of its calls (labels or booleans), {model: threshold},
        a threshold when there is one model, or a `Decision`.
    prefer
        Which of the models that may be best is taken: "first" (as given), "current" (the model in use), a model's name
        or names in order. Without it the cheapest is.
    margin
        Differences in cost per case within this margin are practically none.
    replicates, seed
        Of the resampling behind `stability`.
    missing
        "raise" refuses missing values; "drop" leaves those rows out and counts them.

    Examples
    --------
    >>> labels = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]
    >>> tree = [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13]
    >>> found = evaluate(labels, {"tree": tree}, condition=OperatingCondition(cost_ratio=2))
    >>> found
    Evaluation(tree; 10 rows; use tree at 0.28)
    >>> print(found["tree"].auc)
    0.7500 [0.3040, 0.9537]
    """
    require_level(level)
    require_replicates(replicates, seed, None)
    require_margin(margin)
    require_prevalence(trained_at)
    wanted = asked_quantities(measures)
    asked = operating_condition(condition)
    rows = evaluated_rows(
        labels,
        scores,
        positive=positive,
        predictions=predictions,
        weights=weights,
        clusters=clusters,
        missing=missing,
        current=current if is_column_of_calls(current) else None,
    )
    scored = rows.scored
    require_two_clusters(scored)
    require_no_rule_names(tuple(scored.scores), current=current is not None)
    in_use = rule_in_use(current, rows.current, scored.scores)
    preference = preference_of(prefer, tuple(scored.scores), None if in_use is None else in_use.model)
    rankings = {name: rows.ranking(name) for name in scored.scores}
    # One number for rows and rankings: sums of weights in another order would restate tied scores apart.
    made_at = next(iter(rankings.values())).prevalence if trained_at is None else trained_at
    read = scored if trained_at is None else scored.at_prevalence(None, trained_at=made_at)
    production = None
    if asked.prevalence is not None:
        stated = scored.at_prevalence(asked.prevalence, trained_at=made_at)
        production = replace(stated, estimated_prior=trained_at is None)
    joint = choose(rankings, asked)
    fixed = calls_at_half(scored.scores, rankings) | ({} if in_use is None else {CURRENT: in_use.called})
    stability = decision_stability(
        scored.positive,
        {name: score.astype(np.float64) for name, score in scored.scores.items()},
        rankings,
        asked,
        weights=scored.weight,
        clusters=scored.cluster,
        level=level,
        replicates=replicates,
        seed=seed,
        choices=joint.choices,
        calls=fixed,
    )
    picked = pick(joint, stability, level=level, margin=margin, preference=preference)

    def alone(name: str) -> ModelEvaluation:
        return model_evaluation(
            name,
            rankings[name],
            joint.choices[name],
            rows=scored,
            read=read,
            production=production,
            condition=asked,
            trained_at=made_at,
            auc=_auc_from_rows(scored, name, level),
            honest_cost=stability.honest_cost[name],
            threshold=stability.threshold[name],
            ks_gain=stability.ks_gain[name],
            given=rows.given(name),
            level=level,
        )

    tasks: list[Callable[[], Any]] = [
        partial(_comparison, scored, level),
        *(partial(alone, name) for name in rankings),
        rows.fingerprint,
    ]
    comparison, *each, fingerprint = parallel_map(_done, tasks, threads_for(scored.positive.size))
    models = dict(zip(rankings, each, strict=True))
    winner = picked.model
    costs = {name: model.honest_cost for name, model in models.items()}
    costs[winner] = out_of_bag_interval(
        picked.honest, models[winner].expected_cost, asked, stability.resamples.at_choice[winner]
    )
    priced = priced_rules(
        scored,
        joint.choices,
        costs,
        stability,
        model=winner,
        fixed=fixed,
        in_use=in_use,
        condition=asked,
        level=level,
    )
    found = remarks(rows, rankings, {name: model.auc.estimate for name, model in models.items()})
    evaluation = Evaluation(
        models=models,
        condition=asked,
        comparison=comparison,
        joint=joint,
        stability=stability,
        decision=_decision(
            models,
            joint,
            stability,
            asked,
            trained_at=made_at,
            fingerprint=fingerprint,
            picked=picked,
            priced=priced,
        ),
        cautions=(
            *joint.choices[winner].cautions,
            *(caution for caution in joint.cautions if caution.code == "tied-models"),
            *on_condition(condition),
            *found,
            *on_winner(picked.may_be_best, stability.wins, level),
            *on_saving(priced.rules),
        ),
        rows=scored.positive.size,
        dropped=scored.dropped,
        level=level,
        seed=seed,
        scored=scored,
        positive=rows.positive,
        negative=rows.negative,
        rules=MappingProxyType(priced.rules),
        baseline=priced.baseline,
        savings=MappingProxyType(priced.savings),
        may_be_best=picked.may_be_best,
    )
    return replace(evaluation, quantities=quantities_of(evaluation, wanted, replicates=replicates))


def _range(found: Range) -> dict[str, Any]:
    """One stretch of cost ratios as plain data; JSON has no word for infinity."""
    high = found.high if math.isfinite(found.high) else "inf"
    return {"low": found.low, "high": high, "models": list(found.models), "rule": found.rule}


def _auc_from_rows(rows: ScoredRows, name: str, level: float) -> Interval | None:
    if rows.weight is None and rows.cluster is None:
        return None
    return row_auc_interval(rows.positive, rows.scores[name], weights=rows.weight, clusters=rows.cluster, level=level)


def _comparison(rows: ScoredRows, level: float) -> Comparison | None:
    if len(rows.scores) < 2:
        return None
    return compare(rows.positive, rows.scores, weights=rows.weight, clusters=rows.cluster, level=level)


def _done(task: Callable[[], Any]) -> Any:
    return task()


def _decision(
    models: Mapping[str, ModelEvaluation],
    joint: JointChoice,
    stability: Stability,
    asked: OperatingCondition,
    *,
    trained_at: float,
    fingerprint: str,
    picked: Pick,
    priced: Priced,
) -> Decision:
    from thresher.version import __version__

    winner = models[picked.model]
    choice = joint.choices[picked.model]
    condition = asked.for_data(winner.ranking)
    low, high = joint.stays_cheapest(picked.model)
    runner_up = joint.runner_up if picked.model in joint.tied else joint.model
    # Only the product of cost ratio and class ratio matters, so one range tells the other.
    per_cost = (condition.class_ratio or 1.0) / condition.cost_ratio
    return Decision(
        model=picked.model,
        threshold=choice.threshold,
        equivalent=choice.interval,
        condition=condition,
        data_prevalence=winner.ranking.prevalence,
        trained_at=trained_at,
        expected_cost=winner.expected_cost,
        honest_cost=priced.rules[picked.model].cost,
        threshold_interval=winner.threshold,
        baseline=priced.baseline,
        saving=priced.savings[picked.model],
        why=picked.why,
        may_be_best=picked.may_be_best,
        runner_up=runner_up,
        gap=None if runner_up is None else joint.choices[runner_up].expected_cost - choice.expected_cost,
        threshold_holds_for=choice.holds_for,
        tied=(picked.model, *(name for name in joint.tied if picked.model in joint.tied and name != picked.model)),
        cost_ratios=(low, high),
        class_ratios=(low * per_cost, high * per_cost),
        wins=stability.wins[picked.model],
        calibration=winner.calibration.to_dict(),
        fingerprint=fingerprint,
        version=__version__,
    )
