"""`rank`: labels and scores in arrays, lists or series become a ranking."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from thresher.errors import EmptyError, WeightError
from thresher.inputs.columns import Column, Missing, column, complete, is_missing
from thresher.inputs.labels import is_positive
from thresher.ranking import EXACT_INTEGERS, MOST_CASES, Floats, Ranking, rankable, require_safe_total


def rank(labels: Any, scores: Any, *, positive: Any = None, weights: Any = None, missing: Missing = "raise") -> Ranking:
    """Count positives and negatives per distinct score.

    Takes arrays, lists and series of pandas, Polars or pyarrow. A higher score means more
    positive, and scores are compared exactly as given. Rows of weight 0 vanish; a row of
    weight w counts as w rows.

    Parameters
    ----------
    labels
        Booleans, 0/1, or any two labels together with `positive`.
    scores
        Numbers; ±inf is a score, NaN is not.
    positive
        The positive label; needed unless labels are bool or 0/1.
    weights
        One number of at least 0 per row.
    missing
        "raise" refuses missing values; "drop" leaves those rows out and counts them in `Ranking.dropped`.

    Examples
    --------
    >>> rank([1, 1, 0, 1, 0], [0.9, 0.8, 0.8, 0.4, 0.1])
    Ranking([1+][1+,1-][1+][1-] at scores 0.9, 0.8, 0.4, 0.1)
    >>> rank(["ham", "spam"], [0.2, 0.7], positive="spam", weights=[2, 0.5])
    Ranking([0.5+][2.0-] at scores 0.7, 0.2)
    """
    columns = {"labels": column(labels, name="labels"), "scores": column(scores, name="scores")}
    if weights is not None:
        columns["weights"] = column(weights, name="weights")
    parts, dropped = complete(columns, missing=missing)
    flags = is_positive(parts[0], positive=positive)
    score = rankable(parts[1])
    if weights is None:
        return Ranking.count(flags, score, dropped=dropped).with_positive(positive)
    weight = checked_weights(parts[2])
    present = weight > 0
    if not present.all():
        flags, score, weight = flags[present], score[present], weight[present]
    return Ranking.count(flags, score, weight, dropped=dropped).with_positive(positive)


def float_weights(weights: Column) -> Floats:
    """Weights as float64, missing ones as NaN; refuses what is no number."""
    objects = weights.dtype.kind == "O"
    if objects and (absent := is_missing(weights)) is not None:
        weights = np.where(absent, np.nan, weights)
    if weights.dtype.kind not in "biuf" and not (objects and all(isinstance(w, Real | Decimal) for w in weights)):
        raise WeightError(f"weights must be numbers, got {weights.dtype}", fix="give one number per row")
    try:
        with np.errstate(over="ignore"):  # a long double beyond float64 is infinite, which no weight may be
            floats = weights.astype(np.float64, copy=False)
    except OverflowError:
        what = f"a weight is larger than every float64, {MOST_CASES:.2g} being the most"
        raise WeightError(what, "divide all of them by the same number") from None
    if weights.dtype.kind in "iuO" and floats.size and np.nanmax(floats, initial=0) >= EXACT_INTEGERS:
        large = np.flatnonzero(floats >= EXACT_INTEGERS)
        pairs = zip(weights[large].tolist(), floats[large].tolist(), strict=True)
        if lost := [weight for weight, nearest in pairs if weight != nearest]:
            what = f"{len(lost):,} of {floats.size:,} weights do not fit a float64 exactly, first {lost[0]}"
            raise WeightError(what, "divide all of them by the same number, or round them yourself")
    return floats


def checked_weights(weights: Column) -> Floats:
    """Weights as float64: finite, none negative, not all 0."""
    weight = float_weights(weights)
    bad = np.flatnonzero(~np.isfinite(weight) | (weight < 0))
    if bad.size:
        first = f"(first {weight[bad[0]]:g} at row {bad[0]})"
        what = f"{bad.size:,} of {weight.size:,} weights are negative or infinite {first}"
        raise WeightError(what, "a weight says how many rows a row stands for: give 0 or more")
    if not weight.any():
        raise EmptyError("all weights are 0, so there are no rows", "give at least one weight above 0")
    with np.errstate(over="ignore"):
        require_safe_total(float(weight.sum()))
    return weight
