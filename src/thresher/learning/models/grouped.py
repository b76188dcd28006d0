"""Grouping: a grading model with few segments, cut from a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from thresher._internal.arguments import numbers_of, require_instance
from thresher.calibration import MEstimate, laplace, m_estimate, smooth
from thresher.calibration.reliability import quantile_splits, require_bins
from thresher.calibration.smoothing import Smoothing
from thresher.curves import hull_splits
from thresher.errors import ArgumentError
from thresher.learning.data.target import ClassTarget
from thresher.learning.models.wrapper import ClassifierWrapper
from thresher.learning.validation.fit_and_score import Problem
from thresher.ranking import Counts, Floats, Ranking

Boundaries: TypeAlias = "Literal['hull'] | int | Sequence[float]"


def grouped(ranking: Ranking, *, after: Sequence[int] | None = None, at: Sequence[float] | None = None) -> Ranking:
    """The ranking with neighbouring segments joined between boundaries.

    Boundaries lie `after` numbers of segments (splits), or `at` thresholds, each the lowest score of the group above.
    A group carries its lowest score. Boundaries on the hull never lower the AUC.

    >>> from thresher import auc
    >>> linear = Ranking.parse("[1+][1+][1+][1-][1+][1-][1-][1+][1-][1-]")
    >>> grades = grouped(linear, after=[3, 5, 8])
    >>> print(grades)
    [3+][1+,1-][1+,2-][2-]
    >>> auc(linear), auc(grades)
    (0.84, 0.9)
    """
    require_instance(ranking, Ranking, name="ranking", fix="give a Ranking, e.g. rank(labels, scores)")
    if (after is None) == (at is None):
        raise ArgumentError("give either after= or at=", "boundaries are splits or thresholds")
    if at is not None:
        return _cut(ranking, _splits_at(ranking, _thresholds(at)))
    places = numbers_of(after, name="after", fix="e.g. after=[3, 5]")
    if not ((places == np.rint(places)) & (places >= 0) & (places <= len(ranking))).all():
        raise ArgumentError(f"after must hold whole numbers from 0 to {len(ranking)}", "e.g. after=[3, 5]")
    if not (np.diff(places) > 0).all():
        raise ArgumentError("boundaries must rise, each once", "e.g. after=[3, 5, 8]")
    return _cut(ranking, _with_ends(places.astype(np.intp), len(ranking)))


@dataclass(eq=False, repr=False)
class GroupedModel(ClassifierWrapper):
    """A classifier that grades: groups of scores, each with its share of positives.

    `boundaries` are thresholds on the scores, rising, each the lowest score of the group above it; a number of groups
    of nearly equal count; or "hull": wherever the hull of the out-of-fold ranking has a corner. A group without rows
    needs `smoothing`. Other parameters are those of `CostSensitiveClassifier`. After `fit`, `boundaries_` are
    thresholds, `counts_` the positives and negatives between them, and `grades_` the grading model's ranking.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GroupedModel(GaussianNB(), boundaries=[0.01, 0.5, 0.99], smoothing="laplace").fit(X, y)
    >>> print(model.grades_)
    [339+,14-][7+,10-][4+,4-][7+,184-]
    >>> model.predict_proba(X)[:3, 1].round(4)
    array([0.0415, 0.0415, 0.0415])
    """

    _: KW_ONLY
    boundaries: Boundaries = "hull"
    smoothing: Smoothing = None

    def grade(self, X: Any) -> npt.NDArray[np.intp]:
        """The group of each row, 0 for the lowest scores."""
        check_is_fitted(self)
        return np.searchsorted(self.boundaries_, self.scores(X), side="right")

    def _check(self, _target: ClassTarget) -> None:
        pass

    def _matters(self) -> bool:
        return isinstance(self.smoothing, MEstimate)

    def _two_only(self) -> bool:
        return True

    def _learn(self, _problem: Problem) -> None:
        self.boundaries_ = _boundaries(self.ranking_, self.boundaries)
        group = np.searchsorted(self.boundaries_, self.ranking_.score, side="right")
        self.counts_ = np.zeros((self.boundaries_.size + 1, 2), dtype=self.ranking_.pos.dtype)
        np.add.at(self.counts_, group, np.stack([self.ranking_.pos, self.ranking_.neg], axis=-1))
        self.probabilities_ = _proportions(self.counts_, self.boundaries_, self.smoothing)
        self.grades_ = _cut(self.ranking_, _splits_at(self.ranking_, self.boundaries_))
        self.cautions_ = smooth(self.grades_, smoothing=self.smoothing).cautions

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities, one column per label in the order of `classes_`."""
        check_is_fitted(self)
        return self._columns(self.probabilities_[self.grade(X)])


def _boundaries(ranking: Ranking, wanted: Boundaries) -> Floats:
    if isinstance(wanted, str):
        if wanted != "hull":
            raise ArgumentError(f"boundaries is {wanted!r}", 'give thresholds, a number, or "hull"')
        splits = hull_splits(ranking, pool="ties")
    elif isinstance(wanted, int | np.integer):
        require_bins(int(wanted))
        splits = quantile_splits(ranking, int(wanted))
    else:
        return _thresholds(wanted)
    return np.array([ranking.threshold(int(split)) for split in splits[1:-1][::-1]])


def _thresholds(at: Sequence[float]) -> Floats:
    thresholds = numbers_of(at, name="thresholds", fix="e.g. [0.2, 0.5]")
    if np.isnan(thresholds).any() or not (np.diff(thresholds) > 0).all():
        raise ArgumentError(f"thresholds must be rising numbers, got {at!r}", "e.g. [0.2, 0.5]")
    return thresholds


def _splits_at(ranking: Ranking, thresholds: Floats) -> npt.NDArray[np.intp]:
    reached = len(ranking) - np.searchsorted(ranking.score[::-1], thresholds, side="left")
    return _with_ends(reached[::-1], len(ranking))


def _with_ends(inside: npt.NDArray[np.intp], segments: int) -> npt.NDArray[np.intp]:
    splits = np.concatenate([[0], inside, [segments]])
    return splits[np.concatenate([[True], np.diff(splits) > 0])]


def _cut(ranking: Ranking, splits: npt.NDArray[np.intp]) -> Ranking:
    pos, neg = (np.add.reduceat(counts, splits[:-1]) for counts in (ranking.pos, ranking.neg))
    return Ranking.of_segments(ranking.score[splits[1:] - 1], pos, neg, dropped=ranking.dropped)


def _proportions(counts: Counts, boundaries: Floats, smoothing: Smoothing) -> Floats:
    if isinstance(smoothing, MEstimate):
        return m_estimate(counts, smoothing.m, smoothing.prior)[:, 0]
    if smoothing is not None:
        return laplace(counts)[:, 0]
    total = counts.sum(axis=1)
    if not (total > 0).all():
        empty = int(np.flatnonzero(total == 0)[0])
        low, high = np.concatenate([[-np.inf], boundaries, [np.inf]])[empty : empty + 2]
        what = f"no training row scores from {low:g} up to {high:g}, so that group has no proportion"
        raise ArgumentError(what, 'leave out a boundary, or pass smoothing="laplace"')
    return np.asarray(counts[:, 0] / total)
