"""Ratios as people write them; contradictions are refused."""

import click
import pytest

from thresher.cli.options import ratio


@pytest.mark.parametrize(("text", "value"), [("5", 5), ("5:1", 5), ("1/4", 0.25), ("1e3", 1000), (" 2 : 1 ", 2)])
def test_ratios(text, value):
    assert ratio(text) == value


@pytest.mark.parametrize("text", ["", "five", "1:0", "1:2:3", "nan", ":", "1:"])
def test_what_is_no_ratio(text):
    with pytest.raises(click.BadParameter, match="is no ratio"):
        ratio(text)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--cost-ratio", "5", "--cost-fn", "2"], "both cost_ratio and single costs are given"),
        (["--class-ratio", "1:9", "--prevalence", "0.1"], "both class_ratio and prevalence are given"),
        (["--cost-ratio", "-5"], "cost_ratio must be above 0"),
        (["--prevalence", "20"], "prevalence must lie strictly between 0 and 1"),
        (["--level", "95"], "did you mean 0.95?"),
    ],
)
def test_contradictions_are_refused(refused, words, told):
    assert told in refused("evaluate", "predictions.csv", "--label", "malignant", "--score", "forest", *words)
