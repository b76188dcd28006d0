import json
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from tests.golden import multiclass as golden
from thresher.errors import (
    ArgumentError,
    EmptyError,
    LabelError,
    LengthError,
    MeasureError,
    MissingValueError,
    NotationError,
    WeightError,
)
from thresher.tables import ConfusionMatrix, Contingency, confusion, contingency

AVERAGES = [f"{how}_{of}" for how in ("micro", "macro", "weighted") for of in ("precision", "recall", "f1")]


@st.composite
def rows(draw, most_classes=5):
    """Labels and predictions in which every class occurs and is predicted, so that every measure has a value."""
    k = draw(st.integers(2, most_classes))
    extra = draw(st.lists(st.tuples(st.integers(0, k - 1), st.integers(0, k - 1)), max_size=40))
    predicted = draw(st.permutations(range(k)))
    pairs = [*zip(range(k), predicted, strict=True), *extra]
    return [a for a, _ in pairs], [b for _, b in pairs]


@st.composite
def matrices(draw):
    k = draw(st.integers(1, 4))
    cells = st.lists(st.integers(0, 5), min_size=k, max_size=k)
    return ConfusionMatrix(draw(st.lists(cells, min_size=k, max_size=k)), list("abcd"[:k]))


class TestGolden:
    @pytest.mark.parametrize("case", golden.M1, ids=lambda case: case.id)
    def test_m1_reviews(self, case):
        matrix = ConfusionMatrix(case.counts, golden.REVIEWS)
        assert matrix.overall_accuracy == case.overall_accuracy
        assert matrix.mean_class_accuracy == pytest.approx(case.mean_class_accuracy, abs=1e-15)
        assert matrix.mean_class_accuracy == pytest.approx(0.80504, abs=5e-6)

    def test_m2_precision_recall_and_their_averages(self):
        matrix = ConfusionMatrix(golden.M2_COUNTS, golden.REVIEWS)
        precision, recall = np.array(golden.M2_PRECISION), np.array(golden.M2_RECALL)
        f1 = 2 * precision * recall / (precision + recall)
        share = np.array(golden.M2_CASES) / 10_000
        assert matrix.precision.tolist() == golden.M2_PRECISION
        assert matrix.recall.tolist() == golden.M2_RECALL
        for name, each in {"precision": precision, "recall": recall, "f1": f1}.items():
            assert getattr(matrix, name) == pytest.approx(each)
            assert getattr(matrix, f"macro_{name}") == pytest.approx(each.mean())
            assert getattr(matrix, f"weighted_{name}") == pytest.approx(share @ each)

    def test_m2_micro_averages_are_the_overall_accuracy(self):
        matrix = ConfusionMatrix(golden.M2_COUNTS, golden.REVIEWS)
        assert matrix.micro_precision == matrix.micro_recall == matrix.micro_f1 == matrix.overall_accuracy == 0.93

    def test_c5_always_negative_has_mean_class_accuracy_one_half(self):
        matrix = ConfusionMatrix([[95, 0], [5, 0]], ["-", "+"])
        assert (matrix.overall_accuracy, matrix.mean_class_accuracy) == (0.95, 0.5)
        assert np.isnan(matrix.precision).tolist() == [False, True]


