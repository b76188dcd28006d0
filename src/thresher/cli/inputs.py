"""What commands read: rows, rankings, tables, decisions and maps."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from thresher._internal.atomic import read_text
from thresher._internal.json import json_value
from thresher._internal.optional import extra
from thresher.calibration import CalibrationMap
from thresher.calibration.maps.steps import Steps
from thresher.cautions import Caution
from thresher.cli.console.screen import telling
from thresher.cli.outputs import Added
from thresher.errors import ArgumentError, SourceError, ThresherError
from thresher.evaluation import Decision, contradictions
from thresher.evaluation.decision import EVALUATE_AGAIN
from thresher.inputs import rank
from thresher.inputs.columns import column
from thresher.ranking import Floats, Ranking
from thresher.sources import scan
from thresher.sources.progress import Progress
from thresher.sources.scan import columns_that_fit, first_columns, source_names
from thresher.sources.storage import read_ranking


@dataclass(slots=True)
class Counted:
    """How many cases were called positive so far (None where nothing is called), and how many against probability."""

    positive: int | None
    against: int = 0


@dataclass(frozen=True, slots=True)
class Artefact:
    """A decision, or a map alone."""

    decision: Decision | None
    map: CalibrationMap | None

    def score(self, given: str | None) -> str:
        """The column of scores: the one given, or the one that is called as the decision's model."""
        if given is not None:
            return given
        if self.decision is None:
            raise ArgumentError("a map does not say which column holds the scores", "pass --score COLUMN")
        return self.decision.model

    def columns(self, name: str | None, *, probability: bool) -> tuple[Added, Counted]:
        """What to add to a piece of scores, and a count that grows as it is used."""
        if self.decision is None:
            return lambda scores: {name or "probability": self._probability(scores)}, Counted(None)
        if probability and self.map is None:
            raise ArgumentError("the decision holds no calibration map", "leave --probability out")
        if probability and name == "probability":
            raise ArgumentError("two new columns would be called 'probability'", "give another --column")
        decision, counted = self.decision, Counted(0)

        def added(scores: Floats) -> Mapping[str, Any]:
            called = decision.apply(scores)
            counted.positive = (counted.positive or 0) + int(called.sum())
            calls = {name or "predicted": called.astype("int8")}
            if not probability:
                return calls
            found = self._probability(scores)
            counted.against += int(contradictions(called, found, decision.condition).sum())
            return {**calls, "probability": found}

        return added, counted

    def map_name(self) -> str:
        """The map in words, such as "isotonic map with ramps"."""
        if self.map is None:
            return "no map"
        ramps = isinstance(self.map.curve, Steps) and self.map.curve.interpolate
        return f"{self.map.method} map{' with ramps' if ramps else ''}"

    def cautions(self, counted: Counted, rows: int) -> tuple[Caution, ...]:
        """What there is to say of calls that their own probabilities speak against."""
        if not counted.against or self.decision is None:
            return ()
        pays = 1 / (1 + self.decision.condition.cost_ratio)
        text = (
            f"{counted.against:,} of {rows:,} calls go against the probability of the {self.map_name()}:"
            f" by these costs a positive call pays from {pays:.4g} on"
        )
        return (Caution("call-against-probability", text),)

    def _probability(self, scores: Floats) -> Floats:
        if self.map is None:
            raise SourceError("there is no calibration map", "give one that calibrate -o wrote")
        return self.map(scores) if self.decision is None else self.decision.probability(scores)


def read_artefact(path: str) -> Artefact:
    """Read a decision or a map; the file says itself which one it is."""
    text = read_text(path)
    try:
        plain = json_value(text, name="Decision")
        kind = plain.get("format") if isinstance(plain, dict) else None
        if isinstance(kind, str) and kind.startswith("thresher/calibration-map/"):
            return Artefact(None, CalibrationMap.from_dict(plain))
        decision = Decision.from_dict(plain)
        found = None if decision.calibration is None else CalibrationMap.from_dict(decision.calibration)
        return Artefact(decision, found)
    except ThresherError as error:
        again = error.fix == EVALUATE_AGAIN
        fix = EVALUATE_AGAIN if again else "give what evaluate --decision or calibrate --output wrote"
        raise SourceError(f"{path} cannot be applied: {error.what}", fix) from None


_FORMS = "write a column of its calls, MODEL=NUMBER, or the file of a decision"


