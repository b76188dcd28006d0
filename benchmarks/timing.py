"""How long a call takes and how much memory it asks for, and its result."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable


def seconds(call: Callable[[], object], *, repeat: int = 3) -> float:
    """The best wall time of `repeat` runs: the one least disturbed by other work on the machine."""
    best = float("inf")
    for _ in range(repeat):
        gc.collect()
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def peak_bytes(call: Callable[[], object]) -> int:
    """The most memory a call held at once on top of what was there; NumPy reports its arrays."""
    gc.collect()
    tracemalloc.start()
    result = call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del result
    return peak
