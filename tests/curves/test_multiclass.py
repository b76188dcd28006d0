import itertools
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from thresher.curves import auc
from thresher.curves.multiclass import multiclass_auc, one_vs_rest_rankings
from thresher.errors import (
    EmptyError,
    LabelError,
    LengthError,
    MissingValueError,
    OneClassError,
    ProbabilityError,
    ScoreError,
    ThresherError,
    WeightError,
)
from thresher.inputs import rank

LABELS = ["cat", "cat", "cat", "cow", "cow", "dog"]
PROBABILITIES = [[0.7, 0.2, 0.1], [0.4, 0.1, 0.5], [0.6, 0.3, 0.1], [0.3, 0.6, 0.1], [0.5, 0.3, 0.2], [0.2, 0.5, 0.3]]
AVERAGES = ["one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro", "one_vs_one_weighted"]


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
        areas, expected = multiclass_auc(labels, probabilities), pairwise_by_definition(labels, probabilities)
        assert areas.pairwise == pytest.approx(expected, nan_ok=True)
        k = len(areas.classes)
        mean_area = 2 / (k * (k - 1)) * sum((expected[i, j] + expected[j, i]) / 2 for i in range(k) for j in range(i))
        assert areas.one_vs_one_macro == pytest.approx(mean_area)

    @given(rows(fewest_classes=3))
    def test_scikit_learn_agrees(self, data):
        labels, probabilities = data
        areas = multiclass_auc(labels, probabilities)
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
        areas = multiclass_auc(labels, probabilities, weights=weights)
        for ours, average in ((areas.one_vs_rest_macro, "macro"), (areas.one_vs_rest, None)):
            theirs = roc_auc_score(labels, probabilities, multi_class="ovr", average=average, sample_weight=weights)
            assert ours == pytest.approx(theirs, abs=1e-9)


class TestLaws:
    @given(rows())
    def test_one_vs_rest_is_the_mean_of_pairs_weighted_by_the_other_class(self, data):
        labels, probabilities = data
        areas = multiclass_auc(labels, probabilities)
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
        weighted = multiclass_auc(labels, probabilities, weights=weights)
        repeated = multiclass_auc(np.repeat(labels, weights), np.repeat(probabilities, weights, axis=0))
        assert weighted.pairwise == pytest.approx(repeated.pairwise, nan_ok=True)
        for name in AVERAGES:
            assert getattr(weighted, name) == pytest.approx(getattr(repeated, name))

    @given(rows(), st.randoms())
    def test_order_of_rows_and_columns_is_irrelevant(self, data, random):
        labels, probabilities = data
        row, turned = list(range(labels.size)), list(range(probabilities.shape[1]))
        random.shuffle(row)
        random.shuffle(turned)
        one = multiclass_auc(labels, probabilities)
        other = multiclass_auc(labels[row], probabilities[row][:, turned], classes=turned)
        assert other.classes == tuple(turned)
        assert other.one_vs_rest.tolist() == one.one_vs_rest[turned].tolist()
        for name in AVERAGES:
            assert getattr(one, name) == pytest.approx(getattr(other, name))

    @given(rows())
    def test_the_rankings_are_those_of_rank(self, data):
        labels, probabilities = data
        rankings = one_vs_rest_rankings(labels, probabilities)
        areas = multiclass_auc(labels, probabilities).one_vs_rest
        for (name, ranking), area in zip(rankings.items(), areas, strict=True):
            assert ranking == rank(labels == name, probabilities[:, name])
            assert auc(ranking) == area

    def test_two_classes_are_one_ranking(self):
        labels, scores = np.array([0, 0, 1, 1, 0]), np.array([0.1, 0.5, 0.5, 0.9, 0.7])
        areas = multiclass_auc(labels, np.column_stack([1 - scores, scores]))
        assert {getattr(areas, name) for name in AVERAGES} == {auc(rank(labels, scores))}

    def test_trap_10_a_perfect_model_has_exactly_1(self):
        areas = multiclass_auc(
            [0, 0, 1, 2, 2, 2, 2], np.eye(3)[[0, 0, 1, 2, 2, 2, 2]], weights=[0.1, 0.7, 1, 2, 3, 4, 5]
        )
        assert [getattr(areas, name) for name in AVERAGES] == [1, 1, 1, 1]


class TestNames:
    def test_trap_30_four_averages_four_names_four_numbers(self):
        areas = multiclass_auc(LABELS, PROBABILITIES)
        numbers = [getattr(areas, name) for name in AVERAGES]
        assert len(set(numbers)) == 4
        assert numbers == pytest.approx([0.8337962963, 0.8486111111, 0.8194444444, 0.8298611111])
        assert areas.one_vs_rest.mean() == areas.one_vs_rest_macro  # what is drawn is what is averaged

    def test_trap_6_columns_follow_the_sorted_labels_or_the_classes(self):
        turned = [row[::-1] for row in PROBABILITIES]
        assert multiclass_auc(LABELS, PROBABILITIES).classes == ("cat", "cow", "dog")
        named = multiclass_auc(LABELS, turned, classes=["dog", "cow", "cat"])
        assert named.one_vs_one_macro == pytest.approx(multiclass_auc(LABELS, PROBABILITIES).one_vs_one_macro)
        assert multiclass_auc(LABELS, turned).one_vs_rest[0] < 0.5  # never flipped (trap 5)

    def test_labels_of_another_kind_are_other_labels(self):
        with pytest.raises(LabelError, match="not among the classes: 0, 1 and 2"):
            multiclass_auc([0, 1, 2], np.eye(3), classes=["0", "1", "2"])

    def test_arrays_are_read_only(self):
        areas = multiclass_auc(LABELS, PROBABILITIES)
        for array in (areas.prevalence, areas.one_vs_rest, areas.pairwise):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


