import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import reference
from tests.strategies import labelled_scores, rows_of, segments_of, weights

LABELS = [1, 0, 1, 0]
SCORES = [0.9, 0.8, 0.8, 0.1]
RANKED = "[1+][1+,1-][1-]"


@given(labelled_scores())
def test_rows_are_counted_as_by_the_reference(rows):
    labels, scores = rows
    ranked = th.rank(labels, scores)
    assert segments_of(ranked) == reference.segments(rows_of(labels, scores))
    assert ranked.pos.dtype == ranked.neg.dtype == np.int64


@given(labelled_scores(), st.data())
def test_weights_are_counted_as_by_the_reference(rows, data):
    labels, scores = rows
    weight = data.draw(st.lists(weights, min_size=labels.size, max_size=labels.size).filter(any))
    ranked = th.rank(labels, scores, weights=weight)
    assert segments_of(ranked) == reference.segments(rows_of(labels, scores, weight))
    assert ranked.weighted


@pytest.mark.parametrize(
    "container",
    [
        list,
        tuple,
        np.array,
        lambda values: np.array(values)[:, np.newaxis],
        lambda values: np.repeat(values, 3)[::3],
        lambda values: np.array(values).astype(">f8"),
        lambda values: np.array(values, dtype=object),
        pd.Series,
        lambda values: pd.Series(values, index=[7, 7, 3, 1]),
        lambda values: pd.Series(values, dtype="Float64"),
        lambda values: pd.DataFrame({"a": values}),
        pl.Series,
        pa.array,
        lambda values: pa.chunked_array([values[:1], values[1:]]),
        np.ma.array,
    ],
)
def test_containers_do_not_matter(container):
    assert str(th.rank(container(LABELS), container(SCORES), weights=None)) == RANKED
    assert th.rank(LABELS, SCORES, weights=container([1.0] * 4)) == th.rank(LABELS, SCORES)


def test_an_index_never_aligns_rows():
    labels = pd.Series(LABELS, index=[3, 2, 1, 0])
    assert str(th.rank(labels, pd.Series(SCORES))) == RANKED


def test_read_only_input_is_enough_and_stays_as_it_is():
    columns = [np.array(LABELS), np.array(SCORES), np.array([2.0, 1.0, 0.0, 1.0])]
    before = [values.copy() for values in columns]
    for values in columns:
        values.flags.writeable = False
    th.rank(columns[0], columns[1])
    th.rank(columns[0], columns[1], weights=columns[2])
    assert [values.tolist() for values in columns] == [values.tolist() for values in before]


def test_later_changes_to_the_input_do_not_reach_the_ranking():
    for flags in (np.array(LABELS), np.array(LABELS, dtype=bool)):
        scores, weight = np.array(SCORES), np.ones(4)
        plain, weighted = th.rank(flags, scores), th.rank(flags, scores, weights=weight)
        flags[:], scores[:], weight[:] = 1, 0.5, 9
        assert str(plain) == RANKED
        assert str(weighted) == "[1.0+][1.0+,1.0-][1.0-]"


@pytest.mark.parametrize("scores", [[math.inf, -math.inf, math.inf, -math.inf], [math.inf] * 4, [-math.inf] * 4])
def test_infinite_scores_are_scores(scores):
    assert segments_of(th.rank(LABELS, scores)) == reference.segments(rows_of(LABELS, np.array(scores)))


def test_one_row():
    assert segments_of(th.rank([1], [0.3])) == [(0.3, 1, 0)]
    assert segments_of(th.rank([False], [np.float32(0.3)], weights=[2])) == [(float(np.float32(0.3)), 0, 2)]


