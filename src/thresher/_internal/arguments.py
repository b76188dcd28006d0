"""Argument checks, each with one wording that names the parameter."""

from __future__ import annotations

import errno
import math
import operator
import os
import re
import reprlib
from collections.abc import Collection, Iterable, Sequence
from numbers import Real
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError, ThresherError, argument

Floats: TypeAlias = npt.NDArray[np.float64]
_FEW = 5  # options that are written out with "or"
_LARGEST_SEED = 2**32 - 1  # scikit-learn's
_LONGEST = 60
_STORABLE = re.compile("[^\\0\ud800-\udfff]*")


def require_instance(value: Any, kinds: type | tuple[type, ...], noun: str = "", *, name: str = "", fix: str) -> None:
    """Refuse a value of any other type; `noun` says what is needed.

    >>> require_instance([0.9, 0.2], float, "a number", fix="give one")
    Traceback (most recent call last):
    thresher.errors.ArgumentError: a number is needed, got the list [0.9, 0.2]
      where: require_instance(value, kinds, noun)
      fix:   give one
    """
    if not isinstance(value, kinds):
        what = f"{noun} is needed, got" if noun else f"{argument(name)} cannot be"
        raise ArgumentError(f"{what} {describe(value)}", fix, parameter=name)


def require_path(value: Any) -> None:
    """Refuse what can name no file, before a function of the system fails on it."""
    if not isinstance(value, str | PathLike):
        raise ArgumentError(f"a path is needed, got {describe(value)}", "give a text or a pathlib.Path")
    try:
        os.lstat(value)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            what = f"a path of {len(str(value)):,} signs is too long: {short_repr(str(value))}"
            raise ArgumentError(what, "give a shorter one") from None
    except ValueError as error:
        what = f"{short_repr(str(value))} cannot name a file: {error}"
        raise ArgumentError(what, "check where the path comes from") from None


def is_one_of(value: Any, options: Collection[str]) -> bool:
    """Whether a value is one of some words; lists cannot be hashed, and are not.

    >>> is_one_of("a", {"a", "b"}), is_one_of(["a"], {"a", "b"})
    (True, False)
    """
    return isinstance(value, str) and value in options


def require_one_of(value: Any, options: Iterable[str], *, name: str, fix: str = "pick one of them") -> None:
    """Refuse what is not one of some words."""
    known = tuple(options)
    if not is_one_of(value, known):
        *others, last = (f'"{option}"' for option in known)
        listed = f"{', '.join(others)} or {last}" if others and len(known) < _FEW else f"one of {', '.join(known)}"
        raise _refusal(name, f"be {listed}", value, fix)


def require_integer(value: Any, *, name: str, least: int, fix: str, most: int | None = None) -> int:
    """The value as an int; refuse what is not a whole number from `least` to `most`."""
    integral = isinstance(value, float) and value.is_integer()
    try:
        number = int(value) if integral else int(operator.index(value))
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise _refusal(name, "be a whole number", value, fix)
    if number < least:
        raise _refusal(name, f"be at least {least}", number, fix)
    if most is not None and number > most:
        raise _refusal(name, f"be at most {most:,}", number, fix)
    return number


def require_seed(value: Any) -> int:
    """A seed that NumPy and scikit-learn both take: no float, however whole."""
    fix = f"e.g. {argument('seed', 0)}"
    if isinstance(value, float):
        raise _refusal("seed", "be a whole number", value, fix)
    return require_integer(value, name="seed", least=0, most=_LARGEST_SEED, fix=fix)


def require_jobs(value: Any) -> None:
    """Refuse what is no number of fits to run at once."""
    fix = "leave it out for one at a time, or pass -1 for one per processor"
    if value is not None and require_integer(value, name="n_jobs", least=-(2**31), fix=fix) == 0:
        raise ArgumentError(f"{argument('n_jobs')} is 0, so nothing would run", fix, parameter="n_jobs")


