"""A check in words: one line per promise, then what else there is to know."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from thresher._internal.text import count_text, interval_text, number_text, visible
from thresher.inference import Interval
from thresher.watching.check.promises import PromiseCheck
from thresher.watching.periods import period_text
from thresher.watching.settings import SCORES

if TYPE_CHECKING:
    from thresher.watching.check.result import Check

_WORDS = {"broken": "BROKEN", "holds": "holds", "undecided": "undecided"}


def summary(check: Check) -> str:
    """The text that `print(check)` shows."""
    return "\n".join(visible(line) for line in _lines(check))


def headline(check: Check) -> str:
    """The verdicts of all promises in one sentence."""
    number = {verdict: sum(one.verdict == verdict for one in check.promises.values()) for verdict in _WORDS}
    parts = []
    if number["broken"]:
        parts.append(f"{count_text(number['broken'], 'promise')} broken")
    if number["holds"]:
        parts.append(f"{number['holds']} {'holds' if number['holds'] == 1 else 'hold'}")
    if number["undecided"]:
        parts.append(f"{number['undecided']} cannot be known yet")
    words = ", ".join(parts) or "nothing is promised"
    if any(
        alarm.promise == SCORES and alarm.epoch == check.epoch and alarm.acknowledged is None for alarm in check.alarms
    ):
        words += "; SCORES HAVE MOVED"
    return f"{check.watch}: {words}" + (f"; NOT WATCHED: {check.unwatched}" if check.unwatched else "")


def cells(one: PromiseCheck, period: str) -> tuple[str, ...]:
    """A promise as cells: promise, recent, all, verdict, evidence, because."""
    recent = "–"
    if one.verdict == "broken" and one.recent is not None and one.since is not None:
        recent = f"{limits(one.recent)} since {period_text(one.since, period)}"
    return str(one.promise), recent, limits(one.interval), _WORDS[one.verdict], odds(one.evidence), one.because


def limits(interval: Interval) -> str:
    """An interval; one without an estimate by its ends alone, unless it says nothing."""
    if not math.isnan(interval.estimate):
        return interval_text(interval.estimate, interval.lower, interval.upper)
    if math.isnan(interval.lower):
        return "–"
    return f"[{number_text(interval.lower, 2)}, {number_text(interval.upper, 2)}]"


def odds(evidence: float) -> str:
    """Evidence against a promise, to one: 1,120:1 or 1:40."""
    if not evidence > 0:
        return "–"
    if evidence >= 1:
        return f"{min(evidence, 1e9):,.0f}:1"
    return f"1:{min(1 / evidence, 1e9):,.0f}"


def _lines(check: Check) -> Iterator[str]:
    period, settings = check.settings.period, check.settings
    counts = check.counts
    yield headline(check)
    span = int(check.cohorts["period"].size)
    budget = f"budget {settings.false_alarms} {period}s"
    yield f"{count_text(span, period)}, {counts['rows']:,} rows, {counts['alarms']:,} alarms; {budget}"
    if check.promises:
        rows: list[tuple[str, ...]] = [("promise", "now", "all", "verdict", "evidence", "because")]
        rows += [cells(one, period) for one in check.promises.values()]
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        yield ""
        for row in rows:
            yield "  ".join(
                [*(text.ljust(width) for text, width in zip(row[:5], widths, strict=True)), row[5]]
            ).rstrip()
    yield ""
    for name, text in facts(check):
        yield f"{name:<12} {text}"


def facts(check: Check) -> Iterator[tuple[str, str]]:
    """What else a reader has to know, by name."""
    yield from _of_threshold(check)
    if check.drift is not None and check.drift.alarm:
        now, before = check.drift.share, check.drift.reference
        yield "scores", f"have moved: {now:.3g} of rows lie above a cut that {before:.3g} were above"
    if check.drifted:
        moved = "has moved" if len(check.drifted) == 1 else "have moved"
        yield "columns", f"{', '.join(check.drifted)} {moved}"
    for step, cost in zip(check.ladder("recall"), check.ladder("expected_cost"), strict=True):
        shown = f"recall {limits(step.interval)}, cost {limits(cost.interval)}"
        yield f"step {step.step}", f"{'refuted' if step.refuted else shown} if {step.assumption}"
    if check.audit is not None:
        first, last = (period_text(number, check.settings.period) for number in (check.queue.first, check.queue.last))
        yield "audit", f"recall {limits(check.audit)} from {first} to {last}, by its queue"
    if not math.isnan(check.delays.age):
        how = "declared" if check.delays.declared else "estimated"
        orphans = count_text(check.counts["orphans"], "orphan")
        yield "labels", f"have come after {check.delays.age / 24:.3g} days ({how}); {orphans}"
    for alarm in check.alarms:
        if alarm.acknowledged is None:
            since = period_text(alarm.period, check.settings.period)
            yield "alarm", f"{alarm.promise} since {since}, until thresher watch acknowledge"
    for caution in check.cautions:
        yield "!", f"{caution.text}  ({caution.code})"


def _of_threshold(check: Check) -> Iterator[tuple[str, str]]:
    state, mix = check.threshold_state, check.mix
    if (band := state.band) is not None:
        words = {"raise": "raising it pays, whatever else is assumed", "pays": "they pay"}
        verdict = words.get(band.verdict, "undecided")
        right = f"of the lowest alarms {limits(band.precision)} are right"
        yield "threshold", f"{right}, and they pay from {band.break_even:.3g} on: {verdict}"
    if mix is not None:
        text = f"{limits(mix.interval)} if classes look as before (not refuted)"
        if mix.test.refuted:
            text = "not known: scores refute that classes look as before"
        if state.holds_from is not None and state.holds_to is not None:
            text += f"; threshold holds from {number_text(state.holds_from)} to {number_text(state.holds_to)}"
        if state.regret is not None:
            text += f"; regret {number_text(state.regret.lower)} to {number_text(state.regret.upper)} a row"
        yield "class ratio", text
    if state.change is not None and state.cost is not None:
        remedy = "not surely more" if check.remedy == "none" else f"what mends most: {check.remedy}"
        yield "cost", f"{limits(state.cost)} a row, {state.change.promised:.3g} when it was deployed: {remedy}"
