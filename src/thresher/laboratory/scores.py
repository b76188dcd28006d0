"""`Scores`: a world in which each class has a distribution of scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_between, require_function, require_integer, require_number
from thresher.errors import ArgumentError, argument
from thresher.inference import Interval
from thresher.laboratory.cells import Cells
from thresher.laboratory.sample import Sample, Seed, random_generator
from thresher.laboratory.truth import around, formula, mean_over_quantiles
from thresher.ranking import Floats
from thresher.tables import Contingency, OperatingCondition
from thresher.tables.condition import require_condition

_GRID = 4001
_ROUNDS = 1000
_RAREST = 1e-300
_MOST_LEVELS = 10**5
_FARTHEST = 40.0  # log-odds of the quantiles at the ends of the grid


class Distribution(Protocol):
    """A continuous distribution, as SciPy's frozen ones are."""

    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density."""

    def cdf(self, x: Any) -> Any:
        """The share below x."""

    def sf(self, x: Any) -> Any:
        """The share above x."""

    def ppf(self, share: Any) -> Any:
        """Below which x the share lies."""

    def isf(self, share: Any) -> Any:
        """Above which x the share lies."""


@dataclass(frozen=True, slots=True)
class Normals:
    """A mixture of normal distributions; mostly of one."""

    means: tuple[float, ...]
    deviations: tuple[float, ...] = (1.0,)
    shares: tuple[float, ...] = (1.0,)

    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density."""
        from scipy.special import logsumexp

        z = self._standardised(x)
        peak = np.log(np.array(self.shares) / np.array(self.deviations)) - math.log(2 * math.pi) / 2
        return logsumexp(peak - z * z / 2, axis=-1)

    def cdf(self, x: Any) -> Any:
        """The share below x."""
        from scipy.special import ndtr

        return ndtr(self._standardised(x)) @ np.array(self.shares)

    def sf(self, x: Any) -> Any:
        """The share above x."""
        from scipy.special import ndtr

        return ndtr(-self._standardised(x)) @ np.array(self.shares)

    def ppf(self, share: Any) -> Any:
        """Below which x the share lies."""
        return self._quantile(share, self.cdf, 1.0)

    def isf(self, share: Any) -> Any:
        """Above which x the share lies."""
        return self._quantile(share, self.sf, -1.0)

    def _standardised(self, x: Any) -> Floats:
        return (np.asarray(x, dtype=np.float64)[..., np.newaxis] - np.array(self.means)) / np.array(self.deviations)

    def _quantile(self, share: Any, tail: Callable[[Any], Any], sign: float) -> Any:
        from scipy.special import ndtri

        ends = sign * ndtri(np.asarray(share, dtype=np.float64))[..., np.newaxis] * np.array(self.deviations)
        ends = ends + np.array(self.means)
        low, high = ends.min(axis=-1), ends.max(axis=-1)  # the mixture's lies between the components'
        if len(self.means) == 1:
            return low
        for _ in range(80):
            middle = (low + high) / 2
            beyond = (tail(middle) - share) * sign > 0
            low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
        return (low + high) / 2


