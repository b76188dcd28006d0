import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.strategies import labelled_scores, rough_weights, weights
from thresher.ranking import Sketch


class Tensor:
    """What a tensor on a device allows: nothing but leaving its graph and its device."""

    def __init__(self, values, *, attached=True, device="cuda", dtype=None):
        self.values = np.asarray(values)
        self.attached, self.device = attached, device
        self.dtype = dtype or f"torch.{self.values.dtype}"

    def detach(self):
        return Tensor(self.values, attached=False, device=self.device, dtype=self.dtype)

    def cpu(self):
        return Tensor(self.values, attached=self.attached, device="cpu", dtype=self.dtype)

    def float(self):
        return Tensor(self.values.astype(np.float32), attached=self.attached, device=self.device)

    def __array__(self, dtype=None, copy=None):
        if self.attached or self.device != "cpu" or self.dtype == "torch.bfloat16":
            raise TypeError("can't convert this tensor to numpy")
        return self.values


def built(batches, **options):
    builder = th.RankingBuilder(**options)
    for batch in batches:
        builder.update(*batch)
    return builder


def cut(rows, places):
    labels, scores = rows
    return list(zip(np.split(labels, sorted(places)), np.split(scores, sorted(places)), strict=True))


places = st.lists(st.integers(0, 40), max_size=6)


@given(labelled_scores(), places)
def test_batches_give_the_ranking_of_all_rows(rows, places):
    builder = built(cut(rows, places))
    assert builder.exact
    assert builder.ranking() == th.rank(*rows)
    assert builder.ranking().pos.dtype == np.int64


@given(labelled_scores(), places, st.data())
def test_weighted_batches_too(rows, places, data):
    labels, scores = rows
    weight = np.array(data.draw(st.lists(weights, min_size=labels.size, max_size=labels.size)))
    if weight.any():
        batches = [(*batch, w) for batch, w in zip(cut(rows, places), np.split(weight, sorted(places)), strict=True)]
        assert built(batches).ranking() == th.rank(labels, scores, weights=weight)


@given(labelled_scores(), labelled_scores())
def test_builders_add_like_their_rows(one, other):
    both = built([one]) + built([other])
    assert both.ranking() == th.rank(*one) + th.rank(*other)
    assert sum([built([one]), built([other])]).ranking() == both.ranking()


@given(labelled_scores(both_classes=True), places, st.integers(2, 8))
def test_beyond_the_budget_bounds_hold_the_truth(rows, places, buckets):
    builder = built(cut(rows, places), buckets=buckets)
    ranking, exact = builder.ranking(), th.rank(*rows)
    assert (ranking.Pos, ranking.Neg) == (exact.Pos, exact.Neg)
    assert builder.exact or len(exact) > buckets
    bounds = th.bounds(ranking, "auc")
    assert bounds.lower <= th.auc(exact) <= bounds.upper
    thresholds = exact.thresholds()
    table, within = th.tables.contingency_at(exact, thresholds), th.curves.table_bounds(ranking, thresholds)
    for cell in ("tp", "fp"):
        least, most = getattr(within.least, cell), getattr(within.most, cell)
        assert ((least <= getattr(table, cell)) & (getattr(table, cell) <= most)).all()


@given(labelled_scores(both_classes=True), labelled_scores(both_classes=True), st.integers(2, 8))
def test_bounded_builders_and_rankings_add(one, other, buckets):
    builders = [built([rows], buckets=buckets) for rows in (one, other)]
    truth = th.auc(th.rank(*one) + th.rank(*other))
    for ranking in (sum(builders).ranking(), builders[0].ranking() + builders[1].ranking()):
        bounds = th.bounds(ranking, "auc")
        assert bounds.lower <= truth <= bounds.upper


@given(labelled_scores(both_classes=True), st.data(), st.integers(2, 8))
def test_bounds_of_weights_allow_for_their_rounding(rows, data, buckets):
    labels, scores = rows
    weight = np.array(data.draw(st.lists(rough_weights, min_size=labels.size, max_size=labels.size)))
    halves = np.arange(labels.size) % 2 == 0
    builder = built([(labels[h], scores[h], weight[h]) for h in (halves, ~halves)], buckets=buckets)
    bounds = th.bounds(builder.ranking(), "auc")
    truth = th.auc(th.rank(labels, scores, weights=weight))
    if not builder.exact:
        assert bounds.lower <= truth <= bounds.upper


