"""Intervals for the AUC: DeLong's variance of a ranking or rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import is_one_of, require_level, require_number, require_one_of
from thresher._internal.parallel import map_chunks, parallel_map, threads_for
from thresher.curves import auc
from thresher.errors import ArgumentError, argument
from thresher.inference.class_rows import ClassifiedRows
from thresher.inference.influence import RowInfluence, bessel_correction, class_influence
from thresher.inference.interval import (
    LOGIT,
    ClassIntervals,
    Interval,
    aligned_lines,
    normal_quantile,
    student_quantile,
    undefined,
)
from thresher.inference.intervals.rate import exact_limits
from thresher.inference.rows import ScoredRows, cluster_sums, count_above, one_model
from thresher.inputs.columns import Column
from thresher.inputs.labels import listed
from thresher.ranking import Floats, Ranking, Segments, require_ranking

AucMethod: TypeAlias = Literal["delong", "wald", "hanley-mcneil"]
PRIOR_FREEDOM = 12.0
FEW_CARRIERS = 3.0
NOTHING = 1e-30  # a variance no larger is rounding: one pair among 10^12 makes more


def auc_interval(
    source: Ranking | ScoredRows | Segments | ClassifiedRows,
    *,
    model: str | None = None,
    average: str | None = None,
    level: float = 0.95,
    method: AucMethod = "delong",
) -> Interval:
    """The interval for the AUC of a ranking, in O(segments), or of one model's rows.

    "delong": DeLong's variance (1988), limits on the logit scale. In small or very separated samples that variance is
    itself uncertain and too small when it errs, so for the limits it is averaged with Newcombe's (2006) as if that came
    from 12 more degrees of freedom, unless that is less, and Student's quantile is used; with many cases nothing of
    this is left. `variance` is DeLong's. Where fewer than three cases carry it, the note says so. Where it is 0 or
    undefined (AUC of 0 or 1, fewer than two cases of a class) the limits are exact for the smaller class's cases as
    independent pairs, and the note says so. "wald" is DeLong's textbook interval cut to
    [0, 1]; "hanley-mcneil" uses their variance (1982).

    The weights of a ranking are read as numbers of cases. Those of `ScoredRows` are sampling weights: scaling all of
    them changes nothing and uneven ones widen the interval. Rows of one cluster may be alike, and only clusters count
    as independent (Obuchowski 1997). Such rows have DeLong's method alone.

    Of k classes an AUC is an `average`: "one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro" or
    "one_vs_one_weighted". Each row then adds what it contributes to all AUCs in it, and limits have Student's quantile
    for the smallest class.

    >>> ct = Ranking([5, 4, 3, 2, 1], pos=[33, 11, 2, 2, 3], neg=[2, 11, 6, 6, 33])
    >>> interval = auc_interval(ct)
    >>> print(interval, round(interval.variance**0.5, 6))
    0.8932 [0.8149, 0.9407] 0.030724
    >>> print(auc_interval(Ranking.parse("[20+][20-]")))
    1.0000 [0.8316, 1.0000]
    >>> labels, scores = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13]
    >>> print(auc_interval(ScoredRows.of(labels, scores)))
    0.7500 [0.2748, 0.9596]
    >>> print(auc_interval(ScoredRows.of(labels * 2, scores * 2, clusters=[*range(10)] * 2)))  # every e-mail twice
    0.7500 [0.1169, 0.9855]
    >>> leaves = Segments.parse("[8,1,1][1,6,3][0,2,8]",
    ...     probability=[[.8, .1, .1], [.2, .5, .3], [.1, .2, .7]], classes="abc")
    >>> print(auc_interval(leaves, average="one_vs_rest_macro"))
    0.8373 [0.6746, 0.9274]
    """
    require_level(level)
    require_one_of(method, ("delong", "wald", "hanley-mcneil"), name="method")
    if isinstance(source, Segments | ClassifiedRows):
        return _average_interval(source, model, average, level)
    if average is not None:
        raise ArgumentError(f"two classes have one AUC, and no average {average!r}", "leave average out")
    if isinstance(source, ScoredRows):
        rows = replace(source, scores={(name := one_model(source.scores, model)): source.scores[name]})
        if not rows.simple and method != "delong":
            raise ArgumentError(f"method {method!r} knows no weights or clusters", 'leave method out, or give "delong"')
        if not rows.simple:
            return _sampled_auc_interval(rows, level)
        source = rows.ranking(name)
    require_ranking(source)
    source.require_both_classes()
    area, cases = auc(source), (source.Pos, source.Neg)
    if method == "hanley-mcneil":
        return logit_interval(area, hanley_mcneil_variance(area, *cases), cases, level, method=method)
    parts = delong_parts(source)
    variance = sum(parts)
    if method == "delong":
        interval = moderated_interval(area, parts, cases, level)
        return interval if interval.note else replace(interval, note=carried_by_few(source, parts))
    if not (variance > NOTHING and 0 < area < 1):
        return exact_pairs(area, variance, cases, level)
    half = normal_quantile(level) * math.sqrt(variance)
    return Interval(area, max(0.0, area - half), min(1.0, area + half), variance, level, method)


def auc_variance(ranking: Ranking) -> float:
    """DeLong's variance of the AUC; NaN with fewer than two cases of a class.

    >>> auc_variance(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    0.00208...
    """
    require_ranking(ranking)
    return float(sum(delong_parts(ranking)))


def hanley_mcneil_variance(area: float, Pos: float, Neg: float) -> float:
    """The variance of an AUC under Hanley & McNeil's (1982) exponential model.

    It needs no data, and serves for planning.

    >>> round(hanley_mcneil_variance(0.8, 50, 50) ** 0.5, 4)
    0.0445
    """
    for name, number in (("area", area), ("Pos", Pos), ("Neg", Neg)):
        require_number(number, name=name)
    if not (0 <= area <= 1 and Pos > 0 and Neg > 0):
        what = f"an AUC of {area} from {Pos} positives and {Neg} negatives has no variance"
        raise ArgumentError(what, "give an AUC within [0, 1] and numbers of cases above 0")
    first, second = area / (2 - area), 2 * area * area / (1 + area)
    spread = area * (1 - area) + (Pos - 1) * (first - area * area) + (Neg - 1) * (second - area * area)
    return spread / (Pos * Neg)


def delong_parts(ranking: Ranking) -> tuple[float, float]:
    """DeLong's variance: what the positives and what the negatives contribute."""
    ranking.require_both_classes()
    if len(ranking) == ranking.total and not ranking.weighted:
        return _parts_of_single_cases(ranking)
    area = auc(ranking)  # the mean of both classes' placements
    tp, fp = ranking.covered()
    pos, neg = ranking.narrow

    def squares(piece: slice) -> tuple[float, float]:
        after = slice(piece.start + 1, piece.stop + 1)
        beaten = 1 - area - (fp[piece] + fp[after]) / (2 * ranking.Neg)
        beating = (tp[piece] + tp[after]) / (2 * ranking.Pos) - area
        return float((beaten * beaten * pos[piece]).sum()), float((beating * beating * neg[piece]).sum())

    of_pos, of_neg = (math.fsum(part) for part in zip(*map_chunks(squares, len(ranking)), strict=True))
    Pos, Neg = ranking.Pos, ranking.Neg
    return bessel_correction(Pos) * of_pos / Pos**2, bessel_correction(Neg) * of_neg / Neg**2


def _parts_of_single_cases(ranking: Ranking) -> tuple[float, float]:
    """The same where no scores tie, added up in integers."""

    def moments(piece: slice) -> list[tuple[int, int, int]]:
        """By class: cases, the sum of opponents before them, and of its squares."""
        is_pos = ranking.narrow[0][piece] != 0
        sums = []
        for side in (is_pos, ~is_pos):
            opponents = np.flatnonzero(side)
            opponents -= np.arange(opponents.size)
            sums.append((opponents.size, int(opponents.sum()), int((opponents * opponents).sum())))
        return sums

    before, first, second = [0, 0], [0, 0], [0, 0]  # of the positives, of the negatives
    for piece in map_chunks(moments, len(ranking)):
        for side, (cases, total, squares) in enumerate(piece):
            earlier = before[1 - side]
            first[side] += total + cases * earlier
            second[side] += squares + 2 * earlier * total + cases * earlier * earlier
        before = [so_far + cases for so_far, (cases, _, _) in zip(before, piece, strict=True)]
    Pos, Neg = before
    of_pos, of_neg = (
        bessel_correction(own) * (own * second[side] - first[side] ** 2) / (own**3 * other**2)
        for side, own, other in ((0, Pos, Neg), (1, Neg, Pos))
    )
    return of_pos, of_neg


def carried_by_few(ranking: Ranking, parts: tuple[float, float]) -> str:
    """A remark where few cases carry the AUC's variance; empty where enough do.

    Of the class that contributes more, squared deviations of placements from the AUC are d²; (Σ d²)² / Σ d⁴ of them
    would contribute as much alone (Kish's effective number). Beyond those few a sample says little, and limits, above
    all a bootstrap's, may be too narrow.
    """
    side = int(parts[1] > parts[0])
    n = (ranking.Pos, ranking.Neg)[side]
    squares = parts[side] * n * n / bessel_correction(n)
    if not 0 < squares < FEW_CARRIERS:  # no deviation exceeds 1, so at least as many carry it
        return ""
    covered = ranking.covered()[1 - side] / (ranking.Neg, ranking.Pos)[side]
    beyond = (covered[1:] + covered[:-1]) / 2
    deviation = (1 - beyond if side == 0 else beyond) - auc(ranking)
    carriers = squares**2 / float((deviation**4 * ranking.narrow[side]).sum())
    if not carriers < FEW_CARRIERS:
        return ""
    kind = ("positives", "negatives")[side]
    return f"as few as {max(1, round(carriers))} of {n:,.10g} {kind} carry the variance; limits may be too narrow"


def moderated_interval(
    area: float,
    parts: tuple[float, float],
    cases: tuple[float, float],
    level: float,
    *,
    method: str = "delong",
    rows: tuple[float, float] | None = None,
    inflation: float = 1.0,
) -> Interval:
    """Limits on the logit scale from both parts of a variance, moderated.

    `cases` are what is independent and give the degrees of freedom. Where they are clusters, `rows` and
    the `inflation` of the variance by clustering say what the prior variance is.
    """
    variance = sum(parts)
    limits = AucLimits.of(area, parts, cases, rows=rows, inflation=inflation)
    if not limits.deviation:
        return exact_pairs(area, variance, cases, level)
    return Interval(area, *limits.at((1 - level) / 2), variance=variance, level=level, method=method)


@dataclass(frozen=True, slots=True)
class AucLimits:
    """Limits of one AUC at any level; exact for `pairs` where the deviation is 0."""

    area: float
    deviation: float
    freedom: float
    pairs: float

    @classmethod
    def of(
        cls,
        area: float,
        parts: tuple[float, float],
        cases: tuple[float, float],
        *,
        rows: tuple[float, float] | None = None,
        inflation: float = 1.0,
    ) -> AucLimits:
        """From a variance in two parts, as `moderated_interval`."""
        variance = sum(parts)
        if not (variance > NOTHING and 0 < area < 1):
            return cls(area, 0.0, math.nan, min(cases))
        freedom = satterthwaite(parts, cases)
        Pos, Neg = cases if rows is None else rows
        skew = ((Pos + Neg) / 2 - 1) * ((1 - area) / (2 - area) + area / (1 + area))
        newcombe = area * (1 - area) * (1 + skew) / (Pos * Neg) * inflation
        moderated = (freedom * variance + PRIOR_FREEDOM * newcombe) / (freedom + PRIOR_FREEDOM)
        return cls(area, math.sqrt(max(moderated, variance)), freedom + PRIOR_FREEDOM, min(cases))

    def at(self, tail: float) -> tuple[float, float]:
        """The limits beyond each of which so much lies."""
        if not self.deviation:
            return exact_limits(self.area * self.pairs, self.pairs, tail)
        return LOGIT.limits(self.area, student_tail(tail, self.freedom) * self.deviation)


def satterthwaite(parts: Sequence[float], cases: Sequence[float]) -> float:
    """Degrees of freedom of a sum of variances of means (Satterthwaite 1946)."""
    return sum(parts) ** 2 / sum(part**2 / max(n - 1, 1e-9) for part, n in zip(parts, cases, strict=True))


def student_tail(tail: float, freedom: float) -> float:
    """How far Student's t lies out with probability `tail`, however small."""
    from scipy.special import stdtrit

    return abs(float(stdtrit(freedom, tail)))  # SciPy gives inf, not -inf, where the tail is too small for it


def logit_interval(area: float, variance: float, cases: tuple[float, float], level: float, *, method: str) -> Interval:
    """Limits on the logit scale from a variance that is taken as known."""
    if not (variance > 0 and 0 < area < 1):
        return exact_pairs(area, variance, cases, level)
    limits = LOGIT.limits(area, normal_quantile(level) * math.sqrt(variance))
    return Interval(area, *limits, variance=variance, level=level, method=method)


def exact_pairs(area: float, variance: float, cases: tuple[float, float], level: float) -> Interval:
    """Clopper-Pearson limits from disjoint pairs, as many as the smaller class has.

    Disjoint pairs of a positive and a negative are independent trials that are won with probability AUC, so the limits
    hold whatever the distributions are; they ignore all other pairs and are wide.
    """
    pairs = min(cases)
    seen = "1 pair" if pairs == 1 else f"{pairs:g} independent pairs"
    note = f"DeLong's variance says nothing here; exact limits from {seen}, conservative"
    return Interval(area, *exact_limits(area * pairs, pairs, (1 - level) / 2), variance, level, "exact pairs", note)


Matrix: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AucCovariance:
    """AUCs of several models on the same rows, and how they vary together.

    `of_pos` and `of_neg` are what sampling positives and sampling negatives contribute; `shared` what both contribute
    together when clusters hold rows of both classes. `cases` are the independent positives and negatives.
    """

    areas: Floats
    of_pos: Matrix
    of_neg: Matrix
    shared: Matrix
    cases: tuple[float, float]

    @property
    def total(self) -> Matrix:
        """The covariance of the AUCs, models × models."""
        return self.of_pos + self.of_neg + self.shared


def _sampled_auc_interval(rows: ScoredRows, level: float) -> Interval:
    """Limits that allow for weights and clusters; of clusters, at least Student's t."""
    rows.require_two_clusters()
    spread = auc_covariance(rows)
    area, cases = float(spread.areas[0]), rows.cases
    parts = float(spread.of_pos[0, 0]), float(spread.of_neg[0, 0])
    if rows.cluster is None:
        method = "delong" if rows.weight is None else "delong, weighted"
        return moderated_interval(area, parts, cases, level, method=method)
    variance = float(spread.total[0, 0])
    scale = variance / sum(parts) if sum(parts) > 0 else 1.0
    independent = replace(rows, cluster=None)
    of_rows = float(auc_covariance(independent).total[0, 0])
    interval = moderated_interval(
        area,
        (parts[0] * scale, parts[1] * scale),
        cases,
        level,
        method="obuchowski",
        rows=independent.cases,
        inflation=max(1.0, variance / of_rows) if of_rows > 0 else 1.0,
    )
    if interval.method != "obuchowski":
        return interval
    lower, upper = LOGIT.limits(area, student_quantile(level, min(cases) - 1) * math.sqrt(variance))
    return replace(interval, lower=min(lower, interval.lower), upper=max(upper, interval.upper))


def auc_covariance(rows: ScoredRows) -> AucCovariance:
    """DeLong's covariance of all models' AUCs, also with weights and clusters.

    A row's placement V is the weighted share of the other class that it beats, or that beats it. With weights w of sum
    W over n rows of a class, that class contributes n / (n - 1) · Σ w² (V - θ)(V' - θ') / W²: DeLong, DeLong &
    Clarke-Pearson (1988) when weights are equal. With clusters, sums over a cluster take the place of rows and I
    clusters that of n, and positives and negatives of one cluster vary together (Obuchowski 1997: S10, S01 and S11).
    """
    sides = rows.positive, ~rows.positive
    weight: list[Any] = [1.0 if rows.weight is None else rows.weight.compress(side) for side in sides]
    total = [float(side.sum() if rows.weight is None else of.sum()) for side, of in zip(sides, weight, strict=True)]

    def place(score: Column) -> tuple[Floats, Floats]:
        above = count_above(rows.positive, score, rows.weight)
        return 1 - above.compress(sides[0]) / total[1], above.compress(sides[1]) / total[0]

    placements = parallel_map(place, list(rows.scores.values()), threads_for(len(rows) * len(rows.scores)))
    won = [(of_pos * weight[0]).sum() for of_pos, _ in placements]  # one by one: BLAS rounds by a row's place
    areas = np.clip(np.array(won) / total[0], 0.0, 1.0)
    influence = [
        (np.stack(side) - areas[:, np.newaxis]) * (of / size)
        for side, of, size in zip(zip(*placements, strict=True), weight, total, strict=True)
    ]
    cases = rows.cases
    shared, units = np.zeros((areas.size, areas.size)), tuple(float(each.shape[1]) for each in influence)
    if rows.cluster is not None:
        influence = [
            cluster_sums(each, rows.cluster[side], rows.clusters) for each, side in zip(influence, sides, strict=True)
        ]
        crossed = influence[0] @ influence[1].T * bessel_correction(rows.clusters)
        shared, units = crossed + crossed.T, cases
    of_pos, of_neg = (each @ each.T * bessel_correction(n) for each, n in zip(influence, units, strict=True))
    return AucCovariance(areas, of_pos, of_neg, shared, cases)


AVERAGES = ("one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro", "one_vs_one_weighted")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassAucIntervals(ClassIntervals):
    """An interval for each class against the rest, and for each of the four averages."""

    one_vs_rest: Mapping[Any, Interval]
    one_vs_rest_macro: Interval
    one_vs_rest_weighted: Interval
    one_vs_one_macro: Interval
    one_vs_one_weighted: Interval
    dropped: int = 0

    def average(self, name: str) -> Interval:
        """One of the four averages by its name."""
        interval: Interval = getattr(self, name)
        return interval

    def __str__(self) -> str:
        lines = [(f"{name!s} against the rest", interval) for name, interval in self.one_vs_rest.items()]
        lines += [(name.replace("_", "-", 2).replace("_", ", "), getattr(self, name)) for name in AVERAGES]
        return aligned_lines(lines)

    def _brief(self) -> str:
        return f"{len(self.one_vs_rest):,} classes, one-vs-rest macro {self.one_vs_rest_macro}"


def _average_interval(source: Segments | ClassifiedRows, model: str | None, average: Any, level: float) -> Interval:
    """The interval of one average of the AUCs of k classes."""
    if not is_one_of(average, AVERAGES):
        what = "an AUC of k classes is an average, of which there are four"
        if average is not None:
            what = f"there is no average {average!r} of AUCs"
        raise ArgumentError(what, f"pass {argument('average', AVERAGES[0])}, or {listed(AVERAGES[1:])}")
    rows = ClassifiedRows.of_segments(source) if isinstance(source, Segments) else source
    rows.require_two_clusters()
    name = one_model(rows.matrices, model)
    return area_intervals(rows, name, class_influence(rows, name), level=level).average(average)


def area_intervals(
    rows: ClassifiedRows, model: str, influence: Mapping[str, RowInfluence], *, level: float
) -> ClassAucIntervals:
    """Intervals for every one-vs-rest AUC and its four averages.

    Each class against the rest is `auc_interval` of its ranking. An average adds up, row by row, what the row
    contributes to each AUC in it (its placement less the AUC, as in DeLong 1988), because a row is a positive of one
    AUC and a negative of others; rows are drawn from all classes together, so the shares of the classes in weighted
    averages are uncertain too. Limits are on the logit scale, with Student's quantile for as many degrees of freedom
    as the smallest class has cases, less one. What needs a class without cases is undefined, and says so.
    """
    smallest, units = float(rows.class_units[rows.present].min()), rows.units

    def average(of: RowInfluence) -> Interval:
        if math.isnan(of.estimate):
            return undefined(level, of.note)
        area, variance = of.estimate, of.variance(rows.cluster) if smallest > 1 else math.nan
        if not (variance > NOTHING and 0 < area < 1):
            return exact_pairs(min(1.0, area), variance, (smallest, max(units - smallest, smallest)), level)
        deviation = student_quantile(level, smallest - 1) * math.sqrt(variance)
        return Interval(area, *LOGIT.limits(area, deviation), variance, level, "placements")

    def against_rest(i: int) -> Interval:
        if not rows.present[i]:
            return undefined(level, "there are no such cases")
        score = np.ascontiguousarray(rows.matrices[model][:, i])
        return auc_interval(ScoredRows(rows.index == i, {model: score}, rows.weight, rows.cluster), level=level)

    return ClassAucIntervals(
        one_vs_rest={name: against_rest(i) for i, name in enumerate(rows.classes)},
        **{name: average(influence[name]) for name in AVERAGES},
        dropped=rows.dropped,
    )
