"""A short seeded run of the faults; `make fuzz` runs for longer."""

from tests.fuzz.faults import COMMANDS, faults, overwriting


def test_a_disturbed_command_leaves_the_old_file_or_the_new_one():
    answers = faults(3, 16)
    assert not answers.wrong, "\n".join(answers.wrong)
    assert answers.compared == 2 * len(COMMANDS)


def test_a_folder_survives_fifty_kills():
    answers = overwriting(1, 50)
    assert not answers.wrong, "\n".join(answers.wrong)
    assert answers.compared > 50  # and one before each call of the system