class TestMemory:
    def test_it_stays_within_its_budget(self):
        rng = np.random.default_rng(3)
        builder = th.RankingBuilder(buckets=1000)
        for _ in range(200):
            scores = rng.random(500)
            builder.update(rng.random(500) < scores, scores)
            assert sum(len(run) for run in builder._runs) <= 2 * 1000
        ranking = builder.ranking()
        assert len(ranking) <= 2 * 1000
        bounds = th.bounds(ranking, "auc")
        assert bounds.upper - bounds.lower < 4 / 1000

    def test_rows_that_come_sorted_are_no_worse(self):
        scores = np.sort(np.random.default_rng(4).random(100_000))
        labels = np.random.default_rng(5).random(scores.size) < scores
        builder = built(cut((labels, scores), range(0, scores.size, 1000)), buckets=1000)
        bounds = th.bounds(builder.ranking(), "auc")
        assert bounds.lower <= th.auc(th.rank(labels, scores)) <= bounds.upper
        assert bounds.upper - bounds.lower < 4 / 1000

    def test_sums_of_bounded_rankings_stay_tight(self):
        """Ranges drawn freely would overlap in chains, and one range would be left."""
        rng = np.random.default_rng(6)
        parts = []
        for _ in range(4):
            scores = rng.random(20_000)
            parts.append(built([(rng.random(scores.size) < scores, scores)], buckets=1000).ranking())
        bounds = th.bounds(sum(parts), "auc")
        assert bounds.upper - bounds.lower < 8 / 1000

    def test_many_small_batches_are_merged_rarely(self, monkeypatch):
        handled = []

        merge = Sketch.merge

        def counting(parts):
            handled.append(sum(map(len, parts)))
            return merge(parts)

        monkeypatch.setattr(Sketch, "merge", counting)
        scores = np.random.default_rng(7).random(4096)
        built(cut((scores > 0.5, scores), range(0, 4096, 4))).ranking()
        assert sum(handled) <= 2 * 4096 * 12  # 4096 rows, log2(4096) = 12

    def test_batches_are_copied(self):
        labels, scores = np.array([1, 0, 1]), np.array([0.3, 0.2, 0.1])
        builder = built([(labels, scores)])
        before = builder.ranking()
        scores[:] = 9
        labels[:] = 0
        assert builder.ranking() == before == th.rank([1, 0, 1], [0.3, 0.2, 0.1])

    def test_a_ranking_once_given_does_not_change(self):
        builder = built([([1, 0], [0.3, 0.2])])
        first = builder.ranking()
        copied = copy.deepcopy(first)
        builder.update([1, 0], [0.3, 0.1])
        assert first == copied


class TestBatches:
    @pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
    @pytest.mark.parametrize("kind", [np.asarray, Tensor, list])
    @pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_])
    def test_tensors_and_arrays_alike(self, shape, kind, dtype):
        labels = np.array([1, 0, 1], dtype).reshape(shape)
        scores = np.array([0.5, 0.25, 0.125], np.float32).reshape(shape)
        assert built([(kind(labels), kind(scores))]).ranking() == th.rank([1, 0, 1], [0.5, 0.25, 0.125])

    def test_brain_floats_fit_a_float32(self):
        scores = Tensor(np.array([0.5, 0.25]), dtype="torch.bfloat16")
        assert built([([1, 0], scores)]).ranking() == th.rank([1, 0], [0.5, 0.25])
        assert th.rank([1, 0], scores) == th.rank([1, 0], [0.5, 0.25])

    @pytest.mark.parametrize("series", [pd.Series, pl.Series])
    def test_series(self, series):
        assert built([(series([1, 0]), series([0.5, 0.25]))]).ranking() == th.rank([1, 0], [0.5, 0.25])

    @pytest.mark.parametrize("shape", [(2, 2), (1, 4), (2, 1, 2), ()])
    def test_other_shapes_are_refused_with_the_batch(self, shape):
        builder = built([([1, 0], [0.5, 0.25])])
        with pytest.raises(
            th.errors.LengthError, match=r"scores has shape .*, and a column has one dimension\n.*batch 2"
        ):
            builder.update([1] * 4, Tensor(np.ones(shape)))

    def test_an_empty_batch_is_nothing(self):
        builder = built([([], []), ([1, 0], [0.5, 0.25]), (np.zeros((0, 1)), np.zeros((0, 1)))])
        assert builder.ranking() == th.rank([1, 0], [0.5, 0.25])
        assert builder.batches == 3
        with pytest.raises(th.errors.LengthError, match="labels 0, scores 1"):
            builder.update([], [0.5])

    def test_a_batch_of_no_weight_is_nothing(self):
        assert built([([1, 0], [0.5, 0.25], [0, 0]), ([1, 0], [3, 2], [1, 2])]).ranking() == th.rank(
            [1, 0], [3, 2], weights=[1, 2]
        )

    def test_weighted_and_plain_batches_may_mix(self):
        ranking = built([([1, 0], [2, 1]), ([1, 0], [2, 1], [0.5, 0.25])]).ranking()
        assert (ranking.pos.tolist(), ranking.neg.tolist()) == ([1.5, 0.0], [0.0, 1.25])

    def test_nothing_yet(self):
        with pytest.raises(th.errors.EmptyError, match="no rows were counted yet"):
            th.RankingBuilder().ranking()

    def test_it_can_be_pickled_with_a_checkpoint(self):
        builder = built([([1, 0], [0.5, 0.25])])
        again = pickle.loads(pickle.dumps(builder))  # noqa: S301
        again.update([1], [0.1])
        assert again.ranking() == th.rank([1, 0, 1], [0.5, 0.25, 0.1])
        assert builder.ranking() == th.rank([1, 0], [0.5, 0.25])


