"""The state of a watch: settings, decisions, and numbered batches."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass

import numpy as np

from thresher.errors import ArgumentError, OutputError, SourceError, argument
from thresher.watching.epoch import Epoch, read_epoch
from thresher.watching.periods import moment_text, period_numbers
from thresher.watching.settings import Settings
from thresher.watching.storage.store import Store, damaged

NEVER = -(2**62)  # a moment before all others


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A watch as its store has it: settings, epochs, and the number of its last batch."""

    number: int
    name: str
    salt: str
    settings: Settings
    horizon: int | None
    last: int
    seen: int
    epochs: tuple[Epoch, ...]

    @property
    def epoch(self) -> Epoch:
        """The decision that is deployed now."""
        return self.epochs[-1]


def read_state(store: Store, name: str | None, *, as_of: int | None = None) -> State:
    """The state of a watch, now or at a former moment."""
    watches = store.query("SELECT number, name, salt, settings, horizon, batch FROM watch ORDER BY number")
    names = [line[1] for line in watches]
    if name is None and len(names) != 1:
        what = f"{store.place} holds {len(names)} watches" + (f": {', '.join(names[:10])}" if names else "")
        raise ArgumentError(what, f"pass {argument('name', ...)}", parameter="name")
    if name is not None and name not in names:
        what = f"{store.place} holds no watch {name!r}"
        raise ArgumentError(what, f"it holds {', '.join(names[:10]) or 'none'}", parameter="name")
    number, title, salt, settings, horizon, last = watches[names.index(name) if name is not None else 0]
    seen = _last_seen(store, number)
    if as_of is not None:
        ((last, seen),) = store.query(
            "SELECT coalesce(max(number), 0), coalesce(max(seen), 0) FROM batch"
            " WHERE watch = :watch AND seen <= :as_of",
            watch=number,
            as_of=as_of,
        )
    decisions = store.query(
        "SELECT number, json, reference, cells, since, sample FROM decision"
        " WHERE watch = :watch AND batch <= :last ORDER BY number",
        watch=number,
        last=last,
    )
    if not decisions:
        first = store.query("SELECT min(seen) FROM batch WHERE watch = :watch", watch=number)[0][0]
        raise SourceError(f"{title!r} was made at {moment_text(first)}", "ask for a later moment")
    try:
        epochs = tuple(
            read_epoch(n, text, bytes(blob), cells=cells, since=since, sample=share, last=last)
            for n, text, blob, cells, since, share in decisions
        )
        read = Settings.from_json(settings)
    except (ValueError, TypeError, LookupError, AttributeError, zlib.error):  # what was written was whole
        raise damaged(store.place, "a decision or the settings cannot be read") from None
    return State(number, title, salt, read, horizon, int(last), int(seen), epochs)


def _last_seen(store: Store, watch: int) -> int:
    ((seen,),) = store.query("SELECT coalesce(max(seen), 0) FROM batch WHERE watch = :watch", watch=watch)
    return int(seen)


def begin_batch(store: Store, state: State, now: int) -> tuple[int, int]:
    """The number and the moment of the next batch; the moment never falls."""
    ((last,),) = store.query("SELECT batch FROM watch WHERE number = :watch", watch=state.number)
    return int(last) + 1, max(now, _last_seen(store, state.number))


def end_batch(
    store: Store,
    watch: int,
    number: int,
    *,
    seen: int,
    kind: str,
    source: str = "",
    content: bytes = b"",
    rows: int = 0,
    fresh: int = 0,
    again: int = 0,
    late: int = 0,
    replaced: int = 0,
) -> None:
    """Record a batch, and what became of its rows."""
    counts = {"rows": rows, "fresh": fresh, "again": again, "late": late, "replaced": replaced}
    store.execute(
        "INSERT INTO batch (watch, number, content, kind, source, seen, rows, fresh, again, late, replaced)"
        " VALUES (:watch, :number, :content, :kind, :source, :seen, :rows, :fresh, :again, :late, :replaced)",
        watch=watch,
        number=number,
        content=content,
        kind=kind,
        source=source,
        seen=seen,
        **counts,
    )
    store.execute("UPDATE watch SET batch = :number WHERE number = :watch", number=number, watch=watch)


