"""The options of commands, the typed values they become, and shell completion."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass
from decimal import Decimal, InvalidOperation
from functools import wraps
from inspect import signature
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

import click
from click.shell_completion import CompletionItem

from thresher.cli.app import Command
from thresher.errors import ThresherError

if TYPE_CHECKING:
    from thresher.tables import OperatingCondition
    from thresher.watching import Watch

Settings: TypeAlias = dict[str, Any]


def define(name: str, *, examples: Sequence[str]) -> Callable[[Callable[..., Any]], click.Command]:
    """Define a command; it may take dataclasses whose fields click reads as options."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        kinds: dict[str, Any] = {key: kind for key, kind in get_type_hints(function).items() if is_dataclass(kind)}

        @wraps(function)
        def build(**parameters: Any) -> Any:
            for key, kind in kinds.items():
                parameters[key] = kind(**{one.name: parameters.pop(one.name) for one in fields(kind)})
            try:
                return function(**parameters)
            except click.UsageError as error:
                error.ctx = click.get_current_context()
                raise

        command: Callable[..., Any] = build
        for kind in reversed(kinds.values()):
            hints = get_type_hints(kind)
            for one in reversed(fields(kind)):
                command = _click_option(one, hints[one.name])(command)
        if PrintOptions in kinds.values():
            command = schema_option("Print the JSON schema of what --json prints.")(command)
        settings = {"show_default": True}
        return click.command(name, cls=Command, examples=examples, context_settings=settings)(command)

    return decorate


