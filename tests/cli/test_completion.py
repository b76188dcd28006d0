"""What is offered after half a word."""

import os
import subprocess
import sys

import pytest


def offered(folder, *words):
    """What bash is offered for the last word."""
    env = {
        **os.environ,
        "_THRESHER_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("thresher", *words)),
        "COMP_CWORD": str(len(words)),
    }
    code = "import sys; sys.argv = ['thresher']; from thresher.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env, cwd=folder)  # noqa: S603
    return [line.split(",", 1)[1] for line in ran.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("eval",), ["evaluate"]),
        (("gate", "predictions.csv", "--requ"), ["--require"]),
        (("choose", "predictions.csv", "--score", "lo"), ["logistic"]),
        (("choose", "absent.csv", "--score", "lo"), []),
        (("choose", "predictions.csv", "--maximise", "you"), ["youden_j"]),
    ],
)
def test_offers(folder, words, told):
    assert offered(folder, *words) == told
