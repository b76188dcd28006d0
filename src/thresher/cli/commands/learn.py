"""`thresher learn`: from a table to a calibrated model with a decision."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

import click

from thresher.cli import options
from thresher.cli.options import ConditionOptions, PrintOptions, column_option, option
from thresher.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The target, its labels, kinds of columns, and columns of groups and times."""

    target: str | None = column_option(help="Column to learn.")
    positive: str | None = option(**options.POSITIVE)
    other: str | None = option(metavar="LABEL", help="Of several classes, the one that rare labels count as.")
    types: tuple[str, ...] = option(metavar="COLUMN=KIND", help="What a column is: ignored, text, ...")
    orders: tuple[str, ...] = option(metavar="COLUMN=A,B,...", help="Categories from lowest to highest.")
    derive: tuple[str, ...] = option(metavar="FEATURE", help="Add log(x), x / y, x * y or bins(x, 5) of columns.")
    group: str | None = column_option(help="Column of what must not be torn apart.")
    time: str | None = column_option(help="Column to test on later rows by.")
    missing: Literal["indicator", "fill", "drop"] = option(
        default="indicator", help="Fill missing values and say where, only fill them, or drop rows that lack any."
    )
    duplicates: Literal["keep", "drop"] = option(
        default="keep", help="Of rows that are equal in every column that is used, keep all or one."
    )
    text: Literal["tf-idf", "counts", "presence"] = option(
        default="tf-idf", help="What of the words of text columns: TF-IDF weights, how often, or whether at all."
    )


@dataclass(frozen=True)
class ClassConditionOptions(ConditionOptions):
    """The operating condition, of two classes or of several by name."""

    costs: str | None = option("--costs", **options.COSTS)
    mix: str | None = option(metavar="A=SHARE,...", help="With --costs, the share of each class at deployment.")

    @property
    def of_two(self) -> dict[str, Any]:
        """What is declared of two classes."""
        return {name: value for name, value in self.condition_parts.items() if name not in ("costs", "mix")}

    def require_consistent(self) -> None:
        """Refuse contradictions, and costs of two classes together with costs by name."""
        if self.costs is None and self.mix is not None:
            raise ArgumentError("--mix is of classes that nothing costs", "pass --costs FILE too, see thresher costs")
        if self.costs is not None and self.of_two:
            option = next(iter(self.of_two)).replace("_", "-")
            raise ArgumentError(f"--costs is of named classes, and --{option} of two", "give one or the other")
        if self.costs is None:
            self.condition()


@dataclass(frozen=True, slots=True)
class LearnOptions:
    """How models are compared, and the folder to write."""

    models: tuple[str, ...] = option(metavar="NAME", help="Try this one of the candidates; all by default.")
    prefer: str | None = option(metavar="MODEL", help="Take it if it may be best: simplest, first, or a model.")
    calibration: str | None = option(
        metavar="METHOD", help="Of probabilities: platt by default; of several classes auto, the best map by cost."
    )
    tune: bool = option(
        "--tune/--no-tune",
        default=False,
        help="Choose settings of models within each fold, too.",
    )
    folds: int = option(type=click.IntRange(min=2), default=5, help="Of the cross-validation.")
    deployment: str | None = option(
        metavar="FILE", help="Rows from where it will be used: say which columns differ from those put aside."
    )
    curves: bool = option(
        "--curves/--no-curves", default=True, help="Draw the winner's learning and feature curves, too."
    )
    jobs: int | None = option(help="Fits that run at once; -1 for one per processor.")
    level: float = option(**options.LEVEL)
    seed: int = option(**options.SEED)
    output: str | None = option("-o", metavar="FOLDER", help="Write the model, its decision, scores and report here.")
    overwrite: bool = option(help="Replace a folder that learn wrote before.")


@options.define(
    "learn",
    examples=[
        "thresher learn tumours.csv --target tumour --positive malignant --cost-fn 5 --model logistic -o out/",
        "thresher learn tumours.csv --target tumour --positive malignant --model tree --type id=ignored --json",
        "thresher learn iris.csv --target species --costs iris_costs.csv --model logistic --calibration vector -o out/",
    ],
)
@options.SOURCE
def command(
    source: str, columns: TableOptions, condition: ClassConditionOptions, how: LearnOptions, printed: PrintOptions
) -> None:
    """Learn a model and its decision from a table, checked on untouched rows.

    FILE holds one row per case and a column to learn. A quarter of the rows is put aside; on the others several models
    and two baselines are compared on the same folds, and the one chosen is tried once on the rows put aside. Of two
    classes the decision is a threshold; of more, or with --costs, the class (or other action) of least expected cost,
    unless --positive learns one class against the rest.
    """
    if how.overwrite and not how.output:
        raise click.UsageError("--overwrite is of the folder, and --output FOLDER is not given")
    condition.require_consistent()  # before anything is read

    from thresher.cli.console.learning import learned_summary, plain_learned
    from thresher.cli.console.screen import present
    from thresher.cli.learning import declared_condition, learn_from, read_table, require_feasible, write_folder

    require_feasible(how)
    table, left_out = read_table(source, columns)
    declared = declared_condition(table, condition)
    learnt, remarks = learn_from(table, declared, how, quiet=printed.quiet)
    written = write_folder(learnt, table, how, source=source)
    more: dict[str, Any] = {"left_out": left_out, "remarks": remarks, "written": written}
    present(
        printed,
        lambda: json.dumps(plain_learned(learnt, **more), allow_nan=False, default=str),
        lambda screen: learned_summary(learnt, width=screen.width, **more),
    )
