"""How an evaluation of more rows than fit is shown and written."""

import io
import json

import ibis
import pyarrow as pa
import pytest
from rich.console import Console

import thresher as th
from thresher.cli.scanned_summary import evaluated_where_it_is, present_scan, scan_blocks
from thresher.cli.screen import show

SHOWN = {"as_json": False, "quiet": False, "decision": None}


@pytest.fixture(scope="module")
def table(columns):
    return ibis.memtable(pa.table(columns))


@pytest.fixture(scope="module")
def found(table):
    condition = th.OperatingCondition(cost_ratio=3)
    return th.evaluate_scan(table, label="malignant", scores=["forest", "logistic"], condition=condition)


def screen_of(found, title="rows"):
    screen = Console(file=io.StringIO(), width=100)
    show(screen, list(scan_blocks(found, 100, title=title)))
    return screen.file.getvalue()  # type: ignore[attr-defined]


def test_the_screen_tells_decision_bounds_differences_and_cautions(found, columns):
    shown = screen_of(found)
    positives = int(columns["malignant"].sum())
    assert f"{positives} positive, {240 - positives} negative" in shown
    assert f"Use {found.decision.model}" in shown
    assert "the least that any threshold reaches is" in shown
    for words in ("Models", "Bounds", "Differences in AUC", "Runner-up: ", "counts-only", "exactly"):
        assert words in shown
    for name in found["forest"].bounds:
        assert name in shown


def test_one_model_has_no_differences(table):
    shown = screen_of(th.evaluate_scan(table, label="malignant", scores=["forest"]))
    assert "Differences" not in shown
    assert "Runner-up" not in shown


def test_dropped_rows_are_told(columns):
    gap = {name: values.tolist() for name, values in columns.items() if name in ("malignant", "forest")}
    gap["forest"][:3] = [None] * 3
    rows = ibis.memtable(pa.table(gap))
    shown = screen_of(th.evaluate_scan(rows, label="malignant", scores=["forest"], missing="drop"))
    assert "3 dropped for missing values" in shown


def test_names_cannot_write_to_the_terminal(columns):
    name = "for\x1b[31mest"
    rows = ibis.memtable(pa.table({"malignant": columns["malignant"], name: columns["forest"]}))
    found = th.evaluate_scan(rows, label="malignant", scores=[name])
    assert "\x1b" not in screen_of(found, title="rows\x1b[2J")


@pytest.mark.parametrize("how", ["json", "quiet", "shown"])
def test_the_decision_is_written_whatever_is_shown(found, tmp_path, capsys, how):
    path = tmp_path / "decision.json"
    given = SHOWN | {"decision": str(path), "as_json": how == "json", "quiet": how == "quiet"}
    present_scan(found, given, title="rows")
    said = capsys.readouterr().out
    assert th.Decision.from_json(path.read_text(encoding="utf-8")) == found.decision
    if how == "json":
        assert json.loads(said) == json.loads(found.to_json())
    elif how == "quiet":
        assert not said
    else:
        assert "wrote decision" in said


@pytest.mark.parametrize("option", ["output", "figures", "cluster"])
def test_what_needs_rows_is_refused_before_anything_is_opened(option):
    with pytest.raises(th.ArgumentError, match=f"--{option} needs rows"):
        evaluated_where_it_is(th.OperatingCondition(), {"source": "absent.parquet", option: "x"})
