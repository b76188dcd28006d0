"""`thresher choose`: the best threshold, exactly, with all its ties."""

from __future__ import annotations

import json

import click

from thresher.cli import options
from thresher.cli.app import Door
from thresher.cli.options import ColumnOptions, ConditionOptions, PrintOptions


@click.command(
    "choose",
    cls=Door,
    examples=[
        "thresher choose predictions.csv --label malignant --score forest --cost-ratio 10",
        'thresher choose predictions.csv --label malignant --score forest --maximise f1 --subject-to "fpr <= 0.05"',
    ],
)
@options.SOURCE
@options.COLUMNS
@options.CONDITION
@click.option("--maximise", **options.MEASURE, help="Choose by this measure instead of the expected cost.")
@click.option("--minimise", **options.MEASURE, help="Choose by this measure, the lower the better.")
@click.option(
    "--subject-to", metavar="TEXT", multiple=True, help='A constraint, e.g. "recall >= 0.9". Repeat it for several.'
)
@click.option("--at-most", type=float, metavar="CASES", help="Call at most so many cases of the data positive.")
@options.PRINTED
@options.typed
def command(
    *,
    source: str,
    columns: ColumnOptions,
    condition: ConditionOptions,
    printed: PrintOptions,
    maximise: str | None,
    minimise: str | None,
    subject_to: tuple[str, ...],
    at_most: float | None,
) -> None:
    """Choose the best threshold of a model, exactly.

    Every distinct score is tried and all ties are told. Without a measure the expected cost is minimised. FILE holds
    rows, or a ranking that thresher merge kept.
    """
    declared = condition.condition()

    from thresher.choices import choose
    from thresher.cli.console.screen import present, working
    from thresher.cli.console.tables import choice_blocks, choice_data
    from thresher.cli.inputs import rankings

    free = not (maximise or minimise or subject_to or at_most)
    models = rankings(source, columns, condition=declared if free else None)
    with working("trying every threshold"):
        choices = {
            name: choose(
                ranking,
                declared,
                maximise=maximise,
                minimise=minimise,
                subject_to=list(subject_to) or None,
                at_most=at_most,
            )
            for name, ranking in models.items()
        }
    constrained = bool(subject_to) or at_most is not None
    present(
        printed,
        lambda: json.dumps({name: choice_data(choice) for name, choice in choices.items()}, indent=2),
        lambda _: choice_blocks(choices, constrained=constrained),
    )
