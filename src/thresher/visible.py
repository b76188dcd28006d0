"""Text that people gave, made fit to be shown: nothing hidden, nothing that a file cannot hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_PICTURES = 0x2400
_DELETE = 0x7F
_TURNING = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}
# Signs of no width at all. Joiners are left: emoji and whole alphabets are written with them.
_WIDTHLESS = {0x00AD, 0x180E, 0x200B, *range(0x2060, 0x2065), 0xFEFF}
_UNWRITABLE = {0x2028, 0x2029, 0xFFFE, 0xFFFF}
_REPLACED = _TURNING | _WIDTHLESS | _UNWRITABLE
_RIGHT_TO_LEFT = {"R", "AL", "AN"}


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
    """A name as it may stand in a sentence: visible, and kept from turning the words around it.

    Names written from right to left are set between Unicode isolates; all others are left as they are.

    >>> isolated("tree"), [f"{ord(sign):x}" for sign in isolated("א")]
    ('tree', ['2068', '5d0', '2069'])
    """
    told = visible(name)
    turns = not told.isascii() and any(unicodedata.bidirectional(sign) in _RIGHT_TO_LEFT for sign in told)
    return f"\u2068{told}\u2069" if turns else told


def _shown(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == _DELETE:
        return "␡"
    if 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000 or code in _REPLACED:
        return "\ufffd"
    return character
