"""Evaluation of k classes, whose decision is the action of least expected cost."""
