"""The verdict of a gate in a terminal: one line per requirement, and the count."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from thresher.choices import OperatingCondition
from thresher.cli.plain_text import plain_text
from thresher.cli.rule_words import threshold_text
from thresher.cli.screen import BAD, FAINT, GOOD, interval_text, name_text, number, table
from thresher.evaluation.requirements import Judged

_WIDE = 96


def gate_blocks(found: Sequence[Judged], width: int, *, condition: OperatingCondition) -> Iterator[Any]:
    """The class mix that is declared, the table, reasons for what is undefined, and the verdict."""
    if condition.class_ratio is not None:
        yield Text(f"Stated at {condition.mix}.", style=FAINT)
    heads = ["", "requirement", "found", "judged by", "model", "threshold"]
    shown = len(heads) if width >= _WIDE else 4
    yield table(heads[:shown], [_line(one)[:shown] for one in found], left=2)
    yield [
        Text.assemble((plain_text(one.requirement.text), "bold"), f": {plain_text(one.interval.note)}")
        for one in found
        if math.isnan(one.found)
    ]
    failed = sum(not one.passed for one in found)
    if failed:
        yield Text(f"{failed} of {len(found)} requirement{'s' * (len(found) > 1)} failed", style=f"bold {BAD}")
    else:
        yield Text(f"all {len(found)} requirements hold" if len(found) > 1 else "it holds", style=f"bold {GOOD}")


def _line(one: Judged) -> list[Text]:
    style = GOOD if one.passed else BAD
    by = one.requirement.bound
    return [
        Text("pass" if one.passed else "FAIL", style=f"bold {style}"),
        name_text(one.requirement.text),
        interval_text(one.interval) if by != "estimate" else Text(number(one.interval.estimate)),
        Text.assemble((f"{by} ", FAINT), (number(one.found), style)),
        name_text(one.model),
        Text("–" if one.threshold is None else threshold_text(one.threshold, 4)),
    ]
