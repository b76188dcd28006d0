"""`thresher features`: which features keep the classes apart, and how far."""

from __future__ import annotations

import json

import click

from thresher.cli import options
from thresher.cli.app import Door
from thresher.cli.options import FeatureOptions, PrintOptions


@click.command(
    "features",
    cls=Door,
    examples=[
        "thresher features tumours.csv --target tumour --select 5",
        "thresher features tumours.csv --target tumour --select 3 --search forward --criterion hotelling_lawley",
    ],
)
@options.SOURCE
@options.TARGET
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
@options.MISSING
@options.PRINTED
@options.typed
def command(*, source: str, settings: FeatureOptions, printed: PrintOptions) -> None:
    """Choose the features that keep the classes furthest apart.

    Looks at columns of numbers; J is the scatter between the classes over the scatter within them.
    """
    from thresher.cli.console.learning import feature_blocks, plain_features
    from thresher.cli.console.screen import present, working
    from thresher.cli.learning import select_features

    with working("looking at the features"):
        features = select_features(source, settings)
    present(
        printed,
        lambda: json.dumps(plain_features(features), allow_nan=False, default=str),
        lambda _: feature_blocks(features),
    )
