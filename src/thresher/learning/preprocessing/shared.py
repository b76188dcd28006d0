"""`SharedPreparation`: every set of rows is prepared once for all models."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Self

import joblib
from sklearn.base import BaseEstimator, TransformerMixin, clone

# Of one fold: its training rows and the three parts of them, each prepared, and the rows that each is tested on.
_MOST = 12


class PreparedRows:
    """The latest rows prepared, by their values; copies and clones share it.

    It is written to no other process: there each copy begins empty.
    """

    def __init__(self, most: int = _MOST) -> None:
        self.most = most
        self._latest: OrderedDict[Any, Any] = OrderedDict()
        self._lock = Lock()

    def recall(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made for a key before, or is made now."""
        with self._lock:
            if key in self._latest:
                self._latest.move_to_end(key)
                return self._latest[key]
        made = make()
        with self._lock:
            self._latest[key] = made
            while len(self._latest) > self.most:
                self._latest.popitem(last=False)
        return made

    def __deepcopy__(self, _memo: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.most,)


class SharedPreparation(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc, call-arg]
    """A transformer that is fitted once on the same rows, for all models.

    `prepared` is shared by clones. Rows are the same when their values and labels are. Every caller gets a copy.

    >>> import numpy as np
    >>> from sklearn.preprocessing import StandardScaler
    >>> shared = SharedPreparation(StandardScaler(), PreparedRows())
    >>> first, second = (clone(shared).fit(np.array([[1.0], [3.0]]), [0, 1]) for _ in range(2))
    >>> first.transformer_ is second.transformer_, second.transform(np.array([[2.0]])).tolist()
    (True, [[0.0]])
    """

    def __init__(self, transformer: Any, prepared: PreparedRows) -> None:
        self.transformer = transformer
        self.prepared = prepared

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the transformer, or take it as fitted on the same rows."""
        self._fit(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit and transform together, as encoders by the target need."""
        return self._fit(X, y).copy()

    def transform(self, X: Any) -> Any:
        """The rows prepared, or as they were prepared before."""
        key = self._rows, joblib.hash(X)
        return self.prepared.recall(key, lambda: self.transformer_.transform(X)).copy()

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the transformer's features."""
        return self.transformer_.get_feature_names_out(input_features)

    def _fit(self, X: Any, y: Any) -> Any:
        def make() -> tuple[Any, Any]:
            transformer = clone(self.transformer)
            return transformer, transformer.fit_transform(X, y)

        self._rows = joblib.hash((X, y))
        self.transformer_, rows = self.prepared.recall(self._rows, make)
        return rows
