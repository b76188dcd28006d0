"""The Brier score of k classes in parts: golden numbers, sums over cases, chance by enumeration."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.golden.vectors import SIX, SIX_HUNDRED, THREE, THREE_ERRORS, drawn
from thresher.calibration import decomposition, squared_error


def test_three_leaves_have_the_squared_errors_of_the_chapter():
    parts = decomposition(THREE)
    assert parts.losses["squared_error"] == pytest.approx(THREE_ERRORS)
    assert parts.brier == pytest.approx(6.2 / 30)
    assert (parts.calibration, parts.refinement, parts.within) == pytest.approx((0.2 / 30, 0.2, 0))
    assert parts.to_frame()["squared_error"].tolist() == pytest.approx(THREE_ERRORS)
    assert f"by chance {parts.by_chance:.4f}" in str(parts)
    assert "1.7000         0.0000         1.7000   [8,1,1] at 0.8 0.1 0.1" in str(parts)


def test_squared_errors_of_two_predictions():
    hedged, bold = [0.70, 0.10, 0.20], [0.99, 0.0, 0.01]
    errors = squared_error([1, 1, 3, 3], [hedged, bold, hedged, bold], classes=[1, 2, 3])
    assert errors == pytest.approx([0.07, 0.0001, 0.57, 0.9801])


def test_six_vectors_are_calibrated_class_by_class_and_not_as_vectors():
    parts = decomposition(SIX)
    assert parts.brier == pytest.approx(0.27)
    assert (parts.calibration, parts.refinement) == pytest.approx((0.01, 0.26))
    assert parts.by_chance == pytest.approx(0.027)
    assert parts.miscalibration == pytest.approx(0, abs=1e-15)
    for part in parts.by_class.values():
        assert part.calibration == pytest.approx(0, abs=1e-30)
        assert part.miscalibration == pytest.approx(0, abs=1e-15)
    assert decomposition(SIX_HUNDRED).by_chance == pytest.approx(0.0027)
    assert decomposition(SIX_HUNDRED).calibration == pytest.approx(0.01)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 6))
def test_parts_are_those_of_a_loop_over_cases_and_sum_to_the_brier_score(seed, k, groups):
    segments = drawn(seed, n=30, k=k, ties=9)
    rng = np.random.default_rng(seed)
    leaf = rng.integers(0, groups, len(segments))
    one_class = np.count_nonzero(segments.cases) < 2
    for bins in ("exact", "hull", leaf):
        if one_class:
            with pytest.raises(th.errors.OneClassError):
                decomposition(segments, bins=bins)
            continue
        parts = decomposition(segments, bins=bins)
        assert parts.calibration + parts.refinement + parts.within == pytest.approx(th.brier(segments), abs=1e-12)
        corp = parts.miscalibration - parts.discrimination + parts.uncertainty
        assert corp == pytest.approx(th.brier(segments), abs=1e-12)
        for name in ("brier", "miscalibration", "discrimination", "uncertainty"):
            half = sum(getattr(each, name) for each in parts.by_class.values()) / 2
            assert getattr(parts, name) == pytest.approx(half, abs=1e-12)
        if bins == "hull" if isinstance(bins, str) else False:
            assert parts.calibration == parts.miscalibration
    if one_class:
        return
    calibration = refinement = 0.0
    for group in set(leaf.tolist()):
        rows = [
            (p, i)
            for p, counts, g in zip(segments.probability, segments.counts, leaf, strict=True)
            for i in range(k)
            for _ in range(counts[i] if g == group else 0)
        ]
        mean = np.mean([p for p, _ in rows], axis=0)
        share = np.bincount([i for _, i in rows], minlength=k) / len(rows)
        calibration += len(rows) * ((mean - share) ** 2).sum() / 2
        refinement += len(rows) * (share * (1 - share)).sum() / 2
    parts = decomposition(segments, bins=leaf)
    assert (parts.calibration, parts.refinement) == pytest.approx((calibration / 30, refinement / 30), abs=1e-12)
    assert parts.losses["squared_error"].sum() / 30 == pytest.approx(parts.brier)
    for name in ("calibration", "refinement", "within"):
        assert parts.losses[name].sum() / 30 == pytest.approx(getattr(parts, name), abs=1e-12)
        half = sum(getattr(each, name) for each in parts.by_class.values()) / 2
        assert half == pytest.approx(getattr(parts, name), abs=1e-12)


def test_within_is_nothing_where_vectors_are_constant_in_groups():
    own = decomposition(THREE, bins=["x", "y", "z"])
    exact = decomposition(THREE)
    assert own.within == 0
    assert (own.calibration, own.refinement, own.by_chance) == pytest.approx(
        (exact.calibration, exact.refinement, exact.by_chance)
    )
    joined = decomposition(THREE, bins=["x", "y", "y"])
    assert abs(joined.within) > 0.01
    assert "within (over 2 groups" in str(joined)
    assert joined.counts.tolist() == [[8, 1, 1], [1, 8, 11]]
    assert joined.probability[1] == pytest.approx([0.15, 0.35, 0.5])
    ranking = THREE.ranking("a")
    assert decomposition(ranking, bins=[1, 2, 3]).within == 0
    assert decomposition(ranking, bins=[1, 2, 2]).within == pytest.approx(joined.by_class["a"].within)


@pytest.mark.parametrize("groups", [None, [0, 1], [0, 0]])
def test_by_chance_is_the_mean_over_all_labels(groups):
    vectors, cases = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]), [2, 3]
    bins = "exact" if groups is None else groups
    expected = stated = 0.0
    for labels in itertools.product(range(3), repeat=5):
        row = np.repeat([0, 1], cases)
        chance = math.prod(float(vectors[r, i]) for r, i in zip(row, labels, strict=True))
        counts = np.zeros((2, 3), dtype=int)
        np.add.at(counts, (row, np.array(labels)), 1)
        if len(set(labels)) == 1:  # has no decomposition; its calibration loss is that of one segment each
            index = np.arange(2) if groups is None else np.array(groups)
            n = np.bincount(index, cases)
            mean = np.stack([np.bincount(index, cases * vectors[:, i]) / n for i in range(3)], axis=1)
            loss = (n[:, None] * (mean - np.eye(3)[labels[0]]) ** 2).sum() / 2 / 5
        else:
            parts = decomposition(th.Segments(vectors, counts, classes="abc"), bins=bins)
            loss, stated = parts.calibration, float(parts.by_chance or 0)
        expected += chance * loss
    assert stated == pytest.approx(expected)


def test_distinct_vectors_degenerate_and_say_so():
    parts = decomposition(drawn(1, n=80))
    assert (parts.refinement, parts.calibration) == pytest.approx((0, parts.brier), abs=1e-15)
    assert [caution.code for caution in parts.cautions] == ["distinct-vectors"]
    over_hull = decomposition(drawn(1, n=80), bins="hull")
    assert over_hull.refinement > 0.1
    assert over_hull.cautions == ()
    assert over_hull.by_chance is None
    assert list(over_hull.losses) == ["squared_error"]
    assert over_hull.calibration + over_hull.refinement == pytest.approx(parts.brier)


def test_a_class_without_cases_is_all_miscalibration():
    parts = decomposition(th.Segments(THREE.probability, [[3, 2, 0], [1, 4, 0], [2, 2, 0]], classes="abc"))
    absent = parts.by_class["c"]
    assert absent.miscalibration == absent.brier > 0
    assert (absent.discrimination, absent.uncertainty) == (0, 0)


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ("quantile", "'quantile'"),
        ([1, 2], "labels of shape"),
        ([[1], [2, 3]], "labels of shape"),
        (None, "labels of shape"),
        ([1, "a", None], "several types"),
    ],
)
def test_what_is_refused(bins, message):
    with pytest.raises(th.ThresherError, match=message):
        decomposition(THREE, bins=bins)
    with pytest.raises(th.ThresherError, match=message):
        decomposition(THREE.ranking("a"), bins=bins)
    with pytest.raises(th.errors.OneClassError, match="all 30 cases are of class 'b'"):
        decomposition(th.Segments(THREE.probability, [[0, 10, 0]] * 3, classes="abc"), bins="exact")
