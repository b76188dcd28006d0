"""A short seeded run of the hostile files; `make fuzz` runs for longer."""

import pytest

from tests.fuzz import hostile_files


@pytest.mark.parametrize(
    ("check", "least"),
    [
        (hostile_files.documents, 5000),
        (hostile_files.stored_rankings, 500),
        (hostile_files.folders, 200),
        (hostile_files.model_files, 250),
    ],
    ids=["documents", "rankings", "folders", "models"],
)
def test_hostile_files_are_refused_in_words_or_read_right(check, least):
    answers = check(16, 24)
    assert not answers.wrong, "\n".join(answers.wrong[:5])
    assert answers.compared >= least
