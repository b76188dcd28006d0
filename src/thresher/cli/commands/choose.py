"""`thresher choose`: the best threshold, exactly, with all its ties."""

from __future__ import annotations

import json
from typing import Any

import click

from thresher.cli.app import Door
from thresher.cli.options import CONDITION, MEASURE, PRINTED, ROWS, SOURCE, operating_condition


@click.command(
    "choose",
    cls=Door,
    examples=[
        "thresher choose predictions.csv --label malignant --score forest --cost-ratio 10",
        'thresher choose predictions.csv --label malignant --score forest --maximise f1 --subject-to "fpr <= 0.05"',
    ],
)
@SOURCE
@ROWS
@CONDITION
@click.option("--maximise", **MEASURE, help="Choose by this measure instead of the expected cost.")
@click.option("--minimise", **MEASURE, help="Choose by this measure, the lower the better.")
@click.option(
    "--subject-to", metavar="TEXT", multiple=True, help='A constraint, e.g. "recall >= 0.9". Repeat it for several.'
)
@click.option("--at-most", type=float, metavar="CASES", help="Call at most so many cases of the data positive.")
@PRINTED
def command(**given: Any) -> None:
    """Choose the best threshold of a model, exactly.

    Every distinct score is tried and all ties are told. Without a measure the expected cost is minimised. FILE holds
    rows, or a ranking that thresher merge kept.
    """
    condition = operating_condition(given)

    from thresher.choices import choose
    from thresher.cli.console.screen import working
    from thresher.cli.inputs import rankings_of

    free = not (given["maximise"] or given["minimise"] or given["subject_to"] or given["at_most"])
    rankings = rankings_of(given, condition=condition if free else None)
    with working("trying every threshold"):
        choices = {
            name: choose(
                ranking,
                condition,
                maximise=given["maximise"],
                minimise=given["minimise"],
                subject_to=list(given["subject_to"]) or None,
                at_most=given["at_most"],
            )
            for name, ranking in rankings.items()
        }
    from thresher.cli.console.tables import choice_blocks, choice_data

    if given["as_json"]:
        click.echo(json.dumps({name: choice_data(choice) for name, choice in choices.items()}, indent=2))
    elif not given["quiet"]:
        from thresher.cli.console.screen import console, show

        screen = console()
        show(screen, choice_blocks(choices, constrained=bool(given["subject_to"]) or given["at_most"] is not None))
