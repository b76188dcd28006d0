import gzip
from importlib import import_module

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from thresher.sources import memory
from thresher.sources.files import FileTable
from thresher.sources.scan import files_fit

scanning = import_module("thresher.sources.scan")

GIB = 1 << 30


def written(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def limited(root, group, limit, used, cached=0):
    """A group of the second version of control groups."""
    return written(
        root,
        {
            f"{group}/memory.max": f"{limit}\n",
            f"{group}/memory.current": f"{used}\n",
            f"{group}/memory.stat": f"anon 5\ninactive_file {cached}\n",
        },
    )


def test_a_container_leaves_what_its_limit_leaves(tmp_path):
    root = limited(tmp_path / "groups", ".", 4 * GIB, 3 * GIB, cached=GIB)
    member = written(tmp_path, {"cgroup": "0::/\n"}) / "cgroup"
    assert memory._free_in_groups(root, member) == [2 * GIB]


def test_the_limits_of_groups_around_it_hold_too(tmp_path):
    root = limited(tmp_path / "groups", "user/job", 8 * GIB, GIB)
    limited(root, "user", 4 * GIB, 2 * GIB)
    member = written(tmp_path, {"cgroup": "0::/user/job\n"}) / "cgroup"
    assert sorted(memory._free_in_groups(root, member)) == [2 * GIB, 7 * GIB]


def test_a_group_without_a_limit_limits_nothing(tmp_path):
    root = limited(tmp_path / "groups", "job", "max", GIB)
    member = written(tmp_path, {"cgroup": "0::/job\n"}) / "cgroup"
    assert memory._free_in_groups(root, member) == []
    assert memory._free_in_groups(tmp_path / "absent", tmp_path / "absent") == []


def test_the_first_version_of_control_groups(tmp_path):
    root = written(
        tmp_path / "groups",
        {
            "memory/job/memory.limit_in_bytes": f"{2 * GIB}\n",
            "memory/job/memory.usage_in_bytes": f"{GIB}\n",
            "memory/job/memory.stat": f"total_inactive_file {GIB // 2}\n",
        },
    )
    member = written(tmp_path, {"cgroup": "5:devices:/job\n4:memory:/job\n0::/\n"}) / "cgroup"
    assert memory._free_in_groups(root, member) == [3 * GIB // 2]


def test_more_used_than_allowed_leaves_nothing(tmp_path):
    root = limited(tmp_path / "groups", ".", GIB, 2 * GIB)
    member = written(tmp_path, {"cgroup": "0::/\n"}) / "cgroup"
    assert memory._free_in_groups(root, member) == [0]


def test_rows_may_take_a_quarter_of_the_least(tmp_path, monkeypatch):
    limited(tmp_path / "groups", ".", GIB >> 4, 0)
    monkeypatch.setattr(memory, "_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(memory, "_MEMBER", written(tmp_path, {"cgroup": "0::/\n"}) / "cgroup")
    assert memory.memory_budget() == GIB >> 6


@pytest.mark.parametrize("budget", [0, 1 << 20])
def test_parquet_says_how_many_rows_it_has(tmp_path, budget, monkeypatch):
    monkeypatch.setattr(scanning, "memory_budget", lambda: budget)
    pq.write_table(pa.table({"y": [1, 0] * 100, "p": [0.1, 0.2] * 100}), tmp_path / "rows.parquet")
    files = FileTable.of(tmp_path / "rows.parquet")
    assert files.rows() == 200
    assert files_fit(files, 2) == (budget > 0)


def test_packed_text_is_larger_than_its_file(tmp_path, monkeypatch):
    monkeypatch.setattr(scanning, "memory_budget", lambda: 1000)
    text = np.random.default_rng(0).bytes(60).hex().encode()
    for name, fits in (("rows.csv", True), ("rows.csv.gz", False)):
        (tmp_path / name).write_bytes(text if fits else gzip.compress(text))
        assert files_fit(FileTable.of(tmp_path / name), 2) == fits
