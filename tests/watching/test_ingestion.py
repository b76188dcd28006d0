"""Rows and labels in any order, split and repetition make the same state; what is wrong is refused."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.watching.worlds import START, Clock, days, decision, in_memory, reference, rows, watch
from thresher.errors import (
    ArgumentError,
    BusyError,
    ColumnError,
    LabelError,
    MissingValueError,
    OutputError,
    SourceError,
)
from thresher.inference import permanent_random_numbers
from thresher.sources.buckets import condense
from thresher.watching.cohorts import read_snapshot
from thresher.watching.periods import microseconds
from thresher.watching.storage.store import Store, network_disk

END = microseconds(START) + 200 * 86_400_000_000


def state_of(place, name=None, as_of=END):
    """The lines of counts of every epoch, as plain tuples."""
    with Store(place) as store, store.read():
        cohorts = read_snapshot(store, name, as_of=as_of, past=False).cohorts
    columns = ("period", "cell", "alarm", "propensity", "label", "rows")
    return [list(zip(*(getattr(one, each).tolist() for each in columns), strict=True)) for one in cohorts]


LABELS = st.sampled_from([0, 1, None])
EVENTS = st.tuples(st.integers(0, 30), LABELS, st.integers(0, 60), st.sampled_from(["", "b"]))


@st.composite
def histories(draw):
    """Rows, events of labels, and the order, split and repetition in which they are delivered."""
    scores = draw(st.lists(st.sampled_from([0.01, 0.2, 0.4, 0.6, 0.95]), min_size=4, max_size=25))
    ages = draw(st.lists(st.integers(0, 40), min_size=len(scores), max_size=len(scores)))
    events = {}
    for row, label, late, source in draw(st.lists(EVENTS, max_size=40)):
        at = (ages[row] if row < len(scores) else 0) + late / 4
        events[(row, at, source)] = label  # one label a moment and source
    parts = [("row", i) for i in range(len(scores))] + [("event", key) for key in events]
    order = draw(st.permutations(parts))
    again = draw(st.lists(st.sampled_from(parts), max_size=10))
    cuts = sorted({0, len(order), *draw(st.lists(st.integers(0, len(order)), max_size=6))})
    batches = [order[a:b] for a, b in pairwise(cuts)] + [again]
    return scores, ages, events, batches


def deliver(one, history):
    """Each batch: its rows, then its labels."""
    scores, ages, events, batches = history
    for batch in batches:
        some = [i for kind, i in batch if kind == "row"]
        if some:
            one.insert(
                {"id": [f"r{i}" for i in some], "time": days([ages[i] for i in some]), "p": [scores[i] for i in some]}
            )
        for source in ("", "b"):
            keys = [key for kind, key in batch if kind == "event" and key[2] == source]
            if keys:
                table = {"id": [f"r{key[0]}" for key in keys], "t": days([key[1] for key in keys])}
                labels = np.array([events[key] for key in keys], dtype=object)
                one.label(table | {"label": labels}, time="t", source=source, orphans="keep")


def oracle(salt, history):
    """Counts of the final set of rows, one by one."""
    scores, ages, events, _ = history
    threshold = decision().threshold
    counts: Counter[tuple[object, ...] | int] = Counter()
    for i, (score, age) in enumerate(zip(scores, ages, strict=True)):
        alarm = score >= threshold
        (u,) = permanent_random_numbers([f"r{i}".encode()], salt)
        drawn = 0.2 if not alarm and u < 0.2 else 0.0
        events_of_row = [(at, source, label) for (row, at, source), label in events.items() if row == i]
        label = max(events_of_row, key=lambda event: event[:2])[2] if events_of_row else None
        period = (START - datetime(1970, 1, 1, tzinfo=UTC)).days + age
        counts[(period, alarm, drawn, -1 if label is None else label)] += 1
    return counts


def tally(lines):
    """Lines of a state without cells."""
    counts: Counter[tuple[object, ...] | int] = Counter()
    for period, _, alarm, propensity, label, count in lines:
        counts[(period, alarm, propensity, label)] += count
    return counts


@settings(max_examples=12, deadline=None)
@given(history=histories())
def test_a_check_is_that_of_the_final_set_of_rows(history):
    require_that_history_is_forgotten(history)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(history=histories())
def test_two_hundred_checks_are_those_of_the_final_set_of_rows(history):
    require_that_history_is_forgotten(history)


def require_that_history_is_forgotten(history):
    """The same counts as one by one, and the same check as of one batch of rows and one of labels."""
    clock = Clock()
    clock.at(100)
    scores, ages, events, _ = history
    rows_, labels = [("row", i) for i in range(len(scores))], [("event", key) for key in events]
    with in_memory() as folder:
        place, other = folder / "w.db", folder / "v.db"
        one, at_once = watch(place, clock), watch(other, clock, name="w")
        deliver(one, history)
        deliver(at_once, (scores, ages, events, [rows_, labels] if labels else [rows_]))
        assert tally(state_of(place)[0]) == oracle("salt", history)
        assert one.check().to_json() == at_once.check().to_json()


def test_columns_come_from_everything_that_holds_rows(tmp_path):
    table = {"id": [1, 2, 3], "time": days([0, 1, 2]), "p": [0.1, 0.5, 0.9]}
    frame = pd.DataFrame(table)
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True, date_format="iso")
    pq.write_table(pa.table(frame), tmp_path / "a.parquet")
    with sqlite3.connect(tmp_path / "rows.db") as other:
        frame.assign(time=frame["time"].astype(str)).to_sql("scores", other, index=False)
    sources: dict[str, tuple[Any, dict[str, Any]]] = {
        "mapping": (table, {}),
        "pandas": (frame, {}),
        "zoned": (frame.assign(time=frame["time"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")), {}),
        "polars": (pl.from_pandas(frame), {}),
        "lazy": (pl.from_pandas(frame).lazy(), {}),
        "arrow": (pa.table(frame), {}),
        "csv": (str(tmp_path / "a.csv"), {}),
        "glob": (str(tmp_path / "*.csv"), {}),
        "jsonl": (tmp_path / "a.jsonl", {}),
        "parquet": (tmp_path / "a.parquet", {}),
        "database": (tmp_path / "rows.db", {"table": "scores"}),
        "batches": (iter([frame[:1], frame[1:]]), {}),
    }
    states = {}
    for name, (source, more) in sources.items():
        place = tmp_path / f"{name}.watch"
        one = watch(place, clock=Clock(datetime(2026, 9, 1, tzinfo=UTC)), sample=0)
        assert one.insert(source, score="p", **more).rows == 3, name
        states[name] = state_of(place)
    assert all(state == states["mapping"] for state in states.values())


def test_calls_are_those_of_the_decision(tmp_path):
    threshold = decision().threshold
    _, scores = reference()
    near = [threshold, np.nextafter(threshold, 0), np.nextafter(threshold, 1)]
    every = np.concatenate([scores, near])
    one = watch(tmp_path / "w.db")
    one.insert(rows(0, every, 0))
    with sqlite3.connect(tmp_path / "w.db") as store:
        calls = dict(store.execute("SELECT id, alarm FROM scored").fetchall())
    expected = decision().apply(every)
    assert [bool(calls[f"r{i}".encode()]) for i in range(every.size)] == expected.tolist()


def test_a_store_is_a_file_of_its_owner_that_is_never_overwritten(tmp_path):
    place = tmp_path / "w.db"
    watch(place)
    assert oct(place.stat().st_mode & 0o777) == "0o600"
    assert [path.name for path in tmp_path.iterdir()] == ["w.db"]
    with pytest.raises(OutputError, match="exists already"):
        watch(place)
    with sqlite3.connect(place) as store:
        store.execute("UPDATE store SET format = 'thresher/watch/2'")
    with pytest.raises(SourceError, match="newer thresher"):
        th.Watch(place)


def test_arguments_that_no_database_holds_are_refused(tmp_path):
    one = watch(tmp_path / "\udcff.db")
    assert one.name == "?"
    one.insert(pd.DataFrame(rows(0, [0.5, 0.9], 0) | {"unread": [1, "a"]}))  # a column of two types is not asked for
    for call, why in (
        (lambda: one.review(2**70), "number must be at most"),
        (lambda: one.acknowledge("\ud800"), "promise must be a text"),
        (lambda: one.label({"id": ["r0"], "label": [1]}, source="a\0b"), "source must be a text"),
        (lambda: one.label({"id": ["r0"], "label": [1]}, orphans=pd.NA), "orphans must be"),
        (lambda: one.check(as_of=pd.NaT), "as_of is no time"),
        (lambda: one.check(as_of="9999-12-31T23:59-14:00"), "as_of is no time"),
    ):
        with pytest.raises(th.ThresherError, match=why):
            call()


def test_files_of_others_are_refused(tmp_path):
    import duckdb

    (tmp_path / "text.db").write_text("hello " * 100)
    duckdb.connect(tmp_path / "duck.db").close()
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE mails (x)")
    for name, why in (("text.db", "no SQLite file"), ("duck.db", "DuckDB"), ("other.db", "another program")):
        with pytest.raises(SourceError, match=why):
            th.Watch(tmp_path / name)
    with pytest.raises(SourceError, match="no store"):
        th.Watch(tmp_path / "absent.db")
    with pytest.raises(ArgumentError, match="cannot be stored"):
        th.Watch("mysql://ann:tulip@host/db")


def refusals():
    at = days([0, 1])
    good = {"id": ["a", "b"], "time": at, "p": [0.1, 0.9]}
    return {
        "missing score": (good | {"p": [0.1, np.nan]}, MissingValueError, "1 of 2 scores"),
        "missing id": (good | {"id": np.array(["a", None], dtype=object)}, MissingValueError, "1 of 2 ids"),
        "missing time": (good | {"time": np.array([at[0], np.datetime64("NaT")])}, MissingValueError, "1 of 2 times"),
        "id twice": (good | {"id": ["a", "a"]}, SourceError, r"1 id is \('a'\) in one batch twice"),
        "no id": (good | {"id": [1.5, 2.5]}, ColumnError, "is no id"),
        "no time": (good | {"time": ["yesterday", "2026-03-01"]}, SourceError, "'yesterday'.*is no time"),
        "number as time": (good | {"time": [1, 2]}, SourceError, "is no time"),
        "times of no calendar": (
            good | {"time": np.array(["-0500-01-01", "2026-03-01"], dtype="M8[us]")},
            SourceError,
            "outside the years 2 to 9998",
        ),
        "a zone before the first year": (good | {"time": ["0001-01-01T00:00+14:00"] * 2}, SourceError, "the years 2"),
        "Arrow's times of no calendar": (
            pa.table(good | {"time": pa.array([2**50, 2**50], pa.timestamp("s"))}),
            SourceError,
            "outside the years 2 to 9998",
        ),
        "entries of two types": (pd.DataFrame(good | {"time": [1, "2026-03-01"]}), SourceError, "is no time"),
        "future": (good | {"time": days([0, 300])}, SourceError, "in the future"),
        "known, another score": ({"id": ["r0"], "time": days([0]), "p": [0.2]}, SourceError, "in the store already"),
    }


@pytest.mark.parametrize("name", refusals())
def test_bad_rows_are_refused_and_nothing_is_written(name, tmp_path):
    clock = Clock()
    clock.at(10)
    one = watch(tmp_path / "w.db", clock)
    one.insert(rows(0, [0.5], 0))
    before = state_of(tmp_path / "w.db")
    table, kind, why = refusals()[name]
    with pytest.raises(kind, match=why):
        one.insert(table)
    assert state_of(tmp_path / "w.db") == before


def test_bad_labels_are_refused_and_nothing_is_written(tmp_path):
    clock = Clock()
    clock.at(10)
    one = watch(tmp_path / "w.db", clock)
    one.insert(rows(0, [0.5, 0.9], 5))
    bad = {
        "before": ({"id": ["r0"], "label": [1], "t": days([4])}, SourceError, "labelled before the score"),
        "third": ({"id": ["r0"], "label": [2], "t": days([6])}, LabelError, "third label"),
        "future": ({"id": ["r0"], "label": [1], "t": days([16])}, SourceError, "in the future"),
        "orphans": ({"id": ["r0", "x", "y"], "label": [1, 0, 1], "t": days([6, 6, 6])}, SourceError, "of no row"),
        "both": ({"id": ["r0", "r0"], "label": [1, 0], "t": days([6, 6])}, SourceError, "twice at one moment"),
    }
    for name, (table, kind, why) in bad.items():
        with pytest.raises(kind, match=why):
            one.label(table, time="t")
        assert all(line[4] == -1 for line in state_of(tmp_path / "w.db")[0]), name


def test_a_label_is_the_last_by_its_time(tmp_path):
    clock = Clock()
    one = watch(tmp_path / "w.db", clock)
    clock.at(20)
    one.insert(rows(0, [0.9], 0))
    first = {"id": ["r0"], "label": [1], "t": days([2])}
    later = {"id": ["r0"], "label": [0], "t": days([6])}
    assert one.label(first, time="t").new == 1
    assert one.label(later, time="t").corrected == 1
    assert one.label(first, time="t").again == 1  # redelivered after the correction
    at = microseconds(START)
    known = {as_of: state_of(tmp_path / "w.db", as_of=at + as_of * 86_400_000_000)[0][0][4] for as_of in (1, 4, 19)}
    assert known == {1: -1, 4: 1, 19: 0}
    assert one.label({"id": ["r0"], "label": [np.nan], "t": days([8])}, time="t").withdrawn == 1
    assert state_of(tmp_path / "w.db")[0][0][4] == -1
    with pytest.raises(SourceError, match="at that moment already"):
        one.label(first | {"label": [0]}, time="t")
    one.label(first | {"label": [0]}, time="t", replace=True)


def test_what_is_overruled_is_counted_and_logged(tmp_path):
    clock = Clock()
    clock.at(5)
    one = watch(tmp_path / "w.db", clock)
    one.insert(rows(0, [0.5, 0.9], 0))
    inserted = one.insert(rows(0, [0.2, 0.9], 0), replace=True)
    assert (inserted.rows, inserted.again, inserted.replaced) == (0, 1, 1)
    first = {"id": ["r0", "r1"], "label": [1, 1], "t": days([2, 2])}
    one.label(first, time="t")
    labelled = one.label(first | {"label": [0, 1]}, time="t", replace=True)
    assert (labelled.corrected, labelled.again, labelled.replaced) == (1, 1, 1)
    (lines,) = state_of(tmp_path / "w.db")
    assert sorted((line[4], line[5]) for line in lines) == [(0, 1), (1, 1)]
    logged = [(batch["kind"], batch["replaced"]) for batch in one.history()["batches"]]
    assert logged == [("label", 1), ("label", 0), ("insert", 1), ("insert", 0), ("create", 0)]


def test_a_label_given_for_a_day_belongs_to_a_score_of_that_day(tmp_path):
    clock = Clock()
    clock.at(3)
    one = watch(tmp_path / "w.db", clock)
    one.insert(rows(0, [0.9], 1.6))
    assert one.label({"id": ["r0"], "label": [True], "t": ["2026-03-02"]}, time="t").new == 1
    assert state_of(tmp_path / "w.db")[0][0][4] == 1


def test_a_declared_zone_makes_days_and_needs_zones(tmp_path):
    clock = Clock(datetime(2026, 11, 1, tzinfo=UTC))
    one = watch(tmp_path / "w.db", clock, zone="Europe/Amsterdam")
    with pytest.raises(SourceError, match="have no zone"):
        one.insert(rows(0, [0.5], 0))
    # A day of 23 hours, from 23:00 UTC to 22:00 UTC.
    at = ["2026-03-28T22:59Z", "2026-03-28T23:00Z", "2026-03-29T21:59Z", "2026-03-29T22:00Z"]
    one.insert({"id": [1, 2, 3, 4], "time": at, "p": [0.1] * 4})
    counts: Counter[tuple[object, ...] | int] = Counter()
    for line in state_of(tmp_path / "w.db")[0]:
        counts[line[0]] += line[5]
    assert counts == {20540: 1, 20541: 2, 20542: 1}
    # A day of 25 hours, from 22:00 UTC to 23:00 UTC.
    at = ["2026-10-24T21:59Z", "2026-10-24T22:00Z", "2026-10-25T22:59Z", "2026-10-25T23:00Z"]
    one.insert({"id": [5, 6, 7, 8], "time": at, "p": [0.1] * 4})
    counts = Counter()
    for line in state_of(tmp_path / "w.db", as_of=END + 60 * 86_400_000_000)[0]:
        counts[line[0]] += line[5]
    assert [counts[day] for day in (20750, 20751, 20752)] == [1, 2, 1]
    with pytest.raises(SourceError, match="have no zone"):
        one.label({"id": [1], "label": [1], "t": ["2026-04-01T10:00"]}, time="t")
    assert one.label({"id": [1], "label": [1], "t": ["2026-04-01T10:00+02:00"]}, time="t").new == 1


def test_odd_ids_are_stored_as_they_are(tmp_path):
    odd = ["a\nb", "nul\0nul", "x" * 10_000, "x" * 9_999 + "y", '"; DROP TABLE scored; --', "=1+1", "\ud800", "ü"]
    one = watch(tmp_path / "w.db")
    table = {"id": np.array(odd, dtype=object), "time": days([0] * len(odd)), "p": [0.9] * len(odd)}
    assert one.insert(table).rows == len(odd)
    assert one.insert(table).again == len(odd)
    assert one.label({"id": table["id"], "label": [1] * len(odd)}).new == len(odd)


def test_decisions_are_never_pooled(tmp_path):
    clock = Clock()
    one = watch(tmp_path / "w.db", clock)
    clock.at(20)
    one.insert(rows(0, [0.2, 0.9], 1))
    labels, scores = reference()
    with pytest.raises(SourceError, match="judged already"):
        one.deploy(decision(9), reference=th.rank(labels, scores), since=START)
    one.deploy(decision(9), reference=th.rank(labels, scores), since="2026-03-11T00:00Z")
    one.insert(rows(2, [0.2, 0.9], 11))
    one.insert(rows(4, [0.2, 0.9], 2))  # late rows belong to the decision of their time
    first, second = state_of(tmp_path / "w.db")
    assert (sum(line[5] for line in first), sum(line[5] for line in second)) == (4, 2)
    assert sum(line[5] for line in first if line[2]) == 2 * int(decision().threshold <= 0.2) + 2


def test_a_row_belongs_to_the_decision_of_its_moment_or_to_the_one_that_a_column_names(tmp_path):
    clock = Clock()
    one = watch(tmp_path / "w.db", clock, sample=0.5)
    clock.at(20)
    one.deploy(decision(9), reference=th.rank(*reference()), since="2026-03-11T12:00Z")  # in the middle of a day
    near = (decision().threshold + decision(9).threshold) / 2  # called positive by the second alone
    one.insert(rows(0, np.full(40, near), np.repeat([10.4, 10.6], 20)))
    first, second = state_of(tmp_path / "w.db")
    assert {line[2] for line in first} == {False}
    assert {(line[0], line[2]) for line in second} == {(first[0][0], True)}
    named = rows(100, np.full(40, near), 10.4) | {"by": [1, 2] * 20}
    assert one.insert(named, decision="by").alarms == 20
    assert one.insert(named, decision="by").again == 40
    with pytest.raises(SourceError, match="another score, time or decision"):
        one.insert(named)
    one.insert(rows(200, np.full(200, 0.01), 3) | {"by": [2] * 200}, decision="by")
    drawn = sum(line[5] for line in state_of(tmp_path / "w.db")[1] if line[3])
    assert 70 < drawn < 130  # by the second one's share, though it was deployed later
    for wrong in (0, 3, 1.5, "x"):
        with pytest.raises(ColumnError, match="is no decision of this watch"):
            one.insert(rows(900, [0.5], 3) | {"by": [wrong]}, decision="by")
    with pytest.raises(SourceError, match="in one batch twice"):
        one.insert({"id": ["a", "a"], "time": days([1, 1]), "p": [0.5, 0.5], "by": [1, 2]}, decision="by")


def test_a_share_that_is_raised_changes_no_earlier_draw(tmp_path):
    clock = Clock()
    one = watch(tmp_path / "w.db", clock, sample=0.1)
    clock.at(20)
    early = rows(0, np.full(2000, 0.01), 1)
    drawn = one.insert(early).drawn
    one.draw(0.5, since="2026-03-11T00:00Z")
    assert one.insert(early).again == 2000
    late = one.insert(rows(2000, np.full(2000, 0.01), 12)).drawn
    (lines,) = state_of(tmp_path / "w.db")
    shares: Counter[float] = Counter()
    for line in lines:
        shares[line[3]] += line[5]
    assert shares == {0.0: 4000 - drawn - late, 0.1: drawn, 0.5: late}
    assert 150 < drawn < 250
    assert 900 < late < 1100
    with pytest.raises(SourceError, match="judged already"):
        one.draw(0.2, since="2026-03-12T00:00Z")


def test_propensities_of_another_system_are_recorded(tmp_path):
    one = watch(tmp_path / "w.db", sample=0)
    table = rows(0, [0.01, 0.02, 0.03, 0.99], 0) | {"pi": [0.25, np.nan, 0.5, np.nan]}
    assert one.insert(table, propensity="pi").drawn == 2
    for wrong in (0, 1.5, -1):
        with pytest.raises(ColumnError, match="outside"):
            one.insert(rows(9, [0.01], 0) | {"pi": [wrong]}, propensity="pi")
    with pytest.raises(ColumnError, match="outside"):
        one.insert(rows(9, [0.01] * 2, 0) | {"pi": np.array([0.5, "x"], dtype=object)}, propensity="pi")


def test_rows_that_need_no_label_are_counted(tmp_path):
    clock = Clock()
    clock.at(5)
    every = watch(tmp_path / "all.db", clock)
    few = watch(tmp_path / "few.db", clock, keep="reviewable")
    _, scores = reference()
    for first in (0, 1000):
        part = rows(first, scores[first : first + 1000], np.arange(1000) / 2000)
        every.insert(part)
        assert few.insert(part).rows == 1000
        assert few.insert(part).again == 1000  # a batch is known by its content
    before = state_of(tmp_path / "few.db")
    assert state_of(tmp_path / "all.db") == before
    for replace in (False, True):  # in another split its counted rows would count twice
        with pytest.raises(SourceError, match="may be counted already"):
            few.insert(rows(0, scores[:900], np.arange(900) / 2000), replace=replace)
    assert state_of(tmp_path / "few.db") == before
    with sqlite3.connect(tmp_path / "few.db") as store:
        ((stored,),) = store.execute("SELECT count(*) FROM scored").fetchall()
    assert stored < 1200


def test_counts_of_an_engine_are_those_of_the_rows(tmp_path):
    clock = Clock()
    clock.at(60)
    every, few = watch(tmp_path / "all.db", clock), watch(tmp_path / "few.db", clock, keep="counted", name="all")
    _, scores = reference()
    table = rows(0, scores, np.arange(2000) // 100)
    every.insert(table)
    columns = {
        "p": scores,
        "called": (scores > 0.5).astype(int),
        "day": table["time"].astype("datetime64[D]").astype(str),
    }
    counts = th.scan(columns, label="called", score="p", by="day", positive=1)
    assert few.count(counts) == 2000
    assert few.insert(table).rows < 1300  # alarms and drawn rows alone
    assert few.count(counts) == 2000  # counting again changes nothing
    assert few.history()["batches"][0]["replaced"] == 2000
    assert few.check().to_json() == every.check().to_json()
    with pytest.raises(ArgumentError, match="counted"):
        every.count(counts)
    with pytest.raises(SourceError, match="counted rows"):
        few.compact(before="2026-03-05T00:00Z")


def test_what_counts_cannot_tell_is_refused(tmp_path):
    clock = Clock()
    clock.at(90)
    ranking = th.rank(*reference())
    counted = watch(tmp_path / "counted.db", clock, keep="counted")
    with pytest.raises(SourceError, match="reaches across the threshold"):
        counted.count({"2026-03-02": condense(ranking, 16)})
    assert counted.count({"2026-03-02": ranking}) == 2000
    counted.deploy(decision(9), reference=ranking, since="2026-03-10T12:00Z")
    with pytest.raises(SourceError, match="two decisions were deployed in the period 2026-03-10"):
        counted.count({"2026-03-09": ranking, "2026-03-10": ranking})
    assert sum(line[5] for epoch in state_of(tmp_path / "counted.db") for line in epoch) == 2000
    every = watch(tmp_path / "every.db", clock)
    every.insert(rows(0, [0.1, 0.9], 1) | {"who": ["a", "a"]}, cluster="who")
    before = state_of(tmp_path / "every.db")
    with pytest.raises(SourceError, match="2 of these rows belong to clusters"):
        every.compact(before="2026-03-20T00:00Z")
    with pytest.raises(ArgumentError, match="holds no watch 'other'"):
        th.Watch(tmp_path / "every.db", name="other")
    assert state_of(tmp_path / "every.db") == before


def test_compaction_leaves_the_counts(tmp_path):
    clock = Clock()
    clock.at(90)
    one = watch(tmp_path / "w.db", clock)
    _, scores = reference()
    at = np.linspace(0, 89, 2000)
    one.insert(rows(0, scores, at))
    some = np.arange(0, 2000, 3)
    labels = {"id": [f"r{i}" for i in some], "label": some % 2, "t": days(at[some] + 1)}
    one.label(labels, time="t")
    before = state_of(tmp_path / "w.db")
    with pytest.raises(SourceError, match="may still get labels"):
        one.compact(before="2026-05-25T00:00Z")
    assert one.compact(before="2026-03-20T00:00Z") > 300
    assert state_of(tmp_path / "w.db") == before
    assert one.insert(rows(0, scores[:5], at[:5])).late == 5
    with pytest.raises(SourceError, match="compacted"):
        one.label({"id": ["r0"], "label": [1], "t": days([20])}, time="t")
    assert state_of(tmp_path / "w.db") == before


def test_a_locked_store_is_busy(tmp_path):
    watch(tmp_path / "w.db")
    one = th.Watch(tmp_path / "w.db", timeout=0.1, clock=Clock())
    with sqlite3.connect(tmp_path / "w.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError, match="is in use"):
            one.insert(rows(0, [0.5], 0))
    one.insert(rows(0, [0.5], 0))


def test_damaged_stores_and_network_disks_are_refused(tmp_path):
    one = watch(tmp_path / "w.db")
    one.insert(rows(0, np.linspace(0, 1, 2000), 0))
    complete = (tmp_path / "w.db").read_bytes()
    (tmp_path / "cut.db").write_bytes(complete[: len(complete) // 2 - 1000])
    with pytest.raises(SourceError, match="damaged"):
        th.Watch(tmp_path / "cut.db").insert(rows(5000, np.linspace(0, 1, 2000), 0))
    for change in (
        "decision SET json = '{'",
        "decision SET cells = '{}'",
        "scored SET cell = 99",
        "watch SET settings = '[]'",
        "sqlite_master SET sql = replace(sql, 'horizon', 'horizom')",  # as a flipped bit does
    ):
        (tmp_path / "odd.db").write_bytes(complete)
        with closing(sqlite3.connect(tmp_path / "odd.db")) as store, store:
            store.execute("PRAGMA writable_schema = ON")
            store.execute(f"UPDATE {change}")
        with pytest.raises(SourceError, match="damaged"):
            th.Watch(tmp_path / "odd.db").check()
    (tmp_path / "null.db").write_bytes(complete)
    for change in ("sqlite_master SET sql = replace(sql, 'NOT NULL', '')", "scored SET cell = NULL"):
        with closing(sqlite3.connect(tmp_path / "null.db")) as store, store:
            store.execute("PRAGMA writable_schema = ON")
            store.execute(f"UPDATE {change}")
    with pytest.raises(SourceError, match=r"damaged.*a number is missing"):
        th.Watch(tmp_path / "null.db").check()
    assert network_disk(tmp_path, "x / nfs4 rw") == "nfs4"
    assert network_disk(tmp_path, "x / ext4 rw\ny /somewhere nfs rw") == ""


def test_settings_that_make_no_sense_are_refused(tmp_path):
    for settings_, why in (
        ({"promises": ["precision > = high"]}, "cannot read"),
        ({"promises": ["prescision >= 0.6"]}, "did you mean precision"),
        ({"promises": ["auc >= 0.6"]}, "cannot promise"),
        ({"promises": ["recall@fpr<=0.1 >= 0.6"]}, "names another"),
        ({"promises": ["recall >= 0.6", "tpr >= 0.5"]}, "promised twice"),
        ({"sample": 1.5}, "sample must lie"),
        ({"matures": "-3d"}, "must be a duration"),
        ({"false_alarms": "rarely"}, "must be a budget"),
        ({"period": "year"}, "period must be"),
        ({"zone": "Amsterdam"}, "no time zone"),
        ({"keep": "some"}, "keep must be"),
        ({"columns": ["amount"]}, "no column"),
        ({"promises": ["log_loss <= 1e400"]}, "can be kept or broken"),
        ({"matures": "9" * 400 + "d"}, "a hundred years at most"),
        ({"false_alarms": "1 in 1" + "0" * 400}, "must be a budget"),
        ({"stretch": 2**63}, "at most 10,000"),
        ({"name": "\ud800"}, "name must be a text"),
        ({"salt": b"x"}, "salt must be a text"),
        ({"timeout": math.nan}, "timeout must lie between"),
        ({"clock": 5}, "clock must be a function"),
        ({"journal": ["wal"]}, 'journal must be "wal" or "delete"'),
    ):
        with pytest.raises(th.ThresherError, match=why):
            watch(tmp_path / "w.db", **settings_)
        assert not list(tmp_path.iterdir())
    with pytest.raises(th.ThresherError, match="no positives"):
        th.Watch.create(tmp_path / "w.db", decision(), reference=th.rank([0, 0], [0.1, 0.2], positive=1))
