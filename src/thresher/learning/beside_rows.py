"""What stands beside rows: groups that stay together and times that run forward, for whatever deals folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from thresher.errors import LengthError
from thresher.sources.columns import Column, column, complete

_NAMES = ("groups", "times")


def beside_rows(groups: Any, times: Any, *, rows: int) -> dict[str, Column]:
    """Groups and times by name, those that are given, with an entry for each row.

    >>> list(beside_rows(None, [3, 1, 2], rows=3))
    ['times']
    """
    found = {}
    for name, given in zip(_NAMES, (groups, times), strict=True):
        if given is None:
            continue
        values = column(given, name=name)
        if values.size != rows:
            raise LengthError(f"there are {values.size:,} {name} for {rows:,} rows", "give one per row")
        complete({name: values}, missing="raise", droppable=False)
        found[name] = values
    return found


def handed_on(estimator: Any, beside: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of `estimator.fit` by which groups and times reach a wrapper that deals folds itself.

    Wrappers are found as they are and at the end of pipelines; other models take nothing.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.preprocessing import StandardScaler
    >>> from thresher.learning import CalibratedModel
    >>> steps = Pipeline([("scale", StandardScaler()), ("model", CalibratedModel(GaussianNB()))])
    >>> list(handed_on(steps, {"groups": [1, 1, 2]})), handed_on(GaussianNB(), {"groups": [1, 1, 2]})
    (['model__groups'], {})
    """
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        return {f"{name}__{key}": value for key, value in handed_on(last, beside).items()}
    if isinstance(estimator, FrozenEstimator) or not getattr(estimator, "deals_folds", False):
        return {}
    return dict(beside)
