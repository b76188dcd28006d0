"""JSON that thresher wrote, read back; anything else is refused in words."""

from __future__ import annotations

import json
import math
import reprlib
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from thresher.errors import NotationError, ThresherError

Reader: TypeAlias = Callable[[Any], Any]
_LARGEST = sys.float_info.max
_DEEPEST = 100  # levels; thresher writes fewer than 10


def json_value(text: str, *, name: str) -> Any:
    """The value that a text of JSON holds; `name` is the class that wrote it.

    A key that stands twice, NaN and infinite numbers, and more than 100 levels of nesting are refused.
    """
    fix = f"give the text that {name}.to_json() returned"
    try:
        if isinstance(text, str):
            require_nesting(text.encode("utf-8", errors="surrogatepass"), _DEEPEST)
        return json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except FieldError as error:
        raise NotationError(f"this is not JSON as thresher writes it: {error}", fix) from None
    except (RecursionError, TypeError, ValueError) as error:
        raise NotationError(f"this is not JSON: {error}", fix) from None


def require_nesting(content: bytes, deepest: int) -> None:
    """Raise `FieldError` where brackets nest deeper; parsers would run out of stack."""
    place = nesting_beyond(content, deepest)
    if place is not None:
        line = content.count(b"\n", 0, place) + 1
        column = len(content[content.rfind(b"\n", 0, place) + 1 : place].decode("utf-8", errors="replace")) + 1
        raise FieldError(f"it is nested more than {deepest:,} levels deep, from line {line:,} column {column:,} on")


def nesting_beyond(content: bytes, deepest: int) -> int | None:
    """The place of the first bracket that opens a level too many, without parsing.

    >>> nesting_beyond(b'{"[[": [[1]]}', 2)
    8
    """
    if content.count(b"{") + content.count(b"[") <= deepest:
        return None
    signs = np.frombuffer(content.replace(rb"\\", b"  ").replace(rb"\"", b"  "), dtype=np.uint8)
    outside = ~np.logical_xor.accumulate(signs == ord('"'))
    opening, closing = (outside & np.isin(signs, list(brackets)) for brackets in (b"{[", b"}]"))
    beyond = np.cumsum(opening.astype(np.int64) - closing) > deepest
    return int(beyond.argmax()) if beyond.any() else None


class FieldError(ValueError):
    """A field that is not as thresher writes it: why, and which one."""

    def __init__(self, why: str, field: str = "") -> None:
        self.why = why
        self.field = field
        super().__init__(f'"{field}" {why}' if field else why)

    def inside(self, name: str) -> FieldError:
        """The same of a field of the field `name`."""
        dot = "." if self.field and not self.field.startswith("[") else ""
        return FieldError(self.why, f"{name}{dot}{self.field}")


def read_object(
    value: Any, readers: Mapping[str, Reader], *, of: str, kind: str, form: str, optional: Collection[str] = ()
) -> dict[str, Any]:
    """The fields of what `of`.to_dict() wrote; `NotationError` names a wrong one."""
    try:
        parts = fields(value, {"format": one_of([form]), **readers}, optional=optional)
    except FieldError as error:
        raise not_written(f"{error}", of=of, kind=kind) from None
    del parts["format"]
    return parts


def not_written(why: str, *, of: str, kind: str) -> NotationError:
    """The error of plain data that is not what a class wrote."""
    return NotationError(
        f"this is not {kind} as thresher writes it: {why}",
        fix=f"give what {of}.to_dict() or {of}.to_json() returned, unchanged",
    )


def fields(value: Any, readers: Mapping[str, Reader], *, optional: Collection[str] = ()) -> dict[str, Any]:
    """Read every field; absent, unknown and wrong ones raise `FieldError`."""
    if not isinstance(value, Mapping):
        raise FieldError(f"must be an object, got {_shown(value)}")
    if unknown := [name for name in value if name not in readers]:
        raise FieldError("is not a field that thresher writes", str(unknown[0]))
    parts = {}
    for name, read in readers.items():
        if name in value:
            parts[name] = within(name, read, value[name])
        elif name not in optional:
            raise FieldError("is missing", name)
    return parts


