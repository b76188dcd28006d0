"""How sure one may be: intervals, comparisons, resampling, and what to plan for."""

from thresher.inference.auc import auc_interval, auc_variance, hanley_mcneil_variance
from thresher.inference.band import Band
from thresher.inference.bands import net_benefit_band, precision_recall_band, roc_band
from thresher.inference.bootstrap import bootstrap
from thresher.inference.calibration import (
    CalibrationIntervals,
    CalibrationTest,
    calibration_intervals,
    calibration_test,
)
from thresher.inference.class_comparison import compare_classes
from thresher.inference.comparison import compare
from thresher.inference.cost import brier_interval, cost_interval
from thresher.inference.difference import Difference, holm
from thresher.inference.folds import CorrelatedT, bayesian_correlated_t, corrected_t
from thresher.inference.honest import HonestChoice, honest_choice
from thresher.inference.interval import Interval
from thresher.inference.matrix import ConfusionIntervals, confusion_intervals
from thresher.inference.mcnemar import McNemarTest, mcnemar
from thresher.inference.multiclass import MulticlassIntervals, multiclass_auc_interval
from thresher.inference.pairwise import Comparison
from thresher.inference.placements import row_auc_interval
from thresher.inference.power import SampleSize, auc_power, auc_sample_size, compare_power
from thresher.inference.proportion import rate_interval
from thresher.inference.reliability_bands import reliability_band
from thresher.inference.replicates import Replicates
from thresher.inference.rows import Rows
from thresher.inference.scanned_comparison import compare_scan
from thresher.inference.stability import Stability
from thresher.inference.statistic import OfRanking
from thresher.inference.table import measure_interval, table_intervals
from thresher.inference.threshold_statistics import BestCost, CostAt, MeasureAt
from thresher.inference.unpaired import compare_unpaired

__all__ = [
    "Band",
    "BestCost",
    "CalibrationIntervals",
    "CalibrationTest",
    "Comparison",
    "ConfusionIntervals",
    "CorrelatedT",
    "CostAt",
    "Difference",
    "HonestChoice",
    "Interval",
    "McNemarTest",
    "MeasureAt",
    "MulticlassIntervals",
    "OfRanking",
    "Replicates",
    "Rows",
    "SampleSize",
    "Stability",
    "auc_interval",
    "auc_power",
    "auc_sample_size",
    "auc_variance",
    "bayesian_correlated_t",
    "bootstrap",
    "brier_interval",
    "calibration_intervals",
    "calibration_test",
    "compare",
    "compare_classes",
    "compare_power",
    "compare_scan",
    "compare_unpaired",
    "confusion_intervals",
    "corrected_t",
    "cost_interval",
    "hanley_mcneil_variance",
    "holm",
    "honest_choice",
    "mcnemar",
    "measure_interval",
    "multiclass_auc_interval",
    "net_benefit_band",
    "precision_recall_band",
    "rate_interval",
    "reliability_band",
    "roc_band",
    "row_auc_interval",
    "table_intervals",
]
