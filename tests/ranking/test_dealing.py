import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from thresher.ranking import dealing
from thresher.ranking.dealing import NETWORK, rising

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


@pytest.fixture
def dealt(monkeypatch):
    """Small arrays are dealt too, whatever the processor."""
    monkeypatch.setattr(dealing, "FEWEST", 1)
    monkeypatch.setattr(dealing, "SAMPLE", 64)
    monkeypatch.setattr(dealing, "FEW", 8)
    monkeypatch.setattr(dealing, "_partitioning_is_slow", lambda: True)


@pytest.mark.usefixtures("dealt")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.filterwarnings("ignore:overflow")
def test_it_sorts_as_numpy_does(shape, dtype):
    values = SHAPES[shape].astype(dtype)
    found = rising(values.copy())
    assert found.dtype == dtype
    assert np.array_equal(found, np.sort(values))


@pytest.mark.usefixtures("dealt")
@pytest.mark.parametrize("size", [64, 65, NETWORK - 1, NETWORK, NETWORK + 1, 3 * NETWORK // 2, 1000, 1025])
def test_sizes_around_the_networks(size):
    values = np.random.default_rng(size).normal(size=size)
    assert np.array_equal(rising(values.copy()), np.sort(values))


@given(
    hnp.arrays(
        np.float64,
        st.integers(1, 600),
        elements=st.one_of(st.floats(allow_nan=False), st.integers(0, 3).map(float), st.floats(0, 1)),
    )
)
def test_it_sorts_anything(values):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dealing, "FEWEST", 1)
        patch.setattr(dealing, "SAMPLE", 1)
        patch.setattr(dealing, "FEW", 4)
        patch.setattr(dealing, "_partitioning_is_slow", lambda: True)
        assert np.array_equal(rising(values.copy()), np.sort(values))


@pytest.mark.usefixtures("dealt")
def test_even_scores_are_dealt_and_crowded_ones_left_to_numpy():
    assert dealing._numbering(SHAPES["uniform"]) is not None
    assert dealing._numbering(SHAPES["mostly one value"]) is None
    assert dealing._numbering(SHAPES["mostly infinite"]) is None


def test_where_sorting_is_quick_nothing_is_dealt(monkeypatch):
    monkeypatch.setattr(dealing, "FEWEST", 1)
    monkeypatch.setattr(dealing, "_partitioning_is_slow", lambda: False)
    values = np.array([3.0, 1.0, 2.0])
    assert rising(values) is values
    assert values.tolist() == [1, 2, 3]


def test_the_processor_is_judged_once():
    assert dealing._partitioning_is_slow() is dealing._partitioning_is_slow()
