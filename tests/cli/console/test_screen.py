"""Patience is asked for only after a second, and only of people."""

import sys
import time

from thresher.cli.console import screen as module
from thresher.cli.console.screen import working


def test_quick_work_says_nothing(capsys):
    with working("counting"):
        pass
    assert capsys.readouterr().err == ""


def test_slow_work_says_nothing_to_a_file(monkeypatch, capsys):
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    with working("counting"):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_slow_work_tells_people_what_is_done(monkeypatch, capsys):
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with working("counting [bold]\x1b[2Jrows"):
        time.sleep(0.3)
    message = capsys.readouterr().err
    assert "counting [bold]␛[2Jrows" in message
    assert "\x1b[2J" not in message
