"""Scores that crowd where buckets are wide: counted as closely as any others, alike on every engine."""

from importlib import import_module
from typing import Any

import ibis
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.sources.test_scan import in_sqlite
from thresher.sources.buckets import NUMPY
from thresher.sources.lenses import LENSES, Lens, lenses_for, place_of_through, place_through

scanning = import_module("thresher.sources.scan")
exactly = import_module("thresher.sources.exact")
SIZE = 20_000
RNG = np.random.default_rng(5)
Y = (RNG.random(SIZE) < 0.3).astype(np.int64)
Z = RNG.normal(size=SIZE) + Y
P = 1 / (1 + np.exp(-Z))
CROWDS = {
    "far above": 1e9 + Z,
    "far below": -1e6 + Z,
    "about a half": 0.5 + 1e-9 * Z,
    "tiny": P * 1e-60,
    "huge": P * 1e300,
    "two crowds": np.where(RNG.random(SIZE) < 0.5, 1e9 + Z, P * 1e-60),
    "a crowd and one far off": np.append(1e9 + Z[:-1], 1.2e9),
    "a crowd within a crowd": 1e9 + np.where(RNG.random(SIZE) < 0.5, Z * 1e-6, Z * 1e3),
}


@pytest.fixture(params=CROWDS)
def crowd(request, monkeypatch):
    monkeypatch.setattr(scanning, "ROWS_TO_GROUP", 0)
    return CROWDS[request.param]


def engines(tmp_path, rows):
    pq.write_table(rows, tmp_path / "rows.parquet")
    yield tmp_path / "rows.parquet", {"exact": False}
    yield ibis.memtable(rows), {}
    yield in_sqlite(tmp_path / "rows.db", "rows", rows), {"table": "rows"}
    yield ibis.polars.connect({"rows": pl.DataFrame(rows).lazy()}).table("rows"), {}


def test_the_auc_is_known_to_a_millionth_and_the_same_everywhere(tmp_path, crowd):
    rows, exact = pa.table({"y": Y, "p": crowd}), th.rank(Y, crowd)
    found = [th.scan(place, label="y", score="p", **how) for place, how in engines(tmp_path, rows)]
    assert all(one == found[0] for one in found)
    assert th.auc_bounds(found[0]).width <= 1e-6
    assert th.auc(exact) in th.auc_bounds(found[0])
    assert th.average_precision(exact) in th.average_precision_bounds(found[0])


@pytest.mark.parametrize("cost_ratio", [0.3, 1, 5])
def test_a_choice_becomes_certain(crowd, cost_ratio):
    condition = th.OperatingCondition(cost_ratio=cost_ratio)
    table = ibis.memtable(pa.table({"y": Y, "p": crowd}))
    found = th.scan(table, label="y", score="p", refine=condition)
    assert th.best_cost_bounds(found, condition=condition).width == 0
    assert th.choose(found, condition).expected_cost == th.choose(th.rank(Y, crowd), condition).expected_cost


def test_days_add_up(crowd):
    """The buckets of two lenses are nested or apart, so that few ranges of one day meet two of another."""
    days = [slice(0, SIZE // 3), slice(SIZE // 3, SIZE)]
    parts = [th.scan(ibis.memtable(pa.table({"y": Y[day], "p": crowd[day]})), label="y", score="p") for day in days]
    whole = parts[0] + parts[1]
    assert th.auc(th.rank(Y, crowd)) in th.auc_bounds(whole)
    assert th.auc_bounds(whole).width < 1e-3


def test_exact_scans_take_few_rows_at_once(monkeypatch, crowd):
    monkeypatch.setattr(scanning, "ROWS_AT_ONCE", 4000)
    monkeypatch.setattr(exactly, "ROWS_KEPT", 0)
    fetched = []
    usual = th.Ranking.count

    def count(flags, x):
        fetched.append(x.size)
        return usual(flags, x)

    table = ibis.memtable(pa.table({"y": Y, "p": crowd}))
    with monkeypatch.context() as patch:
        patch.setattr(th.Ranking, "count", count)
        found = th.scan(table, label="y", score="p", exact=True)
    assert th.auc(found) == th.auc(th.rank(Y, crowd))
    assert 0 < max(fetched) <= 4000


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=30), st.integers(16, 300))
def test_a_lens_never_falls_and_the_query_agrees(scores, buckets):
    rising = np.sort(np.array(scores))
    finite = rising[np.isfinite(rising)]
    if finite.size < 2 or not 0 < finite[-1] / 4 - finite[0] / 4 < 1e307:
        return
    lens = Lens.around(float(finite[0]), float(finite[-1]), number=1, buckets=buckets)
    assert lens.low <= finite[0]
    at = place_of_through(finite, [lens], buckets=buckets)
    assert (np.diff(at) >= 0).all()
    assert lens.first <= at[0] <= lens.first + 1
    assert at[-1] < lens.end(buckets)
    if finite[-1] - finite[0] > 1e-290:
        assert at[-1] - at[0] >= buckets / 4 - 1
    with np.errstate(all="ignore"):  # of branches that are not taken
        assert (place_through(finite, [lens], buckets=buckets, by=NUMPY) == at).all()


def test_what_is_light_or_wide_needs_no_lens():
    low, high = np.array([0.0, 0.5, 1e9, 1e9, 7.0]), np.array([1.0, 0.6, 1e9 + 1, 1e9 + 1, 7.0])
    mass = np.array([1.0, 1.0, 1.0, 1e-9, 1.0])
    how: dict[str, Any] = {"buckets": 64, "least": 1e-6}
    assert lenses_for(mass, low, high, (), **how) == (Lens(128, 1e9, 1e9 + 1, steps=32.0),)
    full = tuple(Lens.around(0.0, 1.0, number=i, buckets=64) for i in range(LENSES))
    assert lenses_for(mass, low, high, full, **how) == full
