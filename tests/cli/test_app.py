"""Tests of app."""

import errno

import click
import pytest

import thresher as th
from thresher import MissingExtraError, __version__
from thresher.cli import app as module
from thresher.cli.app import COMMANDS, Command, Refusal, colours_wanted, program, refusal


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


def in_context(error):
    ctx = click.Context(click.Command("choose"), info_name="choose")
    ctx.params["source"] = "rows.csv"
    return refusal(error, ctx).message


@pytest.mark.parametrize(
    ("fix", "told"),
    [
        ("pass positive='spam' (or the other one)", "pass --positive spam (or the other one)"),
        ('fill them, or pass missing="drop" to leave', "fill them, or pass --missing drop to leave"),
        ("e.g. level=0.95", "e.g. --level 0.95"),
        ("declare OperatingCondition(class_ratio=...)", "declare --class-ratio ..."),
        ("give thresholds={'a': ..., 'b': ...}", "give --threshold a=... --threshold b=..."),
        ("declare types={'age': 'text'} or 'ignored'", "declare --type age=text or 'ignored'"),
        ("types={\"the doctor's word\": 'text'}", "--type 'the doctor'\"'\"'s word=text'"),
        ("pass orders={'size': ['S', 'M']}", "pass --order size=S,M"),
        ("pass orders={'size': [lowest, ..., highest]}", "pass --order size=lowest,...,highest"),
        ("overrule the kinds with column_types(types=...)", "overrule the kinds with --type COLUMN=KIND"),
        ("name another folder, or pass overwrite=True", "name another folder, or pass --overwrite"),
        ('use search="exhaustive"', "use --search exhaustive"),
        ("nothing to translate", "nothing to translate"),
    ],
)
def test_arguments_become_options(fix, told):
    assert in_context(th.ArgumentError("what", fix)).endswith(f"fix:   {told}")


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("choose(ranking, ...)", "thresher choose rows.csv"),
        ("smoothing=...", "thresher choose rows.csv"),
        ("OperatingCondition(cost_ratio=...)", "thresher choose rows.csv"),
        ("column p of rows.csv", "column p of rows.csv"),
        ('gate --require "auc >= 1"', 'gate --require "auc >= 1"'),
    ],
)
def test_calls_become_the_command_and_its_file(where, told):
    assert f"\n  where: {told}\n" in in_context(th.ArgumentError("what", "fix"))


def refused(raised):
    def fail():
        raise raised

    command = Command("choose", callback=fail)
    with pytest.raises(Refusal) as caught:
        command.invoke(click.Context(command, info_name="choose"))
    return caught.value.message


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.ENOSPC, "there is no space left on the device"),
        (errno.EACCES, "permission is denied"),
        (errno.EISDIR, "it is a folder"),
        (errno.EIO, "input/output error"),
    ],
)
def test_what_the_system_refuses(number, told):
    import os

    assert f"a.csv cannot be used: {told}" in refused(OSError(number, os.strerror(number), "a.csv"))


def test_an_error_without_a_file_is_one_of_printing():
    assert "standard output cannot be used" in refused(OSError(errno.ENOSPC, "No space left on device"))


def test_memory_and_encoding():
    assert "not enough memory" in refused(MemoryError())
    assert "encoding" in refused(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"))


def test_a_fault_is_not_disguised():
    def fail():
        raise RuntimeError("oops")

    command = Command("choose", callback=fail)
    with pytest.raises(RuntimeError, match="oops"):
        command.invoke(click.Context(command, info_name="choose"))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_loaded_by_its_name(name):
    command = program.get_command(click.Context(program), name)
    assert isinstance(command, Command)
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
