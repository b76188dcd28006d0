"""Names and numbers as text: nothing hidden, no digits beyond what is known."""

from __future__ import annotations

import difflib
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from string import ascii_uppercase
from typing import Any

# Marks that turn the direction of writing, signs of no width, and what no file can hold. Joiners are left: emoji and
# whole alphabets are written with them.
_TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
_WIDTHLESS = (0x00AD, 0x180E, 0x200B, *range(0x2060, 0x2065), 0xFEFF)
_UNWRITABLE = (*range(0x80, 0xA0), *range(0xD800, 0xE000), 0x2028, 0x2029, 0xFFFE, 0xFFFF)
_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
_SHOWN = _PICTURES | dict.fromkeys(_TURNING + _WIDTHLESS + _UNWRITABLE, 0xFFFD)
_WORKFLOW_COMMAND = re.compile(r"(?m)^([^\S\n]*)(?=::)|(#)(?=#\[)")
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
_EXPONENT, _TINY = 1e15, 1e-6  # numbers from here on, and below, are written with an exponent
_DUST = 1e-13  # what rounding leaves of nothing
_EXACT = Context(prec=400)
_SHORT = 2  # signs of a name that fits into its point


def visible(text: str) -> str:
    r"""The text with control characters as pictures, and deceiving signs replaced.

    >>> visible("a\x1b[31m"), visible("half \ud800"), visible("x\u202etxt")
    ('a␛[31m', 'half �', 'x�txt')
    """
    return text.translate(_SHOWN)


def plain_text(text: object) -> str:
    """Anything as one visible line, so that names which differ also look different."""
    return visible(str(text))


def visible_lines(text: str) -> str:
    r"""A text of several lines, each made visible.

    >>> visible_lines("a\x1b\nb")
    'a␛\nb'
    """
    return "\n".join(map(visible, text.split("\n")))


def log_line(text: str) -> str:
    r"""A text without commands to the runner of a GitHub workflow.

    Those are :: where a line starts, and ##[ anywhere.

    >>> log_line("::error::all is lost\n  ::debug::x and ##[group]")
    '\\::error::all is lost\n  \\::debug::x and #\\#[group]'
    """
    return _WORKFLOW_COMMAND.sub(r"\1\2\\", text)


def log_json(text: str) -> str:
    r"""The same JSON without ##[, which a runner obeys inside of strings, too.

    >>> log_json('["##[group]"]')
    '["#\\u0023[group]"]'
    """
    return text.replace("##[", r"#\u0023[")


def in_words(names: Sequence[str]) -> str:
    """Names as a sentence lists them.

    >>> in_words(["tree"]), in_words(["tree", "logit"]), in_words(["tree", "logit", "forest"])
    ('tree', 'tree and logit', 'tree, logit and forest')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def letters(names: Sequence[str]) -> list[str]:
    """What marks points of a picture: short names, else letters, else numbers.

    >>> letters(["M1", "M2"]), letters(["forest", "tree"]), letters(["forest"] * 27)[-1]
    (['M1', 'M2'], ['A', 'B'], '27')
    """
    shown = [visible(name) for name in names]
    if all(0 < len(name) <= _SHORT and name.isalnum() for name in shown):
        return shown
    return list(
        ascii_uppercase[: len(names)] if len(names) <= len(ascii_uppercase) else map(str, range(1, len(names) + 1))
    )


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """The known name nearest to a mistaken one, as a question; empty if none is near.

    >>> did_you_mean("spma", ["ham", "spam"]), did_you_mean("x", ["ham", "spam"])
    ("did you mean 'spam'?", '')
    """
    spelled = {str(each).lower(): each for each in known}
    close = difflib.get_close_matches(str(name).lower(), spelled, n=1)
    return f"did you mean {spelled[close[0]]!r}?" if close else ""


def listed(names: Sequence[str], most: int = 20) -> str:
    """Names with commas between them, of more than `most` the first and how many more.

    >>> listed(["tree", "logit", "forest"]), listed(["tree", "logit", "forest"], most=2)
    ('tree, logit, forest', 'tree, logit and 1 more')
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def score_text(value: Any) -> str:
    """A score or a threshold, to six digits that may tell cases apart.

    >>> score_text(-1.0), score_text("inf"), score_text(0.125)
    ('−1', '∞', '0.125')
    """
    number = float(value)
    return "undefined" if math.isnan(number) else f"{number:.6g}".replace("inf", "∞").replace("-", "−")


def isolated(name: str) -> str:
    """A visible name for a sentence; one from right to left stands between isolates."""
    shown = visible(name)
    turns = not shown.isascii() and any(unicodedata.bidirectional(sign) in _RIGHT_TO_LEFT for sign in shown)
    return f"\u2068{shown}\u2069" if turns else shown


def decimals(lower: float, upper: float) -> int | None:
    """Decimals of an interval: its last digit is at most a fifth of its width.

    Units are never rounded away; None where the width is no positive number. The page's `decimals` in
    frontend/src/reals.ts is the same function, tested on the same numbers.

    >>> decimals(0.711, 0.761), decimals(0.921, 0.922), decimals(194, 200), decimals(1100, 1370), decimals(1, 1)
    (2, 4, 0, 0, None)
    """
    width = upper - lower
    if not 0 < width < math.inf:
        return None
    mantissa, _, exponent = f"{width:.3e}".partition("e")
    return max(0, (0 if float(mantissa) >= 5 else 1) - int(exponent))


