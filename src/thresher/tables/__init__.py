"""One threshold: contingency tables, their measures, confusion matrices, independence."""

from thresher.tables.confusion import confusion
from thresher.tables.confusion_matrix import ConfusionMatrix
from thresher.tables.contingency import Contingency, contingency, contingency_at, require_table
from thresher.tables.independence import ChiSquaredTest, FisherTest, chi_squared, fisher
from thresher.tables.measures import MEASURES, Measure, measure

__all__ = [
    "MEASURES",
    "ChiSquaredTest",
    "ConfusionMatrix",
    "Contingency",
    "FisherTest",
    "Measure",
    "chi_squared",
    "confusion",
    "contingency",
    "contingency_at",
    "fisher",
    "measure",
    "require_table",
]
