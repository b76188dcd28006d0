"""What a function of rankings asks of its first argument, in one call: that it is one, and fit for the question."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np

from thresher.errors import ArgumentError
from thresher.ranking.ranking import Ranking


def require_ranking(given: Any, *, both_classes: bool = False, probabilities: bool = False) -> None:
    """Raise unless a ranking is given, with both classes and scores in [0, 1] where those are asked for.

    >>> require_ranking([0.9, 0.2])
    Traceback (most recent call last):
    thresher.errors.ArgumentError: a ranking is needed, got the list [0.9, 0.2]
      where: require_ranking(given)
      fix:   pass rank(labels, scores)
    """
    if not isinstance(given, Ranking):
        raise ArgumentError(f"a ranking is needed, got {described(given)}", _fix(given))
    if both_classes:
        given.require_both_classes()
    if probabilities:
        given.require_probabilities()


def described(given: Any) -> str:
    """Something of an unexpected type in a few words.

    >>> described(None), described("x"), described(np.zeros((3, 2)))
    ('None', "the str 'x'", 'an array of shape (3, 2)')
    """
    if given is None:
        return "None"
    if isinstance(given, np.ndarray):
        return f"an array of shape {given.shape}"
    return f"the {type(given).__name__} {reprlib.repr(given)}"


def _fix(given: Any) -> str:
    if isinstance(given, str):
        return 'pass Ranking.parse("[20+,5-][10+,5-]") for segments, or scan(path, label=..., score=...) for a file'
    return "pass rank(labels, scores)"
