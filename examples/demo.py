"""Three real models, one decision, one report: what `thresher demo` does."""

from __future__ import annotations

import sys

from thresher.cli.program import program

if __name__ == "__main__":
    program.main(["demo", *sys.argv[1:]], prog_name="thresher")
