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


def test_the_shells_that_are_installed_understand_their_scripts(run):
    installed = {shell: program for shell in SHELLS if (program := shutil.which(shell))}
    assert "bash" in installed
    for shell, program in installed.items():
        subprocess.run([program, "-n"], input=run("completion", shell).stdout, text=True, check=True)  # noqa: S603


def test_another_shell(refused):
    assert "'tcsh' is not one of" in refused("completion", "tcsh")
