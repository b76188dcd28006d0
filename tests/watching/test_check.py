"""What a check says: never more than labels tell, and the same at every look."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import thresher as th
from tests.watching.worlds import Clock, days, decision, in_memory, reference, rows, watch
from thresher.errors import SourceError
from thresher.inference import permanent_random_numbers
from thresher.watching import Check


def score(rng, labels, shift=2.5):
    """Scores of the world of the reference."""
    return 1 / (1 + np.exp(-(rng.normal(size=labels.size) + shift * labels - 2)))


def stream(one, clock, *, periods, rng, shift=2.5, first=0, per_day=100, review=None, delay=1.0, start=0):
    """Days of rows; `review` says which labels come, `delay` days later. Returns all labels."""
    truths: list[Any] = []
    for day in range(start, start + periods):
        clock.at(day + 1)
        labels = (rng.random(per_day) < 0.2).astype(np.int64)
        scores = score(rng, labels, shift)
        table = rows(first + len(truths) * per_day, scores, day + 0.5)
        one.insert(table)
        truths.append((table["id"], labels, scores, np.full(per_day, float(day))))
    ids = [name for part in truths for name in part[0]]
    labels, scores, at = (np.concatenate([part[i] for part in truths]) for i in (1, 2, 3))
    take = np.flatnonzero(review(ids, scores)) if review else np.zeros(0, dtype=np.int64)
    clock.at(start + periods + delay + 1)
    if take.size:
        one.label({"id": [ids[i] for i in take], "label": labels[take], "t": days(at[take] + 0.5 + delay)}, time="t")
    return ids, labels, scores


def alarms(_, scores):
    return decision().apply(scores)


def due(place):
    """Alarms and drawn rows."""

    def review(ids, scores):
        with sqlite3.connect(place) as store:
            drawn = {bytes(name).decode() for (name,) in store.execute("SELECT id FROM scored WHERE propensity > 0")}
        return decision().apply(scores) | np.isin(ids, list(drawn))

    return review


@pytest.fixture
def place():
    with in_memory() as folder:
        yield folder / "w.db"


def test_reviewed_alarms_tell_precision_and_drawn_rows_recall(place):
    clock, rng = Clock(), np.random.default_rng(1)
    promises = ["precision >= 0.5", "recall >= 0.5", "expected_cost <= 0.3", "alarm_rate <= 0.5", "prevalence <= 0.4"]
    one = watch(place, clock, promises=promises, sample=0.5, matures="3d")
    _, labels, scores = stream(one, clock, periods=40, rng=rng, review=due(place))
    clock.at(60)
    check = one.check()
    Draft202012Validator(Check.schema()).validate(json.loads(check.to_json()))
    calls = decision().apply(scores)
    truth = {
        "precision": labels[calls].mean(),
        "recall": calls[labels == 1].mean(),
        "alarm_rate": calls.mean(),
        "prevalence": labels.mean(),
        "expected_cost": ((calls & (labels == 0)) + 2 * (~calls & (labels == 1))).mean(),
    }
    for name, value in truth.items():
        assert value in check.promises[name].interval, name
        assert check.promises[name].verdict == "holds", (name, check.promises[name])
    assert check.state == "not watched"  # no rows for two days
    assert check.promises["precision"].labels.used == calls.sum()
    assert str(check).splitlines()[0].startswith("w: Not watched: no rows for 2 days")
    assert " hold." in str(check).splitlines()[0]
    assert check.frame().shape[0] == 5


def test_unlabelled_rows_are_never_negative(place):
    clock, rng = Clock(), np.random.default_rng(2)
    one = watch(place, clock, promises=["recall >= 0.5", "precision >= 0.5"], sample=0)
    _, labels, scores = stream(one, clock, periods=30, rng=rng, review=alarms)
    check = one.check()
    recall = check.promises["recall"]
    assert recall.verdict == "undecided"
    assert recall.interval.lower < 0.3
    assert recall.interval.upper > 0.9
    assert "no row that raised no alarm is drawn" in recall.because
    assert "partial-labels" in {caution.code for caution in check.cautions}
    truth = decision().apply(scores)[labels == 1].mean()
    steps = {step.step: step for step in check.ladder("recall")}
    assert set(steps) == {0, 1, 2, 3}
    assert steps[0].interval.lower <= truth <= steps[0].interval.upper
    assert all(step.assumption for step in steps.values())


def test_without_any_label_nothing_is_known_and_nothing_alarms(place):
    clock, rng = Clock(), np.random.default_rng(3)
    one = watch(place, clock, promises=["precision >= 0.99"], matures=None, false_alarms="1 in 10")
    stream(one, clock, periods=25, rng=rng)
    check = one.check()
    assert check.promises["precision"].verdict == "undecided"
    assert (check.alarms, check.exit_code) == ((), 3)
    one.label({"id": ["r0"], "label": [1]}, orphans="keep")
    assert "few-labels" in {caution.code for caution in one.check().cautions}


def test_a_drop_alarms_and_the_alarm_stands_until_it_is_acknowledged(place):
    clock, rng = Clock(), np.random.default_rng(4)
    one = watch(place, clock, promises=["precision >= 0.6"], matures="2d", sample=0)
    stream(one, clock, periods=30, rng=rng, review=alarms)
    assert one.check().promises["precision"].verdict == "holds"
    # From day 30 on positives no longer score higher.
    ids, _, scores = stream(one, clock, periods=12, rng=rng, shift=0.0, first=100_000, start=30, review=alarms)
    clock.at(46)
    broken = one.check()
    promise = broken.promises["precision"]
    assert (promise.verdict, broken.exit_code) == ("broken", 1)
    assert promise.evidence > promise.most
    start = (np.datetime64("2026-03-01") - np.datetime64("1970-01-01")).astype(int)
    assert abs(promise.since - (start + 30)) <= 3
    assert promise.recent is not None
    assert promise.recent.upper < 0.6
    assert {alarm.promise: alarm.acknowledged for alarm in broken.alarms} == {"precision": None, "scores": None}
    assert "scores have moved" in str(broken)
    assert any("rows since 2026-03-3" in step for step in broken.next_steps)
    assert any("precision and scores: thresher watch acknowledge" in step for step in broken.next_steps)
    # Labels corrected to positive take the evidence away, and the alarm stands.
    take = np.flatnonzero(decision().apply(scores))
    clock.at(47)
    fixed = {"id": [ids[i] for i in take], "label": [1] * take.size, "t": days(np.full(take.size, 46.5))}
    one.label(fixed, time="t")
    later = one.check()
    assert later.promises["precision"].evidence < promise.most
    assert (later.promises["precision"].verdict, later.exit_code) == ("broken", 1)
    assert one.check(as_of="2026-04-16T00:00Z").to_json() == broken.to_json()  # byte for byte
    clock.at(48)
    assert one.acknowledge("precision", note="labels were wrong") == 1
    assert one.check().exit_code == 1  # the scores have moved all the same
    assert one.acknowledge("scores") == 1
    settled = one.check()
    assert settled.alarms[0].note == "labels were wrong"
    assert settled.exit_code != 1
    assert math.isnan(settled.chart("precision")["log10_evidence"][-1])  # no period has come since
    assert one.check(as_of="2026-04-17T00:00Z").exit_code == 1
    with pytest.raises(SourceError, match="no alarm of 'precision'"):
        one.acknowledge("precision")


def test_young_cohorts_are_not_judged_where_delay_tells_the_class(place):
    clock, rng = Clock(), np.random.default_rng(5)
    one = watch(place, clock, promises=["precision >= 0.5"], matures="12d", sample=0, false_alarms="1 in 100")
    for day in range(40):  # positives are labelled after 10 days, negatives after 2
        clock.at(day + 1)
        labels = (rng.random(80) < 0.2).astype(np.int64)
        scores = score(rng, labels)
        table = rows(day * 80, scores, day + 0.1)
        one.insert(table)
        with sqlite3.connect(place) as store:
            store.execute("CREATE TABLE IF NOT EXISTS truth (id TEXT, day REAL, label INTEGER)")
            calls = np.flatnonzero(decision().apply(scores))
            store.executemany(
                "INSERT INTO truth VALUES (?, ?, ?)", [(table["id"][i], day, int(labels[i])) for i in calls]
            )
            come = store.execute(
                "SELECT id, label FROM truth WHERE day + 2 + 8 * label BETWEEN ? - 0.5 AND ? + 0.5", (day, day)
            ).fetchall()
        if come:
            table = {"id": [name for name, _ in come], "label": [label for _, label in come]}
            one.label(table | {"t": days([day + 0.2] * len(come))}, time="t")
    clock.at(40.5)
    check = one.check()
    assert check.alarms == ()
    assert check.delays.test is not None
    assert check.delays.test.differs
    assert {"delay-tells-class", "young-cohorts"} <= {caution.code for caution in check.cautions}
    with pytest.raises(SourceError, match="come later"):
        one.check(gate=False)


def test_without_the_gate_rows_that_wait_for_labels_are_neither_left_out_nor_negative(place):
    clock, rng = Clock(), np.random.default_rng(2)
    names = ("precision", "recall", "prevalence", "expected_cost", "npv")
    promises = [f"{name} {'<=' if 'cost' in name else '>='} 0.5" for name in names]
    one = watch(place, clock, promises=promises, matures="20d", sample=0.3)
    n = 8000
    labels = (rng.random(n) < 0.2).astype(np.int64)
    scores = 1 / (1 + np.exp(-(rng.normal(size=n) + 2.5 * labels - 2)))
    table = rows(0, scores, np.sort(rng.random(n) * 10))
    clock.at(10)
    one.insert(table)
    calls, ids = decision().apply(scores), np.array(table["id"])
    due = calls | (permanent_random_numbers(table["id"], "salt") < 0.3)
    come = np.flatnonzero(due & (rng.random(n) < 0.5))  # whichever the label
    one.label({"id": ids[come], "label": labels[come]})
    check = one.check(gate=False)
    cost = ((calls & (labels == 0)) + 2 * (~calls & (labels == 1))).mean()
    truth = (labels[calls].mean(), calls[labels == 1].mean(), labels.mean(), cost, 1 - labels[~calls].mean())
    for name, value in zip(names, truth, strict=True):
        interval = check.promises[name].interval
        assert value in interval, name
        assert interval.estimate == pytest.approx(value, rel=0.25), name


def test_periods_without_a_draw_tell_nothing_of_misses(place):
    clock, rng = Clock(), np.random.default_rng(3)
    one = watch(place, clock, promises=["recall >= 0.6", "prevalence >= 0.19"], matures="3d", sample=0.0)
    stream(one, clock, periods=20, rng=rng, review=alarms)
    clock.at(24)
    before = one.check(record=False)
    assert before.promises["prevalence"].evidence < 1  # what is not drawn may be positive
    assert any("draw rows" in step for step in before.next_steps)
    one.draw(0.5)
    _, labels, scores = stream(one, clock, periods=20, rng=rng, review=due(place), first=10_000, start=25)
    truth = decision().apply(scores)[labels == 1].mean()
    clock.at(50)
    drawn = one.check(record=False).promises["recall"]
    assert truth in drawn.interval
    assert drawn.verdict == "holds"
    one.draw(0.0)
    stream(one, clock, periods=40, rng=rng, review=alarms, first=20_000, start=51)
    clock.at(100)
    stopped = one.check(record=False)
    assert stopped.promises["recall"].interval == drawn.interval
    assert "from 20 of 80 periods, in which rows were drawn" in stopped.promises["recall"].because
    assert any("draw rows" in step for step in stopped.next_steps)


def test_highest_scores_reviewed_first_are_no_sample_of_alarms(place):
    clock, rng = Clock(), np.random.default_rng(6)
    one = watch(place, clock, promises=["precision >= 0.85"], sample=0)

    def top_first(_, scores):
        return scores >= np.quantile(scores[decision().apply(scores)], 0.7)

    ids, labels, scores = stream(one, clock, periods=40, rng=rng, review=top_first)
    clock.at(55)
    check = one.check()
    calls, reviewed = decision().apply(scores), top_first(ids, scores)
    truth, naive = labels[calls].mean(), labels[reviewed].mean()
    assert naive > truth + 0.1
    assert truth in check.promises["precision"].interval
    assert "review-not-drawn" in {caution.code for caution in check.cautions}


def test_rows_that_belong_together_are_one(place):
    clock = Clock()
    one = watch(place, clock, promises=["precision >= 0.5"], sample=0, matures="1d")
    customers = np.repeat(["a", "b", *[f"c{i}" for i in range(40)]], [300, 300, *[1] * 40])
    table = rows(0, np.full(customers.size, 0.99), 0) | {"who": customers}
    clock.at(5)
    one.insert(table, cluster="who")
    one.label({"id": table["id"], "label": (customers != "a").astype(int)})
    check = one.check().promises["precision"]
    assert check.interval.estimate == pytest.approx(41 / 42)
    assert check.evidence < 2  # 300 wrong alarms of one customer are one


def test_decisions_have_epochs(place):
    clock, rng = Clock(), np.random.default_rng(8)
    one = watch(place, clock, promises=["precision >= 0.95"], sample=0, false_alarms="1 in 5", matures="2d")
    stream(one, clock, periods=20, rng=rng, review=alarms)
    assert one.check().exit_code == 1
    labels, scores = reference()
    one.deploy(decision(0.2), reference={"y": labels, "p": scores}, label="y", since=str(clock().isoformat()))
    clock.at(23)
    check = one.check()
    assert (check.epoch, check.counts["rows"]) == (2, 0)
    assert check.promises["precision"].verdict == "undecided"
    assert [alarm.epoch for alarm in check.alarms] == [1]


def test_threshold_and_regret(place):
    clock, rng = Clock(), np.random.default_rng(9)
    one = watch(place, clock, promises=["precision >= 0.2"], sample=0.5)
    stream(one, clock, periods=40, rng=rng, review=due(place))
    check = one.check()
    assert check.mix is not None
    assert not check.mix.test.refuted
    assert check.regret is not None
    assert 0 <= check.regret.lower <= check.regret.upper
    assert check.decision_holds in (True, None)
    choices = one.rechoose()
    assert choices.choices[-1].by == "drawn labels"
    assert one.check().threshold == decision().threshold


def test_the_queue_counts_complete_prefixes_only(place):
    clock, rng = Clock(), np.random.default_rng(10)
    one = watch(place, clock, promises=["recall >= 0.5"], sample=0.05, matures="2d")
    ids, labels, scores = stream(one, clock, periods=65, rng=rng, review=alarms)
    truth = dict(zip(ids, labels.tolist(), strict=True))
    first = one.review(60)
    assert set(first.reason) == {"drawn"}
    one.label({"id": list(first.id), "label": [truth[name] for name in first.id]})
    clock.at(68)
    while "drawn" in (second := one.review(200)).reason:
        one.label({"id": list(second.id), "label": [truth[name] for name in second.id]})
    assert not set(second.id) & set(first.id)
    assert len(set(second.id)) == len(second.id)
    queued = [i for i, reason in enumerate(second.reason) if reason == "queue"]
    largest = Counter(second.stratum[i] for i in queued).most_common(1)[0][0]
    skipped = next(second.id[i] for i in queued if second.stratum[i] == largest)
    before = one.check().queue
    others = [name for name in second.id if name != skipped]
    one.label({"id": others, "label": [truth[name] for name in others]})
    partly = one.check().queue
    stratum = int(np.argmax(partly.waiting))
    assert partly.waiting[stratum] > 0
    assert partly.labelled.sum() > before.labelled.sum()
    again = one.review(20)
    assert (again.id[0], again.reason[0]) == (skipped, "skipped")
    assert again.reason.count("skipped") == 1
    assert len(again.id) == len(set(again.id)) == 20
    one.label({"id": [skipped], "label": [truth[skipped]]})
    complete = one.check().queue
    assert complete.waiting[stratum] == 0
    assert complete.labelled[stratum] == partly.labelled[stratum] + partly.waiting[stratum] + 1
    third = one.review(50)
    assert third.now is not None
    assert third.expected is not None
    assert third.expected.width <= third.now.width
    inside = np.isin(np.arange(len(ids)) // 100, np.arange(complete.first, complete.last + 1) - _first_day())
    missed = sum(label for i, label in enumerate(labels) if inside[i] and not decision().apply(scores)[i])
    caught = sum(label for i, label in enumerate(labels) if inside[i] and decision().apply(scores)[i])
    assert third.now.lower <= caught / (caught + missed) <= third.now.upper


def _first_day():
    return int((np.datetime64("2026-03-01") - np.datetime64("1970-01-01")).astype(int))


def test_compaction_changes_no_promise(place):
    clock, rng = Clock(), np.random.default_rng(11)
    one = watch(place, clock, promises=["precision >= 0.5", "recall >= 0.4"], sample=0.3, matures="2d")
    stream(one, clock, periods=80, rng=rng, review=due(place))
    before = one.check(record=False).to_dict()
    one.compact(before="2026-03-25T00:00Z")
    after = one.check(record=False).to_dict()
    for name in ("promises", "ladder", "class_ratio", "cohorts", "queue", "decision_holds", "calibration"):
        assert before[name] == after[name], name
    with pytest.raises(SourceError, match="compacted"):
        one.check(as_of="2026-03-20T00:00Z")


def test_drifting_columns_are_named(place):
    clock, rng = Clock(), np.random.default_rng(12)
    labels, scores = reference()
    inputs = {"amount": rng.normal(size=2000), "country": rng.choice(["NL", "BE", "DE"], 2000)}
    one = th.Watch.create(
        place, decision(), reference={"y": labels, "p": scores} | inputs, label="y", clock=clock,
        promises=["alarm_rate <= 0.5"], columns=["amount", "country"],
    )  # fmt: skip
    for day in range(20):
        clock.at(day + 1)
        table = rows(day * 200, score(rng, (rng.random(200) < 0.2).astype(int)), day + 0.5)
        amount = rng.normal(size=200) + (1.5 if day > 5 else 0)
        one.insert(table | {"amount": amount, "country": rng.choice(["NL", "BE", "DE"], 200)})
    check = one.check()
    assert check.drifted == ("amount",)
    assert one.insert(table | {"amount": amount, "country": ["NL"] * 200}).again == 200
    assert one.check().to_json() == check.to_json()


def test_one_history_is_one_check_in_sqlite_and_postgresql(postgres, place):
    def history(one, clock):
        rng = np.random.default_rng(13)
        labels, scores = reference()
        ids, truth, _ = stream(one, clock, periods=25, rng=rng, review=lambda _, s: (s > 0.3) | (s < 0.02))
        one.insert(rows(0, [0.5], 1), replace=True)
        again = {"id": ids[:50], "label": np.where(np.arange(50) % 3, truth[:50], 1 - truth[:50])}
        one.label(again | {"t": days([26.0] * 50)}, time="t")
        one.label({"id": ["nobody", *ids[:3]], "label": np.array([1, None, None, None], dtype=object)})
        one.deploy(decision(9), reference=th.rank(labels, scores), since=clock().isoformat())
        stream(one, clock, periods=35, rng=rng, start=28, first=50_000, review=lambda _, s: s > 0.3)
        one.check()
        one.compact(before="2026-03-06T00:00Z")
        return one.check().to_json(), one.review(40).to_dict()

    answers = []
    for where in (postgres.url, place):
        clock = Clock()
        one = watch(where, clock, name="w", promises=["precision >= 0.6", "recall >= 0.6"])
        answers.append(history(one, clock))
    assert answers[0] == answers[1]


def test_a_clock_that_goes_back_reorders_nothing(place):
    clock = Clock()
    one = watch(place, clock, promises=["alarm_rate <= 0.5"])
    clock.at(10)
    one.insert(rows(0, [0.1, 0.9], 5))
    clock.at(9)
    one.insert(rows(2, [0.1, 0.9], 5))
    clock.at(11)
    seen = [batch["seen"] for batch in reversed(one.history()["batches"])]
    assert seen == sorted(seen)
    assert one.check(as_of="2026-03-10T12:00Z").counts["rows"] == 0
    assert one.check(as_of="2026-03-11T00:00Z").counts["rows"] == 4


def test_a_former_moment_is_as_it_was_or_is_refused(place):
    clock, rng = Clock(), np.random.default_rng(15)
    one = watch(place, clock, promises=["recall >= 0.4"], sample=0.5, matures="2d")
    stream(one, clock, periods=20, rng=rng, review=due(place))
    then = one.check()
    assert then.promises["recall"].interval.width < 1
    at = clock().isoformat()
    clock.at(30)
    one.draw(0.1)  # from now on fewer rows are drawn, and those of before count as before
    one.insert(rows(9000, [0.01, 0.9], 25))
    assert one.check(as_of=at).to_json() == then.to_json()
    one.insert(rows(9000, [0.02, 0.9], 25), replace=True)
    with pytest.raises(SourceError, match="compacted or replaced at 2026-03-31"):
        one.check(as_of=at)
    clock.at(29)  # a clock that goes back can still ask for the present
    assert one.check().counts["rows"] == 2002


def test_weeks_and_a_budget_shared_by_promises(place):
    clock, rng = Clock(), np.random.default_rng(14)
    one = watch(place, clock, promises=["precision >= 0.4", "alarm_rate <= 0.5"], period="week", false_alarms="1 in 52")
    stream(one, clock, periods=28, rng=rng, review=alarms)
    check = one.check()
    assert {promise.most for promise in check.promises.values()} == {52 * 3}  # the scores have a share, too
    assert check.cohorts["period"].size in (4, 5)
    assert "budget 1 in 52 weeks" in str(check)
