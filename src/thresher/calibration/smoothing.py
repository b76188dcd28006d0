"""Probabilities from counts, smoothed so that few cases never give 0 or 1."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import as_number, as_numbers
from thresher._internal.results import Tabular
from thresher._internal.text import count_text
from thresher.calibration.scores import plain_array
from thresher.cautions import Caution
from thresher.errors import ArgumentError, LengthError, ProbabilityError, WeightError, argument
from thresher.ranking import Counts, Floats, Ranking, require_ranking

Smoothing: TypeAlias = "Literal['laplace'] | MEstimate | None"

_ROUNDING = 1e-12
_PRIOR_FIX = "give one prior probability per class, summing to 1, e.g. prior=[0.2, 0.3, 0.5]"


@dataclass(frozen=True, slots=True)
class MEstimate:
    """The m-estimate: m extra cases, of which a share `prior` is positive.

    m = 2 with prior 1/2 is the Laplace correction.

    >>> MEstimate(m=2, prior=0.5)
    MEstimate(m=2, prior=0.5)
    """

    m: float
    prior: float

    def __post_init__(self) -> None:
        _require_cases(self.m)
        if not 0 <= as_number(self.prior) <= 1:
            what = f"the prior probability of the positive class must lie in [0, 1], got {self.prior}"
            raise ProbabilityError(what, "give e.g. the ranking's prevalence")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Smoothed(Tabular):
    """A ranking's segments with their smoothed probabilities, by falling score."""

    ranking: Ranking
    probability: Floats
    cautions: tuple[Caution, ...]

    def _columns(self) -> Mapping[str, Any]:
        ranking = self.ranking
        return {"score": ranking.score, "pos": ranking.pos, "neg": ranking.neg, "probability": self.probability}


def laplace(counts: npt.ArrayLike) -> Floats:
    """Laplace-corrected probabilities of k classes: (nᵢ + 1) / (n + k).

    Classes run along the last axis. Without any case each class gets 1/k.

    >>> laplace([20, 5])  # the first leaf of the spam tree
    array([0.77777778, 0.22222222])
    >>> laplace([[2, 1, 0], [0, 0, 0]])
    array([[0.5       , 0.33333333, 0.16666667],
           [0.33333333, 0.33333333, 0.33333333]])
    """
    number = _class_counts(counts)
    return np.asarray((number + 1) / (number.sum(axis=-1, keepdims=True) + number.shape[-1]))


def m_estimate(counts: npt.ArrayLike, m: float, prior: npt.ArrayLike) -> Floats:
    """Probabilities of k classes after m extra cases: (nᵢ + m·πᵢ) / (n + m).

    Classes run along the last axis and `prior` has one probability per class; for two classes a
    single number is the prior of the first. With m = k and π = 1/k this is `laplace`. Without
    cases and with m = 0 there is nothing to estimate from: NaN. (Cestnik 1990.)

    >>> m_estimate([20, 5], m=5, prior=[0.5, 0.5])
    array([0.75, 0.25])
    >>> m_estimate([20, 5], m=2, prior=0.5) == laplace([20, 5])
    array([ True,  True])
    """
    number = _class_counts(counts)
    _require_cases(m)
    added = m * _prior(prior, number.shape[-1])
    total = number.sum(axis=-1, keepdims=True) + m
    with np.errstate(invalid="ignore"):
        return np.asarray((number + added) / np.where(total > 0, total, np.nan))


def smooth(ranking: Ranking, *, smoothing: Smoothing = "laplace") -> Smoothed:
    """The probability of the positive class in each segment, smoothed.

    Segments shrink towards the prior by their size, so a small pure segment can fall behind a
    large one that is less pure; a caution "reordered" then says how often. Without smoothing these
    are the empirical probabilities pos / (pos + neg).

    >>> from thresher import hull, rank
    >>> emails = rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> smooth(hull(emails)).probability.round(3).tolist()
    [0.667, 0.667, 0.6, 0.6, 0.333, 0.333]
    >>> print(*smooth(Ranking.parse("[1+][99+,1-][9-]")).cautions)
    reordered: smoothing reversed the order of neighbouring segments in 1 place of 2
    """
    require_ranking(ranking)
    empirical: Floats = ranking.pos / (ranking.pos + ranking.neg)
    counts = np.stack([ranking.pos, ranking.neg], axis=-1)
    if smoothing is None:
        probability = empirical
    elif isinstance(smoothing, str) and smoothing == "laplace":
        probability = laplace(counts)[:, 0]
    elif isinstance(smoothing, MEstimate):
        probability = m_estimate(counts, smoothing.m, smoothing.prior)[:, 0]
    else:
        what = f"{argument('smoothing')} must be 'laplace', an MEstimate or None, got {smoothing!r}"
        raise ArgumentError(what, "pass e.g. smoothing=MEstimate(m=10, prior=0.1)")
    probability.flags.writeable = False
    # Leaves that are not in order yet are put in their own order; equal ones stay by score.
    ordered = probability[np.argsort(-empirical, kind="stable")]
    rises = int((np.diff(ordered) > _ROUNDING).sum())  # equal fractions may differ in their last digit
    places = f"{count_text(rises, 'place')} of {len(ranking) - 1:,}"
    text = f"smoothing reversed the order of neighbouring segments in {places}"
    return Smoothed(ranking, probability, (Caution("reordered", text),) if rises else ())


def _class_counts(counts: npt.ArrayLike) -> Counts:
    number = plain_array(counts, name="counts")
    if number.ndim == 0 or number.shape[-1] < 2 or number.dtype.kind not in "biuf":
        what = f"counts have shape {number.shape} and dtype {number.dtype}, and there are two classes or more"
        raise LengthError(what, "give one count per class along the last axis, e.g. [20, 5]")
    if not (np.isfinite(number) & (number >= 0)).all():
        raise WeightError("a count is negative, infinite or NaN", "give counts (or summed weights) of 0 or more")
    return number.astype(np.int64) if number.dtype.kind in "biu" else number.astype(np.float64)


def _prior(prior: npt.ArrayLike, classes: int) -> Floats:
    share = as_numbers(prior)
    if share.ndim == 0 and classes == 2:
        share = np.array([share, 1 - share])
    if share.shape != (classes,):
        raise LengthError(f"the prior has shape {share.shape} for {classes} classes", _PRIOR_FIX)
    if not ((share >= 0) & (share <= 1)).all() or abs(share.sum() - 1) > 1e-9:
        raise ProbabilityError(f"the prior {share.tolist()} is no probability distribution", _PRIOR_FIX)
    return share


def _require_cases(m: float) -> None:
    if not 0 <= as_number(m) < math.inf:
        raise ArgumentError(f"m must be 0 or more extra cases, got {m}", "give e.g. m=2")
