"""Expected calibration error, never without what a perfectly calibrated model would show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from thresher.calibration.binning import mean_scores, quantile_splits, splits_of
from thresher.calibration.prior import adjust_prevalence
from thresher.curves.hull import Splits
from thresher.errors import ArgumentError, WeightError, require_one_of, require_whole
from thresher.ranking import Counts, Floats, Ranking, as_number, require_ranking
from thresher.results import Result

Bins: TypeAlias = Literal["quantile", "uniform", "exact"]

MOST_GROUPS = 5_000  # segments drawn one by one; beyond that, neighbours are drawn together
DRAWS_AT_ONCE = 1 << 21
MOST_REPLICATES = 10_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationGap(Result):
    """An ECE next to its null distribution: what it would be were every score the true probability.

    `null` holds the simulated values in rising order; `null_lower` and `null_upper` are its
    central quantiles at `level`, and `p_value` is the share of it that reaches the estimate.
    """

    estimate: float
    null_mean: float
    null_lower: float
    null_upper: float
    p_value: float
    level: float
    segments: Bins
    bins: int
    null: Floats

    def _brief(self) -> str:
        return (
            f"{self.estimate:.4f} over {self.bins} {self.segments} bins; if calibrated,"
            f" {self.null_mean:.4f} ({self.level:.0%}: {self.null_lower:.4f} to {self.null_upper:.4f}),"
            f" p = {self.p_value:.2g}"
        )


def ece(
    ranking: Ranking,
    *,
    bins: int = 10,
    segments: Bins = "uniform",
    prevalence: float | None = None,
    trained_at: float | None = None,
    replicates: int = 1000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> CalibrationGap:
    """Expected calibration error Σ n |mean score - observed| / N, with its null distribution.

    ECE is biased upward and depends on the bins: a perfectly calibrated model shows 0.04 at a
    thousand cases. So it comes with its distribution under calibration, simulated by drawing the
    labels of each segment from its score (Bröcker & Smith 2007, "consistency resampling"). Above
    5,000 segments neighbours within a bin are drawn together at their mean score. The hull's pools
    are no choice here, because labels choose them: `decomposition(...).miscalibration` is the
    measure without bins. `bins` in the answer counts the bins that hold cases.

    At a declared `prevalence` cases are re-weighted to it and probabilities restated for it, from `trained_at` or the
    prevalence of the cases, as `adjust_prevalence` does; labels are drawn as they are in the data.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> ece(spam_tree)
    CalibrationGap(0.0550 over 3 uniform bins; if calibrated, 0.055... (95%: 0.0150 to 0.1150), p = 0.53)
    >>> round(ece(spam_tree, prevalence=0.05).estimate, 4)
    0.0221
    """
    require_ranking(ranking, probabilities=True)
    _check(ranking, segments, level)
    fix = "give e.g. replicates=1000"
    replicates = require_whole(replicates, name="replicates", least=1, most=MOST_REPLICATES, fix=fix)
    own, stated = _restated(ranking, prevalence, trained_at)
    split = splits_of(stated, segments, bins=bins)
    if len(ranking) <= MOST_GROUPS:
        group = np.arange(len(ranking) + 1)
    else:
        group = np.union1d(split, quantile_splits(stated, MOST_GROUPS))
    pos, neg = (side.astype(np.int64) for side in ranking.runs(group))
    probability = mean_scores(own, group)  # that labels are drawn by
    score = mean_scores(stated, group)
    hit, alarm = (1 - score) * _weight(stated.Pos, ranking.Pos), score * _weight(stated.Neg, ranking.Neg)
    first = np.searchsorted(group, split[:-1])  # the group each bin begins with
    estimate = float(np.abs(np.add.reduceat(pos * hit - neg * alarm, first)).sum() / ranking.total)
    drawn = _simulated(pos + neg, probability, (hit, alarm), first, replicates=replicates, seed=seed)
    null = np.sort(drawn) / ranking.total
    null.flags.writeable = False
    lower, upper = np.quantile(null, [(1 - level) / 2, (1 + level) / 2]).tolist()
    reached = replicates - int(np.searchsorted(null, estimate * (1 - 1e-12)))
    return CalibrationGap(
        estimate=estimate,
        null_mean=float(null.mean()),
        null_lower=lower,
        null_upper=upper,
        p_value=(1 + reached) / (1 + replicates),
        level=level,
        segments=segments,
        bins=split.size - 1,
        null=null,
    )


def _weight(stated: float, counted: float) -> float:
    """What a case of a class weighs at the class mix that is stated; 1 for a class without cases."""
    return float(stated / counted) if counted else 1.0


def _restated(ranking: Ranking, prevalence: float | None, trained_at: float | None) -> tuple[Ranking, Ranking]:
    """The cases at their own class mix, and at the declared one: as they are, where nothing was declared."""
    if prevalence is None and trained_at is None:
        return ranking, ranking
    ranking.require_both_classes()
    made_at = ranking.prevalence if trained_at is None else trained_at
    to = ranking.prevalence if prevalence is None else prevalence
    weighted = ranking.at_class_ratio(to / (1 - to)) if 0 < as_number(to) < 1 else ranking
    own, stated = (adjust_prevalence(ranking.score, share, trained_at=made_at) for share in (ranking.prevalence, to))
    # Segments stay apart though rounding may make their scores equal: the counts of both rankings belong together.
    return (
        Ranking.of_segments(own, ranking.pos, ranking.neg),
        Ranking.of_segments(stated, weighted.pos, weighted.neg),
    )


def _check(ranking: Ranking, segments: str, level: float) -> None:
    fix = "pick one; for a measure without bins, take decomposition(ranking).miscalibration"
    require_one_of(segments, get_args(Bins), name="segments", fix=fix)
    if segments == "exact" and len(ranking) > MOST_GROUPS:
        raise ArgumentError(
            f"{len(ranking):,} exact segments are too many bins for an ECE to mean anything (at most {MOST_GROUPS:,})",
            fix='pass segments="quantile", or take decomposition(ranking).miscalibration, which needs no bins',
        )
    if not 0 < as_number(level) < 1:
        raise ArgumentError(f"level must lie between 0 and 1, got {level}", "give e.g. level=0.95")
    if ranking.weighted and (np.mod(ranking.pos, 1).any() or np.mod(ranking.neg, 1).any()):
        raise WeightError(
            "weights that are not whole do not say how many labels there were to draw",
            fix="rank without weights, or take reliability(ranking), which needs no null distribution",
        )


def _simulated(
    cases: Counts,
    probability: Floats,
    gaps: tuple[Floats, Floats],
    first: Splits,
    *,
    replicates: int,
    seed: int | np.random.Generator,
) -> Floats:
    """The summed gaps of all bins in every draw; `gaps` are what a positive and a negative add to their bin's."""
    try:
        rng = np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ArgumentError(f"seed must be a whole number of 0 or more, got {seed}", "give e.g. 0") from None
    hit, alarm = gaps
    expected = np.add.reduceat(cases * alarm, first)  # k hits - (n - k) alarms = k (hits + alarms) - n alarms
    at_once = max(1, DRAWS_AT_ONCE // cases.size)
    chunks = [min(at_once, replicates - done) for done in range(0, replicates, at_once)]

    def chunk(size: int) -> Floats:
        drawn = rng.binomial(cases, probability, size=(size, cases.size)) * (hit + alarm)
        off: Floats = np.abs(np.add.reduceat(drawn, first, axis=1) - expected).sum(axis=1)
        return off

    return np.concatenate([chunk(size) for size in chunks])
