"""Errors speak of options, and leave alone what is quoted or means something else."""

import pytest

from thresher.cli.option_words import as_options


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cost_ratio must be above 0, got -2", "--cost-ratio must be above 0, got -2"),
        ("both class_ratio and prevalence are given", "both --class-ratio and --prevalence are given"),
        ("both maximise and minimise are given", "both --maximise and --minimise are given"),
        ("prevalence must lie strictly between 0 and 1", "--prevalence must lie strictly between 0 and 1"),
        ("level must lie strictly between 0 and 1, got 2", "--level must lie strictly between 0 and 1, got 2"),
        ("at_most must be 0 or more, got -1", "--at-most must be 0 or more, got -1"),
        ("cost_fp - cost_tn must be above 0", "--cost-fp minus --cost-tn must be above 0"),
        ("give cost_fn / cost_fp, e.g. 10", "give what a miss costs in false alarms, e.g. 10"),
        (
            "pass one that is, pass labels == 7",
            "pass one that is, give a --label column that is true where the label is 7",
        ),
        ("or leave clusters out if rows are independent", "or leave --cluster out if rows are independent"),
        (
            "compare one with the rest, e.g. labels == 'a', or evaluate all classes together with a confusion matrix",
            "give a --label column that is true where the label is 'a'",
        ),
        (
            "check positive=, or compare one with the rest: pass labels == 7",
            "check --positive, or give a --label column that is true where the label is 7",
        ),
    ],
)
def test_arguments_become_options(text, told):
    assert as_options(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "there is no column 'cost_ratio'",
        'a column called "at_most"',
        "prevalence is better when higher",
        "class_ratio has no better side to look for",
        "rows.csv has no column 'level'",
        "my_cost_fp_column is empty",
        "the level of the sea must rise",
    ],
)
def test_other_words_stay(text):
    assert as_options(text) == text


def test_measures_are_listed():
    told = as_options("did you mean accuracy? thresher.MEASURES lists all of them")
    assert told.startswith("did you mean accuracy? Measures are accuracy, error_rate, tpr")
    assert "thresher." not in told
