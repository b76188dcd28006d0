"""Evaluation of a table too large to hold, from counts and sums that its engine makes."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType
from typing import Any

from thresher._internal.results import Tabular
from thresher._internal.text import visible_lines
from thresher.calibration import brier_bounds, calibration_map, log_loss_bounds
from thresher.cautions import Caution
from thresher.choices import Choice, JointChoice, best_cost_bounds, joint_choice
from thresher.curves import Bounds, auc_bounds, average_precision_bounds, ks_bounds, pr_area_bounds
from thresher.errors import ArgumentError
from thresher.evaluation.cautions import on_class_ratio, on_condition, on_few, on_saving
from thresher.evaluation.decision import Decision
from thresher.evaluation.model import are_probabilities, at_prevalence, require_prevalence
from thresher.evaluation.rules import Priced, Rule, counted_rules
from thresher.evaluation.summary import rules_text, short, text_table
from thresher.inference import Comparison, Interval, auc_interval, interval, intervals
from thresher.inference.comparison.difference import require_margin
from thresher.inference.comparison.engine import auc_comparison, empty_comparison, scanned_auc_intervals
from thresher.inference.interval import interval_columns, require_level
from thresher.inference.intervals.table import SampledTable, Table
from thresher.inference.kinds import is_one_of, require_condition
from thresher.ranking import Ranking
from thresher.sources.columns import Missing
from thresher.sources.filters import Filter
from thresher.sources.paired import PlacementSums, call_weights, placement_sums
from thresher.sources.paired_rows import opened_pairs
from thresher.sources.progress import Listener
from thresher.sources.scan import scan_models
from thresher.sources.scan_options import Options, require_models
from thresher.sources.table_names import TableName
from thresher.sources.tally import Wanted
from thresher.tables import OperatingCondition


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScannedModel(Tabular):
    """One model of a scanned table: intervals as of any sample, and bounds where ranges of scores were counted.

    `bounds` holds auc, average_precision, pr_area, ks and expected_cost (of the best threshold), and for probabilities
    brier and log_loss; equal bounds are the exact number. `measures` are those of `choice.table`.

    >>> import ibis, pyarrow
    >>> from thresher import evaluate_scan
    >>> mails = ibis.memtable(pyarrow.table({"spam": [1, 1, 0, 1, 0, 0], "tree": [.9, .8, .6, .55, .3, .2]}))
    >>> evaluate_scan(mails, label="spam", scores=["tree"])["tree"]
    ScannedModel('tree', AUC 0.8889 [0.2259, 0.9955], expected cost 0.1667 [0.0301, 0.7233])
    """

    name: str
    ranking: Ranking
    auc: Interval
    choice: Choice
    measures: Mapping[str, Interval]
    expected_cost: Interval
    bounds: Mapping[str, Bounds]

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data; infinite ones are None."""
        table = self.choice.table
        return {
            "auc": self.auc.to_dict(),
            "threshold": _plain(self.choice.threshold),
            "table": {cell: getattr(table, cell) for cell in ("tp", "fn", "fp", "tn")},
            "measures": {name: interval.to_dict() for name, interval in self.measures.items()},
            "expected_cost": self.expected_cost.to_dict(),
            "bounds": {name: [_plain(end) for end in (each.lower, each.upper)] for name, each in self.bounds.items()},
        }

    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every number with its name."""
        every = {"auc": self.auc, "expected_cost": self.expected_cost, **self.measures}
        return [({"model": self.name, "quantity": name}, interval) for name, interval in every.items()]

    def _brief(self) -> str:
        return f"{self.name!r}, AUC {self.auc}, expected cost {self.expected_cost}"

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns(self.intervals())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScannedEvaluation(Tabular):
    """Several models on the rows of a table: how good each is, how their AUCs differ, and which to deploy how.

    What only rows can tell (the cost on rows the threshold was not chosen on, where it falls in resamples, how often
    the winner wins) is not there, and the decision's intervals of these have no limits. `rules` prices never, always
    and, where scores were counted one by one, 0.5 beside the models, on the rows the thresholds were chosen on.

    >>> import ibis, pyarrow
    >>> from thresher import evaluate_scan
    >>> mails = ibis.memtable(pyarrow.table({"spam": [1, 1, 0, 1, 0, 0], "tree": [.9, .8, .6, .55, .3, .2]}))
    >>> evaluate_scan(mails, label="spam", scores=["tree"]).decision.wins is None
    True
    """

    models: Mapping[str, ScannedModel]
    condition: OperatingCondition
    comparison: Comparison | None
    joint: JointChoice
    decision: Decision
    cautions: tuple[Caution, ...]
    dropped: int
    level: float
    rules: Mapping[str, Rule]
    baseline: str

    @property
    def saving(self) -> Interval:
        """What the decision saves per case against the baseline, on the rows it was chosen on."""
        return self.decision.saving

    def __getitem__(self, name: str) -> ScannedModel:
        if not is_one_of(name, self.models):
            known = ", ".join(self.models)
            raise ArgumentError(f"there is no model {name!r}", f"pick one of {known}")
        return self.models[name]

    def summary(self) -> str:
        """A table of all models, the decision, how the models differ, and the cautions."""
        ranking = self[self.decision.model].ranking
        dropped = f"; {self.dropped:,} dropped for missing values" if self.dropped else ""
        cases = f"{ranking.Pos:,.10g} positive, {ranking.Neg:,.10g} negative{dropped}. {self.condition}"
        parts = [f"{cases}\nIntervals at level {self.level:g}; bounds are certain."]
        lines = [["", "AUC", "AUC within", "expected cost", "threshold"]]
        for name, model in self.models.items():
            cost, threshold = short(model.expected_cost), f"{model.choice.threshold:.4g}"
            lines.append([name, short(model.auc), bounds_text(model.bounds["auc"]), cost, threshold])
        parts += [
            text_table(lines),
            rules_text(self.rules, self.condition),
            str(self[self.decision.model].choice.table),
        ]
        if self.comparison is not None:
            parts.append(f"Differences in AUC, paired:\n{self.comparison}")
        parts.append(f"Decision\n{self.decision}")
        parts.append("\n".join(["Mind", *(f"  {caution}" for caution in self.cautions)]))
        return visible_lines("\n\n".join(parts))

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain data."""
        differences = () if self.comparison is None else self.comparison.differences.values()
        return {
            "dropped": self.dropped,
            "level": self.level,
            "models": {name: model.to_dict() for name, model in self.models.items()},
            "rules": {name: rule.to_dict() for name, rule in self.rules.items()},
            "baseline": self.baseline,
            "comparison": [each.to_dict() for each in differences],
            "decision": self.decision.to_dict(),
            "cautions": [{"code": caution.code, "text": caution.text} for caution in self.cautions],
        }

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), indent=2)

    def __str__(self) -> str:
        return self.summary()

    def _brief(self) -> str:
        return f"{', '.join(self.models)}; use {self.decision.model} at {self.decision.threshold:g}"

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns(chain.from_iterable(model.intervals() for model in self.models.values()))


