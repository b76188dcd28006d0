"""Comparison of models whose scores are columns of an engine's table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher._internal.arguments import require_level, require_one_of
from thresher.choices import choose
from thresher.errors import ArgumentError, argument
from thresher.inference.bootstrap.draws import require_replicates
from thresher.inference.comparison.comparison import (
    Comparison,
    Correction,
    Pairing,
    auc_differences,
    replicate_differences,
)
from thresher.inference.comparison.difference import require_margin
from thresher.inference.comparison.paired import MOST_MODELS, call_cells, call_tables, cost_span, fixed_thresholds
from thresher.inference.interval import Interval
from thresher.inference.intervals.auc import AucCovariance, moderated_interval
from thresher.inference.rows import ScoredRows, count_above
from thresher.inputs.columns import Missing
from thresher.ranking import Floats, Ranking
from thresher.sources.engines.pairs import Calls, EnginePairs, Matrix, PlacementSums, open_pairs, require_few_kinds
from thresher.sources.options import Columns, Filter, Options, TableName, require_options, score_names
from thresher.sources.progress import Listener
from thresher.sources.scan import read_batches
from thresher.tables import OperatingCondition, quantity, refusal


@contextmanager
def open_rows(
    source: Any, columns: Columns, options: Options, *, cluster: str | None = None
) -> Iterator[EnginePairs | HeldPairs]:
    """Rows of several models: queried in their engine, or read into memory."""
    with open_pairs(source, columns, options, cluster=cluster) as pairs:
        if pairs is not None:
            yield pairs
            return
    rows = read_batches(source, [*columns.names, *([] if cluster is None else [cluster])], options)
    yield HeldPairs(
        ScoredRows.of(
            rows[columns.label],
            {name: rows[name] for name in columns.scores},
            positive=options.positive,
            weights=None if columns.weights is None else rows[columns.weights],
            clusters=None if cluster is None else rows[cluster],
            missing=options.missing,
        )
    )


@dataclass(frozen=True, slots=True, eq=False)
class HeldPairs:
    """Rows in memory, with the sums that an engine makes of its rows."""

    rows: ScoredRows

    @property
    def dropped(self) -> int:
        """How many rows were left out because they miss something."""
        return self.rows.dropped

    def rankings(self, names: Sequence[str], options: Options) -> dict[str, Ranking]:
        """The rankings of all models."""
        require_options(options)
        return {name: self.rows.ranking(name) for name in names}

    def placement_sums(self, *, listener: Listener | None) -> PlacementSums:
        """Sums of placements; see `EnginePairs`."""
        del listener
        positive, weight = self.rows.positive, self._weight
        sides = positive, ~positive
        pos, neg = (float(weight[side].sum()) for side in sides)
        units = np.empty((len(self.rows.scores) + 1, positive.size))
        for row, score in zip(units, self.rows.scores.values(), strict=False):
            above = count_above(positive, score, self.rows.weight)
            row[:] = np.where(positive, 0.5 - above / neg, above / pos - 0.5) * weight
        units[-1] = weight
        if self.rows.cluster is None:
            blocks = [units[:, side] for side in sides]
            none = np.zeros((len(units), len(units)))
            products = [block @ block.T for block in blocks]
            cases = int(np.count_nonzero(positive))
            return PlacementSums(
                np.concatenate([block.sum(axis=1) for block in blocks]),
                np.block([[products[0], none], [none, products[1]]]),
                (cases, positive.size - cases, positive.size),
                clustered=False,
            )
        width = int(self.rows.cluster.max()) + 1
        sums = np.array(
            [np.bincount(self.rows.cluster[side], row[side], minlength=width) for side in sides for row in units]
        )
        there = [int(np.count_nonzero(sums[row])) for row in (len(units) - 1, 2 * len(units) - 1)]
        return PlacementSums(sums.sum(axis=1), sums @ sums.T, (there[0], there[1], width), clustered=True)

    def call_weights(
        self, thresholds: Mapping[str, float], *, listener: Listener | None
    ) -> dict[str, tuple[Matrix, Matrix]]:
        """Weights of calls; see `EnginePairs`."""
        del listener
        weights = {}
        for (name, threshold), score in zip(thresholds.items(), self.rows.scores.values(), strict=True):
            cells = [self._weight[cell] for cell in call_cells(self.rows.positive, score >= threshold)]
            sums = np.array([cell.sum() for cell in cells]), np.array([np.square(cell).sum() for cell in cells])
            weights[name] = sums
        return weights

    def call_counts(self, thresholds: Mapping[str, float], *, listener: Listener | None) -> Calls:
        """Combinations of calls; see `EnginePairs`."""
        del listener
        code = self.rows.positive.astype(np.int64)
        for i, (threshold, score) in enumerate(zip(thresholds.values(), self.rows.scores.values(), strict=True)):
            code += (score >= threshold).astype(np.int64) << (i + 1)
        order = np.lexsort((self._weight, code))
        code, weight = code[order], self._weight[order]
        starts = np.flatnonzero(np.append(True, (code[1:] != code[:-1]) | (weight[1:] != weight[:-1])))
        require_few_kinds(starts.size)
        return Calls(code[starts], np.diff(starts, append=code.size), weight[starts])

    @property
    def _weight(self) -> Floats:
        return np.ones(self.rows.positive.size) if self.rows.weight is None else self.rows.weight


def covariance_of(sums: PlacementSums) -> AucCovariance:
    """AUCs and DeLong's covariance from sums of placements about ½.

    The formulas are those of `auc_covariance`.
    """
    width = sums.total.size // 2
    sides = slice(0, width), slice(width, None)
    areas = np.clip(0.5 + sums.total[: width - 1] / sums.total[width - 1], 0.0, 1.0)
    about = np.hstack([np.eye(width - 1), 0.5 - areas[:, np.newaxis]])  # from sums of a unit to its influence
    to_influence = [about / sums.total[side][-1] for side in sides]

    def spread(one: int, other: int, units: int) -> Floats:
        covariance = to_influence[one] @ sums.products[sides[one], sides[other]] @ to_influence[other].T
        covariance = np.where(np.abs(covariance) <= _noise(sums) ** 2, 0.0, covariance)
        return covariance * (units / (units - 1) if units > 1 else math.nan)

    crossed = spread(0, 1, sums.units[2]) if sums.clustered else np.zeros((width - 1, width - 1))
    of_pos, of_neg = (spread(side, side, sums.units[side]) for side in (0, 1))
    cases = float(sums.units[0]), float(sums.units[1])
    if not sums.clustered:  # Kish's (1965) effective number of weighted rows
        pos, neg = (float(sums.total[i] ** 2 / sums.products[i, i]) for i in (width - 1, -1))
        cases = pos, neg
    return AucCovariance(areas, of_pos, of_neg, crossed + crossed.T, cases)


def _noise(sums: PlacementSums) -> float:
    """What placements may be off by, since an engine adds weights up in any order."""
    return 2.0**-50 * math.sqrt(sums.units[2])


def scanned_auc_intervals(sums: PlacementSums, *, level: float, method: str) -> list[Interval]:
    """The interval of each model's AUC, as `auc_interval` for independent rows."""
    spread = covariance_of(sums)
    parts = zip(np.diagonal(spread.of_pos).tolist(), np.diagonal(spread.of_neg).tolist(), strict=True)
    return [
        moderated_interval(area, part, spread.cases, level, method=method)
        for area, part in zip(spread.areas.tolist(), parts, strict=True)
    ]