class TestWhatIsWrong:
    def test_gaps_are_reported_with_their_batch_and_change_nothing(self):
        builder = built([([1, 0], [0.5, 0.25])])
        with pytest.raises(
            th.errors.MissingValueError, match=r"2 of 3 scores are missing or NaN \(first at rows 0, 2\)"
        ) as caught:
            builder.update([1, 0, 1], [np.nan, 1, np.nan])
        assert "batch 2" in caught.value.where
        with pytest.raises(th.errors.MissingValueError, match="1 of 2 labels"):
            builder.update([1, None], [1, 2])
        assert builder.ranking() == th.rank([1, 0], [0.5, 0.25])
        assert builder.batches == 1

    def test_gaps_are_dropped_and_counted_on_request(self):
        builder = built([([1, 0], [0.5, np.nan]), ([np.nan], [1]), ([0], [0.25])], missing="drop")
        assert builder.ranking() == th.rank([1, 0], [0.5, 0.25])
        assert builder.ranking().dropped == builder.dropped == 2
        assert (builder + builder).ranking().dropped == 4

    def test_negative_weights(self):
        with pytest.raises(th.errors.WeightError, match="batch 1"):
            built([([1, 0], [0.5, 0.25], [1, -1])])

    def test_scores_that_are_no_numbers(self):
        with pytest.raises(th.errors.ScoreError, match="batch 1"):
            built([([1, 0], ["a", "b"])])

    @pytest.mark.parametrize("buckets", [1, 0, -5, 2.5])
    def test_a_budget_that_is_none(self, buckets):
        with pytest.raises(th.errors.ArgumentError, match=r"buckets must be (at least 2|a whole number)"):
            th.RankingBuilder(buckets=buckets)

    def test_missing_is_checked(self):
        with pytest.raises(th.errors.ArgumentError, match='"raise" or "drop"'):
            built([([1], [1])], missing="ignore")


class TestLabels:
    def test_a_batch_may_hold_one_class(self):
        batches = [(["ham", "ham"], [1, 2]), (["spam"], [3]), (["spam", "ham"], [4, 5])]
        expected = th.rank(["ham", "ham", "spam", "spam", "ham"], [1, 2, 3, 4, 5], positive="spam")
        assert built(batches, positive="spam").ranking() == expected
        assert built([([0, 0], [1, 2]), ([1], [3])]).ranking() == th.rank([0, 0, 1], [1, 2, 3])

    def test_zero_may_be_the_positive_one(self):
        assert built([([0, 1], [1, 2]), ([True], [3])], positive=0).ranking() == th.rank(
            [0, 1, 1], [1, 2, 3], positive=0
        )

    def test_a_third_label_is_found_across_batches(self):
        builder = built([(["ham", "spam"], [1, 2])], positive="spam")
        with pytest.raises(
            th.errors.LabelError, match="besides the positive label 'spam' there is more than one: 'ham' and 'eggs'"
        ):
            builder.update(["eggs"], [3])
        builder.update(["ham"], [3])
        with pytest.raises(th.errors.LabelError, match="'ham' and 'eggs'"):
            builder + built([(["eggs"], [1])], positive="spam")

    def test_a_positive_label_of_another_kind(self):
        with pytest.raises(th.errors.PositiveLabelError, match="the positive label '1' is a str, and 0 is a int"):
            built([([0, 1], [1, 2])], positive="1")

    def test_labels_that_need_a_word(self):
        with pytest.raises(th.errors.PositiveLabelError, match="batch 1"):
            built([([1, 2], [1, 2])])

    def test_builders_of_different_positives_do_not_add(self):
        with pytest.raises(th.errors.ArgumentError, match="the positive label is 'a' here and 'b' there"):
            th.RankingBuilder(positive="a") + th.RankingBuilder(positive="b")


@pytest.mark.parametrize("buckets", ["x", True, 1, 2.5, None])
def test_the_number_of_buckets_is_an_integer(buckets):
    with pytest.raises(th.errors.ArgumentError, match=r"buckets must be (at least 2|a whole number)"):
        th.RankingBuilder(buckets=buckets)


def test_bounds_allow_for_weights_that_were_added_in_another_order():
    rng = np.random.default_rng(2)
    for _ in range(20):
        labels, scores, weights = rng.integers(0, 2, 300), rng.integers(0, 20, 300) / 20, rng.random(300)
        builder = th.RankingBuilder()
        for at in range(0, 300, 50):
            part = slice(at, at + 50)
            builder.update(labels[part], scores[part], weights[part])
        assert th.auc(th.rank(labels, scores, weights=weights)) in th.bounds(builder.ranking(), "auc")


def test_bounds_of_sums_allow_for_the_order_of_adding():
    parts = [th.rank([1, 0], [0.9, 0.1], weights=[1, weight]) for weight in (0.1, 0.2, 0.3)]
    exact = th.rank([1, 0] * 3, [0.9, 0.1] * 3, weights=[1, 0.1, 1, 0.2, 1, 0.3])
    actual = th.curves.table_bounds(parts[0] + (parts[1] + parts[2]), 0.0)
    assert actual.least.fp <= exact.Neg <= actual.most.fp
