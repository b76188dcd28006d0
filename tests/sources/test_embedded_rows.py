"""Frames and standard input in the embedded engine, where a function is asked which rows to take."""

import subprocess
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import thresher as th

ROWS = pa.table({"y": [1, 0, 1, 0], "p": [0.9, 0.8, 0.7, 0.1], "q": [0.9, 0.2, 0.7, 0.1], "list": [[1], [2], [3], [4]]})
FRAMES = {
    "pyarrow": lambda: ROWS,
    "reader": lambda: pa.RecordBatchReader.from_batches(ROWS.schema, ROWS.to_batches()),
    "dataset": lambda: ds.dataset(ROWS),
    "batch": lambda: ROWS.to_batches()[0],
    "pandas": ROWS.to_pandas,
    "Polars": lambda: pl.DataFrame(ROWS),
    "lazy": lambda: pl.DataFrame(ROWS).lazy(),
}


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_are_filtered_by_functions(frame):
    """Columns that hold several values per row are in nobody's way."""
    assert th.scan(FRAMES[frame](), label="y", score="p") == th.rank([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    found = th.scan(FRAMES[frame](), label="y", score="p", where=lambda t: t.q < 0.8)
    assert found == th.rank([0, 1, 0], [0.8, 0.7, 0.1])


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    "asked",
    [
        'scan("-", label="y", score="p", exact=False).total == 4',
        'scan("-", label="y", score="p", exact=True).total == 4',
        'scan("-", label="y", score="p", where=lambda t: t.q < 0.8).total == 3',
        'scan("-", label="y", score="p", where={"q": 0.9}).total == 1',
        'th.compare_scan("-", label="y", scores=["p", "q"]).names == ("p", "q")',
        'len(th.evaluate_scan("-", label="y", scores=["p", "q"], paired=False).models) == 2',
    ],
)
def test_standard_input(tmp_path, suffix, asked):
    path = tmp_path / f"rows.{suffix}"
    rows: pd.DataFrame = ROWS.drop(["list"]).to_pandas()
    if suffix == "csv":
        rows.to_csv(path, index=False)
    elif suffix == "jsonl":
        rows.to_json(path, orient="records", lines=True)
    else:
        pq.write_table(ROWS.drop(["list"]), path)
    code = f"import thresher as th; scan = th.scan; print({asked})"
    with path.open("rb") as stdin:
        ran = subprocess.run(  # noqa: S603
            [sys.executable, "-c", code], stdin=stdin, capture_output=True, text=True, check=False, timeout=120
        )
    assert ran.stdout.strip() == "True", ran.stderr
