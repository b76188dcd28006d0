"""Tables to learn from, and what the learning commands do with them."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np

from thresher import learning
from thresher._internal.arguments import require_level
from thresher._internal.atomic import require_folder
from thresher._internal.optional import extra
from thresher._internal.text import count_text, plain_text
from thresher.cli.classes import parse_mix, typed_costs
from thresher.cli.commands.features import FeatureOptions, GainOptions
from thresher.cli.commands.learn import ClassConditionOptions, LearnOptions, TableOptions
from thresher.cli.commands.predict import PredictOptions
from thresher.cli.console.screen import working
from thresher.cli.options import ConditionOptions
from thresher.cli.outputs import STANDARD, NewColumns, place_of
from thresher.cli.reading import positive_label
from thresher.errors import ArgumentError, ColumnError
from thresher.evaluation import LeastCostRule
from thresher.inputs.columns import column, named, require_columns
from thresher.learning.artefacts import FILES
from thresher.learning.data.schema import Remarks, require_expected_columns
from thresher.learning.learn import COMPARING, TUNING
from thresher.learning.models.candidates import models_to_compare
from thresher.learning.models.tuned import GRIDS
from thresher.learning.preprocessing.encoders import Text
from thresher.ranking import Floats
from thresher.sources.files import read_columns
from thresher.tables import OperatingCondition

_EXTRAS = (("jinja2", "report"), ("skops.io", "learn"), ("pyarrow.parquet", "files"))  # that writing a folder needs


class LearningTable(TypedDict):
    """Rows and what is declared of them, as `learn` takes them."""

    data: Any
    target: str
    positive: Any
    other: Any
    types: Mapping[str, str]
    orders: Mapping[str, Sequence[str]]
    derive: Sequence[str]
    groups: Any
    times: Any
    missing: Literal["indicator", "fill"]
    text: Text


@dataclass(frozen=True, slots=True, eq=False)
class FeatureSelection:
    """A selection, the scatter it is made from, columns left out, rows dropped."""

    selection: learning.Selection
    scatter: learning.Scatter
    left_out: Mapping[str, str]
    dropped: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many rows lack a value, or equal an earlier one, and were dropped."""

    incomplete: int = 0
    duplicates: int = 0


def read_table(source: str, options: TableOptions) -> tuple[LearningTable, LeftOut]:
    """Read the columns that the options name; count rows dropped on request."""
    types = _by_column(options.types, "--type", "KIND")
    orders = {name: order.split(",") for name, order in _by_column(options.orders, "--order", "A,B,C").items()}
    roles = [name for name in (options.group, options.time) if name is not None]
    # Groups and times are no features, unless the user declares what kind of feature they are.
    types = {name: "ignored" for name in roles if name not in orders} | types
    data, target = _read_frame(source, options.target, [*roles, *types, *orders])
    incomplete = duplicates = 0
    if options.missing == "drop":
        used = [name for name in data.columns if types.get(name) != "ignored" or name in roles]
        complete = learning.complete_rows(data, columns=used)
        data, incomplete = complete.data, complete.dropped
    if options.duplicates == "drop":
        declared: Any = types  # refused by column_types if they are no kinds
        kinds = learning.column_types(data, target=target, types=declared, orders=orders, derive=options.derive)
        distinct = learning.distinct_rows(data, columns=list(dict.fromkeys([*kinds.needed, *roles, target])))
        data, duplicates = distinct.data, distinct.dropped
    labels = column(data[target], name=f"the column {target!r}")
    groups, times = (None if name is None else data[name].to_numpy() for name in (options.group, options.time))
    return {
        "data": data,
        "target": target,
        "positive": positive_label(options.positive, labels),
        "other": positive_label(options.other, labels),
        "types": types,
        "orders": orders,
        "derive": options.derive,
        "groups": groups,
        "times": times,
        "missing": "fill" if options.missing == "fill" else "indicator",
        "text": options.text,
    }, LeftOut(incomplete, duplicates)


