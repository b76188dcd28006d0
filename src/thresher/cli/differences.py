"""A comparison in a terminal: every pair of models, with limits, tests and a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from thresher.cli.plain_text import plain_text
from thresher.cli.screen import BAD, FAINT, GOOD, heading, interval_text, name_text, number, table
from thresher.inference.difference import shown_p

if TYPE_CHECKING:
    from thresher.inference import Comparison, Difference

_STYLES = {
    "better": GOOD,
    "worse": BAD,
    "higher": "bold",
    "lower": "bold",
    "practically equal": "bold",
    "undecided": FAINT,
}
_HEADS = ("first - second", "difference", "p", "adjusted p", "the first is")
_WITH_P, _WITH_ADJUSTED = 92, 80


def differences_table(comparison: Comparison, width: int) -> Table:
    """One line per pair; a narrow terminal leaves p-values out, which the verdict has heeded anyway."""
    left_out = {2, 3} if width < _WITH_ADJUSTED else {2} if width < _WITH_P else set()
    kept = [i for i in range(len(_HEADS)) if i not in left_out]
    lines = [_line(one) for one in comparison.differences.values()]
    return table([_HEADS[i] for i in kept], [[line[i] for i in kept] for line in lines])


def _line(one: Difference) -> tuple[Text, ...]:
    p, adjusted = (Text("–" if math.isnan(p) else shown_p(p)) for p in (one.p_value, one.p_adjusted))
    verdict = Text(one.verdict, style=_STYLES[one.verdict])
    pair = Text.assemble(plain_text(one.a), (" - ", FAINT), plain_text(one.b), overflow="fold")
    return pair, interval_text(one.interval), p, adjusted, verdict


def comparison_blocks(comparison: Comparison, width: int, *, mix: str = "") -> Iterator[Any]:
    """The measure of every model, every pair, and what the verdicts mean; `mix` is the class mix declared."""
    if mix:
        yield Text(f"Stated at {mix}.", style=FAINT)
    yield table(
        ("model", comparison.measure),
        [(name_text(name), Text(number(comparison.estimates[name]))) for name in comparison.names],
    )
    side = "neither side" if comparison.better == "neither" else comparison.better
    aside = f"paired, {side} is better, limits at level {comparison.level:g}"
    yield [heading("Differences", aside), differences_table(comparison, width)]
    remarks = [one.note for one in comparison.differences.values() if one.note]
    if comparison.margin:
        remarks.insert(0, f"Differences within {comparison.margin:g} count as practically none.")
    if comparison.dropped:
        remarks.append(f"{comparison.dropped:,} rows dropped for missing values.")
    yield [Text(plain_text(remark), style=FAINT) for remark in dict.fromkeys(remarks)]
