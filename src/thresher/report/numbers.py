"""Numbers on the page: as JSON can carry them, and as people read them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.text import interval_text, number_text
from thresher.inference import Interval

_ENDS = ("estimate", "lower", "upper")


def json_number(value: Any) -> Any:
    """A number that JSON can carry: what it lacks becomes the texts "inf", "-inf" and "nan".

    >>> json_number(np.float64("inf")), json_number(np.int64(3)), json_number(0.5)
    ('inf', 3, 0.5)
    """
    number = value.item() if isinstance(value, np.generic) else value
    return number if isinstance(number, int) or math.isfinite(number) else str(number)


def json_numbers(values: npt.ArrayLike) -> list[Any]:
    """Each of several numbers as `json_number` writes it."""
    return [json_number(value) for value in np.asarray(values).tolist()]


def significant(values: npt.ArrayLike, digits: int = 6) -> list[Any]:
    """Numbers that are only drawn, to so many significant digits.

    >>> significant([1 / 3, 12345678, np.inf])
    [0.333333, 12345700.0, 'inf']
    """
    return [json_number(float(f"{value:.{digits}g}")) for value in np.asarray(values, dtype=np.float64).tolist()]


def interval_data(interval: Interval) -> dict[str, Any]:
    """An interval as the page reads it.

    >>> interval_data(Interval(0.5, 0.25, math.inf, variance=0.1, level=0.95, method="wilson"))
    {'estimate': 0.5, 'lower': 0.25, 'upper': 'inf', 'level': 0.95, 'method': 'wilson'}
    """
    limits = {name: json_number(getattr(interval, name)) for name in _ENDS}
    return limits | {"level": interval.level, "method": interval.method}


def value_text(value: Any) -> str:
    """A number of the page's data in a sentence or a cell, the texts for what JSON lacks included.

    >>> value_text(0.123456), value_text(1234567), value_text("inf"), value_text("nan")
    ('0.123', '1,234,567', '∞', 'undefined')
    """
    return number_text(float(value))


def score_text(value: Any) -> str:
    """A score or a threshold: up to six digits, because any of them may tell cases apart.

    >>> score_text(0.123456789), score_text("inf"), score_text(0.5)
    ('0.123457', '∞', '0.5')
    """
    return f"{float(value):.6g}".replace("inf", "∞").replace("-", "−") if not math.isnan(float(value)) else "undefined"


def limits_text(interval: Mapping[str, Any]) -> str:
    """An interval of the page's data in a cell, to the digits that its width deserves.

    >>> limits_text({"estimate": 0.5, "lower": 0.25, "upper": 0.75})
    '0.50 [0.25, 0.75]'
    """
    return interval_text(*(float(interval[name]) for name in _ENDS))
