"""Numbers and headings of the page, for JSON and for readers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import describe
from thresher._internal.text import interval_text, number_text, visible
from thresher.errors import ArgumentError
from thresher.inference import Interval

_ENDS = ("estimate", "lower", "upper")


def json_number(value: Any) -> Any:
    """A number for JSON; what it lacks becomes "inf", "-inf" or "nan"."""
    number = value.item() if isinstance(value, np.generic) else value
    return number if isinstance(number, int) or math.isfinite(number) else str(number)


def json_numbers(values: npt.ArrayLike) -> list[Any]:
    """Each of several numbers as `json_number` writes it."""
    return [json_number(value) for value in np.asarray(values).tolist()]


def significant(values: npt.ArrayLike, digits: int = 6) -> list[Any]:
    """Numbers that are only drawn, to so many significant digits."""
    return [json_number(float(f"{value:.{digits}g}")) for value in np.asarray(values, dtype=np.float64).tolist()]


def interval_data(interval: Interval) -> dict[str, Any]:
    """An interval as the page reads it."""
    limits = {name: json_number(getattr(interval, name)) for name in _ENDS}
    return limits | {"level": interval.level, "method": interval.method}


def heading(title: object, otherwise: str) -> str:
    """The heading of a page: what was asked for, or otherwise."""
    if title is None:
        return otherwise
    if not (isinstance(title, str) and title.strip()):
        raise ArgumentError(f"a heading is needed, got {describe(title)}", "give a text, or none", parameter="title")
    return visible(title)


def value_text(value: Any) -> str:
    """A number of the page's data as people read it."""
    return number_text(float(value))


def ci_text(interval: Mapping[str, Any]) -> str:
    """An interval of the page's data, to the digits that its width deserves."""
    return interval_text(*(float(interval[name]) for name in _ENDS))
