"""Run the checks for a while, print what is wrong with its seed, and exit 1 if anything is."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything loads it: processes share the processors

import argparse
import multiprocessing
import random
import sys
import time
from collections.abc import Mapping

from tests.fuzz.checks import CHECKS
from tests.fuzz.harness import Tally, Work, run

SIZE = 60  # rows of a case, at most; small cases fail as well as large ones, and can be read


def main() -> int:
    """Read the arguments, run, and report."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"which of {', '.join(CHECKS)}; all unless named")
    parser.add_argument("--seconds", type=float, default=600.0, help="for how long (default: %(default)g)")
    parser.add_argument("--seed", type=int, default=None, help="the first seed (default: one drawn from the clock)")
    parser.add_argument("--size", type=int, default=SIZE, help="rows of a case, at most (default: %(default)d)")
    parser.add_argument("--cases", type=int, default=None, help="stop after so many cases per check and process")
    parser.add_argument("--processes", type=int, default=None, help="how many (default: one per processor)")
    options = parser.parse_args()
    unknown = [name for name in options.checks if name not in CHECKS]
    if unknown:
        parser.error(f"no such check: {', '.join(unknown)}; there are {', '.join(CHECKS)}")
    seed = options.seed if options.seed is not None else time.time_ns() % 2**31
    processes = options.processes or (1 if options.cases == 1 else os.cpu_count() or 1)
    sys.stdout.write(f"seed {seed}\n")
    sys.stdout.flush()
    names = tuple(options.checks or CHECKS)
    work = []
    for at in range(processes):  # each in an order of its own, so that together they reach most slow checks
        order = tuple(random.Random(seed + at).sample(names, len(names)))  # noqa: S311
        work.append(Work(order, seed + at, processes, options.seconds, options.size, options.cases))
    if processes == 1:
        return report([run(work[0])], seed)
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return report(pool.map(run, work, chunksize=1), seed)


def report(tallies: list[Mapping[str, Tally]], seed: int) -> int:
    """Print what all processes counted; 1 if a case failed."""
    total = Tally(0, 0, 0)
    for name in sorted(tallies[0], key=list(CHECKS).index):
        each = Tally(*map(sum, zip(*(of_process[name] for of_process in tallies), strict=True)))
        total = Tally(*map(sum, zip(total, each, strict=True)))
        sys.stdout.write(f"{name}: {each.answers:,} answers of {each.cases:,} cases, {each.failing} failing\n")
    sys.stdout.write(f"{total.answers:,} answers of {total.cases:,} cases, {total.failing} failing, from seed {seed}\n")
    return 1 if total.failing else 0


if __name__ == "__main__":
    sys.exit(main())
