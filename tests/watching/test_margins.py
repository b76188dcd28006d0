"""Every kind of promise: limits that hold at every look, few false alarms, and a drop that is seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.watching.worlds import decision, reference
from thresher import rank
from thresher.watching.check.evidence import Evidence
from thresher.watching.check.losses import loss_bounds
from thresher.watching.check.margins import detect_broken, margin
from thresher.watching.check.quantities import quantity_interval
from thresher.watching.cohorts import Cohorts
from thresher.watching.epoch import FIRST, make_epoch
from thresher.watching.settings import read_promises

DAYS, PER_DAY, SHARE, ASKED = 240, 60, 0.3, 20


@pytest.fixture(scope="module")
def epoch():
    labels, scores = reference()
    ranking = rank(labels, scores)
    return make_epoch(1, decision(), ranking, since=FIRST, sample=SHARE, probabilities=True)


def world(epoch, rng, worse):
    """Days of rows in cells, and which are positive, by their cell's share; one label in fifty never comes."""
    pos, neg = epoch.in_cells(epoch.reference)
    cell = rng.choice(epoch.cells, DAYS * PER_DAY, p=(pos + neg) / (pos + neg).sum())
    share = (pos / np.maximum(pos + neg, 1))[cell]
    alarm = cell >= epoch.first_alarm
    share = np.where(alarm, share * (1 - worse), share + worse * (1 - share) * 0.2)
    truth = (rng.random(cell.size) < share).astype(np.int64)
    drawn = ~alarm & (rng.random(cell.size) < SHARE)
    label = np.where((alarm | drawn) & (rng.random(cell.size) < 0.98), truth, -1)
    one = np.ones(cell.size, dtype=np.int64)
    period = np.repeat(np.arange(DAYS), PER_DAY)
    return Cohorts(epoch, period, cell, alarm, drawn * SHARE, label, one, np.zeros((0, 4))), truth


def border(epoch, quantity):
    """The value of a quantity in the reference, whose shares the world has."""
    pos, neg = epoch.in_cells(epoch.reference)
    first, rows = epoch.first_alarm, (pos + neg).sum()
    tp, fp, missed = pos[first:].sum(), neg[first:].sum(), pos[:first].sum()
    if quantity == "brier":  # the least that scores in these cells can have
        least, _ = loss_bounds("brier", epoch.cuts)
        return float((pos @ least[1] + neg @ least[0]) / rows)
    return {"recall": tp / (tp + missed), "expected_cost": (fp + 2 * missed) / rows, "precision": tp / (tp + fp),
            "npv": neg[:first].sum() / (rows - tp - fp)}[quantity]  # fmt: skip


@pytest.mark.parametrize("quantity", ["precision", "recall", "expected_cost", "npv", "brier"])
def test_a_promise_at_its_border_alarms_as_seldom_as_asked_for_and_a_drop_soon(epoch, quantity):
    rng = np.random.default_rng(len(quantity))
    relation = "<=" if quantity in ("expected_cost", "brier") else ">="
    promise = replace(read_promises([f"{quantity} {relation} 0.5"])[0], value=border(epoch, quantity))
    one = margin(promise, decision().condition, epoch)
    runs: dict[float, list[int]] = {}
    for worse, number in ((0.0, 60), (0.5, 3)):
        runs[worse] = []
        for _ in range(number):
            cohorts, _ = world(epoch, rng, worse)
            outcome = detect_broken(one, cohorts, np.arange(DAYS), least=SHARE, run_length=ASKED, share=1)
            crossed = np.flatnonzero(outcome.log_path >= np.log(ASKED))
            runs[worse].append(int(crossed[0]) + 1 if crossed.size else DAYS)
    assert np.mean(runs[0.0]) >= ASKED
    assert max(runs[0.5]) < np.mean(runs[0.0])


@pytest.mark.slow
def test_limits_of_promises_hold_at_every_look(epoch):
    rng, runs, quantities = np.random.default_rng(0), 100, ("recall", "expected_cost", "npv", "fpr")
    promises = read_promises([f"{quantity} >= 0.5" for quantity in quantities])
    outside = dict.fromkeys(quantities, 0)
    for run in range(runs):
        cohorts, truth = world(epoch, rng, worse=0.3 * (run % 2))
        wrong = set()
        for day in range(40, DAYS + 1, 50):
            seen = cohorts.period < day
            some, positive = cohorts.take(seen), truth[seen] == 1
            tp, fp = (some.alarm & positive).sum(), (some.alarm & ~positive).sum()
            missed, rest = (~some.alarm & positive).sum(), (~some.alarm & ~positive).sum()
            values = {"recall": tp / (tp + missed), "expected_cost": (fp + 2 * missed) / seen.sum(),
                      "npv": rest / (missed + rest), "fpr": fp / (fp + rest)}  # fmt: skip
            young = some.take(~seen[seen])
            evidence = Evidence(
                some,
                young,
                some,
                SHARE,
                some.periods,
                level=0.95,
                condition=decision().condition,
                gate=True,
                columns={},
            )
            wrong |= {one.name for one in promises if values[one.name] not in quantity_interval(one, evidence, some)}
        outside |= {name: outside[name] + 1 for name in wrong}
    assert max(outside.values()) <= 0.05 * runs + 3 * np.sqrt(runs * 0.05 * 0.95), outside


def test_a_margin_is_that_of_the_promise_whatever_is_drawn(epoch):
    rng = np.random.default_rng(1)
    pos, neg = (rng.integers(0, 9, epoch.cells) for _ in range(2))
    first = epoch.first_alarm
    tp, fp, missed, others = pos[first:].sum(), neg[first:].sum(), pos[:first].sum(), neg[:first].sum()
    for text, value in {
        "recall >= 0.7": 0.3 * tp - 0.7 * missed,
        "recall <= 0.7": 0.7 * missed - 0.3 * tp,
        "precision >= 0.4": 0.6 * tp - 0.4 * fp,
        "expected_cost <= 0.2": 0.2 * (tp + fp + missed + others) - fp - 2 * missed,
        "alarm_rate <= 0.1": 0.1 * (missed + others) - 0.9 * (tp + fp),
        "npv >= 0.9": 0.1 * others - 0.9 * missed,
        "fpr <= 0.1": 0.1 * (fp + others) - fp,
        "tnr >= 0.9": others - 0.9 * (fp + others),
        "prevalence <= 0.3": 0.3 * (tp + fp + missed + others) - tp - missed,
    }.items():
        one = margin(read_promises([text])[0], decision().condition, epoch)
        total = pos[first:] @ one.hit[first:] + neg[first:] @ one.false_alarm[first:]
        if not one.of_alarms:  # a drawn miss counts 1/π times, with probability π
            total += (pos + neg)[:first] @ one.unflagged[:first] + pos[:first] @ one.missed[:first]
        assert total == pytest.approx(value), text
