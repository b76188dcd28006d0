"""Positives behind drawn labels, asymptotically.

Weighted, or helped by the scores: narrower than `drawn_count_interval`, and only as good as a normal approximation,
which with few positives is none.
"""

from __future__ import annotations

import numpy.typing as npt

from thresher._internal.arguments import require_level, require_number
from thresher.errors import ArgumentError
from thresher.inference.anytime.counts import columns_of, require_count
from thresher.inference.anytime.mean import asymptotic_margin
from thresher.inference.interval import Interval
from thresher.ranking import Floats


def difference_count_interval(
    *,
    rows: npt.ArrayLike,
    predicted: npt.ArrayLike,
    n: npt.ArrayLike,
    k: npt.ArrayLike,
    sum_f: npt.ArrayLike,
    sum_f_squares: npt.ArrayLike,
    sum_f_positives: npt.ArrayLike,
    weight: float | None = None,
    level: float = 0.95,
) -> Interval:
    """The number of positives in strata by the difference estimator (PPI++).

    Σ_h N_h (λ f̄_h + mean_h(y - λ f)), where f is the calibrated score and f̄_h its mean over all N_h `rows`, of which
    `predicted` is the sum. Of the `n` labelled rows of a stratum k are positive; `sum_f`, `sum_f_squares` and
    `sum_f_positives` add up f, f² and f of the positives. λ is `weight`, best from earlier periods, or the one that
    makes the variance least here (Angelopoulos, Duchi & Zrnic 2023). λ = 0 is the estimator without scores. Limits are
    those of an asymptotic confidence sequence.

    >>> labels = {"n": [100], "k": [22], "sum_f": [20], "sum_f_squares": [13], "sum_f_positives": [12]}
    >>> print(difference_count_interval(rows=[1000], predicted=[210], **labels))
    228.4444 [107.9738, 348.9151]
    """
    require_level(level)
    size, total_f, labels, positive, f, ff, fy = columns_of(
        rows=rows,
        predicted=predicted,
        n=n,
        k=k,
        sum_f=sum_f,
        sum_f_squares=sum_f_squares,
        sum_f_positives=sum_f_positives,
    )
    tuned_to = None if weight is None else require_number(weight, name="weight")
    if not (labels >= 2).all():
        what = "a stratum has fewer than 2 labels, so their spread is unknown"
        raise ArgumentError(what, "label some, or join strata", parameter="n")

    def moment(product: Floats, one: Floats, other: Floats) -> Floats:
        return (product - one * other / labels) / (labels - 1)

    of_f, of_y, both = moment(ff, f, f), moment(positive, positive, positive), moment(fy, f, positive)
    scale = size**2 * (1 - labels / size) / labels
    spread_f = float(scale @ of_f)
    tuned = tuned_to if tuned_to is not None else (float(scale @ both) / spread_f if spread_f > 0 else 0.0)
    estimate = float(tuned * total_f.sum() + size @ ((positive - tuned * f) / labels))
    variance = max(0.0, float(scale @ (of_y - 2 * tuned * both + tuned**2 * of_f)))
    n_all = float(labels.sum())
    half = asymptotic_margin(variance * n_all, n_all, level=level)
    lower, upper = max(float(positive.sum()), estimate - half), min(float(size.sum()), estimate + half)
    note = f"scores weigh {tuned:.3g}"
    limits = min(lower, estimate), max(upper, estimate)
    return Interval(estimate, *limits, variance, level, "asymptotic", note)


def weighted_share_interval(
    *,
    weights: float,
    positive_weights: float,
    squares: float,
    positive_squares: float,
    n: float,
    level: float = 0.95,
) -> Interval:
    """Hájek's share of positives among all rows, from labels drawn with propensities.

    Each labelled row weighs 1 / propensity: `weights` and `squares` sum these and their squares, the others those of
    the positives, over n rows. Limits are those of an asymptotic confidence sequence (Waudby-Smith et al. 2024).

    >>> print(weighted_share_interval(weights=5000, positive_weights=400, squares=60_000, positive_squares=5000, n=500))
    0.0800 [0.0382, 0.1218]
    """
    require_level(level)
    sums = {"weights": weights, "positive_weights": positive_weights, "squares": squares}
    for name, value in (sums | {"positive_squares": positive_squares, "n": n}).items():
        require_count(value, name=name)
    if not (0 <= positive_weights <= weights and weights > 0 and 0 <= positive_squares <= squares and n > 0):
        what = f"{positive_weights:g} of {weights:g} is no share of weights"
        raise ArgumentError(what, "sum 1 / propensity over labelled rows", parameter="weights")
    share = positive_weights / weights
    residual = positive_squares * (1 - 2 * share) + squares * share**2
    variance = residual / weights**2
    half = asymptotic_margin(variance * n, n, level=level)
    return Interval(
        share, max(0.0, share - half), min(1.0, share + half), variance, level, "asymptotic", "by propensity"
    )
