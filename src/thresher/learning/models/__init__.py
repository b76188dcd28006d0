"""Classifiers that rank, calibrate, group and choose thresholds."""
