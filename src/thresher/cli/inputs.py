"""What commands read: rows, rankings, decisions and maps."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Literal, TypedDict

from thresher._internal.atomic import read_text
from thresher._internal.json import json_value
from thresher._internal.optional import extra
from thresher.calibration import CalibrationMap
from thresher.calibration.maps.steps import Steps
from thresher.cautions import Caution
from thresher.cli.console.screen import working
from thresher.cli.options import ColumnOptions
from thresher.cli.outputs import NewColumns, score_columns
from thresher.errors import ArgumentError, SourceError, ThresherError
from thresher.evaluation import Decision, contradictions
from thresher.evaluation.decision import EVALUATE_AGAIN
from thresher.inputs import rank
from thresher.inputs.columns import column
from thresher.ranking import Floats, Ranking
from thresher.sources import scan
from thresher.sources.progress import Listener, Progress
from thresher.sources.scan import columns_that_fit, first_columns, source_names
from thresher.sources.storage import read_ranking
from thresher.tables import OperatingCondition

_SHOWN = 12
_MOST_DIGITS = 400
_MARK = b"thresher"  # metadata of a Parquet file of counts, which one of rows lacks
_PARQUET = (".parquet", ".pq")
_FORMS = "write a column of its calls, MODEL=NUMBER, or the file of a decision"


class RowArguments(TypedDict):
    """Rows as `evaluate` and `compare` take them."""

    labels: Any
    scores: dict[str, Any]
    positive: Any
    weights: Any
    clusters: Any
    missing: Literal["raise", "drop"]


class ScanArguments(TypedDict):
    """What scans take."""

    label: str
    score: tuple[str, ...]
    table: str | tuple[str, ...] | None
    positive: Any
    weights: str | None
    missing: Literal["raise", "drop"]
    progress: Listener


@dataclass(frozen=True, slots=True, eq=False)
class LabelledScores:
    """Rows, the models' own predictions, and the rule in use."""

    columns: RowArguments
    predictions: dict[str, Any]
    current: Any


def rows_that_fit(
    source: str,
    columns: ColumnOptions,
    *,
    cluster: str | None = None,
    predictions: Sequence[str] = (),
    current: str | None = None,
) -> LabelledScores | None:
    """Read the columns that the options name; None where rows do not fit in memory."""
    label, scores = _label_and_scores(source, columns)
    calls = _prediction_columns(predictions, scores, source, columns)
    rule = None if current is None else current_rule(current, models=scores, columns=_known_columns(source, columns))
    rule_column = rule if isinstance(rule, str) else None
    roles = [("--weight", columns.weight), ("--cluster", cluster), ("--current", rule_column)]
    for option, name in [*roles, *(("--prediction", name) for name in calls.values())]:
        if name == label:
            raise _labels_again(label, option)
    others = [name for _, name in roles if name is not None]
    wanted = list(dict.fromkeys([label, *scores, *calls.values(), *others]))
    values = columns_that_fit(source, wanted, table=columns.table_name)
    if values is None:
        return None
    labels = column(values[label], name=f"the column {label!r}")
    arguments: RowArguments = {
        "labels": labels,
        "scores": {name: values[name] for name in scores},
        "positive": positive_label(columns.positive, labels),
        "weights": None if columns.weight is None else values[columns.weight],
        "clusters": None if cluster is None else values[cluster],
        "missing": columns.missing,
    }
    predicted = {model: values[name] for model, name in calls.items()}
    return LabelledScores(arguments, predicted, rule if rule_column is None else values[rule_column])


def rankings(source: str, columns: ColumnOptions, *, condition: OperatingCondition | None = None) -> dict[str, Ranking]:
    """The ranking of each model by its name; a ranking on file has the file's name.

    More rows than fit are counted where they are, in an engine until the best split under a condition is certain.
    """
    options: dict[str, Any]
    if is_ranking(source):
        require_no_columns(columns)
        return {Path(source).stem: read_ranking(source)}
    rows = rows_that_fit(source, columns)
    if rows is None:
        with scan_arguments(source, columns) as arguments:
            return scan(source, refine=True if condition is None else condition, **arguments)
    options = {name: rows.columns[name] for name in ("labels", "positive", "weights", "missing")}
    return {name: rank(scores=scores, **options) for name, scores in rows.columns["scores"].items()}


def is_ranking(source: str) -> bool:
    """Whether a file holds counts: JSON does by its name, Parquet by its metadata."""
    suffix = Path(source).suffix.lower()
    if suffix not in _PARQUET or not Path(source).is_file():
        return suffix == ".json"
    parquet = extra("pyarrow.parquet", name="files")
    try:
        return _MARK in (parquet.read_schema(source).metadata or {})
    except Exception:  # noqa: BLE001 - no Parquet, or a damaged one, which reading its rows explains better
        return False


