import xml.etree.ElementTree as ET

import pytest

from tests import hostile
from thresher.report.heat import MOST_NUMBERS, heat_map

SVG = "{http://www.w3.org/2000/svg}"


def test_shades_are_shares_of_the_row():
    root = ET.fromstring(heat_map([[8, 2, 0], [0, 5, 5], [0, 0, 1]], ["a", "b", "c"], name="m"))  # noqa: S314
    shade = [float(cell.get("fill-opacity", "")) for cell in root.iter(f"{SVG}rect")]
    assert shade == pytest.approx([0.48, 0.18, 0, 0, 0.33, 0.33, 0, 0, 0.58])
    assert [node.text for node in root.iter(f"{SVG}text") if node.get("font-size")] == list("820055001")


def test_a_class_without_cases_has_no_shade():
    assert "nan" not in heat_map([[0, 0], [1, 1]], ["a", "b"], name="m")


def test_names_stay_text_and_short():
    names = list(hostile.NAMES.values())[:3]
    root = ET.fromstring(heat_map([[1] * 3] * 3, names, name=names[0]))  # noqa: S314
    assert {node.tag for node in root.iter()} <= {f"{SVG}{tag}" for tag in ("svg", "title", "text", "rect")}
    assert max(len(node.text or "") for node in root.iter(f"{SVG}text")) <= 12


def test_many_classes_are_shades_only():
    many = MOST_NUMBERS + 1
    root = ET.fromstring(heat_map([[1] * many] * many, ["x"] * many, name="m"))  # noqa: S314
    assert len(list(root.iter(f"{SVG}rect"))) == many * many
    assert len(list(root.iter(f"{SVG}text"))) == many + 2
