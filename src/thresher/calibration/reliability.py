"""Scores against observed frequencies, and the calibration error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from thresher._internal.arguments import as_number, require_integer, require_level, require_one_of
from thresher._internal.parallel import MOST_REPLICATES
from thresher._internal.results import Result, Tabular
from thresher.calibration.prevalence import adjust_prevalence
from thresher.curves import hull_splits
from thresher.curves.hull import Splits
from thresher.errors import ArgumentError, WeightError, argument
from thresher.ranking import Counts, Floats, Ranking, mean_scores, require_ranking, splits_at

Binning: TypeAlias = Literal["exact", "hull", "quantile", "uniform"]
ErrorBins: TypeAlias = Literal["quantile", "uniform", "exact"]

MOST_BINS = 1_000_000
MOST_GROUPS = 5_000  # segments drawn one by one; beyond that, neighbours are drawn together
DRAWS_AT_ONCE = 1 << 21

_COLUMNS = ("score", "observed", "pos", "neg", "lowest", "highest")


def splits_of(ranking: Ranking, bins: Binning, *, count: int) -> Splits:
    """The splits 0..m at which bins begin and end."""
    require_bins(count, name="count")
    require_one_of(bins, get_args(Binning), name="bins")
    if bins == "exact":
        return np.arange(len(ranking) + 1)
    if bins == "hull":
        require_ranking(ranking, both_classes=True)
        return hull_splits(ranking)
    return quantile_splits(ranking, count) if bins == "quantile" else uniform_splits(ranking, count)


def require_bins(count: int, *, name: str = "bins") -> None:
    """Refuse what is no number of bins: an integer from 1 to a million."""
    require_integer(count, name=name, least=1, most=MOST_BINS, fix=f"give e.g. {argument(name, 10)}")


def quantile_splits(ranking: Ranking, count: int) -> Splits:
    """The splits nearest to equal shares of the cases; a segment is never torn apart.

    Where large segments leave no split near a share, there are fewer bins than asked for.
    """
    tp, fp = ranking.covered()
    covered = tp + fp
    share = ranking.total * np.arange(1, count) / count
    above = np.searchsorted(covered, share)
    nearer_below = share - covered[above - 1] <= covered[above] - share
    return np.unique(np.concatenate([[0], above - nearer_below, [len(ranking)]]))


def uniform_splits(ranking: Ranking, count: int) -> Splits:
    """The splits at i / count, for scores in [0, 1].

    A score on an edge is in the upper bin.
    """
    reached = splits_at(ranking.score, np.arange(1, count) / count)
    return np.unique(np.concatenate([[0], reached, [len(ranking)]]))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reliability(Tabular):
    """One row per run of neighbouring segments, by falling score.

    `score` is the mean score of the cases in it, `observed` their proportion of positives,
    `lowest` and `highest` the scores it spans; `bins` says how the runs were formed.
    """

    score: Floats
    observed: Floats
    pos: Counts
    neg: Counts
    lowest: Floats
    highest: Floats
    bins: Binning

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            getattr(self, name).flags.writeable = False

    def __len__(self) -> int:
        return int(self.score.size)

    def to_dict(self) -> dict[str, Any]:
        """The columns as lists."""
        return {"bins": self.bins} | {name: getattr(self, name).tolist() for name in _COLUMNS}

    def _brief(self) -> str:
        return f"{len(self):,} rows, bins={self.bins!r}"

    def __str__(self) -> str:
        head = f"{'score':>8}{'observed':>10}{'pos':>8}{'neg':>8}"
        rows = zip(self.score, self.observed, self.pos, self.neg, strict=True)
        return "\n".join([head, *(f"{s:8.4f}{o:10.4f}{p:8g}{n:8g}" for s, o, p, n in rows)])


def reliability(ranking: Ranking, *, bins: Binning = "exact", count: int = 10) -> Reliability:
    """The reliability table of scores that are probabilities.

    "exact" has a row per distinct score and "hull" one per pool, whose proportions fall with the
    score; neither has a bin to choose. "quantile" has bins of nearly equal count (ties are never
    torn apart) and "uniform" bins of equal width, a score on an edge belonging to the upper one;
    what one sees then depends on `count`. Bins without cases have no row.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> print(reliability(spam_tree))
       score  observed     pos     neg
      0.9000    0.8000      20       5
      0.6000    0.6667      10       5
      0.3000    0.3333      20      40
    >>> reliability(spam_tree, bins="uniform", count=2).score.tolist()
    [0.7875, 0.3]
    """
    require_ranking(ranking, probabilities=True)
    split = splits_of(ranking, bins, count=count)
    pos, neg = ranking.runs(split)
    return Reliability(
        score=mean_scores(ranking, split),
        observed=pos / (pos + neg),
        pos=pos,
        neg=neg,
        lowest=ranking.score[split[1:] - 1],
        highest=ranking.score[split[:-1]],
        bins=bins,
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationGap(Result):
    """An ECE, and its distribution if every score were the true probability.

    `null` holds the simulated values in rising order; `null_lower` and `null_upper` are its
    central quantiles at `level`, and `p_value` is the share of it that reaches the estimate.
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

    def _brief(self) -> str:
        return (
            f"{self.estimate:.4f} over {self.count} {self.bins} bins; if calibrated,"
            f" {self.null_mean:.4f} ({self.level:.0%}: {self.null_lower:.4f} to {self.null_upper:.4f}),"
            f" p = {self.p_value:.2g}"
        )


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
) -> CalibrationGap:
    """Expected calibration error, Σ n |mean score - observed| / N, and its null.

    ECE is biased upward and depends on the bins: a perfectly calibrated model shows 0.04 at a
    thousand cases. So it comes with its distribution under calibration, simulated by drawing the
    labels of each segment from its score (Bröcker & Smith 2007, "consistency resampling"). Above
    5,000 segments neighbours within a bin are drawn together at their mean score. The hull's pools
    are no choice here, because labels choose them: `decomposition(...).miscalibration` is the
    measure without bins. `count` in the answer is that of bins that hold cases.

    At a declared `prevalence` cases are re-weighted to it and probabilities restated for it, from `trained_at` or the
    prevalence of the cases, as `adjust_prevalence` does; labels are drawn as they are in the data.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> ece(spam_tree)
    CalibrationGap(0.0550 over 3 uniform bins; if calibrated, 0.055... (95%: 0.0150 to 0.1150), p = 0.53)
    >>> round(ece(spam_tree, prevalence=0.05).estimate, 4)
    0.0221
    """
    require_ranking(ranking, probabilities=True)
    fix = "pick one; for a measure without bins, take decomposition(ranking).miscalibration"
    require_one_of(bins, get_args(ErrorBins), name="bins", fix=fix)
    if bins == "exact" and len(ranking) > MOST_GROUPS:
        what = f"{len(ranking):,} exact segments are too many bins for an ECE to mean anything"
        fix = f"pass {argument('bins', 'quantile')}, or take decomposition(ranking).miscalibration"
        raise ArgumentError(f"{what} (at most {MOST_GROUPS:,})", f"{fix}, which needs no bins")
    require_level(level)
    if ranking.weighted and (np.mod(ranking.pos, 1).any() or np.mod(ranking.neg, 1).any()):
        what = "weights that are not whole do not say how many labels there were to draw"
        raise WeightError(what, "rank without weights, or take reliability(ranking), which needs no null distribution")
    fix = f"give e.g. {argument('replicates', 1000)}"
    replicates = require_integer(replicates, name="replicates", least=1, most=MOST_REPLICATES, fix=fix)
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
        bins=bins,
        count=split.size - 1,
        null=null,
    )


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
    try:
        rng = np.random.default_rng(seed)
    except (TypeError, ValueError):
        what = f"{argument('seed')} must be a whole number of 0 or more, got {seed}"
        raise ArgumentError(what, "give e.g. 0", parameter="seed") from None
    hit, alarm = gaps
    expected = np.add.reduceat(cases * alarm, first)  # k hits - (n - k) alarms = k (hits + alarms) - n alarms
    at_once = max(1, DRAWS_AT_ONCE // cases.size)
    summed = np.empty(replicates)
    for start in range(0, replicates, at_once):
        some = summed[start : start + at_once]
        drawn = rng.binomial(cases, probability, size=(some.size, cases.size)) * (hit + alarm)
        np.abs(np.add.reduceat(drawn, first, axis=1) - expected).sum(axis=1, out=some)
    return summed
