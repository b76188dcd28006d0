from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from thresher.sources.listing import listed_files
from thresher.sources.row_groups import ROWS_IN_STRETCH, sampled_scores, stretches


@pytest.fixture
def files(tmp_path):
    for i in range(2):
        scores = pa.array(np.arange(1000.0) + 1000 * i)
        pq.write_table(
            pa.table({"p": scores, "q": pa.nulls(1000, pa.float64())}), tmp_path / f"{i}.parquet", row_group_size=90
        )
    return listed_files(tmp_path)


def test_stretches_are_whole_row_groups_and_miss_none(monkeypatch, files):
    monkeypatch.setattr("thresher.sources.row_groups.ROWS_IN_STRETCH", 200)
    found = stretches(pq, files)
    assert [one.groups for one in found[:4]] == [(0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11)]
    assert sum(one.rows for one in found) == 2000
    read = [batch["p"].to_numpy() for one in found for batch in one.batches(pq, ["p"], rows=64)]
    assert max(len(batch) for batch in read) == 64
    assert np.concatenate(read).tolist() == list(range(2000))


def test_small_files_are_one_stretch_each(files):
    assert ROWS_IN_STRETCH > 1000
    assert len(stretches(pq, files)) == 2


def test_samples_come_from_all_over(files):
    found = sampled_scores(pq, stretches(pq, files), "p")
    assert found.min() == 0
    assert found.max() == 1999


def test_scores_that_are_all_missing_leave_a_sample_all_the_same(files):
    assert sampled_scores(pq, stretches(pq, files), "q").tolist() == [0.0]


def test_a_file_that_breaks_is_named(files):
    found = stretches(pq, files)
    with Path(files[0].name).open("r+b") as broken:
        broken.truncate(200)
    with pytest.raises(th.SourceError, match=r"0\.parquet"):
        list(found[0].batches(pq, ["p"]))
