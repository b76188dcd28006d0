"""Exact rankings of files that are read range by range, several ranges in a pass."""

from importlib import import_module
from typing import Any

import pytest

import thresher as th
from tests.sources.test_file_tally import both_ways, folder, rows
from thresher.sources import exact, file_rows, file_tally

__all__ = ["folder"]
scanning = import_module("thresher.sources.scan")


@pytest.fixture(autouse=True)
def little(monkeypatch):
    """Little memory: no file fits, ranges are short, and three of them are held at once."""
    monkeypatch.setattr(scanning, "memory", lambda: 0)
    monkeypatch.setattr(scanning, "ROWS_TO_GROUP", 0)
    monkeypatch.setattr(scanning, "ROWS_AT_ONCE", 400)
    monkeypatch.setattr(file_rows, "ROWS_HELD", 1300)
    monkeypatch.setattr(file_tally, "_ROWS", 700)


@pytest.mark.parametrize("kept", [0, 1 << 22])
@pytest.mark.parametrize("label", ["int", "bool", "word", "gap"])
def test_the_engine_gives_the_same(monkeypatch, folder, label, kept):
    monkeypatch.setattr(exact, "ROWS_KEPT", kept)
    monkeypatch.setattr(exact, "SEGMENTS", 1)
    monkeypatch.setattr(exact, "SEGMENTS_PER_RANGE", 1)
    asked: dict[str, Any] = {"scores": ["p", "wild", "holes"], "missing": "drop", "positive": None}
    if label == "word":
        asked["positive"] = "spam"
    one, other, used = both_ways(monkeypatch, folder, label=label, exact=True, **asked)
    assert used
    assert one == other
    assert one["p"].exact == (kept > 0)


def test_numbers_are_those_of_the_rows(monkeypatch, folder):
    monkeypatch.setattr(exact, "ROWS_KEPT", 0)
    monkeypatch.setattr(exact, "SEGMENTS", 1)
    monkeypatch.setattr(exact, "SEGMENTS_PER_RANGE", 1)
    stages: list[th.Progress] = []
    found = th.scan(folder, label="int", score="p", exact=True, buckets=64, progress=stages.append)
    table = rows()
    expected = th.rank(table["int"], table["p"])
    assert len(found) < len(expected)
    assert th.auc(found) == th.auc(expected)
    assert th.brier(found) == pytest.approx(th.brier(expected), rel=1e-14)
    assert th.choose(found).threshold == th.choose(expected).threshold
    passes = {one.stage for one in stages if one.stage.startswith("ranges")}
    assert 1 < len(passes) < 8


def test_a_range_of_too_many_rows_is_left_to_the_engine(monkeypatch, folder):
    monkeypatch.setattr(file_rows, "ROWS_HELD", 10)
    table = rows()
    found = th.scan(folder, label="int", score="whole", exact=True, buckets=16)
    assert found == th.rank(table["int"], table["whole"])
