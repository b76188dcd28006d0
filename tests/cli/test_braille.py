"""The canvas draws what it is told: every dot in its place, no gaps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.cli.braille import braille, place

BLANK = "\u2800"


def drawn(curves, width, height):
    return ["".join(cell.char for cell in row) for row in braille(curves, width=width, height=height)]


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
    rows = braille([line((0, 0), (1, 1)), line((0, 0), (0, 1))], width=4, height=4)
    assert rows[3][0].curve == 0
    assert rows[0][0].curve == 1
    assert rows[3][3].curve == -1


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