def current_option(
    text: str | None, *, models: Sequence[str], columns: Collection[str] | None
) -> str | Mapping[str, float] | Decision | None:
    """What `--current` names: a column's name, {model: threshold}, or the decision in a file.

    `columns` are those of the source, None where they are not known yet. What could mean two things is refused.

    >>> current_option("forest=0.3", models=["forest"], columns=["label", "forest"])
    {'forest': 0.3}
    >>> current_option("0.3", models=["forest"], columns=["label", "forest"])
    {'forest': 0.3}
    >>> current_option("called", models=["forest"], columns=["label", "forest", "called"])
    'called'
    """
    if text is None:
        return None
    threshold = _threshold(text, models)
    is_file = Path(text).is_file()
    is_column = columns is not None and text in columns
    meanings = {"a column": is_column, "a file": is_file, "a threshold": threshold is not None}
    several = [meaning for meaning, meant in meanings.items() if meant]
    if len(several) > 1:
        what = f"--current {text} could mean {' or '.join(several)}"
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
    """MODEL=NUMBER, or a number alone where there is one model; None for anything else."""
    model, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        return None
    if math.isnan(value):
        return None
    if equals and model in models:
        return {model: value}
    if equals:
        fix = f"write --current MODEL={number} with one of {', '.join(models)}"
        raise ArgumentError(f"there is no model {model!r}", fix)
    if len(models) > 1:
        what = f"--current {text} is a threshold, and it could be one of {len(models)} models"
        raise ArgumentError(what, f"write e.g. --current {models[0]}={text}")
    return {models[0]: value}


_SHOWN = 12
_MOST_DIGITS = 400


@dataclass(frozen=True, slots=True, eq=False)
class LabelledScores:
    """Columns by what they mean; `positive` is the label in the labels' own type, `current` the rule in use."""

    labels: Any
    scores: dict[str, Any]
    predictions: dict[str, Any]
    weights: Any
    clusters: Any
    positive: Any
    current: Any = None

    def ranking(self, model: str, *, missing: Any) -> Ranking:
        """The ranking of one model."""
        return rank(self.labels, self.scores[model], positive=self.positive, weights=self.weights, missing=missing)


def labelled_scores(given: Mapping[str, Any]) -> LabelledScores:
    """Read the columns that the options name; nothing is guessed when one is not named."""
    found = rows_that_fit(given)
    if found is None:
        what = "there are more rows than fit, and this command needs them all at once"
        raise ArgumentError(what, "give a sample of them; evaluate, compare, choose and merge take any number")
    return found


def rows_that_fit(given: Mapping[str, Any]) -> LabelledScores | None:
    """The same, or None where there are too many rows to be read at once."""
    label, scores = named_columns(given)
    called = _predictions(given, scores)
    current = _current(given, scores)
    in_use = current if isinstance(current, str) else None
    _require_labels_alone(label, {**given, "current": in_use}, called)
    beside = [name for name in (given.get("weight"), given.get("cluster"), in_use) if name is not None]
    wanted = list(dict.fromkeys([label, *scores, *called.values(), *beside]))
    found = columns_that_fit(given["source"], wanted, table=table_name(given))
    if found is None:
        return None
    labels = column(found[label], name=f"the column {label!r}")
    return LabelledScores(
        labels=labels,
        scores={name: found[name] for name in scores},
        predictions={model: found[name] for model, name in called.items()},
        weights=None if given.get("weight") is None else found[given["weight"]],
        clusters=None if given.get("cluster") is None else found[given["cluster"]],
        positive=positive_label(given.get("positive"), labels),
        current=current if in_use is None else found[in_use],
    )


