"""Intervals for calibration and refinement loss, and a test."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from thresher._internal.arguments import require_level
from thresher._internal.parallel import Progress, map_blocks
from thresher._internal.results import Result, Tabular
from thresher.calibration import brier, decomposition, squared_losses
from thresher.errors import WeightError
from thresher.inference.bootstrap.bootstrap import bootstrap
from thresher.inference.bootstrap.draws import require_replicates
from thresher.inference.bootstrap.isotonic import pooled_impurity
from thresher.inference.bootstrap.replicates import basic_limits, percentile_limits, variance_of
from thresher.inference.interval import Interval, interval_columns, stretch_limits
from thresher.inference.intervals.loss import brier_interval
from thresher.ranking import Counts, Floats, Ranking, require_ranking


def null_labels(ranking: Ranking) -> Callable[[np.random.Generator], tuple[Counts, Counts]]:
    """A way to draw labels per segment from the probabilities that are its scores."""
    ranking.require_probabilities()
    cases = ranking.pos + ranking.neg
    if ranking.weighted and np.mod(cases, 1).any():
        raise WeightError(
            "weights that are not whole do not say how many labels there were to draw", "rank without weights"
        )
    counts, score = cases.astype(np.int64), ranking.score
    alone = int(counts.max()) == 1  # comparing is faster than a binomial each

    def draw(rng: np.random.Generator) -> tuple[Counts, Counts]:
        pos = (rng.random(counts.size) < score).astype(np.int64) if alone else rng.binomial(counts, score)
        return pos, counts - pos

    return draw


@dataclass(frozen=True, slots=True, repr=False)
class CalibrationIntervals(Tabular):
    """Intervals for the losses of probabilities, over the hull's pools.

    Brier score = calibration + refinement, and calibration is CORP's miscalibration.
    """

    brier: Interval
    calibration: Interval
    refinement: Interval
    discrimination: Interval

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns([({"quantity": part.name}, getattr(self, part.name)) for part in fields(self)])


def calibration_intervals(
    ranking: Ranking,
    *,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> CalibrationIntervals:
    """Intervals for the Brier score and its parts.

    The hull fits the labels it is judged by, so calibration loss is estimated too high and refinement loss too low,
    and a resample doubles that. The mean excess of resamples is therefore taken off the estimate, and limits are
    mirrored in the data's value ("basic"), which takes it off them; none lies below 0. What the data show, excess and
    all, is `apparent`. Calibrated scores lie at the end of the range, where no bootstrap holds: calibration loss is
    bounded away from 0 only if `calibration_test` rejects calibration at (1 - level) / 2. The Brier score has no such
    bias and gets percentile limits; those of `brier_interval` where all replicates agree.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> losses = calibration_intervals(spam_tree, replicates=500)
    >>> print(losses.brier, "|", losses.calibration, "| apparent", round(losses.calibration.apparent, 4))
    0.2105 [0.1686, 0.2517] | 0.0000 [0.0000, 0.0068] | apparent 0.0038
    """
    require_level(level)
    require_ranking(ranking)
    drawn = bootstrap(
        ranking,
        ["brier", "decomposition"],
        replicates=replicates,
        seed=seed,
        stratified=False,
        level=level,
        threads=threads,
        progress=progress,
    )

    def unbiased(name: str) -> Interval:
        apparent, bias, values = drawn.estimate(name), drawn.bias(name), drawn.values(name)
        estimate = max(0.0, apparent - bias)
        note = f"replicates lie {bias:+.4f} from the apparent value, which is taken off"
        low, high = basic_limits(values, apparent, level)
        limits = stretch_limits(estimate, max(0.0, low), max(0.0, high))
        return Interval(estimate, *limits, variance_of(values), level, "basic bootstrap", note, apparent)

    calibration = unbiased("miscalibration")
    if calibration.lower > 0:
        test = calibration_test(ranking, level=level, replicates=replicates, seed=seed, threads=threads)
        if test.p_value > (1 - level) / 2:
            note = f"{calibration.note}; calibration is not rejected (p = {test.p_value:.2g}), so the lower limit is 0"
            calibration = replace(calibration, lower=0.0, note=note)
    of_brier = drawn.interval("brier")
    return CalibrationIntervals(
        brier=of_brier if of_brier.width > 0 else brier_interval(ranking, level=level),
        calibration=calibration,
        refinement=unbiased("refinement"),
        discrimination=unbiased("discrimination"),
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationTest(Result):
    """Whether the scores could be the true probabilities.

    `miscalibration` is CORP's, next to what labels drawn from the scores would show (`null`, with its mean and central
    limits at `level`); `p_value` is the share of those that reach it. `z` is Spiegelhalter's
    statistic, with its own two-sided p-value.
    """

    miscalibration: float
    null_mean: float
    null_lower: float
    null_upper: float
    p_value: float
    z: float
    z_p_value: float
    level: float
    null: Floats

    def _brief(self) -> str:
        return (
            f"miscalibration {self.miscalibration:.4f}; if calibrated, {self.null_mean:.4f}"
            f" ({self.level:.0%}: {self.null_lower:.4f} to {self.null_upper:.4f}), p = {self.p_value:.2g};"
            f" z = {self.z:.2f}, p = {self.z_p_value:.2g}"
        )


def calibration_test(
    ranking: Ranking,
    *,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> CalibrationTest:
    """Test whether the scores are the true probabilities.

    Miscalibration is never 0 on finite data, so it is shown with its null distribution: labels are drawn from
    the scores and the hull fitted again each time. It notices any monotone distortion. Spiegelhalter's z compares the
    Brier score with what the scores themselves expect, Σ (y - p)(1 - 2p) / √(Σ (1 - 2p)² p (1 - p)), and notices over-
    or underconfidence best (Spiegelhalter 1986); it is undefined when every score is 0, ½ or 1.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> calibration_test(spam_tree, replicates=500)
    CalibrationTest(miscalibration 0.0038; if calibrated, 0.0052 (95%: 0.0003 to 0.0167), p = 0.51; z = 1.37, p = 0.17)
    """
    require_level(level)
    require_replicates(replicates, seed, threads, progress)
    require_ranking(ranking)
    draw = null_labels(ranking)
    of_pos, of_neg = squared_losses(ranking.score, ranking.score)

    def block(rng: np.random.Generator, size: int) -> list[float]:
        losses = []
        for _ in range(size):
            pos, neg = draw(rng)
            squares = float((of_pos * pos + of_neg * neg).sum())
            losses.append(max(0.0, squares - pooled_impurity(pos, neg)) / ranking.total)
        return losses

    null = np.concatenate(
        map_blocks(block, replicates, items=len(ranking), seed=seed, threads=threads, progress=progress)
    )
    null.flags.writeable = False
    # With one class there is one pool, whose proportion is 0 or 1.
    both = ranking.Pos and ranking.Neg
    estimate = decomposition(ranking, bins="hull").miscalibration if both else brier(ranking)
    lower, upper = percentile_limits(null, level)
    reached = int(np.count_nonzero(null >= estimate * (1 - 1e-9) - 1e-15))
    score, cases = ranking.score, ranking.pos + ranking.neg
    lean = 1 - 2 * score  # Spiegelhalter's
    spread = float((lean**2 * score * (1 - score) * cases).sum())
    z = float(((ranking.pos - score * cases) * lean).sum()) / math.sqrt(spread) if spread > 0 else math.nan
    return CalibrationTest(
        miscalibration=estimate,
        null_mean=float(null.mean()),
        null_lower=lower,
        null_upper=upper,
        p_value=(1 + reached) / (1 + replicates),
        z=z,
        z_p_value=math.erfc(abs(z) / math.sqrt(2)),
        level=level,
        null=null,
    )
