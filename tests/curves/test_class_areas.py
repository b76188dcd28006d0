import itertools
from typing import Any, get_args

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from thresher.curves import auc
from thresher.curves.area import AreaAverage
from thresher.errors import ArgumentError, LabelError, MissingValueError, OneClassError
from thresher.inputs import rank, segment

LABELS = ["cat", "cat", "cat", "cow", "cow", "dog"]
PROBABILITIES = [[0.7, 0.2, 0.1], [0.4, 0.1, 0.5], [0.6, 0.3, 0.1], [0.3, 0.6, 0.1], [0.5, 0.3, 0.2], [0.2, 0.5, 0.3]]
AVERAGES = get_args(AreaAverage)


def areas_of(labels, probabilities, **more):
    return segment(labels, probabilities, **more).areas


@st.composite
def rows(draw, fewest_classes=2):
    """Labels in which every class occurs, and probabilities from few levels, so that there are ties."""
    k = draw(st.integers(fewest_classes, 4))
    labels = [*range(k), *draw(st.lists(st.integers(0, k - 1), max_size=25))]
    level = st.integers(0, 4)
    scores = draw(st.lists(st.lists(level, min_size=k, max_size=k), min_size=len(labels), max_size=len(labels)))
    shares = np.array(scores, dtype=float) + 0.25
    return np.array(labels), shares / shares.sum(axis=1, keepdims=True)


def pairwise_by_definition(labels, probabilities):
    """A(i|j), Hand & Till (2001): how often a case of class i scores higher in column i than one of class j."""
    k = probabilities.shape[1]
    table = np.full((k, k), np.nan)
    for i, j in itertools.permutations(range(k), 2):
        ours, theirs = probabilities[labels == i, i], probabilities[labels == j, i]
        table[i, j] = np.mean([(x > y) + 0.5 * (x == y) for x in ours for y in theirs])
    return table


class TestAgainstOracles:
    @given(rows())
    def test_every_pair_of_cases(self, data):
        labels, probabilities = data
        areas, expected = areas_of(labels, probabilities), pairwise_by_definition(labels, probabilities)
        assert areas.pairwise == pytest.approx(expected, nan_ok=True)
        k = len(areas.classes)
        mean_area = 2 / (k * (k - 1)) * sum((expected[i, j] + expected[j, i]) / 2 for i in range(k) for j in range(i))
        assert areas.one_vs_one_macro == pytest.approx(mean_area)

    @given(rows(fewest_classes=3))
    def test_scikit_learn_agrees(self, data):
        labels, probabilities = data
        areas = areas_of(labels, probabilities)
        for ours, multi_class, average in (
            (areas.one_vs_rest_macro, "ovr", "macro"),
            (areas.one_vs_rest_weighted, "ovr", "weighted"),
            (areas.one_vs_one_macro, "ovo", "macro"),
            (areas.one_vs_one_weighted, "ovo", "weighted"),
        ):
            theirs = roc_auc_score(labels, probabilities, multi_class=multi_class, average=average)
            assert ours == pytest.approx(theirs, abs=1e-12)
        each = roc_auc_score(labels, probabilities, multi_class="ovr", average=None)
        assert areas.one_vs_rest == pytest.approx(each, abs=1e-12)

    @given(rows(fewest_classes=3), st.data())
    def test_scikit_learn_agrees_on_weights(self, data, draw):
        labels, probabilities = data
        weights = np.array(draw.draw(st.lists(st.floats(0.1, 5), min_size=labels.size, max_size=labels.size)))
        areas = areas_of(labels, probabilities, weights=weights)
        for ours, average in ((areas.one_vs_rest_macro, "macro"), (areas.one_vs_rest, None)):
            theirs = roc_auc_score(labels, probabilities, multi_class="ovr", average=average, sample_weight=weights)
            assert ours == pytest.approx(theirs, abs=1e-9)


class TestLaws:
    @given(rows())
    def test_one_vs_rest_is_the_mean_of_pairs_weighted_by_the_other_class(self, data):
        labels, probabilities = data
        areas = areas_of(labels, probabilities)
        for i, area in enumerate(areas.one_vs_rest):
            others = np.arange(len(areas.classes)) != i
            expected = np.average(areas.pairwise[i, others], weights=areas.prevalence[others])
            assert area == pytest.approx(expected)

    @given(rows(), st.data())
    def test_integer_weight_is_the_row_repeated(self, data, draw):
        labels, probabilities = data
        k = probabilities.shape[1]
        extra = draw.draw(st.lists(st.integers(0, 3), min_size=labels.size - k, max_size=labels.size - k))
        weights = [1] * k + extra  # the first k rows are one of each class
        weighted = areas_of(labels, probabilities, weights=weights)
        repeated = areas_of(np.repeat(labels, weights), np.repeat(probabilities, weights, axis=0))
        assert weighted.pairwise == pytest.approx(repeated.pairwise, nan_ok=True)
        for name in AVERAGES:
            assert getattr(weighted, name) == pytest.approx(getattr(repeated, name))

    @given(rows(), st.randoms())
    def test_order_of_rows_and_columns_is_irrelevant(self, data, random):
        labels, probabilities = data
        row, turned = list(range(labels.size)), list(range(probabilities.shape[1]))
        random.shuffle(row)
        random.shuffle(turned)
        one = areas_of(labels, probabilities)
        other = areas_of(labels[row], probabilities[row][:, turned], classes=turned)
        assert other.classes == tuple(turned)
        assert other.one_vs_rest.tolist() == one.one_vs_rest[turned].tolist()
        for name in AVERAGES:
            assert getattr(one, name) == pytest.approx(getattr(other, name))

    @given(rows())
    def test_the_rankings_are_those_of_rank(self, data):
        labels, probabilities = data
        rankings = segment(labels, probabilities).rankings
        areas = areas_of(labels, probabilities).one_vs_rest
        for (name, ranking), area in zip(rankings.items(), areas, strict=True):
            assert ranking == rank(labels == name, probabilities[:, name])
            assert auc(ranking) == area

    def test_two_classes_are_one_ranking(self):
        labels, scores = np.array([0, 0, 1, 1, 0]), np.array([0.1, 0.5, 0.5, 0.9, 0.7])
        areas = areas_of(labels, np.column_stack([1 - scores, scores]))
        assert {getattr(areas, name) for name in AVERAGES} == {auc(rank(labels, scores))}

    def test_trap_10_a_perfect_model_has_exactly_1(self):
        areas = areas_of([0, 0, 1, 2, 2, 2, 2], np.eye(3)[[0, 0, 1, 2, 2, 2, 2]], weights=[0.1, 0.7, 1, 2, 3, 4, 5])
        assert [getattr(areas, name) for name in AVERAGES] == [1, 1, 1, 1]