def schema_option(words: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option `--schema` of a command, or of a group whose commands share one."""
    return click.option("--schema", is_flag=True, is_eager=True, expose_value=False, callback=_print_schema, help=words)


def _print_schema(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's callback
    """Print the schema and leave, before anything else is asked for."""
    del param
    if wanted and not ctx.resilient_parsing:
        from thresher.cli.schemas import json_schema

        first = ctx
        while first.parent is not None and first.parent.parent is not None:
            first = first.parent
        click.echo(json.dumps(json_schema(str(first.info_name)), indent=2))
        ctx.exit()


def option(*names: str, **settings: Any) -> Any:
    """A field that click reads, with settings of `click.option`.

    The annotation tells the type: `Literal` is a choice, a tuple may be repeated, a bool is a flag. The option is
    named like the field, in the singular where it may be repeated, unless a name with two dashes is among `names`.
    """
    return field(metadata={"names": names, "settings": settings})


def column_option(*names: str, **settings: Any) -> Any:
    """A field that names a column, which a shell completes."""
    return option(*names, **{"metavar": "COLUMN", "shell_complete": column_items, **settings})


def _click_option(one: Field[Any], hint: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    kind = get_args(hint)[0] if NoneType in get_args(hint) else hint
    names: tuple[str, ...] = one.metadata["names"]
    multiple = get_origin(kind) is tuple
    settings: Settings = {"is_flag": True} if kind is bool else {"type": kind}
    if multiple:
        settings = {"multiple": True}
    elif get_origin(kind) is Literal:
        settings = {"type": click.Choice(get_args(kind))}
    if not any(name.startswith("--") for name in names):
        long = one.name.removesuffix("s") if multiple else one.name
        names = ("--" + long.replace("_", "-"), *names)
    return click.option(*names, one.name, **settings | one.metadata["settings"])


def column_items(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Columns of the file that is on the line already; none when it cannot be read."""
    del param
    # Half a line cannot be parsed, so the file may still be among the words that are left.
    words = [ctx.params.get("source"), *(ctx.params.get("sources") or ()), *ctx.args]
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
    """A ratio as a number or as two: 5, 0.2, 5:1, 1/5. Its user refuses 0 and less."""
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
    """A proportion as a number or in per cent: 0.05 or 5%."""
    plain = str(text).strip()
    try:
        # Divided as decimals: 7% is the float that 0.07 is.
        return float(Decimal(plain.removesuffix("%").strip()) / (100 if plain.endswith("%") else 1))
    except InvalidOperation:
        raise click.BadParameter(f"{text!r} is no proportion; write e.g. 0.05 or 5%") from None


SOURCE = click.argument("source", metavar="FILE", type=str)
STORE = click.argument("store", metavar="STORE", type=str)
SOURCES = click.argument("sources", metavar="FILE...", nargs=-1, required=True, type=str)
# Settings of options that several commands have.
_CURRENT = "The rule in use: a column of its calls, MODEL=NUMBER, or the file of a decision."
_AGAINST = "Compare AUCs with this model's, or all pairs; all pairs of up to 20 models, else the best with each."
AGAINST: Settings = {"metavar": "MODEL|all", "help": _AGAINST}
CLASSES: Settings = {"metavar": "A,B,C", "help": "The classes in order; by default the labels in rising order."}
CLASSES_OF_COLUMNS: Settings = {"metavar": "A,B,C", "help": "Of k classes: their names, as in the label column."}
COSTS: Settings = {"metavar": "FILE", "help": "Costs by actual and predicted class, as thresher costs writes them."}
CURRENT: Settings = {"metavar": "RULE", "help": _CURRENT}
EXACT: Settings = {"help": "Count every score, where ranges of scores would be counted; takes memory and time."}
LEVEL: Settings = {"default": 0.95, "help": "Of confidence intervals."}
MEASURE: Settings = {"metavar": "MEASURE", "shell_complete": measure_items}
MISSING: Settings = {"default": "raise", "help": "Refuse rows with missing values, or leave them out and count them."}
POSITIVE: Settings = {"metavar": "LABEL", "help": "The positive label; bool and 0/1 need no word."}
QUANTITY: Settings = {"metavar": "QUANTITY", "shell_complete": quantity_items}
RATIO: Settings = {"type": ratio, "metavar": "RATIO"}
REPLICATES: Settings = {"type": click.IntRange(min=100), "help": "Of the resampling."}
SEED: Settings = {"type": click.IntRange(min=0), "default": 0, "help": "Of the resampling."}
SHARE: Settings = {"type": share, "metavar": "SHARE"}
_TRAINED_AT = "Prevalence that scores which are probabilities were made for, if not that of the rows."
TRAINED_AT: Settings = {**SHARE, "help": _TRAINED_AT}
WRITTEN: Settings = {"default": "-", "metavar": "FILE", "help": "Where to (.csv, .csv.gz, .tsv, .parquet, .arrow)."}


@dataclass(frozen=True)  # without slots, which classes with several bases cannot have
class TableOptions:
    """The table, where rows are in a database."""

    table: str | None = option(metavar="[SCHEMA.]TABLE", help="Table of a database: FILE is its URL, .duckdb or .db.")

    @property
    def table_name(self) -> str | tuple[str, ...] | None:
        """The table, its schema apart: a dot lies between the two."""
        return tuple(self.table.split(".")) if self.table is not None and "." in self.table else self.table


@dataclass(frozen=True)
class LabelOptions(TableOptions):
    """The column that holds labels; `table` is one of a database."""

    label: str | None = column_option(help="Column of true labels.")


@dataclass(frozen=True)
class ScoreOptions:
    """The columns that hold scores."""

    scores: tuple[str, ...] = column_option(
        help="Column of scores; higher means more positive. Repeat it for several models."
    )


@dataclass(frozen=True)
class CaseOptions:
    """Which label is positive, what rows weigh, and what becomes of missing values."""

    positive: str | None = option(**POSITIVE)
    weight: str | None = column_option(help="Column of weights of rows.")
    missing: Literal["raise", "drop"] = option(**MISSING)


@dataclass(frozen=True)
class ColumnOptions(CaseOptions, ScoreOptions, LabelOptions):
    """The columns that hold labels, scores and weights."""


@dataclass(frozen=True, slots=True)
class GroupOptions:
    """Which rows are taken, and the groups that are answered one by one."""

    by: tuple[str, ...] = column_option(help="Column whose values make groups, each answered by itself. Repeatable.")
    where: tuple[str, ...] = column_option(
        metavar="COLUMN=VALUE", help="Take rows with this value only; without one, rows that miss it. Repeatable."
    )


EVERY_ROW = GroupOptions((), ())


@dataclass(frozen=True)
class SampleOptions:
    """How rows were sampled, and how sure an interval is to be."""

    cluster: str | None = column_option(help="Column that says which rows belong together.")
    trained_at: float | None = option(**TRAINED_AT)
    level: float = option(**LEVEL)
    seed: int = option(**SEED)

    def arguments(self) -> Settings:
        """What `evaluate` takes of them."""
        return {"trained_at": self.trained_at, "level": self.level, "seed": self.seed}


@dataclass(frozen=True)
class MixOptions:
    """The class mix at deployment, as far as it is declared."""

    class_ratio: float | None = option(**RATIO, help="Positives per negative at deployment: 1:20.")
    prevalence: float | None = option(**SHARE, help="Or the proportion of positives there: 0.05, 5%.")

    @property
    def condition_parts(self) -> dict[str, Any]:
        """Parts of a condition of two classes that are declared."""
        from thresher.tables import OperatingCondition

        names = [name for name in signature(OperatingCondition).parameters if name not in ("costs", "mix")]
        return {name: value for name in names if (value := getattr(self, name, None)) is not None}

    def condition(self) -> OperatingCondition:
        """The `OperatingCondition`, which refuses contradictions."""
        from thresher.tables import OperatingCondition

        return OperatingCondition(**self.condition_parts)


@dataclass(frozen=True)
class ConditionOptions(MixOptions):
    """The operating condition, as far as it is declared."""

    cost_ratio: float | None = option(**RATIO, help="False alarms that a miss costs: 10 or 10:1.")
    cost_fp: float | None = option(help="Or the cost of a false positive ...")
    cost_fn: float | None = option(help="... and of a false negative, ...")
    cost_tp: float | None = option(help="... of a true positive (a benefit is negative) ...")
    cost_tn: float | None = option(help="... and of a true negative.")


@dataclass(frozen=True)
class VectorOptions:
    """Columns of probabilities of k classes, their costs, and the class mix."""

    probabilities: tuple[str, ...] = option(
        "--probability",
        metavar="[MODEL=]TEMPLATE",
        help='Of k classes: columns of probabilities, "{class}" or "MODEL=p_{class}". Repeat it for several models.',
    )
    classes: str | None = option("--classes", **CLASSES_OF_COLUMNS)
    costs: str | None = option("--costs", **COSTS)
    mix: str | None = option(metavar="A=1,B=3", help="Of k classes: their mix at deployment, in proportion.")
    other: str | None = option(metavar="CLASS", help="Of k classes: the one that all other labels count as.")

    def options(self) -> dict[str, str | None]:
        """What says nothing without columns of probabilities."""
        return {"classes": self.classes, "costs": self.costs, "mix": self.mix, "other": self.other}


@dataclass(frozen=True)
class CountOptions(ConditionOptions, ColumnOptions):
    """Columns and the condition: what a choice from counts takes."""


@dataclass(frozen=True)
class RowOptions(SampleOptions, ConditionOptions, ColumnOptions):
    """Columns, the condition, and the sample: what commands on rows have in common."""


@dataclass(frozen=True)
class ModelOptions(RowOptions, VectorOptions):
    """Rows of models of two classes, or of k."""


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """Print plain data as JSON, a summary, or nothing."""

    as_json: bool = option("--json", help="Print plain data as JSON, and nothing else.")
    quiet: bool = option("-q", help="Print nothing but errors.")


@dataclass(frozen=True, slots=True)
class WatchPrintOptions(PrintOptions):
    """Print plain data as JSON, a summary, or nothing; no schema but that of `check`."""


@dataclass(frozen=True)
class StoreOptions:
    """Which watch of a store, and how long to wait for it."""

    name: str | None = option(metavar="NAME", help="Name of the watch, where a store holds several.")
    timeout: float = option(default=30.0, metavar="SECONDS", help="How long to wait for a store in use; then exit 75.")

    def watch(self, store: str) -> Watch:
        """Open the watch."""
        from thresher.watching import Watch

        return Watch(store, name=self.name, timeout=self.timeout)
