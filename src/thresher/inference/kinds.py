"""What an argument has to be: a matrix, a condition, a number, a word; anything else is refused in words."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Real
from typing import Any

import numpy as np

from thresher.errors import ArgumentError
from thresher.ranking import Floats, describe
from thresher.tables import ConfusionMatrix, OperatingCondition


def require_matrix(given: Any) -> None:
    """Raise `ArgumentError` unless this is a `ConfusionMatrix`."""
    _require(given, ConfusionMatrix, "a confusion matrix", "give th.confusion(labels, predictions)")


def require_condition(given: Any) -> None:
    """Raise `ArgumentError` unless this is an `OperatingCondition`."""
    fix = "give e.g. th.OperatingCondition(cost_ratio=5)"
    _require(given, OperatingCondition, "an operating condition", fix)


def require_numbers(given: dict[str, Any]) -> None:
    """Raise `ArgumentError` unless all of these are real numbers.

    >>> require_numbers({"margin": 0.1, "level": "high"})
    Traceback (most recent call last):
    thresher.errors.ArgumentError: level must be a number, got 'high'
      where: require_numbers(given)
      fix:   give one number for level
    """
    for name, value in given.items():
        if not isinstance(value, Real):
            raise ArgumentError(f"{name} must be a number, got {value!r}", f"give one number for {name}")


def require_one_of(given: Any, known: Collection[str], name: str) -> None:
    """Raise `ArgumentError` unless this is one of the words that are known."""
    if not is_one_of(given, known):
        raise ArgumentError(f"there is no {name} {given!r}", f"pick one of {', '.join(known)}")


def is_one_of(given: Any, known: Collection[str]) -> bool:
    """Whether this is one of the words that are known; lists and arrays, which have no place in sets, are not.

    >>> is_one_of("a", {"a", "b"}), is_one_of(["a"], {"a", "b"})
    (True, False)
    """
    return isinstance(given, str) and given in known


def require_progress(given: Any) -> None:
    """Raise `ArgumentError` unless this can be called, or is None."""
    if given is not None and not callable(given):
        raise ArgumentError(
            f"progress is called with what is done and all there is, and this is {type(given).__name__}",
            "give a function of two numbers, or leave progress out",
        )


def numbers_of(given: Any, name: str) -> Floats:
    """A column of numbers as an array; raise `ArgumentError` where it is none.

    >>> numbers_of([1, 2], "a")
    array([1., 2.])
    """
    try:
        found: Floats = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} holds what is no number: {given!r}", "give a list of numbers") from None
    return found


def _require(given: Any, kind: type, called: str, fix: str) -> None:
    if not isinstance(given, kind):
        raise ArgumentError(f"{called} is needed, got {describe(given)}", fix)
