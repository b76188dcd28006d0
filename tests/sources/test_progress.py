import time

import pytest

import thresher as th
from thresher.sources.progress import heard


def test_work_is_told_while_it_lasts_and_when_it_is_done():
    told: list[th.Progress] = []
    with heard(told.append, "counting", total=100, rows=lambda: 25):
        time.sleep(1.2)
    assert [one.rows for one in told[:-1]] == [25] * (len(told) - 1)
    assert len(told) >= 2
    assert told[-1].rows == 100
    assert told[-1].rate is not None


def test_an_engine_that_does_not_say():
    told: list[th.Progress] = []
    with heard(told.append, "counting", total=None, rows=lambda: None):
        pass
    assert told[-1].rows is None
    assert told[-1].rate is None


def test_nobody_listens():
    with heard(None, "counting", total=None, rows=lambda: None):
        pass


@pytest.mark.parametrize("seconds", [0, 1.2])
def test_a_listener_that_fails_is_told_as_itself(seconds):
    def fails(_):
        return 1 / 0

    with pytest.raises(th.ArgumentError, match="progress= raised ZeroDivisionError") as raised:
        heard_for(fails, seconds)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def heard_for(listener, seconds):
    with heard(listener, "counting", total=10, rows=lambda: None):
        time.sleep(seconds)


def test_work_that_fails_is_told_before_its_listener():
    with pytest.raises(KeyError), heard(lambda _: 1 / 0, "counting", total=10, rows=lambda: None):
        raise KeyError


@pytest.mark.parametrize("seconds", [0, 0.7])
def test_a_listener_may_break_off(seconds):
    def breaks(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        heard_for(breaks, seconds)


def test_a_listener_that_failed_is_not_asked_again():
    asked = []

    def fails(now):
        asked.append(now)
        raise ValueError("no more")

    with pytest.raises(th.ArgumentError, match="no more"):
        heard_for(fails, 1.3)
    assert len(asked) == 1
