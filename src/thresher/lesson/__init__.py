"""The theory step by step, as data: each step has its numbers and is a sentence."""

from thresher.lesson.cases import PairStep, PoolStep, WalkStep, pairs, pool, walk
from thresher.lesson.costs import CostStep, costs
from thresher.lesson.points import PointStep, points
from thresher.lesson.probabilities import CalibrationStep, LossStep, calibration, losses
from thresher.lesson.step import MOST_SEGMENTS, ClassNames, Step, require_lesson

__all__ = [
    "MOST_SEGMENTS",
    "CalibrationStep",
    "ClassNames",
    "CostStep",
    "LossStep",
    "PairStep",
    "PointStep",
    "PoolStep",
    "Step",
    "WalkStep",
    "calibration",
    "costs",
    "losses",
    "pairs",
    "points",
    "pool",
    "require_lesson",
    "walk",
]
