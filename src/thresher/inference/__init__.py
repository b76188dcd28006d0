"""How sure one may be: intervals, comparisons, resampling, and what to plan for."""

from thresher.inference.anytime import (
    DelayTest,
    Detector,
    Maturity,
    arrival_weights,
    delay_test,
    detector,
    drawn_count_interval,
    maturity,
    mean_interval,
    portfolio_interval,
    stream_count_interval,
)
from thresher.inference.bands import Band, net_benefit_band, precision_recall_band, roc_band
from thresher.inference.bootstrap.bootstrap import bootstrap
from thresher.inference.bootstrap.replicates import Replicates
from thresher.inference.bootstrap.statistics import BestCost, CostAt, MeasureAt, OfRanking
from thresher.inference.bounds import bounds
from thresher.inference.class_calibration import ClassCalibrationTest
from thresher.inference.comparison.classes import compare_classes
from thresher.inference.comparison.comparison import Comparison, compare_rankings
from thresher.inference.comparison.difference import Difference, compare_unpaired, holm
from thresher.inference.comparison.engine import compare_scan
from thresher.inference.comparison.folds import CorrelatedT, bayesian_correlated_t, corrected_t
from thresher.inference.comparison.mcnemar import McNemarTest, mcnemar
from thresher.inference.comparison.paired import compare
from thresher.inference.decision import OutOfBagChoice, Stability, out_of_bag_choice
from thresher.inference.interval import Interval
from thresher.inference.intervals import interval, intervals
from thresher.inference.intervals.auc import (
    ClassAucIntervals,
    auc_interval,
    auc_variance,
    class_auc_interval,
    hanley_mcneil_variance,
)
from thresher.inference.intervals.calibration import (
    CalibrationIntervals,
    CalibrationTest,
    calibration_intervals,
    calibration_test,
)
from thresher.inference.intervals.calibration_report import CalibrationReport, calibration_report
from thresher.inference.intervals.class_cost import CaseCosts, UnseenError
from thresher.inference.intervals.confusion import ConfusionIntervals
from thresher.inference.intervals.loss import brier_interval
from thresher.inference.intervals.rate import rate_interval
from thresher.inference.power import SampleSize, auc_power, auc_sample_size, compare_power
from thresher.inference.reliability_band import reliability_band
from thresher.inference.rows import ScoredRows

__all__ = [
    "Band",
    "BestCost",
    "CalibrationIntervals",
    "CalibrationReport",
    "CalibrationTest",
    "CaseCosts",
    "ClassAucIntervals",
    "ClassCalibrationTest",
    "Comparison",
    "ConfusionIntervals",
    "CorrelatedT",
    "CostAt",
    "DelayTest",
    "Detector",
    "Difference",
    "Interval",
    "Maturity",
    "McNemarTest",
    "MeasureAt",
    "OfRanking",
    "OutOfBagChoice",
    "Replicates",
    "SampleSize",
    "ScoredRows",
    "Stability",
    "UnseenError",
    "arrival_weights",
    "auc_interval",
    "auc_power",
    "auc_sample_size",
    "auc_variance",
    "bayesian_correlated_t",
    "bootstrap",
    "bounds",
    "brier_interval",
    "calibration_intervals",
    "calibration_report",
    "calibration_test",
    "class_auc_interval",
    "compare",
    "compare_classes",
    "compare_power",
    "compare_rankings",
    "compare_scan",
    "compare_unpaired",
    "corrected_t",
    "delay_test",
    "detector",
    "drawn_count_interval",
    "hanley_mcneil_variance",
    "holm",
    "interval",
    "intervals",
    "maturity",
    "mcnemar",
    "mean_interval",
    "net_benefit_band",
    "out_of_bag_choice",
    "portfolio_interval",
    "precision_recall_band",
    "rate_interval",
    "reliability_band",
    "roc_band",
    "stream_count_interval",
]
