"""JSON lines in batches: types that hold to the last line, by Arrow's parser where that changes nothing."""

import pyarrow as pa
import pytest

import thresher as th
from thresher.sources import json_batches, json_lines
from thresher.sources.data_file import DataFile
from thresher.sources.progress import RowCount


def learned(*lines):
    file = DataFile("rows", "jsonl", None, "".join(f"{line}\n" for line in lines).encode())
    return file, json_batches.kinds_in(file, RowCount())


def rows(file, kinds, names):
    batches = list(json_batches.batches_in(file, kinds, names))
    return pa.Table.from_batches(batches).to_pylist()


@pytest.mark.parametrize(
    ("lines", "kind", "by_arrow"),
    [
        (["1", "2"], "int64", True),
        (["1", "0.5"], "double", True),
        (["true", "false"], "bool", True),
        (['"2024-01-01"', '"a"'], "string", True),
        (['"2024-01-01"', '"2024-01-02 10:00:00"'], "string", True),
        (["null", "null"], "null", False),
        (["true", "2"], "int64", False),
        ([str(2**63), "1"], "uint64", False),
        (["0.5", str(2**60)], "double", False),
    ],
)
def test_what_a_key_holds(lines, kind, by_arrow):
    file, kinds = learned(*(f'{{"p": {line}}}' for line in lines))
    assert (str(kinds.types["p"]), kinds.by_arrow) == (kind, by_arrow)
    assert not kinds.refused
    assert len(rows(file, kinds, ["p"])) == 2


@pytest.mark.parametrize(
    ("lines", "error", "what"),
    [
        (["0.5", str(2**53 + 1)], th.ScoreError, "1 of 2 entries of 'p' do not fit a float64 exactly"),
        (["1", "1" + "0" * 400], th.ScoreError, "1 of 2 entries of 'p' do not fit a float64 exactly"),
        (["1", '"a"'], th.ColumnError, "the column 'p' holds int and str"),
        (["1", "[1]"], th.ColumnError, "the column 'p' holds int and list"),
    ],
)
def test_what_would_change_is_refused_when_used(lines, error, what):
    _, kinds = learned(*(f'{{"p": {line}, "y": 1}}' for line in lines))
    assert list(kinds.refused) == ["p"]
    assert isinstance(kinds.refused["p"], error)
    assert kinds.refused["p"].what.startswith(what)


def test_a_key_that_comes_late(monkeypatch):
    for module in (json_lines, json_batches):
        monkeypatch.setattr(module, "BLOCK", 1 << 10)
    file, kinds = learned(*['{"p": 1}'] * 500, '{"p": 2, "late": "x"}')
    assert {name: str(kind) for name, kind in kinds.types.items()} == {"p": "int64", "late": "string"}
    assert rows(file, kinds, ["late", "p"])[-2:] == [{"late": None, "p": 1}, {"late": "x", "p": 2}]
