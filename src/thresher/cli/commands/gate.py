"""`thresher gate`: requirements on bounds, for continuous integration."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import click

from thresher.cli import options
from thresher.cli.options import PrintOptions, RowOptions, column_option, option
from thresher.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What is required, and how it is judged."""

    required: tuple[str, ...] = option(
        "--require",
        metavar="TEXT",
        help='E.g. "auc >= 0.85", "recall@fpr<=0.01 >= 0.6", "forest:brier.upper <= 0.1". Repeat it for several.',
    )
    requirements: str | None = option(metavar="FILE", help="Read requirements from a file, one a line; # comments.")
    current: str | None = column_option(**options.CURRENT)
    replicates: int = option(default=1000, **options.REPLICATES)
    junit: str | None = option(metavar="FILE", help="Write the verdicts as JUnit XML, too.")
    github: bool = option(help="Print failures as annotations of GitHub Actions, too.")


@options.define(
    "gate",
    examples=[
        'thresher gate predictions.csv --label malignant --score forest --require "auc >= 0.85"',
        'thresher gate predictions.csv --label malignant --score forest --require "recall@fpr<=0.05 >= 0.6"',
        "thresher gate predictions.csv --label malignant --score forest --requirements release.txt --junit gate.xml",
    ],
)
@options.SOURCE
def command(source: str, data: RowOptions, gate: GateOptions, printed: PrintOptions) -> None:
    """Check requirements on bounds, for CI: exit 1 when one fails.

    A requirement is [MODEL:]QUANTITY[.lower|.upper|.estimate] RELATION NUMBER. What must be large is judged by its
    lower limit and what must be small by its upper limit, unless a bound is named. A quantity is a number of the model
    (auc, partial_auc[fpr<=0.1], brier, net_benefit@0.05, calibration_slope, saving) or a measure at the threshold that
    is cheapest under the condition, at a fixed one (recall@threshold=0.5), or where it is best while a constraint holds
    (recall@fpr<=0.01). Without MODEL, the one that evaluate would decide for is meant.
    """
    if not gate.required and gate.requirements is None:
        raise click.UsageError('nothing is required; pass e.g. --require "auc >= 0.85"')
    if gate.github and printed.as_json:
        raise click.UsageError("--github and --json both print to standard output; give one of them")
    declared = data.condition()

    from thresher._internal.atomic import write_file
    from thresher.cli.console.screen import present, working
    from thresher.cli.console.tables import gate_blocks
    from thresher.cli.inputs import rows_that_fit
    from thresher.cli.outputs import require_outputs
    from thresher.cli.verdicts import github_annotations, junit_xml
    from thresher.evaluation import evaluate
    from thresher.evaluation.requirements import judge, read_requirements, requirement

    require_outputs(source=source, junit=gate.junit)
    requirements = [requirement(text) for text in gate.required]
    if gate.requirements is not None:
        requirements += read_requirements(gate.requirements)
    rows = rows_that_fit(source, data, cluster=data.cluster, current=gate.current)
    if rows is None:
        what = "there are more rows than fit, and this command needs them all at once"
        raise ArgumentError(what, "give a sample of them; evaluate, compare, choose and merge take any number")
    with working("drawing the data again"):
        evaluation = evaluate(**rows.columns, current=rows.current, condition=declared, **data.arguments())
        verdicts = [judge(one, evaluation, replicates=gate.replicates) for one in requirements]
    passed = all(one.passed for one in verdicts)
    if gate.junit is not None:
        write_file(gate.junit, junit_xml(verdicts, name=f"thresher gate {source}"))
    plain = {"passed": passed, "condition": declared.to_dict(), "requirements": [one.to_dict() for one in verdicts]}
    present(
        replace(printed, quiet=printed.quiet and passed),
        lambda: json.dumps(plain, indent=2),
        lambda screen: gate_blocks(verdicts, screen.width, condition=declared),
    )
    for line in github_annotations(verdicts) if gate.github else ():
        click.echo(line)
    if not passed:
        raise click.exceptions.Exit(1)
