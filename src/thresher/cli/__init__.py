"""The command line: each command is the library call of the same name.

Nothing here imports NumPy or the rest of thresher before a command runs, so that help and completion are immediate.
"""

import sys

from thresher._internal.optional import extra
from thresher.errors import MissingExtraError

__all__ = ["main"]


def main() -> None:
    """Run the command that the process was started with, and leave with its exit code."""
    try:
        extra("click", name="cli")
        extra("rich", name="cli")
    except MissingExtraError as error:
        sys.stderr.write(f"thresher: {error}\n")
        sys.exit(2)
    from thresher.cli.app import program

    program.main(prog_name="thresher")
