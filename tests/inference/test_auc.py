import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
import thresher.inference as ti
from tests.inference import oracles
from tests.strategies import labelled_scores, two_class_rankings
from thresher.errors import ArgumentError, OneClassError
from thresher.inference.auc import delong_parts
from thresher.ranking import pieces

CT = th.Ranking([5, 4, 3, 2, 1], pos=[33, 11, 2, 2, 3], neg=[2, 11, 6, 6, 33])
METHODS = ["delong", "wald", "hanley-mcneil"]


def test_golden_ct_ratings():
    for method in ("delong", "wald"):
        found = ti.auc_interval(CT, method=method)
        assert found.estimate == pytest.approx(0.893171, abs=1e-6)
        assert math.sqrt(found.variance) == pytest.approx(0.030724, abs=1e-6)
    wald = ti.auc_interval(CT, method="wald")
    assert (wald.lower, wald.upper) == pytest.approx((0.8330, 0.9534), abs=1e-4)


@pytest.mark.parametrize(("Pos", "Neg"), [(5, 5), (10, 40), (3, 100)])
def test_hanley_mcneil_at_chance_is_the_variance_of_mann_whitney(Pos, Neg):
    assert ti.hanley_mcneil_variance(0.5, Pos, Neg) == pytest.approx((Pos + Neg + 1) / (12 * Pos * Neg))


@given(labelled_scores(both_classes=True, max_size=20))
def test_delong_is_its_definition(rows):
    labels, scores = rows
    found = ti.auc_variance(th.rank(labels, scores))
    if min(labels.sum(), (~labels).sum()) < 2:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(oracles.delong_covariance(labels, [scores])[0, 0], abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(ranking=two_class_rankings, level=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_limits_hold_the_auc_and_stay_in_range(method, ranking, level):
    found = ti.auc_interval(ranking, method=method, level=level)
    assert 0 <= found.lower <= found.estimate <= found.upper <= 1
    assert found.estimate == th.auc(ranking)
    if method != "wald":  # the textbook interval keeps its fault, under its name
        assert found.width > 0


@pytest.mark.parametrize("method", ["delong", "hanley-mcneil"])
@pytest.mark.parametrize(
    "text", ["[20+][20-]", "[1+][1-]", "[1+,1-]", "[3-][2+]", "[5+,5-]", "[1+][30-]", "[2+][1+,1-]"]
)
def test_trap_27_no_zero_width_and_nothing_beyond_the_ends(method, text):
    found = ti.auc_interval(th.Ranking.parse(text), method=method)
    assert 0 <= found.lower < found.upper <= 1
    if found.method == "exact pairs":
        assert "conservative" in found.note


def test_a_perfect_ranking_has_the_exact_limits_of_as_many_pairs():
    found = ti.auc_interval(th.Ranking.parse("[20+][30-]"))
    assert (found.lower, found.upper) == pytest.approx((0.025 ** (1 / 20), 1), abs=1e-12)
    assert found.method == "exact pairs"


@given(two_class_rankings)
def test_whole_weights_are_numbers_of_cases(ranking):
    weighted = th.Ranking(ranking.score, ranking.pos.astype(float), ranking.neg.astype(float))
    rows = np.repeat(ranking.score, ranking.pos), np.repeat(ranking.score, ranking.neg)
    labels = np.repeat([1, 0], [rows[0].size, rows[1].size])
    replicated = ti.auc_interval(th.rank(labels, np.concatenate(rows)))
    found = ti.auc_interval(weighted)
    for name in ("estimate", "lower", "upper", "variance"):
        assert getattr(found, name) == pytest.approx(getattr(replicated, name), abs=1e-10, nan_ok=True)


@given(two_class_rankings)
def test_swapping_the_classes_mirrors_the_limits(ranking):
    turned = th.Ranking(ranking.score, ranking.neg, ranking.pos)
    found, mirrored = ti.auc_interval(ranking), ti.auc_interval(turned)
    assert (mirrored.lower, mirrored.upper) == pytest.approx((1 - found.upper, 1 - found.lower), abs=1e-9)


@given(two_class_rankings, st.sampled_from([0.5, 0.95]))
def test_limits_are_delongs_moderated_by_twelve_degrees_of_freedom(ranking, level):
    if ranking.weighted or min(ranking.Pos, ranking.Neg) < 2:
        return
    labels = np.repeat([True, False], [ranking.Pos, ranking.Neg])
    scores = np.concatenate([np.repeat(ranking.score, ranking.pos), np.repeat(ranking.score, ranking.neg)])
    v10, v01, area = oracles.placements(labels, scores)
    parts = float(np.var(v10, ddof=1)) / len(v10), float(np.var(v01, ddof=1)) / len(v01)
    found = ti.auc_interval(ranking, level=level)
    if sum(parts) > 1e-12:
        expected = oracles.moderated_limits(area, parts, (ranking.Pos, ranking.Neg), level)
        assert (found.lower, found.upper) == pytest.approx(expected, abs=1e-9)
    else:
        assert found.method == "exact pairs"


def test_moderation_fades_with_cases():
    big = th.Ranking(CT.score, CT.pos * 1000, CT.neg * 1000)
    found, wald = ti.auc_interval(big), ti.auc_interval(big, method="wald")
    assert found.width == pytest.approx(wald.width, rel=1e-3)


def test_bad_input():
    with pytest.raises(OneClassError):
        ti.auc_interval(th.Ranking.parse("[3+]"))
    with pytest.raises(ArgumentError, match="level"):
        ti.auc_interval(CT, level=95)
    with pytest.raises(ArgumentError, match="there is no method"):
        ti.auc_interval(CT, method="bootstrap")  # type: ignore[arg-type]


def test_wald_has_width_where_all_pairs_are_won():
    for text in ("[20+][20-]", "[20-][20+]"):
        found = th.auc_interval(th.Ranking.parse(text), method="wald")
        assert found.width > 0.1
        assert found.note


@given(labelled_scores(both_classes=True), st.integers(1, 5))
def test_cases_that_stand_alone_are_added_up_exactly(rows, piece):
    """Fractions give DeLong's variance without rounding; pieces of any length give the same."""
    labels, _ = rows
    if min(labels.sum(), (~labels).sum()) < 2:
        return
    ranking = th.rank(labels, np.arange(float(labels.size)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE", piece)
        found = delong_parts(ranking)
    for part, (own, other) in zip(found, ((labels, ~labels), (~labels, labels)), strict=True):
        places, against = np.flatnonzero(own).tolist(), np.flatnonzero(other).tolist()
        share = [Fraction(sum(place < one for place in against), len(against)) for one in places]
        mean = sum(share) / len(share)
        exact = sum((each - mean) ** 2 for each in share) / ((len(share) - 1) * len(share))
        assert part == pytest.approx(float(exact), rel=1e-14, abs=1e-300)
