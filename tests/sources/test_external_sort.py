"""Exact rankings of files whose rows are dealt into ranges: those of rows in memory, whatever the scores are like."""

import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from tests.reachable import require_same_choices
from tests.sources.test_file_tally import both_ways, folder, rows
from thresher.ranking import kept_number
from thresher.sources import exact, exact_files, row_groups

__all__ = ["folder"]
scanning = import_module("thresher.sources.scan")
LEVELS = (0.1, 1.0, 3.0, 30.0)


@pytest.fixture(autouse=True)
def little(monkeypatch):
    """Little memory: no file fits, ranges are short, most rows wait on disk, and rankings are condensed."""
    monkeypatch.setattr(scanning, "memory", lambda: 0)
    monkeypatch.setattr(scanning, "ROWS_TO_GROUP", 0)
    monkeypatch.setattr(exact, "ROWS_KEPT", 0)
    monkeypatch.setattr(exact_files, "ROWS_KEPT", 0)
    monkeypatch.setattr(exact_files, "SEGMENTS", 1)
    monkeypatch.setattr(exact_files, "SEGMENTS_PER_RANGE", 4)
    monkeypatch.setattr(exact_files, "ROWS_HELD", 500)
    monkeypatch.setattr(exact_files, "ROWS_IN_RANGE", 200)
    monkeypatch.setattr(exact_files, "MOST_IN_RANGE", 600)
    monkeypatch.setattr(row_groups, "ROWS_AT_ONCE", 170)
    monkeypatch.setattr(row_groups, "ROWS_IN_STRETCH", 500)


def without_an_engine(monkeypatch):
    def refused(*_: Any, **__: Any) -> Any:
        raise AssertionError("an engine was asked")

    monkeypatch.setattr(scanning, "opened", refused)


def written(place, labels, scores):
    pq.write_table(pa.table({"y": labels, "p": scores}), place / "rows.parquet", row_group_size=300)
    return place


def require_same_numbers(found, expected):
    assert (found.Pos, found.Neg) == (expected.Pos, expected.Neg)
    assert th.auc(found) == th.auc(expected)
    assert th.auc_bounds(found).width == 0
    for of in (th.average_precision, th.pr_area):
        assert of(found) == pytest.approx(of(expected), rel=1e-12)
    for level in LEVELS:
        condition = th.OperatingCondition(cost_ratio=level)
        one, other = th.choose(found, condition), th.choose(expected, condition)
        assert (one.threshold, one.table) == (other.threshold, other.table)
        assert th.best_cost_bounds(found, condition=condition).width == 0
    assert th.ks_bounds(expected).lower in th.ks_bounds(found)
    hull, hull_of_rows = th.hull(found, pool="ties"), th.hull(expected, pool="ties")
    assert (hull.pos.tolist(), hull.neg.tolist()) == (hull_of_rows.pos.tolist(), hull_of_rows.neg.tolist())


@pytest.mark.parametrize("score", ["p", "wild", "whole", "half", "noise", "holes"])
@pytest.mark.parametrize("label", ["int", "bool", "word", "gap"])
def test_numbers_are_those_of_the_rows(monkeypatch, folder, label, score):
    without_an_engine(monkeypatch)
    positive = "spam" if label == "word" else None
    found = th.scan(folder, label=label, score=score, positive=positive, exact=True, missing="drop")
    table = rows()
    expected = th.rank(table[label], table[score], positive=positive, missing="drop")
    assert found.dropped == expected.dropped
    assert len(found) <= len(expected)
    require_same_numbers(found, expected)
    if score in ("p", "half", "holes"):
        assert th.brier(found) == pytest.approx(th.brier(expected), rel=1e-13)
        assert th.log_loss(found) == pytest.approx(float(th.log_loss(expected)), rel=1e-13)


@pytest.mark.parametrize("label", ["int", "bool", "word", "gap"])
def test_what_is_kept_whole_is_the_engines_ranking(monkeypatch, folder, label):
    monkeypatch.setattr(exact, "ROWS_KEPT", 1 << 22)
    monkeypatch.setattr(exact_files, "ROWS_KEPT", 1 << 22)
    asked: dict[str, Any] = {"scores": ["p", "wild", "holes"], "missing": "drop", "positive": None}
    if label == "word":
        asked["positive"] = "spam"
    one, other, _ = both_ways(monkeypatch, folder, label=label, exact=True, **asked)
    assert one == other
    assert all(ranking.exact for ranking in one.values())


def test_the_negative_label_may_come_second(monkeypatch, tmp_path):
    without_an_engine(monkeypatch)
    rng = np.random.default_rng(5)
    labels, scores = np.where(rng.random(2000) < 0.3, "a", "b"), rng.random(2000)
    for positive in ("a", "b"):
        found = th.scan(written(tmp_path, labels, scores), label="y", score="p", positive=positive, exact=True)
        require_same_numbers(found, th.rank(labels, scores, positive=positive))


