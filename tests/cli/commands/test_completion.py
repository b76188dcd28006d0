"""Shells complete commands, options, columns and measures."""

import shutil
import subprocess

import pytest

from thresher.cli.commands.completion import SHELLS


@pytest.mark.parametrize("shell", SHELLS)
def test_there_is_a_script_for_every_shell(run, shell):
    result = run("completion", shell)
    assert result.exit_code == 0
    assert f"_THRESHER_COMPLETE={shell}_complete" in result.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_one_that_the_shell_understands(run, shell):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = run("completion", shell).stdout
    subprocess.run([program, "-n"], input=script, text=True, check=True)  # noqa: S603


def test_another_shell(refused):
    assert "'tcsh' is not one of" in refused("completion", "tcsh")
