"""Streams whose running mean is known, and how often limits ever leave it out."""

import numpy as np
from scipy.special import ndtri

from thresher.inference.anytime.mixture import log_evidence, nodes


def labels(world, *, runs, n, seed):
    """Labels, and the mean of each given the past: two arrays of runs × n."""
    rng = np.random.default_rng(seed)
    uniform = rng.random((runs, n))
    row = np.arange(n)
    if world.startswith("p = "):
        mean = np.full((runs, n), float(world[4:]))
    elif world == "blocks":
        mean = np.broadcast_to(np.where((row // 100) % 2 == 0, 0.95, 0.5), (runs, n))
    elif world == "drop":
        mean = np.broadcast_to(np.where(row < n // 2, 0.95, 0.5), (runs, n))
    else:
        return _adversary(uniform, chase=world == "past decides")
    return (uniform < mean).astype(float), mean


def _adversary(uniform, *, chase):
    """The next mean depends on the labels so far: it runs after their average, or away from it."""
    runs, n = uniform.shape
    values, mean = np.empty((runs, n)), np.empty((runs, n))
    excess = np.zeros(runs)
    for i in range(n):
        ahead = excess > 0
        mean[:, i] = np.where(ahead, 0.9, 0.1) if chase else np.where(ahead, 0.02, 0.5)
        values[:, i] = uniform[:, i] < mean[:, i]
        excess += values[:, i] - mean[:, i]
    return values, mean


def ever_outside(stream, *, every=1, level=0.95, intrinsic_time=50):
    """Share of runs in which the running mean is outside at some look."""
    values, mean = stream
    n = np.arange(1, values.shape[1] + 1)
    total, truth = np.cumsum(values, axis=1), np.cumsum(mean, axis=1) / n
    look = slice(every - 1, None, every)
    total, truth, n = total[:, look], truth[:, look], n[look]
    grid = nodes(level, intrinsic_time)
    outside = np.zeros(len(values), dtype=bool)
    for column in range(n.size):
        s, m = total[:, column], np.clip(truth[:, column], 0, 1)
        outside |= log_evidence(s, s, n[column], m, grid) >= -np.log1p(-level)
    z = ndtri((1 + level) / 2)
    share = total / n
    far = np.abs(share - truth) > z * np.sqrt(truth * (1 - truth) / n) + 1e-12  # Wilson's score test
    return {"anytime": outside.mean(), "wilson": far.any(axis=1).mean()}