def auc_comparison(
    sums: PlacementSums,
    names: tuple[str, ...],
    *,
    level: float,
    margin: float = 0.0,
    correction: Correction = "holm",
    against: str | None = None,
    dropped: int = 0,
) -> Comparison:
    """Compare AUCs that sums of placements tell."""
    spread = covariance_of(sums)
    if sums.clustered and min(spread.cases) < 2:
        instead = f"leave {argument('clusters')} out if rows are independent"
        raise ArgumentError(
            "a class lies in one cluster, which shows no spread between clusters",
            f"give rows of at least two clusters with each class, or {instead}",
        )
    pairing, noise = Pairing.of(against, names, "higher"), _noise(sums)
    estimates = dict(zip(names, spread.areas.tolist(), strict=True))
    return Comparison(
        names=names,
        measure="auc",
        better="higher",
        estimates=estimates,
        differences=auc_differences(pairing, names, spread, level=level, clustered=sums.clustered, noise=noise),
        spread=spread,
        pairs=min(spread.cases),
        level=level,
        margin=margin,
        correction=correction,
        clustered=sums.clustered,
        dropped=dropped,
        against=pairing.model(estimates),
    )


def compare_scan(
    source: Any,
    *,
    label: str,
    score: Sequence[str],
    table: TableName | None = None,
    positive: Any = None,
    weights: str | None = None,
    clusters: str | None = None,
    where: Filter | None = None,
    measure: str | OperatingCondition = "auc",
    thresholds: Mapping[str, float] | None = None,
    level: float = 0.95,
    margin: float = 0.0,
    correction: Correction = "holm",
    against: str | None = None,
    seed: int = 0,
    replicates: int = 2000,
    missing: Missing = "raise",
    progress: Listener | None = None,
) -> Comparison:
    """Compare models that scored the same rows of a table, inside its engine.

    AUCs are compared by DeLong's covariance (1988), with `weights` a column of sampling weights and `clusters` one
    that says which rows belong together (Obuchowski 1997). An engine makes mid-ranks by window functions, and only
    sums leave it; rows of files and frames are compared in memory. Under an `OperatingCondition` expected costs are
    compared at `thresholds`, or at each model's best one from a scan of the same rows, which stays fixed in resamples;
    that takes weights and no clusters. Sources and filters are those of `scan`, everything else is as in `compare`.

    >>> import ibis, pyarrow
    >>> mails = pyarrow.table({
    ...     "spam": [1, 1, 0, 1, 1, 0, 1, 1, 0, 0],
    ...     "tree": [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13],
    ...     "logit": [.8, .9, .2, .7, .6, .1, .5, .2, .4, .3],
    ... })
    >>> print(compare_scan(ibis.memtable(mails), label="spam", score=["tree", "logit"])["tree", "logit"])
    tree - logit  -0.1458 [-0.7025, 0.4108]  p 0.52  undecided
    """
    require_level(level)
    require_margin(margin)
    scores = score_names(score, least=2, most=MOST_MODELS)
    condition = measure if isinstance(measure, OperatingCondition) else None
    if not isinstance(measure, OperatingCondition) and measure != "auc":
        what = f"{quantity(measure)} cannot be compared where the rows are"
        raise refusal(what, ["auc", "an OperatingCondition"])
    if condition is not None and clusters is not None:
        fix = "compare by AUC, or compare(...) rows that fit in memory"
        raise ArgumentError("clusters cannot be drawn again inside an engine", fix)
    require_replicates(replicates, seed, None)
    require_one_of(correction, ("holm", "none"), name="correction")
    pairing = Pairing.of(against, scores, "higher" if condition is None else "lower")
    at = fixed_thresholds(quantity("auc") if condition is None else condition, thresholds, scores)
    options = Options(table, positive, where, missing=missing, progress=progress)
    with open_rows(source, Columns(label, scores, weights), options, cluster=clusters) as rows:
        dropped = rows.dropped
        if condition is None:
            sums = rows.placement_sums(listener=progress)
            judged_by: Any = {"level": level, "margin": margin, "correction": correction, "against": against}
            return auc_comparison(sums, scores, **judged_by, dropped=dropped)
        if not at:  # from ranges of scores that are divided around the cheapest threshold until it is certain
            rankings = rows.rankings(scores, Options(refine=condition, progress=progress))
            at = {name: choose(ranking, condition).threshold for name, ranking in rankings.items()}
        calls = rows.call_counts({name: at[name] for name in scores}, listener=progress)
    tables = call_tables(
        scores,
        calls.code,
        calls.cases,
        calls.weight,
        replicates=replicates,
        rng=np.random.default_rng(seed),
        stratified=condition.class_ratio is not None,
    )
    is_pos, mass = calls.code & 1 == 1, calls.cases * calls.weight
    smaller = min(float(mass[side].sum() ** 2 / (mass * calls.weight)[side].sum()) for side in (is_pos, ~is_pos))
    values = {name: np.asarray(condition.expected_cost(table)) for name, table in tables.items()}
    estimates = {name: float(each[0]) for name, each in values.items()}
    return Comparison(
        names=scores,
        measure="expected cost",
        better="lower",
        estimates=estimates,
        differences=replicate_differences(pairing, values, level=level, span=cost_span(condition), cases=smaller),
        spread=None,
        pairs=smaller,
        level=level,
        margin=margin,
        correction=correction,
        dropped=dropped,
        against=pairing.model(estimates),
    )
