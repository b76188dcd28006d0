"""One program: help without loading anything, refusals in one form, exit codes that mean one thing each."""

import click
import pytest

from thresher import MissingExtraError, __version__
from thresher.cli import program as module
from thresher.cli.door import Door
from thresher.cli.program import COMMANDS, program


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_loaded_by_its_name(name):
    command = program.get_command(click.Context(program), name)
    assert isinstance(command, Door)
    assert command.name == name
    assert str(command.help).splitlines()[0] == COMMANDS[name], "the list and the command's help say the same"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(run, name):
    result = run(name, "--help")
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert f"thresher {name}" in result.stdout


def test_help_lists_every_command(run):
    result = run("--help")
    assert [line.split()[0] for line in result.stdout.split("Commands:\n")[1].splitlines() if line[2] != " "] == list(
        COMMANDS
    )


def test_version(run):
    assert run("--version").stdout == f"thresher {__version__}\n"


def test_no_command_at_all_shows_the_help(run):
    result = run()
    assert result.exit_code == 2
    assert "Commands:" in result.output
    assert result.stderr.startswith("Usage: thresher [OPTIONS] COMMAND")
    assert result.stderr.count("Usage") == 1


def test_a_command_that_is_nearly_there(refused):
    assert "there is no command 'evalute'; did you mean evaluate?" in refused("evalute", "a.csv")


def test_a_command_that_is_nowhere_near(refused):
    assert "the commands are evaluate, choose" in refused("xyzzy")


def test_an_option_that_is_nearly_there(refused):
    text = refused("choose", "predictions.csv", "--labl", "malignant")
    assert "--labl" in text
    assert "--label" in text


def test_control_characters_never_reach_the_terminal(refused):
    text = refused("choose", "predictions.csv", "--label", "malignant", "--score", "a\x1b[2Jb\u202ec")
    assert "\x1b" not in text
    assert "\u202e" not in text


def command_that(monkeypatch, raised):
    def fail(**_):
        raise raised

    monkeypatch.setattr(program, "get_command", lambda *_: click.Command("merge", callback=fail))


def test_an_interruption_leaves_with_130(monkeypatch, run):
    command_that(monkeypatch, KeyboardInterrupt())
    result = run("merge")
    assert result.exit_code == 130
    assert "Traceback" not in result.output


def test_a_fault_of_ours_does_not_look_like_a_failed_gate(monkeypatch, run):
    command_that(monkeypatch, RuntimeError("oops"))
    result = run("merge")
    assert result.exit_code == 70
    assert "RuntimeError: oops" in result.stderr
    assert "a fault of thresher" in result.stderr


def test_a_missing_extra_is_named(monkeypatch, capsys):
    from thresher import cli

    def absent(*_, **__):
        raise MissingExtraError("click is not installed", 'pip install "thresher[cli]"')

    monkeypatch.setattr(cli, "extra", absent)
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    assert 'pip install "thresher[cli]"' in capsys.readouterr().err


def test_codes_do_not_overlap():
    codes = {0, 1, 2, module.INTERRUPTED, module.BROKEN_PIPE, module.FAULT}
    assert len(codes) == 6
