"""`thresher compare`: models that scored the same rows, pair by pair."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from thresher.cli.door import Door, place
from thresher.cli.options import (
    CLUSTER,
    CONDITION,
    LEVEL,
    MEASURE,
    PRINTED,
    ROWS,
    SEED,
    SOURCE,
    condition_given,
    operating_condition,
)

COST = "cost"


@click.command(
    "compare",
    cls=Door,
    examples=[
        "thresher compare predictions.csv --label malignant --score forest --score logistic --margin 0.01",
        "thresher compare predictions.csv --label malignant --score forest --score bayes --measure cost --cost-ratio 9",
    ],
)
@SOURCE
@ROWS
@CLUSTER
@click.option(
    "--measure", default="auc", show_default=True, **MEASURE, help="auc, cost, or a measure at each --threshold."
)
@click.option(
    "--threshold", "thresholds", metavar="MODEL=NUMBER", multiple=True, help="A model's threshold; one per model."
)
@CONDITION
@click.option("--margin", type=float, default=0.0, help="Differences within this margin do not matter.")
@click.option("--correction", type=click.Choice(["holm", "none"]), default="holm", show_default=True)
@LEVEL
@SEED
@click.option("--replicates", type=click.IntRange(min=100), default=2000, show_default=True, help="Of the resampling.")
@PRINTED
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Compare models that scored the same rows, pair by pair.

    AUCs by DeLong's covariance, everything else by resampling rows (or clusters) jointly. The difference is that of the
    first model minus the second.
    """
    if given["measure"] != COST and condition_given(given):
        raise click.UsageError("costs and class ratio matter to --measure cost only", ctx)
    measure = operating_condition(given) if given["measure"] == COST else given["measure"]

    from thresher.cli.rows import rows_that_fit
    from thresher.cli.scanned import scanning
    from thresher.cli.working import working
    from thresher.inference import compare, compare_scan

    asked = {name: given[name] for name in ("level", "margin", "correction", "seed", "replicates")}
    asked |= {"measure": measure, "thresholds": _thresholds(given["thresholds"], ctx)}
    rows = rows_that_fit(given, where=place(ctx))
    if rows is None:
        with scanning(given, where=place(ctx)) as where_they_are:
            found = compare_scan(given["source"], cluster=given["cluster"], **where_they_are, **asked)
    else:
        with working("drawing the data again"):
            found = compare(
                rows.labels,
                rows.scores,
                positive=rows.positive,
                weights=rows.weights,
                clusters=rows.clusters,
                missing=given["missing"],
                **asked,
            )
    if given["as_json"]:
        differences = [one.to_dict() for one in found.differences.values()]
        estimates = {name: value if math.isfinite(value) else None for name, value in found.estimates.items()}
        plain = {"measure": found.measure, "estimates": estimates, "differences": differences}
        click.echo(json.dumps(plain | {"dropped": found.dropped}, indent=2))
    elif not given["quiet"]:
        from thresher.cli.differences import comparison_blocks
        from thresher.cli.screen import console, show

        screen = console()
        show(screen, comparison_blocks(found, screen.width))


def _thresholds(given: tuple[str, ...], ctx: click.Context) -> dict[str, float] | None:
    found: dict[str, float] = {}
    for text in given:
        model, equals, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise click.UsageError(f"cannot read --threshold {text!r}; write MODEL=NUMBER", ctx)
        if model in found:
            raise click.UsageError(f"--threshold names the model {model!r} twice", ctx)
        found[model] = number
    return found or None
