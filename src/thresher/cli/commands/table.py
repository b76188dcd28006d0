"""`thresher table`: actual against predicted classes, counted and measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import click

from thresher.cli import options
from thresher.cli.options import CaseOptions, GroupOptions, LabelOptions, PrintOptions, column_option, option
from thresher.errors import ArgumentError


@dataclass(frozen=True)
class PredictionOptions:
    """The columns of predicted labels and of what belongs together."""

    prediction: str | None = column_option(help="Column of predicted labels.")


@dataclass(frozen=True)
class CallOptions(CaseOptions, PredictionOptions, LabelOptions):
    """The columns that hold labels, predictions and weights."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Counts in the place of rows, the order of the classes, and what is shown."""

    cluster: str | None = column_option(help="Column that says which rows belong together.")
    counts: str | None = option(metavar="NUMBERS", help='Counts instead of a FILE, rows between slashes: "8 2 / 1 9".')
    classes: str | None = option("--classes", **options.CLASSES)
    rows: Literal["actual", "predicted"] = option(
        default="actual", help="What the rows of the matrix are, of --counts and as it is printed."
    )
    costs: str | None = option("--costs", **options.COSTS)
    level: float = option(**options.LEVEL)


@options.define(
    "table",
    examples=[
        "thresher table predictions.csv --label malignant --prediction said",
        'thresher table --counts "700 200 100 / 200 8300 100 / 0 100 300" --classes negative,neutral,positive',
        "thresher table animals.csv --label animal --prediction named --costs costs.csv --rows predicted",
    ],
)
@click.argument("source", metavar="[FILE]", type=str, required=False)
def command(
    source: str | None, data: CallOptions, groups: GroupOptions, how: TableOptions, printed: PrintOptions
) -> None:
    """Count actual against predicted classes, and measure how well they agree.

    FILE holds one row per case: a true label and a predicted one, of any number of classes; it may be any file or table
    that evaluate reads, and of any size. --costs prices every cell. --positive adds the measures of one class against
    the others; of labels 0 and 1 they are those of 1.
    """
    if (source is None) == (how.counts is None):
        raise click.UsageError("give a FILE of rows, or --counts; not both" if source else "give a FILE, or --counts")
    from thresher.cli.classes import parse_counts, read_calls
    from thresher.cli.console.confusion import confusion_blocks, confusion_data
    from thresher.cli.console.groups import present_groups
    from thresher.cli.console.screen import working
    from thresher.cli.reading import answer_groups

    if how.counts is not None:
        columns = {"label": data.label, "prediction": data.prediction, "weight": data.weight, "cluster": how.cluster}
        rows = {**columns, "table": data.table, "by": groups.by, "where": groups.where}
        if absent := next((name for name, value in rows.items() if value), None):
            raise ArgumentError(f"--{absent} is of rows, and --counts are none", "leave it out")
        answers = {(): parse_counts(how.counts, how.classes, rows=how.rows, costs=how.costs, positive=data.positive)}
    else:
        answers = read_calls(str(source), data, groups, cluster=how.cluster, classes=how.classes, costs=how.costs)
    with working("computing limits"):
        measured = answer_groups(answers, lambda calls: calls.measure(level=how.level))
    present_groups(
        printed,
        groups.by,
        measured,
        plain=confusion_data,
        blocks=lambda each, screen: confusion_blocks(each, screen.width, rows=how.rows),
    )
