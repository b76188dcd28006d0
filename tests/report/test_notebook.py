import xml.etree.ElementTree as ET

import pytest

import thresher as th
from tests.report import examples


def parsed(html):
    return ET.fromstring(html)  # noqa: S314 - our own


def cells(html):
    return [node.text for node in parsed(html).iter() if node.tag in ("th", "td") and node.text]


def test_a_ranking_shows_segments_and_its_curve():
    html = examples.emails()["tree"].ranking._repr_html_()
    assert "0.89" in cells(html)
    assert "<svg" in html
    assert "<title>Coverage curve</title>" in html


def test_a_long_ranking_shows_its_first_segments():
    html = examples.evaluation()["model 1"].ranking._repr_html_()
    assert html.count("<tr>") == 12 + 2
    assert "300 segments, the first 12 shown" in html


def test_one_is_not_several():
    assert "1 positive, 1 negative, 2 segments" in th.Ranking([2, 1], pos=[1, 0], neg=[0, 1])._repr_html_()
    assert "3 positives, 1 negative, 1 segment<" in th.Ranking([2], pos=[3], neg=[1])._repr_html_()


def test_one_class_has_no_curve():
    assert "<svg" not in th.Ranking([2, 1], pos=[1, 3], neg=[0, 0])._repr_html_()


def test_a_table_shows_its_totals():
    assert cells(th.Contingency(tp=30, fn=20, fp=10, tn=40)._repr_html_())[-3:] == ["40", "60", "100"]


def test_a_table_of_many_splits_shows_the_first():
    curve = th.coverage(examples.evaluation()["model 1"].ranking)
    html = curve._repr_html_()
    assert "301 splits, the first 12 shown" in html
    assert len(cells(html)) == 5 + 12 * 5


@pytest.mark.parametrize("thing", [th.Ranking([0.5], pos=[1], neg=[2]), th.Contingency(tp=0, fn=0, fp=0, tn=0)])
def test_edges_are_html_too(thing):
    parsed(thing._repr_html_())
