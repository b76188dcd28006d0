"""`thresher gate`: requirements on bounds, for continuous integration."""

from __future__ import annotations

import json
from typing import Any

import click

from thresher.cli.app import Door
from thresher.cli.options import (
    CLUSTER,
    CONDITION,
    CURRENT,
    LEVEL,
    PRINTED,
    ROWS,
    SEED,
    SOURCE,
    TRAINED_AT,
    operating_condition,
)

FAILED = 1


@click.command(
    "gate",
    cls=Door,
    examples=[
        'thresher gate predictions.csv --label malignant --score forest --require "auc >= 0.85"',
        'thresher gate predictions.csv --label malignant --score forest --require "recall@fpr<=0.05 >= 0.6"',
    ],
)
@SOURCE
@click.option(
    "--require",
    "required",
    metavar="TEXT",
    multiple=True,
    help='E.g. "auc >= 0.85", "recall@fpr<=0.01 >= 0.6", "forest:brier.upper <= 0.1". Repeat it for several.',
)
@ROWS
@CLUSTER
@CONDITION
@TRAINED_AT
@CURRENT
@LEVEL
@SEED
@click.option("--replicates", type=click.IntRange(min=100), default=1000, show_default=True, help="Of the resampling.")
@PRINTED
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Check requirements on bounds, for CI: exit 1 when one fails.

    A requirement is [MODEL:]QUANTITY[.lower|.upper|.estimate] RELATION NUMBER. What must be large is judged by its
    lower limit and what must be small by its upper limit, unless a bound is named. A quantity is a number of the model
    (auc, partial_auc[fpr<=0.1], brier, net_benefit@0.05, calibration_slope, saving) or a measure at the threshold that
    is cheapest under the condition, at a fixed one (recall@threshold=0.5), or where it is best while a constraint holds
    (recall@fpr<=0.01). Without MODEL, the one that evaluate would decide for is meant.
    """
    if not given["required"]:
        raise click.UsageError('nothing is required; pass e.g. --require "auc >= 0.85"', ctx)
    condition = operating_condition(given)

    from thresher.cli.console.evaluation import evaluated
    from thresher.cli.console.screen import working
    from thresher.cli.inputs import labelled_scores
    from thresher.evaluation.requirements import judge, requirement

    asked = [requirement(text) for text in given["required"]]
    rows = labelled_scores(given)
    evaluation = evaluated(rows, condition, given)
    with working("drawing the data again"):
        found = [judge(one, evaluation, replicates=given["replicates"]) for one in asked]
    passed = all(one.passed for one in found)
    if given["as_json"]:
        click.echo(
            json.dumps(
                {"passed": passed, "condition": condition.to_dict(), "requirements": [one.to_dict() for one in found]},
                indent=2,
            )
        )
    elif not given["quiet"] or not passed:
        from thresher.cli.console.screen import console, show
        from thresher.cli.console.tables import gate_blocks

        screen = console()
        show(screen, gate_blocks(found, screen.width, condition=condition))
    if not passed:
        ctx.exit(FAILED)