def is_known(store: Store, state: State, content: bytes) -> bool:
    """Whether a batch of the same content was committed before."""
    known = "SELECT 1 FROM batch WHERE watch = :watch AND content = :content LIMIT 1"
    return bool(store.query(known, watch=state.number, content=content))


def read_again(store: Store, state: State) -> State:
    """The state, read again where decisions, shares or periods have changed."""
    changed = (
        "SELECT 1 FROM batch WHERE watch = :watch AND number > :last AND kind IN ('deploy', 'draw', 'compact') LIMIT 1"
    )
    return read_state(store, state.name) if store.query(changed, watch=state.number, last=state.last) else state


def add_watch(store: Store, name: str, settings: Settings, epoch: Epoch, *, now: int, salt: str) -> None:
    """Add a watch with its first decision."""
    if store.query("SELECT 1 FROM watch WHERE name = :name", name=name):
        raise OutputError(f"{store.place} holds a watch {name!r} already", f"pass another {argument('name')}")
    ((number,),) = store.query("SELECT coalesce(max(number), 0) + 1 FROM watch")
    store.execute(
        "INSERT INTO watch (number, name, salt, settings, horizon, batch)"
        " VALUES (:number, :name, :salt, :settings, NULL, 1)",
        number=number,
        name=name,
        salt=salt,
        settings=settings.to_json(),
    )
    add_epoch(store, number, epoch, 1)
    end_batch(store, number, 1, seen=now, kind="create")


def add_epoch(store: Store, watch: int, epoch: Epoch, batch: int) -> None:
    """Add a decision that is deployed."""
    store.execute(
        "INSERT INTO decision (watch, number, json, reference, cells, since, sample, batch)"
        " VALUES (:watch, :number, :json, :reference, :cells, :since, :sample, :batch)",
        watch=watch,
        number=epoch.number,
        json=epoch.decision.to_json(),
        reference=epoch.reference_bytes(),
        cells=epoch.cells_json(),
        since=epoch.since,
        sample=json.dumps([(at, share, batch) for at, share in epoch.sample]),
        batch=batch,
    )


def add_share(store: Store, state: State, share: float, *, since: int, batch: int) -> None:
    """Add a share of rows that are drawn from a moment on."""
    place = {"watch": state.number, "number": state.epoch.number}
    ((text,),) = store.query("SELECT sample FROM decision WHERE watch = :watch AND number = :number", **place)
    store.execute(
        "UPDATE decision SET sample = :shares WHERE watch = :watch AND number = :number",
        shares=json.dumps([*json.loads(text), (since, share, batch)]),
        **place,
    )


def require_unjudged(store: Store, state: State, start: int) -> None:
    """Refuse a moment after which rows were judged already."""
    if start <= state.epoch.since:
        what = f"the decision that is deployed holds since {moment_text(state.epoch.since)}"
        raise ArgumentError(what, "give a later moment", parameter="since")
    ((rows, latest),) = store.query(
        "SELECT count(*), max(at) FROM scored WHERE watch = :watch AND at >= :start",
        watch=state.number,
        start=start,
    )
    first = period_numbers(np.array([start]), state.settings.period, state.settings.zone_info)
    ((counted,),) = store.query(
        "SELECT coalesce(sum(rows), 0) FROM tally WHERE watch = :watch AND period >= :first",
        watch=state.number,
        first=int(first[0]),
    )
    if rows or counted:
        last = "" if latest is None else f", up to {moment_text(latest)}"
        what = f"{int(rows) + int(counted):,} rows since {moment_text(start)} are judged already{last}"
        raise SourceError(what, f"give {argument('since')} a moment after them")
