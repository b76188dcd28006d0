"""A short seeded run of every quick check, and of the harness itself; slow ones have tests of their own."""

from __future__ import annotations

import math

import numpy as np
import pytest

import thresher as th
from tests.fuzz import harness
from tests.fuzz.answers import Answers
from tests.fuzz.checks import QUICK
from tests.fuzz.definitions import DEFINITIONS
from tests.fuzz.harness import Work, answer, run, smaller

SEED = 20_260_101
CASES = 25
FEWER = {"commands": 2, "decisions": 4, "large": 3}


@pytest.mark.parametrize("name", QUICK)
def test_no_wrong_answer_in_a_short_run(name):
    cases = FEWER.get(name, CASES)
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


def test_the_search_for_a_smaller_case_ends(monkeypatch):
    calls = []

    def check(*case: int) -> Answers:
        calls.append(case)
        return Answers(1)

    monkeypatch.setattr(harness, "SEARCH", -1.0)
    assert smaller(check, 1, 50, Answers(1, ["wrong"])) == (1, 50, Answers(1, ["wrong"]))
    assert calls == []


def test_slow_checks_together_take_a_part_of_the_time(monkeypatch):
    clock = [0.0]

    def lasting(seconds: float):
        def check(*_: int) -> Answers:
            clock[0] += seconds
            return Answers(1)

        return check

    slow = {"slow": lasting(30), "slower": lasting(50)}
    monkeypatch.setattr(harness, "CHECKS", {"quick": lasting(1), **slow})
    monkeypatch.setattr(harness, "SLOW", slow)
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    tallies = run(Work(("quick", *slow), 1, 1, 1000.0, 5, None))
    spent = 30 * tallies["slow"].cases + 50 * tallies["slower"].cases
    assert 0 < spent <= 250 + 50
    assert all(tally.cases for tally in tallies.values())


def test_an_exception_is_a_wrong_answer():
    def fails(seed: int, size: int) -> Answers:
        raise ZeroDivisionError(f"{seed} {size}")

    (text,) = answer(fails, 3, 4).wrong
    assert "ZeroDivisionError: 3 4" in text
