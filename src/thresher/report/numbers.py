"""Numbers on their way to the page: plain, no longer than they need to be, and in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.text import interval_text, number_text
from thresher.inference import Interval

DIGITS = 6


def real(value: Any) -> Any:
    """A number that JSON can carry: what it lacks becomes the texts "inf", "-inf" and "nan".

    >>> real(np.float64("inf")), real(np.int64(3)), real(0.5)
    ('inf', 3, 0.5)
    """
    number = value.item() if isinstance(value, np.generic) else value
    return number if isinstance(number, int) or math.isfinite(number) else str(number)


def reals(values: npt.ArrayLike) -> list[Any]:
    """Each of several numbers as `real` writes it."""
    return [real(value) for value in np.asarray(values).tolist()]


def rounded(values: npt.ArrayLike, digits: int = DIGITS) -> list[Any]:
    """Numbers that are only drawn, to so many significant digits.

    >>> rounded([1 / 3, 12345678, np.inf])
    [0.333333, 12345700.0, 'inf']
    """
    return [real(float(f"{value:.{digits}g}")) for value in np.asarray(values, dtype=np.float64).tolist()]


def interval(given: Interval) -> dict[str, Any]:
    """An interval as the page reads it.

    >>> interval(Interval(0.5, 0.25, math.inf, variance=0.1, level=0.95, method="wilson"))
    {'estimate': 0.5, 'lower': 0.25, 'upper': 'inf', 'level': 0.95, 'method': 'wilson'}
    """
    limits = {name: real(getattr(given, name)) for name in ("estimate", "lower", "upper")}
    return limits | {"level": given.level, "method": given.method}


def said(value: Any) -> str:
    """A number of the page's data in a sentence or a cell, its texts for what JSON lacks included.

    >>> said(0.123456), said(1234567), said("inf"), said("nan")
    ('0.123', '1,234,567', '∞', 'undefined')
    """
    return number_text(float(value))


def said_score(value: Any) -> str:
    """A score or a threshold: up to six digits, because any of them may tell cases apart.

    >>> said_score(0.123456789), said_score("inf"), said_score(0.5)
    ('0.123457', '∞', '0.5')
    """
    return f"{float(value):.6g}".replace("inf", "∞").replace("-", "−") if not math.isnan(float(value)) else "undefined"


def said_limits(given: Mapping[str, Any]) -> str:
    """An interval in a cell, to the digits that its width deserves.

    >>> said_limits({"estimate": 0.5, "lower": 0.25, "upper": 0.75})
    '0.50 [0.25, 0.75]'
    """
    return interval_text(*(float(given[name]) for name in ("estimate", "lower", "upper")))
