"""Tables keep their rows, order and other columns, in pieces of any size and every format."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cli import text_copy
from thresher.cli.table_file import write_with_columns
from thresher.cli.text_copy import Origin, copy_text


def twice(scores):
    return {"twice": np.asarray(scores) * 2}


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8), st.floats(0, 1)
        ),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 7),
)
def test_every_field_comes_out_as_it_went_in(rows, piece):
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["note", "p"])
    writer.writerows(rows)
    out = io.StringIO(newline="")
    whole, text_copy.PIECE = text_copy.PIECE, piece
    try:
        count = copy_text(io.StringIO(text.getvalue(), newline=""), out, Origin("a", "p"), twice, delimiters=(",", ";"))
    finally:
        text_copy.PIECE = whole
    found = list(csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=";"))
    assert count == len(rows)
    assert found[0] == ["note", "p", "twice"]
    assert [row[0] for row in found[1:]] == [note for note, _ in rows]
    assert [float(row[2]) for row in found[1:]] == [2 * p for _, p in rows]


@pytest.mark.parametrize("source", ["a.csv", "a.tsv", "a.csv.gz", "a.jsonl", "a.parquet", "a.arrow"])
@pytest.mark.parametrize("target", ["b.csv", "b.tsv", "b.csv.gz", "b.parquet", "b.feather"])
def test_from_every_format_to_every_format(tmp_path, source, target):
    arrow = pytest.importorskip("pyarrow")
    from thresher.sources.files import read_columns

    table = arrow.table({"id": [3, 1, 2], "note": ["a", "b, c", 'd"'], "p": [0.25, 0.5, 0.125]})
    first = tmp_path / source
    if source.endswith(".jsonl"):
        import json

        first.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    elif source.endswith(".parquet"):
        from pyarrow import parquet

        parquet.write_table(table, first)
    elif source.endswith(".arrow"):
        from pyarrow import feather

        feather.write_feather(table, first)
    else:
        import gzip

        text = io.StringIO(newline="")
        out = csv.writer(text, delimiter="\t" if ".tsv" in source else ",")
        out.writerow(table.column_names)
        out.writerows(row.values() for row in table.to_pylist())
        data = text.getvalue().encode()
        first.write_bytes(gzip.compress(data) if source.endswith(".gz") else data)
    write_with_columns(str(first), str(tmp_path / target), score="p", added=twice)
    found = read_columns(tmp_path / target, None)
    assert list(found) == ["id", "note", "p", "twice"]
    assert found["id"].tolist() == [3, 1, 2]
    assert found["note"].tolist() == ["a", "b, c", 'd"']
    assert found["twice"].tolist() == [0.5, 1.0, 0.25]


def test_a_folder_is_one_table(tmp_path):
    for name, value in (("1.csv", 0.5), ("2.csv", 0.25)):
        (tmp_path / "all").mkdir(exist_ok=True)
        (tmp_path / "all" / name).write_text(f"p\n{value}\n")
    rows = write_with_columns(str(tmp_path / "all"), str(tmp_path / "b.csv"), score="p", added=twice)
    assert rows == 2
    assert (tmp_path / "b.csv").read_text().split() == ["p,twice", "0.5,1.0", "0.25,0.5"]
