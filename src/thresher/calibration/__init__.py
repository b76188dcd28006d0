"""Scores as probabilities: smoothing, losses, decomposition, reliability and maps."""

from thresher.calibration import losses
from thresher.calibration.brier import brier, brier_multiclass, squared_error
from thresher.calibration.calibration_error import CalibrationGap, ece
from thresher.calibration.decomposition import Decomposition, decomposition
from thresher.calibration.log_loss import LogLoss, log_loss, log_loss_multiclass
from thresher.calibration.loss_bounds import brier_bounds, log_loss_bounds
from thresher.calibration.map import CalibrationMap, calibration_map
from thresher.calibration.prior import adjust_prevalence
from thresher.calibration.recalibration import recalibrated
from thresher.calibration.reliability import Reliability, reliability
from thresher.calibration.smoothing import MEstimate, Smoothed, laplace, m_estimate, smoothed

__all__ = [
    "CalibrationGap",
    "CalibrationMap",
    "Decomposition",
    "LogLoss",
    "MEstimate",
    "Reliability",
    "Smoothed",
    "adjust_prevalence",
    "brier",
    "brier_bounds",
    "brier_multiclass",
    "calibration_map",
    "decomposition",
    "ece",
    "laplace",
    "log_loss",
    "log_loss_bounds",
    "log_loss_multiclass",
    "losses",
    "m_estimate",
    "recalibrated",
    "reliability",
    "smoothed",
    "squared_error",
]
