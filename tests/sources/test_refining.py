"""Further passes: only while something is left open that was asked for, and never more than two."""

from importlib import import_module

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from thresher.sources import refining
from thresher.sources.refinement import divided, open_share

scanning = import_module("thresher.sources.scan")


@pytest.fixture
def passes(monkeypatch):
    """The pieces that each further pass was asked for, of a scan whose rows count as too many."""
    monkeypatch.setattr(scanning, "ROWS_TO_GROUP", 0)
    asked = []
    refined = refining.refined

    def watched(found, tallied, condition, **how):
        def told(stage, pieces=(), lenses=()):
            asked.append((stage, pieces))
            return tallied(stage, pieces=pieces, lenses=lenses)

        return refined(found, told, condition, **how)

    monkeypatch.setattr(scanning, "refined", watched)
    return asked


def written(place, labels, **scores):
    pq.write_table(pa.table({"y": labels, **scores}), place / "rows.parquet")
    return place / "rows.parquet"


@pytest.fixture
def rows(tmp_path):
    rng = np.random.default_rng(9)
    y = rng.random(3000) < 0.3
    p = 1 / (1 + np.exp(-rng.normal(size=3000) - y))
    return written(tmp_path, y, p=p, q=p[::-1].copy()), y, p


def scanned(source, refine, **how):
    return th.scan(source, label="y", score="p", exact=False, refine=refine, **how)


def test_the_auc_is_closed_to_a_millionth(passes, rows):
    found = scanned(rows[0], True, buckets=64)
    assert open_share(found) <= refining.TOLERANCE
    assert th.auc(th.rank(rows[1], rows[2])) in th.auc_bounds(found)
    assert 1 <= len(passes) <= refining.PASSES
    assert all(divided(pieces) for _, pieces in passes)


def test_nothing_is_read_again_where_nothing_is_open(passes, tmp_path):
    y = np.arange(1000) % 2
    scanned(written(tmp_path, y, p=y / 2 + 0.1), True)
    assert not passes
    scanned(written(tmp_path, y, p=y / 2 + 0.1), th.OperatingCondition(cost_ratio=3))
    assert not passes


@pytest.mark.parametrize("cost_ratio", [0.2, 1.0, 8.0])
def test_a_condition_looks_near_its_split_alone(passes, rows, cost_ratio):
    condition = th.OperatingCondition(cost_ratio=cost_ratio)
    found = scanned(rows[0], condition, buckets=64)
    assert th.best_cost_bounds(found, condition=condition).width < 1e-12
    assert th.choose(found, condition).table == th.choose(th.rank(rows[1], rows[2]), condition).table
    assert passes
    assert min(piece.parts for piece in passes[0][1]) == 1
    assert found.unresolved.any()


def test_several_models_are_refined_together(passes, rows):
    found = th.scan_models(rows[0], label="y", scores=["p", "q"], exact=False, buckets=64)
    assert all(open_share(ranking) <= refining.TOLERANCE for ranking in found.values())
    assert len(passes) <= refining.PASSES


def test_one_class_leaves_nothing_to_refine(passes, tmp_path):
    found = scanned(written(tmp_path, np.ones(500, dtype=int), p=np.linspace(0, 1, 500)), True, buckets=16)
    assert (found.Pos, found.Neg) == (500, 0)
    assert not passes


def test_ranges_meet_where_they_share_a_score():
    low, high = np.array([0.0, 0.2, 0.5, 0.8]), np.array([0.1, 0.4, 0.6, 0.9])
    starts, ends = np.array([0.1, 0.65]), np.array([0.2, 0.7])
    assert refining._meet(low, high, starts, ends).tolist() == [True, True, False, False]
    assert refining._meet(low, high, starts[:0], ends[:0]).tolist() == [False] * 4
