"""A test of vectors: labels drawn from them give the null of any statistic."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from thresher._internal.arguments import as_number, require_level, require_one_of
from thresher._internal.parallel import Progress, map_blocks
from thresher._internal.results import Result
from thresher.calibration.calibration_error import ErrorBins
from thresher.calibration.kernel import kernels_of
from thresher.calibration.meanings import Comparison, Of, comparisons, draw_labels, draws_at_once, require_meaning
from thresher.calibration.reliability import top_label
from thresher.calibration.scores import class_squared_errors
from thresher.errors import ArgumentError, argument
from thresher.inference.bootstrap.draws import require_replicates
from thresher.inference.bootstrap.isotonic import pooled_impurity
from thresher.inference.bootstrap.replicates import percentile_limits
from thresher.ranking import Counts, Floats, Segments

Named: TypeAlias = Literal["miscalibration", "calibration", "ece", "skce"]
Statistic: TypeAlias = Named | Callable[[Segments], float]

CASES_PER_VECTOR = 5  # from which shares of vectors are compared with the vectors themselves
_NOTHING = 1e-24  # a variance of squared errors that is rounding


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassCalibrationTest(Result):
    """Whether vectors of probabilities could be true.

    `estimate` is the statistic, next to what labels drawn from the vectors would show (`null`, with its mean and
    central limits at `level`); `p_value` is the share of those that reach it. `z` is Spiegelhalter's statistic, with
    its own two-sided p-value. `bandwidths` are those of the kernels, if there are any.
    """

    of: Of | None
    statistic: str
    estimate: float
    null_mean: float
    null_lower: float
    null_upper: float
    p_value: float
    z: float
    z_p_value: float
    bandwidths: tuple[float, ...]
    level: float
    null: Floats

    def _brief(self) -> str:
        words = {"class": "class by class", "top": "top label", "canonical": "canonical"}
        meaning = "" if self.of is None else f", {words[self.of]}"
        if self.bandwidths:
            meaning += f", bandwidth {', '.join(f'{width:.3g}' for width in self.bandwidths)}"
        return (
            f"{self.statistic} {self.estimate:.4f}{meaning}; if calibrated, {self.null_mean:.4f}"
            f" ({self.level:.0%}: {self.null_lower:.4f} to {self.null_upper:.4f}), p = {self.p_value:.2g};"
            f" z = {self.z:.2f}, p = {self.z_p_value:.2g}"
        )


def class_calibration_test(
    segments: Segments,
    *,
    of: Of | None,
    statistic: Statistic | None,
    bins: ErrorBins | None,
    count: int | None,
    bandwidth: float | None,
    level: float,
    replicates: int,
    seed: int,
    threads: int | None,
    progress: Progress | None,
) -> ClassCalibrationTest:
    """As `calibration_test`, of segments."""
    require_level(level)
    require_replicates(replicates, seed, threads, progress)
    draw, bandwidths = draw_labels(segments), tuple[float, ...]()
    if callable(statistic):
        name: Any = getattr(statistic, "__name__", "statistic")
        _refuse(name, of=of, bins=bins, count=count, bandwidth=bandwidth)
        measure, threads = _of_segments(segments, statistic), threads or 1
    else:
        of = "class" if of is None else of
        require_meaning(of)
        name = _default(segments, of) if statistic is None else statistic
        require_one_of(name, get_args(Named), name="statistic", fix="or pass a function of segments")
        measure, bandwidths = _measure(segments, of, name, _Options(bins, count, bandwidth))
    at_once = draws_at_once(segments)

    def block(rng: np.random.Generator, size: int) -> Floats:
        sizes = [min(at_once, size - start) for start in range(0, size, at_once)]
        return np.concatenate([measure(draw(rng, some)) for some in sizes])

    items = segments.counts.size
    null = np.concatenate(map_blocks(block, replicates, items=items, seed=seed, threads=threads, progress=progress))
    null.flags.writeable = False
    estimate = float(measure(segments.counts[np.newaxis])[0])
    lower, upper = percentile_limits(null, level)
    reached = int(np.count_nonzero(null >= estimate - 1e-9 * abs(estimate) - 1e-15))
    z = _spiegelhalter(top_segments(segments) if of == "top" else segments)
    return ClassCalibrationTest(
        of=of,
        statistic=name,
        estimate=estimate,
        null_mean=float(null.mean()),
        null_lower=lower,
        null_upper=upper,
        p_value=(1 + reached) / (1 + replicates),
        z=z,
        z_p_value=math.erfc(abs(z) / math.sqrt(2)),
        bandwidths=bandwidths,
        level=level,
        null=null,
    )


def top_segments(segments: Segments) -> Segments:
    """Whether the most probable class is the right one, as two classes."""
    top = top_label(segments)
    vectors, counts = np.stack([top.score, 1 - top.score], axis=1), np.stack([top.pos, top.neg], axis=1)
    return Segments(vectors, counts, classes=["right", "wrong"])


def _default(segments: Segments, of: Of) -> Named:
    if of != "canonical":
        return "miscalibration"
    return "calibration" if segments.total >= CASES_PER_VECTOR * len(segments) else "skce"


@dataclass(frozen=True, slots=True)
class _Options:
    """What some statistics may be asked for; None leaves it to them."""

    bins: ErrorBins | None
    count: int | None
    bandwidth: float | None


def _measure(
    segments: Segments, of: Of, name: Named, options: _Options
) -> tuple[Callable[[Counts], Floats], tuple[float, ...]]:
    """A statistic of draws of labels, and the bandwidths it used."""
    if name == "ece":
        _refuse(name, bandwidth=options.bandwidth)
        bins: ErrorBins = "uniform" if options.bins is None else options.bins
        require_one_of(bins, get_args(ErrorBins), name="bins")
        compared = comparisons(segments, of, bins=bins, count=10 if options.count is None else options.count)
        return lambda counts: _mean([each.error(counts) for each in compared]), ()
    _refuse(name, bins=options.bins, count=options.count)
    compared = comparisons(segments, of, bins="exact", count=1)
    if name == "skce":
        kernels = kernels_of(compared, options.bandwidth)
        bandwidths = tuple(kernel.bandwidth for kernel in kernels)
        return lambda counts: _mean([each.estimate(counts) for each in kernels]), bandwidths
    _refuse(name, bandwidth=options.bandwidth)
    half = 0.5 if of == "class" else 1.0  # a Brier score of k classes is half the sum of those of each class
    if name == "calibration":
        return lambda counts: half * np.sum([each.loss(counts) for each in compared], axis=0), ()
    if of == "canonical":
        what = "miscalibration is what the hull would mend, and vectors have no order"
        fix = f"pass {argument('statistic', 'skce')}, or {argument('of', 'class')}"
        raise ArgumentError(what, fix, parameter="statistic")
    return lambda counts: half * np.sum([_miscalibration(each, counts) for each in compared], axis=0), ()


def _mean(values: list[Floats]) -> Floats:
    mean: Floats = np.mean(values, axis=0)
    return mean


def _miscalibration(comparison: Comparison, counts: Counts) -> Floats:
    """CORP's of each draw, over groups by falling score."""
    score = comparison.probability[comparison.order[comparison.first], 0]
    pos = comparison.observed(counts)[..., 0]
    neg = comparison.group_cases - pos
    squares = pos @ (1 - score) ** 2 + neg @ score**2
    pooled = np.array([pooled_impurity(hits, misses) for hits, misses in zip(pos, neg, strict=True)])
    lost: Floats = np.maximum(0.0, squares - pooled) / comparison.cases.sum()
    return lost


