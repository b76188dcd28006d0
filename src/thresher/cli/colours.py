"""Whether colours are wanted: told by the environment, the same for answers and for refusals."""

from __future__ import annotations

import os
from collections.abc import Mapping

_NO_COLOURS = ("dumb", "unknown")


def colours_wanted(environment: Mapping[str, str] | None = None) -> bool:
    """False where NO_COLOR is set to anything but nothing (no-color.org), or the terminal says that it has none.

    >>> colours_wanted({"TERM": "xterm"}), colours_wanted({"NO_COLOR": "1"}), colours_wanted({"TERM": "dumb"})
    (True, False, False)
    """
    told = os.environ if environment is None else environment
    return not told.get("NO_COLOR") and told.get("TERM", "").lower() not in _NO_COLOURS
