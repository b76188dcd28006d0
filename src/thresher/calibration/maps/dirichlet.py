"""Maximum likelihood for q = softmax(W ln p + b), over segments of k classes.

Temperature scaling divides ln p by one number (Guo et al. 2017), vector scaling has a diagonal W and Dirichlet
calibration a full one (Kull et al. 2019, "Beyond temperature scaling"). All three are convex.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from thresher.calibration.maps.vectors import LogLinear, softmax
from thresher.errors import ArgumentError, argument
from thresher.ranking import Counts, Floats, Indices
from thresher.ranking.segments import Matrix

LogMethod: TypeAlias = Literal["temperature", "vector", "dirichlet"]

TOLERANCE = 1e-9  # of the last step, in logarithms of probabilities
MOST_STEPS = 50
FARTHEST = 1e6  # a step, in logarithms of probabilities, where curvature has all but vanished
MOST_PARAMETERS = 2000  # of which second derivatives are taken
MOST_WITHOUT_BLAS = 500
ROWS_AT_ONCE = 1 << 14
LARGEST_WEIGHT = 100.0  # that is still taken for an optimum where there are more parameters
_NULL = 1e-11  # relative size of directions in which no case moves


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted curve, and whether the classes were separable (see `fit_vectors`)."""

    curve: LogLinear
    separable: bool


def fit_vectors(
    probability: Matrix, counts: Counts, method: LogMethod, *, floor: float, penalty: float, platt: bool = False
) -> Fit:
    """The curve of least log loss (plus the penalty) on these segments.

    The penalty of "dirichlet" is `penalty` times the mean square of the off-diagonal weights, plus the same of the
    intercepts (ODIR). Where the classes are separable no finite weights are best: each case is then shared between the
    classes by Platt's targets, nᵢ + 1 of nᵢ + k cases of class i staying with it, which always have an optimum. What no
    case determines stays as it is in the identity.
    """
    if method == "temperature":
        return _fit_temperature(probability, counts, platt=platt)
    below = (probability < floor) & (counts.sum(axis=1, keepdims=True) > 0)
    raised = float((below.sum(axis=1) * counts.sum(axis=1)).sum())
    x = np.log(np.maximum(probability, floor))
    parameters = _parameters(method, probability.shape[1], penalised=penalty > 0)
    strength = penalty if method == "dirichlet" else 0.0
    change = _minimise(x, platt_targets(counts) if platt else counts, parameters, strength)
    separable = change is None
    if change is None:
        change = _minimise(x, platt_targets(counts), parameters, strength)
    if change is None:
        fix = f"pass a larger {argument('penalty')}, or {argument('method', 'vector')}"
        raise ArgumentError(f"the fit of {parameters[0].size:,} parameters did not converge", fix)
    weights, intercept = np.eye(x.shape[1]) + change[:, :-1], change[:, -1]
    if method == "dirichlet" and not penalty:
        weights = _least_off_diagonal(weights)
    number = int(raised) if raised.is_integer() else raised
    curve = LogLinear(weights, intercept - intercept.mean(), floor, number, strength if method == "dirichlet" else None)
    return Fit(curve, separable)


def platt_targets(counts: Counts) -> Matrix:
    """Counts in which cases of a class are shared: nᵢ + 1 of nᵢ + k stay with it.

    >>> platt_targets(np.array([[8, 0], [0, 2]]))
    array([[7.2, 0.8],
           [0.5, 1.5]])
    """
    cases, k = counts.sum(axis=0), counts.shape[1]
    share = (np.ones((k, k)) + np.diag(cases)) / (cases + k)[:, np.newaxis]
    shared: Matrix = counts @ share
    return shared


def _fit_temperature(probability: Matrix, counts: Counts, *, platt: bool) -> Fit:
    """The slope 1/T at which the mean of ln p under the curve is that of the cases.

    That difference rises with the slope. Classes of probability 0 stay at 0, and cases of them say nothing about T.
    """
    from scipy.optimize import brentq

    k = probability.shape[1]
    possible = probability > 0
    z = np.log(np.where(possible, probability, 1.0))
    highest = z.max(axis=1, where=possible, initial=-np.inf, keepdims=True)
    drop = np.where(possible, highest - z, 0.0)  # from the most probable class
    observed = np.where(possible, platt_targets(counts) if platt else counts, 0.0)
    if not drop[observed.any(axis=1)].any():
        return Fit(LogLinear(np.eye(k), np.zeros(k)), separable=False)
    separable = not (observed * drop).any()
    if separable:
        observed = np.where(possible, platt_targets(counts), 0.0)
    cases, loss = observed.sum(axis=1), float((observed * drop).sum())

    def excess(slope: float) -> float:
        q = np.where(possible, np.exp(-slope * drop), 0.0)
        return loss - float((cases * ((q * drop).sum(axis=1) / q.sum(axis=1))).sum())

    slope = 0.0
    if excess(0.0) < 0:
        high = 1.0
        while excess(high) < 0:
            high *= 2
        slope = float(brentq(excess, 0.0, high, xtol=1e-300, rtol=4 * np.finfo(float).eps, maxiter=2000))
    return Fit(LogLinear(np.eye(k) * slope, np.zeros(k)), separable)


