"""Logistic regression on segments: a few coefficients by Newton's method, weighted by counts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np

from thresher.errors import ArgumentError
from thresher.ranking import Counts, Floats

TOLERANCE = 1e-10  # of the gradient, in standardised features and relative to the rarer class
MOST_STEPS = 100

_ROUNDING = 1e-14  # a spread this small beside the values is none
_RESOLVED = 1e-15  # of a gradient, beside the sum of its terms
_RIDGE = 1e-12  # keeps the system solvable where features cannot be told apart


def logistic_fit(
    features: Sequence[Floats], pos: Counts, neg: Counts, *, intercept: bool, nonnegative: bool
) -> tuple[list[float], float]:
    """Maximise Σ pos·ln p + neg·ln(1 - p), p = 1 / (1 + exp(-Σ wⱼ xⱼ - c)): (slopes, intercept).

    Features are standardised for the fit, so their units do not matter; what is returned belongs
    to them as given. With `nonnegative` every slope is at least 0. The function is convex: Newton
    steps with backtracking reach the optimum (Lin, Lin & Weng 2007), each step solving its
    quadratic model exactly under the bounds.

    >>> logistic_fit([np.array([1.0, 0.0])], np.array([3, 1]), np.array([1, 3]),
    ...              intercept=True, nonnegative=False)
    ([2.197...], -1.098...)
    """
    cases = np.add(pos, neg, dtype=np.float64)
    total = cases.sum()
    means = [float(np.dot(cases, x) / total) if intercept else 0.0 for x in features]
    scales = [_spread(x, m, cases / total) for x, m in zip(features, means, strict=True)]
    rows = [(x - m) / s for x, m, s in zip(features, means, scales, strict=True)]
    design = np.stack([*rows, np.ones_like(cases)] if intercept else rows)
    weight = _newton(design, pos / total, neg / total, bounded=len(rows) if nonnegative else 0)
    slopes = [float(w / s) for w, s in zip(weight, scales, strict=False)]
    constant = float(weight[-1]) if intercept else 0.0
    return slopes, constant - sum(w * m for w, m in zip(slopes, means, strict=True))


def _spread(x: Floats, mean: float, share: Floats) -> float:
    """The standard deviation, or infinity for a feature that varies by rounding only: it then has no slope."""
    spread = float(np.sqrt(np.dot(share, (x - mean) ** 2)))
    return spread if spread > _ROUNDING * np.abs(x).max() else np.inf


def _newton(design: Floats, pos: Floats, neg: Floats, *, bounded: int) -> Floats:
    cases = pos + neg
    tolerance = TOLERANCE * min(pos.sum(), neg.sum())
    weight = np.zeros(len(design))
    value, p = _loss(weight @ design, pos, neg)
    for _ in range(MOST_STEPS):
        expected = cases * p
        gradient = design @ (expected - pos)
        at_bound = (np.arange(weight.size) < bounded) & (weight <= 0) & (gradient > 0)
        # A sum cannot be told from 0 below the rounding of its terms.
        resolved = np.maximum(tolerance, _RESOLVED * (np.abs(design) @ (expected + pos)))
        if (at_bound | (np.abs(gradient) <= resolved)).all():
            return weight
        hessian = (design * (expected * (1 - p))) @ design.T
        step = _bounded_step(weight, gradient, hessian, bounded)
        falls = float(gradient @ step)
        size = 1.0
        new, p = _loss((weight + step) @ design, pos, neg)
        # Close to the optimum the loss itself no longer resolves the step; Newton's is then right.
        while new > value + 1e-4 * size * falls and abs(falls) * size > 1e-12 * value:
            size /= 2
            new, p = _loss((weight + size * step) @ design, pos, neg)
        weight, value = weight + size * step, new
        weight[:bounded] = np.maximum(weight[:bounded], 0.0)
    raise ArgumentError(
        f"the fit did not converge in {MOST_STEPS} steps: the classes are all but separable by score",
        fix='pass targets="platt", which keeps the slope finite, or method="isotonic"',
    )


def _loss(z: Floats, pos: Floats, neg: Floats) -> tuple[float, Floats]:
    """The negative log-likelihood and the probabilities, from one exponential that cannot overflow."""
    small = np.exp(-np.abs(z))
    # ln(1 + exp(-z)) = ln(1 + exp(-|z|)) + max(-z, 0), and the same with z turned around.
    value = np.dot(pos + neg, np.log1p(small)) - np.dot(pos, np.minimum(z, 0)) + np.dot(neg, np.maximum(z, 0))
    return float(value), np.where(z >= 0, 1.0, small) / (1 + small)


def _bounded_step(weight: Floats, gradient: Floats, hessian: Floats, bounded: int) -> Floats:
    """The step to the lowest point of the quadratic model with weight[:bounded] >= 0.

    The lowest point lies inside or on one of the few faces where some of them are 0: try each.
    """
    size = weight.size
    hessian = hessian + _RIDGE * hessian.diagonal().max() * np.eye(size)
    best, lowest = np.zeros(size), 0.0
    for face in chain.from_iterable(combinations(range(bounded), k) for k in range(bounded + 1)):
        fixed = np.isin(np.arange(size), face)
        step = np.where(fixed, -weight, 0.0)
        if not fixed.all():
            free = ~fixed
            right = -(gradient + hessian @ step)[free]
            step[free] = np.linalg.solve(hessian[np.ix_(free, free)], right)
        model = float(gradient @ step + step @ hessian @ step / 2)
        if model < lowest and (weight[:bounded] + step[:bounded] >= 0).all():
            best, lowest = step, model
    return best
