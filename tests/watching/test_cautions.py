"""What a check warns of: another model, training rows as reference, labels from before their row."""

from __future__ import annotations

import numpy as np
import pytest

import thresher as th
from tests.watching.test_check import alarms, score
from tests.watching.worlds import Clock, days, decision, in_memory, reference, rows, watch
from thresher.errors import SourceError
from thresher.inference import detector
from thresher.watching.storage.store import Store


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


def test_a_draw_that_is_recorded_after_the_label_is_named(place):
    one = watch(place, clock := Clock(), sample=0)
    clock.at(9)
    table = rows(0, [0.01] * 4, 5) | {"pi": [0.5, 0.25, np.nan, 0.5]}
    labels = {"id": ["r0", "r2"], "label": [1, 1], "t": days([6, 6])}
    one.label(labels, time="t", orphans="keep")
    one.insert(table, propensity="pi")
    one.label({"id": ["r1"], "label": [0], "t": days([6])}, time="t")
    (caution,) = [each for each in one.check().cautions if each.code == "propensity-after-label"]
    assert "1 row of" in caution.text
    own = watch(place.with_name("own.db"), clock, sample=1.0)  # permanent random numbers know no label
    own.label(labels, time="t", orphans="keep")
    own.insert(rows(0, [0.01] * 4, 5))
    assert "propensity-after-label" not in codes(own.check())


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


def test_scores_that_all_fall_alarm_without_any_label(place):
    clock, rng = Clock(), np.random.default_rng(22)
    one = watch(place, clock, promises=["precision >= 0.2"])
    for day in range(14):  # the order of the rows stays, and the fixed threshold catches less and less
        clock.at(day + 1)
        one.insert(rows(day * 100, score(rng, (rng.random(100) < 0.2).astype(np.int64)) ** (1 + day / 4), day + 0.5))
    check = one.check()
    assert [alarm.promise for alarm in check.alarms] == ["scores"]
    assert (check.exit_code, check.promises["precision"].labels.used) == (1, 0)
    assert one.acknowledge("scores") == 1
    assert one.check().drift is None  # it starts again with the next period


def test_weekly_seasons_need_weeks():
    day, shown = np.array([81, 81, 81, 81, 81, 81, 45] * 12), np.full(84, 90)
    weeks = [part.reshape(12, 7).sum(axis=1) for part in (day, shown)]
    assert detector(day, shown, at_least=0.8).alarm  # each Sunday breaks the promise
    assert not detector(*weeks, at_least=0.8).alarm


@pytest.mark.parametrize("sundays", [False, True])
def test_weekdays_that_differ_are_named(place, sundays):
    clock, rng = Clock(), np.random.default_rng(23)
    one = watch(place, clock, promises=["alarm_rate <= 0.5"], false_alarms="1 in 100")
    clock.at(60)
    labels = (rng.random(6000) < 0.2).astype(np.int64)
    at = np.sort(rng.random(6000)) * 56
    scores = score(rng, labels)
    if sundays:  # START is one
        scores = np.where((at % 7 < 1) & (rng.random(6000) < 0.4), 0.9, scores)
    one.insert(rows(0, scores, at))
    texts = [each.text for each in one.check().cautions if each.code == "weekly-season"]
    assert bool(texts) == sundays
    assert all("on Sundays and" in text for text in texts)


def test_stores_that_cannot_be_written_and_names_that_are_hostile(place, monkeypatch):
    labels, scores = reference()
    name = '"; DROP TABLE scored; --'
    one = th.Watch.create(
        place, decision(), reference={"y": labels, "p": scores, name: scores}, label="y", columns=[name], clock=Clock(),
        promises=["precision >= 0.2"], name=name,
    )  # fmt: skip
    clock_table = rows(0, [0.9, 0.1], -1)
    one.insert({name: clock_table["id"], "time": clock_table["time"], "p": clock_table["p"]} | {"x": [1, 2]}, id=name)
    assert (one.check().counts["rows"], one.name, list(one.check().columns)) == (2, name, [name])
    with pytest.raises(SourceError, match="no row left to label"):
        one.review(5)
    with pytest.raises(SourceError, match="no alarm of 'recall'"):
        one.acknowledge("recall")
    monkeypatch.setattr("thresher.watching.storage.store.network_disk", lambda _: "nfs4")
    with pytest.raises(SourceError, match="lies on a network disk"):
        th.Watch(place)
    assert th.Watch(place, journal="delete").name == name
    monkeypatch.undo()
    with Store(place) as store:
        store.execute("PRAGMA query_only = 1")  # what a file system that is read-only answers
        with pytest.raises(SourceError, match="may only be read"), store.write():
            store.execute("DELETE FROM scored")