@dataclass(frozen=True, eq=False)
class Scores:
    """A world in which each class has a distribution of scores.

    Distributions are SciPy's, frozen (`scipy.stats.t(3, loc=1)`). By default scores are what was drawn;
    `as_probabilities` and `logistic` make probabilities of it, `levels` cuts it into few values, `clustered` lets rows
    of a cluster vary together, and `selected` draws some scores more readily and weighs rows to make up for it. The
    truth is stated as what thresher's function of that name tends to with ever more cases.

    >>> world = Scores.of_auc(0.8, prevalence=0.1).as_probabilities()
    >>> round(world.auc.estimate, 6), round(world.brier.estimate, 5), world.brier.method
    (0.8, 0.07645, 'integral')
    >>> round(world.table(0.1).tpr, 5)
    0.72412
    """

    positive: Distribution
    negative: Distribution
    prevalence: float = 0.5
    intercept: float = 0.0
    slope: float | None = None
    cluster_size: int = 1
    correlation: float = 0.0
    inclusion: Callable[[Floats], npt.ArrayLike] | None = field(default=None)

    def __post_init__(self) -> None:
        _require_continuous(self.positive, name="positive")
        _require_continuous(self.negative, name="negative")
        require_between(self.prevalence, 0, 1, name="prevalence", fix="give the share of positives, e.g. 0.1")
        require_number(self.intercept, name="intercept")
        if self.slope is not None and not 0 < require_number(self.slope, name="slope") < math.inf:
            what = f"{argument('slope')} must be above 0, so that scores do not turn round, got {self.slope}"
            raise ArgumentError(what, "e.g. 1", parameter="slope")
        require_integer(self.cluster_size, name="cluster_size", least=1, fix="say how many rows a cluster has")
        if not 0 <= require_number(self.correlation, name="correlation") < 1:
            what = f"{argument('correlation')} must be at least 0 and below 1, got {self.correlation}"
            raise ArgumentError(what, "e.g. 0.3", parameter="correlation")
        require_function(self.inclusion, name="inclusion")
        if self.inclusion is not None and self.cluster_size > 1:
            raise ArgumentError("rows in clusters are not selected one by one", "take one or the other")

    @classmethod
    def of_auc(cls, auc: float, prevalence: float = 0.5, *, noise: Distribution | None = None) -> Scores:
        """Both classes spread by the same noise, positives shifted to an AUC.

        The noise is standard normal unless another distribution is given, such as `scipy.stats.t(3)`.

        >>> from scipy import stats
        >>> round(Scores.of_auc(0.8, noise=stats.t(3)).auc.estimate, 6)
        0.8
        """
        from scipy.optimize import brentq
        from scipy.special import ndtri

        require_between(auc, 0, 1, name="auc", fix="e.g. 0.8")
        if noise is None:
            return cls(Normals((math.sqrt(2) * float(ndtri(auc)),)), Normals((0.0,)), prevalence)

        _require_continuous(noise, name="noise")

        def area(shift: float) -> float:
            return _mean(noise, lambda x: noise.sf(x - shift)).estimate

        reach = float(noise.isf(1e-9)) - float(noise.ppf(1e-9))
        shift = float(brentq(lambda at: area(at) - auc, -reach, reach, xtol=1e-12))
        return cls(_Shifted(noise, shift), noise, prevalence)

    def logistic(self, intercept: float = 0.0, slope: float = 1.0) -> Scores:
        """The same world, its scores turned into 1 / (1 + exp(-intercept - slope · x))."""
        return replace(self, intercept=intercept, slope=slope)

    def as_probabilities(self, *, shift: float = 0.0, slope: float = 1.0) -> Scores:
        """The same world, its scores turned into true probabilities, or into wrong ones.

        `shift` is added to the true log-odds, so that above 0 scores are too high; `slope` multiplies them, so that
        above 1 scores are too sure. Only normal classes of one spread have log-odds that are linear in the score.

        >>> high = Scores.of_auc(0.8).as_probabilities(shift=1)
        >>> round(high.calibration_loss.estimate, 5)
        0.03494
        """
        shift, slope = require_number(shift, name="shift"), require_number(slope, name="slope")
        pos, neg = self.positive, self.negative
        one = isinstance(pos, Normals) and isinstance(neg, Normals) and len(pos.means) == len(neg.means) == 1
        if not (one and isinstance(pos, Normals) and isinstance(neg, Normals) and pos.deviations == neg.deviations):
            what = "the true log-odds of these classes are no straight line of the score"
            raise ArgumentError(what, "take logistic(intercept, slope), or normal classes of one spread")
        (a,), (b,), (deviation,) = pos.means, neg.means, pos.deviations
        if a <= b:
            raise ArgumentError("positives do not score higher than negatives", "give an AUC above 0.5")
        steep = (a - b) / deviation**2
        level = math.log(self.prevalence / (1 - self.prevalence)) - steep * (a + b) / 2
        return self.logistic(shift + slope * level, slope * steep)

    def levels(self, number: int) -> Cells:
        """The finite world in which scores are cut into so many levels, equally frequent.

        A level's score is its number from 1, or the mean of its probabilities if scores are probabilities.

        >>> five = Scores.of_auc(0.8).levels(5)
        >>> len(five.ranking), round(five.auc.estimate, 4)
        (5, 0.7875)
        """
        number = require_integer(number, name="number", least=1, most=_MOST_LEVELS, fix="e.g. 5")
        edges = np.array([-math.inf, *map(self._mixed_quantile, np.arange(1, number) / number), math.inf])
        counts = np.column_stack([weight * np.diff(of.cdf(edges)) for of, weight in reversed(self._classes)])
        if self.slope is None:
            return Cells(counts, scores=np.arange(1.0, number + 1))
        sums = np.zeros(number)
        for of, weight in self._classes:
            shares = np.asarray(of.cdf(edges)).tolist()
            sums += [weight * _mean(of, self._score, *ends).estimate for ends in pairwise(shares)]
        return Cells(counts, scores=sums / counts.sum(axis=1))

    def clustered(self, size: int, correlation: float) -> Scores:
        """The same world, in which rows come in clusters of correlated scores.

        Labels are independent; the normal quantiles of scores within their class are correlated (a Gaussian copula),
        so every row for itself, and with it the truth, is as before.
        """
        return replace(self, cluster_size=size, correlation=correlation)

    def selected(self, inclusion: Callable[[Floats], npt.ArrayLike]) -> Scores:
        """The same world, from which some scores are drawn more readily than others.

        A row is drawn with a probability that its score gives, and weighs the reciprocal, so that
        weighted rows stand for the world and the truth is as before.
        """
        return replace(self, inclusion=inclusion)

    def sample(self, n: int, seed: Seed = 0) -> Sample:
        """So many rows: labels, scores, and weights or clusters if there are any."""
        n, rng = random_generator(n, seed)
        if self.inclusion is None:
            labels, x, clusters = self._draw(n, rng)
            return Sample(labels, x[:, np.newaxis], self._score(x), clusters=clusters)
        parts: list[tuple[Any, Any, Any]] = []
        for _ in range(_ROUNDS):
            labels, x, _ = self._draw(2 * n, rng)
            chance = np.asarray(self.inclusion(self._score(x)), dtype=np.float64)
            if not ((chance > 0) & (chance <= 1)).all():
                raise ArgumentError(
                    f"{argument('inclusion')} must give probabilities above 0 and up to 1", "check the function"
                )
            drawn = rng.random(x.size) < chance
            parts.append((labels[drawn], x[drawn], 1 / chance[drawn]))
            if sum(len(part[0]) for part in parts) >= n:
                break
        else:
            raise ArgumentError(f"{argument('inclusion')} leaves too few of {2 * n * _ROUNDS:,} rows", "raise it")
        labels, x, weights = (np.concatenate(column)[:n] for column in zip(*parts, strict=True))
        return Sample(labels, x[:, np.newaxis], self._score(x), weights=weights)

    def posterior(self, scores: npt.ArrayLike) -> Floats:
        """The true probability that a case with this score is positive."""
        values = numbers_of(scores, name="scores", dimensions=None)
        if self.slope is not None and not ((values >= 0) & (values <= 1)).all():
            raise ArgumentError("the scores of this world lie within [0, 1]", "give such scores", parameter="scores")
        return self._posterior(self._x(values))

    def table(self, threshold: float) -> Contingency:
        """The contingency table at a threshold, in shares of all cases."""
        x = float(self._x(require_number(threshold, name="threshold")))
        (pos, share), (neg, other) = self._classes
        tp, fp = float(pos.sf(x)), float(neg.sf(x))
        return Contingency(tp=share * tp, fn=share * float(pos.cdf(x)), fp=other * fp, tn=other * float(neg.cdf(x)))

    @cached_property
    def auc(self) -> Interval:
        """The probability that a positive outscores a negative."""
        from scipy.special import ndtr

        pos, neg = self.positive, self.negative
        if not (isinstance(pos, Normals) and isinstance(neg, Normals)):
            return _mean(neg, pos.sf)
        apart = np.subtract.outer(pos.means, neg.means)
        spread = np.sqrt(np.add.outer(np.square(pos.deviations), np.square(neg.deviations)))
        return formula(np.array(pos.shares) @ ndtr(apart / spread) @ np.array(neg.shares))

    def partial_auc(self, fpr: float) -> Interval:
        """The area under the ROC curve up to a false positive rate, not normalised."""
        most = require_between(fpr, 0, 1, name="fpr", fix="e.g. 0.1")
        return _mean(self.negative, self.positive.sf, 1 - most, 1)

    def roc(self, fpr: npt.ArrayLike) -> Floats:
        """The true positive rate at false positive rates."""
        return np.asarray(self.positive.sf(self.negative.isf(numbers_of(fpr, name="fpr", dimensions=None))))

    def precision(self, recall: npt.ArrayLike) -> Floats:
        """The precision at recalls."""
        tpr = numbers_of(recall, name="recall", dimensions=None)
        tp, fp = self.prevalence * tpr, (1 - self.prevalence) * self.negative.sf(self.positive.isf(tpr))
        with np.errstate(invalid="ignore"):  # a recall of 0 has no precision
            return np.asarray(tp / (tp + fp))

    @cached_property
    def average_precision(self) -> Interval:
        """The mean precision at the positives, which is the area under the curve too."""
        share = self.prevalence
        pos, neg = self.positive, self.negative

        def precision(x: Floats) -> Floats:
            with np.errstate(invalid="ignore"):  # beyond all scores that either class has
                return np.nan_to_num(1 / (1 + (1 - share) / share * neg.sf(x) / pos.sf(x)), nan=1.0)

        return _mean(pos, precision)

    @cached_property
    def ks(self) -> Interval:
        """The largest distance between tpr and fpr, whichever is the higher."""
        turns, _ = self._crossings(OperatingCondition(class_ratio=1, cost_ratio=1))
        return formula(max((abs(float(self.positive.sf(x) - self.negative.sf(x))) for x in turns), default=0.0))

    @cached_property
    def brier(self) -> Interval:
        """The mean squared error of scores that are probabilities."""
        self._require_probabilities()
        return self._mean(lambda x: (1 - self._score(x)) ** 2, lambda x: self._score(x) ** 2)

    @cached_property
    def log_loss(self) -> Interval:
        """The mean negative log-likelihood of scores that are probabilities."""
        self._require_probabilities()

        def log_odds(x: Floats) -> Floats:
            return self.intercept + (self.slope or math.nan) * x

        return self._mean(lambda x: np.logaddexp(0, -log_odds(x)), lambda x: np.logaddexp(0, log_odds(x)))

    @cached_property
    def calibration_loss(self) -> Interval:
        """The mean squared distance of scores from true probabilities."""
        self._require_probabilities()
        return self._mean(*[lambda x: (self._score(x) - self._posterior(x)) ** 2] * 2)

    @cached_property
    def calibration_in_the_large(self) -> Interval:
        """The prevalence less the mean of scores that are probabilities."""
        self._require_probabilities()
        return self._mean(lambda x: 1 - self._score(x), lambda x: -self._score(x))

    @cached_property
    def refinement_loss(self) -> Interval:
        """The mean of p (1 - p) over the true probabilities."""
        return self._mean(*[lambda x: self._posterior(x) * (1 - self._posterior(x))] * 2)

    @property
    def bayes_error(self) -> Interval:
        """The least share of cases that any rule gets wrong."""
        return self.bayes_cost(OperatingCondition(class_ratio=self.prevalence / (1 - self.prevalence), cost_ratio=1))

    def bayes_cost(self, condition: OperatingCondition) -> Interval:
        """The least cost per case of any rule, also of one that is no threshold."""
        roots, gains = self._crossings(condition)
        ends = np.array([-math.inf, *roots, math.inf])
        inside = [np.diff(of.cdf(ends))[gains].sum() for of, _ in self._classes]
        table = self._table_of(*inside)
        return formula(float(condition.expected_cost(table)))

    def best_threshold(self, condition: OperatingCondition) -> float:
        """The threshold that costs least; ±inf where calling none, or all, does."""
        roots, gains = self._crossings(condition)
        rising = [root for root, before, after in zip(roots, gains, gains[1:], strict=False) if after and not before]
        every = [math.inf, *rising, -math.inf]
        costs = [float(condition.expected_cost(self._table_at(x))) for x in every]
        x = every[int(np.argmin(costs))]
        return float(self._score(x)) if math.isfinite(x) else x

    def true_cost(self, threshold: float, condition: OperatingCondition) -> Interval:
        """What the rule "positive iff score >= threshold" costs per case."""
        require_condition(condition)
        return formula(float(condition.expected_cost(self.table(threshold))))

    def true_error(self, threshold: float) -> Interval:
        """The share of cases that the rule "positive iff score >= threshold" gets wrong."""
        return formula(float(self.table(threshold).error_rate))

    @property
    def _classes(self) -> tuple[tuple[Distribution, float], tuple[Distribution, float]]:
        return (self.positive, self.prevalence), (self.negative, 1 - self.prevalence)

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[Any, Floats, Any]:
        from scipy.special import ndtr

        labels = (rng.random(n) < self.prevalence).astype(np.int64)
        clusters, z = None, rng.standard_normal(n)
        if self.cluster_size > 1:
            clusters = np.arange(n) // self.cluster_size
            shared = rng.standard_normal(int(clusters[-1]) + 1)[clusters]
            z = math.sqrt(self.correlation) * shared + math.sqrt(1 - self.correlation) * z
        x = np.empty(n)
        for (of, _), label in zip(self._classes, (1, 0), strict=True):
            side = labels == label
            # Quantiles of the nearer tail, where a share has all its digits.
            x[side] = np.where(z[side] < 0, of.ppf(ndtr(z[side])), of.isf(ndtr(-z[side])))
        return labels, x, clusters

    def _score(self, x: Any) -> Any:
        from scipy.special import expit

        return np.asarray(x, dtype=np.float64) if self.slope is None else expit(self.intercept + self.slope * x)

    def _x(self, score: Any) -> Any:
        """What was drawn where the score is this."""
        from scipy.special import logit

        if self.slope is None:
            return np.asarray(score, dtype=np.float64)
        return (logit(np.clip(score, 0.0, 1.0)) - self.intercept) / self.slope

    def _posterior(self, x: Any) -> Any:
        from scipy.special import expit

        # A probability of 1 in floats may stand for any far case.
        x = np.where(np.isinf(x), np.clip(x, *self._farthest), x)
        odds = math.log(self.prevalence / (1 - self.prevalence))
        with np.errstate(over="ignore", invalid="ignore"):
            return expit(odds + self.positive.logpdf(x) - self.negative.logpdf(x))

    @cached_property
    def _farthest(self) -> tuple[float, float]:
        """Between which practically all cases lie."""
        classes = self.positive, self.negative
        return min(float(of.ppf(_RAREST)) for of in classes), max(float(of.isf(_RAREST)) for of in classes)

    def _mean(self, of_pos: Callable[[Floats], Floats], of_neg: Callable[[Floats], Floats]) -> Interval:
        """The mean over all cases of functions of what was drawn, one for each class."""
        parts = [_mean(self.positive, of_pos), _mean(self.negative, of_neg)]
        shares = self.prevalence, 1 - self.prevalence
        value, error = (
            sum(share * number for share, number in zip(shares, numbers, strict=True))
            for numbers in ([part.estimate for part in parts], [part.width / 2 for part in parts])
        )
        return around(value, error, "integral")

    def _require_probabilities(self) -> None:
        if self.slope is None:
            raise ArgumentError("the scores of this world are no probabilities", "take as_probabilities() of it first")

    def _table_of(self, tpr: float, fpr: float) -> Contingency:
        share = self.prevalence
        wrong = max(0.0, 1 - tpr), max(0.0, 1 - fpr)
        return Contingency(tp=share * tpr, fn=share * wrong[0], fp=(1 - share) * fpr, tn=(1 - share) * wrong[1])

    def _table_at(self, x: float) -> Contingency:
        return self._table_of(*(float(of.sf(x)) for of, _ in self._classes))

    def _crossings(self, condition: OperatingCondition) -> tuple[list[float], list[bool]]:
        """Where calling a case positive starts or stops to pay, and where it pays.

        There is one more answer than there are places: before the first, between them, after the last.
        """
        from scipy.optimize import brentq
        from scipy.special import expit

        require_condition(condition)
        ratio = self.prevalence / (1 - self.prevalence) if condition.class_ratio is None else condition.class_ratio
        level = math.log(ratio * condition.cost_ratio)

        def gain(x: Any) -> Any:
            return level + self.positive.logpdf(x) - self.negative.logpdf(x)

        shares = expit(np.linspace(-_FARTHEST, 0, _GRID))
        places = [tail(shares) for of, _ in self._classes for tail in (of.ppf, of.isf)]
        grid = np.unique(np.concatenate(places))
        pays = gain(grid) > 0
        turns = np.flatnonzero(pays[1:] != pays[:-1])
        roots = [float(brentq(lambda x: float(gain(x)), grid[i], grid[i + 1], xtol=1e-13)) for i in turns]
        return roots, [bool(pays[0]), *(bool(pays[i + 1]) for i in turns)]

    def _mixed_quantile(self, share: float) -> float:
        """The quantile of all cases."""
        from scipy.optimize import brentq

        low, high = (sorted(float(of.ppf(share)) for of, _ in self._classes)[i] for i in (0, 1))
        if low == high:
            return low
        return float(brentq(lambda x: sum(w * float(of.cdf(x)) for of, w in self._classes) - share, low, high))


