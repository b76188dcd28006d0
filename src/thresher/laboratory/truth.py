"""True values as intervals: exact, integrated, or by quasi-Monte Carlo."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from thresher._internal.arguments import as_numbers, describe, numbers_of, require_number
from thresher.errors import ArgumentError, argument
from thresher.inference import Interval
from thresher.inference.interval import student_quantile
from thresher.ranking import Floats, Indices
from thresher.tables import OperatingCondition

SCRAMBLES = 16  # independent ones: their spread is the error
LEVEL = 0.95
_FARTHEST = 40.0  # log-odds of the outermost quantiles
_POINTS = 2**12


def formula(value: float) -> Interval:
    """A value that a formula gives: both limits are the value."""
    return Interval(float(value), float(value), float(value), 0.0, 1.0, "formula")


def mean_over_quantiles(quantile: Callable[[Floats], Floats], values: Callable[[Floats], Floats]) -> Interval:
    """∫ values(quantile(u)) du over 0 < u < 1, within its numerical error.

    With u = 1 / (1 + exp(-v)) the integrand falls off exponentially at both ends, where the trapezoidal rule is as
    good as any; its error is the distance to the sum with half as many points.
    """
    from scipy.special import expit

    v = np.linspace(-_FARTHEST, _FARTHEST, _POINTS + 1)
    terms = values(quantile(v)) * expit(v) * expit(-v) * (v[1] - v[0])
    fine, coarse = float(terms.sum()), 2 * float(terms[::2].sum())
    return around(fine, abs(fine - coarse), "integral")


def around(value: float, error: float, method: str) -> Interval:
    """A value within its numerical error."""
    value, error = float(value), float(error)
    return Interval(value, value - error, value + error, 0.0, 1.0, method)


def mean_of_scrambles(values: Floats) -> Interval:
    """The mean of independent quasi-Monte Carlo sums, with Student's limits."""
    mean, variance = float(values.mean()), float(values.var(ddof=1) / values.size)
    half = student_quantile(LEVEL, values.size - 1) * math.sqrt(variance)
    return Interval(mean, mean - half, mean + half, variance, LEVEL, "quasi-Monte Carlo")


def require_shares(values: Any, components: int, *, name: str = "shares") -> Floats:
    """Numbers above 0, one for each component, as shares of their sum."""
    fix = "give one number above 0 for each, e.g. [0.9, 0.1]"
    shares = np.full(components, 1 / components) if values is None else numbers_of(values, name=name, fix=fix)
    if shares.size != components:
        raise ArgumentError(f"{argument(name)} has {shares.size} numbers for {components} components", fix)
    if not (np.isfinite(shares).all() and (shares > 0).all()):
        raise ArgumentError(f"{argument(name)} must be above 0, got {shares.min():g}", fix)
    return shares / shares.sum()


def require_prevalence(prevalence: Any) -> Floats:
    """The shares of negatives and positives."""
    fix = "give the share of cases that are positive, e.g. 0.1"
    if not 0 < require_number(prevalence, name="prevalence", fix=fix) < 1:
        raise ArgumentError(f"{argument('prevalence')} must lie between 0 and 1, got {prevalence}", fix)
    return np.array([1 - prevalence, prevalence])


def cost_matrix(condition: OperatingCondition) -> Floats:
    """What a case costs by its class (rows) and what it is called (columns)."""
    return np.array([[condition.cost_tn, condition.cost_fp], [condition.cost_fn, condition.cost_tp]], dtype=np.float64)


def flipped(rate: float, classes: int) -> Floats:
    """How labels of every class (rows) are seen (columns) when so many are replaced.

    Every other class is as likely. Rates at which the most frequent label would no longer be the true one are refused.
    """
    most = 1 - 1 / classes
    fix = f"give the share of labels that are wrong, from 0 to below {most:.3g}"
    if not 0 <= require_number(rate, name="rate", fix=fix) < most:
        raise ArgumentError(f"{argument('rate')} must be at least 0 and below {most:.3g}, got {rate}", fix)
    return np.full((classes, classes), rate / (classes - 1)) + np.eye(classes) * (1 - rate - rate / (classes - 1))


def require_calls(calls: Any, rows: int, classes: int) -> Indices:
    """What a rule calls rows: one of the classes 0, 1, ... for each."""
    classes_called = as_numbers(calls)
    if classes_called.shape != (rows,) or not np.isin(classes_called, np.arange(classes)).all():
        what = f"{argument('rule')} gives {describe(calls)} for {rows:,} rows"
        raise ArgumentError(what, f"give each row a class from 0 to {classes - 1}", parameter="rule")
    return classes_called.astype(np.int64)
