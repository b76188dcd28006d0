"""Whether the threshold is still the cheapest, and how many labels a verdict needs."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

import thresher as th
from tests.watching.test_production_traps import codes
from tests.watching.worlds import START, days, in_memory, rows

SCORES, POS, NEG = np.array([0.9, 0.5, 0.1]), np.array([40, 8, 2]) * 20, np.array([5, 15, 80]) * 20


@pytest.fixture
def place():
    with in_memory() as folder:
        yield folder / "w.db"


def made(place, *promises, sample=0.0):
    """A watch whose threshold is the cheapest for class ratios of 0.47 to 10."""
    labels = np.repeat([1, 1, 1, 0, 0, 0], [*POS, *NEG])
    scores = np.repeat(np.tile(SCORES, 2), [*POS, *NEG])
    condition = th.OperatingCondition(cost_ratio=2)
    decision = th.evaluate(labels, {"p": scores}, condition=condition, replicates=50, seed=1).decision
    return th.Watch.create(
        place, decision, reference={"y": labels, "p": scores}, label="y", score="p", matures="1d", sample=sample,
        promises=promises, salt="threshold", clock=lambda: START + timedelta(days=40),
    )  # fmt: skip


def stream(one, pos, neg, *, review="alarms"):
    """Rows of a month with these counts per score, and labels of alarms or of all rows."""
    labels = np.repeat([1, 1, 1, 0, 0, 0], [*pos, *neg])
    scores = np.repeat(np.tile(SCORES, 2), [*pos, *neg])
    order = np.random.default_rng(0).permutation(labels.size)
    at = np.sort(np.random.default_rng(1).random(labels.size)) * 30
    table = rows(0, scores[order], at)
    one.insert(table)
    take = np.flatnonzero(scores[order] >= (0.3 if review == "alarms" else 0))
    one.label({"id": [table["id"][i] for i in take], "label": labels[order][take], "t": days(at[take] + 0.5)}, time="t")
    return one.check()


def test_the_threshold_holds_where_the_limits_of_the_class_ratio_say_so(place):
    states = {}
    for name, pos, neg in (
        ("more positives", POS * 3, NEG),  # class ratio 1.5
        ("fewer positives", POS // 5, NEG),  # 0.1
        ("at the edge", POS, NEG),  # 0.5, a hair from 0.47
    ):
        check = stream(made(place.with_name(f"{name}.db")), pos, neg)
        assert check.threshold_state.holds_from == pytest.approx(0.46875)
        assert check.threshold_state.holds_to == pytest.approx(10)
        assert check.regret is not None
        assert check.regret.lower >= 0
        states[name] = check.decision_holds
    assert states == {"more positives": True, "fewer positives": False, "at the edge": None}


def test_wrong_alarms_of_the_lowest_scores_prove_that_raising_pays_and_scores_refute_the_rest(place):
    check = stream(made(place), np.array([800, 30, 40]), np.array([100, 900, 400]))
    assert "label-shift-refuted" in codes(check)
    assert check.regret is None  # what is refuted is used in no verdict
    assert check.ladder("recall")[3].refuted
    assert check.threshold_state.band is not None
    assert check.threshold_state.band.verdict == "raise"
    assert check.decision_holds is False
    assert "raising it pays" in str(check)
    unknown = stream(made(place.with_name("b.db")), np.array([800, 400, 40]), np.array([100, 530, 400]))
    assert "label-shift-refuted" in codes(unknown)
    assert unknown.decision_holds is None
    assert "class ratio  not known: scores refute" in str(unknown)


def test_as_many_labels_as_are_needed_decide(place):
    few = stream(made(place, "precision >= 0.6", "alarm_rate <= 0.53"), POS // 20, NEG // 20)
    precision, rate = few.promises["precision"], few.promises["alarm_rate"]
    assert (precision.verdict, rate.verdict) == ("undecided", "undecided")
    assert "more labels would tell" in precision.because
    assert "more rows would tell" in rate.because
    assert precision.needed is not None
    scale = precision.needed / precision.labels.used + 1
    again = [np.ceil(counts // 20 * scale).astype(int) for counts in (POS, NEG)]
    more = stream(made(place.with_name("b.db"), "precision >= 0.6", "alarm_rate <= 0.53"), *again)
    assert more.promises["precision"].verdict == "holds"


def test_a_remedy_is_named_where_the_cost_is_surely_higher(place):
    fine = stream(made(place, sample=1.0), POS, NEG, review="all")
    assert fine.remedy == "none"
    worse = stream(made(place.with_name("b.db"), sample=1.0), POS[::-1], NEG, review="all")
    assert worse.remedy == "refit"
    assert "what mends most: refit" in str(worse)
