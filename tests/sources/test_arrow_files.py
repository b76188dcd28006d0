import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import thresher as th
from thresher.sources.arrow_files import columns_in, names_in
from thresher.sources.data_file import DataFile

TABLE = pa.table({"a.b": [1, 2], "a": [3.0, 4.0], "c": [{"x": 1}, {"x": 2}]})


@pytest.fixture(params=["parquet", "arrow"])
def file(request, tmp_path):
    path = tmp_path / f"rows.{request.param}"
    if request.param == "parquet":
        pq.write_table(TABLE, path, row_group_size=1)
    else:
        feather.write_feather(TABLE, str(path), compression="uncompressed")
    return DataFile(str(path), request.param)


def test_names_are_those_of_columns_not_of_their_parts(file):
    assert names_in(file, None) == ["a.b", "a", "c"]


def test_a_name_with_a_dot_is_one_name(file):
    assert {name: values.to_pylist() for name, values in columns_in(file, ["a", "a.b"]).items()} == {
        "a": [3.0, 4.0],
        "a.b": [1, 2],
    }


def test_an_arrow_file_is_only_mapped(tmp_path):
    path = tmp_path / "rows.arrow"
    feather.write_feather(pa.table({"p": np.arange(100_000.0)}), str(path), compression="uncompressed")
    before = pa.total_allocated_bytes()
    column = columns_in(DataFile(str(path), "arrow"), ["p"])["p"]
    assert pa.total_allocated_bytes() - before < 100_000
    assert column[7].as_py() == 7.0


@pytest.mark.parametrize("kept", [0, 3, 20, -8])
def test_a_file_that_was_cut_off(file, kept):
    with open(file.name, "rb") as whole:  # noqa: PTH123
        content = whole.read()
    cut = DataFile("cut", file.format, content=content[:kept])
    with pytest.raises(th.SourceError, match="cut cannot be read as"):
        columns_in(cut, ["a"])
