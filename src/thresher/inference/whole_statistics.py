"""What a bootstrap computes on a whole ranking: AUC, Brier score, and its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from thresher.inference.auc import auc_variance
from thresher.inference.pooling import pooled_impurity
from thresher.inference.resampled import Parts, Resampled
from thresher.ranking import Floats, Ranking

_FITS_INT64 = 2**62


@dataclass(frozen=True, slots=True)
class Auc:
    """The area under the ROC curve, as `auc`.

    >>> Auc().names
    ('auc',)
    """

    names: ClassVar[tuple[str, ...]] = ("auc",)
    depends_on_mix: ClassVar[bool] = False
    smooth: ClassVar[bool] = True

    @property
    def variance(self) -> Callable[[Ranking], float]:
        """DeLong's."""
        return auc_variance

    def require(self, ranking: Ranking) -> None:
        """Nothing beyond both classes."""

    def parts(self, drawn: Resampled) -> Parts:
        """Twice the pairs lost plus those tied, and the class totals."""
        pairs, most = (float(np.max(counts)) * float(np.max(drawn.Neg)) for counts in (drawn.Pos, drawn.pos))
        pos = drawn.pos if pairs < _FITS_INT64 else drawn.pos.astype(np.float64)
        if pos.dtype == np.int32 and most > np.iinfo(np.int32).max:
            pos = pos.astype(np.int64)
        lost = (pos * drawn.fp_upto).sum(axis=-1)
        shared = drawn.fp_above is not drawn.fp_upto
        return lost + ((pos * drawn.fp_above).sum(axis=-1) if shared else lost), drawn.Pos, drawn.Neg

    def values(self, parts: Floats) -> Floats:
        """The share of pairs won, a tie counting half."""
        lost, Pos, Neg = parts
        pairs = 2 * Pos * Neg
        return np.clip(_ratio(pairs - lost, pairs), 0.0, 1.0)[np.newaxis]


@dataclass(frozen=True, slots=True)
class Brier:
    """The Brier score, as `brier`; scores must be probabilities.

    >>> Brier().names
    ('brier',)
    """

    names: ClassVar[tuple[str, ...]] = ("brier",)
    depends_on_mix: ClassVar[bool] = True
    smooth: ClassVar[bool] = True
    variance: ClassVar[None] = None

    def require(self, ranking: Ranking) -> None:
        """Probabilities."""
        ranking.require_probabilities()

    def parts(self, drawn: Resampled) -> Parts:
        """The sum of squared errors and the class totals."""
        return squared_error_sum(drawn), drawn.Pos, drawn.Neg

    def values(self, parts: Floats) -> Floats:
        """The mean squared error."""
        return _ratio(parts[0], parts[1] + parts[2])[np.newaxis]


@dataclass(frozen=True, slots=True)
class Decomposed:
    """Calibration and refinement loss over the hull's pools, as `decomposition(..., segments="hull")`.

    Both are biased in small samples, and resamples double the bias: see `calibration_interval`.

    >>> Decomposed().names
    ('miscalibration', 'discrimination', 'refinement')
    """

    names: ClassVar[tuple[str, ...]] = ("miscalibration", "discrimination", "refinement")
    depends_on_mix: ClassVar[bool] = True
    smooth: ClassVar[bool] = True
    variance: ClassVar[None] = None

    def require(self, ranking: Ranking) -> None:
        """Probabilities."""
        ranking.require_probabilities()

    def parts(self, drawn: Resampled) -> Parts:
        """The sum of squared errors, the impurity of the pools, and the class totals."""
        impurity = [pooled_impurity(*one.by_segment()) for one in drawn.each()]
        return squared_error_sum(drawn), np.reshape(impurity, np.shape(drawn.Pos)), drawn.Pos, drawn.Neg

    def values(self, parts: Floats) -> Floats:
        """Losses per case."""
        squares, impurity, Pos, Neg = parts
        total = Pos + Neg
        brier, refinement, uncertainty = _ratio(squares, total), _ratio(impurity, total), _ratio(Pos * Neg, total**2)
        return np.stack([np.maximum(0.0, brier - refinement), np.maximum(0.0, uncertainty - refinement), refinement])


def squared_error_sum(drawn: Resampled) -> Any:
    """The sum of (p - y)² over the cases drawn."""
    standing = drawn.standing
    of_pos, of_neg = 1 - standing.score[standing.pos.segment], standing.score[standing.neg.segment]
    return (of_pos**2 * drawn.pos).sum(axis=-1) + (of_neg**2 * drawn.neg).sum(axis=-1)


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)
