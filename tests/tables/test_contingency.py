import copy
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import thresher as th
from tests import reference
from tests.strategies import labelled_scores, rows_of, weights

SPAM = th.Contingency(tp=30, fn=20, fp=10, tn=40)
SPAM_TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])


def cells(table):
    return table.tp, table.fn, table.fp, table.tn


class TestCells:
    @pytest.mark.parametrize(
        ("value", "words"),
        [
            (-1, "tn is -1,"),
            (-0.5, "tn is -0.5,"),
            (math.inf, "tn is inf,"),
            (2**62, "tn is 4611686018427387904,"),
            (2**70, "tn is 1180591620717411303424,"),
            ("1", "tn is '1',"),
            (None, "tn is None,"),
            (1j, "tn is 1j,"),
            ([1, -2, 3], "tn is -2,"),
            (math.nan, "tn is nan,"),
            ([1.0, math.nan], "tn is nan,"),
            ([1.0, math.inf], "tn is inf,"),
            (np.array([2**64 - 1], dtype=np.uint64), "tn is 18446744073709551615,"),
        ],
        ids=str,
    )
    def test_a_cell_is_a_count_or_a_weight(self, value, words):
        with pytest.raises(th.errors.WeightError, match=words):
            th.Contingency(1, 1, 1, value)

    def test_undefined_tables_are_computed_and_travel(self):
        undefined = th.Contingency(0, 0, 0, 0).proportions
        assert math.isnan(undefined.tp)
        assert math.isnan(pickle.loads(pickle.dumps(undefined)).tp)  # noqa: S301

    def test_cells_have_one_shape_or_none(self):
        with pytest.raises(th.errors.LengthError, match=r"\(2,\), \(3,\)"):
            th.Contingency([1, 2], [1, 2], [1, 2], [1, 2, 3])
        assert th.Contingency([1, 2], 3, [1, 2], 4).total.tolist() == [9, 11]

    @pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.int32, np.uint64])
    def test_narrow_counts_do_not_wrap(self, dtype):
        most = np.array([min(np.iinfo(dtype).max, 10**18)], dtype)
        assert th.Contingency(most, most, most, most).total.tolist() == [4 * int(most[0])]

    def test_narrow_floats_neither_overflow_nor_round(self):
        for dtype, most in ((np.float16, 60000), (np.float32, 2**24)):
            one = np.array([most], dtype)
            assert th.Contingency(one, one, one, np.ones(1)).total.tolist() == [3 * most + 1]

    def test_scalars_become_python_numbers(self):
        for one in (1, True, np.int8(1), np.array(1), np.uint64(1)):
            table = th.Contingency(one, 2, 3, 4)
            assert type(table.tp) is int
            assert table == th.Contingency(1, 2, 3, 4)
        assert type(th.Contingency(np.float32(0.5), 2, 3, 4).tp) is float

    def test_arrays_are_copied_and_cannot_be_written(self):
        counts = np.array([1, 2])
        table = th.Contingency(counts, counts, counts, counts)
        counts[0] = 99
        assert table.tp.tolist() == [1, 2]
        with pytest.raises(ValueError, match="read-only"):
            table.tp[0] = 5

    def test_no_splits_at_all(self):
        assert th.Contingency([], [], [], []).accuracy.tolist() == []


class TestIsAValue:
    @pytest.mark.parametrize("twin", [lambda t: pickle.loads(pickle.dumps(t)), copy.copy, copy.deepcopy])  # noqa: S301
    @pytest.mark.parametrize("table", [SPAM, th.Contingency([1, 2], [3, 4], 5, [0.5, 6]), th.coverage(SPAM_TREE)])
    def test_copies_are_equal_and_as_closed(self, twin, table):
        again = twin(table)
        assert type(again) is type(table)
        assert again == table
        assert repr(again) == repr(table)
        if isinstance(table.tp, np.ndarray):
            assert not again.tp.flags.writeable

    def test_equality_is_by_cells(self):
        assert th.Contingency(30, 20, 10, 40) == SPAM
        assert th.Contingency(30, 20, 40, 10) != SPAM
        assert SPAM != (30, 20, 10, 40)

    def test_cells_cannot_be_set(self):
        with pytest.raises(AttributeError):
            SPAM.tp = 3  # type: ignore[misc]


