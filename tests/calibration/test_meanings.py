"""Reliability and calibration error of k classes, in each meaning, and the kernel error."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.golden.vectors import SIX, THREE, drawn
from thresher import calibration
from thresher.calibration import top_label
from thresher.calibration.calibration_error import MOST_GROUPS
from thresher.calibration.kernel import MOST_PAIRS
from thresher.calibration.meanings import draw_labels

# Without types, as wrong arguments are passed too.
ece: Any = calibration.ece
reliability: Any = calibration.reliability
skce: Any = calibration.skce


def rows_of(segments: th.Segments) -> list[tuple[tuple[float, ...], int]]:
    """Every case as its vector and the place of its class."""
    return [
        (tuple(p.tolist()), i)
        for p, counts in zip(segments.probability, segments.counts, strict=True)
        for i, count in enumerate(counts.tolist())
        for _ in range(int(count))
    ]


def test_six_vectors_have_no_error_class_by_class_or_in_the_top_label():
    for of, expected in (("class", 0), ("top", 0), ("canonical", 0.1)):
        assert ece(SIX, of=of, bins="exact", replicates=50).estimate == pytest.approx(expected, abs=1e-15)
    assert reliability(SIX, of="top").observed.tolist() == [0.6]
    assert reliability(SIX, of="top").score == pytest.approx([0.6])


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 7), st.sampled_from(["uniform", "exact"]))
def test_errors_are_those_of_loops_over_cases(seed, k, count, bins):
    segments = drawn(seed, n=40, k=k, ties=12)
    rows = rows_of(segments)

    def bin_of(p: float) -> float:
        return p if bins == "exact" else sum(p >= i / count for i in range(1, count))

    def error(key, expected, hit):
        total = 0.0
        for cell in {key(p) for p, _ in rows}:
            inside = [(p, i) for p, i in rows if key(p) == cell]
            total += abs(sum(expected(p) - hit(p, i) for p, i in inside))
        return total / len(rows)

    by_class = [error(lambda p, j=j: bin_of(p[j]), lambda p, j=j: p[j], lambda _, i, j=j: i == j) for j in range(k)]
    gap = ece(segments, bins=bins, count=count, replicates=1)
    assert [each.estimate for each in gap.by_class.values()] == pytest.approx(by_class, abs=1e-12)
    assert gap.estimate == pytest.approx(np.mean(by_class), abs=1e-12)
    assert list(gap.by_class) == list(segments.classes)
    top = error(lambda p: bin_of(max(p)), max, lambda p, i: i == p.index(max(p)))
    assert ece(segments, of="top", bins=bins, count=count, replicates=1).estimate == pytest.approx(top, abs=1e-12)
    cell = [error(lambda p: tuple(map(bin_of, p)), lambda p, j=j: p[j], lambda _, i, j=j: i == j) for j in range(k)]
    canonical = ece(segments, of="canonical", bins=bins, count=count, replicates=1)
    assert canonical.estimate == pytest.approx(sum(cell) / 2, abs=1e-12)


def test_the_error_of_true_vectors_is_what_chance_gives():
    for of in ("class", "top", "canonical"):
        gap = ece(drawn(3, n=400), of=of, replicates=300)
        assert gap.null_lower < gap.estimate < gap.null_upper
        assert gap.p_value > 0.05
        far = ece(drawn(3, n=400, sharper=2.5), of=of, replicates=300)
        assert far.p_value < 0.01
    by_class = ece(drawn(3, n=400), replicates=50)
    assert "over 30 uniform bins, the mean of 3 classes; if calibrated" in repr(by_class)
    assert ece(drawn(3, n=400), replicates=50).null.tolist() == by_class.null.tolist()


@pytest.mark.parametrize("ties", [None, 5])
def test_labels_are_drawn_from_the_vectors(ties):
    segments = drawn(5, n=40, ties=ties)
    counts = draw_labels(segments)(np.random.default_rng(0), 4000)
    assert (counts.sum(axis=2) == segments.counts.sum(axis=1)).all()
    expected = segments.probability * segments.counts.sum(axis=1, keepdims=True)
    assert counts.mean(axis=0) == pytest.approx(expected, abs=0.2 if ties else 0.04)


def test_tables_of_each_class_and_of_the_top_label():
    tables = reliability(THREE, bins="uniform", count=2)
    for name, table in tables.by_class.items():
        assert table.to_dict() == reliability(THREE.ranking(name), bins="uniform", count=2).to_dict()
        assert tables[name] is table
    assert tables.to_frame()["class"].tolist() == ["a", "a", "b", "b", "c", "c"]
    assert [each["class"] for each in tables.to_dict()["by_class"]] == ["a", "b", "c"]
    assert str(tables).startswith("a\n   score  observed")
    assert top_label(THREE) == th.Ranking([0.8, 0.7, 0.5], [8, 8, 6], [2, 2, 4])
    two = th.Segments(THREE.probability, [[3, 1, 0], [1, 3, 0], [2, 2, 0]], classes="abc")
    assert reliability(two)["c"].observed.tolist() == [0, 0, 0]
    with pytest.raises(th.errors.OneClassError, match="class 'c' has no cases among 12"):
        reliability(two, bins="hull")
    tie = th.Segments([[0.4, 0.4, 0.2]], [[1, 2, 3]], classes="abc")
    assert top_label(tie).pos.tolist() == [1]  # the first of the two


@pytest.mark.parametrize(("labels", "expected"), [((1, 2), 0), ((1, 1), 0.5), ((2, 1), 1 - np.exp(-1))])
def test_the_kernel_error_of_two_sure_predictions(labels, expected):
    segments = th.segment(list(labels), [[1, 0], [0, 1]], classes=[1, 2])
    assert skce(segments, bandwidth=1, biased=True).estimate == pytest.approx(expected)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 4), st.sampled_from([None, 5]))
def test_the_kernel_error_is_that_of_a_loop_over_pairs(seed, k, ties):
    segments = drawn(seed, n=14, k=k, ties=ties)
    rows = [(np.array(p), np.eye(k)[i] - np.array(p)) for p, i in rows_of(segments)]
    far = [float(np.linalg.norm(p - q)) for i, (p, _) in enumerate(rows) for q, _ in rows[:i] if (p != q).any()]
    result = skce(segments)
    assert sorted(far)[(len(far) - 1) // 2] - 1e-12 <= result.bandwidths[0] <= sorted(far)[len(far) // 2] + 1e-12

    def kernel(p, q):
        return np.exp(-((p - q) @ (p - q)) / (2 * result.bandwidths[0] ** 2))

    pairs = [[(e @ f) * kernel(p, q) for q, f in rows] for p, e in rows]
    biased = skce(segments, bandwidth=result.bandwidths[0], biased=True)
    assert biased.estimate == pytest.approx(np.mean(pairs))
    assert result.estimate == pytest.approx((np.sum(pairs) - np.trace(pairs)) / (14 * 13), abs=1e-12)
    if k == 2:  # class by class, each class is the other's mirror image
        assert skce(segments, of="class").estimate == pytest.approx(result.estimate, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ece(THREE, of="label"), "of must be"),
        (lambda: ece(THREE, of="canonical", bins="quantile"), "vectors have no order"),
        (lambda: ece(THREE, of="canonical", count=0), "count must be"),
        (lambda: ece(THREE, bins="hull"), "bins must be"),
        (lambda: ece(THREE, prevalence=0.2), "a prevalence is of two classes"),
        (lambda: ece(THREE, seed="x"), "seed must be"),
        (lambda: ece(THREE.ranking("a"), of="class"), "a ranking has two"),
        (lambda: reliability(THREE.ranking("a"), of="top"), "a ranking has two"),
        (lambda: reliability(THREE, of="canonical"), "of must be"),
        (lambda: ece(th.Segments(THREE.probability, THREE.counts / 4, classes="abc")), "not whole"),
        (lambda: ece(drawn(2, n=MOST_GROUPS + 1), bins="exact"), "too many bins"),
        (lambda: skce(drawn(2, n=int(MOST_PAIRS**0.5) + 1)), "pairs, and at most"),
        (lambda: skce(THREE, bandwidth=0), "bandwidth must be"),
        (lambda: skce(th.Segments([[0.5, 0.5]], [[1, 0]], classes="ab")), "no pair"),
        (lambda: skce(THREE.ranking("a")), "segments are needed"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(th.ThresherError, match=message):
        call()
