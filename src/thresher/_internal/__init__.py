"""Plumbing without domain knowledge."""
