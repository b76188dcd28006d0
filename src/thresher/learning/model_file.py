"""Models as files: written whole or not at all, and read without running anything that is not on a list."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from thresher.errors import ArgumentError, MissingExtraError, NotationError
from thresher.extras import extra
from thresher.learning.arguments import require_kind
from thresher.learning.steady_archive import steady
from thresher.whole_files import write_whole

_LEARNING = (
    "baselines.OneFeatureRule",
    "calibrated_model.CalibratedModel",
    "category_columns.Categories",
    "category_columns.named_category",
    "date_parts.DateParts",
    "grouping.GroupedModel",
    "leaves.LeafTree",
    "linear.DistanceClassifier",
    "missing_flags.MissingFlags",
    "neighbours.Neighbours",
    "number_columns.Numbers",
    "outliers.Outliers",
    "scatter_selector.ScatterSelector",
    "text_features.TextFeatures",
    "threshold_classifier.ThresholdClassifier",
    "tree_nodes.TreeNodes",
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
        "thresher.calibration.logistic_curve.LogisticCurve",
        "thresher.calibration.map.CalibrationMap",
        "thresher.calibration.smoothing.MEstimate",
        "thresher.calibration.steps.Steps",
        "thresher.cautions.Caution",
        "thresher.choices.condition.OperatingCondition",
        "thresher.choices.threshold.Choice",
        "thresher.choices.threshold.Point",
        "thresher.ranking.ranking.Ranking",
        "thresher.tables.contingency.Contingency",
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
    write_whole(path, steady(skops.dumps(model)))
    return Path(path)


def read_model(path: str | Path, *, trusted: Sequence[str] = ()) -> Any:
    """Read what `write_model` wrote; types that are not known are refused by name.

    A model of your own types needs them in `trusted`, as "package.module.Type"; trust only files you made yourself.
    """
    f"read_model({str(path)!r})"
    require_kind(path, (str, PathLike), name="path", fix="give the path of write_model's file")
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
