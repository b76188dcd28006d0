"""Exact rankings of Parquet files of any size: rows are read once and dealt into ranges, which are counted in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from thresher._internal.optional import extra
from thresher.inputs.columns import Missing
from thresher.ranking import MOST_THREADS, Flags, Floats, Ranking, condensed, counted, processors
from thresher.ranking.dealing import Ranges, ranges_of, rising
from thresher.ranking.packing import Keys, classes_in, scores_in
from thresher.ranking.pieces import shared_out
from thresher.ranking.spans import Bounded, joined, ties_kept
from thresher.sources.data_file import DataFile
from thresher.sources.dealt_rows import DealtRows
from thresher.sources.exact import ROWS_KEPT, SEGMENTS
from thresher.sources.exact_numbers import RunningNumbers
from thresher.sources.file_tally import Faults, Labels, NeedsEngine, scores_of
from thresher.sources.progress import Listener, RowCount, heard
from thresher.sources.row_groups import sampled_scores, stretches
from thresher.sources.tallies import tallies_of
from thresher.sources.tally import Wanted
from thresher.sources.untied import condensed_untied, untied

ROWS_HELD = 1 << 25
ROWS_IN_RANGE = 1 << 18
MOST_IN_RANGE = 1 << 21
MOST_RANGES = 512
SEGMENTS_PER_RANGE = 1 << 6
_DEEPEST = 8

_TOO_MUCH = 0.9  # of the rows in one of their ranges: dealing tells them not apart

Counted: TypeAlias = tuple[Bounded, RunningNumbers]


def exact_files(
    files: Sequence[DataFile], wanted: Wanted, *, positive: Any, missing: Missing, listener: Listener | None
) -> dict[tuple[str, Any], Ranking]:
    """The exact ranking of each model, condensed where it has more than a few million rows (see `exact_ranking`).

    Files are read once. Rows take 8 bytes each, of which those beyond a limit wait in a temporary file.
    """
    parquet = extra("pyarrow.parquet", name="files")
    pieces = stretches(parquet, files)
    total = sum(piece.rows for piece in pieces)
    labels, threads, done = Labels(), min(processors(), MOST_THREADS), RowCount()
    with ExitStack() as stack:
        models: list[tuple[DealtRows, Faults]] = []
        for name in wanted.scores:
            ranges = _ranges(sampled_scores(parquet, pieces, name), total)
            held = ROWS_HELD // len(wanted.scores)
            models.append((stack.enter_context(DealtRows(ranges, held=held)), Faults()))

        def deal(number: int) -> None:
            for batch in pieces[number].batches(parquet, wanted.columns):
                code = labels.coded(batch[wanted.label])
                if len(labels.known) > 2:
                    raise NeedsEngine
                for (dealt, faults), name in zip(models, wanted.scores, strict=True):
                    kept, score = faults.left(code, *scores_of(batch[name]))
                    dealt.add(kept == 1, score)
                done.rows += len(code)

        with heard(listener, "dealing rows", total=total, rows=lambda: done.rows):
            shared_out(deal, range(len(pieces)), threads)
        found = tallies_of(_table(models, labels), wanted, positive=positive, missing=missing)
        by_name = dict(zip(wanted.scores, models, strict=True))
        rankings = {}
        for (model, group), dropped in zip(found.names, found.dropped, strict=True):
            dealt = by_name[model][0]
            _flag_positives(dealt, labels, found.labels[0])
            rankings[model, group] = _ranking(dealt, dropped=dropped, listener=listener)
        return rankings


def _ranges(sample: Floats, rows: int) -> Ranges:
    """About so many that each is counted within the processor's cache."""
    return ranges_of(sample, min(MOST_RANGES, max(2, 2 * rows // ROWS_IN_RANGE)))


def _table(models: Sequence[tuple[DealtRows, Faults]], labels: Labels) -> Any:
    """What was read as a table such as an engine's: the rows of each label, and those that are at fault."""
    arrow = extra("pyarrow", name="files")
    entries = []
    for number, (dealt, faults) in enumerate(models):
        ones, rows = int(dealt.flagged.sum()), int(dealt.rows.sum())
        found = [(code, 0, cases) for code, cases in ((0, rows - ones), (1, ones)) if cases]
        entries += [(number, *entry) for entry in [*found, *zip(*faults.found(len(labels.known)), strict=True)]]
    model, code, key, cases = np.array(entries, dtype=np.int64).reshape(-1, 4).T
    columns = {"key": key, "cases": cases, "low": np.zeros(key.size), "high": np.zeros(key.size)}
    named = {"label": labels.named(arrow, arrow.array(code))}
    return arrow.table(columns | named | ({"model": model} if len(models) > 1 else {}))


def _flag_positives(dealt: DealtRows, labels: Labels, positive: Any) -> None:
    """Flags are set for the second label so far."""
    if positive is None:  # all that is left is negative, whichever label it has
        if dealt.flagged.any():
            dealt.turn_flags()
    elif labels.known.index(positive) == 0:
        dealt.turn_flags()


def _ranking(dealt: DealtRows, *, dropped: int, listener: Listener | None) -> Ranking:
    """The ranking of dealt rows; running numbers stay with it where it is condensed."""
    rows, done = int(dealt.rows.sum()), RowCount()
    groups = list(_groups(dealt, before=(0, 0)))
    each = None if rows <= ROWS_KEPT else max(SEGMENTS_PER_RANGE, SEGMENTS // len(groups))

    def count(group: _Group) -> list[Counted]:
        found = list(_counted(dealt, group, each))
        done.rows += group.rows
        return found

    with heard(listener, "counting ranges", total=rows, rows=lambda: done.rows):
        found = [part for parts in shared_out(count, groups, min(processors(), MOST_THREADS)) for part in parts]
    running = RunningNumbers()
    running.add_all(numbers for _, numbers in found)
    parts = [part for part, _ in found]
    score, pos, neg, spans = joined(*parts)
    if spans is not None:
        spans = replace(spans, corners=True, ties=ties_kept(*parts), numbers=running.numbers())
    return Ranking.of_segments(score, pos, neg, dropped=dropped, spans=spans)


@dataclass(frozen=True, slots=True)
class _Group:
    """Ranges from `first` up to `end`, how many rows they have, and the positives and negatives of higher score."""

    first: int
    end: int
    rows: int
    before: tuple[int, int]


def _groups(dealt: DealtRows, before: tuple[int, int]) -> Iterator[_Group]:
    """Runs of ranges by falling score, of one sign each and of few enough rows, unless one range alone has more."""
    end = dealt.ranges.count
    tp, fp = before
    while end:
        first = end - 1
        rows = int(dealt.rows[first])
        while first and first != dealt.ranges.negative and rows + int(dealt.rows[first - 1]) <= ROWS_IN_RANGE:
            first -= 1
            rows += int(dealt.rows[first])
        if rows:
            yield _Group(first, end, rows, (tp, fp))
        pos = int(dealt.flagged[first:end].sum())
        tp, fp, end = tp + pos, fp + rows - pos, first


def _counted(dealt: DealtRows, group: _Group, each: int | None, *, deep: int = 0) -> Iterator[Counted]:
    """The segments of a group of ranges, or of parts of them, each with its numbers."""
    negative = group.first < dealt.ranges.negative
    if group.rows <= MOST_IN_RANGE:
        yield _sorted(dealt.keys(group.first, group.end), group.before, each, negative=negative)
    elif (few := _few_scores(dealt.chunks(group.first, rows=MOST_IN_RANGE), negative=negative)) is not None:
        yield _with_numbers(few, group.before, each)
    else:
        yield from _dealt_again(dealt, group, each, negative=negative, deep=deep)


def _sorted(keys: Keys, before: tuple[int, int], each: int | None, *, negative: bool) -> Counted:
    score, positive = _unpacked(rising(keys, partial(scores_in, negative=negative))[::-1], negative=negative)
    first = np.concatenate([[True], score[1:] != score[:-1]])
    if each is not None and first.all():
        cases, running = untied(score, positive), RunningNumbers()
        running.add_untied(cases, before=before)
        return condensed_untied(cases, segments=each), running
    starts = np.flatnonzero(first)
    pos = np.add.reduceat(positive, starts, dtype=np.int64)
    cases_there = np.diff(starts, append=score.size)
    return _with_numbers(Ranking.of_segments(score[starts], pos, cases_there - pos), before, each)


def _unpacked(keys: Keys, *, negative: bool) -> tuple[Floats, Flags]:
    return scores_in(keys, negative=negative).view(np.float64), classes_in(keys).view(np.bool_)


def _with_numbers(found: Ranking, before: tuple[int, int], each: int | None) -> Counted:
    running = RunningNumbers()
    tp, fp = found.covered()
    running.add(found.score, found.pos, found.neg, before=(tp[:-1] + before[0], fp[:-1] + before[1]))
    part = found if each is None else condensed(found, segments=each)
    return (part.score, part.pos, part.neg, part.spans), running


def _few_scores(chunks: Iterator[Keys], *, negative: bool) -> Ranking | None:
    """The ranking of many rows that share scores; None where they share too few."""
    found: Ranking | None = None
    for keys in chunks:
        score, flags = _unpacked(keys, negative=negative)
        part = Ranking.of_segments(*counted(flags, score))
        found = part if found is None else found + part
        if len(found) > MOST_IN_RANGE // 2:
            return None
    return found


def _dealt_again(dealt: DealtRows, group: _Group, each: int | None, *, negative: bool, deep: int) -> Iterator[Counted]:
    """The segments of a range that holds too many rows, from ranges of its own."""
    ranges = _ranges(_unpacked(dealt.sample(group.first), negative=negative)[0], group.rows)
    with DealtRows(ranges, held=MOST_IN_RANGE) as parts:
        for keys in dealt.chunks(group.first, rows=ROWS_IN_RANGE):
            score, flags = _unpacked(keys, negative=negative)
            parts.add(flags, score)
        if deep == _DEEPEST or int(parts.rows.max()) > _TOO_MUCH * group.rows:
            raise NeedsEngine
        for part in _groups(parts, group.before):
            yield from _counted(parts, part, each, deep=deep + 1)
