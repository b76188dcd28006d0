"""The options of commands: how click reads them, the typed values they become, and what a shell completes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import astuple, dataclass, fields, is_dataclass
from decimal import Decimal, InvalidOperation
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_type_hints

import click
from click.shell_completion import CompletionItem

from thresher.errors import ThresherError

if TYPE_CHECKING:
    from thresher.tables import OperatingCondition

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class ColumnOptions:
    """The columns that hold labels, scores and weights; `table` is one of a database."""

    table: str | None
    label: str | None
    scores: tuple[str, ...]
    positive: str | None
    weight: str | None
    missing: Literal["raise", "drop"]


@dataclass(frozen=True, slots=True)
class ConditionOptions:
    """The operating condition as far as it is declared.

    >>> ConditionOptions().declared, ConditionOptions(cost_ratio=5.0).condition().cost_ratio
    (False, 5.0)
    """

    class_ratio: float | None = None
    prevalence: float | None = None
    cost_ratio: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    cost_tp: float | None = None
    cost_tn: float | None = None

    @property
    def declared(self) -> bool:
        """Whether any part of the condition is declared."""
        return any(value is not None for value in astuple(self))

    def condition(self) -> OperatingCondition:
        """The `OperatingCondition`, which refuses contradictions."""
        from thresher.tables import OperatingCondition

        declared = {field.name: getattr(self, field.name) for field in fields(self)}
        return OperatingCondition(**{name: value for name, value in declared.items() if value is not None})


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """How `evaluate` judges rows."""

    trained_at: float | None
    level: float
    seed: int
    prefer: str | None = None
    margin: float = 0.0
    measures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationFiles:
    """The files that `evaluate` writes."""

    output: str | None
    title: str | None = None
    figures: str | None = None
    format: Literal["pdf", "svg", "png"] | None = None
    decision: str | None = None


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How `compare` judges differences."""

    measure: str
    trained_at: float | None
    margin: float
    correction: Literal["holm", "none"]
    level: float
    seed: int
    replicates: int


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The table that `learn` reads: its target, declared kinds, and the columns of groups and times."""

    target: str | None
    positive: str | None
    types: tuple[str, ...]
    orders: tuple[str, ...]
    group: str | None
    time: str | None
    missing: Literal["indicator", "fill", "drop"]


@dataclass(frozen=True, slots=True)
class LearnOptions:
    """How `learn` compares models."""

    models: tuple[str, ...]
    prefer: str | None
    folds: int
    curves: bool
    jobs: int | None
    level: float
    seed: int


@dataclass(frozen=True, slots=True)
class FeatureOptions:
    """How `features` selects columns of numbers."""

    target: str | None
    select: int
    search: Literal["exact", "top", "forward", "backward", "exhaustive"] | None
    criterion: Literal["trace_ratio", "hotelling_lawley"]
    scale: bool
    missing: Literal["raise", "drop"]


@dataclass(frozen=True, slots=True)
class PredictOptions:
    """The columns that `predict` adds; `unseen` is what it does with categories that training rows had not."""

    score: str
    prediction: str
    probability: bool
    unseen: Literal["tell", "raise"]


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """Print plain data as JSON, a summary, or nothing."""

    as_json: bool
    quiet: bool


def typed(command: F) -> F:
    """Let a command take dataclasses, each built of the click parameters that its fields name.

    >>> @click.command()
    ... @PRINTED
    ... @typed
    ... def show(printed: PrintOptions) -> None:
    ...     print(printed)
    >>> show(["--quiet"], standalone_mode=False)
    PrintOptions(as_json=False, quiet=True)
    """
    kinds: dict[str, Any] = {name: kind for name, kind in get_type_hints(command).items() if is_dataclass(kind)}

    @wraps(command)
    def build(*args: Any, **parameters: Any) -> Any:
        values = {
            name: kind(**{field.name: parameters.pop(field.name) for field in fields(kind) if field.name in parameters})
            for name, kind in kinds.items()
        }
        return command(*args, **parameters, **values)

    return build  # type: ignore[return-value]


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

    numbers = [CompletionItem(name, help=known.estimates) for name, known in MODEL_NUMBERS.items()]
    return [item for item in numbers if item.value.startswith(incomplete)] + measure_items(ctx, param, incomplete)


def measure_items(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Registered measures, each with its formula."""
    del ctx, param
    from thresher.tables import MEASURES

    return [CompletionItem(name, help=known.formula) for name, known in MEASURES.items() if name.startswith(incomplete)]


def ratio(text: str) -> float:
    """A ratio as a number or as two: 5, 0.2, 5:1, 1/5.

    Zero, negative and infinite ratios are refused by what they are used for.

    >>> ratio("5:2"), ratio("0.1")
    (2.5, 0.1)
    """
    parts = str(text).replace("/", ":").split(":")
    try:
        numbers = [float(part) for part in parts]
        value = numbers[0] if len(numbers) == 1 else numbers[0] / numbers[1]
    except (ValueError, ZeroDivisionError):
        value = math.nan
    if len(parts) > 2 or math.isnan(value):
        raise click.BadParameter(f"{text!r} is no ratio; write a number or two, as 10 or 10:1")
    return value


def share(text: str) -> float:
    """A proportion as a number or in per cent: 0.05 or 5%.

    >>> share("0.05"), share("5%"), share("0.5 %")
    (0.05, 0.05, 0.005)
    """
    plain = str(text).strip()
    try:
        # Divided as decimals: 7% is the float that 0.07 is.
        return float(Decimal(plain.removesuffix("%").strip()) / (100 if plain.endswith("%") else 1))
    except InvalidOperation:
        raise click.BadParameter(f"{text!r} is no proportion; write e.g. 0.05 or 5%") from None


def several(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, listed in help in the order given."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


SOURCE = click.argument("source", metavar="FILE", type=str)

MISSING = click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Refuse rows with missing values, or leave them out and count them.",
)

COLUMNS = several(
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
    MISSING,
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
