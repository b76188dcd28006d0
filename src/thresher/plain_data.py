"""Plain data in and out: JSON that is what it should be, or is refused in words."""

from __future__ import annotations

import json
from typing import Any

from thresher.errors import NotationError


def json_value(text: str, *, name: str) -> Any:
    """The value that a text of JSON holds; `name` is the class that wrote it.

    >>> json_value("[1, 2]", name="Ranking")
    [1, 2]
    >>> json_value("spam", name="Ranking")
    Traceback (most recent call last):
    thresher.errors.NotationError: this is not JSON: Expecting value: line 1 column 1 (char 0)
      where: Ranking.from_json
      fix:   give the text that Ranking.to_json() returned
    """
    try:
        return json.loads(text)
    except (TypeError, ValueError) as error:
        raise NotationError(
            f"this is not JSON: {error}", f"{name}.from_json", f"give the text that {name}.to_json() returned"
        ) from None
