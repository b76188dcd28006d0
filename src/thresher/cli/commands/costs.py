"""`thresher costs`: a form of what errors between classes cost, to fill in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import click

from thresher.cli import options
from thresher.cli.options import LabelOptions, PrintOptions, option


@dataclass(frozen=True, slots=True)
class CostOptions:
    """The classes and further actions, what fills the form, and the file to write."""

    source: str | None = option("--from", metavar="FILE", help="Take the classes from the --label column of this file.")
    classes: str | None = option("--classes", metavar="A,B,C", help="The classes, in the order that you want.")
    equal: bool = option(help="Every error costs 1.")
    ordinal: bool = option(help="Classes are in order: an error costs the number of steps between them.")
    power: float | None = option(help="Of the steps; 2 for their square.")
    by_class: tuple[str, ...] = option(
        "--by-class", metavar="CLASS=COST", help="What a miss of this class costs; of others 1. Repeatable."
    )
    actions: tuple[str, ...] = option(
        metavar="NAME[=COST]", help="One more thing to do with a case, e.g. refer=0.6, at one cost. Repeatable."
    )
    output: str | None = option("-o", metavar="FILE", help="Write the form here; to standard output by default.")
    overwrite: bool = option(help="Replace a file that is there.")


@options.define(
    "costs",
    examples=[
        "thresher costs --classes negative,neutral,positive -o form.csv",
        "thresher costs --classes low,middle,high --ordinal --power 2 --action refer=0.6",
        "thresher costs --from animals.csv --label animal --by-class snake=10 -o form.csv",
    ],
)
def command(columns: LabelOptions, how: CostOptions, printed: PrintOptions) -> None:
    """Write a form of the costs of errors between classes, to fill in.

    The form is CSV with the columns actual, predicted and cost, one line per pair, which every --costs reads. Being
    right costs 0; costs of errors stay empty, unless --equal, --ordinal or --by-class fill them in. Costs are in any
    unit, and only their ratios matter for decisions.
    """
    _require_consistent(columns, how)

    from thresher._internal.atomic import write_file
    from thresher._internal.text import log_json, log_line
    from thresher.cli.classes import class_names
    from thresher.cli.costs import cost_form, read_classes
    from thresher.cli.outputs import require_outputs
    from thresher.errors import ArgumentError

    require_outputs(source=how.source, output=how.output)
    if how.output is not None and Path(how.output).exists() and not how.overwrite:
        raise ArgumentError(f"{how.output} is there already", "name another file, or pass --overwrite to replace it")
    classes = read_classes(how.source, columns) if how.source is not None else class_names(str(how.classes))
    form = cost_form(classes, how)
    if how.output is not None:
        write_file(how.output, form.to_csv())
    if printed.as_json:
        click.echo(log_json(json.dumps(form.to_dict() | {"output": how.output}, allow_nan=False)))
    elif how.output is None:
        click.echo(form.to_csv(), nl=False)
    elif not printed.quiet:
        for line in form.lines(how.output):
            click.echo(log_line(line))


def _require_consistent(columns: LabelOptions, how: CostOptions) -> None:
    """Refuse options without the one that they are of."""
    if how.overwrite and how.output is None:
        raise click.UsageError("--overwrite is of a file, and --output FILE is not given")
    if how.power is not None and not how.ordinal:
        raise click.UsageError("--power is of --ordinal, which is not given")
    if (how.source is None) == (how.classes is None):
        raise click.UsageError("give the classes: by --classes A,B,C, or by --from FILE and --label COLUMN; not both")
    if how.source is None and (columns.label or columns.table):
        raise click.UsageError("--label and --table are of a file, and --from FILE is not given")
