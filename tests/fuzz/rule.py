"""The rule for hostile input: the right number, or an error that says what and how to fix it."""

from __future__ import annotations

import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import thresher as th
from tests.fuzz.answers import Answers

PATIENCE = 60  # seconds after which a call counts as hanging, on a busy machine too


class HangError(BaseException):
    """A call that takes longer than anything so small may take; no `except Exception` swallows it."""


def judge(answers: Answers, kind: str, call: Callable[[], Any], right: Callable[[Any], bool]) -> None:
    """Count one call, and note it if its value is wrong, or if it ends in another way than by `ThresherError`."""
    try:
        with warnings.catch_warnings(), _patience():
            warnings.simplefilter("error")
            value = call()
            shown = str(value)[:200]
    except th.ThresherError as error:
        answers.check(_is_clear(error), f"{kind}: an error without words: {error!r}")
    except (Exception, HangError):  # noqa: BLE001 - whatever it is, it is what the harness searches for
        answers.check(False, f"{kind}: {traceback.format_exc(limit=-3)}")
    else:
        answers.check(right(value), f"{kind}: the answer is {shown}")


def _is_clear(error: th.ThresherError) -> bool:
    return bool(error.what.strip()) and bool(error.fix.strip()) and len(str(error)) < 4_000


@contextmanager
def _patience() -> Iterator[None]:
    """Raise `HangError` in a call that does not come back."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise HangError(f"no answer in {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
