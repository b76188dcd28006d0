"""Limits and alarms that stay valid at every look, from counts alone."""

from thresher.inference.anytime.detector import Detector, detector
from thresher.inference.anytime.drawn_count import drawn_count_interval, stream_count_interval
from thresher.inference.anytime.maturity import DelayTest, Maturity, arrival_weights, delay_test, maturity
from thresher.inference.anytime.mean import mean_interval, portfolio_interval

__all__ = [
    "DelayTest",
    "Detector",
    "Maturity",
    "arrival_weights",
    "delay_test",
    "detector",
    "drawn_count_interval",
    "maturity",
    "mean_interval",
    "portfolio_interval",
    "stream_count_interval",
]