class TestAgainstOracles:
    @given(rows())
    def test_counts_row_by_row(self, data):
        labels, predictions = data
        matrix = confusion(labels, predictions)
        slow = [
            [sum(a == i and b == j for a, b in zip(labels, predictions, strict=True)) for j in matrix.classes]
            for i in matrix.classes
        ]
        assert matrix.counts.tolist() == slow
        assert matrix.counts.dtype == np.int64

    @given(rows())
    def test_mcc_is_the_correlation_of_indicators(self, data):
        labels, predictions = (np.array(values) for values in data)
        of = np.unique(labels)
        x, y = (np.equal.outer(values, of).astype(float) for values in (predictions, labels))

        def covariance(a: Any, b: Any) -> Any:
            return np.mean((a - a.mean(axis=0)) * (b - b.mean(axis=0)), axis=0).sum()

        expected = covariance(x, y) / math.sqrt(covariance(x, x) * covariance(y, y))
        assert confusion(labels, predictions).mcc == pytest.approx(expected, abs=1e-12)

    @given(rows())
    def test_scikit_learn_agrees(self, data):
        labels, predictions = data
        matrix = confusion(labels, predictions)
        assert matrix.counts.tolist() == metrics.confusion_matrix(labels, predictions).tolist()
        assert matrix.overall_accuracy == pytest.approx(metrics.accuracy_score(labels, predictions))
        assert matrix.mean_class_accuracy == pytest.approx(metrics.balanced_accuracy_score(labels, predictions))
        assert matrix.mcc == pytest.approx(metrics.matthews_corrcoef(labels, predictions), abs=1e-12)
        assert matrix.kappa == pytest.approx(metrics.cohen_kappa_score(labels, predictions), abs=1e-12)
        for how in ("micro", "macro", "weighted"):
            precision, recall, f1, _ = metrics.precision_recall_fscore_support(labels, predictions, average=how)
            assert getattr(matrix, f"{how}_precision") == pytest.approx(precision)
            assert getattr(matrix, f"{how}_recall") == pytest.approx(recall)
            assert getattr(matrix, f"{how}_f1") == pytest.approx(f1)

    @given(rows(most_classes=2))
    def test_two_classes_are_a_contingency_table(self, data):
        labels, predictions = data
        matrix, table = confusion(labels, predictions), contingency(labels, predictions)
        assert matrix.one_vs_rest(1) == table
        assert matrix.mcc == pytest.approx(table.mcc, abs=1e-15)
        assert matrix.kappa == pytest.approx(table.kappa, abs=1e-15)


class TestLaws:
    @given(matrices())
    def test_each_table_holds_all_cases(self, matrix):
        for i, name in enumerate(matrix.classes):
            table = matrix.one_vs_rest(name)
            assert (table.total, table.Pos, table.predicted_positive) == (
                matrix.total,
                matrix.actual[i],
                matrix.predicted[i],
            )
            assert table.tp == matrix.correct[i]

    @given(rows(), st.integers(0, 45))
    def test_counting_pieces_and_adding_is_counting_all(self, data, cut):
        labels, predictions = data
        classes = sorted(set(labels))
        pieces = [part for part in (slice(0, cut), slice(cut, None)) if labels[part]]
        added = sum(confusion(labels[part], predictions[part], classes=classes) for part in pieces)
        assert added == confusion(labels, predictions, classes=classes)

    @given(rows(), st.data())
    def test_integer_weight_is_the_row_repeated(self, data, draw):
        labels, predictions = data
        weights = draw.draw(st.lists(st.integers(0, 3), min_size=len(labels), max_size=len(labels)).filter(any))
        weighted = confusion(labels, predictions, weights=weights)
        assert weighted == confusion(np.repeat(labels, weights), np.repeat(predictions, weights))
        assert weighted.counts.dtype == np.float64

    @given(matrices())
    def test_json_round_trip_is_the_identity(self, matrix):
        assert ConfusionMatrix.from_json(matrix.to_json()) == matrix
        assert json.loads(json.dumps(matrix.to_dict())) == matrix.to_dict()
        assert pickle.loads(pickle.dumps(matrix)) == matrix  # noqa: S301 - our own bytes

    @given(matrices())
    def test_order_of_classes_is_irrelevant(self, matrix):
        turned = ConfusionMatrix(matrix.counts[::-1, ::-1], matrix.classes[::-1])
        assert matrix.f1 == pytest.approx(turned.f1[::-1], nan_ok=True)
        for name in (*AVERAGES, "overall_accuracy", "mcc", "kappa"):
            assert getattr(matrix, name) == pytest.approx(getattr(turned, name), nan_ok=True), name

    @given(st.lists(st.floats(0.01, 3), min_size=9, max_size=9))
    def test_a_perfect_weighted_matrix_is_exactly_perfect(self, weights):
        labels = [0, 1, 2] * 3
        matrix = confusion(labels, labels, weights=weights)
        assert matrix.overall_accuracy == matrix.mean_class_accuracy == matrix.macro_f1 == 1
        assert 1 - 1e-12 < matrix.mcc <= 1
        assert 1 - 1e-12 < matrix.kappa <= 1
        assert (matrix.per_class.specificity == 1).all()


