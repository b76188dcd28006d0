"""Hostile input: the right number or a clear error, in a short seeded run of the harness."""

import pytest

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
