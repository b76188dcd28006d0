"""Run the checks for a while, print what is wrong with its seed, and exit 1 if anything is."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Mapping

from tests.fuzz.answers import Answers, Check
from tests.fuzz.checks import CHECKS

SIZE = 60  # rows of a case, at most; small cases fail as well as large ones, and can be read
TRIES = 300  # seeds tried per size when a failure is made smaller


def main() -> int:
    """Read the arguments, run, and report."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"which of {', '.join(CHECKS)}; all unless named")
    parser.add_argument("--seconds", type=float, default=600.0, help="for how long (default: %(default)g)")
    parser.add_argument("--seed", type=int, default=None, help="the first seed (default: one drawn from the clock)")
    parser.add_argument("--size", type=int, default=SIZE, help="rows of a case, at most (default: %(default)d)")
    parser.add_argument("--cases", type=int, default=None, help="stop after so many cases per check")
    options = parser.parse_args()
    unknown = [name for name in options.checks if name not in CHECKS]
    if unknown:
        parser.error(f"no such check: {', '.join(unknown)}; there are {', '.join(CHECKS)}")
    chosen = {name: CHECKS[name] for name in options.checks or CHECKS}
    seed = options.seed if options.seed is not None else time.time_ns() % 2**31
    sys.stdout.write(f"seed {seed}\n")
    return run(chosen, seed=seed, seconds=options.seconds, size=options.size, cases=options.cases)


def run(checks: Mapping[str, Check], *, seed: int, seconds: float, size: int, cases: int | None = None) -> int:
    """Go through the checks in turn until time or cases are over."""
    end, compared, failing = time.monotonic() + seconds, dict.fromkeys(checks, 0), dict.fromkeys(checks, 0)
    case = 0
    while time.monotonic() < end and (cases is None or case < cases):
        for name, check in checks.items():
            if failing[name] >= 3:  # three examples are enough to see what is wrong
                continue
            answers = answer(check, seed + case, size)
            compared[name] += answers.compared
            if answers.wrong:
                failing[name] += 1
                report(name, check, seed + case, size, answers)
        case += 1
    for name, number in compared.items():
        sys.stdout.write(f"{name}: {number:,} answers, {failing[name]} failing cases\n")
    sys.stdout.write(f"{sum(compared.values()):,} answers, {sum(failing.values())} failing cases, from seed {seed}\n")
    return 1 if any(failing.values()) else 0


def answer(check: Check, seed: int, size: int) -> Answers:
    """The answers of one case; an unexpected exception is a wrong one."""
    try:
        return check(seed, size)
    except Exception:  # noqa: BLE001 - whatever it is, it is what the harness searches for
        return Answers(1, [traceback.format_exc(limit=-4)])


def report(name: str, check: Check, seed: int, size: int, answers: Answers) -> None:
    """Print a failing case, made as small as other seeds allow."""
    smallest = next(
        (
            (tried, fewer, case)
            for fewer in range(2, size)
            for tried in range(seed, seed + TRIES)
            if (case := answer(check, tried, fewer)).wrong
        ),
        (seed, size, answers),
    )
    at, rows, smaller = smallest
    sys.stdout.write(f"\n{name} is wrong; to see it: python -m tests.fuzz {name} --seed {at} --size {rows} --cases 1\n")
    sys.stdout.write("\n".join(f"  {line}" for text in smaller.wrong[:3] for line in text.splitlines()) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
