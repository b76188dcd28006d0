"""Tests of options."""

import os
import subprocess
import sys

import click
import pytest

from thresher.cli.options import ratio


def offered(folder, *words):
    """What bash is offered for the last word."""
    env = {
        **os.environ,
        "_THRESHER_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("thresher", *words)),
        "COMP_CWORD": str(len(words)),
    }
    code = "import sys; sys.argv = ['thresher']; from thresher.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env, cwd=folder)  # noqa: S603
    return [line.split(",", 1)[1] for line in ran.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("eval",), ["evaluate"]),
        (("gate", "predictions.csv", "--requ"), ["--require", "--requirements"]),
        (("choose", "predictions.csv", "--score", "lo"), ["logistic"]),
        (("choose", "absent.csv", "--score", "lo"), []),
        (("choose", "predictions.csv", "--maximise", "you"), ["youden_j"]),
    ],
)
def test_offers(folder, words, message):
    assert offered(folder, *words) == message


@pytest.mark.parametrize(("text", "value"), [("5", 5), ("5:1", 5), ("1/4", 0.25), ("1e3", 1000), (" 2 : 1 ", 2)])
def test_ratios(text, value):
    assert ratio(text) == value


@pytest.mark.parametrize("text", ["", "five", "1:0", "1:2:3", "nan", ":", "1:"])
def test_what_is_no_ratio(text):
    with pytest.raises(click.BadParameter, match="is no ratio"):
        ratio(text)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--cost-ratio", "5", "--cost-fn", "2"],
            "both --cost-ratio and single costs (--cost-fp, --cost-fn, --cost-tp, --cost-tn) are given",
        ),
        (["--class-ratio", "1:9", "--prevalence", "0.1"], "both --class-ratio and --prevalence are given"),
        (["--cost-ratio", "-5"], "--cost-ratio must be above 0"),
        (["--prevalence", "20"], "--prevalence must lie strictly between 0 and 1"),
        (["--prevalence", "200%"], "--prevalence must lie strictly between 0 and 1"),
        (["--prevalence", "1%%"], "is no proportion; write e.g. 0.05 or 5%"),
        (["--cost-fp", "1", "--cost-tn", "2"], "--cost-fp minus --cost-tn must be above 0"),
        (["--level", "95"], "did you mean --level 0.95?"),
        (["--level", "1.5"], "--level must lie strictly between 0 and 1, got 1.5\n"),
        (["--margin", "nan"], "--margin must be 0 or more, got nan"),
        (["--margin", "-1"], "--margin must be 0 or more, got -1"),
        (["--positive", "7"], "give a column of labels that is true where the label is 7"),
    ],
)
def test_contradictions_are_refused(refused, words, message):
    assert message in refused("evaluate", "predictions.csv", "--label", "malignant", "--score", "forest", *words)
