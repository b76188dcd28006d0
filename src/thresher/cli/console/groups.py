"""Answers of several groups: one after the other, or as one list of plain data."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from rich.console import Console
from rich.text import Text

from thresher._internal.text import plain_text
from thresher.cli.console.screen import BAD, heading, present
from thresher.cli.options import PrintOptions
from thresher.cli.reading import Group, group_text
from thresher.errors import ThresherError

Answer = TypeVar("Answer")


def present_groups(
    printed: PrintOptions,
    by: Sequence[str],
    answers: Mapping[Group, Answer | ThresherError],
    *,
    plain: Callable[[Answer], dict[str, Any]],
    blocks: Callable[[Answer, Console], Iterable[Any]],
    about: Mapping[str, Any] | None = None,
) -> None:
    """Print the answer, or with --by that of each group under its name.

    Plain data of groups are {"by": [columns], "groups": [{"group": {column: value}, "result": ...}, ...]}; a group
    without an answer has the result None, and "refused" says why. `about` is of all groups.
    """

    def every_block(screen: Console) -> Iterator[Any]:
        for group, answer in answers.items():
            if by:
                yield heading(f"── {group_text(by, group)} ──")
            if isinstance(answer, ThresherError):
                yield Text(plain_text(answer.what), style=BAD)
            else:
                yield from blocks(answer, screen)

    def every_plain() -> str:
        groups: list[dict[str, Any]] = []
        for group, answer in answers.items():
            named = {"group": {name: _finite(value) for name, value in zip(by, group, strict=True)}}
            if isinstance(answer, ThresherError):
                groups.append(named | {"result": None, "refused": answer.what})
            else:
                groups.append(named | {"result": plain(answer)})
        parts = {"by": list(by), "groups": groups} if by else groups[0]["result"]
        return json.dumps({**(about or {}), **parts}, allow_nan=False, indent=2, default=str)

    present(printed, every_plain, every_block)


def _finite(value: Any) -> Any:
    """A value as JSON has it: infinite ones are the texts "inf" and "-inf"."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value
