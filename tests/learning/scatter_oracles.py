"""Slow, obvious scatter: the definitions, row by row and subset by subset, in fractions where that matters."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np


def scatter_matrices(X, y):
    """S_W and S_B as they are defined, with divisor N."""
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    mean = X.mean(axis=0)
    within, between = np.zeros((2, X.shape[1], X.shape[1]))
    for label in set(y.tolist()):
        rows = X[y == label]
        share = len(rows) / len(X)
        within += share * np.cov(rows.T, bias=True).reshape(within.shape)
        between += share * np.outer(rows.mean(axis=0) - mean, rows.mean(axis=0) - mean)
    return within, between


def value(between, within):
    """Σb/Σw of whole numbers, exactly; what separates nothing is worth 0, and no scatter within is worth infinity."""
    b, w = sum(map(Fraction, between)), sum(map(Fraction, within))
    if b == 0:
        return Fraction(0)
    return float("inf") if w == 0 else b / w


def best_by_ratio(between, within, size):
    """The largest value over all subsets, and all subsets that reach it."""
    worth = {
        subset: value([between[i] for i in subset], [within[i] for i in subset])
        for subset in combinations(range(len(between)), size)
    }
    most = max(worth.values())
    return most, [subset for subset, reached in worth.items() if reached == most]


def trace_of(within, between, subset):
    inside = np.ix_(subset, subset)
    return float(np.trace(np.linalg.solve(within[inside], between[inside])))


def forward(evaluated, features, size):
    """A generic greedy search: every candidate evaluated again, the first of equals taken."""
    chosen: list[int] = []
    for _ in range(size):
        outside = [i for i in range(features) if i not in chosen]
        chosen.append(max(outside, key=lambda i: evaluated([*chosen, i])))
    return chosen


def backward(evaluated, features, size):
    left = list(range(features))
    while len(left) > size:
        least = max(reversed(left), key=lambda i: evaluated([j for j in left if j != i]))
        left.remove(least)
    return left
