"""Arguments of the wrong kind: refused where they are given, before they break something deeper."""

from __future__ import annotations

from collections.abc import Container, Sequence
from numbers import Real
from typing import Any

import numpy as np

from thresher.errors import ArgumentError, require_whole
from thresher.ranking import Floats

_MOST_SEED = 2**32 - 1  # scikit-learn's


def require_kind(value: Any, kinds: type | tuple[type, ...], *, name: str, fix: str) -> None:
    """Refuse what is of none of these types.

    >>> require_kind("a", dict, name="types", fix='give e.g. {"age": "numerical"}')
    Traceback (most recent call last):
    thresher.errors.ArgumentError: types cannot be 'a'
      where: require_kind(value, kinds)
      fix:   give e.g. {"age": "numerical"}
    """
    if not isinstance(value, kinds):
        raise ArgumentError(f"{name} cannot be {_shown(value)}", fix)


def is_one_of(value: Any, options: Container[str]) -> bool:
    """Whether a value is one of these words; what is no word is none of them.

    >>> is_one_of("platt", ("platt", "beta")), is_one_of(["platt"], ("platt", "beta"))
    (True, False)
    """
    return isinstance(value, str) and value in options


def require_option(value: Any, options: Sequence[str], *, name: str) -> None:
    """Refuse what is none of these words.

    >>> require_option("platt", ("platt", "beta"), name="calibration")
    """
    if not is_one_of(value, options):
        raise ArgumentError(f"{name} must be one of {', '.join(options)}, got {_shown(value)}", "pick one")


def require_seed(seed: Any) -> int:
    """A seed as NumPy and scikit-learn both take it.

    >>> require_seed(7)
    7
    """
    found = require_whole(seed, name="seed", least=0, fix="e.g. seed=0")
    if found > _MOST_SEED:
        raise ArgumentError(f"seed must be at most {_MOST_SEED:,}, got {found:,}", "e.g. seed=0")
    return found


def require_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of fits to run at once."""
    fix = "leave it out for one at a time, or pass -1 for one per processor"
    if n_jobs is not None and require_whole(n_jobs, name="n_jobs", least=-(2**31), fix=fix) == 0:
        raise ArgumentError("n_jobs is 0, so nothing would run", fix)


def require_function(function: Any, *, name: str) -> None:
    """Refuse what cannot be called; None stands for nothing to call."""
    if function is not None and not callable(function):
        raise ArgumentError(f"{name} must be a function, got {_shown(function)}", "leave it out, or give one")


def require_classifier(estimator: Any) -> None:
    """Refuse what scikit-learn could not copy and fit.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> require_classifier(GaussianNB())
    >>> require_classifier(GaussianNB)
    Traceback (most recent call last):
    thresher.errors.ArgumentError: GaussianNB is a class and no model
      where: require_classifier(estimator)
      fix:   make one: GaussianNB()
    """
    if isinstance(estimator, type):
        name = estimator.__name__
        raise ArgumentError(f"{name} is a class and no model", f"make one: {name}()")
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        raise ArgumentError(
            f"{_shown(estimator)} is no classifier that can be copied and fitted",
            "give one of scikit-learn's kind, e.g. LogisticRegression()",
        )


def require_number(value: Any, *, name: str, fix: str) -> float:
    """A plain number.

    >>> require_number(0.5, name="rate", fix="e.g. 0.1")
    0.5
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ArgumentError(f"{name} must be a number, got {_shown(value)}", fix)
    return float(value)


def numbers_of(values: Any, *, name: str, fix: str) -> Floats:
    """A row of numbers.

    >>> numbers_of([1, 2.5], name="thresholds", fix="e.g. [0.2, 0.5]")
    array([1. , 2.5])
    """
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.zeros(())
    if found.ndim != 1:
        raise ArgumentError(f"{name} must be a row of numbers, got {_shown(values)}", fix)
    return found


def require_names(names: Any, *, name: str) -> list[str]:
    """Names of columns; a single one is no list of them.

    >>> require_names(("age", "town"), name="columns")
    ['age', 'town']
    """
    if isinstance(names, str) or not isinstance(names, Sequence) or not all(isinstance(each, str) for each in names):
        raise ArgumentError(f"{name} must be a list of names, got {_shown(names)}", f'e.g. {name}=["age"]')
    return list(names)


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:59]}…"