class TestUndefined:
    def test_trap_12_a_class_never_predicted_has_no_precision(self):
        matrix = confusion(["a", "b", "c"], ["a", "b", "b"])
        assert matrix.precision[:2].tolist() == [1.0, 0.5]
        assert math.isnan(matrix.precision[2])
        assert matrix.one_vs_rest("c").describe("precision") == "precision undefined: nothing is predicted positive"

    def test_macro_average_is_nan_with_its_reason_where_others_put_0(self):
        matrix = confusion(["a", "b", "c"], ["a", "b", "b"])
        assert math.isnan(matrix.macro_precision)
        assert math.isnan(matrix.weighted_precision)
        expected = "undefined: with 'c' as the positive class, nothing is predicted positive"
        assert matrix.describe("macro_precision") == f"macro_precision {expected}"
        assert matrix.describe("weighted_precision") == f"weighted_precision {expected}"
        assert matrix.macro_f1 == pytest.approx((1 + 2 / 3 + 0) / 3)  # F1 of "c" is 0, and defined

    def test_a_class_without_cases_does_not_weigh_but_leaves_the_plain_mean_undefined(self):
        matrix = confusion(["a", "b"], ["a", "b"], classes=["a", "b", "c"])
        assert matrix.weighted_recall == matrix.weighted_precision == matrix.weighted_f1 == 1
        assert math.isnan(matrix.mean_class_accuracy)
        assert "there are no actual positives" in matrix.describe("mean_class_accuracy")
        assert matrix.why_undefined("weighted", "f1") == ""

    def test_trap_13_mcc_without_spread_is_undefined(self):
        one_prediction = ConfusionMatrix([[5, 0], [5, 0]], [0, 1])
        assert math.isnan(one_prediction.mcc)
        assert one_prediction.kappa == 0
        assert one_prediction.describe("mcc").startswith("mcc undefined: all cases are of one class, or")
        one_class = ConfusionMatrix([[5, 0], [0, 0]], [0, 1])
        assert math.isnan(one_class.mcc)
        assert math.isnan(one_class.kappa)
        assert one_class.describe("kappa").startswith("kappa undefined: ")

    def test_weights_of_one_class_leave_mcc_undefined_whatever_they_round_to(self):
        matrix = confusion(
            [0] * 7, [0, 1, 2, 0, 1, 2, 0], classes=[0, 1, 2], weights=[0.1, 0.2, 0.3, 0.7, 1.1, 0.9, 0.6]
        )
        assert math.isnan(matrix.mcc)
        perfect = confusion([0] * 7, [0] * 7, classes=[0, 1], weights=[0.1, 0.2, 0.3, 0.7, 1.1, 0.9, 0.6])
        assert math.isnan(perfect.kappa)

    def test_no_cases_at_all(self):
        matrix = ConfusionMatrix([[0, 0], [0, 0]], ["a", "b"])
        for name in (*AVERAGES, "overall_accuracy", "mean_class_accuracy"):
            assert matrix.describe(name) == f"{name} undefined: there are no cases"
        assert math.isnan(matrix.mcc)
        assert matrix.independent() == matrix


