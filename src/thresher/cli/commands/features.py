"""`thresher features`: which features keep the classes apart, and how far."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

import click

from thresher.cli import options
from thresher.cli.options import ConditionOptions, PrintOptions, column_option, option


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


@dataclass(frozen=True, slots=True)
class GainOptions:
    """Columns that may help a model, and how it is asked."""

    gain: tuple[str, ...] = column_option("--gain", help="Does it help a model of all the others?")
    model: str | None = option(metavar="NAME", help="With --gain, the candidate to ask; logistic by default.")
    measure: str | None = option(**options.MEASURE, help="With --gain, in place of expected cost, e.g. auc.")
    positive: str | None = option(**options.POSITIVE)
    folds: int = option(type=click.IntRange(min=2), default=10, help="With --gain, of the cross-validation.")
    level: float = option(**options.LEVEL)
    seed: int = option(**options.SEED)


@options.define(
    "features",
    examples=[
        "thresher features tumours.csv --target tumour --select 5",
        "thresher features tumours.csv --target tumour --select 3 --search forward --criterion hotelling_lawley",
        "thresher features tumours.csv --target tumour --positive malignant --gain side --cost-fn 5",
    ],
)
@options.SOURCE
def command(
    source: str, how: FeatureOptions, asked: GainOptions, condition: ConditionOptions, printed: PrintOptions
) -> None:
    """Choose the features that keep the classes furthest apart.

    Uses columns of numbers; J is the scatter between the classes over the scatter within them. With --gain it compares
    a model with and without these columns, in pairs over the same folds, by expected cost or another measure.
    """
    require_together(asked, condition)

    from thresher.cli.console.learning import feature_blocks, gain_blocks, plain_features
    from thresher.cli.console.screen import present, working
    from thresher.cli.learning import measure_gain, select_features

    if asked.gain:
        with working("comparing with and without"):
            gain = measure_gain(source, how, asked, condition)
        present(printed, lambda: json.dumps(gain.to_dict(), allow_nan=False), lambda _: gain_blocks(gain))
        return

    with working("looking at the features"):
        features = select_features(source, how)
    plain = plain_features(features)
    present(printed, lambda: json.dumps(plain, allow_nan=False, default=str), lambda _: feature_blocks(features))


def require_together(asked: GainOptions, condition: ConditionOptions) -> None:
    """Refuse words about a gain that is not asked for, and costs next to a measure."""
    costs = [f"--{name.replace('_', '-')}" for name in condition.condition_parts]
    words = [f"--{name}" for name in ("model", "measure", "positive") if getattr(asked, name) is not None]
    if not asked.gain and (words or costs):
        raise click.UsageError(f"{[*words, *costs][0]} is of --gain COLUMN, which is not given")
    if asked.measure is not None and costs:
        raise click.UsageError(f"{costs[0]} compares by expected cost, and --measure by another measure; give one")
