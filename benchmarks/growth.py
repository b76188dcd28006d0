"""Time of one sort and of one ranking at one size, JSON out."""

from __future__ import annotations

import json
import sys

import numpy as np

import thresher as th
from benchmarks.core import data
from benchmarks.timing import seconds

if __name__ == "__main__":
    labels, scores, _ = data("float64 distinct", int(sys.argv[1]))
    print(
        json.dumps(
            {
                "sort": seconds(lambda: np.sort(scores), repeat=5),
                "rank": seconds(lambda: th.rank(labels, scores), repeat=5),
            }
        )
    )
