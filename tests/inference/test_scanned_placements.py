import numpy as np
import pytest

import thresher as th
from thresher.inference.placements import auc_covariance
from thresher.inference.scanned_placements import covariance_of, independent_cases, scanned_auc_intervals
from thresher.inference.scored_rows import scored_rows
from thresher.sources.paired import PlacementSums


def rows(size=400):
    rng = np.random.default_rng(4)
    y = rng.random(size) < 0.4
    return (
        y,
        {"a": rng.normal(size=size) + y, "b": np.round(rng.normal(size=size) + y, 1)},
        rng.integers(1, 9, size) / 8,
    )


def sums_of(y, scores, weight):
    """What an engine would add up, by loops over rows."""
    total, products = np.zeros(6), np.zeros((6, 6))
    for i in range(y.size):
        other = y != y[i]
        unit = np.zeros(6)
        for j, score in enumerate(scores.values()):
            above = weight[other & (score > score[i])].sum() + weight[other & (score == score[i])].sum() / 2
            share = above / weight[other].sum()
            unit[(0 if y[i] else 3) + j] = weight[i] * ((1 - share if y[i] else share) - 0.5)
        unit[2 if y[i] else 5] = weight[i]
        total += unit
        products += np.outer(unit, unit)
    return PlacementSums(total, products, (int(y.sum()), int((~y).sum()), y.size), clustered=False)


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_say_what_rows_say(weighted):
    y, scores, weight = rows()
    given = weight if weighted else None
    sums = sums_of(y, scores, weight if weighted else np.ones(y.size))
    expected = scored_rows(y, scores, weights=given)
    found, covariance = covariance_of(sums), auc_covariance(expected)
    np.testing.assert_allclose(found.areas, covariance.areas, rtol=1e-12)
    np.testing.assert_allclose(found.whole, covariance.whole, rtol=1e-9)
    assert independent_cases(sums) == pytest.approx(expected.cases)
    one = scanned_auc_intervals(sums, level=0.9, method="delong, weighted" if weighted else "delong")[0]
    other = th.row_auc_interval(y, scores["a"], weights=given, level=0.9)
    assert (one.estimate, one.lower, one.upper) == pytest.approx((other.estimate, other.lower, other.upper), rel=1e-9)
    assert one.method == other.method
