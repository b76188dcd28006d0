"""Decisions, rows and labels of watches in SQLite or PostgreSQL."""
