"""`thresher merge`: rankings counted on different days or machines, added up to the whole."""

from __future__ import annotations

from typing import Any

import click

from thresher.cli.app import Door, place
from thresher.cli.options import PRINTED, ROWS
from thresher.errors import located


@click.command(
    "merge",
    cls=Door,
    examples=[
        "thresher merge predictions.csv --label malignant --score forest -o monday.json",
        "thresher merge monday.json tuesday.json -o all.json",
    ],
)
@click.argument("sources", metavar="FILE...", nargs=-1, required=True, type=str)
@ROWS
@click.option("--output", "-o", metavar="FILE", help="Keep the ranking (.json or .parquet).")
@PRINTED
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Count rows into rankings, and add rankings up.

    A ranking holds how many positives and negatives share each score. That is all that choose and calibrate need, it is
    small, and the sum of parts is exactly the whole. Every FILE is a ranking that was kept (.json, or .parquet that
    merge wrote), or rows, which are counted by --label and --score.
    """
    from thresher.cli.outputs import require_outputs

    for source in given["sources"]:
        require_outputs(source=source, output=given["output"])

    from functools import reduce
    from operator import add

    from thresher.cli.console.screen import working
    from thresher.cli.inputs import is_ranking, kept_ranking, rankings_of, require_no_columns
    from thresher.sources.engines.errors import without_secrets
    from thresher.sources.storage import write_ranking

    if len(given["scores"]) > 1:
        raise click.UsageError("a ranking is of one model; give --score once", ctx)
    shown = {source: without_secrets(source) for source in given["sources"]}
    kept = {source: is_ranking(source) for source in given["sources"]}
    if all(kept.values()):
        require_no_columns(given)
    parts = []
    for source in given["sources"]:
        with located(f"{place(ctx)} {shown[source]}"), working(f"counting {shown[source]}"):
            if kept[source]:
                parts.append(kept_ranking(source))
            else:
                parts += rankings_of({**given, "source": source}).values()
    whole = reduce(add, parts)
    if given["output"] is not None:
        write_ranking(whole, given["output"])
    if given["as_json"]:
        click.echo(whole.to_json())
    elif not given["quiet"]:
        from thresher.cli.console.screen import console, show
        from thresher.cli.console.tables import ranking_blocks

        named = [shown[source] for source in given["sources"]]
        show(console(), ranking_blocks(list(zip(named, parts, strict=True)), whole, given["output"]))
