"""Limits and alarms that stay valid at every look, from counts alone."""

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

__all__ = [
    "AlarmBand",
    "CalibrationEvidence",
    "CostChange",
    "DelayTest",
    "Detector",
    "Distance",
    "Drift",
    "Exchangeability",
    "LabelShiftTest",
    "Maturity",
    "StabilityIndex",
    "Step",
    "VerifiedTable",
    "alarm_band",
    "allocation",
    "arrival_weights",
    "calibration_evidence",
    "class_ratio_interval",
    "class_ratio_range",
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
    "label_shift_recall",
    "label_shift_test",
    "maturity",
    "mean_interval",
    "measure_interval",
    "permanent_random_numbers",
    "portfolio_interval",
    "recall_deviation",
    "recall_interval",
    "regret_interval",
    "rising_recall",
    "stability_index",
    "stratified_precision",
    "stream_count_interval",
    "verified_table",
    "weighted_share_interval",
    "worst_case_recall",
]
