"""`thresher compare`: models that scored the same rows, pair by pair."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from thresher.cli.app import Door
from thresher.cli.options import (
    CLUSTER,
    CONDITION,
    LEVEL,
    PRINTED,
    QUANTITY,
    ROWS,
    SEED,
    SOURCE,
    TRAINED_AT,
    condition_given,
    operating_condition,
)


@click.command(
    "compare",
    cls=Door,
    examples=[
        "thresher compare predictions.csv --label malignant --score forest --score logistic --margin 0.01",
        "thresher compare predictions.csv --label malignant --score forest --score bayes --measure cost --cost-ratio 9",
        "thresher compare predictions.csv --label malignant --score forest --score bayes --measure 'net_benefit@0.1'",
    ],
)
@SOURCE
@ROWS
@CLUSTER
@click.option(
    "--measure",
    default="auc",
    show_default=True,
    **QUANTITY,
    help="auc, partial_auc[fpr<=0.1], brier, net_benefit@0.05, cost, or a measure at each --threshold.",
)
@click.option(
    "--threshold", "thresholds", metavar="MODEL=NUMBER", multiple=True, help="A model's threshold; one per model."
)
@CONDITION
@TRAINED_AT
@click.option("--margin", type=float, default=0.0, help="Differences within this margin do not matter.")
@click.option("--correction", type=click.Choice(["holm", "none"]), default="holm", show_default=True)
@LEVEL
@SEED
@click.option("--replicates", type=click.IntRange(min=100), default=2000, show_default=True, help="Of the resampling.")
@PRINTED
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Compare models that scored the same rows, pair by pair.

    AUCs by DeLong's covariance; losses, partial areas, net benefit and calibration by what each row contributes; all
    else by resampling rows (or clusters) jointly. The difference is that of the first model minus the second.
    """
    from thresher.tables import quantity

    wanted = quantity(given["measure"])
    if wanted.name == "auc" and condition_given(given):
        raise click.UsageError("costs and class ratio change no AUC; leave them out, or name another --measure", ctx)
    condition = operating_condition(given) if condition_given(given) else None

    from thresher.cli.console.screen import working
    from thresher.cli.inputs import rows_that_fit, scanning
    from thresher.inference import compare, compare_scan

    asked = {name: given[name] for name in ("level", "margin", "correction", "seed", "replicates")}
    asked["thresholds"] = _thresholds(given["thresholds"], ctx)
    rows = rows_that_fit(given)
    if rows is None:
        with scanning(given) as where_they_are:
            of_cost = wanted.name == "expected_cost" and wanted.bare
            asked["measure"] = operating_condition(given) if of_cost else given["measure"]
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
                measure=given["measure"],
                condition=condition,
                trained_at=given["trained_at"],
                **asked,
            )
    if given["as_json"]:
        differences = [one.to_dict() for one in found.differences.values()]
        estimates = {name: value if math.isfinite(value) else None for name, value in found.estimates.items()}
        plain = {"measure": found.measure, "estimates": estimates, "differences": differences}
        stated = None if condition is None else condition.to_dict()
        click.echo(json.dumps(plain | {"condition": stated, "dropped": found.dropped}, indent=2))
    elif not given["quiet"]:
        from thresher.cli.console.evaluation import comparison_blocks
        from thresher.cli.console.screen import console, show

        screen = console()
        mix = "" if condition is None or condition.class_ratio is None else condition.mix
        show(screen, comparison_blocks(found, screen.width, mix=mix))


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
