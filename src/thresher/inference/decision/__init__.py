"""Decisions: what resamples, and rows left out, say of models and rules."""
