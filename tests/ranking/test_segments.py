"""Segments count rows as an obvious loop does, add, and hold the rankings of their classes."""

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.ranking import require_mix

LEAVES: dict[str, Any] = {"probability": [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]], "classes": "abc"}
PAIR: Any = [0.5, 0.5]
THREE = th.Segments.parse("[8,1,1][1,6,3][0,2,8]", **LEAVES)


@st.composite
def rows(draw):
    """Labels of k classes, vectors of few distinct values, and weights or none."""
    k, n = draw(st.integers(2, 4)), draw(st.integers(1, 25))
    parts = draw(st.lists(st.lists(st.integers(0, 3), min_size=k, max_size=k).filter(any), min_size=n, max_size=n))
    matrix = np.array(parts, dtype=float)
    labels = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    weights = draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    return labels, matrix / matrix.sum(axis=1, keepdims=True), k, weights


@given(rows())
def test_rows_are_counted_as_a_loop_counts_them(case):
    labels, matrix, k, weights = case
    segments = th.segment(labels, matrix, classes=range(k), weights=weights)
    slowly: Counter[Any] = Counter()
    for label, row, weight in zip(labels.tolist(), matrix.tolist(), weights or [1] * len(labels), strict=True):
        slowly[tuple(row), label] += weight
    counted = {
        (tuple(vector), i): count
        for vector, counts in zip(segments.probability.tolist(), segments.counts.tolist(), strict=True)
        for i, count in enumerate(counts)
        if count
    }
    assert counted == {key: count for key, count in slowly.items() if count}
    assert segments.probability.tolist() == sorted(segments.probability.tolist(), reverse=True)


@given(rows(), st.randoms(use_true_random=False))
def test_parts_add_up_in_any_order_of_rows(case, random):
    labels, matrix, k, weights = case
    everything = th.segment(labels, matrix, classes=range(k), weights=weights)
    order = list(range(len(labels)))
    random.shuffle(order)
    weight = np.ones(len(labels), dtype=int) if weights is None else np.array(weights)
    parts = [
        th.segment(labels[some], matrix[some], classes=range(k), weights=None if weights is None else weight[some])
        for some in (order[::2], order[1::2])
        if some and weight[some].any()
    ]
    assert sum(parts) == everything
    assert th.Segments.from_json(everything.to_json()) == everything
    assert pickle.loads(pickle.dumps(everything)) == everything  # noqa: S301 - made here


@given(rows())
def test_rankings_of_classes_are_those_of_the_rows(case):
    labels, matrix, k, weights = case
    segments = th.segment(labels, matrix, classes=range(k), weights=weights)
    for i in range(k):
        assert segments.ranking(i) == th.rank(labels == i, matrix[:, i], weights=weights)
        assert segments.rankings[i] == segments.ranking(i)
    some = labels != 0
    if k > 2 and some.any() and (weights is None or np.array(weights)[some].any()):
        two = (labels == 1) | (labels == 2)
        weight = None if weights is None else np.array(weights)[two]
        if two.any() and (weight is None or weight.any()):
            versus = segments.ranking(1, versus=2)
            assert versus == th.rank(labels[two] == 1, matrix[two, 1], weights=weight)


def test_ways_to_build_them_agree():
    labels = list("a" * 8 + "bc" + "a" + "b" * 6 + "c" * 3 + "bb" + "c" * 8)
    matrix = [row for row in LEAVES["probability"] for _ in range(10)]
    assert th.segment(labels, matrix) == THREE
    assert th.segment(labels, matrix).to_dict() == THREE.to_dict()
    shuffled = th.Segments(LEAVES["probability"][::-1], [[0, 2, 8], [1, 6, 3], [8, 1, 1]], classes="abc")
    assert shuffled == THREE
    assert THREE.empirical.tolist() == [[0.8, 0.1, 0.1], [0.1, 0.6, 0.3], [0.0, 0.2, 0.8]]
    assert THREE.mix.tolist() == [0.3, 0.3, 0.4]