def test_one_class_is_that_of_its_label(monkeypatch, tmp_path):
    without_an_engine(monkeypatch)
    scores = np.linspace(0, 1, 1000)
    for label in (0, 1):
        found = th.scan(written(tmp_path, np.full(1000, label), scores), label="y", score="p", exact=True)
        assert (found.Pos, found.Neg) == ((1000, 0) if label else (0, 1000))
        with pytest.raises(th.OneClassError):
            th.auc(found)


CROWDED = {
    "one score": lambda _: np.full(3000, 0.5),
    "few scores": lambda rng: rng.integers(0, 5, 3000) / 8,
    "a crowd among others": lambda rng: np.where(rng.random(3000) < 0.5, 0.25, rng.random(3000)),
    "many in a narrow range": lambda rng: np.where(
        rng.random(3000) < 0.9, 0.5 + rng.random(3000) * 1e-9, rng.random(3000)
    ),
    "sorted": lambda _: np.arange(3000) ** 3.0,
    "both signs": lambda rng: rng.normal(size=3000) ** 9,
    "both zeros": lambda rng: np.where(rng.random(3000) < 0.4, -0.0, rng.integers(0, 3, 3000)),
}


@pytest.mark.parametrize("name", CROWDED)
def test_scores_may_crowd(monkeypatch, tmp_path, name):
    without_an_engine(monkeypatch)
    rng = np.random.default_rng(6)
    scores = CROWDED[name](rng)
    labels = rng.random(3000) < 0.2 + 0.6 * (np.argsort(np.argsort(scores)) / 3000)
    found = th.scan(written(tmp_path, labels, scores), label="y", score="p", exact=True)
    require_same_numbers(found, th.rank(labels, scores))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("whole", [False, True])
def test_some_scores_may_be_infinite(monkeypatch, tmp_path, seed, whole):
    without_an_engine(monkeypatch)
    rng = np.random.default_rng(seed)
    scores = rng.integers(-40, 40, 900) * 1.0 if whole else rng.normal(size=900)
    labels = rng.random(900) < 1 / (1 + np.exp(-scores))
    ends = rng.integers(1, 8, 2)
    scores[: ends[0]], scores[-ends[1] :] = np.inf, -np.inf
    labels[: ends[0]] = rng.random(ends[0]) < 0.2
    found = th.scan(written(tmp_path, labels, scores), label="y", score="p", exact=True)
    require_same_choices(found, th.rank(labels, scores))


def test_what_dealing_cannot_tell_apart_is_left_to_the_engine(monkeypatch, tmp_path):
    monkeypatch.setattr(exact_files, "_TOO_MUCH", 0.0)
    asked = []
    opened = scanning.opened

    def watched(source: Any, **how: Any) -> Any:
        asked.append(source)
        return opened(source, **how)

    monkeypatch.setattr(scanning, "opened", watched)
    rng = np.random.default_rng(7)
    labels, scores = rng.random(2500) < 0.5, 0.5 + rng.random(2500) * 1e-3
    scores[::7] = rng.random(scores[::7].size)
    found = th.scan(written(tmp_path, labels, scores), label="y", score="p", exact=True)
    assert asked
    require_same_numbers(found, th.rank(labels, scores))


def test_bounds_of_everything_else_hold(folder):
    table = rows()
    found, expected = th.scan(folder, label="int", score="p", exact=True), th.rank(table["int"], table["p"])
    assert not found.exact
    assert kept_number(found.spans, "brier") is not None
    for threshold in np.linspace(0, 1, 101):
        between, cells = th.table_bounds(found, threshold), th.contingency_at(expected, threshold)
        assert between.least.tp <= cells.tp <= between.most.tp
        assert between.least.fp <= cells.fp <= between.most.fp


@pytest.mark.parametrize("missing", ["raise", "drop"])
@pytest.mark.parametrize(("label", "score"), [("int", "holes"), ("gap", "p"), ("int", "huge"), ("many", "p")])
def test_faults_are_told_as_elsewhere(monkeypatch, folder, label, score, missing):
    one, other, _ = both_ways(monkeypatch, folder, label=label, scores=[score], missing=missing, exact=True)
    if isinstance(one, tuple):
        assert one[0] is other[0]
        assert one[1][:30] == other[1][:30]
    else:
        assert one[score].dropped == other[score].dropped > 0


def test_the_same_rows_give_the_same_ranking(folder):
    first, second = (th.scan_models(folder, label="int", scores=["p", "noise"], exact=True) for _ in range(2))
    assert first == second


def test_progress_is_told(folder):
    told: list[th.Progress] = []
    th.scan(folder, label="int", score="p", exact=True, progress=told.append)
    assert [(one.stage, one.rows, one.total) for one in told] == [
        ("dealing rows", 3000, 3000),
        ("counting ranges", 3000, 3000),
    ]


def test_nothing_is_left_behind(monkeypatch, folder, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    for broken in ("joined", "_sorted"):
        with monkeypatch.context() as patch:
            patch.setattr(exact_files, broken, interrupted)
            with pytest.raises(KeyboardInterrupt):
                th.scan(folder, label="int", score="p", exact=True)
        assert not list(Path(tmp_path).iterdir())
