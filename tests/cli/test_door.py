"""Errors of the library and of the system, in the words of the command line."""

import errno

import click
import pytest

import thresher as th
from thresher.cli.door import Door, Refusal, refusal


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

    command = Door("choose", callback=fail)
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

    command = Door("choose", callback=fail)
    with pytest.raises(RuntimeError, match="oops"):
        command.invoke(click.Context(command, info_name="choose"))
