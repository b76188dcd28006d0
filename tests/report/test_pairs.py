import re

from tests.report import examples
from thresher.report import contents
from thresher.report.pairs import pairs_plot
from thresher.report.svg import colour


def shades(drawn):
    return re.findall(r'fill="(var[^"]*)"', drawn)


def test_won_and_lost_pairs_are_told_apart():
    drawn = pairs_plot(contents(examples.emails())["models"][0]["segments"], name="Pairs <grid>")
    assert shades(drawn) == [colour(2), colour(1)]
    assert "Pairs &lt;grid&gt;" in drawn


def test_ties_have_their_own_shade():
    drawn = pairs_plot({"score": [1], "pos": [2], "neg": [3]}, name="tied")
    assert shades(drawn) == [colour(2), colour(1), colour(4)]
