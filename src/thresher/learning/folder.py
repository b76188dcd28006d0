"""What `learn` found as a folder: the model, the decision, what new rows must look like, the scores, the report."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from thresher.errors import ArgumentError, NotationError, ThresherError
from thresher.evaluation import Decision, apply
from thresher.extras import extra
from thresher.learning.arguments import require_kind
from thresher.learning.expected_columns import ExpectedColumn, expected_columns
from thresher.learning.frames import frame
from thresher.learning.learned_report import write_report
from thresher.learning.model_file import read_model, write_model
from thresher.learning.new_rows import Remarks, conformed, require_names
from thresher.learning.whole_folder import replacing_folder
from thresher.learning.workflow import Learned
from thresher.plain_data import fields, items, json_value, one_of, text
from thresher.ranking import Flags, Floats
from thresher.results import Result
from thresher.sources.columns import Column
from thresher.version import __version__

FORMAT = "thresher/learned/1"
MODEL, DECISION, COLUMNS, PREDICTIONS, REPORT = FILES = (
    "model.skops",
    "decision.json",
    "columns.json",
    "predictions.parquet",
    "report.html",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Deployed(Result):
    """A model read back with its decision, its target's two labels (negative, positive), and what rows it takes."""

    model: Any
    decision: Decision
    expected: tuple[ExpectedColumn, ...]
    known: tuple[str, ...]
    target: str
    labels: tuple[Any, Any]

    def scored(self, data: Any, *, place: str = "the table", before: int = 0) -> tuple[Floats, Remarks]:
        """Calibrated probabilities of new rows, and what is worth telling of them; columns are checked first.

        `place` and `where` are for what is refused, and `before` is how many rows came in earlier pieces.
        """
        table = frame(data)
        require_names(list(table.columns), self.expected, place=place)
        rows, unseen, gaps = conformed(table, self.expected, before=before)
        unused = tuple(name for name in table.columns if name not in self.known)
        return np.asarray(self.model.predict_proba(rows)[:, 1]), Remarks(unseen, gaps, unused)

    def probabilities(self, data: Any) -> Floats:
        """The calibrated probability of the positive class of each row."""
        return self.scored(data)[0]

    def calls(self, data: Any) -> Flags:
        """Which rows the decision calls positive."""
        return apply(self.decision, self.probabilities(data))

    def named(self, calls: Flags) -> Column:
        """Calls in the target's own words."""
        return np.array(self.labels, dtype=object)[calls.astype(np.int64)]


def write_learned(
    found: Learned, data: Any, folder: str | Path, *, title: str | None = None, overwrite: bool = False
) -> Path:
    """Write what `learn` found in `data` as a folder, which appears whole or not at all.

    The same data, seed and versions give the same bytes in every file.

    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher.learning import learn
    >>> table = load_breast_cancer(as_frame=True).frame[["mean radius", "mean texture", "target"]]
    >>> found = learn(table, "target", models=["naive bayes"], folds=3, curves=False)
    >>> with TemporaryDirectory() as home:
    ...     place = write_learned(found, table, f"{home}/out")
    ...     bool((read_learned(place).calls(table) == found.calls(table)).all())
    True
    """
    table = frame(data)
    with replacing_folder(folder, names=FILES, overwrite=overwrite) as beside:
        write_model(found.model, beside / MODEL)
        found.decision.save(beside / DECISION)
        (beside / COLUMNS).write_text(_columns_json(found, table), encoding="utf-8")
        _write_predictions(found, table, beside / PREDICTIONS)
        write_report(found, beside / REPORT, title=title)
    return Path(folder)


def read_learned(folder: str | Path) -> Deployed:
    """Read what `write_learned` wrote; nothing in the folder is run, and unknown types in the model are refused."""
    f"read_learned({str(folder)!r})"
    require_kind(folder, (str, PathLike), name="folder", fix="give the folder that learn wrote")
    place = Path(folder)
    if not place.is_dir():
        raise ArgumentError(f"there is no folder {place}", "give the folder that learn wrote")
    absent = [name for name in (MODEL, DECISION, COLUMNS) if not (place / name).is_file()]
    if absent:
        raise ArgumentError(f"the folder {place} lacks {', '.join(absent)}", "give the whole folder that learn wrote")
    try:
        plain = fields(json_value((place / COLUMNS).read_text(encoding="utf-8"), name="Learned"), _READERS)
        negative, positive = plain["labels"]
        decision = Decision.load(place / DECISION)
    except ThresherError as error:
        raise NotationError(f"the folder {place} is damaged: {error.what}", "give what learn wrote") from None
    except ValueError as error:
        raise NotationError(f"the folder {place} is damaged: {error}", "give what learn wrote") from None
    expected, known = tuple(plain["columns"]), tuple(plain["known"])
    return Deployed(read_model(place / MODEL), decision, expected, known, plain["target"], (negative, positive))


_READERS = {
    "format": one_of([FORMAT]),
    "version": text,
    "target": text,
    "labels": items(lambda label: label),
    "known": items(text),
    "columns": items(ExpectedColumn.from_dict),
}


def _columns_json(found: Learned, table: Any) -> str:
    plain = {
        "format": FORMAT,
        "version": __version__,
        "target": found.target,
        "labels": [label.item() if isinstance(label, np.generic) else label for label in found.labels],
        "known": [str(name) for name in table.columns],
        "columns": [column.to_dict() for column in expected_columns(table, found.columns, found.split["train"])],
    }
    return json.dumps(plain, indent=2, ensure_ascii=False, default=str) + "\n"


def _write_predictions(found: Learned, table: Any, path: Path) -> None:
    """One row per scored row: out-of-fold scores of every model on training rows, then the winner's on test rows."""
    arrow = extra("pyarrow", name="files")
    parquet = extra("pyarrow.parquet", name="files")
    cv, test, winner = found.validation, found.split["test"], found.decision.model
    train = found.split["train"][cv.row]
    rows = np.concatenate([train, test])
    scores = {name: np.concatenate([column, np.full(test.size, np.nan)]) for name, column in cv.scores.items()}
    scores[winner][train.size :] = found.probabilities(table.iloc[test])
    labels = table[found.target].iloc[rows].tolist()
    columns: dict[str, Any] = {
        "row": rows,
        "part": ["train"] * train.size + ["test"] * test.size,
        "fold": arrow.array([*cv.fold.tolist(), *[None] * test.size], arrow.int32()),
        "label": arrow.array(labels),
        "positive": np.concatenate([cv.labels, np.array([label == found.positive for label in labels[train.size :]])]),
        "called": apply(found.decision, scores[winner]),
    }
    columns |= {
        f"score: {name}" if name in columns else name: arrow.array(column, from_pandas=True)
        for name, column in scores.items()
    }
    parquet.write_table(arrow.table(columns), path)