class TestLabels:
    def test_trap_6_the_number_1_is_never_the_text_1(self):
        with pytest.raises(LabelError, match="different kinds have no order: 1, 2, '1' and '2'"):
            confusion([1, 2], ["1", "2"])
        matrix = confusion([1, 1], np.array(["1", "2"]), classes=[1, "1", "2"])
        assert matrix.counts.tolist() == [[0, 1, 1], [0, 0, 0], [0, 0, 0]]
        assert matrix.one_vs_rest("1").tp == matrix.one_vs_rest(1).tp == 0
        assert matrix.one_vs_rest(1).fn == 2

    def test_mixed_kinds_in_one_column(self):
        matrix = confusion(["a", 1, "1"], ["a", "1", 1], classes=["a", 1, "1"])
        assert matrix.counts.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]

    def test_integers_stay_integers_next_to_floats_and_booleans(self):
        assert confusion([0, 1], [0.0, 1.0]).classes == (0, 1)
        assert repr(confusion([0, 1], np.array([True, True]))) == "ConfusionMatrix([[0, 1], [0, 1]], classes=[0, 1])"

    @pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series, pd.Categorical])
    def test_any_kind_of_column(self, kind):
        labels, predictions = kind(["b", "a", "c"]), kind(["b", "a", "a"])
        assert confusion(labels, predictions).counts.tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]

    def test_predictions_alone_may_name_a_class(self):
        assert confusion(["a", "a"], ["a", "b"]).classes == ("a", "b")

    def test_dates_are_labels_too(self):
        days = np.array(["2024-01-02", "2024-01-01"], dtype="datetime64[D]")
        assert confusion(days, days).counts.tolist() == [[1, 0], [0, 1]]
        with pytest.raises(LabelError, match="JSON has no way"):
            confusion(days, days).to_json()

    def test_a_row_of_weight_0_names_no_class(self):
        assert confusion(["a", "b", "zebra"], ["a", "b", "b"], weights=[1, 1, 0]).classes == ("a", "b")


class TestBadInput:
    def test_stray_labels(self):
        with pytest.raises(LabelError, match="1 rows carry labels that are not among the classes: 'cow'"):
            confusion(["cat", "cow"], ["cat", "cat"], classes=["cat", "dog"])

    def test_a_class_named_twice(self):
        with pytest.raises(LabelError, match="names a class twice"):
            ConfusionMatrix([[1, 0], [0, 1]], ["a", "a"])

    def test_lengths_that_differ(self):
        with pytest.raises(LengthError, match="labels 2, predictions 1"):
            confusion([0, 1], [0])

    def test_no_rows(self):
        with pytest.raises(EmptyError, match="no rows"):
            confusion([], [])

    def test_no_classes(self):
        with pytest.raises(EmptyError, match="no classes"):
            ConfusionMatrix(np.empty((0, 0)), [])

    def test_trap_8_missing_labels_are_refused_with_rows_or_dropped_and_counted(self):
        labels, predictions = ["a", None, "b"], ["a", "b", "b"]
        with pytest.raises(MissingValueError, match=r"1 of 3 labels are missing or NaN \(first at rows 1\)"):
            confusion(labels, predictions)
        matrix = confusion(labels, predictions, missing="drop")
        assert matrix.dropped == 1
        assert repr(matrix).endswith("dropped=1)")
        assert (matrix + matrix).dropped == 2
        assert ConfusionMatrix.from_dict(matrix.to_dict()).dropped == 1

    @pytest.mark.parametrize("weights", [[-1, 1], [math.inf, 1]])
    def test_trap_9_bad_weights(self, weights):
        with pytest.raises(WeightError):
            confusion([0, 1], [0, 1], weights=weights)

    @pytest.mark.parametrize("counts", [[[1, 2]], [[1, 2], [3]], [1, 2], 3, np.zeros((3, 3))])
    def test_counts_of_another_shape(self, counts):
        with pytest.raises(LengthError, match="2 classes need 2 rows and columns"):
            ConfusionMatrix(counts, ["a", "b"])

    @pytest.mark.parametrize("bad", [-1, math.nan, math.inf, "3"])
    def test_counts_that_are_no_counts(self, bad):
        with pytest.raises(WeightError, match="finite numbers of 0 or more"):
            ConfusionMatrix([[1, bad], [0, 1]], ["a", "b"])

    def test_trap_10_counts_beyond_what_can_be_added(self):
        with pytest.raises(WeightError, match="add up to"):
            ConfusionMatrix([[2**61, 1], [0, 2**61]], ["a", "b"])

    def test_unknown_class_average_measure_and_name(self):
        matrix = ConfusionMatrix([[1, 0], [0, 1]], ["a", "b"])
        with pytest.raises(LabelError, match="'c' is not among the classes 'a' and 'b'"):
            matrix.one_vs_rest("c")
        with pytest.raises(ArgumentError, match="got 'samples'"):
            matrix.average("samples", "f1")  # type: ignore[arg-type]
        with pytest.raises(MeasureError, match="did you mean precision"):
            matrix.average("macro", "precison")
        with pytest.raises(MeasureError, match="no number called 'precision'"):
            matrix.describe("precision")

    def test_adding_other_classes(self):
        with pytest.raises(LabelError, match="different classes: 'a' and 'b' against 'b' and 'a'"):
            _ = ConfusionMatrix([[1, 0], [0, 1]], ["a", "b"]) + ConfusionMatrix([[1, 0], [0, 1]], ["b", "a"])
        with pytest.raises(TypeError):
            _ = ConfusionMatrix([[1]], ["a"]) + 1  # type: ignore[operator]

    @pytest.mark.parametrize(
        "value",
        [
            {},
            [],
            {"format": "thresher/ranking/1", "counts": [[1]], "classes": ["a"]},
            {"format": "thresher/confusion/1", "counts": [[1]], "classes": "a"},
            {"format": "thresher/confusion/1", "counts": [[1]], "classes": ["a"], "dropped": -1},
        ],
    )
    def test_json_of_something_else(self, value):
        with pytest.raises(NotationError, match="not a confusion matrix"):
            ConfusionMatrix.from_dict(value)
        with pytest.raises(NotationError, match="not JSON"):
            ConfusionMatrix.from_json("{")


