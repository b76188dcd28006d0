"""Plans of what a batch of rows or labels does to a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import SourceError, argument
from thresher.inference import permanent_random_numbers
from thresher.ranking import Counts, Floats
from thresher.watching.epoch import Epoch
from thresher.watching.periods import HOUR, moment_text, period_numbers
from thresher.watching.storage.rows import Identified, group_by_columns
from thresher.watching.storage.schema import UNLABELLED
from thresher.watching.storage.state import State

_SHOWN = 3


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A batch of scored rows, checked."""

    ids: Identified
    at: Counts
    score: Floats
    clusters: list[bytes] | None
    propensity: Floats | None
    decision: Counts | None
    inputs: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class RowPlan:
    """Rows with all that a store keeps of them; `n` is their place in the batch."""

    ids: Identified
    n: Counts
    at: Counts
    period: Counts
    score: Floats
    cell: Counts
    alarm: Counts
    u: Floats
    propensity: Floats
    decision: Counts
    clusters: list[bytes] | None
    stored: Counts  # positions, among those above, of rows that become rows of the store
    again: int
    late: int

    def staged(self, positions: Counts) -> dict[str, list[Any]]:
        """Columns of the temporary table."""
        at = self.n[positions].tolist()
        columns: dict[str, list[Any]] = {"id": [self.ids.keys[i] for i in at], "n": positions.tolist()}
        for name in ("at", "period", "score", "cell", "alarm", "u", "propensity", "decision"):
            columns[name] = getattr(self, name)[positions].tolist()
        if self.clusters is not None:
            columns["cluster"] = [self.clusters[i] for i in at]
        if self.ids.long:
            columns["long_id"] = [self.ids.long.get(i) for i in at]
        return columns

    def tally(self, positions: Counts) -> list[dict[str, Any]]:
        """Counts of rows that are not stored by themselves."""
        if not positions.size:
            return []
        columns = {name: getattr(self, name)[positions] for name in ("decision", "period", "cell", "alarm")}
        first, group = group_by_columns(list(columns.values()))
        counts = {name: values[first].tolist() for name, values in columns.items()}
        counts["rows"] = np.bincount(group).tolist()
        lines = [dict(zip(counts, line, strict=True)) for line in zip(*counts.values(), strict=True)]
        return [{**line, "propensity": 0.0, "label": UNLABELLED} for line in lines]


def plan_rows(rows: Rows, state: State, now: int) -> RowPlan:
    """What becomes of rows: their period, cell, call and draw."""
    epochs, settings, horizon = state.epochs, state.settings, state.horizon
    require_past(rows.at, now, "row", rows.ids)
    n, again = _distinct(rows)
    at, score = rows.at[n], rows.score[n]
    period = period_numbers(at, settings.period, settings.zone_info)
    late = np.zeros(n.size, dtype=np.bool_) if horizon is None else period < horizon
    if late.any():
        n, at, score, period = n[~late], at[~late], score[~late], period[~late]
    place = _deployed(epochs, at) if rows.decision is None else rows.decision[n] - 1
    cell, alarm = np.zeros(n.size, dtype=np.int64), np.zeros(n.size, dtype=np.int64)
    share, number = np.zeros(n.size), np.zeros(n.size, dtype=np.int64)
    for i, epoch in enumerate(epochs):
        here = np.flatnonzero(place == i)
        if not here.size:
            continue
        cell[here] = epoch.cell_of(score[here])
        alarm[here] = epoch.alarms(score[here])
        share[here] = epoch.shares(at[here])
        number[here] = epoch.number
    keys = rows.ids.keys
    u = permanent_random_numbers(keys if n.size == len(keys) else [keys[i] for i in n.tolist()], state.salt)
    if rows.propensity is None:
        propensity = np.where((alarm == 0) & (u < share), share, 0.0)
    else:
        propensity = np.where(alarm == 0, rows.propensity[n], 0.0)
    reviewable = np.ones(n.size, dtype=np.bool_) if settings.keep == "all" else (alarm == 1) | (propensity > 0)
    return RowPlan(
        ids=rows.ids,
        n=n,
        at=at,
        period=period,
        score=score,
        cell=cell,
        alarm=alarm,
        u=u,
        propensity=propensity,
        decision=number,
        clusters=rows.clusters,
        stored=np.flatnonzero(reviewable),
        again=again,
        late=int(late.sum()),
    )


