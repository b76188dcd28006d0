"""Tests of app."""

import errno

import click
import numpy as np
import pytest

import thresher as th
from thresher import __version__
from thresher.cli import app as module
from thresher.cli.app import COMMANDS, Command, Refusal, colours_wanted, program, refusal
from thresher.errors import MissingExtraError, argument, located


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


OPTIONS = [
    "--positive",
    "--missing",
    "--level",
    "--class-ratio",
    "--cost-ratio",
    "--threshold",
    "--type",
    "--order",
    "--table",
    "--search",
    "--score",
    "--bins",
]


def in_context(error):
    params: list[click.Parameter] = [click.Option([option]) for option in OPTIONS]
    params.append(click.Option(["--overwrite"], is_flag=True))
    ctx = click.Context(click.Command("choose", params=params), info_name="choose")
    ctx.params["source"] = "rows.csv"
    return refusal(error, ctx).message


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("positive", ("spam",), "--positive spam"),
        ("positive", ("the doctor's word",), "--positive 'the doctor'\"'\"'s word'"),
        ("positive", (7,), "--positive 7"),
        ("missing", ("drop",), "--missing drop"),
        ("level", (0.95,), "--level 0.95"),
        ("class_ratio", (...,), "--class-ratio ..."),
        ("cost_ratio", (), "--cost-ratio"),
        ("thresholds", ({"a": ..., "b": ...},), "--threshold a=... --threshold b=..."),
        ("types", ({"age": "text"},), "--type age=text"),
        ("types", ({"the doctor's word": "text"},), "--type 'the doctor'\"'\"'s word=text'"),
        ("orders", ({"size": ["S", "M"]},), "--order size=S,M"),
        ("orders", ({"size": ["lowest", ..., "highest"]},), "--order size=lowest,...,highest"),
        ("table", (("schema", "mails"),), "--table schema.mails"),
        ("scores", (), "--score"),
        ("bins", (10,), "--bins 10"),
        ("overwrite", (True,), "--overwrite"),
        ("search", ("exhaustive",), "--search exhaustive"),
        ("at_most", (3,), "at_most=3"),  # which this command does not take
        ("prevalence", (), "prevalence"),
        ("positive", (np.datetime64("2024-01-01"),), "--positive 'np.datetime64('\"'\"'2024-01-01'\"'\"')'"),
    ],
)
def test_arguments_become_the_options_of_the_command(name, value, message):
    marked = f"pass {argument(name, *value)} or nothing"
    assert in_context(th.errors.ArgumentError(marked, marked)) == (
        f"pass {message} or nothing\n  where: thresher choose rows.csv\n  fix:   pass {message} or nothing"
    )


@pytest.mark.parametrize("text", ["there is no column 'cost_ratio'", "level must rise", "positive='spam'"])
def test_other_words_stay(text):
    assert in_context(th.errors.ArgumentError(text, text)).endswith(f"fix:   {text}")


def raised(call):
    with pytest.raises(th.ThresherError) as caught:
        call()
    return caught.value


def test_calls_become_the_command_and_its_file():
    for call in (lambda: th.rank([], []), lambda: th.OperatingCondition(cost_ratio=0)):
        assert "\n  where: thresher choose rows.csv\n" in in_context(raised(call))


def test_a_place_that_is_attached_stays():
    def read():
        with located("column p of rows.csv"):
            th.rank([], [])

    assert "\n  where: column p of rows.csv\n" in in_context(raised(read))


def refused(error):
    def fail():
        raise error

    command = Command("choose", callback=fail)
    with pytest.raises(Refusal) as caught:
        command.invoke(click.Context(command, info_name="choose"))
    return caught.value.message


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.ENOSPC, "there is no space left on the device"),
        (errno.EACCES, "permission is denied"),
        (errno.EISDIR, "it is a folder"),
        (errno.EIO, "input/output error"),
    ],
)
def test_what_the_system_refuses(number, message):
    import os

    assert f"a.csv cannot be used: {message}" in refused(OSError(number, os.strerror(number), "a.csv"))


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


def test_a_long_word_is_cut_in_what_is_shown_of_it(refused):
    assert len(refused("choose", "predictions.csv", "--label", "malignant", "--cost-fp", "9" * 5_000 + "x")) < 1_000