class TestObject:
    def test_frozen_and_read_only(self):
        counts = np.array([[1, 0], [0, 1]])
        matrix = ConfusionMatrix(counts, ["a", "b"])
        counts[0, 0] = 7
        assert matrix.counts[0, 0] == 1
        with pytest.raises(AttributeError):
            matrix.dropped = 3  # type: ignore[misc]
        for copy in (matrix, pickle.loads(pickle.dumps(matrix))):  # noqa: S301 - our own bytes
            with pytest.raises(ValueError, match="read-only"):
                copy.counts[0, 0] = 2

    def test_equality_knows_counts_and_classes(self):
        matrix = ConfusionMatrix([[1, 0], [0, 1]], [0, 1])
        assert matrix == ConfusionMatrix([[1.0, 0.0], [0.0, 1.0]], [0, 1])
        assert hash(matrix) == hash(ConfusionMatrix([[1.0, 0.0], [0.0, 1.0]], [0, 1]))
        assert matrix != ConfusionMatrix([[1, 0], [1, 0]], [0, 1])
        assert matrix != ConfusionMatrix([[1, 0], [0, 1]], ["0", "1"])
        assert matrix != "matrix"

    def test_repr_can_be_read_back_and_stays_short(self):
        matrix = ConfusionMatrix([[1, 0], [2, 1]], ["a", "b"])
        assert eval(repr(matrix)) == matrix  # noqa: S307 - our own text
        many = ConfusionMatrix(np.eye(30, dtype=int), range(30))
        assert repr(many) == str(many)
        assert repr(many) == "ConfusionMatrix(30 classes 0, 1, 2, 3, 4, 5, …: 30 cases, overall accuracy 1)"

    def test_text_is_aligned_and_says_undefined(self):
        assert str(ConfusionMatrix([[95, 0], [5, 0]], ["ham", "spam"])).split("\n") == [
            "actual      predicted: ham        spam   total   recall",
            "ham                     95           0      95   1.0000",
            "spam                     5           0       5   0.0000",
            "total                  100           0     100",
            "precision           0.9500   undefined",
            "overall accuracy 0.95, mean class accuracy 0.5",
        ]

    def test_trap_10_products_do_not_overflow(self):
        billions = ConfusionMatrix([[4 * 10**9, 10**9], [10**9, 4 * 10**9]], ["a", "b"])
        assert billions.mcc == pytest.approx(0.6)
        assert billions.kappa == pytest.approx(0.6)
        assert billions.macro_f1 == pytest.approx(0.8)

    def test_every_measure_of_a_table_is_one_of_each_class(self):
        matrix = ConfusionMatrix(golden.M2_COUNTS, golden.REVIEWS)
        assert isinstance(matrix.per_class, Contingency)
        assert matrix.average("macro", "specificity") == pytest.approx(
            np.mean([matrix.one_vs_rest(name).specificity for name in matrix.classes])
        )


