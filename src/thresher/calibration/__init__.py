"""Scores as probabilities: smoothing, losses, decomposition, reliability and maps."""

from thresher._internal.optional import publish
from thresher.calibration import losses
from thresher.calibration.decomposition import Decomposition, decomposition
from thresher.calibration.maps.logistic import LogisticCurve
from thresher.calibration.maps.map import CalibrationMap, calibration_map
from thresher.calibration.maps.steps import Steps
from thresher.calibration.prevalence import adjust_prevalence, recalibrate
from thresher.calibration.reliability import CalibrationGap, Reliability, ece, reliability
from thresher.calibration.scores import (
    LogLoss,
    brier,
    log_loss,
    log_losses,
    squared_error,
    squared_losses,
)
from thresher.calibration.smoothing import MEstimate, Smoothed, laplace, m_estimate, smooth

__all__ = [
    "CalibrationGap",
    "CalibrationMap",
    "Decomposition",
    "LogLoss",
    "LogisticCurve",
    "MEstimate",
    "Reliability",
    "Smoothed",
    "Steps",
    "adjust_prevalence",
    "brier",
    "calibration_map",
    "decomposition",
    "ece",
    "laplace",
    "log_loss",
    "log_losses",
    "losses",
    "m_estimate",
    "recalibrate",
    "reliability",
    "smooth",
    "squared_error",
    "squared_losses",
]

publish(__name__, CalibrationMap, LogisticCurve, MEstimate, Steps)
