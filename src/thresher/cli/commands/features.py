"""`thresher features`: which features keep the classes apart, and how far."""

from __future__ import annotations

from typing import Any

import click

from thresher.cli.app import Door
from thresher.cli.options import PRINTED, SOURCE, TARGET


@click.command(
    "features",
    cls=Door,
    examples=[
        "thresher features tumours.csv --target tumour --select 5",
        "thresher features tumours.csv --target tumour --select 3 --search forward --criterion hotelling_lawley",
    ],
)
@SOURCE
@TARGET
@click.option("--select", type=click.IntRange(min=1), default=10, show_default=True, help="How many to choose.")
@click.option(
    "--search",
    type=click.Choice(["exact", "top", "forward", "backward", "exhaustive"]),
    help="How; exact unless told, and forward where the criterion has no exact search.",
)
@click.option(
    "--criterion",
    type=click.Choice(["trace_ratio", "hotelling_lawley"]),
    default="trace_ratio",
    show_default=True,
    help="What is made large: trace(S_B)/trace(S_W), or trace(S_W^-1 S_B).",
)
@click.option("--scale", is_flag=True, help="Divide each feature by its standard deviation first.")
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Refuse rows with missing values, or leave them out and count them.",
)
@PRINTED
def command(**given: Any) -> None:
    """Choose the features that keep the classes furthest apart.

    Looks at columns of numbers; J is the scatter between the classes over the scatter within them.
    """
    from thresher.cli.console.screen import working
    from thresher.cli.learning import chosen_features, present

    with working("looking at the features"):
        found = chosen_features(given)
    present(found, given)
