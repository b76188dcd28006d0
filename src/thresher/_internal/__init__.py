"""Plumbing without domain knowledge; nothing here is public."""
