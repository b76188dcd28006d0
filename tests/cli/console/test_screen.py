"""Patience is asked for after a second of people, and after ten of logs."""

import sys
import time

import click

from tests.cli.conftest import write_csv
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


def test_no_name_commands_the_runner_of_a_workflow(run, folder, columns):
    """GitHub's runner obeys lines that start with :: and ##[ anywhere, whatever prints them."""
    name = "::error::lost ##[group]x"
    write_csv(folder / f"{name}.csv", {"malignant": columns["malignant"], name: columns["forest"]})
    words = ("--label", "malignant", "--score", name)
    for command in (("evaluate",), ("gate", "--require", "auc >= 0.999"), ("merge",)):
        for printed in ((), ("--json",)):
            result = run(command[0], f"{name}.csv", *words, *command[1:], *printed)
            lines = (result.stdout + result.stderr).splitlines()
            assert any("::error::lost" in line for line in lines) or "merge" in command
            assert not [line for line in lines if line.lstrip().startswith("::") or "##[" in line]
    refused = run("evaluate", f"{name}.csv", "--label", name, "--score", "::error::y")
    assert not [line for line in refused.stderr.splitlines() if line.lstrip().startswith("::") or "##[" in line]
