"""Options that several commands share, and what a shell offers to complete."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from thresher.errors import ThresherError


def column_items(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Columns of the file that stands on the line already; none when it cannot be read."""
    del param
    # Half a line cannot be parsed, so the file may still be among the words that are left.
    words = [ctx.params.get("source"), *ctx.args]
    source = next((word for word in words if isinstance(word, str) and Path(word).exists()), None)
    if source is None:
        return []
    from thresher.sources.files import column_names

    try:
        names = column_names(source)
    except (ThresherError, OSError):
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def quantity_items(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Numbers of a model with what they estimate, and registered measures."""
    from thresher.tables import MODEL_NUMBERS

    numbers = [
        CompletionItem(name, help=known.estimates)
        for name, known in MODEL_NUMBERS.items()
        if name.startswith(incomplete)
    ]
    return numbers + measure_items(ctx, param, incomplete)


def measure_items(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Registered measures, each with its formula."""
    del ctx, param
    from thresher.tables import MEASURES

    return [CompletionItem(name, help=known.formula) for name, known in MEASURES.items() if name.startswith(incomplete)]


F = TypeVar("F", bound=Callable[..., Any])


def ratio(text: str) -> float:
    """A ratio as a number or as two: 5, 0.2, 5:1, 1/5.

    Zero, negative and infinite ratios are refused by what they are used for.

    >>> ratio("5:2"), ratio("0.1")
    (2.5, 0.1)
    """
    parts = str(text).replace("/", ":").split(":")
    try:
        numbers = [float(part) for part in parts]
        found = numbers[0] if len(numbers) == 1 else numbers[0] / numbers[1]
    except (ValueError, ZeroDivisionError):
        found = math.nan
    if len(parts) > 2 or math.isnan(found):
        raise click.BadParameter(f"{text!r} is no ratio; write a number or two, as 10 or 10:1")
    return found


def share(text: str) -> float:
    """A proportion as a number or in per cent: 0.05 or 5%.

    >>> share("0.05"), share("5%"), share("0.5 %")
    (0.05, 0.05, 0.005)
    """
    plain = str(text).strip()
    percent = plain.endswith("%")
    try:
        # Divided as decimals: 7% is the float that 0.07 is.
        found = Decimal(plain.removesuffix("%").strip()) / (100 if percent else 1)
    except InvalidOperation:
        raise click.BadParameter(f"{text!r} is no proportion; write e.g. 0.05 or 5%") from None
    return float(found)


def several(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, listed in help in the order given."""

    def decorated(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated


SOURCE = click.argument("source", metavar="FILE", type=str)

ROWS = several(
    click.option("--table", metavar="[SCHEMA.]TABLE", help="Table of a database: FILE is its URL, .duckdb or .db."),
    click.option("--label", metavar="COLUMN", shell_complete=column_items, help="Column of true labels."),
    click.option(
        "--score",
        "scores",
        metavar="COLUMN",
        multiple=True,
        shell_complete=column_items,
        help="Column of scores; higher means more positive. Repeat it for several models.",
    ),
    click.option("--positive", metavar="LABEL", help="The positive label; bool and 0/1 need no word."),
    click.option("--weight", metavar="COLUMN", shell_complete=column_items, help="Column of weights of rows."),
    click.option(
        "--missing",
        type=click.Choice(["raise", "drop"]),
        default="raise",
        show_default=True,
        help="Refuse rows with missing values, or leave them out and count them.",
    ),
)

CLUSTER = click.option(
    "--cluster", metavar="COLUMN", shell_complete=column_items, help="Column that says which rows belong together."
)

TARGET = click.option("--target", metavar="COLUMN", shell_complete=column_items, help="Column to learn.")

CURRENT = click.option(
    "--current",
    metavar="RULE",
    shell_complete=column_items,
    help="The rule in use: a column of its calls, MODEL=NUMBER, or the file of a decision.",
)

PREFER = click.option("--prefer", metavar="MODEL", help="Take it if it may be best: first, current, or a model.")

PREDICTION = click.option(
    "--prediction",
    "predictions",
    metavar="[MODEL=]COLUMN",
    multiple=True,
    shell_complete=column_items,
    help="Column of a model's own predicted labels, reported beside its scores.",
)

MIX = several(
    click.option("--class-ratio", type=ratio, metavar="RATIO", help="Positives per negative at deployment: 1:20."),
    click.option("--prevalence", type=share, metavar="SHARE", help="Or the proportion of positives there: 0.05, 5%."),
)

CONDITION = several(
    MIX,
    click.option("--cost-ratio", type=ratio, metavar="RATIO", help="False alarms that a miss costs: 10 or 10:1."),
    click.option("--cost-fp", type=float, help="Or the cost of a false positive ..."),
    click.option("--cost-fn", type=float, help="... and of a false negative, ..."),
    click.option("--cost-tp", type=float, help="... of a true positive (a benefit is negative) ..."),
    click.option("--cost-tn", type=float, help="... and of a true negative."),
)

TRAINED_AT = click.option(
    "--trained-at",
    type=share,
    metavar="SHARE",
    help="Prevalence that scores which are probabilities were made for, if not that of the rows.",
)

LEVEL = click.option("--level", type=float, default=0.95, show_default=True, help="Of confidence intervals.")
SEED = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the resampling.")

PRINTED = several(
    click.option("--json", "as_json", is_flag=True, help="Print plain data as JSON, and nothing else."),
    click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors."),
)

MEASURE: dict[str, Any] = {"metavar": "MEASURE", "shell_complete": measure_items}
QUANTITY: dict[str, Any] = {"metavar": "QUANTITY", "shell_complete": quantity_items}


def condition_given(given: dict[str, Any]) -> bool:
    """Whether anything about the operating condition was said."""
    return any(given.get(name) is not None for name in _CONDITION_NAMES)


def operating_condition(given: dict[str, Any]) -> Any:
    """The `OperatingCondition` that the options describe; contradictions are refused there."""
    from thresher import OperatingCondition

    return OperatingCondition(**{name: given[name] for name in _CONDITION_NAMES if given.get(name) is not None})


_CONDITION_NAMES = ("class_ratio", "prevalence", "cost_ratio", "cost_fp", "cost_fn", "cost_tp", "cost_tn")
