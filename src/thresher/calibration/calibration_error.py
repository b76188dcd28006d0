"""Expected calibration error, with what chance would show, of two classes or k."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np

from thresher._internal.arguments import as_number, require_integer, require_level, require_one_of
from thresher._internal.parallel import MOST_REPLICATES
from thresher._internal.results import ReadOnly, Result
from thresher.calibration.meanings import (
    DRAWS_AT_ONCE,
    Of,
    comparisons,
    draw_labels,
    draws_at_once,
    require_meaning,
)
from thresher.calibration.prevalence import adjust_prevalence
from thresher.calibration.reliability import quantile_splits, refuse_meaning, splits_of, top_label
from thresher.curves.hull import Splits
from thresher.errors import ArgumentError, WeightError, argument
from thresher.ranking import Counts, Floats, Ranking, Segments, mean_scores, require_ranking

ErrorBins: TypeAlias = Literal["quantile", "uniform", "exact"]

MOST_GROUPS = 5_000  # segments drawn one by one; beyond that, neighbours are drawn together


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationGap(Result):
    """An ECE, and its distribution if every score were the true probability.

    `null` holds the simulated values in rising order; `null_lower` and `null_upper` are its
    central quantiles at `level`, and `p_value` is the share of it that reaches the estimate.
    Class by class the estimate is the mean of those in `by_class`.
    """

    estimate: float
    null_mean: float
    null_lower: float
    null_upper: float
    p_value: float
    level: float
    bins: ErrorBins
    count: int
    null: Floats
    by_class: Mapping[Any, CalibrationGap] = field(default_factory=dict)

    def _brief(self) -> str:
        mean = f", the mean of {len(self.by_class)} classes" if self.by_class else ""
        return (
            f"{self.estimate:.4f} over {self.count} {self.bins} bins{mean}; if calibrated,"
            f" {self.null_mean:.4f} ({self.level:.0%}: {self.null_lower:.4f} to {self.null_upper:.4f}),"
            f" p = {self.p_value:.2g}"
        )


@overload
def ece(
    ranking: Ranking,
    *,
    bins: ErrorBins = "uniform",
    count: int = 10,
    prevalence: float | None = None,
    trained_at: float | None = None,
    replicates: int = 1000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> CalibrationGap: ...


@overload
def ece(
    ranking: Segments,
    *,
    of: Of = "class",
    bins: ErrorBins = "uniform",
    count: int = 10,
    replicates: int = 1000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> CalibrationGap: ...


def ece(
    ranking: Ranking | Segments,
    *,
    of: Of | None = None,
    bins: ErrorBins = "uniform",
    count: int = 10,
    prevalence: float | None = None,
    trained_at: float | None = None,
    replicates: int = 1000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> CalibrationGap:
    """Expected calibration error, Σ n |mean score - observed| / N, and its null.

    ECE is biased upward and depends on the bins: a perfectly calibrated model shows 0.04 at a
    thousand cases. So it comes with its distribution under calibration, simulated by drawing the
    labels of each segment from its score (Bröcker & Smith 2007, "consistency resampling"). Above
    5,000 segments neighbours within a bin are drawn together at their mean score. The hull's pools
    are no choice here, because labels choose them: `decomposition(...).miscalibration` is the
    measure without bins. `count` in the answer is that of bins that hold cases.

    Of k classes it is that of each class against the rest, by its own probability, and their mean (not their sum); of
    the "top" label; or "canonical", of whole vectors: Σ n ½ Σᵢ |mean pᵢ - observed shareᵢ| / N over distinct vectors
    (`bins="exact"`) or over the cells of a grid. Labels are then drawn from the vectors.

    At a declared `prevalence` cases are re-weighted to it and probabilities restated for it, from `trained_at` or the
    prevalence of the cases, as `adjust_prevalence` does; labels are drawn as they are in the data.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> ece(spam_tree)
    CalibrationGap(0.0550 over 3 uniform bins; if calibrated, 0.055... (95%: 0.0150 to 0.1150), p = 0.53)
    >>> round(ece(spam_tree, prevalence=0.05).estimate, 4)
    0.0221
    >>> leaves = [[.8, .1, .1], [.2, .5, .3], [.1, .2, .7]]
    >>> three = ece(Segments.parse("[8,1,1][1,6,3][0,2,8]", probability=leaves, classes="abc"))
    >>> round(three.estimate, 4), {name: round(gap.estimate, 4) for name, gap in three.by_class.items()}
    (0.0444, {'a': 0.0667, 'b': 0.0333, 'c': 0.0333})
    """
    if isinstance(ranking, Segments):
        if prevalence is not None or trained_at is not None:
            fix = f"leave it out, or take one class: {argument('segments.ranking(name)')}"
            raise ArgumentError("a prevalence is of two classes, and segments have k", fix)
        of = "class" if of is None else of
        require_meaning(of)
        if of == "top":
            ranking = top_label(ranking)
        else:
            return _class_ece(ranking, of, bins, count, replicates=replicates, level=level, seed=seed)
    else:
        require_ranking(ranking, probabilities=True)
        refuse_meaning(of)
    _require_options(bins, level, replicates)
    if bins == "exact":
        _require_few(len(ranking))
    if ranking.weighted and (np.mod(ranking.pos, 1).any() or np.mod(ranking.neg, 1).any()):
        what = "weights that are not whole do not say how many labels there were to draw"
        raise WeightError(what, "rank without weights, or take reliability(ranking), which needs no null distribution")
    own, stated = _restate(ranking, prevalence, trained_at)
    split = splits_of(stated, bins, count=count)
    group = np.arange(len(ranking) + 1)  # what labels are drawn for at once
    if len(ranking) > MOST_GROUPS:
        group = np.union1d(split, quantile_splits(stated, MOST_GROUPS))
    pos, neg = (side.astype(np.int64) for side in ranking.runs(group))
    score = mean_scores(stated, group)
    # What a positive and a negative add to the gap of their bin, weighted to the class mix that is stated.
    hit = (1 - score) * (float(stated.Pos / ranking.Pos) if ranking.Pos else 1.0)
    alarm = score * (float(stated.Neg / ranking.Neg) if ranking.Neg else 1.0)
    first = np.searchsorted(group, split[:-1])  # the group each bin begins with
    estimate = float(np.abs(np.add.reduceat(pos * hit - neg * alarm, first)).sum() / ranking.total)
    probability = score if own is stated else mean_scores(own, group)
    drawn = _simulate(pos + neg, probability, (hit, alarm), first, replicates=replicates, seed=seed)
    return _gap(estimate, drawn / ranking.total, level=level, bins=bins, count=split.size - 1)


def _class_ece(
    segments: Segments, of: Of, bins: ErrorBins, count: int, *, replicates: int, level: float, seed: Any
) -> CalibrationGap:
    _require_options(bins, level, replicates)
    rng, draw = _generator(seed), draw_labels(segments)
    compared = comparisons(segments, of, bins=bins, count=count)
    if bins == "exact":
        _require_few(max(each.first.size for each in compared))
    at_once, drawn = draws_at_once(segments), np.empty((replicates, len(compared)))
    for start in range(0, replicates, at_once):
        some = drawn[start : start + at_once]
        counts = draw(rng, len(some))
        some[:] = np.stack([each.error(counts) for each in compared], axis=1)
    estimates = [float(each.error(segments.counts[np.newaxis])[0]) for each in compared]
    gaps = [
        _gap(estimate, null, level=level, bins=bins, count=each.first.size)
        for estimate, null, each in zip(estimates, drawn.T, compared, strict=True)
    ]
    if of == "canonical":
        return gaps[0]
    bins_in_all = sum(gap.count for gap in gaps)
    mean = _gap(float(np.mean(estimates)), drawn.mean(axis=1), level=level, bins=bins, count=bins_in_all)
    return replace(mean, by_class=ReadOnly({each.name: gap for each, gap in zip(compared, gaps, strict=True)}))


def _gap(estimate: float, null: Floats, *, level: float, bins: ErrorBins, count: int) -> CalibrationGap:
    null = np.sort(null)
    null.flags.writeable = False
    lower, upper = np.quantile(null, [(1 - level) / 2, (1 + level) / 2]).tolist()
    reached = null.size - int(np.searchsorted(null, estimate * (1 - 1e-12)))
    return CalibrationGap(
        estimate=estimate,
        null_mean=float(null.mean()),
        null_lower=lower,
        null_upper=upper,
        p_value=(1 + reached) / (1 + null.size),
        level=level,
        bins=bins,
        count=count,
        null=null,
    )


def _require_options(bins: Any, level: float, replicates: Any) -> None:
    fix = "pick one; for a measure without bins, take decomposition(ranking).miscalibration"
    require_one_of(bins, get_args(ErrorBins), name="bins", fix=fix)
    require_level(level)
    fix = f"give e.g. {argument('replicates', 1000)}"
    require_integer(replicates, name="replicates", least=1, most=MOST_REPLICATES, fix=fix)


def _require_few(groups: int) -> None:
    if groups > MOST_GROUPS:
        what = f"{groups:,} exact segments are too many bins for an ECE to mean anything"
        fix = f"pass {argument('bins', 'quantile')}, or take decomposition(ranking).miscalibration"
        raise ArgumentError(f"{what} (at most {MOST_GROUPS:,})", f"{fix}, which needs no bins")


def _generator(seed: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        what = f"{argument('seed')} must be a whole number of 0 or more, got {seed}"
        raise ArgumentError(what, "give e.g. 0", parameter="seed") from None


def _restate(ranking: Ranking, prevalence: float | None, trained_at: float | None) -> tuple[Ranking, Ranking]:
    """The cases at their own class mix and at the declared one, if there is one."""
    if prevalence is None and trained_at is None:
        return ranking, ranking
    ranking.require_both_classes()
    made_at = ranking.prevalence if trained_at is None else trained_at
    to = ranking.prevalence if prevalence is None else prevalence
    weighted = ranking.at_class_ratio(to / (1 - to)) if 0 < as_number(to) < 1 else ranking
    own, stated = (adjust_prevalence(ranking.score, share, trained_at=made_at) for share in (ranking.prevalence, to))
    # Segments stay apart though rounding may make their scores equal: the counts of both rankings belong together.
    return Ranking.of_segments(own, *ranking.narrow), Ranking.of_segments(stated, weighted.pos, weighted.neg)


def _simulate(
    cases: Counts, probability: Floats, gaps: tuple[Floats, Floats], first: Splits, *, replicates: int, seed: Any
) -> Floats:
    """The summed gaps of all bins in every draw of labels."""
    rng = _generator(seed)
    hit, alarm = gaps
    expected = np.add.reduceat(cases * alarm, first)  # k hits - (n - k) alarms = k (hits + alarms) - n alarms
    at_once = max(1, DRAWS_AT_ONCE // cases.size)
    summed = np.empty(replicates)
    for start in range(0, replicates, at_once):
        some = summed[start : start + at_once]
        drawn = rng.binomial(cases, probability, size=(some.size, cases.size)) * (hit + alarm)
        np.abs(np.add.reduceat(drawn, first, axis=1) - expected).sum(axis=1, out=some)
    return summed
