"""What the learning commands do between reading and printing."""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from thresher._internal.arguments import require_level
from thresher._internal.atomic import require_folder
from thresher._internal.optional import extra
from thresher._internal.text import plain_text
from thresher.cli import outputs as text_copy
from thresher.cli.console.screen import working
from thresher.cli.inputs import positive_label
from thresher.cli.outputs import (
    STANDARD,
    Made,
    Origin,
    copy_rows,
    opened_text,
    text_file,
    text_pair,
    write_columns,
    write_table,
)
from thresher.errors import ArgumentError, ColumnError, EmptyError
from thresher.inputs.arrow import numpy_column
from thresher.inputs.columns import column, named, require_columns
from thresher.learning import (
    Deployed,
    Learned,
    Numbers,
    Scatter,
    Selection,
    column_types,
    complete_rows,
    frame,
    learn,
    scatter,
    selection,
    target_column,
    write_learned,
)
from thresher.learning.artefacts import FILES
from thresher.learning.data.schema import Remarks, require_expected_columns
from thresher.learning.features.selection import Search
from thresher.learning.learn import COMPARING
from thresher.learning.models.candidates import chosen_models
from thresher.sources.files import list_files, read_columns
from thresher.sources.text_files import DataFile, translate_errors
from thresher.tables import OperatingCondition


@dataclass(frozen=True, slots=True, eq=False)
class LearningTable:
    """Rows, the target, and what was declared; `dropped` counts rows that were left out for missing values."""

    data: Any
    target: str
    positive: Any
    types: Mapping[str, str]
    orders: Mapping[str, Sequence[str]]
    groups: Any
    time: Any
    dropped: int


def learning_table(given: Mapping[str, Any]) -> LearningTable:
    """Read the file and check that it has the columns that the options name."""
    types = _pairs(given["types"], "--type", "KIND")
    orders = {name: order.split(",") for name, order in _pairs(given["orders"], "--order", "A,B,C").items()}
    beside = [given[name] for name in ("group", "time") if given[name] is not None]
    # Who a row belongs to and when it was seen is no feature, unless the user says what kind of feature it is.
    types = {name: "ignored" for name in beside if name not in orders} | types
    data = table_with(given, [*beside, *types, *orders])
    target, dropped = given["target"], 0
    if given["missing"] == "drop":
        looked_at = [name for name in data.columns if types.get(name) != "ignored" or name in beside]
        complete = complete_rows(data, columns=looked_at)
        data, dropped = complete.data, complete.dropped
    labels = column(data[target], name=f"the column {target!r}")
    return LearningTable(
        data=data,
        target=target,
        positive=positive_label(given["positive"], labels),
        types=types,
        orders=orders,
        groups=None if given["group"] is None else data[given["group"]].to_numpy(),
        time=None if given["time"] is None else data[given["time"]].to_numpy(),
        dropped=dropped,
    )


def table_with(given: Mapping[str, Any], names: Sequence[str]) -> Any:
    """All columns of the file as a frame; the target and these names must be among them."""
    source = given["source"]
    columns = read_columns(source, None)
    place = "standard input" if source == "-" else source
    if given["target"] is None:
        fix = f"pass --target with one of its columns: {named(list(columns))}"
        raise ArgumentError("it is not said which column is to be learnt", fix)
    require_columns(list(dict.fromkeys([given["target"], *names])), list(columns), place=place)
    return frame(columns)


