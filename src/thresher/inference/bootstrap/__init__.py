"""Resampling: draws, statistics, replicates and their limits."""
