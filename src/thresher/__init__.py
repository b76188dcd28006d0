"""Thresher turns classifier scores into decisions."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from thresher.version import __version__ as __version__

if TYPE_CHECKING:
    from thresher.calibration import adjust_prevalence as adjust_prevalence
    from thresher.calibration import brier as brier
    from thresher.calibration import calibration_map as calibration_map
    from thresher.calibration import decomposition as decomposition
    from thresher.calibration import ece as ece
    from thresher.calibration import log_loss as log_loss
    from thresher.calibration import losses as losses
    from thresher.calibration import reliability as reliability
    from thresher.choices import Choice as Choice
    from thresher.choices import choose as choose
    from thresher.choices import isometric as isometric
    from thresher.curves import auc as auc
    from thresher.curves import average_precision as average_precision
    from thresher.curves import brier_curve as brier_curve
    from thresher.curves import cost_curve as cost_curve
    from thresher.curves import coverage as coverage
    from thresher.curves import gain as gain
    from thresher.curves import hull as hull
    from thresher.curves import ks as ks
    from thresher.curves import lift as lift
    from thresher.curves import net_benefit as net_benefit
    from thresher.curves import pairs as pairs
    from thresher.curves import partial_auc as partial_auc
    from thresher.curves import pr_area as pr_area
    from thresher.curves import precision_recall as precision_recall
    from thresher.curves import roc as roc
    from thresher.errors import ThresherError as ThresherError
    from thresher.evaluation import Decision as Decision
    from thresher.evaluation import Evaluation as Evaluation
    from thresher.evaluation import evaluate as evaluate
    from thresher.inference import Interval as Interval
    from thresher.inference import auc_interval as auc_interval
    from thresher.inference import bootstrap as bootstrap
    from thresher.inference import bounds as bounds
    from thresher.inference import calibration_test as calibration_test
    from thresher.inference import compare as compare
    from thresher.inference import interval as interval
    from thresher.inference import intervals as intervals
    from thresher.inference import rate_interval as rate_interval
    from thresher.inputs import rank as rank
    from thresher.inputs import segment as segment
    from thresher.learning import learn as learn
    from thresher.ranking import Ranking as Ranking
    from thresher.ranking import Segments as Segments
    from thresher.report.lesson import classroom as classroom
    from thresher.sources import RankingBuilder as RankingBuilder
    from thresher.sources import scan as scan
    from thresher.tables import MEASURES as MEASURES
    from thresher.tables import ConfusionMatrix as ConfusionMatrix
    from thresher.tables import Contingency as Contingency
    from thresher.tables import CostMatrix as CostMatrix
    from thresher.tables import OperatingCondition as OperatingCondition
    from thresher.tables import confusion as confusion
    from thresher.tables import contingency as contingency
    from thresher.watching import Watch as Watch

# Where each name lies; it is imported when first used, so that importing thresher costs nothing.
_PACKAGES = {
    "errors": "ThresherError",
    "ranking": "Ranking Segments",
    "inputs": "rank segment",
    "tables": "ConfusionMatrix Contingency CostMatrix MEASURES OperatingCondition confusion contingency",
    "curves": "auc average_precision brier_curve cost_curve coverage gain hull ks lift net_benefit pairs partial_auc"
    " pr_area precision_recall roc",
    "choices": "Choice choose isometric",
    "calibration": "adjust_prevalence brier calibration_map decomposition ece log_loss losses reliability",
    "sources": "RankingBuilder scan",
    "inference": "Interval auc_interval bootstrap bounds calibration_test compare interval intervals rate_interval",
    "evaluation": "Decision Evaluation evaluate",
    "watching": "Watch",
    "report": "classroom",
    "learning": "learn",
}
_SUBPACKAGES = (*_PACKAGES, "cautions", "laboratory", "lesson", "plots")
__all__ = [name for names in (*_PACKAGES.values(), "laboratory learning lesson plots") for name in names.split()]


def __getattr__(name: str) -> Any:
    """Import a public name, or a package, when it is first used."""
    if name in _SUBPACKAGES:
        return import_module(f"thresher.{name}")
    for package, names in _PACKAGES.items():
        if name in names.split():
            globals()[name] = getattr(import_module(f"thresher.{package}"), name)
            return globals()[name]
    places = [] if name.startswith("_") else [package for package in _SUBPACKAGES if _offers(package, name)]
    hint = f"; it is thresher.{places[0]}.{name}" if places else ""
    raise AttributeError(f"module 'thresher' has no attribute {name!r}{hint}")


def _offers(package: str, name: str) -> bool:
    try:
        return name in getattr(import_module(f"thresher.{package}"), "__all__", ())
    except ImportError:  # an extra is not installed
        return False


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBPACKAGES})
