"""The split a measure likes best under an operating condition."""

from thresher._internal.optional import publish
from thresher.choices.choose import Choice, Point, choose
from thresher.choices.cost_bounds import best_cost_bounds, cost_bounds
from thresher.choices.isometric import Isometric, isometric
from thresher.choices.joint import JointChoice, Range, joint_choice

__all__ = [
    "Choice",
    "Isometric",
    "JointChoice",
    "Point",
    "Range",
    "best_cost_bounds",
    "choose",
    "cost_bounds",
    "isometric",
    "joint_choice",
]

publish(__name__, Choice, Point)
