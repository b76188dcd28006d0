"""What is learned of files before they are streamed: types, refusals, and how many rows there are."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from thresher.sources.learned_columns import folder_kinds, learned_columns, require_alike
from thresher.sources.listing import listed_files
from thresher.sources.progress import RowCount


def learned(place):
    seen = RowCount()
    parts, columns = learned_columns(listed_files(place), seen)
    refused = {name: column.refusal.what for name, column in columns.items() if column.refusal is not None}
    return [part.names for part in parts], {name: str(column.type) for name, column in columns.items()}, refused, seen


def test_columns_come_before_keys_of_folders(tmp_path):
    for day in ("1", "2"):
        (tmp_path / f"day={day}").mkdir()
        (tmp_path / f"day={day}" / "a.csv").write_text("y,p\n1,0.5\n0,NA\n")
    names, types, refused, seen = learned(tmp_path)
    assert names == [["y", "p"]] * 2
    assert types == {"y": "int64", "p": "double", "day": "int64"}
    assert refused == {}
    assert seen.rows == 4


def test_a_name_that_one_file_has_twice(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n1,0.5\n")
    (tmp_path / "b.csv").write_text("y,p,p\n1,0.5,0.25\n")
    *_, refused, _ = learned(tmp_path)
    assert refused == {"p": f"{tmp_path / 'b.csv'} has 2 columns called 'p'"}


def test_parquet_files_say_how_many_rows_they_have(tmp_path):
    pq.write_table(pa.table({"p": [1, 2]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"p": ["a"]}).slice(0, 0), tmp_path / "b.parquet")
    _, types, refused, seen = learned(tmp_path)
    assert (types, refused, seen.rows) == ({"p": "int64"}, {}, 2)


def test_keys_that_not_all_folders_have(tmp_path):
    for name in ("day=1/a", "b"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"p": [1]}), tmp_path / f"{name}.parquet")
    files = listed_files(tmp_path)
    assert str(folder_kinds(files)["day"].type) == "int64"
    with pytest.raises(th.ColumnError, match=r"'day' is in .*day=1.* and not in .*b.parquet"):
        require_alike(files)
