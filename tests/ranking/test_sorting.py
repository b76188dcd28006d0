import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests import reference
from tests.strategies import labelled_scores, rows_of, weights
from thresher.ranking import rankable, sorting
from thresher.ranking.sorting import (
    NETWORK,
    PLAIN_ROWS,
    SEAM,
    count_rows,
    even_steps,
    falling_order,
    pack,
    partition_rows,
    score_ranges,
    sort_keys,
    unpack_scores,
)

SIZE = 2 * PLAIN_ROWS + 5
RNG = np.random.default_rng(3)
SHAPES = {
    "uniform": RNG.random(SIZE),
    "normal": RNG.normal(size=SIZE),
    "negative": -RNG.random(SIZE),
    "few values": RNG.integers(0, 20, SIZE) / 20,
    "two values": RNG.integers(0, 2, SIZE) * 1.0,
    "one value": np.full(SIZE, 0.3),
    "zeros of both signs": RNG.choice([0.0, -0.0], SIZE),
    "mostly one value": np.where(RNG.random(SIZE) < 0.6, 0.5, RNG.random(SIZE)),
    "some ties": RNG.integers(0, SIZE, SIZE) / SIZE,
    "heavy tails": RNG.standard_cauchy(SIZE),
    "one far off": np.append(RNG.random(SIZE - 1), 1e300),
    "infinite ends": np.concatenate([RNG.random(SIZE - 3), [np.inf, -np.inf, np.inf]]),
    "mostly infinite": np.where(RNG.random(SIZE) < 0.6, np.inf, RNG.random(SIZE)),
    "as wide as floats go": RNG.choice([-1.0, 1.0], SIZE) * 1.7e308 * RNG.random(SIZE),
    "tiny": RNG.random(SIZE) * 1e-310,
    "crowded at 0": 10 ** RNG.uniform(-12, 0, SIZE),
    "near both ends": np.where(RNG.random(SIZE) < 0.6, RNG.random(SIZE) * 1e-6, 1 - RNG.random(SIZE) * 1e-6),
    "rising": np.arange(SIZE) / 7,
    "falling": np.arange(SIZE)[::-1] / 7,
}
POSITIVE = RNG.random(SIZE) < 0.4
EIGHTHS = RNG.integers(1, 9, SIZE) / 8

ORDERED = st.one_of(st.floats(allow_nan=False), st.integers(0, 3).map(float), st.floats(0, 1)).map(lambda x: x + 0.0)


@pytest.fixture(params=[False, True], ids=["quick", "slow"])
def processor(request, monkeypatch):
    """Processors whose sort is quick, and those on which it is helped by buckets and networks."""
    monkeypatch.setattr(sorting, "sort_is_slow", lambda: request.param)


def segments(columns):
    return list(zip(*(column.tolist() for column in columns), strict=True))


def counts_by_unique(positive, score, weight=None):
    each = np.ones(score.size) if weight is None else weight
    values, number = np.unique(score + score.dtype.type(0), return_inverse=True)
    pos, neg = (np.bincount(number, each * flags, minlength=values.size)[::-1] for flags in (positive, ~positive))
    return values[::-1].astype(np.float64), pos, neg


def require_equal(columns, expected):
    for column, values in zip(columns, expected, strict=True):
        assert np.array_equal(column, values)
    assert not np.signbit(columns[0][columns[0] == 0]).any()


