"""Text that people gave, made safe for a terminal: nothing that it would obey instead of show."""

from __future__ import annotations

from thresher.visible import visible


def plain_text(text: object) -> str:
    """The text on one line as the page and the summary show it, so that names which differ also look different.

    >>> plain_text("tree" + chr(27) + "[2J of " + chr(0x202E) + "spam")
    'tree␛[2J of �spam'
    >>> plain_text("two" + chr(10) + "lines")
    'two␊lines'
    """
    return visible(str(text))