class TestSources:
    @pytest.mark.parametrize("kind", [np.array, pd.DataFrame, lambda rows: pl.DataFrame(rows, orient="row")])
    def test_any_kind_of_matrix(self, kind):
        expected = multiclass_auc(LABELS, PROBABILITIES)
        assert multiclass_auc(LABELS, kind(PROBABILITIES)).pairwise == pytest.approx(expected.pairwise, nan_ok=True)

    def test_nullable_numbers(self):
        frame = pd.DataFrame(PROBABILITIES).astype("Float64")
        assert multiclass_auc(LABELS, frame).one_vs_rest_macro == pytest.approx(0.8337962963)
        frame.iloc[1, 2] = pd.NA
        with pytest.raises(MissingValueError, match="1 of 6"):
            multiclass_auc(LABELS, frame)

    def test_masked_values_are_missing(self):
        masked = np.ma.masked_less(np.array(PROBABILITIES), 0.2)
        with pytest.raises(MissingValueError):
            multiclass_auc(LABELS, masked)

    def test_trap_2_float32_is_compared_as_it_is(self):
        neighbours = np.array([[0.5, 0.5], [np.nextafter(np.float32(0.5), np.float32(1)), 0.5]], dtype=np.float32)
        assert multiclass_auc([1, 0], neighbours).one_vs_rest.tolist() == [1, 0.5]

    def test_dropped_rows_are_counted(self):
        holed = np.array([*PROBABILITIES, [np.nan, 0.5, 0.5]])
        areas = multiclass_auc([*LABELS, "cow"], holed, missing="drop")
        assert areas.dropped == 1
        assert areas.one_vs_rest_macro == pytest.approx(0.8337962963)
        rankings = one_vs_rest_rankings([*LABELS, "cow"], holed, missing="drop")
        assert {ranking.dropped for ranking in rankings.values()} == {1}


@pytest.mark.parametrize("function", [multiclass_auc, one_vs_rest_rankings])
class TestBadInput:
    @pytest.mark.parametrize("probabilities", [[0.1] * 6, 0.5, np.zeros((6, 3, 1)), [[0.1], [0.2, 0.3]]])
    def test_no_matrix(self, function, probabilities):
        with pytest.raises(LengthError, match="has rows and columns"):
            function(LABELS, probabilities)

    def test_lengths_that_differ(self, function):
        with pytest.raises(LengthError, match="labels 5, "):
            function(LABELS[:5], PROBABILITIES)

    @pytest.mark.parametrize("classes", [None, ["cat", "cow", "dog"]])
    def test_another_number_of_columns(self, function, classes):
        with pytest.raises(LengthError, match="2 columns, and there are 3 classes"):
            function(LABELS, np.array(PROBABILITIES)[:, :2], classes=classes)

    def test_trap_7_a_class_without_rows_is_named(self, function):
        with pytest.raises(OneClassError, match="class 'emu' has no rows among 6"):
            function(LABELS, np.full((6, 4), 0.25), classes=["cat", "cow", "dog", "emu"])

    def test_trap_7_a_class_of_weight_0_is_a_class_without_rows(self, function):
        with pytest.raises(OneClassError, match="class 'dog' has no rows"):
            function(LABELS, PROBABILITIES, classes=["cat", "cow", "dog"], weights=[1, 1, 1, 1, 1, 0])

    @pytest.mark.parametrize("columns", [1, 3])
    def test_trap_7_one_class_only(self, function, columns):
        with pytest.raises(OneClassError, match="all rows are of class 'cat'"):
            function(["cat", "cat"], np.full((2, columns), 0.5))

    def test_trap_8_nan_is_refused_with_counts_and_rows(self, function):
        holed = np.array(PROBABILITIES)
        holed[[1, 4], 2] = math.nan
        with pytest.raises(MissingValueError, match=r"2 of 6 probabilities\[:, 2\] are missing or NaN .*rows 1, 4"):
            function(LABELS, holed)

    @pytest.mark.parametrize("bad", [-0.1, 1.1, math.inf, -math.inf])
    def test_trap_31_outside_of_0_and_1(self, function, bad):
        outside = np.array(PROBABILITIES)
        outside[3, 1] = bad
        with pytest.raises(ProbabilityError, match=r"1 of 6 numbers in probabilities\[:, 1\] lie outside .* at row 3"):
            function(LABELS, outside)

    def test_no_numbers(self, function):
        with pytest.raises(ScoreError, match="must be numbers"):
            function(["a", "b"], [["0.1", "0.9"], ["0.5", "0.5"]])

    def test_bad_weights(self, function):
        with pytest.raises(WeightError):
            function(LABELS, PROBABILITIES, weights=[1, 1, 1, 1, 1, -1])

    def test_no_rows(self, function):
        with pytest.raises(EmptyError):
            function([], np.empty((0, 3)))

    def test_errors_name_the_function(self, function):
        with pytest.raises(ThresherError) as caught:
            function(LABELS, [0.5])
        assert caught.value.where == f"{function.__name__}(labels, probabilities)"
