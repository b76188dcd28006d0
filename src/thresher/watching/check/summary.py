"""A check in words: one line per promise, then what else there is to know."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from thresher._internal.text import count_text, in_words, interval_text, number_text, visible
from thresher.inference import Interval
from thresher.watching.check.promises import PromiseCheck
from thresher.watching.periods import period_text
from thresher.watching.settings import OF_MISSES, SCORES

if TYPE_CHECKING:
    from thresher.watching.check.result import Check

_WORDS = {"broken": "BROKEN", "holds": "holds", "undecided": "undecided"}


def summary(check: Check) -> str:
    """The text that `print(check)` shows."""
    return "\n".join(visible(line) for line in _lines(check))


def headline(check: Check) -> str:
    """The verdicts of all promises in one sentence."""
    names = {verdict: [spoken(one) for one in check.promises.values() if one.verdict == verdict] for verdict in _WORDS}
    silent = check.state == "not watched"
    parts = [f"not watched: {check.unwatched}"] if silent else []
    if broken := names["broken"]:
        parts.append(f"{in_words(broken)} {'is' if len(broken) == 1 else 'are'} not what was promised")
    if holds := names["holds"]:
        parts.append(f"{in_words(holds)} {'holds' if len(holds) == 1 else 'hold'}")
    if (unknown := names["undecided"]) and not (silent and len(unknown) == len(check.promises)):
        parts.append(f"{in_words(unknown)} cannot be known yet")
    if SCORES in _open_alarms(check):
        parts.append("scores have moved")
    if check.unwatched and not silent:
        parts.append(check.unwatched)
    words = "; ".join(parts) or "nothing is promised"
    return f"{words[0].upper()}{words[1:]}."


def reasons(check: Check) -> Iterator[str]:
    """A sentence for each promise that is broken or cannot be known yet."""
    for one in check.promises.values():
        if one.verdict == "broken":
            interval, since = one.interval, "since it was deployed"
            if one.recent is not None and one.since is not None:
                interval, since = one.recent, f"since about {period_text(one.since, check.settings.period)}"
            yield f"{spoken(one)} {limits(interval)} {since}; {asked(one)} was promised."
        elif one.verdict == "undecided":
            yield f"{spoken(one)}: {one.because}."


def next_steps(check: Check) -> Iterator[str]:
    """What to do, the most urgent first; nothing where every promise holds."""
    alarms = _open_alarms(check)
    broken = [one.promise.name for one in check.promises.values() if one.verdict == "broken"]
    if broken or alarms:
        yield _MENDING.get(check.remedy or "") or _look_since(check)
    if alarms:
        yield f"then, for {in_words(alarms)}: thresher watch acknowledge"
    elif broken:
        yield f"once it is mended, limits of {in_words(broken)} start again with thresher watch deploy"
    unknown = [one for one in check.promises.values() if one.verdict == "undecided" and not one.promise.of_every_row]
    of_alarms = [one for one in unknown if one.promise.quantity == "precision"]
    if of_alarms and of_alarms[0].labels.due:
        yield f"label {count_text(of_alarms[0].labels.due, 'alarm')}: thresher watch review --towards precision"
    elif _needs_draw(check):
        yield "draw rows without alarm to be labelled: thresher watch review --sample 0.01"
    elif due := max((one.labels.due for one in unknown), default=0):
        yield f"label {count_text(due, 'row')} that are old enough: thresher watch review"


_MENDING = {
    "move the threshold": "choose the threshold again: thresher watch rechoose",
    "recalibrate": "mend the probabilities (thresher calibrate), then thresher watch deploy",
    "refit": "learn the model again from newer rows, then thresher watch deploy",
}


def _needs_draw(check: Check) -> bool:
    """Whether rows without alarm would tell of a promise, and none are drawn any more."""
    shares = [share for _, share in check.epoch_of.sample]
    by_another = not any(shares) and check.evidence.least > 0
    needs = any(one.promise.quantity in OF_MISSES for one in check.promises.values())
    return needs and not shares[-1] and not by_another


def _look_since(check: Check) -> str:
    """Where to look, as long as labels do not tell what mends it."""
    since = [one.since for one in check.promises.values() if one.verdict == "broken" and one.since is not None]
    since += [alarm.period for alarm in check.alarms if alarm.promise in _open_alarms(check)]
    words = f"look at rows since {period_text(min(since), check.settings.period)}" if since else "look at the rows"
    moved = f", of which {in_words(check.drifted)} moved" if check.drifted else ""
    return f"{words}{moved}; thresher watch rechoose says which threshold would be chosen today"


def _open_alarms(check: Check) -> list[str]:
    """What alarms of the decision that is deployed stand of."""
    alarms = [alarm for alarm in check.alarms if alarm.acknowledged is None and alarm.epoch == check.epoch]
    return list(dict.fromkeys(alarm.promise for alarm in alarms))


def spoken(one: PromiseCheck) -> str:
    """The name of a promise in a sentence."""
    return one.promise.name.replace("_", " ")


def asked(one: PromiseCheck) -> str:
    """The limit of a promise in words."""
    return f"at {'least' if one.promise.above else 'most'} {one.promise.value:g}"


def cells(one: PromiseCheck, period: str) -> tuple[str, ...]:
    """A promise as cells: promise, recent, all, verdict, evidence, because."""
    recent = "–"
    if one.verdict == "broken" and one.recent is not None and one.since is not None:
        recent = f"{limits(one.recent)} since {period_text(one.since, period)}"
    return str(one.promise), recent, limits(one.interval), _WORDS[one.verdict], odds_text(one.evidence), one.because


def limits(interval: Interval) -> str:
    """An interval; one without an estimate by its ends alone, unless it says nothing."""
    if not math.isnan(interval.estimate):
        return interval_text(interval.estimate, interval.lower, interval.upper)
    if math.isnan(interval.lower):
        return "–"
    return f"[{number_text(interval.lower, 2)}, {number_text(interval.upper, 2)}]"


def odds_text(evidence: float) -> str:
    """Evidence against a promise to one, large ones as powers of ten.

    >>> odds_text(1120), odds_text(2.4e34), odds_text(0.02)
    ('1,120:1', '10³⁴:1', '1:50')
    """
    if not evidence > 0:
        return "–"
    if evidence < 1:
        return f"1:{min(1 / evidence, 1e9):,.0f}"
    if evidence < 1e6:
        return f"{evidence:,.0f}:1"
    power = str(math.floor(math.log10(evidence))).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{power}:1"


def _lines(check: Check) -> Iterator[str]:
    period, settings = check.settings.period, check.settings
    counts = check.counts
    yield f"{check.watch}: {headline(check)}"
    span = int(check.cohorts["period"].size)
    budget = f"budget {settings.false_alarms} {period}s"
    yield f"{count_text(span, period)}, {counts['rows']:,} rows, {counts['alarms']:,} alarms; {budget}"
    if check.promises:
        rows: list[tuple[str, ...]] = [("promise", "now", "since the start", "verdict", "evidence", "because")]
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
    """What to do next, and what else a reader has to know, by name."""
    for n, words in enumerate(next_steps(check)):
        yield "" if n else "next", words
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
