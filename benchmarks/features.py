"""Feature selection by scatter against one pass over the rows and a generic sequential selector, JSON out."""

from __future__ import annotations

import json
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SequentialFeatureSelector

from benchmarks.timing import seconds
from thresher.learning import ScatterSelector, scatter, selection

ROWS, FEATURES, CHOSEN = 10_000, 10_000, 50
FEW_ROWS, FEW_FEATURES, FEW_CHOSEN = 2_000, 60, 6


class ByJ(BaseEstimator):  # type: ignore[misc]
    """A model whose score is J of the columns it is given: what a generic selector needs to know the criterion."""

    def fit(self, _: Any, y: Any) -> Self:
        """Remember the classes; there is nothing to learn."""
        self.classes_ = np.unique(y)
        return self

    def score(self, X: Any, y: Any) -> float:
        """J = trace(S_B) / trace(S_W)."""
        mean = X.mean(axis=0)
        within = between = 0.0
        for label in self.classes_:
            rows = X[y == label]
            within += len(rows) * rows.var(axis=0).sum()
            between += len(rows) * ((rows.mean(axis=0) - mean) ** 2).sum()
        return between / within


def data(rows: int, features: int) -> tuple[Any, Any]:
    """Rows of two classes that differ by another amount in each feature."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, rows)
    X = rng.normal(size=(rows, features))
    X += y[:, None] * rng.exponential(0.3, features)
    return X, y


def generic(X: Any, y: Any) -> Any:
    """scikit-learn's forward selection by the same criterion on the same rows, without folds."""
    everything = np.arange(len(y))
    return SequentialFeatureSelector(ByJ(), n_features_to_select=FEW_CHOSEN, cv=[(everything, everything)]).fit(X, y)


def plain_numpy(X: Any, y: Any) -> Any:
    """Scatter of each feature as NumPy users write it: a mask, a mean and a variance per class."""
    return sum((y == k).mean() * X[y == k].var(axis=0) for k in (0, 1))


def measured() -> dict[str, float]:
    X, y = data(ROWS, FEATURES)
    result = {
        "pass": seconds(lambda: scatter(X, y), repeat=5),
        "plain NumPy": seconds(lambda: plain_numpy(X, y), repeat=2),
    }
    for search in ("exact", "forward", "backward"):
        result[search] = seconds(lambda s=search: selection(scatter(X, y), CHOSEN, search=s), repeat=3)  # type: ignore[misc]
    del X, y
    X, y = data(FEW_ROWS, FEW_FEATURES)
    ours = ScatterSelector(FEW_CHOSEN, search="forward")
    result["few forward"] = seconds(lambda: ours.fit(X, y), repeat=5)
    result["few generic"] = seconds(lambda: generic(X, y), repeat=3)
    result["same features"] = float((ours.get_support() == generic(X, y).get_support()).all())
    return result


if __name__ == "__main__":
    print(json.dumps(measured()))
