"""Artefacts of `learn`: model, decision, schema, scores and report."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from os import PathLike
from pathlib import Path, PurePath
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np

from thresher._internal.arguments import require_instance, require_path
from thresher._internal.atomic import replace_folder, write_file
from thresher._internal.json import fields, items, json_value, one_of, text
from thresher._internal.optional import extra
from thresher._internal.results import Result
from thresher.errors import ArgumentError, MissingExtraError, NotationError, ThresherError, located
from thresher.evaluation import Decision
from thresher.inputs.arrow import Column
from thresher.learning.data.frame import frame
from thresher.learning.data.schema import ExpectedColumn, Remarks, conform, expected_columns, require_expected_columns
from thresher.learning.learn import Learned
from thresher.learning.report import write_report
from thresher.ranking import Flags, Floats
from thresher.version import __version__

FORMAT = "thresher/learned/1"
FILES = ("model.skops", "decision.json", "columns.json", "predictions.parquet", "report.html")
MODEL, DECISION, COLUMNS, PREDICTIONS, REPORT = FILES
# Classes and functions that saved models name; they report thresher.learning as their module, so that files may move.
SAVED = (
    *("CalibratedModel", "Categories", "DateParts", "DistanceClassifier", "GroupedModel", "LeafTree", "MissingFlags"),
    *("Neighbours", "Numbers", "OneFeatureRule", "Outliers", "ScatterSelector", "TextFeatures", "ThresholdClassifier"),
    *("TreeNodes", "named_category"),
)
# What models of thresher are made of, beyond what skops itself trusts. None of them runs code from the file.
TRUSTED = frozenset(
    {
        "numpy.dtype",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.tree._tree.Tree",
        *(f"sklearn.model_selection._split.{name}" for name in ("StratifiedGroupKFold", "StratifiedKFold")),
        *(f"sklearn.neighbors.{name}" for name in ("_ball_tree.BallTree", "_kd_tree.KDTree")),
        *(f"thresher.calibration.{name}" for name in ("CalibrationMap", "LogisticCurve", "MEstimate", "Steps")),
        *(f"thresher.{name}" for name in ("cautions.Caution", "choices.Choice", "choices.Point", "ranking.Ranking")),
        *(f"thresher.tables.{name}" for name in ("Contingency", "OperatingCondition")),
        *(f"thresher.learning.{name}" for name in SAVED),
        # Candidates of other packages, which read what they wrote themselves.
        *("collections.OrderedDict", "lightgbm.basic.Booster", "lightgbm.sklearn.LGBMClassifier"),
        *("xgboost.core.Booster", "xgboost.sklearn.XGBClassifier"),
    }
)
_READERS = {
    "format": one_of([FORMAT]),
    "version": text,
    "target": text,
    "labels": items(lambda label: label),
    "known": items(text),
    "columns": items(ExpectedColumn.from_dict),
}
_SCHEMA = "schema.json"
_NO_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that the format of archives can say


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Deployed(Result):
    """A model read back, with its decision, two labels and expected columns."""

    model: Any
    decision: Decision
    expected: tuple[ExpectedColumn, ...]
    known: tuple[str, ...]
    target: str
    labels: tuple[Any, Any]

    def scored(self, data: Any, *, place: str = "the table", before: int = 0) -> tuple[Floats, Remarks]:
        """Calibrated probabilities of new rows, and remarks about them.

        Errors name the `place` of the rows and count them from `before`, the number of rows in earlier pieces.
        """
        table = frame(data)
        require_expected_columns(list(table.columns), self.expected, place=place)
        rows, unseen, gaps = conform(table, self.expected, before=before)
        unused = tuple(name for name in table.columns if name not in self.known)
        return np.asarray(self.model.predict_proba(rows)[:, 1]), Remarks(unseen, gaps, unused)

    def probabilities(self, data: Any) -> Floats:
        """The calibrated probability of the positive class of each row."""
        return self.scored(data)[0]

    def calls(self, data: Any) -> Flags:
        """Which rows the decision calls positive."""
        return self.decision.apply(self.probabilities(data))

    def named(self, calls: Flags) -> Column:
        """Calls as labels of the target."""
        return np.array(self.labels, dtype=object)[calls.astype(np.int64)]


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


def read_learned(folder: str | Path) -> Deployed:
    """Read what `write_learned` wrote; nothing is run, and unknown types are refused."""
    require_instance(folder, (str, PathLike), name="folder", fix="give the folder that learn wrote")
    require_path(folder)
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
    except ValueError as error:
        reason = error.what if isinstance(error, ThresherError) else error
        raise NotationError(f"the folder {place} is damaged: {reason}", "give what learn wrote") from None
    expected, known = tuple(plain["columns"]), tuple(plain["known"])
    return Deployed(read_model(place / MODEL), decision, expected, known, plain["target"], (negative, positive))


def write_model(model: Any, path: str | Path) -> Path:
    """Write a fitted model in skops format, atomically; equal models give equal bytes.

    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.naive_bayes import GaussianNB
    >>> with TemporaryDirectory() as folder:
    ...     file = write_model(GaussianNB().fit([[0], [1]], [0, 1]), Path(folder) / "model.skops")
    ...     read_model(file).predict([[0.9]]).tolist()
    [1]
    """
    skops = extra("skops.io", name="learn")
    write_file(path, reproducible_zip(skops.dumps(model)))
    return Path(path)


def read_model(path: str | Path, *, trusted: Sequence[str] = ()) -> Any:
    """Read what `write_model` wrote; types that are not known are refused by name.

    A model of your own types needs them in `trusted`, as "package.module.Type"; trust only files you made yourself.
    """
    skops = extra("skops.io", name="learn")
    with located(str(path)):
        require_instance(path, (str, PathLike), name="path", fix="give the path of write_model's file")
        try:
            needed = skops.get_untrusted_types(file=path)
        except FileNotFoundError:
            raise ArgumentError(f"there is no file {str(path)!r}", "check the path") from None
        except (BadZipFile, KeyError, ValueError) as error:
            raise NotationError(f"this is no model in skops format: {error}", "give write_model's file") from None
        if unknown := [name for name in needed if name not in TRUSTED and name not in trusted]:
            what = f"the file holds {len(unknown)} types that are not known to be harmless: {', '.join(unknown[:8])}"
            fix = "if you made the file yourself, name them in trusted=[...]; otherwise do not load it"
            raise ArgumentError(what, fix)
        for package in dict.fromkeys(name.partition(".")[0] for name in needed):
            if find_spec(package) is None:
                what = f"the model needs the package {package}, which is not installed"
                raise MissingExtraError(what, f"pip install {package}")
        return skops.load(path, trusted=needed)


def reproducible_zip(archive: bytes) -> bytes:
    """The same model with objects and files numbered as they come, and no times.

    skops names objects by their address in memory, files by that or at random, and dates every file.
    """
    with ZipFile(io.BytesIO(archive)) as source:
        files = {name: source.read(name) for name in source.namelist()}
    objects: dict[int, int] = {}
    names: dict[str, str] = {}

    def renumber(node: Any) -> Any:
        if isinstance(node, list):
            return [renumber(item) for item in node]
        if not isinstance(node, dict):
            return node
        result: dict[str, Any] = {}
        for key, value in node.items():
            # A model's own entry under such a key is a node, neither a number nor the name of a file.
            if key == "__id__" and isinstance(value, int):
                result[key] = objects.setdefault(value, len(objects))
            elif key == "file" and isinstance(value, str) and value in files:
                result[key] = names.setdefault(value, f"{len(names)}{PurePath(value).suffix}")
            # The address of a vectoriser's stop words when it last checked them; without it, it checks again.
            elif key != "_stop_words_id" or "stop_words" not in node:
                result[key] = renumber(value)
        return result

    schema = json.dumps(renumber(json.loads(files[_SCHEMA])), indent=2)
    made = io.BytesIO()
    with ZipFile(made, "w") as target:
        for name, new in names.items():
            target.writestr(ZipInfo(new, _NO_TIME), files[name])
        target.writestr(ZipInfo(_SCHEMA, _NO_TIME), schema)
    return made.getvalue()


def _write_predictions(learned: Learned, table: Any, path: Path) -> None:
    """Out-of-fold scores of all models, then the winner's on test rows."""
    arrow = extra("pyarrow", name="files")
    parquet = extra("pyarrow.parquet", name="files")
    cv, test, winner = learned.validation, learned.split["test"], learned.decision.model
    train = learned.split["train"][cv.row]
    rows = np.concatenate([train, test])
    scores = {name: np.concatenate([column, np.full(test.size, np.nan)]) for name, column in cv.scores.items()}
    scores[winner][train.size :] = learned.probabilities(table.iloc[test])
    labels = table[learned.target].iloc[rows]
    columns: dict[str, Any] = {
        "row": rows,
        "part": np.repeat(["train", "test"], [train.size, test.size]),
        "fold": arrow.array([*cv.fold.tolist(), *[None] * test.size], arrow.int32()),
        "label": arrow.array(labels.tolist()),
        "positive": np.concatenate([cv.labels, (labels.iloc[train.size :] == learned.positive).to_numpy(np.bool_)]),
        "called": learned.decision.apply(scores[winner]),
    }
    columns |= {
        f"score: {name}" if name in columns else name: arrow.array(column, from_pandas=True)
        for name, column in scores.items()
    }
    parquet.write_table(arrow.table(columns), path)
