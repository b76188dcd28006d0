"""Patience is asked for after a second of people, and after ten of logs."""

import sys
import time

import click

from thresher.cli.console import screen as module
from thresher.cli.console.screen import working


def test_quick_work_says_nothing(capsys):
    with working("counting"):
        pass
    assert capsys.readouterr().err == ""


def test_slow_work_leaves_plain_lines_in_a_log(capsys):
    with working("counting", every=0.01) as track:
        time.sleep(0.05)
        track("counting: 5 of 9 rows\x1b[2J")
        time.sleep(0.05)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "thresher: counting (0 s)"
    assert lines[-1] == "thresher: counting: 5 of 9 rows␛[2J (0 s)"


def test_quiet_work_leaves_nothing_in_a_log(capsys):
    @click.command()
    @click.option("--quiet", is_flag=True)
    def command(**_):
        with working("counting", every=0.01):
            time.sleep(0.05)

    command.main(["--quiet"], standalone_mode=False)
    assert capsys.readouterr().err == ""
    command.main([], standalone_mode=False)
    assert "thresher: counting" in capsys.readouterr().err


def test_slow_work_tells_people_what_is_done(monkeypatch, capsys):
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with working("counting [bold]\x1b[2Jrows"):
        time.sleep(0.3)
    message = capsys.readouterr().err
    assert "counting [bold]␛[2Jrows" in message
    assert "\x1b[2J" not in message
