import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from thresher.ranking import dealing
from thresher.ranking.dealing import NETWORK, SEAM, dealt, nearly_rising, numbered, ranges_of, rising

SIZE = 5000
RNG = np.random.default_rng(3)
SHAPES = {
    "uniform": RNG.random(SIZE),
    "normal": RNG.normal(size=SIZE),
    "few values": RNG.integers(0, 20, SIZE) / 20,
    "one value": np.full(SIZE, 0.3),
    "mostly one value": np.where(RNG.random(SIZE) < 0.6, 0.5, RNG.random(SIZE)),
    "heavy tails": RNG.standard_cauchy(SIZE),
    "one far off": np.append(RNG.random(SIZE), 1e300),
    "infinite ends": np.concatenate([RNG.random(SIZE), [np.inf, -np.inf, np.inf]]),
    "mostly infinite": np.where(RNG.random(SIZE) < 0.6, np.inf, RNG.random(SIZE)),
    "as wide as floats go": RNG.choice([-1.0, 1.0], SIZE) * 1.7e308 * RNG.random(SIZE),
    "tiny": RNG.random(SIZE) * 1e-310,
    "rising": np.arange(SIZE) / 7,
    "falling": np.arange(SIZE)[::-1] / 7,
}


ORDERED = st.one_of(st.floats(allow_nan=False), st.integers(0, 3).map(float), st.floats(0, 1)).map(lambda x: x + 0.0)


def itself(values):
    return values


