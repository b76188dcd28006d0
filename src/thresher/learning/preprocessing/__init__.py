"""Raw columns into numbers that a model can learn from."""
