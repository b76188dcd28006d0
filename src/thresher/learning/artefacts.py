"""Artefacts of `learn`: model, decision, schema, scores and report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from thresher._internal.arguments import require_instance, require_path
from thresher._internal.atomic import read_text, recover_folder, replace_folder
from thresher._internal.json import FieldError, fields, items, json_value, label, one_of, text
from thresher._internal.optional import extra
from thresher._internal.results import Result
from thresher.errors import ArgumentError, NotationError, ThresherError
from thresher.evaluation import Decision, LeastCostRule
from thresher.inputs.arrow import Column
from thresher.inputs.labels import label_array, same
from thresher.learning.data.frame import frame
from thresher.learning.data.schema import ExpectedColumn, Remarks, conform, expected_columns, require_expected_columns
from thresher.learning.learned import Learned
from thresher.learning.model_file import read_model, write_model
from thresher.learning.report import write_report
from thresher.ranking import Floats
from thresher.version import __version__

FORMAT = "thresher/learned/1"
FILES = ("model.skops", "decision.json", "columns.json", "predictions.parquet", "report.html")
MODEL, DECISION, COLUMNS, PREDICTIONS, REPORT = FILES


def _labels(value: Any) -> tuple[Any, ...]:
    labels = tuple(items(label)(value))
    if len(labels) < 2 or any(same(a, b) for i, a in enumerate(labels) for b in labels[:i]):
        raise FieldError("must be two labels or more, each once")
    return labels


_READERS = {
    "format": one_of([FORMAT]),
    "version": text,
    "target": text,
    "labels": _labels,
    "known": items(text),
    "columns": items(ExpectedColumn.from_dict),
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Deployed(Result):
    """A model read back, with its decision, its labels and expected columns.

    `labels` are those of the negative and the positive side, or of a decision among classes all of them.
    """

    model: Any
    decision: Decision
    expected: tuple[ExpectedColumn, ...]
    known: tuple[str, ...]
    target: str
    labels: tuple[Any, ...]

    def scored(self, data: Any, *, place: str = "the table", before: int = 0) -> tuple[Floats, Remarks]:
        """Calibrated probabilities of new rows, and remarks about them.

        Errors name the `place` of the rows and count them from `before`, the number of rows in earlier pieces.
        """
        table = frame(data)
        require_expected_columns(list(table.columns), self.expected, place=place)
        rows, unseen, gaps = conform(table, self.expected, before=before)
        unused = tuple(name for name in table.columns if name not in self.known)
        return self._scores(rows), Remarks(unseen, gaps, unused)

    def probabilities(self, data: Any) -> Floats:
        """The calibrated probability of the positive class, or of each, of each row."""
        return self.scored(data)[0]

    def calls(self, data: Any) -> Any:
        """Which rows the decision calls positive; of several classes, what it says."""
        return self.decision.apply(self.probabilities(data))

    def named(self, calls: Any) -> Column:
        """Calls as labels of the target."""
        return np.asarray(calls) if self.several else label_array(self.labels)[np.asarray(calls, dtype=np.int64)]

    @property
    def several(self) -> bool:
        """Whether the decision is among classes, none of them positive."""
        return isinstance(self.decision.rule, LeastCostRule)

    def _scores(self, rows: Any) -> Floats:
        """Probabilities by the model, which a file may have made of parts that do not fit."""
        fix = "give the folder that learn wrote, unchanged, and rows like those that it learnt from"
        try:
            scores = np.asarray(self.model.predict_proba(rows), dtype=np.float64)
            shape = (len(rows), len(self.labels))
            scores = scores if self.several else scores[:, 1]
        except ThresherError:
            raise
        except Exception as error:
            reason = f"{error}".partition("\n")[0] or type(error).__name__
            raise NotationError(f"the model cannot score these rows: {reason}", fix) from error
        if scores.shape != shape[: scores.ndim] or not ((scores >= 0) & (scores <= 1)).all():
            what = f"the model gives {len(scores):,} scores for {len(rows):,} rows, or scores that are no probabilities"
            raise NotationError(what, fix)
        return scores


def write_learned(
    learned: Learned, data: Any, folder: str | Path, *, title: str | None = None, overwrite: bool = False
) -> Path:
    """Write what `learn` made of `data` as a folder, atomically.

    The same data, seed and versions give the same bytes in every file.

    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher.learning import learn
    >>> table = load_breast_cancer(as_frame=True).frame[["mean radius", "mean texture", "target"]]
    >>> learned = learn(table, "target", models=["naive bayes"], folds=3, curves=False)
    >>> with TemporaryDirectory() as home:
    ...     place = write_learned(learned, table, f"{home}/out")
    ...     bool((read_learned(place).calls(table) == learned.calls(table)).all())
    True
    """
    table = frame(data)
    plain = {
        "format": FORMAT,
        "version": __version__,
        "target": learned.target,
        "labels": [label.item() if isinstance(label, np.generic) else label for label in learned.labels],
        "known": [str(name) for name in table.columns],
        "columns": [column.to_dict() for column in expected_columns(table, learned.columns, learned.split["train"])],
    }
    with replace_folder(folder, names=FILES, overwrite=overwrite) as target:
        write_model(learned.model, target / MODEL)
        learned.decision.save(target / DECISION)
        (target / COLUMNS).write_text(
            json.dumps(plain, indent=2, ensure_ascii=False, default=str) + "\n", encoding="utf-8"
        )
        _write_predictions(learned, table, target / PREDICTIONS)
        write_report(learned, target / REPORT, title=title)
    return Path(folder)


def read_learned(folder: str | Path, *, trusted: Sequence[str] = ()) -> Deployed:
    """Read what `write_learned` wrote; nothing is run, and unknown types are refused.

    A model of types that are not thresher's candidates needs them in `trusted`: see `read_model`.
    """
    require_instance(folder, (str, PathLike), name="folder", fix="give the folder that learn wrote")
    require_path(folder)
    place = Path(folder)
    recover_folder(place)
    if not place.is_dir():
        raise ArgumentError(f"there is no folder {place}", "give the folder that learn wrote")
    absent = [name for name in (MODEL, DECISION, COLUMNS) if not (place / name).is_file()]
    if absent:
        raise ArgumentError(f"the folder {place} lacks {', '.join(absent)}", "give the whole folder that learn wrote")
    try:
        plain = fields(json_value(read_text(place / COLUMNS), name="Learned"), _READERS)
        decision = Decision.load(place / DECISION)
    except ValueError as error:
        reason = error.what if isinstance(error, ThresherError) else error
        raise NotationError(f"the folder {place} is damaged: {reason}", "give what learn wrote") from None
    if isinstance(decision.rule, LeastCostRule) and decision.rule.classes != plain["labels"]:
        what = f"the folder {place} is damaged: its decision and its model are of other classes"
        raise NotationError(what, "give what learn wrote")
    if not isinstance(decision.rule, LeastCostRule) and len(plain["labels"]) != 2:
        raise NotationError(f"the folder {place} is damaged: a threshold is of two labels", "give what learn wrote")
    expected, known = tuple(plain["columns"]), tuple(plain["known"])
    model = read_model(place / MODEL, trusted=trusted)
    return Deployed(model, decision, expected, known, plain["target"], plain["labels"])


def _write_predictions(learned: Learned, table: Any, path: Path) -> None:
    """Out-of-fold scores of all models, then the winner's on test rows."""
    arrow = extra("pyarrow", name="files")
    parquet = extra("pyarrow.parquet", name="files")
    cv, test, winner = learned.validation, learned.split["test"], learned.decision.model
    train = learned.split["train"][cv.row]
    rows = np.concatenate([train, test])
    scores = {name: _with_unknown(column, test.size) for name, column in cv.scores.items()}
    scores[winner][train.size :] = learned.probabilities(table.iloc[test])
    labels = table[learned.target].iloc[rows]
    columns: dict[str, Any] = {
        "row": rows,
        "part": np.repeat(["train", "test"], [train.size, test.size]),
        "fold": arrow.array([*cv.fold.tolist(), *[None] * test.size], arrow.int32()),
        "label": arrow.array(labels.tolist()),
    }
    if learned.positive is not None:
        on_test = (labels.iloc[train.size :] == learned.positive).to_numpy(np.bool_)
        columns["positive"] = np.concatenate([cv.labels, on_test])
    columns["called"] = arrow.array(learned.decision.apply(scores[winner]).tolist())
    by_column = _by_class(scores, learned.labels) if learned.positive is None else scores
    columns |= {
        f"score: {name}" if name in columns else name: arrow.array(column, from_pandas=True)
        for name, column in by_column.items()
    }
    parquet.write_table(arrow.table(columns), path)


def _with_unknown(scores: Floats, rows: int) -> Floats:
    """Scores, and rows of NaN after them."""
    return np.concatenate([scores, np.full((rows, *scores.shape[1:]), np.nan)])


def _by_class(scores: Mapping[str, Floats], classes: Sequence[Any]) -> dict[str, Floats]:
    """A column per model and class."""
    return {
        f"{model}: {label}": matrix[:, place] for model, matrix in scores.items() for place, label in enumerate(classes)
    }