class TestMeasures:
    def test_large_counts_do_not_overflow_in_products(self):
        """Trap 10: int64 products wrap near 3e9 cases of each class."""
        one, many = 10**9, 4 * 10**9
        small = th.Contingency(4, 1, 1, 4)
        scalar = th.Contingency(many, one, one, many)
        array = th.Contingency(*(np.array([cell]) for cell in (many, one, one, many)))
        for known in th.MEASURES.values():
            assert known.of(scalar) == pytest.approx(known.of(small), rel=1e-12), known.name
            assert known.of(array)[0] == pytest.approx(known.of(small), rel=1e-12), known.name

    @given(st.tuples(*[st.integers(0, 50)] * 4))
    def test_textbook_formulas(self, counts):
        tp, fn, fp, tn = counts
        t = th.Contingency(tp, fn, fp, tn)
        assume(0 not in (tp + fn, fp + tn, tp + fp, fn + tn))
        total = sum(counts)
        expected = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / total**2
        close = pytest.approx
        assert t.mcc == close((tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
        assert t.kappa == close((t.accuracy - expected) / (1 - expected))
        assert t.average_recall == close((t.tpr + t.tnr) / 2)
        assert t.balanced_error_rate == close(1 - t.average_recall)
        assert t.youden_j == close(t.tpr - t.fpr)
        assert t.markedness == close(t.precision + t.npv - 1)
        assert t.g_mean == close(math.sqrt(t.tpr * t.tnr))
        assert t.lift == close(t.precision / t.prevalence)
        assert t.error_rate == close(1 - t.accuracy)
        if tp:
            assert t.f1 == close(2 * t.precision * t.recall / (t.precision + t.recall))
            assert t.jaccard == close(t.f1 / (2 - t.f1))
        if fp and tn:
            assert t.lr_plus == close(t.tpr / t.fpr)
            assert t.lr_minus == close(t.fnr / t.tnr)
            assert t.dor == (close(t.lr_plus / t.lr_minus) if t.lr_minus else math.inf)

    @pytest.mark.parametrize("beta", [0, -1, math.nan, math.inf, 1e200, 1e-200])
    def test_beta_is_above_zero(self, beta):
        with pytest.raises(th.errors.ArgumentError, match="beta must be above 0"):
            SPAM.f_beta(beta)

    def test_large_beta_is_recall_and_small_beta_precision(self):
        assert SPAM.f_beta(1e6) == pytest.approx(SPAM.recall)
        assert SPAM.f_beta(1e-6) == pytest.approx(SPAM.precision)

    def test_words_are_for_one_table(self):
        with pytest.raises(th.errors.ArgumentError, match="4 splits"):
            th.coverage(SPAM_TREE).describe("precision")


class TestOtherTables:
    def test_proportions_add_up_to_one(self):
        assert cells(SPAM.proportions) == (0.3, 0.2, 0.1, 0.4)

    @pytest.mark.parametrize("ratio", [0, -1, math.nan, math.inf])
    def test_a_class_ratio_is_above_zero(self, ratio):
        with pytest.raises(th.errors.ArgumentError, match="class_ratio must be above 0"):
            SPAM.at_class_ratio(ratio)

    def test_another_class_ratio_keeps_the_rates_and_the_size(self):
        other = SPAM.at_class_ratio(0.25)
        assert (other.tpr, other.fpr) == pytest.approx((SPAM.tpr, SPAM.fpr))
        assert (other.total, other.class_ratio) == pytest.approx((100, 0.25))

    def test_an_absent_class_stays_undefined_at_any_ratio(self):
        other = th.Contingency(0, 0, 10, 40).at_class_ratio(1)
        assert math.isnan(other.tp)
        assert math.isnan(other.accuracy)
        assert other.fpr == pytest.approx(0.2)

    def test_the_independent_table_has_the_same_marginals_and_no_information(self):
        other = th.Contingency([60, 3], [15, 4], [10, 1], [15, 8]).independent()
        assert other.Pos.tolist() == pytest.approx([75, 7])
        assert other.predicted_positive.tolist() == pytest.approx([70, 4])
        assert other.youden_j.tolist() == pytest.approx([0, 0], abs=1e-15)

    @pytest.mark.parametrize(
        ("better", "worse", "answer"),
        [
            ((30, 20, 10, 40), (20, 30, 20, 30), True),
            ((20, 30, 20, 30), (30, 20, 10, 40), False),
            ((30, 20, 10, 40), (30, 20, 10, 40), False),
            ((30, 20, 10, 40), (30, 20, 11, 39), True),
            ((31, 19, 10, 40), (30, 20, 10, 40), True),
            ((40, 10, 20, 30), (30, 20, 10, 40), False),
            ((300, 200, 10, 40), (30, 20, 10, 40), False),  # the same rates on more positives
            ((10**18, 0, 1, 10**18), (10**18 - 1, 1, 1, 10**18), True),  # floats could not tell
        ],
    )
    def test_dominance_is_by_both_rates(self, better, worse, answer):
        assert th.Contingency(*better).dominates(th.Contingency(*worse)) is answer

    def test_dominance_of_many_at_once(self):
        curve = th.coverage(SPAM_TREE)
        assert SPAM.dominates(curve).tolist() == [False, False, False, False]
        assert th.Contingency(50, 0, 0, 50).dominates(curve).all()


class TestShown:
    def test_a_table_is_printed_with_its_marginals(self):
        assert str(th.Contingency(1234, 6, 10, 40)).split("\n") == [
            "           pred. +   pred. -   total",
            "actual +     1,234         6   1,240",
            "actual -        10        40      50",
            "total        1,244        46   1,290",
        ]

    def test_many_tables_are_not(self):
        assert str(th.Contingency([1, 2], 1, 1, 1)) == "Contingency(tp=[1 2], fn=1, fp=1, tn=1)"


class TestFromPredictions:
    def test_counts(self):
        assert cells(th.contingency([1, 1, 0, 0, 1], [1, 0, 1, 0, 1])) == (2, 1, 1, 1)

    @pytest.mark.parametrize(
        ("labels", "predictions", "positive"),
        [
            ([1, 0, 1], [True, True, False], None),
            (pd.Series([1, 0, 1], dtype="Int64"), np.array([1.0, 1.0, 0.0]), None),
            (["y", "n", "y"], pd.Series(["y", "y", "n"], dtype="category"), "y"),
            (np.array(["yes", "n", "yes"]), np.array(["yes", "yes", "n"], dtype=object), "yes"),
            (np.array(["y", "n", "y"]), np.array(["y", "y", "n"], dtype=np.dtypes.StringDType()), "y"),
            ([1, -1, 1], [1, 1, -1], 1),
        ],
    )
    def test_both_columns_go_through_the_one_encoder(self, labels, predictions, positive):
        assert cells(th.contingency(labels, predictions, positive=positive)) == (1, 1, 1, 0)

    def test_a_class_may_appear_in_one_of_the_columns_only(self):
        assert cells(th.contingency(["a", "a"], ["b", "a"], positive="b")) == (0, 0, 1, 1)
        assert cells(th.contingency([1, 1], [0, 0])) == (0, 2, 0, 0)

    @pytest.mark.parametrize(
        ("labels", "predictions"),
        [
            ([1, 0], [0.7, 0.2]),  # scores are not predictions
            (["1", "0"], [1, 0]),
            ([True, False], [1, -1]),
            (["a", "b"], ["a", "c"]),
            (np.array(["a", "b"]), np.array([b"a", b"b"])),
            (np.array(["2020", "2021"], "M8[Y]"), np.array([1, 2])),
            (np.array(["a", "b"], dtype=np.dtypes.StringDType()), np.array([1, 2])),
        ],
    )
    def test_columns_that_speak_of_different_labels_are_refused(self, labels, predictions):
        with pytest.raises(th.errors.LabelError, match=r"predictions hold .*, and the labels are"):
            th.contingency(labels, predictions, positive=labels[0])

    def test_weights(self):
        table = th.contingency([1, 0, 1], [1, 1, 0], weights=[0.5, 2, 0])
        assert cells(table) == (0.5, 0, 2, 0)
        with pytest.raises(th.errors.WeightError, match="1 of 3 weights"):
            th.contingency([1, 0, 1], [1, 1, 0], weights=[1, 1, -1])

    def test_bad_rows(self):
        with pytest.raises(th.errors.EmptyError):
            th.contingency([], [])
        with pytest.raises(th.errors.LengthError, match="labels 2, predictions 1"):
            th.contingency([1, 0], [1])
        with pytest.raises(th.errors.MissingValueError, match="1 of 2 predictions"):
            th.contingency([1, 0], [1, None])
        assert cells(th.contingency([1, 0], [1, None], missing="drop")) == (1, 0, 0, 0)


class TestAtThreshold:
    @given(labelled_scores(), st.data())
    def test_it_is_the_count_of_rows(self, rows, data):
        labels, scores = rows
        ranked = th.rank(labels, scores)
        at = data.draw(
            st.one_of(st.sampled_from(scores.tolist()).map(float), st.floats(allow_nan=False), st.just(math.inf))
        )
        assert cells(th.tables.contingency_at(ranked, at)) == reference.table(rows_of(labels, scores), at)

    @given(labelled_scores(max_size=15), st.data())
    def test_with_weights_too(self, rows, data):
        labels, scores = rows
        weight = data.draw(st.lists(weights, min_size=labels.size, max_size=labels.size).filter(any))
        at = float(data.draw(st.sampled_from(scores.tolist())))
        table = th.tables.contingency_at(th.rank(labels, scores, weights=weight), at)
        assert cells(table) == reference.table(rows_of(labels, scores, weight), at)

    def test_many_thresholds_in_any_order(self):
        table = th.tables.contingency_at(SPAM_TREE, [0, math.inf, 1, -math.inf, 2])
        assert table.tp.tolist() == [30, 0, 30, 50, 20]
        assert table.fp.tolist() == [10, 0, 10, 50, 5]

    def test_a_threshold_of_infinity_calls_nothing_positive(self):
        r = th.Ranking([math.inf, 1], [1, 0], [0, 1])
        assert cells(th.tables.contingency_at(r, math.inf)) == (0, 1, 0, 1)
        assert cells(th.tables.contingency_at(r, r.threshold(1))) == (1, 0, 0, 1)

    def test_one_class_is_no_obstacle(self):
        assert cells(th.tables.contingency_at(th.Ranking.parse("[2+][1+]"), 2)) == (2, 1, 0, 0)

    @pytest.mark.parametrize("threshold", [math.nan, [0.5, math.nan], "x", None, 1j])
    def test_a_threshold_is_a_number(self, threshold):
        with pytest.raises(th.errors.ArgumentError, match="a threshold is"):
            th.tables.contingency_at(SPAM_TREE, threshold)
