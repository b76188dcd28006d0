"""A comparison in a terminal: every pair of models, with limits, tests and a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from thresher.cli.plain_text import plain_text
from thresher.cli.screen import BAD, FAINT, GOOD, heading, interval_text, name_text, number, table
from thresher.inference.difference import shown_p

if TYPE_CHECKING:
    from thresher.inference import Comparison, Difference

_STYLES = {"better": GOOD, "worse": BAD, "practically equal": "bold", "undecided": FAINT}
_ALL_COLUMNS = 92


def differences_table(comparison: Comparison, width: int) -> Table:
    """One line per pair; a narrow terminal leaves out the p-value that is not adjusted."""
    wide = width >= _ALL_COLUMNS
    heads = ["first - second", "difference", *(["p"] if wide else []), "adjusted p", "the first is"]
    return table(heads, [_line(one, wide=wide) for one in comparison.differences.values()])


def _line(one: Difference, *, wide: bool) -> list[Text]:
    adjusted, p = (Text("–" if p != p else shown_p(p)) for p in (one.p_adjusted, one.p_value))  # noqa: PLR0124 - NaN
    verdict = Text(one.verdict, style=_STYLES[one.verdict])
    pair = Text.assemble(plain_text(one.a), (" - ", FAINT), plain_text(one.b), overflow="fold")
    return [pair, interval_text(one.interval), *([p] if wide else []), adjusted, verdict]


def comparison_blocks(comparison: Comparison, width: int) -> Iterator[Any]:
    """The measure of every model, every pair, and what the verdicts mean."""
    yield table(
        ("model", comparison.measure),
        [(name_text(name), Text(number(comparison.estimates[name]))) for name in comparison.names],
    )
    aside = f"paired, {comparison.better} is better, limits at level {comparison.level:g}"
    yield [heading("Differences", aside), differences_table(comparison, width)]
    remarks = [one.note for one in comparison.differences.values() if one.note]
    if comparison.rope:
        remarks.insert(0, f"Differences within {comparison.rope:g} count as practically none.")
    if comparison.dropped:
        remarks.append(f"{comparison.dropped:,} rows dropped for missing values.")
    yield [Text(plain_text(remark), style=FAINT) for remark in dict.fromkeys(remarks)]
