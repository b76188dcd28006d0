"""Text that people gave, made safe for a terminal: no control characters, no turned writing direction."""

from __future__ import annotations

import unicodedata

# Control characters, marks that turn the writing direction, and halves of characters; a line end becomes a space.
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def plain_text(text: object) -> str:
    """The text on one line, with everything removed that a terminal could obey instead of show.

    >>> plain_text("tree" + chr(27) + "[2J of " + chr(0x202E) + "spam")
    'tree[2J of spam'
    >>> plain_text("two" + chr(10) + "lines")
    'two lines'
    """
    shown = (" " if char in "\n\t\r\u2028\u2029" else char for char in str(text))
    return "".join(char for char in shown if unicodedata.category(char) not in _UNSAFE)