class TestNames:
    def test_trap_30_four_averages_four_names_four_numbers(self):
        areas = areas_of(LABELS, PROBABILITIES)
        numbers = [getattr(areas, name) for name in AVERAGES]
        assert len(set(numbers)) == 4
        assert numbers == pytest.approx([0.8194444444, 0.8298611111, 0.8337962963, 0.8486111111])
        assert areas.one_vs_rest.mean() == areas.one_vs_rest_macro  # what is drawn is what is averaged

    def test_trap_6_columns_follow_the_sorted_labels_or_the_classes(self):
        turned = [row[::-1] for row in PROBABILITIES]
        assert areas_of(LABELS, PROBABILITIES).classes == ("cat", "cow", "dog")
        named = areas_of(LABELS, turned, classes=["dog", "cow", "cat"])
        assert named.one_vs_one_macro == pytest.approx(areas_of(LABELS, PROBABILITIES).one_vs_one_macro)
        assert areas_of(LABELS, turned).one_vs_rest[0] < 0.5  # never flipped (trap 5)

    def test_labels_of_another_kind_are_other_labels(self):
        with pytest.raises(LabelError, match="not among the classes: 0, 1 and 2"):
            areas_of([0, 1, 2], np.eye(3), classes=["0", "1", "2"])

    def test_arrays_are_read_only(self):
        areas = areas_of(LABELS, PROBABILITIES)
        for array in (areas.prevalence, areas.one_vs_rest, areas.pairwise):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


class TestSources:
    @pytest.mark.parametrize("kind", [np.array, pd.DataFrame, lambda rows: pl.DataFrame(rows, orient="row")])
    def test_any_kind_of_matrix(self, kind):
        expected = areas_of(LABELS, PROBABILITIES)
        assert areas_of(LABELS, kind(PROBABILITIES)).pairwise == pytest.approx(expected.pairwise, nan_ok=True)

    def test_nullable_numbers(self):
        frame = pd.DataFrame(PROBABILITIES).astype("Float64")
        assert areas_of(LABELS, frame).one_vs_rest_macro == pytest.approx(0.8337962963)
        frame.iloc[1, 2] = pd.NA
        with pytest.raises(MissingValueError, match="1 of 6"):
            areas_of(LABELS, frame)

    def test_masked_values_are_missing(self):
        masked = np.ma.masked_less(np.array(PROBABILITIES), 0.2)
        with pytest.raises(MissingValueError):
            areas_of(LABELS, masked)

    def test_trap_2_float32_is_compared_as_it_is(self):
        neighbours = np.array([[0.5, 0.5], [np.nextafter(np.float32(0.5), np.float32(1)), 0.5]], dtype=np.float32)
        assert areas_of([1, 0], neighbours).one_vs_rest.tolist() == [1, 0.5]

    def test_dropped_rows_are_counted(self):
        holed = np.array([*PROBABILITIES, [np.nan, 0.5, 0.5]])
        areas = areas_of([*LABELS, "cow"], holed, missing="drop")
        assert areas.dropped == 1
        assert areas.one_vs_rest_macro == pytest.approx(0.8337962963)
        rankings = segment([*LABELS, "cow"], holed, missing="drop").rankings
        assert {ranking.dropped for ranking in rankings.values()} == {1}


class TestRefusals:
    def test_trap_7_a_class_without_rows_is_named(self):
        for labels, classes in ((LABELS, ["cat", "cow", "dog", "emu"]), (["cat", "cat"], ["cat", "emu"])):
            matrix = np.full((len(labels), len(classes)), 1 / len(classes))
            with pytest.raises(OneClassError, match="no case is of class 'emu' among"):
                areas_of(labels, matrix, classes=classes)

    def test_an_area_of_three_classes_has_to_be_named(self):
        segments = segment(LABELS, PROBABILITIES)
        for name in AVERAGES:
            assert auc(segments, average=name) == getattr(segments.areas, name)
        with pytest.raises(ArgumentError) as caught:
            auc(segments)
        assert all(name in caught.value.fix for name in AVERAGES)
        unknown: Any = "macro"
        with pytest.raises(ArgumentError, match="average must be"):
            auc(segments, average=unknown)
        with pytest.raises(ArgumentError, match="leave average"):
            auc(segments.ranking("cat"), average="one_vs_one_macro")

    def test_the_area_of_two_classes_needs_no_name(self):
        segments = segment(["a", "b", "b", "a"], [[0.7, 0.3], [0.2, 0.8], [0.6, 0.4], [0.6, 0.4]])
        assert auc(segments) == auc(segments.ranking("b"))
