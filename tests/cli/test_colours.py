"""NO_COLOR and TERM are heeded, and an empty NO_COLOR says nothing."""

import pytest

from thresher.cli.colours import colours_wanted


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, True),
        ({"TERM": "xterm-256color"}, True),
        ({"NO_COLOR": ""}, True),
        ({"NO_COLOR": "0"}, False),
        ({"NO_COLOR": "1", "TERM": "xterm"}, False),
        ({"TERM": "dumb"}, False),
        ({"TERM": "Unknown"}, False),
    ],
)
def test_what_the_environment_says(environment, wanted):
    assert colours_wanted(environment) is wanted


def test_the_process_is_asked(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colours_wanted()
