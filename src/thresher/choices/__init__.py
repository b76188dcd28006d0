"""The split a measure likes best under an operating condition."""

from thresher._internal.optional import publish
from thresher.choices.choose import Choice, Point, choose
from thresher.choices.isometric import Isometric, isometric
from thresher.choices.joint import JointChoice, Range

__all__ = ["Choice", "Isometric", "JointChoice", "Point", "Range", "choose", "isometric"]

publish(__name__, Choice, Point)
