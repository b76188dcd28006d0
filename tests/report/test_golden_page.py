"""The golden vectors that Python and the page share are those of today's Python."""

import json

from tests.report import golden_page


def test_the_file_is_current():
    assert golden_page.FILE.read_text(encoding="utf-8") == golden_page.text(), "run: python -m tests.report.golden_page"


def test_the_vectors_hold_what_is_hard():
    vectors = json.loads(golden_page.FILE.read_text(encoding="utf-8"))
    optima = [optimum for curve in vectors["curves"] for optimum in curve["optima"]]
    assert {len(optimum["tied"]) for optimum in optima} >= {1, 2, 3, 10}
    assert any("nan" in table["sample"].values() for table in vectors["tables"])
    assert any("inf" in table["declared"].values() for table in vectors["tables"])
    assert any(table["condition"]["baseline"] for table in vectors["tables"])