def _pairs(texts: Sequence[str], option: str, form: str) -> dict[str, str]:
    """COLUMN=VALUE by column; the last equals sign counts, since names may hold some."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not (name and equals and value):
            raise ArgumentError(f"{option} {text!r} does not say it of a column", f"write COLUMN={form}")
        if name in found:
            raise ArgumentError(f"{option} is given twice for column {name!r}", "give it once")
        found[name] = value
    return found


_SIGNS = {"trace_ratio": "J = trace(S_B) / trace(S_W)", "hotelling_lawley": "trace(S_W⁻¹ S_B)"}


@dataclass(frozen=True, slots=True, eq=False)
class ChosenFeatures:
    """A selection, the scatter it was made from, which columns were no numbers, and how many rows were left out."""

    selection: Selection
    scatter: Scatter
    left_out: Mapping[str, str]
    dropped: int


def chosen_features(given: Mapping[str, Any]) -> ChosenFeatures:
    """Read the table, take its columns of numbers, and select."""
    target = given["target"]
    data = table_with(given, ())
    kinds = column_types(data, target=target)
    names = kinds.named("numerical", "boolean")
    if not names:
        raise ArgumentError("no column holds numbers that vary", "give a table with features that are numbers")
    if given["select"] > len(names):
        what = f"{given['select']:,} features are to be chosen, and there are {len(names):,} columns of numbers"
        raise ArgumentError(what, "pass a smaller --select")
    dropped = 0
    if given["missing"] == "drop":
        complete = complete_rows(data, columns=[*names, target])
        data, dropped = complete.data, complete.dropped
    elif (absent := data[names].isna().any()).any():
        lacking = [name for name in names if absent[name]]
        what = f"{int(data[names].isna().any(axis=1).sum()):,} of {len(data):,} rows lack a value, e.g. {lacking[0]!r}"
        raise ArgumentError(what, "fill them, or pass --missing drop to leave those rows out")
    goal = target_column(data, target)
    numbers = Numbers().fit_transform(data[names])
    if given["scale"]:
        numbers = numbers / numbers.std(ddof=0).replace(0.0, 1.0)
    exact = given["criterion"] == "trace_ratio"
    found = scatter(numbers, goal.labels(goal.codes), matrix=not exact)
    search: Search = given["search"] or ("exact" if exact else "forward")
    chosen = selection(found, given["select"], search=search, criterion=given["criterion"])
    left = {column.name: column.kind for column in kinds if column.name not in names}
    return ChosenFeatures(chosen, found, left, dropped)


def present(found: ChosenFeatures, given: Mapping[str, Any]) -> None:
    """Print a table, or plain data, or nothing."""
    if given["as_json"]:
        click.echo(json.dumps(_plain(found), allow_nan=False, default=str))
    elif not given["quiet"]:
        from thresher.cli.console.screen import console, show

        show(console(), _blocks(found))


def _blocks(found: ChosenFeatures) -> Iterator[Any]:
    from rich.text import Text

    from thresher._internal.text import plain_text
    from thresher.cli.console.screen import FAINT, heading, name_text, number, table

    chosen, scatter = found.selection, found.scatter
    sizes = ", ".join(
        f"{count:,} {plain_text(name)}" for name, count in zip(scatter.classes, scatter.counts, strict=True)
    )
    rows = Text(f"{scatter.N:,} rows: {sizes}")
    if found.dropped:
        rows.append(f"; {found.dropped:,} dropped for missing values", style="bold")
    yield rows
    alone = scatter.scores
    lines = [
        (
            name_text(name),
            Text(number(float(scatter.between[i]))),
            Text(number(float(scatter.within[i]))),
            Text(number(float(alone[i]))),
        )
        for name, i in zip(chosen.names, chosen.features, strict=True)
    ]
    size, of = len(chosen.names), len(scatter.names)
    yield [
        heading(f"{size:,} of {of:,} features", f"{chosen.search} search"),
        table(("", "between", "within", "J alone"), lines),
    ]
    together = Text.assemble(f"{_SIGNS[chosen.criterion]} of these together: ", (number(chosen.value), "bold"))
    if chosen.criterion == "trace_ratio":
        together.append(f"; of all {of:,} features: {number(scatter.J)}", style=FAINT)
    yield together
    if found.left_out:
        told = ", ".join(f"{plain_text(name)} ({kind})" for name, kind in found.left_out.items())
        yield Text(f"Not looked at: {told}", style=FAINT)


def _plain(found: ChosenFeatures) -> dict[str, Any]:
    chosen, scatter = found.selection, found.scatter

    def number(value: Any) -> float | str | None:
        plain = float(value)
        return plain if math.isfinite(plain) else None if math.isnan(plain) else str(plain)

    return {
        "rows": scatter.N,
        "dropped": found.dropped,
        "classes": {str(name): int(count) for name, count in zip(scatter.classes, scatter.counts, strict=True)},
        "search": chosen.search,
        "criterion": chosen.criterion,
        "value": number(chosen.value),
        "features": list(chosen.names),
        "scores": {name: number(score) for name, score in zip(scatter.names, np.asarray(scatter.scores), strict=True)},
        "steps": [number(step) for step in chosen.steps],
        "left_out": dict(found.left_out),
    }


def require_feasible(given: Mapping[str, Any]) -> None:
    """Refuse, before hours of learning, what would be refused after them."""
    require_level(given["level"])
    if given["output"] is None:
        return
    for package, name in (("jinja2", "report"), ("skops.io", "learn"), ("pyarrow.parquet", "files")):
        extra(package, name=name)
    require_folder(given["output"], names=FILES, overwrite=given["overwrite"])


def learned(table: LearningTable, condition: OperatingCondition, given: Mapping[str, Any]) -> tuple[Learned, list[str]]:
    """The library's `learn`, as the options say, and what scikit-learn warned of, each warning once."""
    models = list(given["models"]) or None
    names = list(chosen_models(models, seed=given["seed"]))
    with warnings.catch_warnings(record=True) as caught, _told(names, quiet=given["quiet"]) as (stage, progress):
        warnings.simplefilter("always")
        found = learn(
            table.data,
            table.target,
            positive=table.positive,
            condition=condition,
            prefer=given["prefer"],
            models=models,
            types=table.types,
            orders=table.orders,
            missing="indicator" if given["missing"] == "drop" else given["missing"],
            folds=given["folds"],
            groups=table.groups,
            times=table.time,
            curves=given["curves"],
            level=given["level"],
            seed=given["seed"],
            n_jobs=given["jobs"],
            stage=stage,
            progress=progress,
        )
    return found, told_once(caught)


