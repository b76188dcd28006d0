"""Comparison of models: paired, unpaired, by folds, in engines."""