def number(
    least: float = -math.inf,
    most: float = math.inf,
    *,
    strictly: bool = False,
    integer: bool = False,
    infinite: bool = False,
    undefined: bool = False,
) -> Reader:
    """Read a finite number within limits (`strictly` inside them), as it is written.

    `infinite` admits the texts "inf" and "-inf", `undefined` admits null, which is NaN.

    >>> number(0, 1)(0.5), number(infinite=True)("inf"), number(undefined=True)(None)
    (0.5, inf, nan)
    """
    limits = f" strictly between {least:g} and {most:g}" if strictly else f" from {least:g} to {most:g}"
    if math.isinf(most):
        limits = "" if math.isinf(least) else f" above {least:g}" if strictly else f" of {least:g} or more"
    words = f"a {'whole ' * integer}number{limits}{' or infinite as text' * infinite}{' or null' * undefined}"

    def read(value: Any) -> Any:
        if undefined and value is None:
            return math.nan
        known = float(value) if infinite and isinstance(value, str) and value in ("inf", "-inf") else value
        fine = (
            not isinstance(known, bool)
            and isinstance(known, int if integer else int | float)
            and (known is not value or -_LARGEST <= known <= _LARGEST)
            and (least < known < most if strictly else least <= known <= most)
        )
        if not fine:
            raise FieldError(f"must be {words}, got {_shown(value)}")
        return known

    return read


def numbers(
    least: float = -math.inf, most: float = math.inf, *, infinite: bool = False, undefined: bool = False
) -> Reader:
    """Read a list of numbers, each as `number` reads it."""
    one_by_one = items(number(least, most, infinite=infinite, undefined=undefined))

    def read(value: Any) -> Any:
        if isinstance(value, list) and value and set(map(type, value)) in ({int}, {float}):  # many, at one look
            low, high = np.min(value), np.max(value)  # NaN if any number is
            if max(least, -_LARGEST) <= low and high <= min(most, _LARGEST):
                return value
        return one_by_one(value)

    return read


def items(read_one: Reader) -> Reader:
    """Read a list of things."""

    def read(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise FieldError(f"must be a list, got {_shown(value)}")
        return [within(f"[{i}]", read_one, each) for i, each in enumerate(value)]

    return read


def rising(value: Any, *, least: float = -math.inf) -> tuple[Any, Any]:
    """Read two numbers, the lower one first; either may be infinite."""
    ends = numbers(least, infinite=True)(value)
    if len(ends) != 2 or ends[0] > ends[1]:
        raise FieldError(f"must be two numbers, the lower one first, got {_shown(value)}")
    return ends[0], ends[1]


def or_none(read: Reader) -> Reader:
    """Read null as None, and everything else as `read` does."""
    return lambda value: None if value is None else read(value)


def one_of(options: Iterable[Any]) -> Reader:
    """Read one of some values, which must be of the same type."""
    known = list(options)

    def read(value: Any) -> Any:
        if not any(type(value) is type(option) and value == option for option in known):
            raise FieldError(f"must be {' or '.join(map(json.dumps, known))}, got {_shown(value)}")
        return value

    return read


flag = one_of([True, False])


def text(value: Any) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise FieldError(f"must be a text, got {_shown(value)}")
    return value


def label(value: Any) -> Any:
    """Read a label of cases."""
    if not isinstance(value, str | int | float) or not (isinstance(value, str) or -_LARGEST <= value <= _LARGEST):
        raise FieldError(f"must be a text, a number, true or false, got {_shown(value)}")
    return value


def within(name: str, read: Reader, value: Any) -> Any:
    """Read the value of a field; errors name the field."""
    try:
        return read(value)
    except FieldError as error:
        raise error.inside(name) from None
    except ThresherError as error:
        raise FieldError(f"is refused: {error.what}", name) from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    distinct = dict(pairs)
    if len(distinct) < len(pairs):
        names = [name for name, _ in pairs]
        raise FieldError("stands twice in one object", next(name for name in names if names.count(name) > 1))
    return distinct


def _no_constant(word: str) -> Any:
    raise FieldError(f"{word} is no number in JSON")


def _shown(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > 1024:
        return f"a number of {value.bit_length():,} bits"
    return "null" if value is None else reprlib.repr(value)
