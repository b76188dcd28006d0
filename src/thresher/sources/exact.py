"""Exact rankings of any size, range by range: rows come in pieces that fit, and only what matters of them is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from thresher._internal.optional import extra
from thresher.errors import SourceError
from thresher.ranking import Counts, Flags, Ranges, Ranking, has_all_ties, merge_segments, shorten
from thresher.sources.database import Opened
from thresher.sources.engine_numbers import at_least, at_most
from thresher.sources.engine_values import is_one_of
from thresher.sources.exact_numbers import RunningNumbers
from thresher.sources.progress import Listener
from thresher.sources.tallies import Tallies
from thresher.sources.tally import Wanted, healthy, prepared

ROWS_AT_ONCE = 1 << 22
ROWS_KEPT = 1 << 22
SEGMENTS = 1 << 17
SEGMENTS_PER_RANGE = 1 << 10


@dataclass(frozen=True, slots=True)
class Range:
    """Segments from `first` up to `end`, their scores from `low` to `high`, and how many rows have these."""

    first: int
    end: int
    low: float
    high: float
    rows: int


Fetch: TypeAlias = Callable[[Sequence[Range]], Iterator[Ranking]]


def exact_ranking(tallies: Tallies, index: int, fetch: Fetch, *, rows_at_once: int) -> Ranking:
    """The exact ranking of one model and group, from its rows, a range of scores at a time.

    Where that would keep more than a few million scores, the ranking is condensed: pairs won, hull and choices stay
    exact (see `shorten`), and so do the numbers that are sums over scores in order, which are added up on the way.
    """
    bounded = tallies.ranking_of(index)
    spans = bounded.ranges
    if spans is None or bounded.exact:
        return bounded
    rows = _rows_per_segment(tallies, index, bounded)
    several = spans.low < spans.high
    whole = int(rows[several].sum()) <= ROWS_KEPT
    ranges = list(_ranges(bounded, rows, several, rows_at_once))
    fetched = np.zeros(len(bounded), dtype=np.bool_)
    for one in ranges:
        fetched[one.first : one.end] = True
    alone, (tp, fp), running = np.flatnonzero(~fetched), bounded.covered(), RunningNumbers()
    parts = [_untouched(bounded, alone)] if alone.size else []
    running.add(bounded.score[alone], bounded.pos[alone], bounded.neg[alone], before=(tp[alone], fp[alone]))
    each = max(SEGMENTS_PER_RANGE, SEGMENTS // max(1, len(ranges)))
    for one, found in zip(ranges, fetch(ranges), strict=True):
        above = [covered[:-1] + start[one.first] for covered, start in zip(found.covered(), (tp, fp), strict=True)]
        running.add(found.score, found.pos, found.neg, before=(above[0], above[1]))
        part = found if whole else shorten(found, each, keep="hull")
        parts.append((part.score, part.pos, part.neg, part.ranges))
        del above, part
    score, pos, neg, joint = merge_segments(*parts)
    if joint is not None:
        # What an engine's sums of weights leave open in the last digit stays with the bounds.
        numbers = {} if bounded.weighted else running.numbers()
        rounding = max(joint.rounding, spans.rounding)  # weights of a range were added up here, in any order
        joint = replace(joint, corners=True, ties=has_all_ties(*parts), rounding=rounding, numbers=numbers)
    return Ranking.of_segments(score, pos, neg, dropped=bounded.dropped, ranges=joint)


def engine_rankings(
    engine: Opened, tallies: Tallies, index: int, ranges: Sequence[Range], *, listener: Listener | None, most: int
) -> Iterator[Ranking]:
    """The exact ranking of the rows within each range, one query for each."""
    for at, one in enumerate(ranges):
        stage = f"range {at + 1} of {len(ranges)}"
        yield _ranked(engine, tallies, index, one, stage=stage, listener=listener, most=most)


def _rows_per_segment(tallies: Tallies, index: int, bounded: Ranking) -> Counts:
    if tallies.weight is None:
        return bounded.pos + bounded.neg
    plain = replace(tallies, weight=None).ranking_of(index)
    return plain.pos + plain.neg


def _untouched(ranking: Ranking, at: Counts) -> Any:
    spans = ranking.ranges
    if spans is None:
        return ranking.score[at], ranking.pos[at], ranking.neg[at], None
    pos_low, pos_high, neg_low, neg_high = (end[at] for end in spans.ends)
    kept = Ranges(pos_low, pos_high, neg_low, neg_high, rounding=spans.rounding)
    return ranking.score[at], ranking.pos[at], ranking.neg[at], kept


def _ranges(ranking: Ranking, rows: Counts, wanted: Flags, most: int) -> Iterator[Range]:
    """Runs of segments that hold all wanted ones, by falling score.

    None has more than so many rows unless one segment alone has, and none begins or ends with an unwanted one.
    """
    at = np.flatnonzero(wanted)
    tops = ranking.score if ranking.ranges is None else ranking.ranges.high
    before = np.concatenate([[0], np.cumsum(rows)])
    while at.size:
        first = int(at[0])
        last = int(np.searchsorted(before, before[first] + most, side="right")) - 1  # the first that is too much
        inside = at[at < max(last, first + 1)]
        end = int(inside[-1]) + 1
        yield Range(first, end, float(ranking.score[end - 1]), float(tops[first]), int(before[end] - before[first]))
        at = at[inside.size :]


def _ranked(
    engine: Opened, tallies: Tallies, index: int, one: Range, *, stage: str, listener: Listener | None, most: int
) -> Ranking:
    """The exact ranking of the rows within a range; rows that share a score are counted in the engine if too many."""
    wanted = tallies.wanted
    model, group = tallies.names[index]
    single = Wanted(wanted.label, (model,), wanted.weight, wanted.by)
    ibis = extra("ibis", name="sql")
    rows = prepared(engine.table, single)
    weighted = wanted.weight is not None
    inside = healthy(ibis, rows, weighted=weighted)
    inside &= at_least(ibis, rows.x, one.low) & at_most(ibis, rows.x, one.high)
    keys = (group,) if len(wanted.by) == 1 else group
    for i, key in enumerate(keys):
        column = rows[f"by{i}"]
        inside &= column.isnull() if key is None else is_one_of(ibis, column, [key])
    positive = tallies.labels[0]
    flag = ibis.literal(False) if positive is None else is_one_of(ibis, rows.label, [positive])
    chosen = rows.filter(inside).select(positive=flag, x=rows.x, **({"w": rows.w} if weighted else {}))
    if one.rows > most:
        sums = {"w": chosen.w.sum()} if weighted else {}
        chosen = chosen.group_by("positive", "x").aggregate(cases=chosen.count().cast("int64"), **sums)
    found = engine.answer(chosen, stage=stage, listener=listener)
    flags, x = found["positive"].to_numpy(), found["x"].to_numpy()
    cases = found["cases"].to_numpy() if one.rows > most else None
    _require_unchanged(engine.place, one.rows, x.size if cases is None else int(cases.sum()))
    if weighted:
        return Ranking.count(flags, x, found["w"].to_numpy())
    if cases is None:
        return Ranking.count(flags, x)
    return Ranking(x, np.where(flags, cases, 0), np.where(flags, 0, cases))


def _require_unchanged(place: str, before: int, now: int) -> None:
    if before != now:
        raise SourceError(
            f"{place} changed while it was read: of {before:,} rows counted within a range, {now:,} are there now",
            fix="scan rows that nobody writes to, such as those of past days or a snapshot",
        )
