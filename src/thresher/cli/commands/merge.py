"""`thresher merge`: rankings counted on different days or machines, added up."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import click

from thresher.cli import options
from thresher.cli.options import ColumnOptions, PrintOptions, option
from thresher.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class MergeOptions:
    """The file to write, and how exact it is."""

    output: str | None = option("-o", metavar="FILE", help="Keep the ranking (.json or .parquet).")
    exact: bool = option(help="Keep every score, however many; takes memory, time and space.")


@options.define(
    "merge",
    examples=[
        "thresher merge predictions.csv --label malignant --score forest -o monday.json",
        "thresher merge monday.json tuesday.json -o all.json",
    ],
)
@options.SOURCES
def command(sources: tuple[str, ...], columns: ColumnOptions, files: MergeOptions, printed: PrintOptions) -> None:
    """Count rows into rankings, and add rankings up.

    A ranking holds how many positives and negatives share each score. That is all that choose, gate and calibrate need,
    and the sum of parts is that of all rows. Every FILE is a ranking (.json, or .parquet that merge wrote), or rows,
    which are counted by --label and --score. More than 131,072 scores are counted in ranges, with certain bounds.
    """
    from thresher.cli.outputs import require_outputs

    for source in sources:
        require_outputs(source=source, output=files.output)
    places = [os.path.realpath(source) if Path(source).exists() else source for source in sources]
    if twice := next((source for i, source in enumerate(sources) if places[i] in places[:i]), None):
        raise ArgumentError(f"{twice} is named twice, and its cases would count double", "name each file once")

    from functools import reduce
    from operator import add

    from thresher.cli.console.screen import present, working
    from thresher.cli.console.tables import ranking_blocks
    from thresher.cli.reading import is_ranking, read_rankings, require_no_columns
    from thresher.sources import condense
    from thresher.sources.engines.errors import without_secrets
    from thresher.sources.storage import read_ranking, write_ranking

    if len(columns.scores) > 1:
        raise click.UsageError("a ranking is of one model; give --score once")
    counted = {source: is_ranking(source) for source in sources}
    if all(counted.values()):
        require_no_columns(columns)
    parts = []
    for source in sources:
        name = without_secrets(source)
        with working(f"counting {name}"):
            if counted[source]:
                ranking = read_ranking(source)
            else:
                (models,) = read_rankings([source], columns, exact=files.exact).values()
                (ranking,) = models.values()
        parts.append((name, ranking if files.exact else condense(ranking)))
    total = reduce(add, (ranking for _, ranking in parts))
    total = total if files.exact else condense(total)
    if files.output is not None:
        write_ranking(total, files.output)
    present(printed, total.to_json, lambda _: ranking_blocks(parts, total, files.output))
