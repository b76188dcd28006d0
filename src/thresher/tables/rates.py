"""The measures of a contingency table, each one division of its cells."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from thresher.errors import ArgumentError
from thresher.ranking import as_number

# A cell and whatever is computed from cells: one number, or an array with one entry per split.
Cell: TypeAlias = Any


class Rates:
    """What `Contingency` knows about itself: marginals, rates and measures from tp, fn, fp and tn."""

    __slots__ = ()

    tp: Cell
    fn: Cell
    fp: Cell
    tn: Cell

    @property
    def Pos(self) -> Cell:
        """Actual positives."""
        return self.tp + self.fn

    @property
    def Neg(self) -> Cell:
        """Actual negatives."""
        return self.fp + self.tn

    @property
    def total(self) -> Cell:
        """All cases."""
        return self.Pos + self.Neg

    @property
    def predicted_positive(self) -> Cell:
        """Cases called positive."""
        return self.tp + self.fp

    @property
    def predicted_negative(self) -> Cell:
        """Cases called negative."""
        return self.fn + self.tn

    @property
    def prevalence(self) -> Cell:
        """Proportion of actual positives."""
        return ratio(self.Pos, self.total)

    @property
    def class_ratio(self) -> Cell:
        """Actual positives per actual negative."""
        return ratio(self.Pos, self.Neg)

    @property
    def predicted_positive_rate(self) -> Cell:
        """Proportion of cases called positive."""
        return ratio(self.predicted_positive, self.total)

    @property
    def accuracy(self) -> Cell:
        """Proportion of cases called right."""
        return ratio(self.tp + self.tn, self.total)

    @property
    def error_rate(self) -> Cell:
        """Proportion of cases called wrong."""
        return ratio(self.fp + self.fn, self.total)

    @property
    def tpr(self) -> Cell:
        """Proportion of actual positives called positive."""
        return ratio(self.tp, self.Pos)

    @property
    def tnr(self) -> Cell:
        """Proportion of actual negatives called negative."""
        return ratio(self.tn, self.Neg)

    @property
    def fpr(self) -> Cell:
        """Proportion of actual negatives called positive."""
        return ratio(self.fp, self.Neg)

    @property
    def fnr(self) -> Cell:
        """Proportion of actual positives called negative."""
        return ratio(self.fn, self.Pos)

    @property
    def precision(self) -> Cell:
        """Proportion of positive calls that are right."""
        return ratio(self.tp, self.predicted_positive)

    @property
    def npv(self) -> Cell:
        """Proportion of negative calls that are right."""
        return ratio(self.tn, self.predicted_negative)

    @property
    def false_discovery_rate(self) -> Cell:
        """Proportion of positive calls that are wrong."""
        return ratio(self.fp, self.predicted_positive)

    @property
    def false_omission_rate(self) -> Cell:
        """Proportion of negative calls that are wrong."""
        return ratio(self.fn, self.predicted_negative)

    @property
    def average_recall(self) -> Cell:
        """Mean of the recalls of both classes."""
        Pos, Neg = wide(self.Pos), wide(self.Neg)
        return ratio(self.tp * Neg + self.tn * Pos, 2 * Pos * Neg)

    @property
    def balanced_error_rate(self) -> Cell:
        """Mean of the error rates of both classes."""
        Pos, Neg = wide(self.Pos), wide(self.Neg)
        return ratio(self.fn * Neg + self.fp * Pos, 2 * Pos * Neg)

    @property
    def youden_j(self) -> Cell:
        """True positive rate minus false positive rate."""
        Pos, Neg = wide(self.Pos), wide(self.Neg)
        return ratio(self.tp * Neg - self.fp * Pos, Pos * Neg)

    @property
    def markedness(self) -> Cell:
        """Precision plus negative predictive value minus one."""
        yes, no = wide(self.predicted_positive), wide(self.predicted_negative)
        return ratio(self.tp * no - self.fn * yes, yes * no)

    @property
    def g_mean(self) -> Cell:
        """Geometric mean of the recalls of both classes."""
        return root(ratio(self.tp * wide(self.tn), self.Pos * wide(self.Neg)))

    @property
    def f1(self) -> Cell:
        """Harmonic mean of precision and recall."""
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    def f_beta(self, beta: float) -> Cell:
        """Weighted harmonic mean of precision and recall; recall counts beta times as much.

        >>> from thresher import Contingency
        >>> Contingency(tp=600, fn=300, fp=100, tn=9000).f_beta(1)
        0.75
        """
        weight = as_number(beta)
        square = weight * weight
        if not (weight > 0 and 0 < square < math.inf):
            raise ArgumentError(f"beta must be above 0, got {beta}", "give e.g. 2 to favour recall")
        return ratio((1 + square) * self.tp, (1 + square) * self.tp + square * self.fn + self.fp)

    @property
    def jaccard(self) -> Cell:
        """True positives among all cases that are positive or called so."""
        return ratio(self.tp, self.tp + self.fp + self.fn)

    @property
    def mcc(self) -> Cell:
        """Correlation of actual and predicted class (Matthews 1975)."""
        yes, no = wide(self.predicted_positive), wide(self.predicted_negative)
        Pos, Neg = wide(self.Pos), wide(self.Neg)
        return ratio(self.tp * Neg - self.fp * Pos, root(yes * no * Pos * Neg))

    @property
    def kappa(self) -> Cell:
        """Agreement beyond chance (Cohen 1960)."""
        yes, no = wide(self.predicted_positive), wide(self.predicted_negative)
        Pos, Neg = wide(self.Pos), wide(self.Neg)
        return ratio(2 * (self.tp * Neg - self.fp * Pos), yes * Neg + no * Pos)

    @property
    def lr_plus(self) -> Cell:
        """Likelihood ratio of a positive call: tpr / fpr."""
        return ratio(self.tp * wide(self.Neg), self.fp * wide(self.Pos))

    @property
    def lr_minus(self) -> Cell:
        """Likelihood ratio of a negative call: fnr / tnr."""
        return ratio(self.fn * wide(self.Neg), self.tn * wide(self.Pos))

    @property
    def dor(self) -> Cell:
        """Diagnostic odds ratio: lr_plus / lr_minus."""
        return ratio(self.tp * wide(self.tn), self.fp * wide(self.fn))

    @property
    def lift(self) -> Cell:
        """Precision relative to calling cases positive at random."""
        return ratio(self.tp * wide(self.total), self.predicted_positive * wide(self.Pos))

    recall = sensitivity = tpr
    specificity = tnr
    ppv = precision
    balanced_accuracy = average_recall
    informedness = youden_j
    phi = mcc


def wide(cell: Cell) -> Cell:
    """A cell whose products do not overflow: Python integers never do, int64 does near 3e9 cases of each class."""
    return cell.astype(np.float64) if isinstance(cell, np.ndarray) else cell


def ratio(numerator: Cell, denominator: Cell) -> Cell:
    """Numerator over denominator: NaN for 0/0, infinite for anything else over 0."""
    if isinstance(numerator, np.ndarray) or isinstance(denominator, np.ndarray):
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(numerator) / np.asarray(denominator)
    if denominator == 0:
        return math.nan if numerator == 0 or math.isnan(numerator) else math.copysign(math.inf, numerator)
    return numerator / denominator


def root(value: Cell) -> Cell:
    """Square root of one number or of each."""
    return np.sqrt(value) if isinstance(value, np.ndarray) else math.sqrt(value)
