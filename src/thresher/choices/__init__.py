"""The split a measure likes best under an operating condition."""

from thresher._internal.optional import publish
from thresher.choices.choose import Choice, Point, choose
from thresher.choices.isometric import Isometric, isometric, read_accuracy
from thresher.choices.joint import JointChoice, Range
from thresher.choices.least_cost import ClassChoice
from thresher.choices.points import TableChoice

__all__ = [
    "Choice",
    "ClassChoice",
    "Isometric",
    "JointChoice",
    "Point",
    "Range",
    "TableChoice",
    "choose",
    "isometric",
    "read_accuracy",
]

publish(__name__, Choice, Point)
