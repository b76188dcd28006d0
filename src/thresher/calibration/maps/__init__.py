"""Maps from scores to probabilities: steps, logistic curves, and their fits."""
