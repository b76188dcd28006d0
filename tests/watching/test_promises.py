"""What can be promised: limits that hold the truth, alarms that come, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import thresher as th
from tests.watching.test_production_traps import codes, fill, give, world
from tests.watching.worlds import Clock, decision, in_memory, reference, rows, watch
from thresher.errors import ArgumentError, MeasureError, ProbabilityError


@pytest.fixture
def place():
    with in_memory() as folder:
        yield folder / "w.db"


def losses(labels, scores):
    """The mean losses of every row, one by one."""
    clipped = np.clip(scores, 1e-3, 1 - 1e-3)
    return {
        "brier": float(((scores - labels) ** 2).mean()),
        "log_loss": float(-np.log(np.where(labels == 1, clipped, 1 - clipped)).mean()),
    }


@pytest.mark.parametrize("cost_ratio", [2, 0.1])  # thresholds below and above one half
def test_losses_of_all_rows_from_labels_of_alarms_and_drawn_rows(place, cost_ratio):
    labels, scores = reference()
    one = th.Watch.create(
        place, decision(cost_ratio), reference={"y": labels, "p": scores}, label="y", score="p", salt="losses",
        promises=["brier <= 0.5", "log_loss <= 1.5"], matures="5d", sample=0.3, clock=(clock := Clock()),
    )  # fmt: skip
    ids, labels, scores, at = fill(one, clock, number=4000)
    truth, calls = losses(labels, scores), decision(cost_ratio).apply(scores)
    unlabelled = one.check().promises["brier"]
    assert (unlabelled.verdict, math.isnan(unlabelled.interval.estimate)) == ("undecided", True)
    drawn = th.inference.permanent_random_numbers(ids.tolist(), "losses") < 0.3
    give(one, ids, labels, at, np.flatnonzero(calls))
    alone = one.check().promises["brier"].interval  # nothing is known of rows without alarm
    assert alone.lower <= truth["brier"] <= alone.upper
    give(one, ids, labels, at, np.flatnonzero(calls | drawn))
    check = one.check()
    for name, value in truth.items():
        promise = check.promises[name]
        assert value in promise.interval, name
        assert promise.interval.width < alone.width
        assert promise.verdict == "holds"
        assert promise.evidence < 1
    give(one, ids, labels, at, np.arange(labels.size))
    complete = one.check().promises
    for name, value in truth.items():  # known but for the width of a cell
        assert complete[name].interval.lower <= value <= complete[name].interval.upper
        assert complete[name].interval.width < {"brier": 0.01, "log_loss": 0.06}[name]


def test_probabilities_that_become_worse_raise_an_alarm(place):
    promises = ["brier <= 0.12"]
    one = watch(place, clock := Clock(), promises=promises, sample=0.3, matures="2d", false_alarms="1 in 100")
    for first, (shift, start) in enumerate([(2.5, 0), (0.0, 30)]):
        labels, scores = world(np.random.default_rng(first), 3000, shift)
        at = start + np.sort(np.random.default_rng(first + 5).random(3000)) * 20
        clock.at(start + 25)
        table = rows(first * 3000, scores, at)
        one.insert(table)
        ids = np.array(table["id"])
        drawn = th.inference.permanent_random_numbers(ids.tolist(), "salt") < 0.3
        give(one, ids, labels, at, np.flatnonzero(decision().apply(scores) | drawn))
        check = one.check()
        assert check.promises["brier"].verdict == ("broken" if first else "holds"), losses(labels, scores)
    assert "brier" in {alarm.promise for alarm in check.alarms}
    assert check.chart("brier")["running"]


def test_scores_that_are_no_probabilities_are_refused_where_losses_are_promised(place):
    labels, scores = reference()
    with pytest.raises(ProbabilityError, match="needs probabilities"):
        th.Watch.create(
            place, decision(), reference={"y": labels, "p": scores * 3}, label="y", score="p", promises=["brier <= 1"]
        )
    one = watch(place, promises=["brier <= 0.2"])
    with pytest.raises(ProbabilityError, match=r"1 of 2 scores in column 'p' lie outside \[0, 1\], the first is 1.5"):
        one.insert(rows(0, [0.5, 1.5], -1))
    assert one.check().counts["rows"] == 0


def test_shares_of_missing_and_unseen_values_need_no_label(place):
    rng, clock = np.random.default_rng(4), Clock()
    labels, scores = reference()
    one = th.Watch.create(
        place, decision(), reference={"y": labels, "p": scores, "shop, nr": ["a", "b"] * 1000}, label="y", score="p",
        columns=["shop, nr"], clock=clock, false_alarms="1 in 100",
        promises=['missing["shop, nr"] <= 0.05', "unseen[shop, nr] <= 0.02"],
    )  # fmt: skip
    for day in range(20):
        clock.at(day + 1)
        share = 0.15 if day >= 12 else 0.02
        shops = np.array([None, "a", "b"], dtype=object)[np.where(rng.random(100) < share, 0, rng.integers(1, 3, 100))]
        one.insert(rows(day * 100, world(rng, 100)[1], day + 0.5) | {"shop, nr": shops})
    check = one.check()
    missing, unseen = check.promises["missing[shop, nr]"], check.promises["unseen[shop, nr]"]
    assert (missing.verdict, unseen.verdict) == ("broken", "holds")
    assert (missing.because.split("; ")[1], missing.labels.used) == ("every row counts", 0)
    start = (np.datetime64("2026-03-01") - np.datetime64("1970-01-01")).astype(int)
    assert abs(missing.since - (start + 12)) <= 1
    assert unseen.interval.estimate == 0
    assert 0 < unseen.interval.upper < 0.02
    assert sum(check.chart("missing[shop, nr]")["labels"]) == 2000
    assert check.exit_code == 1
    assert one.acknowledge("missing[shop, nr]") == 1
    assert check.to_dict()["promises"][0]["name"] == "missing[shop, nr]"


@pytest.mark.parametrize(
    ("promise", "why"),
    [
        ("missing[age] <= 0.1", "column 'age' is not watched"),
        ("precision >= 60", "lies between 0 and 1"),
        ("missing[p] <= 5", "lies between 0 and 1"),
        ("precision.upper >= 0.6", "judged by both limits"),
        ("recall@fpr<=0.1 >= 0.5", "names another"),
        ("tree:recall >= 0.5", "names no model"),
        ("auc >= 0.8", "cannot promise auc"),
        ("prescision >= 0.5", "did you mean precision"),
        ("precision", "cannot read"),
    ],
)
def test_promises_that_cannot_be_watched_are_refused(place, promise, why):
    with pytest.raises((ArgumentError, MeasureError), match=why):
        watch(place, promises=[promise])
    assert not place.exists()


def test_ladders_of_cost_and_rates_hold_the_truth_while_nothing_is_assumed(place):
    one = watch(place, clock := Clock(), sample=0.0)
    ids, labels, scores, at = fill(one, clock)
    calls = decision().apply(scores)
    give(one, ids, labels, at, np.flatnonzero(calls & (np.arange(calls.size) % 5 > 0)))  # a fifth is not reviewed
    check = one.check()
    missed, false_alarms = (~calls & (labels == 1)).sum(), (calls & (labels == 0)).sum()
    truth = {
        "recall": calls[labels == 1].mean(),
        "expected_cost": (false_alarms + 2 * missed) / labels.size,
        "fpr": calls[labels == 0].mean(),
        "tnr": 1 - calls[labels == 0].mean(),
        "npv": (~calls & (labels == 0)).sum() / (~calls).sum(),
    }
    for name, value in truth.items():
        ladder = check.ladder(name)
        assert [step.step for step in ladder] == [0, 1, 2, 3]
        assert {step.quantity for step in ladder} == {name}
        for step in ladder[:2] if not ladder[3].refuted else ladder[:3]:
            assert step.interval.lower <= value <= step.interval.upper, (name, step)
        assert ladder[2].interval.width < ladder[1].interval.width <= ladder[0].interval.width
    assert "cost [" in str(check)
    assert check.ladder("sensitivity") == check.ladder("recall")
    with pytest.raises(ArgumentError, match="no ladder of 'precision'"):
        check.ladder("precision")


def test_one_customer_does_not_stand_for_many(place):
    one = watch(place, clock := Clock(), promises=["precision >= 0.5", "recall >= 0.2", "alarm_rate <= 0.9"])
    labels, scores = world(np.random.default_rng(8), 600)
    scores[:200], labels[:200] = 0.95, 0  # one customer, always wrong
    who = ["big", *[f"c{n}" for n in range(400)]]
    clock.at(20)
    table = rows(0, scores, np.linspace(0, 10, 600)) | {"who": np.repeat(who, [200, *[1] * 400])}
    one.insert(table, cluster="who")
    calls = np.flatnonzero(decision().apply(scores))
    one.label({"id": [table["id"][i] for i in calls[:-5]], "label": labels[calls[:-5]]})
    check = one.check()
    assert check.promises["precision"].verdict != "broken"
    assert check.promises["precision"].interval.note == "of clusters, one mean each"
    (caution,) = [each for each in check.cautions if each.code == "clustered-rows"]
    assert "recall, alarm_rate" in caution.text
    recall = check.ladder("recall")[0].interval
    assert recall.lower <= decision().apply(scores)[labels == 1].mean() <= recall.upper
    assert "clustered-rows" in codes(check)