@dataclass(frozen=True, slots=True)
class _Shifted:
    """A distribution moved along."""

    noise: Distribution
    shift: float

    def logpdf(self, x: Any) -> Any:
        return self.noise.logpdf(x - self.shift)

    def cdf(self, x: Any) -> Any:
        return self.noise.cdf(x - self.shift)

    def sf(self, x: Any) -> Any:
        return self.noise.sf(x - self.shift)

    def ppf(self, share: Any) -> Any:
        return self.noise.ppf(share) + self.shift

    def isf(self, share: Any) -> Any:
        return self.noise.isf(share) + self.shift


def _require_continuous(of: object, *, name: str) -> None:
    if not all(hasattr(of, method) for method in ("logpdf", "cdf", "sf", "ppf", "isf")):
        what = f"{argument(name)} must be a continuous distribution, got {of!r}"
        raise ArgumentError(what, "freeze one of SciPy's, e.g. scipy.stats.norm(1, 1)", parameter=name)


def _mean(of: Distribution, values: Callable[[Floats], Floats], low: float = 0.0, high: float = 1.0) -> Interval:
    """∫ of values over the shares of a distribution from `low` to `high`."""
    from scipy.special import expit

    def quantile(v: Floats) -> Floats:
        below, above = low + (high - low) * expit(v), (1 - high) + (high - low) * expit(-v)
        return np.where(below < 0.5, of.ppf(below), of.isf(above))  # the nearer tail has all its digits

    mean = mean_over_quantiles(quantile, values)
    return around((high - low) * mean.estimate, (high - low) * mean.width / 2, mean.method)