def require_number(
    value: Any, *, name: str, fix: str = "give one number", error: type[ThresherError] = ArgumentError
) -> float:
    """The value as a float; refuse what is not one real number."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise _refusal(name, "be a number", value, fix, error)
    try:
        return float(value)
    except OverflowError:  # an integer beyond all floats
        return math.inf if abs(value) == value else -math.inf


def require_between(value: Any, low: float, high: float, *, name: str, fix: str) -> float:
    """The value as a float; refuse what does not lie strictly between two numbers."""
    number = require_number(value, name=name, fix=fix)
    if not low < number < high:
        raise _refusal(name, f"lie strictly between {low:g} and {high:g}", value, fix)
    return number


def require_level(value: Any) -> None:
    """Refuse what is no confidence level.

    >>> require_level(95)
    Traceback (most recent call last):
    thresher.errors.ArgumentError: level must lie strictly between 0 and 1, got 95
      where: require_level(value)
      fix:   did you mean level=0.95?
    """
    fix = f"give e.g. {argument('level', 0.95)}"
    if 50 <= require_number(value, name="level", fix=fix) < 100:
        fix = f"did you mean {argument('level', value / 100)}?"
    require_between(value, 0, 1, name="level", fix=fix)
    require_instance(value, (int, float, np.number), name="level", fix=fix)  # SciPy takes no fractions


def require_function(value: Any, *, name: str) -> None:
    """Refuse what cannot be called; None stands for nothing to call."""
    if value is not None and not callable(value):
        raise _refusal(name, "be a function", value, "leave it out, or give one")


def require_text(value: Any, *, name: str) -> str:
    """Refuse what is no text that a database holds.

    >>> require_text(5, name="note")
    Traceback (most recent call last):
    thresher.errors.ArgumentError: note must be a text without NUL and half characters, got 5
      where: require_text(value)
      fix:   give another text
    """
    if not isinstance(value, str) or not _STORABLE.fullmatch(value):
        raise _refusal(name, "be a text without NUL and half characters", value, "give another text")
    return value


def require_names(values: Any, *, name: str, example: str = "age") -> list[str]:
    """Names of columns as a list; a single text is no list of them."""
    if isinstance(values, str) or not isinstance(values, Sequence) or not all(isinstance(each, str) for each in values):
        raise _refusal(name, "be a list of names", values, f"e.g. {argument(name, [example])}")
    return list(values)


def require_classifier(estimator: Any) -> None:
    """Refuse what scikit-learn could not copy and fit.

    >>> require_classifier(dict)
    Traceback (most recent call last):
    thresher.errors.ArgumentError: dict is a class and no model
      where: require_classifier(estimator)
      fix:   make one: dict()
    """
    if isinstance(estimator, type):
        name = estimator.__name__
        raise ArgumentError(f"{name} is a class and no model", f"make one: {name}()")
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        raise ArgumentError(
            f"{short_repr(estimator)} is no classifier that can be copied and fitted",
            "give one of scikit-learn's kind, e.g. LogisticRegression()",
        )


def numbers_of(values: Any, *, name: str, fix: str = "give a list of numbers", dimensions: int | None = 1) -> Floats:
    """A new array of numbers; `dimensions` None takes any shape."""
    try:
        if np.iscomplexobj(values):  # which would lose a part
            raise TypeError
        numbers: Floats = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # the last of an integer beyond all floats
        raise _refusal(name, "be numbers", values, fix) from None
    if dimensions is not None and numbers.ndim != dimensions:
        raise _refusal(name, "be a row of numbers", values, fix)
    return numbers


def as_number(value: Any) -> float:
    """Coerce to float; what is not one number becomes NaN, which no limit admits."""
    numbers = as_numbers(value)
    return float(numbers) if numbers.ndim == 0 else math.nan


def as_numbers(values: Any) -> Floats:
    """Coerce to float64 in any shape; texts and other things become NaN."""
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O":  # a text among them would be read, and a complex number lose a part
            array = np.array([_plain(value) for value in array.ravel().tolist()]).reshape(array.shape)
        with np.errstate(over="ignore"):  # a long double beyond float64 is infinite
            return array.astype(np.float64) if array.dtype.kind in "biuf" else np.full(array.shape, np.nan)
    except (TypeError, ValueError, OverflowError):  # rows of different lengths, or an integer beyond all floats
        return np.array(np.nan)


def describe(value: Any) -> str:
    """A value of an unexpected type in a few words.

    >>> describe(None), describe("x"), describe(np.zeros((3, 2)))
    ('None', "the str 'x'", 'an array of shape (3, 2)')
    """
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    return f"the {type(value).__name__} {reprlib.repr(value)}"


def short_repr(value: Any) -> str:
    """`repr` of a value on one line, cut where it is long.

    >>> short_repr([0.5, "a"]), short_repr(10**5000)
    ("[0.5, 'a']", 'an int that Python does not print')
    """
    try:
        text = " ".join((reprlib.repr(value) if isinstance(value, int) else repr(value)).split())
    except Exception:  # noqa: BLE001 - a whole number of over 4,300 digits, or whatever a class of the caller's raises
        return f"{'an' if isinstance(value, int) else 'a'} {type(value).__name__} that Python does not print"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _refusal(name: str, must: str, value: Any, fix: str, error: type[ThresherError] = ArgumentError) -> ThresherError:
    return error(f"{argument(name)} must {must}, got {short_repr(value)}", fix, parameter=name)


def _plain(value: Any) -> float:
    return math.nan if isinstance(value, str | bytes | complex) or value is None else float(value)
