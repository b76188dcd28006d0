"""ROC curves in braille: the chosen point stands on its curve."""

import pytest

import thresher as th
from thresher.cli.picture import CHOSEN, colours_of, roc_picture

SPAM = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")


def drawn(rankings, chosen, **size):
    return roc_picture(rankings, chosen, colours=colours_of(len(rankings)), **({"width": 20, "height": 8} | size)).plain


def test_all_lines_are_of_one_width():
    lines = drawn([SPAM], None).splitlines()[1:]
    assert [len(line) for line in lines] == [23] * 10


@pytest.mark.parametrize(
    ("chosen", "row", "column"), [((0, 0), 8, 3), ((1, 1), 1, 22), ((0, 1), 1, 3), ((0.2, 0.6), 4, 7)]
)
def test_the_chosen_point(chosen, row, column):
    assert drawn([SPAM], chosen).splitlines()[row][column] == CHOSEN


def test_a_perfect_curve_hugs_the_corner():
    lines = drawn([th.Ranking.parse("[5+][5-]")], None).splitlines()
    assert lines[1][3:].count("⠉") == 19
    assert all(line[3] in "⡇⡏" for line in lines[1:9])


def test_colours_repeat_after_the_last():
    assert len(set(colours_of(6))) == 6
    assert colours_of(7)[6] == colours_of(1)[0]