def select_features(source: str, options: FeatureOptions) -> FeatureSelection:
    """Read a table, take its columns of numbers, and select."""
    data, target = _read_frame(source, options.target, ())
    kinds = learning.column_types(data, target=target)
    names = kinds.named("numerical", "boolean")
    if not names:
        raise ArgumentError("no column holds numbers that vary", "give a table with features that are numbers")
    if options.select > len(names):
        what = f"{options.select:,} features are to be chosen, and there are {len(names):,} columns of numbers"
        raise ArgumentError(what, "pass a smaller --select")
    dropped = 0
    if options.missing == "drop":
        complete = learning.complete_rows(data, columns=[*names, target])
        data, dropped = complete.data, complete.dropped
    elif (absent := data[names].isna()).any(axis=None):
        lacking = next(name for name in names if absent[name].any())
        what = f"{int(absent.any(axis=1).sum()):,} of {len(data):,} rows lack a value, e.g. {lacking!r}"
        raise ArgumentError(what, "fill them, or pass --missing drop to leave those rows out")
    goal = learning.target_column(data, target)
    numbers = learning.Numbers().fit_transform(data[names])
    if options.scale:
        numbers = numbers / numbers.std(ddof=0).replace(0.0, 1.0)
    exact = options.criterion == "trace_ratio"
    spread = learning.scatter(numbers, goal.labels(goal.codes), matrix=not exact)
    search = options.search or ("exact" if exact else "forward")
    chosen = learning.selection(spread, options.select, search=search, criterion=options.criterion)
    left_out = {column.name: column.kind for column in kinds if column.name not in names}
    return FeatureSelection(chosen, spread, left_out, dropped)


def measure_gain(
    source: str, how: FeatureOptions, asked: GainOptions, condition: ConditionOptions
) -> learning.FeatureGain:
    """Read a table, and compare a model with and without some columns."""
    data, target = _read_frame(source, how.target, ())
    if how.missing == "drop":
        data = learning.complete_rows(data).data
    return learning.feature_gain(
        data,
        target,
        asked.gain,
        model=asked.model or "logistic",
        measure=asked.measure,
        condition=condition.condition() if condition.condition_parts else None,
        positive=positive_label(asked.positive, column(data[target], name=f"the column {target!r}")),
        folds=asked.folds,
        level=asked.level,
        seed=asked.seed,
    )


def _read_frame(source: str, target: str | None, names: Sequence[str]) -> tuple[Any, str]:
    """All columns of a file as a frame; the target and these names must be among them."""
    columns = read_columns(source, None)
    if target is None:
        fix = f"pass --target with one of its columns: {named(list(columns))}"
        raise ArgumentError("cannot tell which column to learn", fix)
    require_columns(list(dict.fromkeys([target, *names])), list(columns), place=place_of(source))
    return learning.frame(columns), target


def _by_column(texts: Sequence[str], option: str, form: str) -> dict[str, str]:
    """COLUMN=VALUE by column; the last equals sign counts, since names may hold some."""
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not (name and equals and value):
            raise ArgumentError(f"{option} {text!r} does not say it of a column", f"write COLUMN={form}")
        if name in values:
            raise ArgumentError(f"{option} is given twice for column {name!r}", "give it once")
        values[name] = value
    return values


def require_feasible(options: LearnOptions) -> None:
    """Refuse, before hours of learning, what would be refused after them."""
    require_level(options.level)
    if options.output is not None:
        for package, name in _EXTRAS:
            extra(package, name=name)
        require_folder(options.output, names=FILES, overwrite=options.overwrite)


def declared_condition(table: LearningTable, declared: ClassConditionOptions) -> OperatingCondition | None:
    """The condition of two classes or of k classes by name; None if none is declared."""
    if declared.costs is None:
        return declared.condition() if declared.of_two else None
    costs = typed_costs(declared.costs, column(table["data"][table["target"]], name="labels"))
    mix = None if declared.mix is None else parse_mix(declared.mix, costs.classes)
    return OperatingCondition(costs=costs, mix=mix)


def learn_from(
    table: LearningTable, condition: OperatingCondition | None, options: LearnOptions, *, quiet: bool
) -> tuple[learning.Learned, list[str]]:
    """The library's `learn`, and each warning of scikit-learn once."""
    models = list(options.models) or None
    calibration: Any = options.calibration  # refused by learn if it is none
    names = list(models_to_compare(models, seed=options.seed))
    with warnings.catch_warnings(record=True) as caught, _progress_bar(names, quiet=quiet) as (stage, progress):
        warnings.simplefilter("always")
        learnt = learning.learn(
            **table,
            condition=condition,
            prefer=options.prefer,
            models=models,
            calibration=calibration,
            tune=options.tune,
            folds=options.folds,
            deployment=None if options.deployment is None else read_columns(options.deployment, None),
            curves=options.curves,
            level=options.level,
            seed=options.seed,
            n_jobs=options.jobs,
            stage=stage,
            progress=progress,
        )
    return learnt, warning_lines(caught)


