"""The Brier score as calibration loss plus refinement loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from thresher._internal.arguments import require_one_of
from thresher._internal.results import Result
from thresher.calibration.scores import brier
from thresher.cautions import Caution
from thresher.curves import hull_splits
from thresher.ranking import Counts, Ranking, require_ranking

Over: TypeAlias = Literal["exact", "hull"]


@dataclass(frozen=True, slots=True, repr=False)
class Decomposition(Result):
    """The parts of a Brier score.

    brier = calibration + refinement, over the segments named by `bins`;
    brier = miscalibration - discrimination + uncertainty (CORP), always over the hull's pools.
    """

    brier: float
    calibration: float
    refinement: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    bins: Over
    cautions: tuple[Caution, ...] = ()

    def __str__(self) -> str:
        over = "exact segments" if self.bins == "exact" else "the hull's pools"
        parts = f"{self.calibration:.4f} calibration + {self.refinement:.4f} refinement"
        return f"Brier {self.brier:.4f} = {parts} (over {over})"


def decomposition(ranking: Ranking, *, bins: Over = "exact") -> Decomposition:
    """Split the Brier score into calibration and refinement loss, and by CORP.

    Over "exact" segments, with n cases at score p of which a share ṗ is positive,

        calibration = Σ n (p - ṗ)² / N,  refinement = Σ n ṗ (1 - ṗ) / N.

    With every score distinct that degenerates: each segment is pure, refinement is 0 and all loss is calibration loss
    (a caution says so). Over the "hull" neighbours are pooled until ṗ falls with the score. A pool holds several
    scores, so refinement is Σ n ṗ (1 - ṗ) / N over pools and calibration is the rest, brier - refinement: what the best
    monotone map of the scores would save. It cannot be negative, and it is CORP's miscalibration.

    CORP (Dimitriadis, Gneiting & Jordan 2021): with S the Brier score, S_hull that of the pools' proportions and S_mean
    that of the prevalence, miscalibration is S - S_hull, discrimination S_mean - S_hull and uncertainty S_mean.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[4/5, 2/3, 1/3])
    >>> print(decomposition(spam_tree))
    Brier 0.2067 = 0.0000 calibration + 0.2067 refinement (over exact segments)
    >>> from thresher import rank
    >>> emails = rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> print(decomposition(emails, bins="hull"))
    Brier 0.1934 = 0.0601 calibration + 0.1333 refinement (over the hull's pools)
    """
    require_one_of(bins, get_args(Over), name="bins")
    require_ranking(ranking, both_classes=True, probabilities=True)
    total = brier(ranking)
    pooled = _refinement(*ranking.runs(hull_splits(ranking, pool="ties"))) / ranking.total
    miscalibration = max(0.0, total - pooled)  # never below 0 but for rounding
    uncertainty = ranking.prevalence * float(ranking.Neg / ranking.total)
    cautions: tuple[Caution, ...] = ()
    if bins == "hull":
        calibration, refinement = miscalibration, pooled
    elif not np.logical_and(*ranking.narrow).any():  # every segment is pure
        calibration, refinement = total, 0.0
        if len(ranking) == ranking.total:
            cautions = (Caution("distinct-scores", 'refinement is 0 by construction; bins="hull" pools them'),)
    else:
        cases = np.add(ranking.pos, ranking.neg, dtype=np.float64)
        # n (p - ṗ)² = (n p - pos)² / n
        calibration = float(((ranking.score * cases - ranking.pos) ** 2 / cases).sum() / ranking.total)
        refinement = _refinement(ranking.pos, ranking.neg) / ranking.total
    return Decomposition(
        brier=total,
        calibration=calibration,
        refinement=refinement,
        miscalibration=miscalibration,
        discrimination=max(0.0, uncertainty - pooled),
        uncertainty=uncertainty,
        bins=bins,
        cautions=cautions,
    )


def _refinement(pos: Counts, neg: Counts) -> float:
    return float((np.multiply(pos, neg, dtype=np.float64) / (pos + neg)).sum())
