"""What a check warns of: another model, training rows as reference, labels from before their row."""

from __future__ import annotations

import numpy as np
import pytest

import thresher as th
from tests.watching.test_check import alarms, score
from tests.watching.worlds import Clock, days, decision, in_memory, reference, rows, watch


@pytest.fixture
def place():
    with in_memory() as folder:
        yield folder / "w.db"


def codes(watched):
    return {caution.code for caution in watched.cautions}


def made(place, labels, scores, decision_=None):
    return th.Watch.create(
        place, decision_ or decision(), reference={"y": labels, "p": scores}, label="y", promises=["precision >= 0.2"],
        matures="1d", clock=Clock(),
    )  # fmt: skip


def test_a_reference_that_is_not_of_the_decision(place):
    labels, scores = reference()
    assert codes(watch(place)) == set()
    other = place.with_name("other.db")
    assert codes(made(other, labels, np.sqrt(scores))) == {"reference-disagrees"}  # another scale
    assert codes(made(place.with_name("b.db"), labels, scores / 10)) >= {"reference-not-split", "reference-disagrees"}
    few = np.r_[np.flatnonzero(labels)[:20], np.flatnonzero(labels == 0)[:80]]
    assert codes(made(place.with_name("c.db"), labels[few], scores[few])) == {"few-positives"}


def test_scores_of_another_model_are_stored_with_a_caution(place):
    clock = Clock()
    one = watch(place, clock)
    clock.at(3)
    one.insert(rows(0, np.linspace(0.05, 0.9, 40), 0))
    assert "scores-of-another-model" not in codes(one.check())
    one.insert(rows(100, np.linspace(40, 800, 40), 1))
    (caution,) = [each for each in one.check().cautions if each.code == "scores-of-another-model"]
    assert "1 day" in caution.text
    assert "2026-03-02" in caution.text


def test_a_label_that_waited_for_its_row_and_is_older_than_it_is_named(place):
    clock = Clock()
    one = watch(place, clock)
    clock.at(9)
    assert one.label({"id": ["r0", "r1"], "label": [1, 1], "t": days([2, 6])}, time="t", orphans="keep").orphans == 2
    one.insert(rows(0, [0.9, 0.9], 5))
    check = one.check()
    assert (check.counts["labelled"], check.counts["labels_before_score"]) == (1, 1)
    (caution,) = [each for each in check.cautions if each.code == "label-before-score"]
    assert "1 label" in caution.text
    assert "'r0'" in caution.text
    assert check.counts["orphans"] == 0


def test_twice_as_many_positives_that_score_as_before_are_no_training_rows(place):
    rng = np.random.default_rng(21)
    two = watch(place, clock := Clock(), promises=["precision >= 0.2"], matures="1d")
    for day in range(12):
        clock.at(day + 3)
        truth = (rng.random(100) < 0.4).astype(np.int64)
        scores = score(rng, truth)
        table = rows(day * 100, scores, day + 0.5)
        two.insert(table)
        take = np.flatnonzero(alarms(None, scores))
        two.label({"id": [table["id"][i] for i in take], "label": truth[take]})
    assert "reference-was-trained-on" not in codes(two.check())
