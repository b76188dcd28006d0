"""Ratios against peers, measured in one run on the same data and machine."""
