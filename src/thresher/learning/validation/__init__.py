"""Folds, cross-validation, scoring, learning curves."""
