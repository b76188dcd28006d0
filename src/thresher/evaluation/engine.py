"""Evaluation of a table too large to hold, from counts and sums."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from thresher._internal.arguments import require_level
from thresher._internal.text import visible_lines
from thresher.calibration import calibration_map
from thresher.cautions import Caution, extreme_class_ratio
from thresher.choices import Choice, JointChoice, choose
from thresher.choices.choose import operating_condition
from thresher.curves import Bounds
from thresher.errors import ArgumentError
from thresher.evaluation import cautions
from thresher.evaluation.decision import Decision, decide
from thresher.evaluation.model import are_probabilities, at_prevalence, require_prevalence
from thresher.evaluation.results import ModelResult, ModelsResult, fingerprint, interval_dicts, limits_text
from thresher.evaluation.rows import cells
from thresher.evaluation.rules import NO_ROWS, Rule, price_counted_rules
from thresher.evaluation.summary import closing_parts, rules_rows, text_table
from thresher.inference import Comparison, Interval, auc_interval, interval, intervals
from thresher.inference.bounds import bounds
from thresher.inference.comparison.comparison import MOST_IN_PAIRS
from thresher.inference.comparison.difference import require_margin
from thresher.inference.comparison.engine import auc_comparison, open_rows, scanned_auc_intervals
from thresher.inference.interval import undefined
from thresher.inference.intervals.table import SampledTable, Table
from thresher.inputs.columns import Missing
from thresher.ranking import Ranking, require_rankings, require_same_positive
from thresher.sources.engines.connect import is_engine_source
from thresher.sources.options import Columns, Filter, Options, TableName, score_names
from thresher.sources.progress import Listener
from thresher.sources.scan import scan_rankings
from thresher.tables import OperatingCondition


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScannedModel(ModelResult):
    """One model of a scanned table, with intervals and certain bounds.

    `bounds` holds auc, average_precision, pr_area, ks and expected_cost (of the best threshold), and for probabilities
    brier and log_loss; equal bounds are the exact number. `measures` are those of `choice.table`.

    >>> import ibis, pyarrow
    >>> from thresher.evaluation import evaluate_scan
    >>> mails = ibis.memtable(pyarrow.table({"spam": [1, 1, 0, 1, 0, 0], "tree": [.9, .8, .6, .55, .3, .2]}))
    >>> evaluate_scan(mails, label="spam", score=["tree"])["tree"]
    ScannedModel('tree', AUC 0.8889 [0.2153, 0.9957], expected cost 0.1667 [0.0270, 0.5905])
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
        return {
            "auc": self.auc.to_dict(),
            "threshold": _plain(self.choice.threshold),
            "table": cells(self.choice.table),
            "measures": interval_dicts(self.measures),
            "expected_cost": self.expected_cost.to_dict(),
            "bounds": {name: [_plain(end) for end in (each.lower, each.upper)] for name, each in self.bounds.items()},
        }

    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every number with its name."""
        every = {"auc": self.auc, "expected_cost": self.expected_cost, **self.measures}
        return [({"model": self.name, "quantity": name}, interval) for name, interval in every.items()]

    def _brief(self) -> str:
        return f"{self.name!r}, AUC {self.auc}, expected cost {self.expected_cost}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScannedEvaluation(ModelsResult[ScannedModel]):
    """Several models on the rows of a table that stays where it is.

    What only rows can tell (the cost on rows the threshold was not chosen on, where it falls in resamples, how often
    the winner wins) is not there, and the decision's intervals of these have no limits. `rules` prices never, always
    and, where scores were counted one by one, 0.5 as well as the models, on the rows the thresholds were chosen on.
    """

    models: Mapping[str, ScannedModel]
    condition: OperatingCondition
    comparison: Comparison | None
    joint: JointChoice
    decision: Decision
    cautions: tuple[Caution, ...]
    dropped: int
    level: float
    trained_at: float | None
    rules: Mapping[str, Rule]
    baseline: str

    @property
    def saving(self) -> Interval:
        """What the decision saves per case, on the rows it was chosen on."""
        return self.decision.saving

    def summary(self) -> str:
        """A table of all models, the decision, how the models differ, and the cautions."""
        ranking = self[self.decision.model].ranking
        dropped = f"; {self.dropped:,} dropped for missing values" if self.dropped else ""
        cases = f"{ranking.Pos:,.10g} positive, {ranking.Neg:,.10g} negative{dropped}. {self.condition}"
        parts = [f"{cases}\nIntervals at level {self.level:g}; bounds are certain."]
        lines = [["", "AUC", "AUC within", "expected cost", "threshold"]]
        for name, model in self.models.items():
            cost, threshold = limits_text(model.expected_cost), f"{model.choice.threshold:.4g}"
            lines.append([name, limits_text(model.auc), bounds_text(model.bounds["auc"]), cost, threshold])
        parts += [text_table(lines), text_table(rules_rows(self.rules, self.condition))]
        parts += [str(self[self.decision.model].choice.table), *closing_parts(self, self.cautions)]
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
            "cautions": [caution.to_dict() for caution in self.cautions],
        }

    def _brief(self) -> str:
        return f"{', '.join(self.models)}; use {self.decision.model} at {self.decision.threshold:g}"


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


def evaluate_scan(
    source: Any,
    *,
    label: str,
    score: str | Sequence[str],
    table: TableName | None = None,
    positive: Any = None,
    weights: str | None = None,
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
    """Evaluate models whose scores are columns of a table, and decide for one.

    Sources and filters are those of `scan`. An engine counts ranges of scores, and once more near the best split under
    the condition. Several models, or weights, take sums of placements (see `compare_scan`): inside an engine, whose
    mid-ranks sort the rows, or of rows of files and frames that fit in memory. `paired=False` leaves that out, and with
    it the comparison. `weights` are sampling weights. With a class mix declared by the condition, measures and bounds
    are stated at it, and probabilities restated for it from `trained_at` (by default that of the rows). Models that
    cost at most `margin` more per case than the cheapest are practically equal.

    >>> mails = {"spam": [1, 1, 0, 1, 0, 0], "tree": [.9, .8, .6, .55, .3, .2]}
    >>> import ibis, pyarrow
    >>> result = evaluate_scan(ibis.memtable(pyarrow.table(mails)), label="spam", score=["tree"])
    >>> result, result["tree"].bounds["auc"]
    (ScannedEvaluation(tree; use tree at 0.7), Bounds(lower=0.888..., upper=0.888...))
    """
    require_level(level)
    require_margin(margin)
    require_prevalence(trained_at)
    if weights is not None and not paired:
        raise ArgumentError("intervals with weights need a paired pass", "leave paired=False out", parameter="paired")
    asked = operating_condition(condition)
    columns = Columns(label, score_names(score), weights)
    options = Options(table, positive, where, exact=exact, refine=asked, missing=missing, progress=progress)
    if weights is None and not (paired and len(columns.scores) > 1):
        (rankings,) = joint_rankings(source, columns, options).values()
        return evaluate_rankings(rankings, condition=condition, trained_at=trained_at, level=level, margin=margin)
    with open_rows(source, columns, options) as rows:
        rankings = rows.rankings(columns.scores, Options(exact=exact, refine=asked, progress=progress))
        joint = choose(rankings, asked)
        sums = rows.placement_sums(listener=progress)
        at = {name: choice.threshold for name, choice in joint.choices.items()}
        cells_at = None if weights is None else rows.call_weights(at, listener=progress)
        dropped = rows.dropped
    comparison = None
    if len(rankings) > 1:
        against = joint.model if len(rankings) > MOST_IN_PAIRS else None
        comparison = auc_comparison(sums, columns.scores, level=level, against=against, dropped=dropped)
    method = "delong" if cells_at is None else "delong, weighted"
    aucs = dict(zip(rankings, scanned_auc_intervals(sums, level=level, method=method), strict=True))
    tables: dict[str, Table] | None = None
    if cells_at is not None:
        tables = {name: SampledTable(*each, None) for name, each in cells_at.items()}
    return _assemble(
        joint, aucs, tables, comparison, condition, trained_at=trained_at, level=level, margin=margin, dropped=dropped
    )


def joint_rankings(source: Any, columns: Columns, options: Options) -> dict[Any, dict[str, Ranking]]:
    """The rankings of several models by group, of rows that miss none of the scores.

    Without groups there is one, called ().
    """
    several = len(columns.scores) > 1
    if several and options.missing == "drop" and is_engine_source(source):
        if columns.by:
            what = "an engine does not leave the same rows out of several models, group by group"
            raise ArgumentError(what, "name one score, or take one group by where=", parameter="by")
        with open_rows(source, columns, options) as rows:
            counted = rows.rankings(
                columns.scores, Options(exact=options.exact, refine=options.refine, progress=options.progress)
            )
            return {(): {name: _with_dropped(ranking, rows.dropped) for name, ranking in counted.items()}}
    groups: dict[Any, dict[str, Ranking]] = {}
    for (name, group), ranking in scan_rankings(source, columns, options, together=True).items():
        groups.setdefault(group, {})[name] = ranking
    return groups


def _with_dropped(ranking: Ranking, dropped: int) -> Ranking:
    return Ranking.of_segments(
        ranking.score, ranking.pos, ranking.neg, dropped=dropped, ranges=ranking.ranges, positive=ranking.positive
    )


def evaluate_rankings(
    rankings: Mapping[str, Ranking],
    *,
    condition: OperatingCondition | None = None,
    trained_at: float | None = None,
    level: float = 0.95,
    margin: float = 0.0,
) -> ScannedEvaluation:
    """Evaluate models from their counts alone, and decide for one.

    The rankings may come from `scan`, from files, or from several machines whose counts were added up. Models are not
    compared: which rows they share is not known. Counts are read as numbers of cases, so weights are refused. What is
    unresolved in a ranking shows in `bounds`.

    >>> evaluate_rankings({"tree": Ranking.parse("[20+,5-][10+,5-][20+,40-]")})
    ScannedEvaluation(tree; use tree at 1.5)
    """
    require_level(level)
    require_margin(margin)
    require_prevalence(trained_at)
    require_rankings(rankings)
    require_same_positive(*rankings.values())
    for name, ranking in rankings.items():
        if ranking.weighted:
            what = f"the ranking of {name} is weighted, and weights do not say how many cases there are"
            raise ArgumentError(what, "count rows without weights, or give the rows", parameter="rankings")
    joint = choose(rankings, operating_condition(condition))
    aucs = {name: auc_interval(ranking, level=level) for name, ranking in rankings.items()}
    dropped = max(ranking.dropped for ranking in rankings.values())
    return _assemble(
        joint, aucs, None, None, condition, trained_at=trained_at, level=level, margin=margin, dropped=dropped
    )


def _assemble(
    joint: JointChoice,
    aucs: Mapping[str, Interval],
    tables: Mapping[str, Table] | None,
    comparison: Comparison | None,
    condition: OperatingCondition | None,
    *,
    trained_at: float | None,
    level: float,
    margin: float,
    dropped: int,
) -> ScannedEvaluation:
    """Price the rules, and put the models, the decision and the cautions together.

    `tables` are those at the chosen thresholds, where weights say more than counts.
    """
    asked = operating_condition(condition)
    models = {}
    for name, choice in joint.choices.items():
        table_at = choice.table if tables is None else tables[name]
        models[name] = ScannedModel(
            name=name,
            ranking=choice.ranking,
            auc=aucs[name],
            choice=choice,
            measures=intervals(table_at, class_ratio=asked.class_ratio, level=level),
            expected_cost=interval(table_at, asked, level=level),
            bounds=_bounds(choice.ranking, asked, trained_at),
        )
    costs = {name: model.expected_cost for name, model in models.items()}
    priced = price_counted_rules(joint.choices, costs, model=joint.model, condition=asked)
    most = joint.expected_cost + margin
    near = tuple(name for name, cost in costs.items() if cost.estimate <= most or name in joint.tied)
    equal = f"; {', '.join(near)} cost the same within the margin" if len(near) > 1 else ""
    why = f"it is the cheapest on these rows{equal}; how sure that is {NO_ROWS}"
    winner = models[joint.model]
    counts = ((name, one.ranking.score, one.ranking.pos, one.ranking.neg) for name, one in models.items())
    return ScannedEvaluation(
        models=models,
        condition=asked,
        comparison=comparison,
        joint=joint,
        decision=decide(
            joint,
            joint.model,
            condition=asked,
            trained_at=winner.ranking.prevalence if trained_at is None else trained_at,
            expected_cost=winner.expected_cost,
            out_of_bag_cost=undefined(level, NO_ROWS),
            interval=replace(undefined(level, NO_ROWS), estimate=joint.threshold),
            baseline=priced.baseline,
            saving=priced.savings[joint.model],
            why=why if len(models) > 1 else "it is the only model",
            may_be_best=near,
            wins=None,
            calibration=calibration_map(winner.ranking, method="isotonic").to_dict(),
            fingerprint=fingerprint(*chain.from_iterable(counts)),  # whatever the order an engine reads rows in
        ),
        cautions=(*cautions.equal_costs(condition), *joint.cautions, *_cautions(models, priced.rules)),
        dropped=dropped,
        level=level,
        trained_at=trained_at,
        rules=priced.rules,
        baseline=priced.baseline,
    )


def _bounds(ranking: Ranking, condition: OperatingCondition, trained_at: float | None) -> dict[str, Bounds]:
    at_mix = ranking if condition.class_ratio is None else ranking.at_class_ratio(condition.class_ratio)
    sources = {"auc": ranking, "average_precision": at_mix, "pr_area": at_mix, "ks": ranking}
    limits = {name: bounds(source, name) for name, source in sources.items()}
    limits["expected_cost"] = bounds(ranking, "expected_cost", condition=condition)
    if not are_probabilities(ranking):
        return limits
    restated = ranking
    if condition.prevalence is not None or trained_at is not None:
        restated = at_prevalence(ranking, condition.prevalence, trained_at)
    return limits | {name: bounds(restated, name) for name in ("brier", "log_loss")}


def _cautions(models: Mapping[str, ScannedModel], rules: Mapping[str, Rule]) -> Iterator[Caution]:
    """What a careful analyst would notice, and what counts alone cannot tell."""
    ranking = next(iter(models.values())).ranking
    if not ranking.weighted:  # weights say nothing of how many cases there are
        yield from cautions.few_cases(ranking.Pos, ranking.Neg)
    yield from extreme_class_ratio(ranking.Pos, ranking.Neg)
    for name, model in models.items():
        if model.auc.estimate < 0.5:
            yield cautions.auc_below_half(name, model.auc.estimate)
        if "brier" not in model.bounds:
            yield cautions.not_probabilities(name, model.ranking)
    cost = "the cost on rows the threshold was not chosen on"
    what = (
        f"{cost}, where it falls in resamples and how often the winner wins need rows, and only counts left the table"
    )
    yield Caution("counts-only", what)
    yield from cautions.no_saving(rules)