def require_no_columns(columns: ColumnOptions) -> None:
    """Raise `ArgumentError` when options name columns or a table: a ranking has none."""
    if columns.label or columns.scores or columns.table:
        raise ArgumentError("a ranking has no columns or tables", "leave --label, --score and --table out")


@contextmanager
def scan_arguments(source: str, columns: ColumnOptions) -> Iterator[ScanArguments]:
    """Arguments for scans of rows that do not fit; a terminal shows their progress."""
    label, scores = _label_and_scores(source, columns)
    table = columns.table_name
    with working("counting where the rows are") as track:

        def listener(progress: Progress) -> None:
            track(_progress_text(progress))

        positive: Any = columns.positive
        if positive is not None:
            labels = first_columns(source, [label], table=table, listener=listener)[label]
            positive = positive_label(positive, labels)
        yield {
            "label": label,
            "score": scores,
            "table": table,
            "positive": positive,
            "weights": columns.weight,
            "missing": columns.missing,
            "progress": listener,
        }


def _progress_text(progress: Progress) -> str:
    """How far a scan has come.

    >>> _progress_text(Progress("counting", rows=2_000_000, total=10_000_000, seconds=0.5))
    'counting: 2,000,000 of 10,000,000 rows, 4,000,000 per second'
    """
    if progress.rows is None or progress.rate is None:
        return f"{progress.stage}: {progress.seconds:.0f} s"
    of = "" if progress.total is None else f" of {progress.total:,}"
    return f"{progress.stage}: {progress.rows:,}{of} rows, {progress.rate:,.0f} per second"


def positive_label(text: str | None, labels: Any) -> Any:
    """The positive label in the type of the labels; integers are read exactly."""
    if text is None:
        return None
    kind, objects = labels.dtype.kind, labels.dtype.kind == "O"
    if kind not in "biufO" or (objects and any(isinstance(label, str) for label in labels)):
        return text
    word = text.strip().lower()
    if word in ("true", "false") and kind in "bO":
        return word == "true"
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return text
    if exact.is_finite() and exact.adjusted() <= _MOST_DIGITS and exact == int(exact):
        return int(exact)
    return exact if objects and any(isinstance(label, Decimal) for label in labels) else float(exact)


def _label_and_scores(source: str, columns: ColumnOptions) -> tuple[str, tuple[str, ...]]:
    """The columns of labels and scores that the options name; none is guessed."""
    label, scores = columns.label, columns.scores
    if label is None or not scores:
        option, kind = ("--label", "true labels") if label is None else ("--score", "scores")
        names = source_names(source, table=columns.table_name)
        shown = ", ".join(map(repr, names[:_SHOWN])) + (f" and {len(names) - _SHOWN} more" if names[_SHOWN:] else "")
        what = f"cannot tell which column holds the {kind}"
        raise ArgumentError(what, f"pass {option} with one of its columns: {shown}")
    if len(set(scores)) < len(scores):
        raise ArgumentError(f"a column is given twice as --score: {', '.join(scores)}", "give each model once")
    if label in scores:
        raise _labels_again(label, "--score")
    return label, scores


def _labels_again(label: str, option: str) -> ArgumentError:
    """The column of labels has no other role: judged by itself, all is perfect."""
    return ArgumentError(f"the column {label!r} is given as --label and as {option}", "name two columns")


def _prediction_columns(
    texts: Sequence[str], scores: tuple[str, ...], source: str, columns: ColumnOptions
) -> dict[str, str]:
    """Columns of predictions by model: "model=column", or "column" of the only model."""
    by_model: dict[str, str] = {}
    for text in texts:
        model, equals, name = text.rpartition("=")
        if model not in scores:
            # The name of a column may hold a "=" where there is only one model that it can belong to.
            known = _known_columns(source, columns) if equals and len(scores) == 1 else None
            if len(scores) > 1 or (known is not None and text not in known):
                what = f"there is no model {model!r}" if equals else f"cannot tell which model predicted {text!r}"
                raise ArgumentError(what, f"write --prediction MODEL=COLUMN, e.g. {scores[0]}={name}")
            model, name = scores[0], text
        if model in by_model:
            raise ArgumentError(f"the model {model!r} has two columns of predictions", "give one")
        by_model[model] = name
    return by_model


def _known_columns(source: str, columns: ColumnOptions) -> tuple[str, ...] | None:
    """The names of a source's columns; None of standard input, which is read once."""
    return None if source == "-" else source_names(source, table=columns.table_name)


