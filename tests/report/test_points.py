"""Tests of points: tables as points on a page."""

import json
import re

import pytest

import thresher as th
from tests import hostile
from thresher.report.page import asset, embedded
from thresher.report.points import points_panels, points_payload, points_tables

C = th.Contingency
MODELS = {"M1": C(tp=50, fn=0, fp=30, tn=20), "M2": C(tp=20, fn=30, fp=0, tn=50), "M3": C(tp=35, fn=15, fp=15, tn=35)}
TWO_TO_ONE = th.OperatingCondition(cost_fp=2, cost_fn=1)


@pytest.fixture(scope="module")
def choice():
    return th.choose({**MODELS, "worse": C(tp=25, fn=25, fp=20, tn=30)}, TWO_TO_ONE)


def test_the_data_are_those_of_the_choice(choice):
    data = points_payload(choice)
    assert json.loads(embedded(data)) == data
    assert [point["cost"] for point in data["points"]] == list(choice.costs.values())
    assert [point["name"] for point in data["points"] if point["best"]] == ["M2"]
    assert [point["letter"] for point in data["points"]] == ["A", "B", "C", "D"]
    assert data["points"][3]["dominated"] == ["M3"]
    assert data["points"][0]["range"] == [1.0, "inf"]
    assert data["answer"][0] == "Use M2: 0.3 per case."
    assert "worse is dominated by M3." in data["answer"][1]
    assert points_payload(th.choose(MODELS, TWO_TO_ONE))["points"][1]["letter"] == "M2"


def test_a_point_below_the_hull_is_named():
    points = {"A": C(tp=50, fn=50, fp=0, tn=100), "B": C(tp=60, fn=40, fp=20, tn=80), "C": C(tp=95, fn=5, fp=40, tn=60)}
    choice = th.choose(points)
    assert "B, which nobody dominates, is the cheapest for no costs." in points_payload(choice)["answer"][1]


def test_a_ranking_brings_its_corners():
    spam_tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    data = points_payload(th.choose({"tree": spam_tree, "M": C(tp=40, fn=10, fp=20, tn=30)}))
    assert [corner["tp"] for corner in data["points"][0]["corners"]] == [0, 20, 30, 50]
    assert len(data["points"][1]["corners"]) == 1


def test_without_scripts_there_are_a_picture_and_the_costs(choice):
    data = points_payload(choice)
    (panel,), (table,) = points_panels(data), points_tables(data)
    assert re.findall(r">([A-D])</text>", panel.svg) == ["A", "B", "C", "D"]
    assert table.rows[1] == ("B M2", "0", "0.4", "0.3", "up to 1", "–")
    assert table.rows[3][-1] == "M3"


def test_the_page_has_its_script_and_hostile_names_stay_text(tmp_path):
    tables = {name: C(tp=30 + place, fn=20 - place, fp=10, tn=40) for place, name in enumerate(hostile.NAMES.values())}
    th.choose(tables, TWO_TO_ONE).to_html(tmp_path / "points.html", title="</title><b>")
    text = (tmp_path / "points.html").read_text(encoding="utf-8")
    assert f'<script type="module">{asset("points.js")}</script>' in text
    assert text.count("<script") == asset("points.js").count("<script") + 2
    assert "<b>" not in text.replace(asset("points.js"), "")
