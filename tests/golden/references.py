"""Reference values at the end of `traps.md`: recomputed there, safe to use as tests.

Only those of rankings, tables, areas and precision-recall; Brier and DeLong values are tested in
their own rooms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import thresher as th


@dataclass(frozen=True)
class Reference:
    source: str
    ranking: th.Ranking
    auc: float | None = None
    average_precision: float | None = None
    pr_area: float | None = None
    digits: float = 1e-14  # relative tolerance: how many digits the source gives


_FAWCETT_SCORES = [
    *(0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505),
    *(0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.30, 0.1),
]
FAWCETT = th.rank([letter == "p" for letter in "ppnpppnnpnpnpnnnpnpn"], _FAWCETT_SCORES)
P10N10 = th.rank(
    [1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0],
    [20, 19, 18, 17, 16, 15, 14, 14, 14, 14, 14, 14, 8, 7, 6, 5, 5, 5, 5, 5],
)
_WEIGHTED = ([0, 1, 0, 0, 1, 1, 1], [0.1, 0.1, 0.4, 0.6, 0.6, 0.6, 0.8])

REFERENCES: dict[str, Reference] = {
    "20 instances": Reference(
        "input from Fawcett 2006, values recomputed",
        FAWCETT,
        auc=0.68,
        average_precision=0.7357475805927818,
        pr_area=0.7200447488921962,
    ),
    "P10N10": Reference(
        "recomputed; the trapezoid would give 0.7452: wrong",
        P10N10,
        auc=0.72,
        average_precision=0.7265384615384616,
        pr_area=0.7397714386319413,
    ),
    "weighted, weights left out": Reference("recomputed", th.rank(*_WEIGHTED), auc=0.7083333, digits=1e-6),
    "weighted": Reference(
        "recomputed", th.rank(*_WEIGHTED, weights=[1, 0.4, 0.2, 0.6, 0.9, 0.5, 0.7]), auc=0.7911111, digits=1e-6
    ),
    "CT ratings": Reference(
        "Hanley & McNeil 1982: ratings 1-5, normal 33 6 6 11 2, abnormal 3 2 2 11 33",
        th.Ranking([1, 2, 3, 4, 5], pos=[3, 2, 2, 11, 33], neg=[33, 6, 6, 11, 2]),
        auc=0.893171,
        digits=1e-6,
    ),
    "constant score": Reference("area = prevalence", th.Ranking.parse("[3+,17-]"), auc=0.5, pr_area=0.15),
    "worst ranking, balanced": Reference(
        "1 - ln 2 for balanced classes", th.Ranking.parse("[40-][40+]"), auc=0.0, pr_area=1 - math.log(2)
    ),
}

# PR interpolation between (tp 5, fp 5) and (tp 10, fp 30) with 20 positives (Davis & Goadrich 2006)
INTERPOLATED = th.Ranking.parse("[5+,5-][5+,25-][10+,970-]")
INTERPOLATED_RECALL = [0.25, 0.30, 0.35, 0.40, 0.45, 0.50]
INTERPOLATED_PRECISION = ["0.5000", "0.3750", "0.3182", "0.2857", "0.2647", "0.2500"]

MCC_TABLE = th.Contingency(tp=90, fp=4, tn=1, fn=5)
MCC = 0.13524203070138519