def current_rule(
    text: str, *, models: Sequence[str], columns: Collection[str] | None
) -> str | Mapping[str, float] | Decision:
    """What `--current` names: a column, {model: threshold}, or the decision in a file.

    `columns` are those of the source, None where they are not known yet.
    """
    threshold = _threshold(text, models)
    is_file = Path(text).is_file()
    is_column = columns is not None and text in columns
    meanings = ["a column"] * is_column + ["a file"] * is_file + ["a threshold"] * (threshold is not None)
    if len(meanings) > 1:
        what = f"--current {text} could mean {' or '.join(meanings)}"
        raise ArgumentError(what, "rename the column, or write the file as ./NAME")
    if threshold is not None:
        return threshold
    if is_file:
        decision = read_artefact(text).decision
        if decision is None:
            raise ArgumentError(f"the file {text!r} holds a calibration map and no decision", _FORMS)
        return decision
    if columns is not None and not is_column:
        raise ArgumentError(f"--current {text} is no column, no file, and no model's threshold", _FORMS)
    return text


def _threshold(text: str, models: Sequence[str]) -> dict[str, float] | None:
    """MODEL=NUMBER, or a number alone of a single model; None for anything else."""
    model, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        return None
    if math.isnan(value):
        return None
    if equals and model not in models:
        fix = f"write --current MODEL={number} with one of {', '.join(models)}"
        raise ArgumentError(f"there is no model {model!r}", fix)
    if not equals and len(models) > 1:
        what = f"--current {text} is a threshold, and it could be one of {len(models)} models"
        raise ArgumentError(what, f"write e.g. --current {models[0]}={text}")
    return {model if equals else models[0]: value}


@dataclass(slots=True)
class Artefact:
    """A decision, or a map alone, with counts of calls, which grow as it is applied."""

    decision: Decision | None
    map: CalibrationMap | None
    positive: int | None = None  # calls; None of a map, which calls nothing
    against: int = 0  # calls that their probability speaks against

    def columns(self, score: str | None, name: str | None, *, probability: bool, place: str) -> NewColumns:
        """The columns that it makes of `score`, by default named like the model."""
        decision = self.decision
        if decision is None:
            if score is None:
                raise ArgumentError("a map does not say which column holds the scores", "pass --score COLUMN")
            return score_columns(place, score, lambda scores: {name or "probability": self._probability(scores)})
        if probability and self.map is None:
            raise ArgumentError("the decision holds no calibration map", "leave --probability out")
        if probability and name == "probability":
            raise ArgumentError("two new columns would be called 'probability'", "give another --column")
        self.positive = self.against = 0

        def calls(scores: Floats) -> dict[str, Any]:
            positive = decision.apply(scores)
            self.positive = (self.positive or 0) + int(positive.sum())
            columns: dict[str, Any] = {name or "predicted": positive.astype("int8")}
            if probability:
                columns["probability"] = self._probability(scores)
                self.against += int(contradictions(positive, columns["probability"], decision.condition).sum())
            return columns

        return score_columns(place, decision.model if score is None else score, calls)

    def map_name(self) -> str:
        """The map in words, such as "isotonic map with ramps"."""
        if self.map is None:
            return "no map"
        ramps = isinstance(self.map.curve, Steps) and self.map.curve.interpolate
        return f"{self.map.method} map{' with ramps' if ramps else ''}"

    def cautions(self, rows: int) -> tuple[Caution, ...]:
        """A caution on calls that their probabilities speak against."""
        if not self.against or self.decision is None:
            return ()
        pays = 1 / (1 + self.decision.condition.cost_ratio)
        text = (
            f"{self.against:,} of {rows:,} calls go against the probability of the {self.map_name()}:"
            f" by these costs a positive call pays from {pays:.4g} on"
        )
        return (Caution("call-against-probability", text),)

    def _probability(self, scores: Floats) -> Floats:
        if self.map is None:
            raise SourceError("there is no calibration map", "give one that calibrate -o wrote")
        return self.map(scores) if self.decision is None else self.decision.probability(scores)


def read_artefact(path: str) -> Artefact:
    """Read a decision or a map; the format field in the file tells which."""
    text = read_text(path)
    try:
        plain = json_value(text, name="Decision")
        kind = plain.get("format") if isinstance(plain, dict) else None
        if isinstance(kind, str) and kind.startswith("thresher/calibration-map/"):
            return Artefact(None, CalibrationMap.from_dict(plain))
        decision = Decision.from_dict(plain)
        calibration = None if decision.calibration is None else CalibrationMap.from_dict(decision.calibration)
        return Artefact(decision, calibration)
    except ThresherError as error:
        other = "give what evaluate --decision or calibrate --output wrote"
        fix = EVALUATE_AGAIN if error.fix == EVALUATE_AGAIN else other
        raise SourceError(f"{path} cannot be applied: {error.what}", fix) from None