class TestCountRows:
    @given(labelled_scores())
    def test_segments_are_those_of_a_slow_count(self, rows):
        labels, scores = rows
        assert segments(count_rows(labels, rankable(scores))) == reference.segments(rows_of(labels, scores))

    @given(labelled_scores(), st.data())
    def test_weights_are_added_up_by_score(self, rows, data):
        labels, scores = rows
        weight = data.draw(st.lists(weights.filter(bool), min_size=labels.size, max_size=labels.size))
        columns = count_rows(labels, rankable(scores), np.array(weight))
        assert segments(columns) == reference.segments(rows_of(labels, scores, weight))

    @pytest.mark.usefixtures("processor")
    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.filterwarnings("ignore:overflow")
    def test_many_rows(self, shape, dtype):
        score = SHAPES[shape].astype(dtype)
        require_equal(count_rows(POSITIVE, score), counts_by_unique(POSITIVE, score))

    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.filterwarnings("ignore:overflow")
    def test_many_weighted_rows(self, shape, dtype):
        score = SHAPES[shape].astype(dtype)
        columns = count_rows(POSITIVE, score, EIGHTHS)
        require_equal(columns, counts_by_unique(POSITIVE, score, EIGHTHS))

    @pytest.mark.usefixtures("processor")
    @pytest.mark.parametrize("rows", [0, 1, 2, 300, 20_000, PLAIN_ROWS - 1, PLAIN_ROWS, PLAIN_ROWS + 1])
    def test_any_number_of_rows(self, rows):
        for score in (SHAPES["normal"][:rows], SHAPES["uniform"][:rows]):
            require_equal(count_rows(POSITIVE[:rows], score), counts_by_unique(POSITIVE[:rows], score))
            columns = count_rows(POSITIVE[:rows], score, EIGHTHS[:rows])
            require_equal(columns, counts_by_unique(POSITIVE[:rows], score, EIGHTHS[:rows]))

    def test_sums_of_weights_do_not_depend_on_the_order_of_rows(self):
        score, weight = SHAPES["few values"], RNG.random(SIZE)
        order = RNG.permutation(SIZE)
        columns = count_rows(POSITIVE, score, weight)
        assert segments(count_rows(POSITIVE[order], score[order], weight[order])) == segments(columns)

    @pytest.mark.parametrize("only", [True, False])
    def test_one_class_only(self, only):
        score, pos, neg = count_rows(np.full(SIZE, only), SHAPES["rising"])
        assert score.tolist() == SHAPES["rising"][::-1].tolist()
        assert (pos.sum(), neg.sum()) == ((SIZE, 0) if only else (0, SIZE))

    def test_counts_take_few_bytes_and_weights_are_float64(self):
        flags, score = np.array([True, False, True]), np.array([1.0, 1.0, 2.0], dtype=np.float32)
        for columns in (count_rows(flags, score), count_rows(flags[:1], score[:1])):
            assert [column.dtype for column in columns] == [np.float64, np.uint8, np.uint8]
        assert [column.dtype for column in count_rows(flags, score, np.ones(3))] == [np.float64] * 3

    @pytest.mark.parametrize(("rows", "dtype"), [(255, np.uint8), (256, np.uint16), (65_536, np.uint32)])
    def test_counts_that_need_more_bytes_get_them(self, rows, dtype):
        score, pos, neg = count_rows(np.arange(rows + 1) < rows - 1, np.append(np.zeros(rows), 1.0))
        assert (score.tolist(), pos.tolist(), neg.tolist()) == ([1.0, 0.0], [0, rows - 1], [1, 1])
        assert pos.dtype == neg.dtype == dtype

    def test_zero_has_one_sign_and_one_segment(self):
        for weight in (None, np.ones(3)):
            score, pos, neg = count_rows(np.array([True, False, True]), np.array([-0.0, 1.0, 0.0]), weight)
            assert (score.tolist(), pos.tolist(), neg.tolist()) == ([1.0, 0.0], [0, 2], [1, 0])
            assert not np.signbit(score).any()

    def test_neighbours_one_ulp_apart_are_two_segments(self):
        for dtype in (np.float64, np.float32):
            one = dtype(0.1)
            score = np.array([one, np.nextafter(one, dtype(1))], dtype=dtype)
            assert len(count_rows(np.array([True, False]), score)[0]) == 2

    @pytest.mark.parametrize("rows", [32, SIZE])
    def test_the_input_stays_as_it_is_and_shares_nothing_with_the_result(self, rows):
        flags, score, weight = POSITIVE[:rows].copy(), np.arange(rows) % 5 - 2.0, np.ones(rows)
        before = flags.copy(), score.copy(), weight.copy()
        for column in (flags, score, weight):
            column.flags.writeable = False
        for columns in (count_rows(flags, score), count_rows(flags, score, weight)):
            assert not any(np.shares_memory(a, b) for a in columns for b in (flags, score, weight))
        for old, new in zip(before, (flags, score, weight), strict=True):
            assert np.array_equal(old, new)

    @pytest.mark.parametrize("step", [-3, -1, 2])
    def test_strided_input(self, step):
        score = np.concatenate([SHAPES["normal"], SHAPES["few values"]])[::step]
        flags = np.concatenate([POSITIVE, POSITIVE])[::step]
        for rows in (40, score.size):
            require_equal(count_rows(flags[:rows], score[:rows]), counts_by_unique(flags[:rows], score[:rows]))

    def test_many_callers_at_once(self):
        expected, results = segments(count_rows(POSITIVE, SHAPES["few values"])), []
        count = lambda: results.append(segments(count_rows(POSITIVE, SHAPES["few values"])))  # noqa: E731
        callers = [threading.Thread(target=count) for _ in range(4)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        assert results == [expected] * 4


class TestPacking:
    @pytest.mark.parametrize("width", [32, 64])
    @given(data=st.data())
    def test_what_is_packed_comes_back_in_order(self, width, data):
        negative = data.draw(st.booleans())
        values = st.floats(
            width=width, allow_nan=False, min_value=None if negative else 0.0, max_value=-0.0 if negative else None
        )
        scores = data.draw(
            hnp.arrays(f"f{width // 8}", st.integers(1, 50), elements=values.filter(bool) if negative else values)
        )
        scores = scores + scores.dtype.type(0)
        flags = data.draw(hnp.arrays(np.bool_, scores.size))
        keys = pack(scores, flags)
        assert keys.itemsize == scores.itemsize
        assert unpack_scores(keys, negative=negative).tolist() == scores.tolist()
        assert (keys & 1).tolist() == flags.tolist()
        rows = list(zip(scores.tolist(), flags.tolist(), strict=True))
        assert [rows[i] for i in np.argsort(keys, kind="stable")] == sorted(rows)

    def test_both_signs_are_packed_at_once(self):
        scores = np.array([-1.0, 2.0, -0.5, 0.0])
        keys = pack(scores, np.array([True, False, True, False]))
        below = scores < 0
        assert unpack_scores(keys[below], negative=True).tolist() == [-1.0, -0.5]
        assert unpack_scores(keys[~below], negative=False).tolist() == [2.0, 0.0]

    def test_no_rows(self):
        assert pack(np.empty(0), np.empty(0, dtype=bool)).size == 0

    @pytest.mark.parametrize("byte", [1, 2, 255])
    def test_any_byte_but_zero_is_true(self, byte):
        keys = pack(np.array([0.9, 0.8, 0.7]), np.array([byte, 0, byte], dtype=np.uint8).view(np.bool_))
        assert unpack_scores(keys, negative=False).tolist() == [0.9, 0.8, 0.7]
        assert (keys & 1).tolist() == [1, 0, 1]


class TestPartition:
    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.parametrize("count", [2, 3, 40])
    @pytest.mark.filterwarnings("ignore:overflow")
    def test_ranges_rise_with_scores_and_never_mix_signs(self, shape, dtype, count):
        scores = np.concatenate([SHAPES[shape][:5000], [0.0, -1e-30, 1e-30]]).astype(dtype)
        scores = np.sort(scores) + dtype(0)
        ranges = score_ranges(scores, count)
        numbers = ranges.numbers(scores)
        assert (np.diff(numbers) >= 0).all()
        assert numbers.min() >= 0
        assert numbers.max() < ranges.count
        assert ((numbers < ranges.negative) == (scores < 0)).all()

    @pytest.mark.parametrize("shape", ["uniform", "normal", "crowded at 0", "heavy tails", "tiny", "infinite ends"])
    def test_ranges_are_about_equally_full(self, shape):
        numbers = score_ranges(SHAPES[shape], 50).numbers(SHAPES[shape])
        assert np.bincount(numbers).max() < SIZE / 3

    @pytest.mark.parametrize("step", [1, -1, 3])
    def test_rows_go_to_their_ranges_in_their_order(self, step):
        score = SHAPES["normal"][:3000][::step]
        ranges = score_ranges(score, 20)
        rows, ends = partition_rows(score, lambda _: np.arange(score.size), ranges)
        number = ranges.numbers(score + 0.0)
        assert rows.tolist() == np.argsort(number, kind="stable").tolist()
        assert np.diff(ends).tolist() == np.bincount(number, minlength=ranges.count).tolist()

    def test_zero_is_one_score(self):
        score = np.array([0.0, -0.0, -1.0])
        scores, _ = partition_rows(score, np.copy, score_ranges(score, 3))
        assert np.signbit(scores).tolist() == [True, False, False]

    def test_no_rows(self):
        _, ends = partition_rows(np.empty(0), lambda scores: scores, score_ranges(np.array([1.0, 2.0]), 4))
        assert ends.tolist() == [0] * 5

    @given(hnp.arrays(np.float64, st.integers(1, 300), elements=ORDERED), st.integers(1, 50))
    def test_steps_rise_with_values(self, values, count):
        steps = even_steps(np.sort(values), values.min(), values.max(), count)
        if steps is not None:
            assert (np.diff(steps) >= 0).all()
            assert (steps.min(), steps.max()) == (0, count - 1)


class TestNetworks:
    @pytest.mark.usefixtures("processor")
    @pytest.mark.parametrize("shape", SHAPES)
    def test_keys_are_sorted_as_numpy_does(self, shape):
        score = SHAPES[shape] + 0.0
        for sign in (False, True):
            keys = pack(score, POSITIVE)[(score < 0) == sign]
            assert np.array_equal(sort_keys(keys.copy(), negative=sign), np.sort(keys))

    @given(hnp.arrays(np.float64, st.integers(1, 90), elements=ORDERED), st.integers(2 * NETWORK, 600))
    def test_anything_is_sorted_or_left_to_numpy(self, crowd, evenly):
        values = np.concatenate([crowd, np.linspace(0, 1, evenly)])
        ordered = sorting._sort_by_networks(values.copy(), values)
        assert ordered is None or np.array_equal(ordered, np.sort(values))

    def test_even_scores_are_bucketed_and_crowded_ones_left_to_numpy(self):
        for shape, left in (("uniform", False), ("few values", True), ("one value", True), ("infinite ends", True)):
            assert (sorting._sort_by_networks(SHAPES[shape].copy(), SHAPES[shape]) is None) == left, shape

    @pytest.mark.parametrize("crowd", [SEAM - 1, SEAM, SEAM + 1, 2 * SEAM])
    @pytest.mark.parametrize("before", range(NETWORK - 2 * SEAM - 3, NETWORK + 3, 9))
    def test_a_bucket_across_a_seam_is_sorted(self, crowd, before):
        values = np.concatenate(
            [np.linspace(0, 0.4, before), 0.5 + np.arange(crowd)[::-1] * 1e-12, np.linspace(0.6, 1, 900)]
        )
        ordered = sorting._sort_by_networks(values.copy(), values)
        assert ordered is not None
        assert np.array_equal(ordered, np.sort(values))

    @pytest.mark.parametrize("seed", range(40))
    def test_a_bucket_that_two_networks_share_is_sorted_by_itself(self, seed):
        rng = np.random.default_rng(seed)
        crowd = 0.5 + rng.random(rng.integers(130, 250)) * 1e-9
        values = rng.permutation(np.concatenate([rng.random(4000), crowd]))
        ordered = sorting._sort_by_networks(values.copy(), values)
        assert ordered is not None
        assert np.array_equal(ordered, np.sort(values))

    def test_the_processor_is_measured_once(self):
        assert sorting.sort_is_slow() is sorting.sort_is_slow()


class TestFallingOrder:
    @given(labelled_scores())
    def test_segments_follow_one_another(self, rows):
        _, scores = rows
        order, ends = falling_order(scores)
        assert sorted(order.tolist()) == list(range(scores.size))
        starts = [0, *ends.tolist()[:-1]]
        by_segment = [set(scores[order[a:b]].tolist()) for a, b in zip(starts, ends.tolist(), strict=True)]
        assert all(len(segment) == 1 for segment in by_segment)
        assert [segment.pop() for segment in by_segment] == sorted(set(scores.tolist()), reverse=True)

    @pytest.mark.usefixtures("processor")
    @pytest.mark.parametrize("shape", ["normal", "few values", "infinite ends", "zeros of both signs"])
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_many_rows(self, shape, dtype):
        score = SHAPES[shape].astype(dtype)
        order, ends = falling_order(score)
        assert np.array_equal(np.sort(order), np.arange(SIZE))
        assert np.array_equal(score[order], np.sort(score)[::-1])
        assert np.array_equal(np.diff(ends, prepend=0), np.unique(score, return_counts=True)[1][::-1])
