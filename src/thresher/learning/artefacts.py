"""Artefacts of `learn` as files: model, decision, schema, scores and report in one folder."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from os import PathLike
from pathlib import Path, PurePath
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np

from thresher._internal.arguments import require_instance
from thresher._internal.atomic import replace_folder, write_file
from thresher._internal.json import fields, items, json_value, one_of, text
from thresher._internal.optional import extra
from thresher._internal.results import Result
from thresher.errors import ArgumentError, MissingExtraError, NotationError, ThresherError, located
from thresher.evaluation import Decision, apply
from thresher.learning.data.frame import frame
from thresher.learning.data.schema import ExpectedColumn, Remarks, conformed, expected_columns, require_expected_columns
from thresher.learning.learn import Learned
from thresher.learning.report import write_report
from thresher.ranking import Flags, Floats
from thresher.sources.columns import Column
from thresher.version import __version__

SCHEMA = "schema.json"
# Where its stop words lay in memory when a vectoriser last looked at them; without it, it looks again.
_ADDRESS, _BESIDE = "_stop_words_id", "stop_words"
_NO_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that the format of archives can say


def steady(archive: bytes) -> bytes:
    """The same model with objects and files numbered as they come, and without the time of writing.

    skops names objects by where they lay in memory, files by that or at random, and dates every file.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skops.io import dumps
    >>> one, other = (steady(dumps(GaussianNB().fit([[0], [1]], [0, 1]))) for _ in range(2))
    >>> one == other
    True
    """
    with ZipFile(io.BytesIO(archive)) as given:
        files = {name: given.read(name) for name in given.namelist()}
    numbering = _Numbering(files)
    schema = numbering.renamed(json.loads(files[SCHEMA]))
    made = io.BytesIO()
    with ZipFile(made, "w") as whole:
        for name, new in numbering.names.items():
            whole.writestr(ZipInfo(new, _NO_TIME), files[name])
        whole.writestr(ZipInfo(SCHEMA, _NO_TIME), json.dumps(schema, indent=2))
    return made.getvalue()


class _Numbering:
    """Numbers for objects and names for files, given in the order in which a schema mentions them."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.objects: dict[int, int] = {}
        self.names: dict[str, str] = {}
        self.fresh = count()

    def renamed(self, node: Any) -> Any:
        if isinstance(node, list):
            return [self.renamed(item) for item in node]
        if not isinstance(node, dict):
            return node
        forgotten = _ADDRESS if _BESIDE in node else None
        return {key: self._value(key, value) for key, value in node.items() if key != forgotten}

    def _value(self, key: str, value: Any) -> Any:
        # What a model holds under such a key of its own is a node, neither a number nor the name of a file.
        if key == "__id__" and isinstance(value, int):
            return self.objects.setdefault(value, len(self.objects))
        if key == "file" and isinstance(value, str) and value in self.files:
            if value not in self.names:
                self.names[value] = f"{next(self.fresh)}{PurePath(value).suffix}"
            return self.names[value]
        return self.renamed(value)


# Classes and functions report their public package as their module, so that files may move.
_LEARNING = (
    "CalibratedModel",
    "Categories",
    "DateParts",
    "DistanceClassifier",
    "GroupedModel",
    "LeafTree",
    "MissingFlags",
    "Neighbours",
    "Numbers",
    "OneFeatureRule",
    "Outliers",
    "ScatterSelector",
    "TextFeatures",
    "ThresholdClassifier",
    "TreeNodes",
    "named_category",
)
# Models of other packages that the zoo takes in where they are installed; they read what they wrote themselves.
_BOOSTERS = (
    "collections.OrderedDict",
    "lightgbm.basic.Booster",
    "lightgbm.sklearn.LGBMClassifier",
    "xgboost.core.Booster",
    "xgboost.sklearn.XGBClassifier",
)
# What models of thresher are made of, beyond what skops itself trusts. None of them runs code from the file.
TRUSTED = frozenset(
    {
        "numpy.dtype",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.model_selection._split.StratifiedGroupKFold",
        "sklearn.model_selection._split.StratifiedKFold",
        "sklearn.neighbors._ball_tree.BallTree",
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.tree._tree.Tree",
        "thresher.calibration.CalibrationMap",
        "thresher.calibration.LogisticCurve",
        "thresher.calibration.MEstimate",
        "thresher.calibration.Steps",
        "thresher.cautions.Caution",
        "thresher.choices.Choice",
        "thresher.choices.Point",
        "thresher.ranking.Ranking",
        "thresher.tables.Contingency",
        "thresher.tables.OperatingCondition",
        *(f"thresher.learning.{name}" for name in _LEARNING),
        *_BOOSTERS,
    }
)


def write_model(model: Any, path: str | Path) -> Path:
    """Write a fitted model in skops format; the file appears whole or not at all, and equal models give equal bytes.

    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.naive_bayes import GaussianNB
    >>> with TemporaryDirectory() as folder:
    ...     file = write_model(GaussianNB().fit([[0], [1]], [0, 1]), Path(folder) / "model.skops")
    ...     read_model(file).predict([[0.9]]).tolist()
    [1]
    """
    skops = extra("skops.io", name="learn")
    write_file(path, steady(skops.dumps(model)))
    return Path(path)


def read_model(path: str | Path, *, trusted: Sequence[str] = ()) -> Any:
    """Read what `write_model` wrote; types that are not known are refused by name.

    A model of your own types needs them in `trusted`, as "package.module.Type"; trust only files you made yourself.
    """
    with located(str(path)):
        return _read(path, trusted)


def _read(path: str | Path, trusted: Sequence[str]) -> Any:
    require_instance(path, (str, PathLike), name="path", fix="give the path of write_model's file")
    skops = extra("skops.io", name="learn")
    try:
        needed = skops.get_untrusted_types(file=path)
    except FileNotFoundError:
        raise ArgumentError(f"there is no file {str(path)!r}", "check the path") from None
    except (BadZipFile, KeyError, ValueError) as error:
        raise NotationError(f"this is no model in skops format: {error}", "give write_model's file") from None
    unknown = [name for name in needed if name not in TRUSTED and name not in trusted]
    if unknown:
        raise ArgumentError(
            f"the file holds {len(unknown)} types that are not known to be harmless: {', '.join(unknown[:8])}",
            fix="if you made the file yourself, name them in trusted=[...]; otherwise do not load it",
        )
    for package in dict.fromkeys(name.partition(".")[0] for name in needed):
        if find_spec(package) is None:
            raise MissingExtraError(
                f"the model needs the package {package}, which is not installed", f"pip install {package}"
            )
    return skops.load(path, trusted=needed)


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
        require_expected_columns(list(table.columns), self.expected, place=place)
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
    with replace_folder(folder, names=FILES, overwrite=overwrite) as beside:
        write_model(found.model, beside / MODEL)
        found.decision.save(beside / DECISION)
        (beside / COLUMNS).write_text(_columns_json(found, table), encoding="utf-8")
        _write_predictions(found, table, beside / PREDICTIONS)
        write_report(found, beside / REPORT, title=title)
    return Path(folder)


def read_learned(folder: str | Path) -> Deployed:
    """Read what `write_learned` wrote; nothing in the folder is run, and unknown types in the model are refused."""
    require_instance(folder, (str, PathLike), name="folder", fix="give the folder that learn wrote")
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
