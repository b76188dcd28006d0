"""Files counted in NumPy give the engine's table, group by group and bit by bit, faults included."""

from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from thresher.sources.refinement import Piece

import thresher as th
from thresher.sources import file_tally
from thresher.sources.buckets import place_of

scanning = import_module("thresher.sources.scan")
SIZE = 3000


@pytest.fixture(autouse=True)
def bounded(monkeypatch):
    """Rows as too many to be counted score by score, in batches of few."""
    monkeypatch.setattr(scanning, "ROWS_TO_GROUP", 0)
    monkeypatch.setattr(file_tally, "_ROWS", 700)


def rows():
    rng = np.random.default_rng(8)
    y = rng.random(SIZE) < 0.4
    p = 1 / (1 + np.exp(-rng.normal(size=SIZE) - y))
    wild = rng.normal(size=SIZE) * 10.0 ** rng.integers(-9, 9, SIZE)
    wild[:6] = [np.inf, -np.inf, 0.0, -0.0, 5e-324, 1.0]
    return pa.table(
        {
            "int": pa.array(y.astype(np.int8)),
            "bool": pa.array(y),
            "sign": pa.array(np.where(y, 1, -1)),
            "word": pa.array(np.where(y, "spam", "ham")),
            "category": pa.array(np.where(y, "spam", "ham")).dictionary_encode(),
            "gap": pa.array([None if i % 97 == 0 else int(x) for i, x in enumerate(y)]),
            "p": pa.array(p),
            "half": pa.array(p.astype(np.float32)),
            "wild": pa.array(wild),
            "whole": pa.array(rng.integers(-50, 50, SIZE)),
            "holes": pa.array([None if i % 50 == 3 else np.nan if i % 50 == 4 else x for i, x in enumerate(p)]),
            "huge": pa.array(rng.integers(0, 9, SIZE) + 2**53),
            "vast": pa.array([None if i % 9 == 0 else 2**60 + i for i in range(SIZE)]),
            "noise": pa.array(rng.normal(size=SIZE)),
            "many": pa.array(rng.integers(0, 30, SIZE)),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("rows")
    table = rows()
    for i in range(3):
        pq.write_table(table.slice(i * 1000, 1000), place / f"part{i}.parquet", row_group_size=300)
    return place


def both_ways(monkeypatch, source, **how):
    """What NumPy counts and what the engine counts, or what they refuse, and whether NumPy counted at all."""
    asked: dict[str, Any] = {"exact": False, "buckets": 256, **how}
    used = []

    def watched(*arguments, **options):
        used.append(options["stage"])
        return file_tally.file_tally(*arguments, **options)

    def found() -> Any:
        try:
            return th.scan_models(source, **asked)
        except th.ThresherError as error:
            return type(error), error.what

    with monkeypatch.context() as patch:
        patch.setattr(scanning, "file_tally", watched)
        one = found()
        patch.setattr(scanning, "countable", lambda *_, **__: False)
        return one, found(), bool(used)


@pytest.mark.parametrize("label", ["int", "bool", "sign", "word", "category"])
@pytest.mark.parametrize("refine", [False, True, th.OperatingCondition(cost_ratio=3)])
def test_labels_of_every_kind(monkeypatch, folder, label, refine):
    positive = {"word": "spam", "category": "spam", "sign": 1}.get(label)
    one, other, used = both_ways(
        monkeypatch, folder, label=label, scores=["p", "wild"], positive=positive, refine=refine
    )
    assert used
    assert one == other
    assert one["p"].unresolved.any() == (refine is not True)


@pytest.mark.parametrize("score", ["half", "whole", "wild", "holes", "huge", "vast"])
@pytest.mark.parametrize("missing", ["raise", "drop"])
def test_scores_of_every_kind(monkeypatch, folder, score, missing):
    one, other, used = both_ways(monkeypatch, folder, label="int", scores=[score], missing=missing, refine=False)
    assert used
    assert one == other


@pytest.mark.parametrize("missing", ["raise", "drop"])
def test_gaps_in_labels_are_counted(monkeypatch, folder, missing):
    one, other, used = both_ways(monkeypatch, folder, label="gap", scores=["p", "holes"], missing=missing, refine=False)
    assert used
    assert one == other
    if missing == "drop":
        assert one["p"].dropped == other["p"].dropped > 0


def test_what_an_engine_says_better_is_left_to_it(monkeypatch, folder):
    for label, score in (("noise", "p"), ("many", "p"), ("int", "word")):
        one, other, _ = both_ways(monkeypatch, folder, label=label, scores=[score])
        assert one[0] is other[0]  # both refuse, and name the first labels they meet
        assert one[1][:30] == other[1][:30]


def test_progress_is_told(folder):
    told: list[th.Progress] = []
    th.scan(folder, label="int", score="p", exact=False, refine=False, progress=told.append)
    assert (told[-1].stage, told[-1].rows, told[-1].total) == ("counting", SIZE, SIZE)


def test_files_that_differ_and_broken_ones_are_told(tmp_path):
    pq.write_table(pa.table({"y": [1, 0], "p": [0.5, 0.2]}), tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(th.SourceError, match=r"b\.parquet"):
        th.scan(tmp_path, label="y", score="p", exact=False)


def test_files_without_rows_and_labels_of_two_types(tmp_path, monkeypatch):
    pq.write_table(pa.table({"y": pa.array([], pa.int8()), "p": pa.array([], pa.float64())}), tmp_path / "a.parquet")
    with pytest.raises(th.EmptyError, match="no rows"):
        th.scan(tmp_path, label="y", score="p", exact=False)
    pq.write_table(pa.table({"y": pa.array([1, 0], pa.int8()), "p": [0.5, 0.25]}), tmp_path / "b.parquet")
    assert th.scan(tmp_path, label="y", score="p", exact=False) == th.rank([1, 0], [0.5, 0.25])
    pq.write_table(pa.table({"y": [True, False], "p": [0.75, 0.125]}), tmp_path / "c.parquet")
    one, other, used = both_ways(monkeypatch, tmp_path, label="y", scores=["p"])
    assert not used
    assert one == other


def test_the_grid_numbers_cells_without_gaps():
    grid = file_tally.Grid(16, [Piece(0, 1), Piece(4, 5), Piece(6, 1)])
    cell = np.arange(grid.cells)
    assert (np.diff(grid.key(cell)) > 0).all()
    scores = np.linspace(-3, 3, 1001)
    assert (np.diff(grid.cell(scores)) >= 0).all()


def test_only_buckets_with_rows_are_divided():
    pieces, occupied = [Piece(0, 1), Piece(3, 1000)], np.array([3, 60, 60])
    grid = file_tally.Grid(64, pieces, occupied=occupied)
    everywhere = file_tally.Grid(64, pieces)
    assert grid.cells < 2 * 1000 + 2 * 64 < everywhere.cells
    scores = np.array([0.2, 0.2001, 0.9, 0.95])
    for score in scores[np.isin(np.floor(place_of(scores, buckets=64)), occupied)]:
        one = np.array([score])
        assert grid.key(grid.cell(one)) == everywhere.key(everywhere.cell(one))


def test_few_scores_far_apart_take_little_memory(monkeypatch, tmp_path):
    rng = np.random.default_rng(3)
    table = {"y": rng.integers(0, 2, 400), "p": rng.choice([0.1, 0.9], 400) + rng.random(400) * 1e-6}
    pq.write_table(pa.table(table), tmp_path / "rows.parquet")
    cells = []

    class Watched(file_tally.Grid):
        def __init__(self, *how):
            super().__init__(*how)
            cells.append(self.cells)
            assert self.cells < 2**23, "so many cells would not fit"

    monkeypatch.setattr(scanning, "Grid", Watched)
    one, other, used = both_ways(monkeypatch, tmp_path, label="y", scores=["p"], buckets=4096, refine=True)
    assert used
    assert one == other
    assert len(cells) > 1
