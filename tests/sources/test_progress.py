import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from thresher.sources import progress
from thresher.sources.progress import report_progress


def test_work_is_reported_while_it_lasts_and_when_it_is_done():
    reports: list[th.sources.Progress] = []
    with report_progress(reports.append, "counting", total=100, rows=lambda: 25):
        time.sleep(1.2)
    assert [one.rows for one in reports[:-1]] == [25] * (len(reports) - 1)
    assert len(reports) >= 2
    assert reports[-1].rows == 100
    assert reports[-1].rate is not None


def test_an_engine_that_does_not_say():
    reports: list[th.sources.Progress] = []
    with report_progress(reports.append, "counting", total=None, rows=lambda: None):
        pass
    assert reports[-1].rows is None
    assert reports[-1].rate is None


def test_nobody_listens():
    with report_progress(None, "counting", total=None, rows=lambda: None):
        pass


@pytest.mark.parametrize("seconds", [0, 1.2])
def test_a_listener_that_fails_is_named_as_itself(seconds):
    def fails(_):
        return 1 / 0

    with pytest.raises(th.errors.ArgumentError, match="progress= raised ZeroDivisionError") as raised:
        reported_for(fails, seconds)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def reported_for(listener, seconds):
    with report_progress(listener, "counting", total=10, rows=lambda: None):
        time.sleep(seconds)


def test_work_that_fails_is_raised_before_its_listener():
    with pytest.raises(KeyError), report_progress(lambda _: 1 / 0, "counting", total=10, rows=lambda: None):
        raise KeyError


@pytest.mark.parametrize("seconds", [0, 0.7])
def test_a_listener_may_break_off(seconds):
    def breaks(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reported_for(breaks, seconds)


def test_a_listener_that_failed_is_not_asked_again():
    asked = []

    def fails(now):
        asked.append(now)
        raise ValueError("no more")

    with pytest.raises(th.errors.ArgumentError, match="no more"):
        reported_for(fails, 1.3)
    assert len(asked) == 1


def test_rows_are_reported_while_they_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.002)
    rows = np.random.default_rng(0).random(2_000_000)
    pq.write_table(pa.table({"y": rows < 0.3, "p": rows}), tmp_path / "rows.parquet")
    reports: list[th.sources.Progress] = []
    th.scan(tmp_path / "rows.parquet", label="y", score="p", exact=False, progress=reports.append)
    assert {one.total for one in reports} == {2_000_000}
    assert any(one.rows is not None and 0 < one.rows < 2_000_000 for one in reports)
    assert reports[-1].rows == 2_000_000
