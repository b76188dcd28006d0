"""What thresher raises: every error says what is wrong, where, and what to do about it."""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Iterable
from typing import Any


class ThresherError(ValueError):
    """Something thresher will not answer, said as what, where and fix.

    >>> print(ThresherError("cost_ratio must be above 0, got -2", "OperatingCondition", "give cost_fn / cost_fp"))
    cost_ratio must be above 0, got -2
      where: OperatingCondition
      fix:   give cost_fn / cost_fp
    """

    def __init__(self, what: str, where: str, fix: str) -> None:
        self.what = what
        self.where = where
        self.fix = fix
        super().__init__(f"{what}\n  where: {where}\n  fix:   {fix}")

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions cross process borders by their `args`, which hold the one finished text.
        return type(self), (self.what, self.where, self.fix)


class EmptyError(ThresherError):
    """There are no rows, or none are left."""


class LengthError(ThresherError):
    """Columns that belong together differ in length, or are not columns."""


class MissingValueError(ThresherError):
    """A label, score or weight is NaN, None or otherwise missing."""


class LabelError(ThresherError):
    """The labels are not of the kind the question needs, e.g. three where two are needed."""


class PositiveLabelError(LabelError):
    """Which label is the positive one is not said, or not among the labels."""


class OneClassError(ThresherError):
    """The question needs positives and negatives, and one of them is absent."""


class ScoreError(ThresherError):
    """A score cannot be ranked exactly: it is no number, or does not fit a float64."""


class ProbabilityError(ThresherError):
    """A number used as a probability lies outside [0, 1]."""


class WeightError(ThresherError):
    """A weight or a count is negative or infinite."""


class NotationError(ThresherError):
    """Text or JSON that should describe one of thresher's objects does not."""


class MeasureError(ThresherError):
    """A measure or a constraint is unknown, malformed, or undefined everywhere."""


class ConditionError(ThresherError):
    """An operating condition contradicts itself, or needs what was not given."""


class InfeasibleError(ThresherError):
    """No threshold meets all the constraints."""


class ArgumentError(ThresherError):
    """An argument is outside what the function understands."""


class ColumnError(ThresherError):
    """A column is absent or there twice, or cannot be used as it is: mixed, unreadable, of too many categories."""


class SourceError(ThresherError):
    """A place where rows or rankings should be is absent, unreadable, or not what its name says."""


class OutputError(ThresherError):
    """A file cannot be written where it was asked for; what stood there before still does."""


class MissingExtraError(ThresherError, ImportError):
    """A part of thresher needs a package that is not installed."""


def require_whole(value: Any, *, name: str, least: int, where: str, fix: str, most: int | None = None) -> int:
    """The value as an int; `ArgumentError` unless it is a whole number, not below `least` and not above `most`.

    >>> require_whole(3, name="points", least=2, where="here", fix="give e.g. 500")
    3
    """
    try:
        number = int(value) if isinstance(value, float) and value.is_integer() else int(operator.index(value))
    except TypeError:
        raise ArgumentError(f"{name} must be a whole number, got {value!r}", where, fix) from None
    if number < least:
        raise ArgumentError(f"{name} must be at least {least}, got {number}", where, fix)
    if most is not None and number > most:
        raise ArgumentError(f"{name} must be at most {most:,}, got {reprlib.repr(number)}", where, fix)
    return number


def require_both_classes(Pos: float, Neg: float, where: str) -> None:
    """Raise `OneClassError` unless there are positives and negatives.

    >>> require_both_classes(0, 3, "here")
    Traceback (most recent call last):
    thresher.errors.OneClassError: there are no positives among 3 cases, and this question needs both classes
      where: here
      fix:   check which label is positive, or give data with both classes
    """
    if not Pos or not Neg:
        absent = "positives" if not Pos else "negatives"
        raise OneClassError(
            f"there are no {absent} among {Pos + Neg:,} cases, and this question needs both classes",
            where=where,
            fix="check which label is positive, or give data with both classes",
        )


def require_one_of(value: Any, options: Iterable[str], *, name: str, where: str, fix: str = "pick one of them") -> None:
    """Raise `ArgumentError` unless the value is one of some words.

    >>> require_one_of("loose", ("strict", "ties"), name="pool", where="hull(ranking, pool=...)")
    Traceback (most recent call last):
    thresher.errors.ArgumentError: pool must be "strict" or "ties", got 'loose'
      where: hull(ranking, pool=...)
      fix:   pick one of them
    """
    known = tuple(options)
    if not isinstance(value, str) or value not in known:
        *others, last = (f'"{option}"' for option in known)
        few = f"{', '.join(others)} or {last}"
        many = f"one of {', '.join(known)}"
        raise ArgumentError(f"{name} must be {few if len(known) < 5 else many}, got {value!r}", where, fix)