def bounds_text(bounds: Bounds) -> str:
    """Bounds in a table: both ends with as many digits as tell them apart.

    >>> bounds_text(Bounds(0.71, 0.71)), bounds_text(Bounds(0.700001, 0.700021))
    ('0.71 exactly', '0.700001 to 0.700021')
    """
    if not bounds.width:
        return f"{bounds.lower:.6g} exactly"
    digits = min(15, max(3, 2 - math.floor(math.log10(bounds.width)))) if math.isfinite(bounds.width) else 3
    return f"{bounds.lower:.{digits - 1}f} to {bounds.upper:.{digits - 1}f}"


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


_NO_ROWS = "needs rows, and only counts left the table"


def evaluate_scan(
    source: Any,
    *,
    label: str,
    scores: Sequence[str],
    table: TableName | None = None,
    positive: Any = None,
    weight: str | None = None,
    where: Filter | None = None,
    condition: OperatingCondition | None = None,
    trained_at: float | None = None,
    paired: bool = True,
    exact: bool | None = None,
    level: float = 0.95,
    margin: float = 0.0,
    missing: Missing = "raise",
    progress: Listener | None = None,
) -> ScannedEvaluation:
    """Evaluate models whose scores are columns of a table, without moving its rows, and decide for one.

    Two passes count ranges of scores, the second only near the best split under the condition, until it is certain;
    sources and filters are those of `scan`, and `exact=True` reads the ranges instead. Several models, or weights, take
    sums of placements inside the engine (see `compare_scan`), whose mid-ranks sort the rows; `paired=False` leaves that
    out, and with it the comparison. Weights are sampling weights. With a class mix declared by the condition, measures
    and bounds are stated at it, and probabilities restated for it from `trained_at` (that of the rows unless told).
    Models that cost at most `margin` more per case than the cheapest are practically equal.

    >>> mails = {"spam": [1, 1, 0, 1, 0, 0], "tree": [.9, .8, .6, .55, .3, .2]}
    >>> import ibis, pyarrow
    >>> found = evaluate_scan(ibis.memtable(pyarrow.table(mails)), label="spam", scores=["tree"])
    >>> found, found["tree"].bounds["auc"]
    (ScannedEvaluation(tree; use tree at 0.7), Bounds(lower=0.888..., upper=0.888...))
    """
    require_level(level)
    require_margin(margin)
    require_prevalence(trained_at)
    if weight is not None and not paired:
        raise ArgumentError("what weights do to intervals is told by a paired pass", "leave paired=False out")
    asked = condition if condition is not None else OperatingCondition()
    require_condition(asked)
    wanted = Wanted(label, require_models(scores), weight)
    how: dict[str, Any] = {"exact": exact, "refine": asked, "progress": progress}
    if len(wanted.scores) == 1 and weight is None:
        given: dict[str, Any] = {"table": table, "positive": positive, "where": where, "missing": missing}
        rankings = scan_models(source, label=label, scores=wanted.scores, **given, **how)
        found = _evaluation(rankings, asked, trained_at, level, margin=margin)
        return replace(found, cautions=(*on_condition(condition), *found.cautions))
    asking: dict[str, Any] = {"listener": progress}
    with opened_pairs(source, wanted, table=table, where_=where, positive=positive, missing=missing, **asking) as rows:
        rankings = rows.rankings(wanted.scores, Options(**how))
        joint = joint_choice(rankings, asked)
        sums = placement_sums(rows, len(wanted.scores), **asking) if paired else None
        at = {name: choice.threshold for name, choice in joint.choices.items()}
        cells = None if weight is None else call_weights(rows, at, **asking)
    found = _evaluation(rankings, asked, trained_at, level, margin=margin, dropped=rows.dropped, sums=sums, cells=cells)
    found = replace(found, cautions=(*on_condition(condition), *found.cautions))
    if sums is None or len(rankings) == 1:
        return found
    empty = empty_comparison(wanted.scores, level=level, margin=0.0, dropped=rows.dropped)
    return replace(found, comparison=auc_comparison(sums, empty))