REFERRED = ConfusionMatrix([[6, 1, 0, 3], [2, 5, 1, 2], [0, 0, 8, 2]], classes="abc", others=["refer"])


def test_other_actions_are_not_recalled_and_enter_no_precision():
    padded = ConfusionMatrix(np.vstack([REFERRED.counts, np.zeros((1, 4), dtype=int)]), [*"abc", "refer"])
    assert REFERRED.actions == ("a", "b", "c", "refer")
    assert REFERRED.recall.tolist() == [0.6, 0.5, 0.8]
    assert REFERRED.precision.tolist() == [6 / 8, 5 / 6, 8 / 9]
    assert REFERRED.overall_accuracy == padded.overall_accuracy == 19 / 30
    assert REFERRED.micro_precision == 19 / 23
    assert REFERRED.micro_recall == 19 / 30
    assert (REFERRED.mcc, REFERRED.kappa) == (padded.mcc, padded.kappa)
    assert REFERRED.one_vs_rest("a") == padded.one_vs_rest("a") == Contingency(tp=6, fn=4, fp=2, tn=18)
    assert REFERRED.predicted.tolist() == [8, 6, 9, 7]
    assert REFERRED.independent().counts.sum(axis=0).tolist() == pytest.approx([8, 6, 9, 7])
    labels = [*("a" * 10), *("b" * 10), *("c" * 10)]
    calls = [*"aaaaaab", *["refer"] * 3, *"aabbbbbc", *["refer"] * 2, *"cccccccc", *["refer"] * 2]
    assert confusion(labels, calls, others=["refer"]) == REFERRED
    assert confusion(labels, calls, classes="abc", others=["refer"]) == REFERRED


def test_matrices_with_other_actions_travel_add_and_print():
    assert ConfusionMatrix.from_json(REFERRED.to_json()) == REFERRED
    assert pickle.loads(pickle.dumps(REFERRED)) == REFERRED  # noqa: S301 - made here
    assert ConfusionMatrix.from_array(REFERRED.counts.T, "abc", rows="predicted", others=["refer"]) == REFERRED
    assert (REFERRED + REFERRED).predicted.tolist() == [16, 12, 18, 14]
    assert ConfusionMatrix(REFERRED.counts, "abc", others=["wait"]) != REFERRED
    assert repr(REFERRED).endswith("classes=['a', 'b', 'c'], others=['refer'])")
    assert len(REFERRED.to_frame("pandas")) == 12
    assert [line.split() for line in str(REFERRED).splitlines()[:2]] == [
        ["actual", "predicted:", "a", "b", "c", "refer", "total", "recall"],
        ["a", "6", "1", "0", "3", "10", "0.6000"],
    ]
    turned = [line.split() for line in REFERRED.text(rows="predicted").splitlines()]
    assert turned[4] == ["refer", "3", "2", "2", "7"]
    assert turned[6] == ["recall", "0.6000", "0.5000", "0.8000"]
    for wrong in (
        lambda: REFERRED + ConfusionMatrix(np.eye(3), "abc"),
        lambda: ConfusionMatrix(np.eye(3), "abc", 0, "d"),
    ):
        with pytest.raises((LabelError, LengthError), match=r"different actions.*'refer'|with 1 more actions"):
            wrong()
