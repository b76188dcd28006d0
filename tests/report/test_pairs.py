import re

from tests.report import examples
from thresher.report import contents
from thresher.report.pairs import pairs_plot
from thresher.report.svg import COLOURS


def shades(drawn):
    return re.findall(r'fill="(#[0-9a-f]{6})"', drawn)


def test_won_and_lost_pairs_are_told_apart():
    drawn = pairs_plot(contents(examples.emails())["models"][0]["segments"], name="Pairs <grid>")
    assert shades(drawn) == [COLOURS[2], COLOURS[1]]
    assert "Pairs &lt;grid&gt;" in drawn


def test_ties_have_their_own_shade():
    drawn = pairs_plot({"score": [1], "pos": [2], "neg": [3]}, name="tied")
    assert shades(drawn) == [COLOURS[2], COLOURS[1], COLOURS[5]]
