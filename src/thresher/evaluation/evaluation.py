"""`evaluate`: from labels and scores to the decision, everything computed once."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any

import numpy as np

from thresher.cautions import Caution
from thresher.choices import JointChoice, OperatingCondition, Range, joint_choice
from thresher.errors import ArgumentError, MissingExtraError
from thresher.evaluation.decision import Decision
from thresher.evaluation.model import ModelEvaluation, model_evaluation, require_prevalence
from thresher.evaluation.remarks import on_condition, remarks
from thresher.evaluation.rows import evaluated_rows
from thresher.evaluation.summary import summary_text
from thresher.extras import room
from thresher.inference import Comparison, Interval, compare, row_auc_interval
from thresher.inference.difference import require_rope
from thresher.inference.interval import require_level
from thresher.inference.kinds import is_one_of
from thresher.inference.resampling import require_replicates
from thresher.inference.scored_rows import ScoredRows, require_two_clusters
from thresher.inference.stability import Stability, decision_stability
from thresher.ranking import side_by_side
from thresher.sources.columns import Missing
from thresher.visible import visible, visible_lines

_WHERE = "evaluate(labels, scores)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation:
    """Several models on the same rows: how good each is, how they compare, and which to deploy how.

    `evaluation["name"]` is one model's part. `comparison` holds the paired differences in AUC (None for
    one model), `joint` the choice among models, `stability` what resampling does to it, `decision` the
    artefact, `cautions` what a careful analyst would notice. `scored` are the rows behind it all, and `positive`
    and `negative` their two labels as given.
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

    def __getitem__(self, name: str) -> ModelEvaluation:
        if not is_one_of(name, self.models):
            raise ArgumentError(
                f"there is no model {name!r}", "Evaluation[name]", f"pick one of {', '.join(self.models)}"
            )
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
            "comparison": self._differences(),
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
        room("report").write_page(self, path, title=title)

    def widget(self) -> Any:
        """The page as a notebook widget whose `threshold` and `condition` are two-way; needs the extra `widget`."""
        return room("report.widget").widget(self)

    def _repr_html_(self) -> str | None:
        try:
            found: str = room("report").framed(self)
        except MissingExtraError:  # notebooks then show the text
            return None
        return found

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        names, decision = ", ".join(self.models), self.decision
        return visible(f"Evaluation({names}; {self.rows:,} rows; use {decision.model} at {decision.threshold:g})")


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
    level: float = 0.95,
    rope: float = 0.0,
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
        One column of scores, or a mapping of model names to columns.
    positive
        The positive label; needed unless labels are bool or 0/1.
    condition
        Costs and class ratio at deployment; without it errors cost the same and the class ratio is the data's.
    predictions
        The models' own predicted labels, one column or a mapping; they are reported beside, never instead.
    weights
        Sampling weights, one per row.
    clusters
        What rows belong together (patients, users); intervals and resampling respect it.
    trained_at
        The prevalence that scores which are probabilities were made for, where it is not that of the rows. With a
        class mix declared, they are restated from it before they are read as probabilities.
    level
        Of all intervals.
    rope
        Differences in AUC within this margin are practically none.
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
    require_level(level, _WHERE)
    require_replicates(replicates, seed, None, _WHERE)
    require_rope(rope, _WHERE)
    require_prevalence(trained_at, "evaluate(trained_at=...)")
    asked = condition if condition is not None else OperatingCondition()
    rows = evaluated_rows(
        labels,
        scores,
        positive=positive,
        predictions=predictions,
        weights=weights,
        clusters=clusters,
        missing=missing,
    )
    scored = rows.scored
    require_two_clusters(scored, _WHERE)
    rankings = {name: rows.ranking(name) for name in scored.scores}
    production = None
    if asked.prevalence is not None:
        production = scored.at_prevalence(asked.prevalence, trained_at=trained_at)
    joint = joint_choice(rankings, asked)
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
    )

    def alone(name: str) -> ModelEvaluation:
        return model_evaluation(
            name,
            rankings[name],
            joint.choices[name],
            rows=scored,
            production=production,
            condition=asked,
            trained_at=trained_at,
            auc=_auc_from_rows(scored, name, level),
            honest_cost=stability.honest_cost[name],
            threshold=stability.threshold[name],
            ks_gain=stability.ks_gain[name],
            given=rows.given(name),
            level=level,
        )

    tasks: list[Callable[[], Any]] = [
        partial(_comparison, scored, level, rope),
        *(partial(alone, name) for name in rankings),
        rows.fingerprint,
    ]
    comparison, *each, fingerprint = side_by_side(_done, tasks, scored.positive.size)
    models = dict(zip(rankings, each, strict=True))
    found = remarks(rows, rankings, {name: model.auc.estimate for name, model in models.items()}, stability)
    return Evaluation(
        models=models,
        condition=asked,
        comparison=comparison,
        joint=joint,
        stability=stability,
        decision=_decision(models, joint, stability, asked, trained_at=trained_at, fingerprint=fingerprint),
        cautions=(*joint.cautions, *on_condition(condition), *found),
        rows=scored.positive.size,
        dropped=scored.dropped,
        level=level,
        seed=seed,
        scored=scored,
        positive=rows.positive,
        negative=rows.negative,
    )


def _range(found: Range) -> dict[str, Any]:
    """One stretch of cost ratios as plain data; JSON has no word for infinity."""
    high = found.high if math.isfinite(found.high) else "inf"
    return {"low": found.low, "high": high, "models": list(found.models), "rule": found.rule}


def _auc_from_rows(rows: ScoredRows, name: str, level: float) -> Interval | None:
    if rows.weight is None and rows.cluster is None:
        return None
    return row_auc_interval(rows.positive, rows.scores[name], weights=rows.weight, clusters=rows.cluster, level=level)


def _comparison(rows: ScoredRows, level: float, rope: float) -> Comparison | None:
    if len(rows.scores) < 2:
        return None
    return compare(rows.positive, rows.scores, weights=rows.weight, clusters=rows.cluster, level=level, rope=rope)


def _done(task: Callable[[], Any]) -> Any:
    return task()


def _decision(
    models: Mapping[str, ModelEvaluation],
    joint: JointChoice,
    stability: Stability,
    asked: OperatingCondition,
    *,
    trained_at: float | None,
    fingerprint: str,
) -> Decision:
    from thresher.version import __version__

    winner = models[joint.model]
    condition = asked.for_data(winner.ranking)
    low, high = joint.holds_for
    # Only the product of cost ratio and class ratio matters, so one range tells the other.
    per_cost = (condition.class_ratio or 1.0) / condition.cost_ratio
    return Decision(
        model=joint.model,
        threshold=joint.threshold,
        equivalent=joint.choice.interval,
        condition=condition,
        data_prevalence=winner.ranking.prevalence,
        trained_at=winner.ranking.prevalence if trained_at is None else trained_at,
        expected_cost=winner.expected_cost,
        honest_cost=winner.honest_cost,
        threshold_interval=winner.threshold,
        runner_up=joint.runner_up,
        gap=joint.gap,
        threshold_holds_for=joint.choice.holds_for,
        cost_ratios=(low, high),
        class_ratios=(low * per_cost, high * per_cost),
        wins=stability.wins[joint.model],
        firm_for=stability.firm_for(joint.model, winner.expected_cost.level),
        calibration=winner.calibration.to_dict(),
        fingerprint=fingerprint,
        version=__version__,
    )
