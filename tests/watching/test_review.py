"""Rows to label: what is asked for, and what is said where nothing is left."""

from __future__ import annotations

import numpy as np
import pytest

import thresher as th
from tests.watching.test_production_traps import fill
from tests.watching.worlds import Clock, days, decision, in_memory, reference, rows, watch
from thresher.errors import ArgumentError, SourceError


@pytest.fixture
def place():
    with in_memory() as folder:
        yield folder / "w.db"


def refusal(call):
    with pytest.raises((SourceError, ArgumentError)) as refused:
        call()
    return refused.value.what, refused.value.fix


def test_where_nothing_is_left_to_label_it_says_what_brings_rows(place):
    one = watch(place, clock := Clock(), sample=0.0)
    what, fix = refusal(lambda: one.review(5))
    assert "no stretch of 30 days" in what
    assert "no row is drawn" in what
    assert "watch.draw(0.01)" in fix
    assert "wait until 2026-03-08" in fix  # days are counted from 1970, stretches of 30
    assert refusal(lambda: one.review(5, towards="precision"))[0] == "there are no alarms yet"
    ids, labels, *_ = fill(one, clock, over=60)
    one.draw(0.5)
    clock.at(71)
    one.insert(rows(5000, np.full(20, 0.01), 70.5))
    one.label({"id": [*ids, *(f"r{5000 + n}" for n in range(20))], "label": [*labels, *[0] * 20]})
    what, fix = refusal(lambda: one.review(5))
    assert "in the last closed stretch have a label, and so have all that were drawn" in what
    assert "draw a larger share" in fix
    what, fix = refusal(lambda: one.review(5, towards="precision"))
    assert "alarms has a label" in what
    assert 'towards="recall"' in fix


def test_what_comes_too_late_is_refused_with_what_to_do_instead(place):
    one = watch(place, clock := Clock())
    ids, _, scores, _ = fill(one, clock)
    clock.at(100)
    assert one.compact(before="2026-03-20T00:00Z") > 0
    alarm = ids[np.flatnonzero(decision().apply(scores))[0]]
    labels, scores_ = reference()
    ranking = th.rank(labels, scores_)
    calls = {
        "compacted": lambda: one.label({"id": [alarm], "label": [1], "t": days([99])}, time="t"),
        "no alarm of 'precision'": lambda: one.acknowledge("precision"),
        "are judged already": lambda: one.deploy(decision(9), reference=ranking, since="2026-03-25T00:00Z"),
        "holds since": lambda: one.deploy(decision(9), reference=ranking, since="2026-05-01T00:00Z"),
        "was made at": lambda: one.check(as_of="2020-01-01T00:00Z"),
        "as_of is no time": lambda: one.check(as_of="yesterday"),
        "in the future": lambda: one.check(as_of="2031-01-01T00:00Z"),
        "in the future, and it is": lambda: one.deploy(decision(9), reference=ranking, since="2031-01-01T00:00Z"),
    }
    for why, call in calls.items():
        if why == "holds since":
            one.deploy(decision(9), reference=ranking)
        what, fix = refusal(call)
        assert why in what
        assert fix


def test_labels_of_a_prefix_tell_the_same_in_any_order(place):
    order = np.random.default_rng(5)
    checks = []
    for name in ("a", "b"):
        one = watch(place.with_name(f"{name}.db"), clock := Clock(), name="w", sample=0.0)
        ids, labels, scores, at = fill(one, clock, over=60)
        truth = dict(zip(ids.tolist(), labels.tolist(), strict=True))
        alarms = ids[decision().apply(scores)]
        one.label({"id": alarms, "label": [truth[each] for each in alarms]})
        queue = list(one.review(120).id)
        parts = [queue] if name == "a" else np.array_split(order.permutation(queue), 4)
        for part in parts:
            one.label({"id": list(part), "label": [truth[each] for each in part]})
        checks.append(one.check())
    assert checks[0].audit is not None
    assert checks[0].to_dict()["queue"] == checks[1].to_dict()["queue"]
    assert checks[0].queue.labelled.sum() == 120
    assert checks[0].queue.waiting.sum() == 0
    # Misses that customers report are no sample: they only bound the recall of the stretch from above.
    stretch = (at // 1 + _first_day() >= checks[0].queue.first) & (at // 1 + _first_day() <= checks[0].queue.last)
    alarm = decision().apply(scores)
    missed = ids[stretch & ~alarm & (labels == 1)]
    one.label({"id": missed, "label": [1] * missed.size})
    before, audit, caught = checks[1].audit, one.check().audit, (stretch & alarm & (labels == 1)).sum()
    assert before is not None
    assert audit is not None
    assert audit.lower == before.lower
    assert audit.upper == caught / (caught + missed.size) < before.upper


def _first_day():
    return int((np.datetime64("2026-03-01") - np.datetime64("1970-01-01")).astype(int))
