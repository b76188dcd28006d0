"""Worlds of known truth: draw rows from them and see what a method makes of them."""

from thresher.laboratory.cells import Cells
from thresher.laboratory.coverage import coverage
from thresher.laboratory.gaussians import Gaussians
from thresher.laboratory.sample import Sample
from thresher.laboratory.scores import Scores
from thresher.laboratory.stream import Stream

__all__ = ["Cells", "Gaussians", "Sample", "Scores", "Stream", "coverage"]
