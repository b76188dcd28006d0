"""Errors: each says what is wrong, where, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

Spelling = Callable[[str, str | None], str]
_UNSET = object()
_MARK = "\ue000"  # a private-use character, which `repr` escapes: surrounds the names of arguments in texts
_LONG = re.compile(rf"[^\s{_MARK}]{{300,}}")  # a path, a number or a text of which the ends are enough
_MARKED = re.compile(f"{_MARK}([^={_MARK}]+)(?:=([^{_MARK}]*))?{_MARK}")


class ThresherError(ValueError):
    """A question thresher refuses, with what is wrong, where, and the fix.

    `where` is the public call that raised the error, read from the traceback, unless a place was attached with
    `located`: a file, a column. `parameter` is the name of the argument at fault, if there is one.

    >>> print(ThresherError("cost_ratio must be above 0, got -2", "give the cost of a miss in false alarms"))
    cost_ratio must be above 0, got -2
      fix:   give the cost of a miss in false alarms
    """

    def __init__(self, what: str, fix: str, *, where: str = "", parameter: str = "") -> None:
        self._marked = _cut(what), _cut(fix)
        self.what, self.fix = self.spelled(lambda name, value: name if value is None else f"{name}={value}")
        self.place = where
        self.parameter = parameter
        self._call = ""
        super().__init__(self.what, self.fix)

    @property
    def where(self) -> str:
        """The place attached by `located`, or else the public call that raised the error."""
        # Remembered, because a traceback stays behind where an error crosses to another process.
        self._call = _public_call(self) or self._call
        return self.place or self._call

    def spelled(self, spelling: Spelling) -> tuple[str, str]:
        """What is wrong and the fix, arguments written as `spelling(name, value or None)`.

        >>> error = ThresherError("2 scores are NaN", f"pass {argument('missing', 'drop')}")
        >>> error.spelled(lambda name, value: f"--{name} {value}")
        ('2 scores are NaN', "pass --missing 'drop'")
        """
        what, fix = (_MARKED.sub(lambda match: spelling(match[1], match[2]), text) for text in self._marked)
        return what, fix

    def __str__(self) -> str:
        return paragraph(self.what, self.where, self.fix)

    def __reduce__(self) -> tuple[object, ...]:
        call = _public_call(self) or self._call
        return type(self), self._marked, {"place": self.place, "parameter": self.parameter, "_call": call}


def paragraph(what: str, where: str, fix: str) -> str:
    """Text of an error in its three lines."""
    return _cut(f"{what}\n" + (f"  where: {where}\n" if where else "") + f"  fix:   {fix}")


def _cut(text: str) -> str:
    """A text without its longest words, of which both ends stay."""
    return _LONG.sub(lambda word: f"{word[0][:200]}…{word[0][-60:]}", text)


@contextmanager
def located(place: str) -> Iterator[None]:
    """Attach a place, such as a file or a column, to errors that have none.

    >>> with located("column p of scores.csv"):
    ...     raise EmptyError("there are no rows", "give at least one")
    Traceback (most recent call last):
    thresher.errors.EmptyError: there are no rows
      where: column p of scores.csv
      fix:   give at least one
    """
    try:
        yield
    except ThresherError as error:
        error.place = error.place or place
        raise


def argument(name: str, value: Any = _UNSET) -> str:
    """Name of an argument for the text of an error, with a value to pass, or `...`.

    The command line spells it as its option: see `ThresherError.spelled`.
    """
    return f"{_MARK}{name}{'' if value is _UNSET else f'={_literal(value)}'}{_MARK}"


def _literal(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_literal(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    try:
        return "..." if value is ... else repr(value)
    except Exception:  # noqa: BLE001 - an integer of over 4,300 digits, or whatever a class of the caller's raises
        return "..."


def _public_call(error: ThresherError) -> str:
    """Outermost public call of thresher in the traceback."""
    step = error.__traceback__
    while step is not None:
        frame, name = step.tb_frame, step.tb_frame.f_code.co_name
        private = name.startswith(("_", "<")) and not name.endswith("__")
        if str(frame.f_globals.get("__name__")).startswith("thresher.") and not private:
            return _signature(frame, error.parameter)
        step = step.tb_next
    return ""


def _signature(frame: FrameType, parameter: str) -> str:
    """The call with its positional arguments, and the parameter if it takes that."""
    code = frame.f_code
    call, names = code.co_name, list(code.co_varnames[: code.co_argcount])
    taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    shown = parameter in taken
    if names and names[0] in ("self", "cls") and names[0] in frame.f_locals:
        owner = frame.f_locals[names.pop(0)]
        kind = owner if isinstance(owner, type) else type(owner)
        if call in ("__init__", "__post_init__", "__new__"):
            return f"{kind.__name__}({parameter}=...)" if shown else f"{kind.__name__}(...)"
        if isinstance(getattr(kind, call, None), property):
            return f"{kind.__name__}.{call}"
        call = f"{kind.__name__}.{call}"
    if shown and parameter not in names:
        names.append(f"{parameter}=...")
    return f"{call}({', '.join(names)})"


class EmptyError(ThresherError):
    """There are no rows, or none are left."""


class LengthError(ThresherError):
    """Columns that belong together differ in length, or are not columns."""


class MissingValueError(ThresherError):
    """A label, score or weight is NaN, None or otherwise missing."""


class LabelError(ThresherError):
    """The labels are not what the question needs, e.g. three where two are needed."""


class PositiveLabelError(LabelError):
    """The positive label is not named, or is not among the labels."""


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
    """An operating condition contradicts itself, or lacks what the question needs."""


class InfeasibleError(ThresherError):
    """No threshold meets all the constraints."""


class ArgumentError(ThresherError):
    """An argument is outside what the function understands."""


class ColumnError(ThresherError):
    """A column is absent, there twice, mixed, unreadable or of too many categories."""


class SourceError(ThresherError):
    """A source of rows or rankings is absent, unreadable, or not what its name says."""


class BusyError(SourceError):
    """A store is in use by other processes for longer than was waited: try again."""


class OutputError(ThresherError):
    """A file cannot be written where it was asked for; an older one is unchanged."""


class MissingExtraError(ThresherError, ImportError):
    """A part of thresher needs a package that is not installed."""


def require_both_classes(Pos: float, Neg: float) -> None:
    """Raise `OneClassError` unless there are positives and negatives.

    >>> require_both_classes(0, 3)
    Traceback (most recent call last):
    thresher.errors.OneClassError: there are no positives among 3 cases, and this question needs both classes
      where: require_both_classes(Pos, Neg)
      fix:   check which label is positive, or give data with both classes
    """
    if not Pos or not Neg:
        absent = "positives" if not Pos else "negatives"
        raise OneClassError(
            f"there are no {absent} among {Pos + Neg:,} cases, and this question needs both classes",
            fix="check which label is positive, or give data with both classes",
        )
