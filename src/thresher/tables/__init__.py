"""One threshold: contingency tables, their measures, confusion matrices, independence."""

from thresher.tables.contingency import Contingency, contingency, contingency_at
from thresher.tables.measures import MEASURES, Measure, measure

__all__ = ["MEASURES", "Contingency", "Measure", "contingency", "contingency_at", "measure"]
