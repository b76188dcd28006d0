"""`Watch`: a decision in production, its rows, late labels and promises."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace as replace_fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np

from thresher._internal.arguments import require_function, require_one_of, require_text
from thresher._internal.results import Result
from thresher._internal.text import visible
from thresher.cautions import Caution
from thresher.errors import ArgumentError, ProbabilityError, SourceError, argument
from thresher.evaluation import Decision
from thresher.ranking import Floats, Ranking
from thresher.sources.options import TableName
from thresher.watching.check import Check, assemble
from thresher.watching.cohorts import read_snapshot
from thresher.watching.epoch import FIRST, make_epoch, reference_cautions
from thresher.watching.periods import HOUR, moment_text, period_numbers, single_time, times_of
from thresher.watching.rechoose import Rechoices, choose_again
from thresher.watching.reference import Reference
from thresher.watching.review import Review, choose_rows
from thresher.watching.settings import Settings, require_share
from thresher.watching.storage.alarms import acknowledge_alarms, record_check
from thresher.watching.storage.counts import compact_rows, count_rows
from thresher.watching.storage.ingestion import Inserted, Labelled, insert_labels, insert_rows
from thresher.watching.storage.planning import Rows
from thresher.watching.storage.rows import (
    ROWS,
    decisions_of,
    ids_of,
    labels_of,
    place_of,
    propensities_of,
    row_batches,
    scores_of,
)
from thresher.watching.storage.state import (
    State,
    add_epoch,
    add_share,
    add_watch,
    begin_batch,
    end_batch,
    read_state,
    require_unjudged,
)
from thresher.watching.storage.store import Store, create_file, is_url

Clock: TypeAlias = Callable[[], datetime]
Time: TypeAlias = str | datetime


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Watch(Result):
    """A deployed decision that is watched: what it promised, and counts per period.

    `insert` takes scored rows and `label` late labels, in any order and as often as they are delivered; `check` says of
    every promise whether it holds, is broken, or which labels would tell. The store is one SQLite file, or PostgreSQL
    by its URL.

    >>> from tempfile import TemporaryDirectory
    >>> from thresher import evaluate
    >>> labels, scores = [1, 1, 0, 1, 0, 0] * 20, [0.9, 0.8, 0.6, 0.55, 0.3, 0.2] * 20
    >>> decision = evaluate(labels, scores, seed=1).decision
    >>> reference = {"fraud": labels, "p": scores}
    >>> with TemporaryDirectory() as folder:
    ...     path = f"{folder}/fraud.db"
    ...     watch = Watch.create(path, decision, reference=reference, label="fraud", score="p",
    ...                          promises=["precision >= 0.6"])
    ...     rows = {"tx": [1, 2, 3], "at": ["2026-11-02T10:00Z"] * 3, "p": [0.95, 0.7, 0.1]}
    ...     watch.insert(rows, id="tx", time="at", score="p")
    ...     watch.insert(rows, id="tx", time="at", score="p")
    ...     watch.label({"tx": [1], "fraud": [1]}, id="tx", label="fraud")
    Inserted(rows=3, again=0, replaced=0, late=0, alarms=2, drawn=0)
    Inserted(rows=0, again=3, replaced=0, late=0, alarms=0, drawn=0)
    Labelled(new=1, corrected=0, withdrawn=0, again=0, replaced=0, orphans=0, late=0)
    """

    __slots__ = ("_clock", "_journal", "_name", "_place", "_timeout")

    def __init__(
        self,
        place: str | os.PathLike[str],
        *,
        name: str | None = None,
        timeout: float = 30.0,
        journal: str = "wal",
        clock: Clock | None = None,
    ) -> None:
        require_function(clock, name="clock")
        self._place, self._timeout, self._clock = place, timeout, clock or _utc_now
        self._journal = _require_journal(journal)
        with self._open() as store, store.read():
            if not store.has_tables():
                raise SourceError(f"{store.place} holds no watch", "make one: thresher watch create")
            self._name = read_state(store, name).name

    @classmethod
    def create(
        cls,
        place: str | os.PathLike[str],
        decision: Decision,
        *,
        reference: Any,
        promises: Sequence[str] = (),
        label: str | None = None,
        score: str | None = None,
        positive: Any = None,
        table: TableName | None = None,
        period: str = "day",
        zone: str | None = None,
        matures: str | None = None,
        false_alarms: str = "1 in 365",
        sample: float = 0.0,
        keep: str = "all",
        columns: Sequence[str] = (),
        level: float = 0.95,
        tolerance: float = 0.05,
        stretch: int = 30,
        silent_negative: str | None = None,
        name: str | None = None,
        timeout: float = 30.0,
        journal: str = "wal",
        clock: Clock | None = None,
        salt: str | None = None,
    ) -> Self:
        """Make a watch of a decision.

        `reference` are labelled rows of the decision's model, which it was not learned from: a frame, a file, or counts
        as a `Ranking`. `period` is "hour", "day", "week" or "month", by the clock of `zone`; `matures` the age at which
        labels have come, "45d"; `false_alarms` a budget in periods; `sample` the share of unflagged rows to label;
        `columns` inputs to watch; `keep` "all" rows, "reviewable" ones, or "counted": the rest comes by `count`;
        `tolerance` how far shares of scores and inputs may move; `stretch` how many periods are audited together;
        `silent_negative` the age from which no label means negative. `salt` decides which rows are drawn, and is random
        unless it is given: with it, everybody can tell.
        """
        checked = Settings.checked(
            promises=promises,
            period=period,
            zone=zone,
            matures=matures,
            false_alarms=false_alarms,
            sample=sample,
            keep=keep,
            level=level,
            tolerance=tolerance,
            stretch=stretch,
            columns=columns,
            silent_negative=silent_negative,
        )
        source = Reference(source=reference, label=label, score=score, positive=positive, table=table)
        ranking, labels, cells = source.read(decision, checked.columns)
        checked = replace_fields(checked, labels=labels)
        epoch = make_epoch(
            1,
            decision,
            ranking,
            since=FIRST,
            sample=checked.sample,
            columns=cells,
            probabilities=checked.needs_probabilities,
        )
        made = not is_url(place)
        title = _title(place if made else "watch") if name is None else require_text(name, name="name")
        salt = secrets.token_hex(16) if salt is None else require_text(salt, name="salt")
        require_function(clock, name="clock")
        now = single_time((clock or _utc_now)(), name="clock")
        if made:
            create_file(place)
        try:
            with Store(place, timeout=timeout, journal=_require_journal(journal)) as store:
                with store.write():
                    if not store.has_tables():
                        store.create_tables()
                    add_watch(store, title, checked, epoch, now=now, salt=salt)
                store.use_journal()
        except BaseException:  # an interruption, too
            if made:
                Path(place).unlink(missing_ok=True)
            raise
        return cls(place, name=title, timeout=timeout, journal=journal, clock=clock)

    @property
    def name(self) -> str:
        """The name of the watch."""
        return self._name

    @property
    def settings(self) -> Settings:
        """What it was created with."""
        return self._state().settings

    @property
    def decision(self) -> Decision:
        """The decision that is deployed now."""
        return self._state().epoch.decision

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What a careful analyst would notice about the reference."""
        return reference_cautions(self._state().epoch)

    def insert(
        self,
        rows: Any,
        *,
        id: str = "id",  # noqa: A002 - the word of the field
        time: str = "time",
        score: str | None = None,
        cluster: str | None = None,
        propensity: str | None = None,
        decision: str | None = None,
        table: TableName | None = None,
        source: str = "",
        replace: bool = False,
    ) -> Inserted:
        """Add scored rows; those that are known already are counted and change nothing.

        `rows` is a frame, files, a table of a database, or an iterator of frames; it is read once, 50,000 rows a
        transaction. `cluster` names rows that belong together; `propensity` is the probability with which another
        system drew a row to be labelled, missing for rows that it did not draw. A row belongs to the decision that was
        deployed at its time, unless the column `decision` has the number of another one. The same id with another score
        is refused, unless `replace`.
        """
        state = self._state()
        score = score or state.epoch.decision.model
        inputs = list(state.settings.columns)
        numbers = [one.name for one in state.epoch.columns if one.cuts is not None]
        names = [id, time, score, *(name for name in (cluster, propensity, decision) if name), *inputs]
        scores = [score, *numbers, *(name for name in (propensity, decision) if name)]
        place = require_text(source, name="source") or place_of(rows)
        total = Inserted()
        with self._open() as store:
            for batch in row_batches(rows, names, scores=scores, table=table, rows=ROWS):
                ids = ids_of(batch[id], name=id)
                part = Rows(
                    ids=ids,
                    at=times_of(batch[time], name=time, zoned=state.settings.zone is not None),
                    score=_scores(batch[score], state.settings, name=score),
                    clusters=None if cluster is None else ids_of(batch[cluster], name=cluster).keys,
                    propensity=None
                    if propensity is None
                    else propensities_of(batch[propensity], name=propensity, rows=len(ids.keys)),
                    decision=None
                    if decision is None
                    else decisions_of(batch[decision], name=decision, latest=len(state.epochs)),
                    inputs={name: batch[name] for name in inputs},
                )
                try:
                    total += insert_rows(store, state, part, source=place, now=self._now(), replace=replace)
                except SourceError as error:
                    if not total.rows + total.again:
                        raise
                    before = f"the {total.rows + total.again:,} rows before this batch are stored"
                    fix = f"{error.fix}; {before}, and count once when given again"
                    raise type(error)(error.what, fix, where=error.place) from None
        return total

    def label(
        self,
        rows: Any,
        *,
        id: str = "id",  # noqa: A002 - the word of the field
        label: str = "label",
        time: str | None = None,
        table: TableName | None = None,
        source: str = "",
        replace: bool = False,
        orphans: str = "refuse",
    ) -> Labelled:
        """Add labels; the last one by its time counts, and a missing one withdraws.

        Without `time` labels have the time of their arrival, and the same batch again changes nothing: give times where
        a correction may be taken back. `source` tells reviewers apart. Labels whose ids match
        nothing wait for their rows; more than half of them in a batch are refused, unless `orphans="keep"`.
        """
        require_one_of(orphans, ("refuse", "keep"), name="orphans", fix="leave it out")
        require_text(source, name="source")
        state = self._state()
        total = Labelled()
        with self._open() as store:
            for batch in row_batches(rows, [id, label, *([time] if time else [])], table=table):
                ids = ids_of(batch[id], name=id)
                at = None
                if time is not None:
                    at = times_of(batch[time], name=time, zoned=state.settings.zone is not None)
                codes = labels_of(batch[label], name=label, labels=state.settings.labels)
                total += insert_labels(
                    store,
                    state,
                    ids,
                    at,
                    codes,
                    source=source,
                    place=place_of(rows),
                    now=self._now(),
                    replace=replace,
                    keep_orphans=orphans == "keep",
                )
        return total

    def check(self, *, as_of: Time | None = None, gate: bool = True, record: bool | None = None) -> Check:
        """Say of every promise whether it holds, is broken, or cannot be known yet.

        Limits and alarms hold however often one checks. A former moment (`as_of`) is reproduced as it was, and changes
        nothing; a check of the present is recorded, with alarms that it raises, unless `record` is False. `gate=False`
        judges young cohorts too: labels that have come stand for those that have not, which is refused where delay
        tells the class.
        """
        now = self._now()
        moment = now if as_of is None else _past_time(as_of, now, name="as_of")
        with self._open() as store:
            with store.read():
                snapshot = read_snapshot(store, self._name, as_of=moment, past=as_of is not None)
            if as_of is not None and moment < snapshot.rewritten:
                changed = moment_text(snapshot.rewritten)
                what = f"rows or labels were compacted or replaced at {changed}, and how it was before is gone"
                raise SourceError(what, "ask for a later moment")
            check, raised = assemble(snapshot, gate=gate)
            if record if record is not None else as_of is None:
                record_check(store, snapshot.state.number, check, raised)
        return check

    def review(self, number: int, *, towards: str = "recall") -> Review:
        """Choose which rows to label next, and say what their labels are expected to buy.

        First come rows of the running sample that are due, then rows of the last closed stretch's queue that were
        skipped, then the queue itself, by strata and permanent random numbers: any prefix of a stratum is a simple
        random sample. `towards` "recall" or "cost" asks for rows without alarm, "precision" for alarms.
        """
        with self._open() as store, store.read():
            snapshot = read_snapshot(store, self._name, as_of=self._now(), past=False)
            return choose_rows(store, snapshot, number, towards)

    def rechoose(self) -> Rechoices:
        """Choose the threshold again from what is known today; changes nothing."""
        with self._open() as store, store.read():
            return choose_again(read_snapshot(store, self._name, as_of=self._now(), past=False))

    def acknowledge(self, promise: str, *, note: str = "") -> int:
        """Acknowledge alarms of a promise; its detector restarts with the next period."""
        with self._open() as store, store.write():
            return acknowledge_alarms(store, self._name, promise, note=note, now=self._now())

    def count(self, counts: Mapping[Any, Ranking]) -> int:
        """Store how many rows of each period have which score; returns how many.

        For a watch that keeps "counted" rows: `scan(..., by=...)` counts all rows of a period where they are, and only
        alarms and drawn rows come in by `insert`. Keys are moments or days inside the periods, and the labels of the
        rankings do not matter. Counting a period again replaces its counts.
        """
        with self._open() as store, store.write():
            state = read_state(store, self._name)
            if state.settings.needs_probabilities:
                for ranking in counts.values():
                    ranking.require_probabilities()
            return count_rows(store, state, counts, now=self._now())

    def deploy(
        self,
        decision: Decision,
        *,
        reference: Any,
        since: Time | None = None,
        label: str | None = None,
        score: str | None = None,
        positive: Any = None,
        table: TableName | None = None,
        sample: float | None = None,
    ) -> None:
        """Start an epoch: rows from `since` on belong to this decision alone."""
        state = self._state()
        start = self._now() if since is None else _past_time(since, self._now(), name="since")
        share = state.epoch.sample[-1][1] if sample is None else sample
        require_share(share)
        source = Reference(source=reference, label=label, score=score, positive=positive, table=table)
        ranking, _, columns = source.read(decision, state.settings.columns)
        epoch = make_epoch(
            len(state.epochs) + 1,
            decision,
            ranking,
            since=start,
            sample=share,
            columns=columns,
            probabilities=state.settings.needs_probabilities,
        )
        with self._open() as store, store.write():
            state = read_state(store, self._name)
            require_unjudged(store, state, start)
            number, seen = begin_batch(store, state, self._now())
            if len(state.epochs) + 1 != epoch.number:
                raise SourceError(
                    "another decision was deployed at the same time", "look at it first: thresher watch show"
                )
            add_epoch(store, state.number, epoch, number)
            end_batch(store, state.number, number, seen=seen, kind="deploy")

    def draw(self, sample: float, *, since: Time | None = None) -> None:
        """Draw another share of unflagged rows from a moment on; earlier rows keep theirs."""
        require_share(sample)
        start = self._now() if since is None else _past_time(since, self._now(), name="since")
        with self._open() as store, store.write():
            state = read_state(store, self._name)
            require_unjudged(store, state, start)
            number, seen = begin_batch(store, state, self._now())
            add_share(store, state, float(sample), since=start, batch=number)
            end_batch(store, state.number, number, seen=seen, kind="draw")

    def compact(self, *, before: Time) -> int:
        """Turn rows of periods that end by a moment into counts; returns how many.

        Their labels are final then, and they leave the queue of rows to review.
        """
        moment = single_time(before, name="before")
        with self._open() as store, store.write():
            state = read_state(store, self._name)
            (before_period,) = period_numbers(
                np.array([moment]), state.settings.period, state.settings.zone_info
            ).tolist()
            return compact_rows(store, state, before=before_period, now=self._now())

    def history(self) -> dict[str, Any]:
        """Settings, decisions, the last batches and the last checks, as plain data."""
        with self._open() as store, store.read():
            state = read_state(store, self._name)
            batches = store.query(
                "SELECT number, kind, source, seen, rows, fresh, again, late, replaced FROM batch WHERE watch = :watch"
                " ORDER BY number DESC LIMIT 20",
                watch=state.number,
            )
            checks = store.query(
                "SELECT at, summary FROM look WHERE watch = :watch ORDER BY at DESC LIMIT 20", watch=state.number
            )
        names = ("number", "kind", "source", "seen", "rows", "fresh", "again", "late", "replaced")
        lines = [dict(zip(names, batch, strict=True)) for batch in batches]
        return {
            "watch": state.name,
            "settings": json.loads(state.settings.to_json()),
            "decisions": [
                {
                    "number": epoch.number,
                    "model": epoch.decision.model,
                    "threshold": str(epoch.decision.threshold),
                    "since": None if epoch.since == FIRST else moment_text(epoch.since),
                    "sample": epoch.sample[-1][1],
                }
                for epoch in state.epochs
            ],
            "batches": [line | {"seen": moment_text(line["seen"])} for line in lines],
            "checks": [{"at": moment_text(at), **json.loads(text)} for at, text in checks],
        }

    def _now(self) -> int:
        return single_time(self._clock(), name="clock")

    def _open(self) -> Store:
        return Store(self._place, timeout=self._timeout, journal=self._journal)

    def _state(self) -> State:
        with self._open() as store, store.read():
            return read_state(store, self._name)

    def _brief(self) -> str:
        return f"{self._name!r} in {visible(place_of(self._place))}"


