"""How sure one may be: intervals, comparisons, resampling, and what to plan for."""

from thresher.inference.auc import auc_interval, auc_variance, hanley_mcneil_variance
from thresher.inference.interval import Interval
from thresher.inference.proportion import rate_interval
from thresher.inference.table import measure_interval, table_intervals

__all__ = [
    "Interval",
    "auc_interval",
    "auc_variance",
    "hanley_mcneil_variance",
    "measure_interval",
    "rate_interval",
    "table_intervals",
]