def number_text(value: float, places: int | None = None) -> str:
    """A number for people, to so many decimals or to three significant digits.

    Whole numbers keep all their digits. Halves are rounded away from zero, as the page does.

    >>> number_text(0.736408), number_text(0.736408, 2), number_text(12345.6), number_text(1234567)
    ('0.736', '0.74', '12,346', '1,234,567')
    >>> number_text(0.000123456), number_text(-0.5), number_text(math.inf), number_text(math.nan), number_text(1e21)
    ('0.000123', '−0.5', '∞', 'undefined', '1e21')
    """
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if size >= _EXPONENT or (places is None and 0 < size < _TINY):
        mantissa, _, exponent = f"{size:.2e}".partition("e")
        text = f"{_trim(mantissa)}e{int(exponent)}".replace("e-", "e−")
    elif places is not None:
        text = _digits(size, places)
    else:
        text = f"{int(size):,}" if size == int(size) else _trim(_digits(size, max(0, 2 - _exponent(size))))
    return f"−{text}" if value < 0 and text.strip("0.,") else text


def interval_text(estimate: float, lower: float, upper: float, *, scale: float = 1.0) -> str:
    """An estimate with its limits, all to the digits that the width deserves.

    Numbers within [-1, 1] have two decimals at least. `scale` multiplies all three: 1000 for "per 1,000 cases".

    >>> interval_text(0.736408, 0.7112, 0.7614), interval_text(0.921, 0.9206, 0.9219), interval_text(0.75, 0.304, 0.954)
    ('0.74 [0.71, 0.76]', '0.9210 [0.9206, 0.9219]', '0.75 [0.30, 0.95]')
    >>> interval_text(0.1963, 0.194, 0.2002, scale=1000), interval_text(0.5, math.nan, math.nan)
    ('196 [194, 200]', '0.5')
    """
    if not math.isfinite(estimate) or math.isnan(lower) or math.isnan(upper):
        return number_text(estimate * scale)
    places = interval_decimals(estimate * scale, lower * scale, upper * scale)
    shown = (number_text(value * scale, places) for value in (estimate, lower, upper))
    return "{} [{}, {}]".format(*shown)


def interval_decimals(estimate: float, lower: float, upper: float) -> int | None:
    """Decimals for an estimate and its limits; None where their width says nothing."""
    places = decimals(lower, upper)
    near = max(abs(estimate), abs(lower), abs(upper)) <= 1
    return max(places, 2) if places is not None and near else places


def per_thousand_text(value: float, total: float) -> str:
    """A count per 1,000 cases, to the digits of its `total`: such counts add up.

    >>> [per_thousand_text(value, 10) for value in (0.934, 9.066, 10)], per_thousand_text(144.6, 990)
    (['0.9', '9.1', '10'], '145')
    """
    places = max(1 if abs(value) < 9.95 else 0, 2 - _exponent(total))
    if value and not _digits(abs(value), places).strip("0,."):
        places = -_exponent(value)
    return _trim(_digits(abs(value), places))


def percent_text(share: float) -> str:
    """A share in percent, with more digits near 0 and 100.

    Two ways to one share may differ in the last digit, and must not show 62 % next to 63 %.

    >>> [percent_text(share) for share in (0.3274, 0.0827, 0.01, 0.00012, 0.9971, 1, math.nan)]
    ['33 %', '8.3 %', '1 %', '0.01 %', '99.7 %', '100 %', 'undefined']
    >>> percent_text(0.625), percent_text(0.6249999999999999)
    ('63 %', '63 %')
    """
    if math.isnan(share):
        return "undefined"
    percent = float(f"{100 * share:.14g}")
    near = min(percent, 100 - percent)
    places = 0 if near >= 10 else 1 if near >= 0.05 or near <= _DUST else -_exponent(near)
    return f"{_trim(_digits(percent, places))} %"


def range_text(ends: tuple[float, float], what: str, text: Callable[[float], str] = number_text) -> str:
    """A range of ratios or shares, which lie between 0 and infinity.

    >>> [range_text(ends, "ratios") for ends in ((0.5, 2), (0, math.inf), (0, 3), (3, math.inf))]
    ['for ratios from 0.5 to 2', 'for all ratios', 'for ratios up to 3', 'for ratios of 3 and above']
    >>> range_text((1, 1), "ratios"), range_text((0.999999, 1), "ratios")
    ('for ratios of 1 alone', 'for ratios of about 1')
    """
    low, high = ends
    if low <= 0:
        return f"for all {what}" if high == math.inf else f"for {what} up to {text(high)}"
    if high == math.inf:
        return f"for {what} of {text(low)} and above"
    if text(low) == text(high):
        return f"for {what} of {text(low)} alone" if low == high else f"for {what} of about {text(low)}"
    return f"for {what} from {text(low)} to {text(high)}"


def count_text(count: int, noun: str) -> str:
    """A count with its noun.

    >>> count_text(1, "row"), count_text(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _exponent(value: float) -> int:
    return int(f"{abs(value):.2e}".partition("e")[2]) if value else 0


def _digits(size: float, places: int) -> str:
    """Digits of a number that is not negative, halves rounded up."""
    digits = Decimal(size).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP, context=_EXACT)
    return f"{digits:,.{places}f}"


def _trim(digits: str) -> str:
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
