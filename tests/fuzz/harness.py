"""Cases of every check, one after the other, and failing ones made smaller; processes share the work."""

from __future__ import annotations

import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.fuzz.answers import Answers, Check
from tests.fuzz.checks import CHECKS, SLOW

EXAMPLES = 3  # failing cases of a check and a process; more would say the same
SEARCH = 20.0  # seconds spent on other seeds, and again on the same one, to make a failing case smaller
SLOW_SHARE = 0.25  # of the time, for slow checks together


class Work(NamedTuple):
    """What one process does: every `step`-th case from `seed` on, of each check."""

    names: tuple[str, ...]
    seed: int
    step: int
    seconds: float
    size: int
    cases: int | None


class Tally(NamedTuple):
    """What came of one check."""

    cases: int
    answers: int
    failing: int


def run(work: Work) -> Mapping[str, Tally]:
    """Give every check the same share of time, slow ones a part of it together, until time or cases are over."""
    warnings.simplefilter("error")  # a warning that the library lets through is a fault, too
    warnings.filterwarnings("ignore", "fetch_arrow_table", DeprecationWarning)  # Ibis 12 on DuckDB 2.0
    end = time.monotonic() + work.seconds
    spent, tallies = dict.fromkeys(work.names, 0.0), dict.fromkeys(work.names, Tally(0, 0, 0))
    while time.monotonic() < end:
        left = [name for name, done in tallies.items() if done.failing < EXAMPLES and done.cases != work.cases]
        if not left:
            break
        enough = sum(spent[name] for name in spent if name in SLOW) > SLOW_SHARE * sum(spent.values())
        quick = [name for name in left if name not in SLOW]
        name = min(quick if enough and quick else left, key=spent.__getitem__)
        cases, compared, failing = tallies[name]
        seed, start = work.seed + cases * work.step, time.monotonic()
        answers = answer(CHECKS[name], seed, work.size)
        spent[name] += time.monotonic() - start
        tallies[name] = Tally(cases + 1, compared + answers.compared, failing + bool(answers.wrong))
        if answers.wrong:
            show(name, *smaller(CHECKS[name], seed, work.size, answers))
    return tallies


def answer(check: Check, seed: int, size: int) -> Answers:
    """The answers of one case; an unexpected exception is a wrong one."""
    try:
        return check(seed, size)
    except Exception:  # noqa: BLE001 - whatever it is, it is what the harness searches for
        return Answers(1, [traceback.format_exc(limit=-6)])


def smaller(check: Check, seed: int, size: int, answers: Answers) -> tuple[int, int, Answers]:
    """A failing case of few rows: its seed, its size and its answers."""
    for cases in (_smaller_cases(seed, size), ((seed, fewer) for fewer in range(2, size))):
        end = time.monotonic() + SEARCH
        for tried, fewer in cases:
            if time.monotonic() > end:
                break
            if (case := answer(check, tried, fewer)).wrong:
                return tried, fewer, case
    return seed, size, answers


def _smaller_cases(seed: int, size: int) -> Iterator[tuple[int, int]]:
    """Seeds of small sizes first; each size gets more tries than the one before."""
    for fewer in range(2, size):
        for tried in range(seed, seed + 20 * fewer):
            yield tried, fewer


def show(name: str, seed: int, size: int, answers: Answers) -> None:
    """Print a failing case in one piece, as others print at the same time."""
    command = f"python -m tests.fuzz {name} --seed {seed} --size {size} --cases 1"
    lines = [f"  {line}" for text in answers.wrong[:3] for line in text.splitlines()]
    sys.stdout.write("\n".join(["", f"{name} is wrong; to see it: {command}", *lines, ""]))
    sys.stdout.flush()
