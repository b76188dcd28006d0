"""`thresher gate`: requirements on bounds, for continuous integration."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import click

from thresher.cli import options
from thresher.cli.options import ColumnOptions, ConditionOptions, PrintOptions, option, read

FAILED = 1


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What is required, and how it is judged."""

    required: tuple[str, ...] = option(
        "--require",
        "required",
        metavar="TEXT",
        multiple=True,
        help='E.g. "auc >= 0.85", "recall@fpr<=0.01 >= 0.6", "forest:brier.upper <= 0.1". Repeat it for several.',
    )
    cluster: str | None = read(options.CLUSTER)
    trained_at: float | None = read(options.TRAINED_AT)
    current: str | None = read(options.CURRENT)
    level: float = read(options.LEVEL)
    seed: int = read(options.SEED)
    replicates: int = options.replicates(1000)


@options.define(
    "gate",
    examples=[
        'thresher gate predictions.csv --label malignant --score forest --require "auc >= 0.85"',
        'thresher gate predictions.csv --label malignant --score forest --require "recall@fpr<=0.05 >= 0.6"',
    ],
)
@options.SOURCE
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    source: str,
    gate: GateOptions,
    columns: ColumnOptions,
    condition: ConditionOptions,
    printed: PrintOptions,
) -> None:
    """Check requirements on bounds, for CI: exit 1 when one fails.

    A requirement is [MODEL:]QUANTITY[.lower|.upper|.estimate] RELATION NUMBER. What must be large is judged by its
    lower limit and what must be small by its upper limit, unless a bound is named. A quantity is a number of the model
    (auc, partial_auc[fpr<=0.1], brier, net_benefit@0.05, calibration_slope, saving) or a measure at the threshold that
    is cheapest under the condition, at a fixed one (recall@threshold=0.5), or where it is best while a constraint holds
    (recall@fpr<=0.01). Without MODEL, the one that evaluate would decide for is meant.
    """
    if not gate.required:
        raise click.UsageError('nothing is required; pass e.g. --require "auc >= 0.85"', ctx)
    declared = condition.condition()

    from thresher.cli.console.screen import present, working
    from thresher.cli.console.tables import gate_blocks
    from thresher.cli.inputs import all_rows
    from thresher.evaluation import evaluate
    from thresher.evaluation.requirements import judged, requirement

    requirements = [requirement(text) for text in gate.required]
    rows = all_rows(source, columns, cluster=gate.cluster, current=gate.current)
    with working("drawing the data again"):
        evaluation = evaluate(
            **rows.columns,
            current=rows.current,
            condition=declared,
            trained_at=gate.trained_at,
            level=gate.level,
            seed=gate.seed,
        )
        verdicts = [judged(one, evaluation, replicates=gate.replicates) for one in requirements]
    passed = all(one.passed for one in verdicts)
    plain = {"passed": passed, "condition": declared.to_dict(), "requirements": [one.to_dict() for one in verdicts]}
    present(
        replace(printed, quiet=printed.quiet and passed),
        lambda: json.dumps(plain, indent=2),
        lambda screen: gate_blocks(verdicts, screen.width, condition=declared),
    )
    if not passed:
        ctx.exit(FAILED)
