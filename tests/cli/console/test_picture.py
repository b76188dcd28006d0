"""Tests of picture."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.cli.console.picture import CHOSEN, braille, colours_of, place, roc_picture

BLANK = "\u2800"


def drawn(curves, width, height):
    return braille(curves, width=width, height=height)[0]


def line(*points):
    x, y = zip(*points, strict=True)
    return np.array(x, dtype=float), np.array(y, dtype=float)


def test_the_corners():
    for point, (row, column, char) in {
        (0, 0): (1, 0, "⡀"),
        (1, 0): (1, 1, "⢀"),
        (0, 1): (0, 0, "⠁"),
        (1, 1): (0, 1, "⠈"),
    }.items():
        rows = drawn([line(point, point)], 2, 2)
        assert rows[row][column] == char
        assert "".join(rows).count(BLANK) == 3


def test_the_left_edge_and_the_top():
    assert drawn([line((0, 0), (0, 1), (1, 1))], 3, 2) == ["⡏⠉⠉", "⡇⠀⠀"]


def test_the_first_curve_owns_what_both_touch():
    _, owner = braille([line((0, 0), (1, 1)), line((0, 0), (0, 1))], width=4, height=4)
    assert owner[[3, 0, 3], [0, 0, 3]].tolist() == [0, 1, -1]


def test_a_point_is_in_the_character_that_draws_it():
    for x in np.linspace(0, 1, 11):
        for y in np.linspace(0, 1, 11):
            row, column = place(x, y, width=7, height=5)
            assert drawn([line((x, y), (x, y))], 7, 5)[row][column] != BLANK


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=20))
def test_a_rising_curve_has_no_gaps(points):
    xs, ys = sorted(x for x, _ in points), sorted(y for _, y in points)
    rows = drawn([line((0, 0), *zip(xs, ys, strict=True), (1, 1))], 10, 6)
    assert all(any(row[j] != BLANK for row in rows) for j in range(10))
    assert all(any(char != BLANK for char in row) for row in rows)


SPAM = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")


def drawn_of_picture(rankings, chosen, **size):
    return roc_picture(rankings, chosen, colours=colours_of(len(rankings)), **({"width": 20, "height": 8} | size)).plain


def test_all_lines_are_of_one_width():
    lines = drawn_of_picture([SPAM], None).splitlines()[1:]
    assert [len(line) for line in lines] == [23] * 10


@pytest.mark.parametrize(
    ("chosen", "row", "column"), [((0, 0), 8, 3), ((1, 1), 1, 22), ((0, 1), 1, 3), ((0.2, 0.6), 4, 7)]
)
def test_the_chosen_point(chosen, row, column):
    assert drawn_of_picture([SPAM], chosen).splitlines()[row][column] == CHOSEN


def test_a_perfect_curve_hugs_the_corner():
    lines = drawn_of_picture([th.Ranking.parse("[5+][5-]")], None).splitlines()
    assert lines[1][3:].count("⠉") == 19
    assert all(line[3] in "⡇⡏" for line in lines[1:9])


def test_colours_repeat_after_the_last():
    assert len(set(colours_of(6))) == 6
    assert colours_of(7)[6] == colours_of(1)[0]
