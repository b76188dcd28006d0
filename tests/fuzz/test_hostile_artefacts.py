"""A short seeded run of the hostile files; `make fuzz` runs for longer."""

import pytest

from tests.fuzz import hostile_artefacts


@pytest.mark.parametrize(
    ("check", "size", "least"),
    [
        (hostile_artefacts.documents, 24, 5000),
        (hostile_artefacts.stored_rankings, 24, 500),
        (hostile_artefacts.folders, 12, 100),
        (hostile_artefacts.model_files, 8, 80),
    ],
    ids=["documents", "rankings", "folders", "models"],
)
def test_hostile_artefacts_are_refused_in_words_or_read_right(check, size, least):
    answers = check(16, size)
    assert not answers.wrong, "\n".join(answers.wrong[:5])
    assert answers.compared >= least
