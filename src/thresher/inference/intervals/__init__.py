"""Intervals for one number: rates, costs, AUC, calibration, confusion matrices."""