class TestMissing:
    def test_gaps_are_refused_with_counts_and_rows(self):
        with pytest.raises(
            th.errors.MissingValueError, match=r"2 of 4 scores are missing or NaN \(first at rows 1, 3\)"
        ):
            th.rank(LABELS, [0.9, math.nan, 0.8, None])
        with pytest.raises(th.errors.MissingValueError, match=r"1 of 4 labels .* \(first at rows 2\)"):
            th.rank([1, 0, None, 0], SCORES)
        with pytest.raises(th.errors.MissingValueError, match=r"1 of 4 weights .* \(first at rows 0\)"):
            th.rank(LABELS, SCORES, weights=[math.nan, 1, 1, 1])

    @pytest.mark.parametrize(
        "gap", [math.nan, None, Decimal("nan"), pd.NA, pd.NaT, np.float32("nan"), np.datetime64("NaT")]
    )
    def test_or_left_out_and_counted(self, gap):
        ranked = th.rank(LABELS, np.array([0.9, gap, 0.8, 0.1], dtype=object), missing="drop")
        assert str(ranked) == "[1+][1+][1-]"
        assert ranked.dropped == 1

    @pytest.mark.parametrize(
        "weight",
        [
            [1, None, 2, 3],
            np.ma.array([1, 9, 2, 3], mask=[False, True, False, False]),
            pd.Series([1, None, 2, 3], dtype="Int64"),
            pl.Series([1, None, 2, 3]),
            pa.array([1, None, 2, 3]),
        ],
        ids=lambda weight: type(weight).__module__,
    )
    def test_weights_with_gaps_still_count_where_they_are(self, weight):
        ranked = th.rank(LABELS, SCORES, weights=weight, missing="drop")
        assert str(ranked) == "[1.0+][2.0+][3.0-]"
        assert ranked.dropped == 1

    def test_dropping_happens_before_labels_are_judged(self):
        assert th.rank([1, 0, 7], [0.2, 0.1, math.nan], missing="drop").dropped == 1


class TestWeights:
    def test_rows_of_weight_zero_vanish_with_their_score(self):
        assert segments_of(th.rank(LABELS, SCORES, weights=[0, 1, 2, 0])) == [(0.8, 2, 1)]

    @pytest.mark.parametrize(
        ("weight", "message"),
        [
            ([1, -1, 1, -2.5], r"2 of 4 weights are negative or infinite \(first -1 at row 1\)"),
            ([1, 1, 1, math.inf], r"1 of 4 .* \(first inf at row 3\)"),
            (["1", "1", "1", "1"], "weights must be numbers"),
            ([1, 1, 1, "1"], "weights must be numbers"),
            ([1j, 1, 1, 1], "weights must be numbers"),
            ([1e308] * 4, "add up to inf"),
            ([1e-200] * 4, "add up to 4e-200"),
            ([2**70] * 4, "add up to 4.72e"),
        ],
    )
    def test_others_are_refused(self, weight, message):
        with pytest.raises(th.errors.WeightError, match=message):
            th.rank(LABELS, SCORES, weights=weight)

    def test_all_zero_leaves_no_rows(self):
        with pytest.raises(th.errors.EmptyError, match="all weights are 0"):
            th.rank(LABELS, SCORES, weights=[0, 0, 0, 0])

    @pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16, np.float32, object])
    def test_any_number_weighs(self, dtype):
        assert str(th.rank(LABELS, SCORES, weights=np.array([1, 0, 1, 1], dtype))) == "[1.0+][1.0+][1.0-]"

    def test_decimals_weigh(self):
        assert th.rank([1, 0], [2, 1], weights=[Decimal("0.5"), 2]).Pos == 0.5


class TestShape:
    def test_empty(self):
        for nothing in (list[int](), np.zeros(0), np.zeros((0, 1)), pd.Series([], dtype=float)):
            with pytest.raises(th.errors.EmptyError, match="there are no rows"):
                th.rank(nothing, nothing)

    def test_lengths(self):
        with pytest.raises(th.errors.LengthError, match="labels 4, scores 3"):
            th.rank(LABELS, SCORES[:3])
        with pytest.raises(th.errors.LengthError, match="labels 4, scores 4, weights 2"):
            th.rank(LABELS, SCORES, weights=[1, 2])

    def test_a_probability_matrix_is_pointed_out(self):
        with pytest.raises(th.errors.LengthError) as caught:
            th.rank(LABELS, np.zeros((4, 2)))
        assert "scores has shape (4, 2)" in caught.value.what
        assert "scores[:, 1]" in caught.value.fix

    def test_labels_and_scores_swapped_are_noticed(self):
        with pytest.raises(th.errors.LabelError, match="more than two labels"):
            th.rank(SCORES, LABELS)

    def test_everything_beyond_labels_and_scores_is_named(self):
        with pytest.raises(TypeError):
            th.rank(LABELS, SCORES, 1)  # type: ignore[call-arg]
