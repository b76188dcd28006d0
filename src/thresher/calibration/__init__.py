"""Scores as probabilities: smoothing, losses, decomposition, reliability and maps."""

from thresher._internal.optional import publish
from thresher.calibration import losses
from thresher.calibration.calibration_error import CalibrationGap, ece
from thresher.calibration.decomposition import ClassDecomposition, Decomposition, decomposition
from thresher.calibration.kernel import KernelError, skce
from thresher.calibration.maps.crossfit import Candidate
from thresher.calibration.maps.logistic import LogisticCurve
from thresher.calibration.maps.map import CalibrationMap, Losses, calibration_map
from thresher.calibration.maps.steps import Steps
from thresher.calibration.maps.vectors import LogLinear, OneVsRest
from thresher.calibration.prevalence import adjust_prevalence, recalibrate
from thresher.calibration.reliability import ClassReliability, Reliability, reliability, top_label
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
    "Candidate",
    "ClassDecomposition",
    "ClassReliability",
    "Decomposition",
    "KernelError",
    "LogLinear",
    "LogLoss",
    "LogisticCurve",
    "Losses",
    "MEstimate",
    "OneVsRest",
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
    "skce",
    "smooth",
    "squared_error",
    "squared_losses",
    "top_label",
]

publish(__name__, CalibrationMap, Candidate, LogLinear, LogisticCurve, Losses, MEstimate, OneVsRest, Steps)
