"""Alarms that checks raise, until they are acknowledged."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np

from thresher._internal.arguments import require_text
from thresher.errors import SourceError
from thresher.watching.periods import period_numbers
from thresher.watching.storage import schema
from thresher.watching.storage.state import begin_batch, end_batch, read_state
from thresher.watching.storage.store import Store

if TYPE_CHECKING:
    from thresher.watching.check import Alarm, Check


def record_check(store: Store, watch: int, check: Check, raised: list[Alarm]) -> None:
    """Store a check, and alarms that it raises unless another check has."""
    digest = hashlib.sha256(check.to_json().encode()).digest()
    verdicts = {name: one.verdict for name, one in check.promises.items()}
    with store.write():
        for alarm in raised:
            ((open_alarms, number),) = store.query(
                "SELECT count(*) - count(acknowledged), count(*) FROM alarm"
                " WHERE watch = :watch AND decision = :decision AND promise = :promise",
                watch=watch,
                decision=alarm.epoch,
                promise=alarm.promise,
            )
            if not open_alarms:
                store.execute(
                    schema.RAISE_ALARM,
                    watch=watch,
                    decision=alarm.epoch,
                    promise=alarm.promise,
                    number=int(number) + 1,
                    raised=alarm.raised,
                    period=alarm.period,
                    evidence=alarm.evidence,
                )
        store.execute(
            "INSERT INTO look (watch, at, as_of, digest, summary) VALUES (:watch, :at, :as_of, :digest, :summary)"
            " ON CONFLICT (watch, at, digest) DO NOTHING",
            watch=watch,
            at=check.as_of,
            as_of=check.as_of,
            digest=digest,
            summary=json.dumps({"state": check.state, **verdicts}),
        )


def acknowledge_alarms(store: Store, name: str, promise: str, *, note: str, now: int) -> int:
    """Acknowledge the alarms of a promise, inside a transaction; returns how many."""
    for parameter, text in (("promise", promise), ("note", note)):
        require_text(text, name=parameter)
    state = read_state(store, name)
    number, seen = begin_batch(store, state, now)
    (period,) = period_numbers(np.array([seen]), state.settings.period, state.settings.zone_info).tolist()
    done = store.execute(
        "UPDATE alarm SET acknowledged = :seen, restart = :period, note = :note"
        " WHERE watch = :watch AND promise = :promise AND acknowledged IS NULL",
        seen=seen,
        period=period,
        note=note,
        watch=state.number,
        promise=promise,
    )
    if not done:
        unacknowledged = store.query(
            "SELECT DISTINCT promise FROM alarm WHERE watch = :watch AND acknowledged IS NULL ORDER BY promise",
            watch=state.number,
        )
        names = ", ".join(name for (name,) in unacknowledged) or "none"
        raise SourceError(f"there is no alarm of {promise!r} to acknowledge", f"alarms stand of: {names}")
    end_batch(store, state.number, number, seen=seen, kind="acknowledge")
    return done
