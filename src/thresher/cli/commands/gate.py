"""`thresher gate`: requirements on bounds, for continuous integration."""

from __future__ import annotations

import json
from dataclasses import replace

import click

from thresher.cli import options
from thresher.cli.app import Door
from thresher.cli.options import ColumnOptions, ConditionOptions, EvaluateOptions, PrintOptions

FAILED = 1


@click.command(
    "gate",
    cls=Door,
    examples=[
        'thresher gate predictions.csv --label malignant --score forest --require "auc >= 0.85"',
        'thresher gate predictions.csv --label malignant --score forest --require "recall@fpr<=0.05 >= 0.6"',
    ],
)
@options.SOURCE
@click.option(
    "--require",
    "required",
    metavar="TEXT",
    multiple=True,
    help='E.g. "auc >= 0.85", "recall@fpr<=0.01 >= 0.6", "forest:brier.upper <= 0.1". Repeat it for several.',
)
@options.COLUMNS
@options.CLUSTER
@options.CONDITION
@options.TRAINED_AT
@options.CURRENT
@options.LEVEL
@options.SEED
@click.option("--replicates", type=click.IntRange(min=100), default=1000, show_default=True, help="Of the resampling.")
@options.PRINTED
@click.pass_context
@options.typed
def command(
    ctx: click.Context,
    /,
    *,
    source: str,
    columns: ColumnOptions,
    condition: ConditionOptions,
    settings: EvaluateOptions,
    printed: PrintOptions,
    cluster: str | None,
    current: str | None,
    required: tuple[str, ...],
    replicates: int,
) -> None:
    """Check requirements on bounds, for CI: exit 1 when one fails.

    A requirement is [MODEL:]QUANTITY[.lower|.upper|.estimate] RELATION NUMBER. What must be large is judged by its
    lower limit and what must be small by its upper limit, unless a bound is named. A quantity is a number of the model
    (auc, partial_auc[fpr<=0.1], brier, net_benefit@0.05, calibration_slope, saving) or a measure at the threshold that
    is cheapest under the condition, at a fixed one (recall@threshold=0.5), or where it is best while a constraint holds
    (recall@fpr<=0.01). Without MODEL, the one that evaluate would decide for is meant.
    """
    if not required:
        raise click.UsageError('nothing is required; pass e.g. --require "auc >= 0.85"', ctx)
    declared = condition.condition()

    from thresher.cli.commands.evaluate import evaluate_rows
    from thresher.cli.console.screen import present, working
    from thresher.cli.console.tables import gate_blocks
    from thresher.cli.inputs import all_rows
    from thresher.evaluation.requirements import judged, requirement

    requirements = [requirement(text) for text in required]
    rows = all_rows(source, columns, cluster=cluster, current=current)
    evaluation = evaluate_rows(rows, declared, settings)
    with working("drawing the data again"):
        verdicts = [judged(one, evaluation, replicates=replicates) for one in requirements]
    passed = all(one.passed for one in verdicts)
    plain = {
        "passed": passed,
        "condition": declared.to_dict(),
        "requirements": [one.to_dict() for one in verdicts],
    }
    present(
        replace(printed, quiet=printed.quiet and passed),
        lambda: json.dumps(plain, indent=2),
        lambda screen: gate_blocks(verdicts, screen.width, condition=declared),
    )
    if not passed:
        ctx.exit(FAILED)