def _parameters(method: LogMethod, k: int, *, penalised: bool) -> tuple[Indices, Indices]:
    """The entries (class, column of [ln p, 1]) of the weights that are fitted.

    One number added to a column changes no probability, so that a class is left as it is where no penalty decides.
    """
    if method == "vector":
        every = np.arange(k)
        return np.append(every, every[:-1]), np.append(every, np.full(k - 1, k))
    rows = k if penalised else k - 1
    return np.repeat(np.arange(rows), k + 1), np.tile(np.arange(k + 1), rows)


def _least_off_diagonal(weights: Matrix) -> Matrix:
    """The same map with off-diagonal weights that sum to 0 in each column."""
    others = weights.sum(axis=0) - weights.diagonal()
    least: Matrix = weights - others / (len(weights) - 1)
    return least


@dataclass(frozen=True, slots=True)
class _Objective:
    """Mean log loss plus penalty, by the fitted entries of a change of [I, 0]."""

    x: Matrix
    design: Matrix  # x and a column of ones
    cases: Floats  # as shares, per segment
    observed: Matrix  # as shares, per segment and class
    row: Indices
    column: Indices
    square: Floats  # the penalty's factor of each entry

    def change(self, theta: Floats) -> Matrix:
        k = self.x.shape[1]
        change = np.zeros((k, k + 1))
        change[self.row, self.column] = theta
        return change

    def evaluate(self, theta: Floats) -> tuple[float, Floats, Matrix]:
        """The value, its slope in each entry, and the mapped vectors."""
        z = self.x + _product(self.design.T, self.change(theta).T)
        z -= z.max(axis=1, keepdims=True)
        log_sum = np.log(np.exp(z).sum(axis=1))
        q = softmax(z)
        value = float((self.cases * log_sum).sum() - (self.observed * z).sum() + (self.square * theta**2).sum())
        slope = _product(self.cases[:, np.newaxis] * q - self.observed, self.design)[self.row, self.column]
        return value, slope + 2 * self.square * theta, q

    def curvature(self, q: Matrix) -> Matrix:
        second = np.diag(2 * self.square)
        same_class = self.row[:, np.newaxis] == self.row
        for start in range(0, len(q), ROWS_AT_ONCE):
            some = slice(start, start + ROWS_AT_ONCE)
            features = self.design[some][:, self.column] * np.sqrt(self.cases[some])[:, np.newaxis]
            of_class = q[some][:, self.row]
            within, across = features * np.sqrt(of_class), features * of_class
            second += _product(within, within) * same_class - _product(across, across)
        return second


def _product(a: Matrix, b: Matrix) -> Matrix:
    """The product aᵀb, as a rule without BLAS: its threads get in the way of others."""
    small = min(a.shape[1], b.shape[1], len(a)) <= MOST_WITHOUT_BLAS
    product: Matrix = np.einsum("ni,nj->ij", a, b) if small else a.T @ b
    return product


def _minimise(x: Matrix, counts: Counts, parameters: tuple[Indices, Indices], penalty: float) -> Matrix | None:
    """The change of [I, 0] of least loss, or None if there is no optimum."""
    (m, k), (row, column) = x.shape, parameters
    square = np.where(column == k, 1 / k, np.where(row == column, 0.0, 1 / (k * (k - 1)))) * penalty
    cases, observed = (each / counts.sum() for each in (counts.sum(axis=1), counts))
    objective = _Objective(x, np.column_stack([x, np.ones(m)]), cases, observed, row, column, square)
    return _newton(objective) if row.size <= MOST_PARAMETERS else _first_order(objective)


def _newton(objective: _Objective) -> Matrix | None:
    """Newton's steps with backtracking, in directions that some case determines."""
    size, vectors = np.linalg.eigh(objective.curvature(np.full_like(objective.x, 1 / objective.x.shape[1])))
    some = size > _NULL * size[-1]
    basis = vectors[:, some] / np.sqrt(size[some])  # curvature 1 in each direction, where all classes are alike
    theta = np.zeros(objective.row.size)
    value, slope, q = objective.evaluate(theta)
    for _ in range(MOST_STEPS):
        try:
            step = basis @ -np.linalg.solve(basis.T @ objective.curvature(q) @ basis, basis.T @ slope)
        except np.linalg.LinAlgError:
            return None
        falls, length = float(slope @ step), 1.0
        moved = _product(objective.design.T, objective.change(step).T)
        farthest = float(np.ptp(moved, axis=1).max())
        if not farthest < FARTHEST:
            return None
        new, slope, q = objective.evaluate(theta + step)
        # Close to the optimum the loss itself no longer resolves the step; Newton's is then right.
        while new > value + 1e-4 * length * falls and abs(falls) * length > 1e-12 * value and length > 1e-9:
            length /= 2
            new, slope, q = objective.evaluate(theta + length * step)
        theta, value = theta + length * step, new
        if farthest < TOLERANCE:
            return objective.change(theta)
    return None


def _first_order(objective: _Objective) -> Matrix | None:
    """As `_newton`, where there are too many parameters for second derivatives."""
    from scipy.optimize import minimize

    start = np.zeros(objective.row.size)
    options = {"maxiter": 2_000, "maxfun": 4_000, "gtol": 1e-7, "ftol": 1e-13, "maxcor": 20}
    result = minimize(lambda theta: objective.evaluate(theta)[:2], start, jac=True, method="L-BFGS-B", options=options)
    change = objective.change(result.x)
    return change if np.abs(result.jac).max() <= 1e-5 and np.abs(change).max() < LARGEST_WEIGHT else None
