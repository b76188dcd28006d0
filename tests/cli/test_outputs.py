"""Tests of outputs."""

import csv
import io
import os
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.cli.outputs import copy_rows, require_outputs, score_columns, write_with_columns


def test_two_outputs_may_not_be_one(tmp_path):
    with pytest.raises(th.errors.ArgumentError, match="--output and --decision name the same file"):
        require_outputs(source=None, output=str(tmp_path / "a"), decision=str(tmp_path / "." / "a"))


def test_the_input_is_not_overwritten_by_another_spelling(tmp_path):
    with pytest.raises(th.errors.ArgumentError, match="--write would overwrite the input"):
        require_outputs(source=str(tmp_path / "a.csv"), write=str(tmp_path / ".." / tmp_path.name / "a.csv"))


@pytest.mark.parametrize(
    ("target", "kind"), [(".", IsADirectoryError), ("no/a", FileNotFoundError), ("file/a", NotADirectoryError)]
)
def test_what_cannot_be_written_is_refused_before_the_work(tmp_path, target, kind):
    (tmp_path / "file").write_text("")
    with pytest.raises(kind):
        require_outputs(source=None, output=str(tmp_path / target))


def test_a_folder_without_permission(tmp_path, monkeypatch):
    # To root everything is permitted, so the system's answer is given for it.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError):
        require_outputs(source=None, output=str(tmp_path / "a"))


@pytest.mark.parametrize("figures", ["new", "new/deep/er", "there"])
def test_a_folder_of_figures_may_be_there_or_new(tmp_path, figures):
    (tmp_path / "there").mkdir()
    require_outputs(source=None, figures=str(tmp_path / figures))
    assert [path.name for path in tmp_path.iterdir()] == ["there"], "checking makes nothing"


@pytest.mark.parametrize("figures", ["file", "file/in/it"])
def test_a_folder_of_figures_that_cannot_be(tmp_path, figures):
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        require_outputs(source=None, figures=str(tmp_path / figures))


def test_a_folder_of_figures_without_permission(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError):
        require_outputs(source=None, figures=str(tmp_path / "new"))


@pytest.mark.parametrize("figures", ["a", "a/b"])
def test_a_folder_of_figures_where_a_file_will_be(tmp_path, figures):
    with pytest.raises(th.errors.ArgumentError, match="--figures is to be a folder where --output is a file"):
        require_outputs(source=None, output=str(tmp_path / "a"), figures=str(tmp_path / figures))


@pytest.mark.parametrize("option", ["output", "decision", "figures"])
def test_a_dash_is_no_file(option):
    with pytest.raises(th.errors.ArgumentError, match=f"--{option} is a (file|folder), and - is standard output"):
        require_outputs(source="a.csv", **{option: "-"})


@pytest.mark.parametrize("source", ["part*.csv", "."])
def test_no_file_of_a_glob_or_folder_is_overwritten(tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "part1.csv").write_text("")
    (tmp_path / "old.html").write_text("")
    with pytest.raises(th.errors.ArgumentError, match="--output would overwrite the input"):
        require_outputs(source=source, output="part1.csv")
    require_outputs(source=source, output="old.html", decision="new.json")
    require_outputs(source="none*.csv", output="part1.csv")


TWICE = score_columns("a", "p", lambda scores: {"twice": np.asarray(scores) * 2})


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
    out, before = io.StringIO(newline=""), io.StringIO(text.getvalue(), newline="")
    count = copy_rows(before, out, TWICE, delimiters=(",", ";"), piece=piece)
    head, *after = csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=";")
    assert count == len(rows)
    assert head == ["note", "p", "twice"]
    assert [row[0] for row in after] == [note for note, _ in rows]
    assert [float(row[2]) for row in after] == [2 * p for _, p in rows]


@pytest.mark.parametrize(("field", "message"), [("high", "'high' in column 'p', row 12,"), ("", "missing in row 12")])
@pytest.mark.parametrize("piece", [1, 5, 100])
def test_rows_are_numbered_across_pieces(field, message, piece):
    lines = "p\n" + "0.5\n" * 11 + f"{field!r}\n".replace("'", '"') + "1\n"
    with pytest.raises(th.ThresherError, match=message):
        copy_rows(io.StringIO(lines), io.StringIO(), TWICE, delimiters=(",", ","), piece=piece)


@pytest.mark.parametrize("source", ["a.csv", "a.tsv", "a.csv.gz", "a.csv.zst", "a.jsonl", "a.parquet", "a.arrow"])
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
        with arrow.CompressedOutputStream(first, "zstd") if source.endswith(".zst") else nullcontext() as packed:
            packed.write(data) if packed else first.write_bytes(gzip.compress(data) if ".gz" in source else data)
    write_with_columns(str(first), str(tmp_path / target), TWICE)
    after = read_columns(tmp_path / target, None)
    assert list(after) == ["id", "note", "p", "twice"]
    assert after["id"].tolist() == [3, 1, 2]
    assert after["note"].tolist() == ["a", "b, c", 'd"']
    assert after["twice"].tolist() == [0.5, 1.0, 0.25]


@pytest.mark.parametrize("name", ["a.csv.gz", "a.csv.zst"])
@pytest.mark.parametrize("damage", ["truncated", "other"])
def test_a_damaged_file_is_refused(tmp_path, name, damage):
    arrow = pytest.importorskip("pyarrow")
    path = tmp_path / name
    with arrow.CompressedOutputStream(path, "zstd" if name.endswith(".zst") else "gzip") as packed:
        packed.write(b"p\n" + b"".join(b"%f\n" % (i / 7919) for i in range(7919)))
    path.write_bytes(path.read_bytes()[:2000] if damage == "truncated" else b"p\n0.5\n")
    with pytest.raises(th.errors.SourceError, match="cannot be decompressed"):
        write_with_columns(str(path), str(tmp_path / "b.csv"), TWICE)
    assert not (tmp_path / "b.csv").exists()


def test_parquet_keeps_the_types_of_other_columns(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"day": arrow.array([1, 2], arrow.date32()), "p": arrow.array([0.5, 1], arrow.float32())})
    parquet.write_table(table, tmp_path / "a.parquet")
    write_with_columns(str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet"), TWICE)
    after = parquet.read_table(tmp_path / "b.parquet")
    assert after.schema.field("day").type == arrow.date32()
    assert after.schema.field("p").type == arrow.float32()
    assert after["twice"].to_pylist() == [1, 2]


def test_a_folder_is_one_table(tmp_path):
    for name, value in (("1.csv", 0.5), ("2.csv", 0.25)):
        (tmp_path / "all").mkdir(exist_ok=True)
        (tmp_path / "all" / name).write_text(f"p\n{value}\n")
    rows = write_with_columns(str(tmp_path / "all"), str(tmp_path / "b.csv"), TWICE)
    assert rows == 2
    assert (tmp_path / "b.csv").read_text().split() == ["p,twice", "0.5,1.0", "0.25,0.5"]
