"""The split a measure likes best under an operating condition."""

from thresher.choices.condition import OperatingCondition
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
    "choose",
    "isometric",
    "joint_choice",
]
