"""Mistakes made with decisions in production: each must be noticed, and none read as good news."""

from __future__ import annotations

import math

import numpy as np
import pytest

import thresher as th
from tests.watching.worlds import Clock, days, decision, in_memory, reference, rows, watch


@pytest.fixture
def place():
    with in_memory() as folder:
        yield folder / "w.db"


def world(rng, number, shift=2.5):
    labels = (rng.random(number) < 0.2).astype(np.int64)
    return labels, 1 / (1 + np.exp(-(rng.normal(size=number) + shift * labels - 2)))


def fill(one, clock, *, shift=2.5, number=3000, over=30, seed=1):
    """A month of rows; returns ids, labels, scores and times."""
    labels, scores = world(np.random.default_rng(seed), number, shift)
    at = np.sort(np.random.default_rng(seed + 1).random(number)) * over
    clock.at(over + 10)
    table = rows(0, scores, at)
    one.insert(table)
    return np.array(table["id"]), labels, scores, at


def give(one, ids, labels, at, take):
    return one.label({"id": ids[take].tolist(), "label": labels[take], "t": days(at[take] + 1)}, time="t")


def codes(check):
    return {caution.code for caution in check.cautions}


def test_alarms_that_are_acted_upon_are_no_good_alarms(place):
    one = watch(place, clock := Clock())
    ids, labels, scores, at = fill(one, clock)
    calls = np.flatnonzero(decision().apply(scores))
    give(one, ids, labels, at, calls[:5])  # all others were blocked
    check = one.check()
    assert "acted-upon" in codes(check)
    assert check.promises["precision"].verdict == "undecided"
    give(one, ids, labels, at, calls)
    assert "acted-upon" not in codes(one.check())


def test_a_dead_feed_is_no_good_news(place):
    one = watch(place, clock := Clock(), promises=["alarm_rate <= 0.9"])
    fill(one, clock)
    clock.at(31)
    assert (one.check().state, one.check().exit_code) == ("holds", 0)
    clock.at(35)
    check = one.check()
    assert (check.state, check.exit_code) == ("not watched", 3)
    assert "no rows for 2 days" in check.unwatched


def test_complaints_are_no_sample_and_only_lower_recall(place):
    one = watch(place, clock := Clock(), sample=0.0, promises=["recall >= 0.5"])
    ids, labels, scores, at = fill(one, clock)
    calls = decision().apply(scores)
    give(one, ids, labels, at, np.flatnonzero(calls))
    before = one.check().promises["recall"].interval
    give(one, ids, labels, at, np.flatnonzero(~calls & (labels == 1))[:20])  # customers complain of frauds alone
    check = one.check()
    after = check.promises["recall"].interval
    assert check.counts["reported_misses"] == 20
    assert math.isnan(after.estimate)
    assert after.upper < before.upper == 1
    assert after.lower == pytest.approx(before.lower, rel=0.02)
    assert "partial-labels" in codes(check)


def test_silence_is_negative_where_that_is_declared(place):
    one = watch(place, clock := Clock(), sample=0.0, silent_negative="20d", promises=["precision >= 0.5"])
    ids, labels, scores, at = fill(one, clock, over=1)
    calls = decision().apply(scores)
    frauds = np.flatnonzero(calls & (labels == 1))
    give(one, ids, labels, at, frauds)  # frauds alone are reported
    clock.at(15)
    open_ = one.check().promises["precision"]
    assert open_.labels.due == calls.sum() - frauds.size
    clock.at(40)
    check = one.check()
    precision = check.promises["precision"]
    assert precision.interval.estimate == pytest.approx(labels[calls].mean())
    assert (precision.labels.due, check.counts["reported_misses"]) == (0, 0)
    assert check.counts["labelled"] == calls.sum()  # rows that are due none have none
    (caution,) = [each for each in check.cautions if each.code == "silence-is-negative"]
    assert f"{calls.sum() - frauds.size} rows now" in caution.text


def test_the_age_of_labels_is_estimated_from_thirty_on(place):
    one = watch(place, clock := Clock(), sample=0.0, matures=None, promises=["precision >= 0.1"])
    ids, labels, scores, at = fill(one, clock, over=20)
    calls = np.flatnonzero(decision().apply(scores))
    give(one, ids, labels, at, calls[:29])
    few = one.check()
    assert (few.promises["precision"].verdict, few.promises["precision"].labels.used) == ("undecided", 0)
    assert "few-labels" in codes(few)
    give(one, ids, labels, at, calls)
    check = one.check()
    assert not check.delays.declared
    assert 20 <= check.delays.age <= 26  # each came a day after its score
    assert check.promises["precision"].verdict == "holds"
    assert "few-labels" not in codes(check)


@pytest.mark.parametrize("learned_from", [False, True])
def test_a_reference_that_the_model_was_learned_from_is_noticed(place, learned_from):
    rng = np.random.default_rng(3)
    labels, scores = world(rng, 2000, shift=4.5) if learned_from else reference()
    one = th.Watch.create(
        place,
        decision(),
        reference={"y": labels, "p": scores},
        label="y",
        score="p",
        matures="5d",
        sample=0.5,
        salt="trap",
        clock=(clock := Clock()),
    )
    ids, truth, scores, at = fill(one, clock)
    drawn = th.inference.permanent_random_numbers(ids.tolist(), "trap") < 0.5
    give(one, ids, truth, at, np.flatnonzero(decision().apply(scores) | drawn))
    assert ("reference-was-trained-on" in codes(one.check())) == learned_from