def _deployed(epochs: Sequence[Epoch], at: Counts) -> Counts:
    """The place of the decision that was deployed at each time."""
    since = np.array([epoch.since for epoch in epochs], dtype=np.int64)
    return np.maximum(np.searchsorted(since, at, side="right") - 1, 0).astype(np.int64)


def _distinct(rows: Rows) -> tuple[Counts, int]:
    """Places of rows without repetitions; the same id with another score is refused."""
    keys = rows.ids.keys
    if len(set(keys)) == len(keys):
        return np.arange(len(keys)), 0
    first: dict[bytes, int] = {}
    differ = []
    columns = [rows.score, rows.at] + ([] if rows.decision is None else [rows.decision])
    for i, key in enumerate(keys):
        j = first.setdefault(key, i)
        if any(values[i] != values[j] for values in columns):
            differ.append(i)
    if differ:
        what = f"{examples(rows.ids, differ)} in one batch twice, with another score, time or decision"
        raise SourceError(what, "give each row once")
    return np.array(list(first.values()), dtype=np.int64), len(keys) - len(first)


@dataclass(frozen=True, slots=True, eq=False)
class LabelPlan:
    """Labels of one batch, each once; `n` is their place in the batch."""

    ids: Identified
    n: Counts
    at: Counts
    labels: Counts
    source: str
    again: int

    def staged(self, positions: Counts) -> dict[str, list[Any]]:
        """Columns of the temporary table; a withdrawn label is NULL."""
        at = self.n[positions]
        return {
            "id": [self.ids.keys[i] for i in at.tolist()],
            "at": self.at[at].tolist(),
            "source": [self.source] * at.size,
            "label": [None if label == UNLABELLED else label for label in self.labels[at].tolist()],
            "n": positions.tolist(),
        }


def plan_labels(ids: Identified, at: Counts, labels: Counts, *, source: str, now: int, replace: bool) -> LabelPlan:
    """Labels without repetitions; of two at one moment the last may replace."""
    require_past(at, now, "label", ids)
    keys = list(zip(ids.keys, at.tolist(), strict=True))
    if len(set(keys)) == len(keys):
        return LabelPlan(ids, np.arange(len(keys)), at, labels, source, 0)
    last: dict[Any, int] = {}
    differ = []
    for i, key in enumerate(keys):
        if key in last and labels[i] != labels[last[key]]:
            differ.append(i)
        if key not in last or replace:
            last[key] = i
    if differ and not replace:
        what = f"{examples(ids, differ)} labelled twice at one moment, differently"
        raise SourceError(what, "give a correction a later time")
    n = np.array(sorted(last.values()), dtype=np.int64)
    return LabelPlan(ids, n, at, labels, source, len(keys) - n.size)


def require_past(at: Counts, now: int, noun: str, ids: Identified) -> None:
    """Refuse times more than an hour ahead of the clock."""
    ahead = np.flatnonzero(at > now + HOUR)
    if ahead.size:
        latest = moment_text(int(at[ahead].max()))
        what = f"{examples(ids, ahead.tolist())} in the future, up to {latest}, and it is {moment_text(now)}"
        fix = f"check the time zone of {argument('time')}: times without one are UTC"
        raise SourceError(what, fix if noun == "row" else f"{fix}; a label has the time at which it was given")


def examples(ids: Identified, places: Sequence[int]) -> str:
    """How many ids, and three of them, as the subject of a sentence."""
    from thresher._internal.results import shorten

    shown = ", ".join(repr(shorten(ids.text(i), 40)) for i in places[:_SHOWN])
    more = ", …" if len(places) > _SHOWN else ""
    return f"{len(places):,} {'id is' if len(places) == 1 else 'ids are'} ({shown}{more})"