def named_columns(given: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The columns of labels and scores that the options name."""
    label, scores = given["label"], tuple(given["scores"])
    if label is None or not scores:
        raise _not_named(given, "--label" if label is None else "--score")
    if len(set(scores)) < len(scores):
        raise ArgumentError(f"a column is given twice as --score: {', '.join(scores)}", "give each model once")
    if label in scores:
        raise _labels_again(label, "--score")
    return label, scores


def table_name(given: Mapping[str, Any]) -> str | tuple[str, ...] | None:
    """The table that --table names; a dot stands between schema and table.

    >>> table_name({"table": "mails"}), table_name({"table": "june.mails"}), table_name({})
    ('mails', ('june', 'mails'), None)
    """
    text = given.get("table")
    return tuple(text.split(".")) if text is not None and "." in text else text


def positive_label(text: str | None, labels: Any) -> Any:
    """The positive label in the type of the labels: a number among numbers, a truth value among those.

    Whole numbers are read exactly, of any size.

    >>> import numpy as np
    >>> positive_label("2", np.array([1, 2])), positive_label("yes", np.array(["yes", "no"]))
    (2, 'yes')
    >>> positive_label("9007199254740993.0", np.array([1, 2])), positive_label("0.1", np.array([0.1, 2]))
    (9007199254740993, 0.1)
    """
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


def _not_named(given: Mapping[str, Any], option: str) -> ArgumentError:
    names = source_names(given["source"], table=table_name(given))
    shown = ", ".join(map(repr, names[:_SHOWN])) + (f" and {len(names) - _SHOWN} more" if names[_SHOWN:] else "")
    kind = "true labels" if option == "--label" else "scores"
    return ArgumentError(
        f"it is not said which column holds the {kind}", f"pass {option} with one of its columns: {shown}"
    )


def _require_labels_alone(label: str, given: Mapping[str, Any], called: Mapping[str, str]) -> None:
    """The column of labels has no second meaning: judged by itself, everything is perfect."""
    others = {f"--{name}": [given.get(name)] for name in ("weight", "cluster", "current")}
    others["--prediction"] = list(called.values())
    for option, names in others.items():
        if label in names:
            raise _labels_again(label, option)


def _labels_again(label: str, option: str) -> ArgumentError:
    return ArgumentError(f"the column {label!r} is given as --label and as {option}", "name two columns")


def _predictions(given: Mapping[str, Any], scores: tuple[str, ...]) -> dict[str, str]:
    """Columns of predictions by model, from "column" for the only model or "model=column"."""
    found: dict[str, str] = {}
    for text in given.get("predictions") or ():
        model, equals, name = text.rpartition("=")
        if model not in scores:
            # A column may hold a "=" of its own when there is only one model that it can belong to.
            if len(scores) > 1 or (equals and not _is_column(text, given)):
                what = f"there is no model {model!r}" if equals else f"it is not said which model predicted {text!r}"
                raise ArgumentError(what, f"write --prediction MODEL=COLUMN, e.g. {scores[0]}={name}")
            model, name = scores[0], text
        if model in found:
            raise ArgumentError(f"the model {model!r} has two columns of predictions", "give one")
        found[model] = name
    return found


def _current(given: Mapping[str, Any], scores: tuple[str, ...]) -> Any:
    """What --current names: a column, a model's threshold, or a decision."""
    text, source = given.get("current"), given["source"]
    if text is None:
        return None

    columns = None if source == "-" else source_names(source, table=table_name(given))
    return current_option(text, models=scores, columns=columns)


def _is_column(name: str, given: Mapping[str, Any]) -> bool:
    """Whether the source has this column; standard input can be read only once, and gets the benefit of the doubt."""
    source = given["source"]
    return source == "-" or name in source_names(source, table=table_name(given))


_MARK = b"thresher"  # what a Parquet file of counts says of itself, and one of rows does not
_PARQUET = (".parquet", ".pq")


def rankings_of(given: Mapping[str, Any], *, condition: Any = None) -> dict[str, Ranking]:
    """The ranking of each model by its name; a ranking on file has the file's name.

    More rows than fit are counted where they are, under a condition until its best split is certain.
    """
    source = given["source"]
    if is_ranking(source):
        require_no_columns(given)
        return {Path(source).stem: kept_ranking(source)}
    rows = rows_that_fit(given)
    if rows is not None:
        return {name: rows.ranking(name, missing=given["missing"]) for name in rows.scores}
    with scanning(given) as asked:
        score = list(asked.pop("scores"))
        return scan(source, score=score, **asked, refine=True if condition is None else condition)


def require_no_columns(given: Mapping[str, Any]) -> None:
    """Raise `ArgumentError` when options name columns or a table, of which a kept ranking has none."""
    if given["label"] or given["scores"] or given.get("table"):
        raise ArgumentError("a ranking has no columns or tables", "leave --label, --score and --table out")


def is_ranking(source: str) -> bool:
    """Whether a file holds counts and not rows: JSON does by its name, Parquet says it in the file.

    >>> is_ranking("monday.json"), is_ranking("monday.jsonl")
    (True, False)
    """
    suffix = Path(source).suffix.lower()
    if suffix not in _PARQUET or not Path(source).is_file():
        return suffix == ".json"
    parquet = extra("pyarrow.parquet", name="files")
    try:
        return _MARK in (parquet.read_schema(source).metadata or {})
    except (OSError, ValueError):  # no Parquet at all, which reading its rows will say better
        return False


def kept_ranking(source: str) -> Ranking:
    """A ranking from a file, or a word on why it is none."""
    return read_ranking(source)


@contextmanager
def scanning(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Arguments for `scan`, `compare_scan` and `evaluate_scan`, whose progress is told on a terminal."""
    label, scores = named_columns(given)
    if given.get("predictions"):
        raise ArgumentError("--prediction needs rows, and there are more than fit", "leave it out, or sample")
    table = table_name(given)
    with telling("counting where the rows are") as tell:

        def told(now: Progress) -> None:
            tell(_words(now))

        positive = given.get("positive")
        if positive is not None:
            labels = first_columns(given["source"], [label], table=table, listener=told)[label]
            positive = positive_label(positive, labels)
        yield {
            "label": label,
            "scores": scores,
            "table": table,
            "positive": positive,
            "weights": given.get("weight"),
            "missing": given["missing"],
            "progress": told,
        }


def _words(now: Progress) -> str:
    """How far a scan has come.

    >>> _words(Progress("counting", rows=2_000_000, total=10_000_000, seconds=0.5))
    'counting: 2,000,000 of 10,000,000 rows, 4,000,000 per second'
    >>> _words(Progress("counting", rows=2_000_000, total=None, seconds=0.5))
    'counting: 2,000,000 rows, 4,000,000 per second'
    >>> _words(Progress("ranking rows", rows=None, total=None, seconds=3.2))
    'ranking rows: 3 s'
    """
    if now.rows is None or now.rate is None:
        return f"{now.stage}: {now.seconds:.0f} s"
    of = "" if now.total is None else f" of {now.total:,}"
    return f"{now.stage}: {now.rows:,}{of} rows, {now.rate:,.0f} per second"
