"""`Gaussians`: a world of normal classes, or of classes that mix normals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_instance, require_integer, require_number, short_repr
from thresher.errors import ArgumentError, argument
from thresher.inference import Interval
from thresher.laboratory.sample import Sample, Seed, random_generator
from thresher.laboratory.scores import Normals, Scores
from thresher.laboratory.truth import (
    SCRAMBLES,
    around,
    cost_matrix,
    flipped,
    formula,
    mean_of_scrambles,
    require_calls,
    require_prevalence,
    require_shares,
)
from thresher.ranking import Floats
from thresher.tables import OperatingCondition
from thresher.tables.condition import require_condition

Rule: TypeAlias = Any  # (direction, threshold), a model with coef_ and intercept_ or predict, or a function of rows
_REACH = 9.0  # deviations beyond which nothing lies, to 1e-18
_STEPS = {1: 2**20, 2: 2**11}  # of the grid, by dimension
_POINTS = 2**13  # of each quasi-Monte Carlo sum
_ALIKE = 1e-12


@dataclass(frozen=True, eq=False, init=False)
class Gaussians:
    """A world of normal classes: rows are points, and the truth is known.

    `means` has a row per component and a column per feature. `covariances` is one number (the variance of
    every feature), one matrix for all components, or one for each. `shares`, divided by their sum, say how frequent
    components are, by default alike. Component i is class i, unless `classes` gives its class: several components may
    make one. Of two classes, 1 is positive.

    Truths are intervals: of no width by a formula, within the error of an integral in up to two dimensions, and by
    quasi-Monte Carlo beyond. With one covariance, what counts is the dimension that the means span.

    >>> world = Gaussians([[-1], [1]])
    >>> round(world.bayes_error.estimate, 5), round(world.auc().estimate, 5)
    (0.15866, 0.92135)
    >>> world.best_threshold(OperatingCondition(class_ratio=1/9, cost_ratio=10))
    -0.0526802578289...
    >>> three = Gaussians([[0, 0], [2, 0], [1, 3 ** 0.5]])
    >>> round(three.bayes_error.estimate, 4), three.bayes_error.method
    (0.2548, 'integral')
    """

    means: Floats
    covariances: Floats
    joint: Floats

    def __init__(
        self,
        means: npt.ArrayLike,
        covariances: npt.ArrayLike = 1.0,
        shares: npt.ArrayLike | None = None,
        *,
        classes: Sequence[int] | None = None,
    ) -> None:
        centres = numbers_of(means, name="means", dimensions=None, fix="e.g. [[-1], [1]]")
        if centres.ndim != 2 or len(centres) < 2 or not centres.size or not np.isfinite(centres).all():
            what = f"{argument('means')} must have two rows or more of finite numbers, got {short_repr(means)}"
            raise ArgumentError(what, "give a row per component and a column per feature, e.g. [[-1], [1]]")
        spread = _covariances(covariances, *centres.shape)
        share, number = require_shares(shares, len(centres)), _class_numbers(classes, len(centres))
        joint = np.zeros((len(centres), max(number) + 1))
        joint[np.arange(len(centres)), number] = share
        self._set(centres, spread, joint)

    def __repr__(self) -> str:
        components, features = self.means.shape
        return f"Gaussians({components} components, {features} features, {self.joint.shape[1]} classes)"

    def noisy(self, rate: float) -> Gaussians:
        """The same world, in which so many labels are replaced by another class.

        >>> round(Gaussians([[-1], [1]]).noisy(0.1).bayes_error.estimate, 5)
        0.22692
        """
        joint = self.joint @ flipped(rate, self.joint.shape[1])
        return self._with(self.means, self.covariances, joint)

    def marginal(self, features: int) -> Gaussians:
        """The same world, of which only the first so many features are seen.

        >>> Gaussians([[-1, 0, 0], [1, 0, 0]]).marginal(2)
        Gaussians(2 components, 2 features, 2 classes)
        """
        most = self.means.shape[1]
        d = require_integer(features, name="features", least=1, most=most, fix=f"give 1 to {most}")
        return self._with(self.means[:, :d].copy(), self.covariances[:, :d, :d].copy(), self.joint)

    def with_prevalence(self, prevalence: float) -> Gaussians:
        """The same two classes, of which so large a share of the cases is positive.

        >>> round(Gaussians([[-1], [1]]).with_prevalence(0.1).bayes_error.estimate, 5)
        0.07006
        """
        self._require_two_classes()
        shares = require_prevalence(prevalence)
        return self._with(self.means, self.covariances, self.joint / self.joint.sum(axis=0) * shares)

    def sample(self, n: int, seed: Seed = 0) -> Sample:
        """So many rows and their labels; of one feature, that is the score too."""
        n, rng = random_generator(n, seed)
        components, classes = self.joint.shape
        component, labels = np.divmod(rng.choice(self.joint.size, size=n, p=self.joint.ravel()), classes)
        X = rng.standard_normal((n, self.means.shape[1]))
        for j in range(components):
            inside = component == j
            X[inside] = self.means[j] + X[inside] @ np.linalg.cholesky(self.covariances[j]).T
        return Sample(labels, X, X[:, 0].copy() if X.shape[1] == 1 else None)

    def posterior(self, X: npt.ArrayLike) -> Floats:
        """The true probability of every class, a row per row of X."""
        from scipy.special import logsumexp

        points = numbers_of(X, name="X", dimensions=None)
        if points.ndim != 2 or points.shape[1] != self.means.shape[1]:
            what = f"rows have {self.means.shape[1]} features, got an array of shape {points.shape}"
            raise ArgumentError(what, "give a row per case", parameter="X")
        density = _log_densities(points, self.means, self.covariances)
        with np.errstate(divide="ignore"):
            by_class = logsumexp(density[:, :, np.newaxis] + np.log(self.joint), axis=1)
        return np.exp(by_class - logsumexp(by_class, axis=1, keepdims=True))

    def along(self, direction: npt.ArrayLike) -> Scores:
        """The world of scores x · direction, of two classes."""
        self._require_two_classes()
        w = numbers_of(direction, name="direction")
        if w.size != self.means.shape[1] or not np.isfinite(w).all() or not w.any():
            what = f"{argument('direction')} must be {self.means.shape[1]} finite numbers that are not all 0"
            raise ArgumentError(f"{what}, got {w.tolist()}", "give a number per feature", parameter="direction")
        means = self.means @ w
        deviations = np.sqrt(np.einsum("i,jik,k->j", w, self.covariances, w))

        def side(label: int) -> Normals:
            parts = np.flatnonzero(self.joint[:, label])
            shares = self.joint[parts, label] / self.joint[parts, label].sum()
            return Normals(*(tuple(each.tolist()) for each in (means[parts], deviations[parts], shares)))

        return Scores(side(1), side(0), prevalence=float(self.joint[:, 1].sum()))

    def auc(self, direction: npt.ArrayLike | None = None) -> Interval:
        """The AUC of scores x · direction, by a formula; of one feature, of the feature."""
        return self._scored(direction).auc

    def best_threshold(self, condition: OperatingCondition, direction: npt.ArrayLike | None = None) -> float:
        """The cheapest threshold of scores x · direction; of one feature, of the feature."""
        return self._scored(direction).best_threshold(condition)

    @property
    def bayes_error(self) -> Interval:
        """The least share of cases that any rule gets wrong."""
        return self._least_cost(self.joint, 1 - np.eye(self.joint.shape[1]))

    def bayes_cost(self, condition: OperatingCondition) -> Interval:
        """The least cost per case of any rule, of two classes."""
        return self._least_cost(self._at_mix(condition), cost_matrix(condition))

    def true_error(self, rule: Rule) -> Interval:
        """The share of cases that a rule gets wrong.

        A rule is a direction and a threshold ("positive iff x · direction >= threshold"), a linear model with `coef_`
        and `intercept_`, or any function or fitted model that gives rows their class 0, 1, ...

        >>> round(Gaussians([[-1, 0], [1, 0]]).true_error(([1, 1], 0)).estimate, 5)
        0.23975
        """
        return self._cost_of(rule, self.joint, 1 - np.eye(self.joint.shape[1]))

    def true_cost(self, rule: Rule, condition: OperatingCondition) -> Interval:
        """What a rule costs per case, of two classes; rules are those of `true_error`."""
        return self._cost_of(rule, self._at_mix(condition), cost_matrix(condition))

    def _set(self, means: Floats, covariances: Floats, joint: Floats) -> None:
        for name, value in (("means", means), ("covariances", covariances), ("joint", joint)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @staticmethod
    def _with(means: Floats, covariances: Floats, joint: Floats) -> Gaussians:
        """A world of these components and joint shares, which were checked."""
        world = object.__new__(Gaussians)
        world._set(means, covariances, joint)
        return world

    def _scored(self, direction: npt.ArrayLike | None) -> Scores:
        """The world of scores along a direction, which one feature need not name."""
        if direction is None and self.means.shape[1] > 1:
            raise ArgumentError(f"rows have {self.means.shape[1]} features", f"say along which {argument('direction')}")
        return self.along([1.0] if direction is None else direction)

    def _require_two_classes(self) -> None:
        if self.joint.shape[1] != 2:
            what = f"this world has {self.joint.shape[1]} classes, and the question needs two"
            raise ArgumentError(what, "give a world of two classes")

    def _at_mix(self, condition: OperatingCondition) -> Floats:
        """Joint shares of components and classes at the condition's class mix."""
        require_condition(condition)
        self._require_two_classes()
        if condition.prevalence is None:
            return self.joint
        return self.joint / self.joint.sum(axis=0) * np.array([1 - condition.prevalence, condition.prevalence])

    def _least_cost(self, joint: Floats, costs: Floats) -> Interval:
        """∫ of what the cheapest call costs at x."""
        risk = joint @ costs  # by component and call
        means, covariances = self._spanned()
        dimension = means.shape[1]
        if dimension == 0:
            return formula(risk.sum(axis=0).min())
        if dimension == 1 and joint.shape[1] == 2:
            (tn, fp), (fn, tp) = costs.tolist()
            condition = OperatingCondition(cost_tn=tn, cost_fp=fp, cost_fn=fn, cost_tp=tp)
            return self._with(means, covariances, joint).along([1.0]).bayes_cost(condition)
        if dimension in _STEPS:
            fine, coarse = (_grid_integral(risk, means, covariances, _STEPS[dimension] // part) for part in (1, 2))
            return around(fine, abs(fine - coarse), "integral")
        weight = joint.sum(axis=1)

        def cheapest(points: Floats) -> Floats:
            density = _log_densities(points, means, covariances)
            density = np.exp(density - density.max(axis=1, keepdims=True))
            return (density @ risk).min(axis=1) / (density @ weight)

        return _scrambled(lambda j, points: weight[j] * cheapest(points), means, covariances)

    def _cost_of(self, rule: Rule, joint: Floats, costs: Floats) -> Interval:
        """∫ of what the rule's call costs at x."""
        if joint.shape[1] == 2 and (linear := _linear(rule)) is not None:
            scores = self.along(linear[0])
            table = scores.table(linear[1])
            shares = np.array([[table.tn, table.fp], [table.fn, table.tp]])
            shares *= (joint.sum(axis=0) / shares.sum(axis=1))[:, np.newaxis]
            return formula((shares * costs).sum())
        calls = getattr(rule, "predict", rule)
        if not callable(calls):
            what = f"{argument('rule')} must be a direction and a threshold, a model or a function, got {rule!r}"
            raise ArgumentError(what, "e.g. ([1, 0], 0.5)", parameter="rule")
        risk = joint @ costs

        def cost(j: int, points: Floats) -> Floats:
            return risk[j, require_calls(calls(points), len(points), joint.shape[1])]

        return _scrambled(cost, self.means, self.covariances)

    def _spanned(self) -> tuple[Floats, Floats]:
        """Means and covariances in as few dimensions as tell the components apart."""
        first = self.covariances[0]
        if np.abs(self.covariances - first).max() > _ALIKE * np.abs(first).max():
            return self.means, self.covariances
        white = np.linalg.solve(np.linalg.cholesky(first), (self.means - self.means[0]).T).T
        _, size, basis = np.linalg.svd(white)
        rank = int((size > _ALIKE * max(1.0, float(size[0]))).sum())
        return white @ basis[:rank].T, np.tile(np.eye(rank), (len(white), 1, 1))


def _covariances(covariances: npt.ArrayLike, components: int, features: int) -> Floats:
    """One positive definite matrix for each component."""
    values = numbers_of(covariances, name="covariances", dimensions=None, fix="e.g. 1, or [[1, 0.5], [0.5, 1]]")
    if values.ndim == 0 and np.isfinite(values):
        values = values * np.eye(features)
    try:
        every = np.array(np.broadcast_to(values, (components, features, features)))
    except ValueError:
        what = f"{argument('covariances')} of shape {values.shape} fits no {features} features"
        raise ArgumentError(what, f"give one {features} × {features} matrix, or one for each component") from None
    for i, each in enumerate(every):
        if not np.isfinite(each).all() or not np.allclose(each, each.T, rtol=1e-12, atol=0):
            raise ArgumentError(f"covariance {i} is not symmetric and finite", "give a symmetric matrix")
        least, largest = np.linalg.eigvalsh(each)[[0, -1]]
        if not least > _ALIKE * abs(largest):
            what = f"covariance {i} is singular or negative: its least eigenvalue is {least:.3g}"
            raise ArgumentError(what, "leave out features that others determine, or add to the diagonal")
    return every


def _class_numbers(classes: Sequence[int] | None, components: int) -> list[int]:
    if classes is None:
        return list(range(components))
    fix = "number classes from 0, one number for each component, e.g. [0, 1, 1]"
    require_instance(classes, (Sequence, np.ndarray), name="classes", fix=fix)
    numbers = [require_integer(each, name="classes", least=0, fix=fix) for each in classes]
    if len(numbers) != components or not sorted(set(numbers)) == list(range(max(numbers) + 1)) != [0]:
        raise ArgumentError(f"{argument('classes')} must number two classes or more, got {numbers}", fix)
    return numbers


def _log_densities(points: Floats, means: Floats, covariances: Floats) -> Floats:
    """The logarithm of every component's density (columns) at every point (rows)."""
    columns = []
    for mean, covariance in zip(means, covariances, strict=True):
        root = np.linalg.cholesky(covariance)
        away = np.linalg.solve(root, (points - mean).T)
        constant = np.log(np.diag(root)).sum() + mean.size / 2 * math.log(2 * math.pi)
        columns.append(-(away * away).sum(axis=0) / 2 - constant)
    return np.stack(columns, axis=1)


def _grid_integral(risk: Floats, means: Floats, covariances: Floats, steps: int) -> float:
    """∫ min over calls of Σ risk · density, by the trapezoidal rule on a grid."""
    reach = _REACH * np.sqrt(np.array([np.diag(each) for each in covariances]))
    low, high = (means - reach).min(axis=0), (means + reach).max(axis=0)
    axes = [np.linspace(a, b, steps + 1) for a, b in zip(low, high, strict=True)]
    cell = math.prod((b - a) / steps for a, b in zip(low, high, strict=True))
    total = 0.0
    for x in np.array_split(axes[0], 64):
        points = np.stack(np.meshgrid(x, *axes[1:], indexing="ij"), axis=-1).reshape(-1, len(axes))
        total += float((np.exp(_log_densities(points, means, covariances)) @ risk).min(axis=1).sum())
    return total * cell


def _scrambled(cost: Callable[[int, Floats], Floats], means: Floats, covariances: Floats) -> Interval:
    """Σ over components of the mean cost at scrambled Sobol points of each."""
    z = _normal_points(means.shape[1])
    sums = np.zeros(SCRAMBLES)
    for j, (mean, covariance) in enumerate(zip(means, covariances, strict=True)):
        # One call for all scrambles: models answer many rows faster than few rows many times.
        sums += cost(j, mean + z @ np.linalg.cholesky(covariance).T).reshape(SCRAMBLES, _POINTS).mean(axis=1)
    return mean_of_scrambles(sums)


@lru_cache(maxsize=2)  # studies ask for the truth of many models in one world
def _normal_points(dimension: int) -> Floats:
    """Scrambled Sobol points of each scramble in turn, as standard normals."""
    from scipy.special import ndtri
    from scipy.stats import qmc

    scrambles = [qmc.Sobol(dimension, rng=np.random.default_rng(i)).random(_POINTS) for i in range(SCRAMBLES)]
    points: Floats = ndtri(np.concatenate(scrambles).clip(1e-12, 1 - 1e-12))
    points.flags.writeable = False
    return points


def _linear(rule: Rule) -> tuple[Floats, float] | None:
    """Direction and threshold of a linear rule; None of any other."""
    if hasattr(rule, "coef_") and hasattr(rule, "intercept_"):
        direction, intercept = np.asarray(rule.coef_, dtype=np.float64), np.asarray(rule.intercept_, dtype=np.float64)
        return (direction.reshape(-1), -float(intercept.reshape(-1)[0])) if intercept.size == 1 else None
    if isinstance(rule, tuple) and len(rule) == 2:
        return numbers_of(rule[0], name="direction"), require_number(rule[1], name="threshold")
    return None
