"""`thresher features`: which features keep the classes apart, and how far."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

import click

from thresher.cli import options
from thresher.cli.options import PrintOptions, column_option, option


@dataclass(frozen=True, slots=True)
class FeatureOptions:
    """The target, and how features are selected."""

    target: str | None = column_option(help="Column to learn.")
    select: int = option(type=click.IntRange(min=1), default=10, help="How many to choose.")
    search: Literal["exact", "top", "forward", "backward", "exhaustive"] | None = option(
        help="How; exact by default, and forward where the criterion has no exact search."
    )
    criterion: Literal["trace_ratio", "hotelling_lawley"] = option(
        default="trace_ratio", help="What is made large: trace(S_B)/trace(S_W), or trace(S_W^-1 S_B)."
    )
    scale: bool = option(help="Divide each feature by its standard deviation first.")
    missing: Literal["raise", "drop"] = option(**options.MISSING)


@options.define(
    "features",
    examples=[
        "thresher features tumours.csv --target tumour --select 5",
        "thresher features tumours.csv --target tumour --select 3 --search forward --criterion hotelling_lawley",
    ],
)
@options.SOURCE
def command(source: str, how: FeatureOptions, printed: PrintOptions) -> None:
    """Choose the features that keep the classes furthest apart.

    Uses columns of numbers; J is the scatter between the classes over the scatter within them.
    """
    from thresher.cli.console.learning import feature_blocks, plain_features
    from thresher.cli.console.screen import present, working
    from thresher.cli.learning import select_features

    with working("looking at the features"):
        features = select_features(source, how)
    plain = plain_features(features)
    present(printed, lambda: json.dumps(plain, allow_nan=False, default=str), lambda _: feature_blocks(features))