def _past_time(value: Time, now: int, *, name: str) -> int:
    """A moment that has been, by a clock that may be an hour ahead."""
    moment = single_time(value, name=name)
    if moment > now + HOUR:
        what = f"{moment_text(moment)} is in the future, and it is {moment_text(now)}"
        raise ArgumentError(what, f"give a moment that has been, or leave {argument(name)} out", parameter=name)
    return moment


def _title(place: str | os.PathLike[str]) -> str:
    """The name of a file without its suffix, as text."""
    return Path(place).stem.encode(errors="replace").decode()


def _scores(values: Any, settings: Settings, *, name: str) -> Floats:
    """A column of scores; probabilities, where a promise is of squared errors."""
    scores = scores_of(values, name=name)
    outside = np.flatnonzero((scores < 0) | (scores > 1)) if settings.needs_probabilities else scores[:0]
    if outside.size:
        first = scores[int(outside[0])]
        what = (
            f"{outside.size:,} of {scores.size:,} scores in column {name!r} lie outside [0, 1], the first is {first:g}"
        )
        raise ProbabilityError(what, "give probabilities: brier or log_loss is promised of them")
    return scores


def _require_journal(journal: str) -> str:
    require_one_of(journal, ("wal", "delete"), name="journal", fix="leave it out")
    return journal
