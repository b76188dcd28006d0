import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import hostile
from thresher.report.static.svg import (
    HEIGHT,
    LEFT,
    WIDTH,
    Plot,
    colour,
    dashed,
    element,
    number,
    picture,
    short,
    text,
    ticks,
)

SVG = "{http://www.w3.org/2000/svg}"


def parsed(picture):
    return ET.fromstring(picture)  # noqa: S314 - our own


@pytest.mark.parametrize("name", hostile.NAMES.values(), ids=hostile.NAMES)
def test_names_stay_text(name):
    plot = Plot((0, 1), (0, 1), name, name)
    root = parsed(plot.svg(name=name))
    assert {node.tag for node in root.iter()} <= {f"{SVG}{tag}" for tag in ("svg", "title", "text", "path")}
    assert parsed(element("a", text(name), b=name)).attrib.keys() == {"b"}


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_ticks_are_few_round_and_inside(low, width):
    places = ticks(low, low + width)
    assert 1 <= len(places) <= 7
    step = width * 1e-6 + abs(low) * 1e-9
    assert all(low - step <= at <= low + width + step for at in places)


def points(path):
    """Absolute places of a path of M and l."""
    place = (0.0, 0.0)
    for letter, rest in re.findall(r"([Ml])([^Ml]+)", path):
        x, y = (float(number) for number in re.findall(r"-?[\d.]+", rest))
        place = (x, y) if letter == "M" else (place[0] + x, place[1] + y)
        yield place


def test_a_line_runs_where_the_data_are():
    plot = Plot((0, 1), (0, 1), "x", "y")
    plot.line(np.linspace(0, 1, 5000), np.linspace(0, 1, 5000), place=1)
    (path,) = [node for node in parsed(plot.svg(name="n")) if node.get("stroke") == colour(1)]
    corners = list(points(path.get("d")))
    assert len(corners) < 500
    assert corners[0] == pytest.approx((LEFT, HEIGHT - 46), abs=0.06)
    assert corners[-1] == pytest.approx((WIDTH - 14, 12), abs=0.5)


def test_what_is_undefined_is_not_drawn():
    plot = Plot((0, 1), (0, 1), "x", "y")
    plot.line([0, 0.5, 1], [0, math.nan, 1], place=0)
    assert "nan" not in plot.svg(name="n")
    assert plot.drawn[0].count("M") == 2


def test_ten_models_differ_in_colour_or_dash():
    assert len({(colour(place), *dashed(place).values()) for place in range(10)}) == 10
    assert short(-2500) == "−2.5k"


@pytest.mark.parametrize(("low", "high"), [(-1.7e308, 1.7e308), (0.0, 5e-324), (-1e300, 1e300), (1e307, 1.7e308)])
def test_axes_hold_all_numbers(low, high):
    plot = Plot((low, high), (0, 1), "x", "y")
    plot.line([low, high], [0, 1], place=0)
    plot.bars([low, high], [1], place=1)
    drawn = plot.svg(name="far")
    assert not re.search(r"inf|nan", drawn)
    assert all(low <= at <= high for at in ticks(low, high))


def test_far_numbers_are_written_with_an_exponent():
    assert (short(-1e300), short(2e12)) == ("−1e+300", "2000G")


def test_a_coordinate_is_short_and_a_picture_has_a_name():
    assert [number(value) for value in (1.0, -0.001, 12.346)] == ["1", "0", "12.35"]
    assert picture(name="Nothing").endswith("<title>Nothing</title></svg>")
