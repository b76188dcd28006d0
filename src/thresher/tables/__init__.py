"""One threshold: contingency tables, measures, confusion matrices."""

from thresher._internal.optional import publish
from thresher.tables.condition import OperatingCondition
from thresher.tables.confusion import ConfusionMatrix, confusion
from thresher.tables.contingency import Contingency, contingency, contingency_at, require_table
from thresher.tables.costs import CostMatrix, read_costs
from thresher.tables.independence import ChiSquaredTest, FisherTest, chi_squared, fisher
from thresher.tables.matrix_measures import MATRIX_MEASURES
from thresher.tables.measures import MEASURES, Measure, measure
from thresher.tables.quantities import MODEL_NUMBERS, Limit, ModelNumber, Quantity, limits_of, quantity, refusal

__all__ = [
    "MATRIX_MEASURES",
    "MEASURES",
    "MODEL_NUMBERS",
    "ChiSquaredTest",
    "ConfusionMatrix",
    "Contingency",
    "CostMatrix",
    "FisherTest",
    "Limit",
    "Measure",
    "ModelNumber",
    "OperatingCondition",
    "Quantity",
    "chi_squared",
    "confusion",
    "contingency",
    "contingency_at",
    "fisher",
    "limits_of",
    "measure",
    "quantity",
    "read_costs",
    "refusal",
    "require_table",
]

publish(__name__, Contingency, CostMatrix, OperatingCondition)
