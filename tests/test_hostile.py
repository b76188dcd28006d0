"""Hostile input: the right number or a clear error, in a short seeded run of the harness."""

from functools import partial

import pytest

import thresher as th
from tests.fuzz import hostile_files, hostile_inputs


@pytest.mark.parametrize("part", [hostile_inputs, hostile_files], ids=["inputs", "files"])
def test_hostile_input_gives_the_right_number_or_a_clear_error(part):
    answers = part.check(seed=0, size=400)
    assert answers.compared == 400
    assert not answers.wrong, "\n".join(answers.wrong[:5])


def test_there_are_enough_kinds_of_it_and_no_two_alike():
    for part in (hostile_inputs, hostile_files):
        names = [name for name, _, _ in part.kinds()]
        assert len(set(names)) >= 400


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (partial(th.inference.verified_table, tp=10**400, fp=1, fn=1, tn=1), ()),
        (th.curves.hull_splits, (None,)),
        (th.Watch, (object(),)),
        (th.Watch, ("a\0b",)),
        (th.inference.CaseCosts.of_confusion, (None, th.OperatingCondition())),
        (th.inference.CaseCosts.of_confusion, (th.ConfusionMatrix([[5, 1], [2, 7]], ["a", "b"]), None)),
    ],
)
def test_wrong_types_and_numbers_beyond_floats_are_refused(call, arguments):
    with pytest.raises(th.errors.ThresherError):
        call(*arguments)