@pytest.fixture
def slow(monkeypatch):
    """Everything is dealt, whatever the processor."""
    monkeypatch.setattr(dealing, "partitioning_is_slow", lambda: True)


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.filterwarnings("ignore:overflow")
def test_it_sorts_as_numpy_does(shape, dtype):
    values = SHAPES[shape].astype(dtype)
    found = rising(values.copy(), itself)
    assert found.dtype == dtype
    assert np.array_equal(found, np.sort(values))


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("size", [2 * NETWORK, 2 * NETWORK + 1, 5 * NETWORK // 2, 1000, 1025, 4097])
def test_sizes_around_the_networks(size):
    values = np.random.default_rng(size).normal(size=size)
    assert np.array_equal(rising(values.copy(), itself), np.sort(values))


@given(hnp.arrays(np.float64, st.integers(1, 600), elements=ORDERED))
def test_networks_sort_anything(values):
    ordered = dealing._by_networks(values.copy(), values)
    assert ordered is None or np.array_equal(ordered, np.sort(values))


@pytest.mark.usefixtures("slow")
def test_even_scores_are_dealt_and_crowded_ones_left_to_numpy():
    for shape, left in (("uniform", False), ("few values", True), ("one value", True), ("infinite ends", True)):
        assert (dealing._by_networks(SHAPES[shape].copy(), SHAPES[shape]) is None) == left, shape


def test_where_sorting_is_quick_nothing_is_dealt(monkeypatch):
    monkeypatch.setattr(dealing, "partitioning_is_slow", lambda: False)
    monkeypatch.setattr(dealing, "_by_networks", None)
    values = SHAPES["uniform"].copy()
    assert rising(values, itself) is values
    assert np.array_equal(values, np.sort(SHAPES["uniform"]))


def test_the_processor_is_judged_once():
    assert dealing.partitioning_is_slow() is dealing.partitioning_is_slow()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("count", [0, 2, 3, 40])
@pytest.mark.filterwarnings("ignore:overflow")
def test_ranges_rise_with_scores_and_never_mix_signs(shape, dtype, count):
    scores = np.sort(np.concatenate([SHAPES[shape], [0.0, -1e-30, 1e-30]]).astype(dtype)) + dtype(0)
    ranges = ranges_of(scores, count)
    numbers = ranges(scores)
    assert (np.diff(numbers) >= 0).all()
    assert numbers.min() >= 0
    assert numbers.max() < ranges.count
    assert ((numbers < ranges.negative) == (scores < 0)).all()


@pytest.mark.parametrize("shape", ["uniform", "normal", "crowded at 0", "heavy tails", "tiny", "infinite ends"])
def test_ranges_are_about_equally_full(shape):
    crowded = 10 ** RNG.uniform(-12, 0, SIZE)
    scores = SHAPES.get(shape, crowded)
    numbers = ranges_of(scores, 50)(scores)
    assert np.bincount(numbers).max() < SIZE / 3


@given(
    st.integers(2, 10).flatmap(
        lambda n: st.tuples(st.just(n), hnp.arrays(np.int32, st.integers(1, 200), elements=st.integers(0, n - 1)))
    )
)
def test_dealing_keeps_the_order_within_each_range(given_numbers):
    ranges, numbers = given_numbers
    items = np.arange(numbers.size, dtype=np.uint64)
    found, ends = dealt(items, numbers, ranges)
    assert found.tolist() == sorted(items.tolist(), key=lambda i: numbers[i])
    assert np.diff(ends).tolist() == np.bincount(numbers, minlength=ranges).tolist()
    assert ends.dtype == np.int32


@pytest.mark.parametrize("ranges", [2, 3])
def test_dealing_into_memory_that_is_given(ranges):
    out = np.empty(3, dtype=np.int64)
    found, _ = dealt(np.array([7, 8, 9]), np.array([1, 0, 1], dtype=np.int32), ranges, out=out)
    assert found is out
    assert out.tolist() == [8, 7, 9]


@pytest.mark.parametrize("crowd", [SEAM - 1, SEAM, SEAM + 1, 2 * SEAM])
@pytest.mark.parametrize("before", range(NETWORK - 2 * SEAM - 3, NETWORK + 3, 9))
def test_a_range_across_a_seam_is_sorted(crowd, before):
    values = np.concatenate(
        [np.linspace(0, 0.4, before), 0.5 + np.arange(crowd)[::-1] * 1e-12, np.linspace(0.6, 1, 900)]
    )
    found = dealing._by_networks(values.copy(), values)
    assert found is not None
    assert np.array_equal(found, np.sort(values))


@pytest.mark.parametrize("seed", range(40))
def test_a_range_that_two_networks_share_is_sorted_on_its_own(seed):
    rng = np.random.default_rng(seed)
    crowd = 0.5 + rng.random(rng.integers(130, 250)) * 1e-9
    values = rng.permutation(np.concatenate([rng.random(4000), crowd]))
    found = dealing._by_networks(values.copy(), values)
    assert found is not None
    assert np.array_equal(found, np.sort(values))


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.filterwarnings("ignore:overflow")
def test_full_ranges_are_dealt_again(monkeypatch, shape):
    monkeypatch.setattr(dealing, "TOO_FULL", 1000)
    values = SHAPES[shape] + 0.0
    assert np.array_equal(rising(values.copy(), itself), np.sort(values))


@pytest.mark.usefixtures("slow")
def test_scores_near_both_ends_are_told_apart_when_dealt_again(monkeypatch):
    monkeypatch.setattr(dealing, "TOO_FULL", 1000)
    near = np.concatenate([RNG.random(SIZE) * 1e-6, 1 - RNG.random(SIZE // 2) * 1e-6])
    found = dealing._again(near.copy(), near, itself)
    assert found is not None
    assert np.array_equal(found, np.sort(near))


def test_numbers_stay_in_range_when_floats_round_up():
    numbers = numbered(np.array([0, 1, 0, 0], dtype=np.float32), 1 << 25)
    assert numbers is not None
    assert numbers.max() == (1 << 25) - 1


@given(hnp.arrays(np.float64, st.integers(0, 300), elements=ORDERED), st.integers(1, 50))
def test_numbers_rise_with_places(places, ranges):
    numbers = numbered(np.sort(places), ranges)
    if numbers is not None:
        assert (np.diff(numbers) >= 0).all()
        assert numbers.min() == 0
        assert numbers.max() < ranges
    nearly = nearly_rising(places, places)
    assert np.array_equal(np.sort(nearly), np.sort(places))
