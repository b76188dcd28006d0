import time

import thresher as th
from thresher.sources.progress import heard


def test_work_is_told_while_it_lasts_and_when_it_is_done():
    told: list[th.Progress] = []
    with heard(told.append, "counting", total=100, share=lambda: 0.25):
        time.sleep(1.2)
    assert [one.rows for one in told[:-1]] == [25] * (len(told) - 1)
    assert len(told) >= 2
    assert told[-1].rows == 100
    assert told[-1].rate is not None


def test_an_engine_that_does_not_say():
    told: list[th.Progress] = []
    with heard(told.append, "counting", total=None, share=lambda: None):
        pass
    assert told[-1].rows is None
    assert told[-1].rate is None


def test_nobody_listens():
    with heard(None, "counting", total=None, share=lambda: None):
        pass
