"""Killed at any moment, or used by several processes at once, a store is that of some committed state."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from tests.watching.worlds import START, Clock, days, in_memory, reference, rows, watch
from thresher.errors import BusyError, SourceError

ROOT = Path(__file__).parents[2]
# What one scheduled job does: rows, labels, a check and a compaction, again from the start when it was killed.
JOB = """
import sys
from datetime import timedelta
import numpy as np
import thresher as th
from tests.watching.worlds import START, Clock, days, rows
clock = Clock(START + timedelta(days=80))
one = th.Watch(sys.argv[1], clock=clock, timeout=20)
scores = np.random.default_rng(5).random(6000) ** 2
at = np.linspace(0, 79, 6000)
print("ready", flush=True)
for first in range(0, 6000, 2000):
    part = slice(first, first + 2000)
    one.insert(rows(first, scores[part], at[part]))
    take = np.arange(first, first + 2000, 2)
    labels = {"id": [f"r{i}" for i in take], "label": take // 2 % 2, "t": days(at[take] + 0.5)}
    one.label(labels, time="t")
    one.check()
one.compact(before="2026-03-10T00:00Z")
print("done", flush=True)
"""


def start(code, *arguments):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', ROOT / 'src')}"}
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT
    )


def final(place):
    """The check at the end, in a state without a memory of batches."""
    return th.Watch(place, clock=Clock(START + timedelta(days=80))).check(record=False).to_json()


def killed_and_run_again(times, seed):
    chance = random.Random(seed)  # noqa: S311 - when to kill
    with in_memory() as folder:
        answers = []
        for name, kills in (("never.db", 0), ("killed.db", times)):
            place = folder / name
            watch(place, name="w", promises=["precision >= 0.6", "recall >= 0.5"])
            for _ in range(kills):
                job = start(JOB, place)
                assert job.stdout is not None
                assert job.stdout.readline() == "ready\n"
                time.sleep(chance.random())
                job.send_signal(signal.SIGKILL)
                job.wait()
                job.stdout.close()
            job = start(JOB, place)
            assert job.communicate()[0].endswith("done\n")
            answers.append(final(place))
            with sqlite3.connect(place) as store:
                assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            left = {path.name.removesuffix("-wal").removesuffix("-shm") for path in folder.iterdir()}
            assert left <= {"never.db", "killed.db"}
        assert answers[0] == answers[1]


def test_a_job_that_is_killed_and_run_again_ends_as_if_it_never_was():
    killed_and_run_again(1, seed=1)


@pytest.mark.slow
def test_a_job_that_is_killed_thirty_times_ends_as_if_it_never_was():
    killed_and_run_again(30, seed=2)


WRITER = """
import sys
from datetime import timedelta
import thresher as th
from tests.watching.worlds import START, Clock, days, reference, rows
one = th.Watch(sys.argv[1], clock=Clock(START + timedelta(days=30)))
which, batches = int(sys.argv[2]), int(sys.argv[3])
for batch in range(batches):
    first = (which * batches + batch) * 50
    one.insert(rows(first, reference()[1][::40], 1))
    one.label({"id": [f"r{i}" for i in range(first, first + 50)], "label": [1] * 50, "t": days([2] * 50)}, time="t")
"""


def two_writers_and_a_reader(batches, checks):
    """Each check is that of a store into which so many rows and labels were written at once.

    No stretch is closed, for the order of its queue would be that of the ids.
    """
    clock = Clock(START + timedelta(days=30))
    with in_memory() as folder:
        place = folder / "w.db"
        watch(place, promises=["precision >= 0.5"], sample=0, stretch=10_000)
        writers = [start(WRITER, place, which, batches) for which in (0, 1)]
        one = th.Watch(place, clock=clock, timeout=20)
        seen: list[tuple[str, bool]] = []  # with whether alarms were recorded
        while len(seen) < checks or any(writer.poll() is None for writer in writers):
            record = len(seen) % 4 == 0
            seen.append((one.check(record=record).to_json(), record))
        assert [writer.wait() for writer in writers] == [0, 0]
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.close()
        seen.append((one.check().to_json(), True))
        assert json.loads(seen[-1][0])["counts"]["labelled"] > 0
        state = watch(folder / "state.db", clock, name="w", promises=["precision >= 0.5"], sample=0, stretch=10_000)
        known, labelled = 0, 0
        for text, record in dict.fromkeys(seen):
            counts = json.loads(text)["counts"]
            due = counts["labelled"] + counts["reported_misses"]
            assert counts["rows"] % 50 == due % 50 == 0  # complete batches only
            if counts["rows"] > known:
                more = counts["rows"] - known
                state.insert(rows(known, np.tile(reference()[1][::40], more // 50), 1))
            if due > labelled:
                ids = [f"r{i}" for i in range(labelled, due)]
                state.label({"id": ids, "label": [1] * len(ids), "t": days([2] * len(ids))}, time="t")
            known, labelled = counts["rows"], due
            assert state.check(record=record).to_json() == text
        assert (known, labelled) == (100 * batches, 100 * batches)


def test_two_writers_and_a_reader_see_committed_states():
    two_writers_and_a_reader(batches=4, checks=4)


@pytest.mark.slow
def test_two_writers_and_a_reader_for_long():
    two_writers_and_a_reader(batches=150, checks=200)


def test_two_checks_at_once_are_equal():
    code = """
import sys
from datetime import timedelta
import thresher as th
from tests.watching.worlds import START, Clock
print(th.Watch(sys.argv[1], clock=Clock(START + timedelta(days=30))).check().to_json())
"""
    with in_memory() as folder:
        place = folder / "w.db"
        clock = Clock(START + timedelta(days=30))
        one = watch(place, clock, promises=["precision >= 0.9"], false_alarms="1 in 2", sample=0)
        one.insert(rows(0, np.full(400, 0.99), np.arange(400) / 20))
        one.label(
            {"id": [f"r{i}" for i in range(400)], "label": [0] * 400, "t": days(np.arange(400) / 20 + 1)}, time="t"
        )
        both = [start(code, place) for _ in range(2)]
        first, second = (job.communicate()[0] for job in both)
        assert json.loads(first)["alarms"]
        assert first == second


def test_a_batch_that_fails_half_way_leaves_nothing(monkeypatch):
    with in_memory() as folder:
        one = watch(folder / "w.db")
        clock = Clock(START + timedelta(days=30))
        monkeypatch.setattr("thresher.watching.storage.ingestion.end_batch", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            one.insert(rows(0, [0.5], -1))
        monkeypatch.undo()
        assert th.Watch(folder / "w.db", clock=clock).check(record=False).counts["rows"] == 0


def test_a_lost_connection_is_rolled_back_and_shows_no_password(postgres):
    one = watch(postgres.url, name="lost")
    one.insert(rows(0, [0.5], -1))

    def lines():
        yield rows(1, [0.5] * 50_000, -1)
        with postgres.connection() as other:
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        yield rows(50_001, [0.5] * 3, -1)

    with pytest.raises(SourceError, match="connection was lost") as error:
        one.insert(lines())
    assert "tulip" not in str(error.value)
    assert one.check(record=False).counts["rows"] == 50_001
    assert one.insert(rows(50_001, [0.5] * 3, -1)).rows == 3
    impatient = th.Watch(postgres.url, name="lost", timeout=0.2, clock=Clock())
    with postgres.connection() as other, other.transaction():
        other.execute("SELECT pg_advisory_xact_lock(%s)", (0x746872657368,))
        with pytest.raises(BusyError):
            impatient.insert(rows(60_000, [0.5], -1))


def test_a_full_disk_leaves_the_store_as_it_was():
    with in_memory() as folder:
        place = folder / "w.db"
        one = watch(place)
        one.insert(rows(0, np.full(100, 0.5), -1))
        code = """
import resource, sys
import thresher as th
from tests.watching.worlds import Clock, rows
one = th.Watch(sys.argv[1], clock=Clock())
resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, 2 << 20))
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
import numpy as np
try:
    one.insert(rows(1000, np.full(100_000, 0.5), -1))
except th.ThresherError as error:
    print(type(error).__name__, error.what)
"""
        words = start(code, place).communicate()[0]
        assert words.startswith("SourceError"), words
        counts = one.check(record=False).counts
        assert counts["rows"] in (100, 50_100)
        with sqlite3.connect(place) as store:
            assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
