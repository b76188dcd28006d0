"""A short seeded run of every check, and of the harness itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

import thresher as th
from tests.fuzz import harness
from tests.fuzz.answers import Answers
from tests.fuzz.checks import CHECKS
from tests.fuzz.definitions import DEFINITIONS
from tests.fuzz.harness import Work, answer, run, smaller

SEED = 20_260_101
CASES = 25
SLOW = {"commands": 2, "decisions": 4, "large": 3}
ELSEWHERE = {"faults", "overwriting"}  # as are hostile ones, in files of their own


@pytest.mark.parametrize("name", [name for name in CHECKS if name not in ELSEWHERE and not name.startswith("hostile")])
def test_no_wrong_answer_in_a_short_run(name):
    cases = SLOW.get(name, CASES)
    tally = run(Work((name,), SEED, 1, math.inf, 30, cases))[name]
    assert (tally.cases, tally.failing) == (cases, 0)
    assert tally.answers >= cases


def test_every_measure_has_a_definition():
    assert set(DEFINITIONS) == set(th.MEASURES)


def _wrong_from(rows: int):
    """A check that is wrong whenever a case has so many rows."""

    def check(seed: int, size: int) -> Answers:
        answers = Answers()
        answers.check(int(np.random.default_rng(seed).integers(1, size + 1)) < rows, f"{rows} rows or more")
        return answers

    return check


def test_a_failing_case_is_made_small_and_can_be_seen_again(monkeypatch, capsys):
    check = _wrong_from(5)
    monkeypatch.setattr(harness, "CHECKS", {"rows": check})
    tally = run(Work(("rows",), 1, 1, math.inf, 50, 40))["rows"]
    assert tally.failing == harness.EXAMPLES
    seed, size, answers = smaller(check, 1, 50, answer(check, 1, 50))
    assert size == 5
    assert answers.wrong == ["5 rows or more"] == check(seed, size).wrong
    assert f"python -m tests.fuzz rows --seed {seed} --size 5 --cases 1" in capsys.readouterr().out


def test_an_exception_is_a_wrong_answer():
    def fails(seed: int, size: int) -> Answers:
        raise ZeroDivisionError(f"{seed} {size}")

    (text,) = answer(fails, 3, 4).wrong
    assert "ZeroDivisionError: 3 4" in text