def _of_segments(segments: Segments, statistic: Callable[[Segments], float]) -> Callable[[Counts], Floats]:
    def measure(counts: Counts) -> Floats:
        drawn = (Segments(segments.probability, each, classes=segments.classes) for each in counts)
        values = np.array([as_number(statistic(each)) for each in drawn])
        if np.isnan(values).any():
            fix = "pass a function that takes segments and returns a number for any labels"
            raise ArgumentError(f"{argument('statistic')} returned what is no number", fix, parameter="statistic")
        return values

    return measure


def _spiegelhalter(segments: Segments) -> float:
    """The Brier score less its expectation, in standard deviations."""
    p, losses = segments.probability, class_squared_errors(segments.probability)
    expected = (p * losses).sum(axis=1, keepdims=True)
    variance = (p * (losses - expected) ** 2).sum(axis=1)
    spread = float((segments.counts.sum(axis=1) * np.where(variance > _NOTHING, variance, 0.0)).sum())
    return float((segments.counts * (losses - expected)).sum()) / math.sqrt(spread) if spread > 0 else math.nan


def _refuse(statistic: str, **options: Any) -> None:
    """Refuse options that a statistic does not read."""
    if useless := [name for name, value in options.items() if value is not None]:
        what = f"{statistic} does not use {argument(useless[0])}"
        raise ArgumentError(what, "leave it out, or pick another statistic", parameter=useless[0])
