"""The split a measure likes best under an operating condition."""
