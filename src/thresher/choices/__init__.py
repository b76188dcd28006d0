"""The split a measure likes best under an operating condition."""

from thresher.choices.condition import OperatingCondition
from thresher.choices.cost_bounds import best_cost_bounds, cost_bounds
from thresher.choices.isometric import Isometric, isometric
from thresher.choices.joint import JointChoice, Range, joint_choice
from thresher.choices.threshold import Choice, Point, choose

__all__ = [
    "Choice",
    "Isometric",
    "JointChoice",
    "OperatingCondition",
    "Point",
    "Range",
    "best_cost_bounds",
    "choose",
    "cost_bounds",
    "isometric",
    "joint_choice",
]
