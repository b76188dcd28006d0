"""Limits and alarms that stay valid at every look, from counts alone."""
