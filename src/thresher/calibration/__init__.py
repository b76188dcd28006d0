"""Scores as probabilities: smoothing, losses, decomposition, reliability and maps."""
