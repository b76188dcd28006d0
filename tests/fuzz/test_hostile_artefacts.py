"""A short seeded run of the hostile files; `make fuzz` runs for longer."""

import pytest

from tests.fuzz import hostile_artefacts


@pytest.mark.parametrize(
    ("check", "least"),
    [
        (hostile_artefacts.documents, 5000),
        (hostile_artefacts.stored_rankings, 500),
        (hostile_artefacts.folders, 200),
        (hostile_artefacts.model_files, 250),
    ],
    ids=["documents", "rankings", "folders", "models"],
)
def test_hostile_artefacts_are_refused_in_words_or_read_right(check, least):
    answers = check(16, 24)
    assert not answers.wrong, "\n".join(answers.wrong[:5])
    assert answers.compared >= least