def _evaluation(
    rankings: Mapping[str, Ranking],
    asked: OperatingCondition,
    trained_at: float | None,
    level: float,
    *,
    margin: float,
    dropped: int | None = None,
    sums: PlacementSums | None = None,
    cells: Mapping[str, tuple[Any, Any]] | None = None,
) -> ScannedEvaluation:
    """The evaluation without a comparison; `sums` and `cells` where an engine told more than rankings do."""
    joint = joint_choice(rankings, asked)
    method = "delong" if cells is None else "delong, weighted"
    aucs = None if sums is None else scanned_auc_intervals(sums, level=level, method=method)
    models = {}
    for i, (name, ranking) in enumerate(rankings.items()):
        table: Table = joint.choices[name].table if cells is None else SampledTable(*cells[name], None)
        models[name] = ScannedModel(
            name=name,
            ranking=ranking,
            auc=auc_interval(ranking, level=level) if aucs is None else aucs[i],
            choice=joint.choices[name],
            measures=intervals(table, class_ratio=asked.class_ratio, level=level),
            expected_cost=interval(table, asked, level=level),
            bounds=_bounds(ranking, asked, trained_at),
        )
    costs = {name: model.expected_cost for name, model in models.items()}
    priced = counted_rules(joint.choices, costs, model=joint.model, condition=asked)
    near = tuple(
        name for name, cost in costs.items() if cost.estimate <= joint.expected_cost + margin or name in joint.tied
    )
    return ScannedEvaluation(
        models=models,
        condition=asked,
        comparison=None,
        joint=joint,
        decision=_decision(models, joint, asked, trained_at, priced=priced, near=near),
        cautions=(*joint.cautions, *_remarks(models), *on_saving(priced.rules)),
        dropped=max(ranking.dropped for ranking in rankings.values()) if dropped is None else dropped,
        level=level,
        rules=MappingProxyType(priced.rules),
        baseline=priced.baseline,
    )