def warning_lines(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """Warnings in one line each, the same ones counted.

    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     for _ in range(2):
    ...         warnings.warn("did not converge", stacklevel=1)
    >>> warning_lines(caught)
    ['did not converge (2 times)']
    """
    counts = Counter(plain_text(str(one.message).strip().partition("\n")[0]) for one in caught)
    return [text if count == 1 else f"{text} ({count:,} times)" for text, count in counts.items()]


def write_folder(learnt: learning.Learned, table: LearningTable, options: LearnOptions, *, source: str) -> list[str]:
    """Write the folder if one is asked for; returns the paths."""
    if options.output is None:
        return []
    title = f"{table['target']} in {Path(place_of(source)).name}"
    with working("writing the folder"):
        learning.write_learned(learnt, table["data"], options.output, title=title, overwrite=options.overwrite)
    return [str(Path(options.output, file)) for file in FILES]


@contextmanager
def _progress_bar(
    names: Sequence[str], *, quiet: bool
) -> Iterator[tuple[Callable[[str], None] | None, Callable[[int, int], None] | None]]:
    """Functions that `learn` calls, to show on a terminal what is running."""
    if quiet or not sys.stderr.isatty():
        yield None, None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        running = ""

        def stage(words: str) -> None:
            nonlocal running
            running = plain_text(words)
            bar.reset(task, total=None, description=_running(running, names, 0, 0))

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, description=_running(running, names, done, total))

        yield stage, progress


def _running(words: str, names: Sequence[str], done: int, total: int) -> str:
    """The model and the fold while models are compared, else the words."""
    if words not in (COMPARING, TUNING) or done == total:
        return words
    fold, place = divmod(done, len(names))
    doing = "tuning" if words == TUNING and names[place] in GRIDS else "fitting"
    return f"{doing} {plain_text(names[place])}, fold {fold + 1} of {max(total // len(names), 1)}"


class Predictor:
    """Scores a piece of rows after another, and gathers the remarks on all of them."""

    def __init__(self, deployed: learning.Deployed, source: str, options: PredictOptions) -> None:
        self.deployed = deployed
        self.options = options
        self.place = place_of(source)
        self.called: Counter[Any] = Counter()
        self.remarks = Remarks()

    def columns(self) -> NewColumns:
        """The columns to add to a table."""
        return NewColumns(self.place, self._wanted, self._predict)

    def to_dict(self) -> dict[str, Any]:
        """Plain data on all rows so far."""
        labels = self.deployed.labels
        counts = {"called": {str(name): self.called[name] for name in self._names()}}
        return {
            **(counts if self.deployed.several else {"positive": self.called[labels[1]]}),
            "unseen": {name: dict(counts) for name, counts in self.remarks.unseen.items()},
            "gaps": dict(self.remarks.gaps),
            "unused": list(self.remarks.unused),
        }

    def lines(self, rows: int, target: str) -> Iterator[str]:
        """What stderr shows when all is done."""
        if target != STANDARD:
            names = self._names() if self.deployed.several else self.deployed.labels[1:]
            calls = ", ".join(f"{self.called[name]:,} of them called {plain_text(name)}" for name in names)
            yield f"wrote {plain_text(target)}: {count_text(rows, 'row')}, {calls}"
        yield from (f"! {plain_text(line)}" for line in self.remarks.lines())

    def _wanted(self, names: Sequence[str]) -> list[str]:
        require_expected_columns(names, self.deployed.expected, place=self.place)
        self.remarks += Remarks(unused=tuple(name for name in names if name not in self.deployed.known))
        return [column.name for column in self.deployed.expected]

    def _predict(self, columns: Mapping[str, Any], before: int) -> dict[str, Any]:
        """The score and the prediction of rows."""
        scores, remarks = self.deployed.scored(columns, place=self.place, before=before)
        if self.options.unseen == "raise" and remarks.unseen:
            raise ColumnError(next(remarks.lines()), "mend it, or pass --unseen tell to score them so")
        predictions = self.deployed.named(self.deployed.decision.apply(scores))
        self.called.update(predictions.tolist())
        self.remarks += remarks
        rule = self.deployed.decision.rule
        if isinstance(rule, LeastCostRule):
            added = self._by_class(self.options.score, scores) | {self.options.prediction: predictions}
            if self.options.probability:
                added |= self._by_class("probability", _at_mix(scores, rule))
            return added
        added = {self.options.score: scores, self.options.prediction: predictions}
        if self.options.probability:
            added["probability"] = self.deployed.decision.probability(scores)
        return added

    def _by_class(self, name: str, matrix: Floats) -> dict[str, Any]:
        """A column per class, as `evaluate --probability "score_{class}"` reads them."""
        return {f"{name}_{label}": matrix[:, place] for place, label in enumerate(self.deployed.labels)}

    def _names(self) -> tuple[Any, ...]:
        """What the decision may say of a row."""
        rule = self.deployed.decision.rule
        return rule.actions if isinstance(rule, LeastCostRule) else self.deployed.labels


def _at_mix(probabilities: Floats, rule: LeastCostRule) -> Floats:
    """Probabilities of classes at the class mix of use."""
    ratio = np.array([rule.used_at[name] / rule.trained_at[name] for name in rule.classes])
    likelihood = probabilities * ratio
    restated: Floats = likelihood / likelihood.sum(axis=1, keepdims=True)
    return restated
