"""Text that people see: names with nothing hidden, numbers with no more digits than are known."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

_PICTURES = 0x2400
_DELETE = 0x7F
_TURNING = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}
# Signs of no width at all. Joiners are left: emoji and whole alphabets are written with them.
_WIDTHLESS = {0x00AD, 0x180E, 0x200B, *range(0x2060, 0x2065), 0xFEFF}
_UNWRITABLE = {0x2028, 0x2029, 0xFFFE, 0xFFFF}
_REPLACED = _TURNING | _WIDTHLESS | _UNWRITABLE
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
_EXPONENT, _TINY = 1e15, 1e-6  # numbers from here on, and below, are written with an exponent
_DUST = 1e-13  # what rounding leaves of nothing
_EXACT = Context(prec=400)


def visible(text: str) -> str:
    r"""The text with control characters as their pictures, and what no file can hold as a replacement sign.

    Marks that turn the direction of writing and signs of no width are shown as such a sign too: in a name they serve to
    deceive.

    >>> visible("a\x1b[31m"), visible("half \ud800"), visible("x\u202etxt")
    ('a␛[31m', 'half �', 'x�txt')
    """
    return "".join(map(_shown, text)) if not text.isascii() or not text.isprintable() else text


def visible_lines(text: str) -> str:
    r"""A text of several lines, each made fit to be shown.

    >>> visible_lines("a\x1b\nb")
    'a␛\nb'
    """
    return "\n".join(map(visible, text.split("\n")))


def in_words(names: Sequence[str]) -> str:
    """Names as a sentence lists them.

    >>> in_words(["tree"]), in_words(["tree", "logit"]), in_words(["tree", "logit", "forest"])
    ('tree', 'tree and logit', 'tree, logit and forest')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def isolated(name: str) -> str:
    """A name as it may stand in a sentence: visible, and unable to turn the words around it.

    Names written from right to left are set between Unicode isolates; all others are left as they are.

    >>> isolated("tree"), [f"{ord(sign):x}" for sign in isolated("א")]
    ('tree', ['2068', '5d0', '2069'])
    """
    shown = visible(name)
    turns = not shown.isascii() and any(unicodedata.bidirectional(sign) in _RIGHT_TO_LEFT for sign in shown)
    return f"\u2068{shown}\u2069" if turns else shown


def _shown(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == _DELETE:
        return "␡"
    if 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000 or code in _REPLACED:
        return "\ufffd"
    return character


def decimals(lower: float, upper: float) -> int | None:
    """Decimals that an interval of this width deserves: its last digit is at most a fifth of the width.

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
    """A number for people: so many decimals, or three significant digits where nobody says how many.

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
        text = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}".replace("e-", "e−")
        return _signed(text, value)
    if places is not None:
        return _signed(_rounded(size, places), value)
    if size == int(size):
        return _signed(f"{int(size):,}", value)
    text = _rounded(size, max(0, 2 - _exponent(size)))
    return _signed(text.rstrip("0").rstrip(".") if "." in text else text, value)


def interval_text(estimate: float, lower: float, upper: float, *, scale: float = 1.0) -> str:
    """An estimate with its limits, all to the digits that the interval's width deserves.

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
    """Decimals for an estimate and its limits; None where the limits say nothing about digits.

    >>> interval_decimals(0.75, 0.304, 0.954), interval_decimals(196.3, 194, 200.2)
    (2, 0)
    """
    places = decimals(lower, upper)
    near = max(abs(estimate), abs(lower), abs(upper)) <= 1
    return max(places, 2) if places is not None and near else places


def per_thousand_text(value: float, total: float) -> str:
    """A count per 1,000 cases out of `total`: to three digits of the total, below 10 to a tenth or one digit.

    Counts with the same total then add up: 0.9 found and 9.1 missed of 10.

    >>> [per_thousand_text(value, 10) for value in (0.934, 9.066, 10)], per_thousand_text(144.6, 990)
    (['0.9', '9.1', '10'], '145')
    >>> per_thousand_text(0.0312, 990), per_thousand_text(0, 990), per_thousand_text(330.2, 333.3)
    ('0.03', '0', '330')
    """
    places = max(1 if abs(value) < 9.95 else 0, 2 - _exponent(total))
    if value and not _rounded(abs(value), places).strip("0,."):
        places = -_exponent(value)
    text = _rounded(abs(value), places)
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent_text(share: float) -> str:
    """A share in percent: whole ones, a tenth within 10 of either end, and one digit beyond that.

    >>> [percent_text(share) for share in (0.3274, 0.0827, 0.01, 0.00012, 0.9971, 1, math.nan)]
    ['33 %', '8.3 %', '1 %', '0.01 %', '99.7 %', '100 %', 'undefined']
    """
    if math.isnan(share):
        return "undefined"
    percent = 100 * share
    near = min(percent, 100 - percent)
    places = 0 if near >= 10 else 1 if near >= 0.05 or near <= _DUST else -_exponent(near)
    text = _rounded(percent, places)
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def _exponent(value: float) -> int:
    return int(f"{abs(value):.2e}".partition("e")[2]) if value else 0


def _rounded(size: float, places: int) -> str:
    """Digits of a number that is not negative, halves rounded up."""
    digits = Decimal(size).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP, context=_EXACT)
    return f"{digits:,.{places}f}"


def _signed(text: str, value: float) -> str:
    """With a minus sign, unless nothing but zeros is left."""
    return f"−{text}" if value < 0 and text.strip("0.,") else text


def plain_text(text: object) -> str:
    """The text on one line as the page and the summary show it, so that names which differ also look different.

    >>> plain_text("tree" + chr(27) + "[2J of " + chr(0x202E) + "spam")
    'tree␛[2J of �spam'
    >>> plain_text("two" + chr(10) + "lines")
    'two␊lines'
    """
    return visible(str(text))


def count_text(count: int, noun: str) -> str:
    """A count with its noun.

    >>> count_text(1, "row"), count_text(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"