def _bounds(ranking: Ranking, condition: OperatingCondition, trained_at: float | None) -> dict[str, Bounds]:
    at_mix = ranking if condition.class_ratio is None else ranking.at_class_ratio(condition.class_ratio)
    found = {
        "auc": auc_bounds(ranking),
        "average_precision": average_precision_bounds(at_mix),
        "pr_area": pr_area_bounds(at_mix),
        "ks": ks_bounds(ranking),
        "expected_cost": best_cost_bounds(ranking, condition=condition),
    }
    if not are_probabilities(ranking):
        return found
    restated = ranking
    if condition.prevalence is not None or trained_at is not None:
        restated = at_prevalence(ranking, condition.prevalence, trained_at)
    return found | {"brier": brier_bounds(restated), "log_loss": log_loss_bounds(restated)}


def _decision(
    models: Mapping[str, ScannedModel],
    joint: JointChoice,
    asked: OperatingCondition,
    trained_at: float | None,
    *,
    priced: Priced,
    near: tuple[str, ...],
) -> Decision:
    from thresher.version import __version__

    model = models[joint.model]
    level = model.expected_cost.level
    condition = asked.for_data(model.ranking)
    low, high = joint.holds_for
    per_cost = (condition.class_ratio or 1.0) / condition.cost_ratio
    nan = math.nan
    return Decision(
        model=joint.model,
        threshold=joint.threshold,
        equivalent=joint.choice.interval,
        condition=condition,
        data_prevalence=model.ranking.prevalence,
        trained_at=model.ranking.prevalence if trained_at is None else trained_at,
        expected_cost=model.expected_cost,
        out_of_bag_cost=Interval(nan, nan, nan, nan, level, "none", _NO_ROWS),
        threshold_interval=Interval(joint.threshold, nan, nan, nan, level, "none", _NO_ROWS),
        baseline=priced.baseline,
        saving=priced.savings[joint.model],
        why=_why(near) if len(models) > 1 else "it is the only model",
        may_be_best=near,
        runner_up=joint.runner_up,
        gap=joint.gap,
        threshold_holds_for=joint.choice.holds_for,
        tied=joint.tied,
        cost_ratios=(low, high),
        class_ratios=(low * per_cost, high * per_cost),
        wins=None,
        calibration=calibration_map(model.ranking, method="isotonic").to_dict(),
        fingerprint=_fingerprint(models),
        version=__version__,
    )


def _why(near: tuple[str, ...]) -> str:
    equal = f"; {', '.join(near)} cost the same within the margin" if len(near) > 1 else ""
    return f"it is the cheapest on these rows{equal}; how sure that is {_NO_ROWS}"


def _fingerprint(models: Mapping[str, ScannedModel]) -> str:
    """A digest of the counts: the same rows give the same text, whatever the engine and the order it reads them in."""
    digest = hashlib.sha256()
    for name, model in models.items():
        digest.update(name.encode("utf-8", "surrogatepass"))
        for column in (model.ranking.score, model.ranking.pos, model.ranking.neg):
            digest.update(column.astype("<f8").tobytes())
    return f"sha256:{digest.hexdigest()}"


def _remarks(models: Mapping[str, ScannedModel]) -> Iterator[Caution]:
    """What a careful analyst would notice, and what counts alone cannot tell."""
    ranking = next(iter(models.values())).ranking
    if not ranking.weighted:  # weights say nothing of how many cases there are
        yield from on_few(ranking.Pos, ranking.Neg)
    yield from on_class_ratio(ranking.Pos, ranking.Neg)
    for name, model in models.items():
        if model.auc.estimate < 0.5:
            text = f"{name} has AUC {model.auc.estimate:.3f}; are labels or scores turned round?"
            yield Caution("auc-below-half", text)
        if "brier" not in model.bounds:
            scores = f"{model.ranking.score[-1]:g} to {model.ranking.score[0]:g}"
            yield Caution("not-probabilities", f"{name} scores from {scores}")
    told = "the cost on rows the threshold was not chosen on, where it falls in resamples and how often the winner wins"
    yield Caution("counts-only", f"{told} need rows, and only counts left the table")
