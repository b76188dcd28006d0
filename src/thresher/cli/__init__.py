"""The command line: each command is the library call of the same name.

Nothing here imports NumPy or the rest of thresher before a command runs, so that help and completion are immediate.
"""

import os
import sys

from thresher._internal.optional import extra
from thresher.errors import MissingExtraError

__all__ = ["main"]


def main() -> None:
    """Run the command that the process was started with, and leave with its exit code."""
    open_closed_streams()
    try:
        extra("click", name="cli")
        extra("rich", name="cli")
    except MissingExtraError as error:
        sys.stderr.write(f"thresher: {error}\n")
        sys.exit(2)
    from thresher.cli.app import program

    program.main(prog_name="thresher")


def open_closed_streams() -> None:
    """Put the null device in the place of standard streams that are closed.

    Otherwise a file that is opened later gets the number of standard error, and messages are written into it. The
    device is opened the wrong way round for input and output (as gnulib's `stdopen` does): what needs them fails,
    and what does not goes on. `sys.stdin` stays None, and messages to standard error are lost.
    """
    for name, flags in (("stdin", os.O_WRONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, flags)  # the lowest that is free: that of the stream
            if name != "stdin":
                setattr(sys, name, open(number, "w", encoding="utf-8", errors="replace", closefd=False))  # noqa: SIM115