def test_signs_of_zero_are_one_vector_and_neighbours_are_two():
    assert len(th.segment(["a", "b"], [[0.0, 1.0], [-0.0, 1.0]])) == 1
    assert len(th.segment(["a", "b"], [[0.5, 0.5], [np.nextafter(0.5, 1), 0.5]])) == 2


def test_another_mix_weighs_classes_and_nothing_else():
    even = THREE.at_mix({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})
    assert even.total == pytest.approx(30)
    assert even.cases.tolist() == pytest.approx([10, 10, 10])
    assert (even.counts / THREE.counts.clip(1)).round(9).tolist()[0] == pytest.approx([10 / 9, 10 / 9, 10 / 12])
    assert require_mix({"b": 0.25, "a": 0.75}, ["a", "b"]).tolist() == [0.75, 0.25]


def test_rows_with_gaps_are_refused_or_counted():
    with pytest.raises(th.ThresherError, match="1 of 2"):
        th.segment(["a", "b"], [[0.5, 0.5], [np.nan, 1]])
    assert th.segment(["a", "b", "b"], [[0.5, 0.5], [np.nan, 1], [0, 1]], missing="drop").dropped == 1


def test_texts():
    assert str(THREE) == "[8,1,1][1,6,3][0,2,8]"
    assert repr(THREE) == "Segments([8,1,1][1,6,3][0,2,8] of 'a', 'b' and 'c')"
    many = th.segment(["a", "b"] * 5, [[i / 9, 1 - i / 9] for i in range(10)])
    assert "… 4 more" in repr(many)
    assert list(THREE.to_frame("pandas").columns) == ["p(a)", "a", "p(b)", "b", "p(c)", "c"]


def parse(text="[1,1]", probability=((0.5, 0.5),), classes="ab"):
    return th.Segments.parse(text, probability=probability, classes=classes)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: parse("[1,1"), "cannot read"),
        (lambda: parse("[1,x]"), "cannot read"),
        (lambda: parse("[1,1][1]", [[0.5, 0.5], [1, 0]]), "rows of numbers"),
        (lambda: parse("[0,0]"), "no cases"),
        (lambda: parse("[1,1][1,1]"), r"counts have shape \(2, 2\)"),
        (lambda: parse(probability=[[0.5, 0.4]]), "do not sum to 1 .*0.9 at row 0"),
        (lambda: parse(probability=[[1.5, -0.5]]), "no probabilities, first 1.5"),
        (lambda: parse(probability=[[np.nan, 1]]), "no probabilities, first nan"),
        (lambda: parse(probability=[[0.5, 0.25, 0.25]]), "3 columns, and there are 2 classes"),
        (lambda: parse(classes="aa"), "a class twice"),
        (lambda: th.Segments([[1.0]], [[1]], classes="a"), "there is 1 class"),
        (lambda: th.Segments([[0.5, 0.5]], [[-1, 1]], classes="ab"), "negative"),
        (lambda: th.segment(["a", "b"], [0.1, 0.9]), "rows and columns"),
        (lambda: th.segment(["a", "b", "c"], [[0.5, 0.5]] * 3), "2 columns, and there are 3 classes"),
        (lambda: th.segment(["a", "x"], [[0.5, 0.5]] * 2, classes="ab"), "not among the classes: 'x'"),
        (lambda: THREE.ranking("d"), "there is no class 'd'"),
        (lambda: THREE.at_mix({"a": 0.5, "b": 0.5}), "no share of 'c'"),
        (lambda: THREE.at_mix({"a": 0.5, "b": 0.5, "d": 0}), "names 'd', which is no class"),
        (lambda: THREE.at_mix({"a": 0.5, "b": 0.5, "c": 0.5}), "sum to 1.5"),
        (lambda: THREE.at_mix(PAIR), "a share for each class"),
        (lambda: th.segment(["a"], [[1, 0]], classes="ab").at_mix({"a": 0.5, "b": 0.5}), "no case is of it"),
        (lambda: THREE + parse(), "different classes"),
        (lambda: th.Segments.from_json('{"format": "thresher/ranking/1"}'), "must be"),
        (lambda: th.Segments.from_dict(THREE.to_dict() | {"counts": [[1]]}), "counts"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(th.ThresherError, match=message):
        call()