def told_once(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """Warnings in one line each, the same ones counted.

    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     for _ in range(2):
    ...         warnings.warn("did not converge", stacklevel=1)
    >>> told_once(caught)
    ['did not converge (2 times)']
    """
    texts = [plain_text(str(one.message).strip().partition("\n")[0]) for one in caught]
    counts = {text: texts.count(text) for text in dict.fromkeys(texts)}
    return [text if count == 1 else f"{text} ({count:,} times)" for text, count in counts.items()]


def write(found: Learned, table: LearningTable, given: Mapping[str, Any]) -> list[str]:
    """Write the folder if one is asked for; returns the paths."""
    if given["output"] is None:
        return []
    name = "standard input" if given["source"] == "-" else Path(given["source"]).name
    with working("writing the folder"):
        write_learned(
            found, table.data, given["output"], title=f"{table.target} in {name}", overwrite=given["overwrite"]
        )
    return [str(Path(given["output"], file)) for file in FILES]


def present_of_learned(
    found: Learned, table: LearningTable, given: Mapping[str, Any], *, remarks: Sequence[str], written: Sequence[str]
) -> None:
    """Print the summary, or plain data, or nothing."""
    from thresher.cli.console.learning import learned_summary, plain_learned

    if given["as_json"]:
        import json

        plain = plain_learned(found) | {"dropped": table.dropped, "warnings": list(remarks), "written": list(written)}
        click.echo(json.dumps(plain, allow_nan=False, default=str))
    elif not given["quiet"]:
        from thresher.cli.console.screen import console, show

        screen = console()
        blocks = learned_summary(found, width=screen.width, dropped=table.dropped, remarks=remarks, written=written)
        show(screen, blocks)


@contextmanager
def _told(names: Sequence[str], *, quiet: bool) -> Iterator[tuple[Any, Any]]:
    """Functions for `learn` to call as it works, which tell what is running on stderr if that is a terminal."""
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
    """What is running: the model and the fold while models are compared, else the words themselves.

    >>> _running("comparing models", ["tree", "forest"], 6, 10)
    'fitting forest, fold 2 of 5'
    >>> _running("learning curve", ["tree"], 6, 10)
    'learning curve'
    """
    if words != COMPARING or done == total:
        return words
    each = max(total // len(names), 1)
    return f"fitting {plain_text(names[min(done // each, len(names) - 1)])}, fold {done % each + 1} of {each}"


class Judge:
    """What scores a piece of rows after another, and remembers what is worth telling of all of them."""

    def __init__(self, deployed: Deployed, given: Mapping[str, Any]) -> None:
        self.deployed = deployed
        self.place = "standard input" if given["source"] == STANDARD else str(given["source"])
        self.names = (given["score"], given["prediction"], *(["probability"] if given["probability"] else []))
        self.refuses_unseen = given["unseen"] == "raise"
        self.positive = 0
        self.remarks = Remarks()

    def added(self, columns: Mapping[str, Any], before: int) -> dict[str, Any]:
        """The score and the prediction of rows given as columns."""
        scores, remarks = self.deployed.scored(columns, place=self.place, before=before)
        if self.refuses_unseen and remarks.unseen:
            raise ColumnError(next(remarks.lines()), "mend it, or pass --unseen tell to score them so")
        calls = self.deployed.decision.apply(scores)
        self.positive += int(calls.sum())
        self.remarks += remarks
        made = [scores, self._named(calls)]
        if len(self.names) > len(made):
            made.append(self.deployed.decision.probability(scores))
        return dict(zip(self.names, made, strict=True))

    def made_for(self, head: Sequence[str]) -> Made:
        """For texts: the fields of the columns that the model uses, an empty one being missing."""
        require_expected_columns(head, self.deployed.expected, place=self.place)
        used = {column.name: list(head).index(column.name) for column in self.deployed.expected}
        self.remarks += Remarks(unused=tuple(name for name in head if name not in self.deployed.known))
        return lambda rows, before: self.added(
            {name: [row[at] or None for row in rows] for name, at in used.items()}, before
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data on all rows so far."""
        return {
            "positive": self.positive,
            "unseen": {name: dict(found) for name, found in self.remarks.unseen.items()},
            "gaps": dict(self.remarks.gaps),
            "unused": list(self.remarks.unused),
        }

    def told(self, rows: int, target: str | None) -> Iterator[str]:
        """What is said on stderr when all is done."""
        if target is not None:
            label = plain_text(self.deployed.labels[1])
            yield f"wrote {plain_text(target)}: {rows:,} rows, {self.positive:,} of them called {label}"
        yield from (f"! {plain_text(line)}" for line in self.remarks.lines())

    def _named(self, calls: Any) -> Any:
        labels = self.deployed.labels
        plain = np.array(labels) if len({type(label) for label in labels}) == 1 else np.array(labels, dtype=object)
        return plain[calls.astype(np.int64)]


def write_predicted(source: str, target: str, judge: Judge) -> int:
    """Copy a table with the judge's columns; returns how many rows there were."""
    return write_table(target, lambda path, kind: _write(source, path, kind, judge))


def _write(source: str, path: Path, kind: str, judge: Judge) -> int:
    origin = Origin(judge.place, "")
    if (delimiters := text_pair(source, kind)) is not None:
        with opened_text(source) as lines, text_file(path) as out:
            return copy_rows(lines, out, origin, judge.made_for, delimiters=delimiters)
    files = [] if source == STANDARD else list_files(source)
    if len(files) == 1 and files[0].format == "parquet" and kind in (".parquet", ".pq"):
        return _parquet(files[0], path, origin, judge)
    columns = read_columns(source, None)
    added = judge.added(columns, 0)
    origin.require_new(list(added), list(columns))
    return write_columns(path, kind, {**columns, **added})


def _parquet(file: DataFile, path: Path, origin: Origin, judge: Judge) -> int:
    """Parquet to Parquet, a batch of rows at a time; the other columns keep their types."""
    arrow = extra("pyarrow", name="files")
    parquet = extra("pyarrow.parquet", name="files")
    rows, writer = 0, None
    with translate_errors(file):
        whole = parquet.ParquetFile(file.at_once())
        names = list(whole.schema_arrow.names)
        require_expected_columns(names, judge.deployed.expected, place=judge.place)
        origin.require_new(list(judge.names), names)
        try:
            for batch in whole.iter_batches(batch_size=text_copy.PIECE):
                table = arrow.Table.from_batches([batch])
                columns = {name: numpy_column(table[name], name=name) for name in names}
                for name, values in judge.added(columns, rows).items():
                    table = table.append_column(name, arrow.array(values))
                writer = writer or parquet.ParquetWriter(path, table.schema)
                writer.write_table(table)
                rows += table.num_rows
        finally:
            if writer is not None:
                writer.close()
    if not rows:
        raise EmptyError(f"{judge.place} has no rows", "give at least one")
    return rows
