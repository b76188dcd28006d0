"""How sure one may be: intervals, comparisons, resampling, and what to plan for."""

from thresher.inference.anytime.allocation import allocation, expected_share, permanent_random_numbers, recall_deviation
from thresher.inference.anytime.calibration_evidence import CalibrationEvidence, calibration_evidence
from thresher.inference.anytime.class_ratio import LabelShiftTest, class_ratio_interval, label_shift_test
from thresher.inference.anytime.detector import Detector, detector
from thresher.inference.anytime.difference import difference_count_interval, weighted_share_interval
from thresher.inference.anytime.distance import Distance, StabilityIndex, distance, stability_index
from thresher.inference.anytime.drawn_count import drawn_count_interval, stream_count_interval
from thresher.inference.anytime.drift import Drift, drift, e_benjamini_hochberg
from thresher.inference.anytime.exchangeability import Exchangeability, exchangeability
from thresher.inference.anytime.ladder import (
    Step,
    covariate_shift_recall,
    label_shift_recall,
    rising_recall,
    worst_case_recall,
)
from thresher.inference.anytime.maturity import DelayTest, Maturity, arrival_weights, delay_test, maturity
from thresher.inference.anytime.mean import mean_interval, portfolio_interval
from thresher.inference.anytime.threshold import (
    AlarmBand,
    CostChange,
    alarm_band,
    class_ratio_range,
    cost_change,
    regret_interval,
)
from thresher.inference.anytime.verified import (
    VerifiedTable,
    expected_cost_interval,
    measure_interval,
    recall_interval,
    stratified_precision,
    verified_table,
)
from thresher.inference.bands.curves import Band, net_benefit_band, precision_recall_band, roc_band
from thresher.inference.bands.reliability import reliability_band
from thresher.inference.bootstrap.bootstrap import bootstrap
from thresher.inference.bootstrap.replicates import Replicates
from thresher.inference.bootstrap.statistics import BestCost, CostAt, MeasureAt, OfRanking
from thresher.inference.bounds import bounds
from thresher.inference.class_rows import ClassifiedRows, classified_rows
from thresher.inference.comparison.comparison import Comparison, compare_rankings
from thresher.inference.comparison.difference import Difference, compare_unpaired, holm
from thresher.inference.comparison.engine import compare_scan
from thresher.inference.comparison.folds import CorrelatedT, bayesian_correlated_t, corrected_t
from thresher.inference.comparison.mcnemar import McNemarTest, mcnemar
from thresher.inference.comparison.paired import compare
from thresher.inference.decision.out_of_fold import OutOfFoldCost, out_of_fold_cost
from thresher.inference.decision.stability import OutOfBagChoice, Stability, out_of_bag_choice
from thresher.inference.interval import Interval
from thresher.inference.intervals import interval, intervals
from thresher.inference.intervals.auc import (
    ClassAucIntervals,
    auc_interval,
    auc_variance,
    hanley_mcneil_variance,
)
from thresher.inference.intervals.calibration import (
    CalibrationIntervals,
    CalibrationTest,
    calibration_intervals,
    calibration_test,
)
from thresher.inference.intervals.calibration_report import CalibrationReport, calibration_report
from thresher.inference.intervals.class_calibration import ClassCalibrationTest
from thresher.inference.intervals.class_cost import CaseCosts, UnseenError
from thresher.inference.intervals.confusion import ConfusionIntervals
from thresher.inference.intervals.loss import brier_interval
from thresher.inference.intervals.rate import rate_interval
from thresher.inference.power import SampleSize, auc_power, auc_sample_size, compare_power
from thresher.inference.rows import ScoredRows

__all__ = [
    "AlarmBand",
    "Band",
    "BestCost",
    "CalibrationEvidence",
    "CalibrationIntervals",
    "CalibrationReport",
    "CalibrationTest",
    "CaseCosts",
    "ClassAucIntervals",
    "ClassCalibrationTest",
    "ClassifiedRows",
    "Comparison",
    "ConfusionIntervals",
    "CorrelatedT",
    "CostAt",
    "CostChange",
    "DelayTest",
    "Detector",
    "Difference",
    "Distance",
    "Drift",
    "Exchangeability",
    "Interval",
    "LabelShiftTest",
    "Maturity",
    "McNemarTest",
    "MeasureAt",
    "OfRanking",
    "OutOfBagChoice",
    "OutOfFoldCost",
    "Replicates",
    "SampleSize",
    "ScoredRows",
    "Stability",
    "StabilityIndex",
    "Step",
    "UnseenError",
    "VerifiedTable",
    "alarm_band",
    "allocation",
    "arrival_weights",
    "auc_interval",
    "auc_power",
    "auc_sample_size",
    "auc_variance",
    "bayesian_correlated_t",
    "bootstrap",
    "bounds",
    "brier_interval",
    "calibration_evidence",
    "calibration_intervals",
    "calibration_report",
    "calibration_test",
    "class_ratio_interval",
    "class_ratio_range",
    "classified_rows",
    "compare",
    "compare_power",
    "compare_rankings",
    "compare_scan",
    "compare_unpaired",
    "corrected_t",
    "cost_change",
    "covariate_shift_recall",
    "delay_test",
    "detector",
    "difference_count_interval",
    "distance",
    "drawn_count_interval",
    "drift",
    "e_benjamini_hochberg",
    "exchangeability",
    "expected_cost_interval",
    "expected_share",
    "hanley_mcneil_variance",
    "holm",
    "interval",
    "intervals",
    "label_shift_recall",
    "label_shift_test",
    "maturity",
    "mcnemar",
    "mean_interval",
    "measure_interval",
    "net_benefit_band",
    "out_of_bag_choice",
    "out_of_fold_cost",
    "permanent_random_numbers",
    "portfolio_interval",
    "precision_recall_band",
    "rate_interval",
    "recall_deviation",
    "recall_interval",
    "regret_interval",
    "reliability_band",
    "rising_recall",
    "roc_band",
    "stability_index",
    "stratified_precision",
    "stream_count_interval",
    "verified_table",
    "weighted_share_interval",
    "worst_case_recall",
]
