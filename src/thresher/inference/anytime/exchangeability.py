"""Whether cohorts could have come in any order: a test martingale over cohorts.

Each cohort is compared with all earlier ones together. Given the cells of both, every way to tell which rows are the
cohort's is equally likely where rows are exchangeable, so the rank of the observed distance among random ways is
uniform whatever those cells are, hence independent of all earlier ranks (Vovk, Gammerman & Shafer 2005, in batches).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_integer, require_seed
from thresher._internal.results import Tabular
from thresher.errors import ArgumentError
from thresher.ranking import Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Exchangeability(Tabular):
    """The p-value of each cohort against all before it, and the evidence by then.

    `log_path` is the natural logarithm of the evidence; it exceeds log 1/α for any cohort with a probability of at most
    α where rows are exchangeable. The first cohort has nothing before it, and the p-value 1.
    """

    p_value: Floats
    log_path: Floats

    @property
    def evidence(self) -> float:
        """Evidence by the last cohort."""
        return math.exp(min(float(self.log_path[-1]), 700.0))

    def _brief(self) -> str:
        return f"evidence {self.evidence:.4g} after {self.p_value.size} cohorts"


def exchangeability(counts: npt.ArrayLike, *, replicates: int = 999, seed: int = 0) -> Exchangeability:
    """Evidence that rows of different cohorts differ, from counts per cohort and cell.

    Cells are ordered. It has no tolerance: with many rows any difference is one. Ties between ranks are broken at
    random, and each p-value p is worth (1 - p + p log p) / (p log² p).

    >>> same, moved = [50, 50, 50, 50], [25, 35, 65, 75]
    >>> exchangeability([same] * 6)
    Exchangeability(evidence 0.03125 after 6 cohorts)
    >>> exchangeability([same] * 3 + [moved] * 2).evidence > 20
    True
    """
    require_integer(replicates, name="replicates", least=19, fix="e.g. 999")
    table = numbers_of(counts, name="counts", dimensions=2)
    if not table.size or not (np.isfinite(table) & (table >= 0) & (np.mod(table, 1) == 0)).all():
        what = "rows of cohorts are counted in whole numbers"
        raise ArgumentError(what, "give a row of counts per cohort", parameter="counts")
    rng = np.random.default_rng(require_seed(seed))
    rows = table.astype(np.int64)
    p_value, log_worth = np.ones(len(table)), np.zeros(len(table))
    before = np.zeros(table.shape[1], dtype=np.int64)
    for place, cohort in enumerate(rows):
        if before.sum() and cohort.sum():
            merged = before + cohort
            others = rng.multivariate_hypergeometric(merged, int(cohort.sum()), replicates)
            gaps = _gap(others, merged)
            observed = _gap(cohort[None], merged)[0]
            further, level = (gaps > observed + 1e-12).sum(), (np.abs(gaps - observed) <= 1e-12).sum()
            p_value[place] = (1 + further + rng.integers(0, level + 1)) / (1 + replicates)
            log_worth[place] = _log_worth(float(p_value[place]))
        before += cohort
    return Exchangeability(p_value, np.cumsum(log_worth))


def _gap(cohort: npt.NDArray[np.int64], merged: npt.NDArray[np.int64]) -> Floats:
    """The greatest distance of cumulative shares, of cohorts in rows."""
    shares = np.cumsum(cohort, axis=1) / cohort.sum(axis=1, keepdims=True)
    gap: Floats = np.abs(shares - np.cumsum(merged) / merged.sum()).max(axis=1)
    return gap


def _log_worth(p: float) -> float:
    """Logarithm of the mean of ε p^(ε - 1) over ε in [0, 1]; ½ at p = 1."""
    if p == 1:
        return math.log(0.5)
    log = math.log(p)
    return math.log((1 - p + p * log) / (p * log * log))
