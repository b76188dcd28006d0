"""A check of a snapshot: every promise judged, and what explains the verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thresher._internal.results import ReadOnly
from thresher.errors import SourceError
from thresher.inference import Detector, Drift, drift, e_benjamini_hochberg
from thresher.ranking import Counts
from thresher.watching.check.assumptions import calibration_of_labels, class_mix, threshold_state
from thresher.watching.check.cautions import check_cautions
from thresher.watching.check.evidence import Evidence, label_delays, weigh
from thresher.watching.check.ladder import audit_interval, ladders
from thresher.watching.check.promises import PromiseCheck, check_promise
from thresher.watching.check.result import Alarm, Check
from thresher.watching.cohorts import Snapshot
from thresher.watching.epoch import strata_names
from thresher.watching.periods import moment_text
from thresher.watching.settings import SCORES, read_promises

_SILENT_PERIODS = 2


def assemble(snapshot: Snapshot, *, gate: bool = True) -> tuple[Check, list[Alarm]]:
    """The check of a snapshot, and alarms that it raises."""
    state, settings, epoch = snapshot.state, snapshot.state.settings, snapshot.state.epoch
    current = snapshot.current
    delays = label_delays(snapshot)
    if not gate and delays.test is not None and delays.test.differs:
        what = "labels of one class come later than those of the other, so young cohorts would raise false alarms"
        raise SourceError(what, "leave gate=False out")
    evidence = weigh(snapshot, delays, gate=gate)
    known = [
        Alarm(p, int(e), int(r), int(since), float(v), _int(a), note)
        for e, p, _, r, since, v, a, _, note in snapshot.alarms
    ]
    promises = read_promises(settings.promises)
    share = 1 / (len(promises) + 1)  # of the budget of false alarms; the last one is for the scores
    checks: dict[str, PromiseCheck] = {}
    raised: list[Alarm] = []

    def ring(name: str, since: int | None, detected: Detector) -> None:
        if detected.alarm and not snapshot.past_alarms(name)[0]:
            first = snapshot.period if since is None else since
            raised.append(Alarm(name, epoch.number, snapshot.as_of, first, detected.evidence, None, None))

    for promise in promises:
        open_alarm, after = snapshot.past_alarms(promise.name)
        one, outcome = check_promise(
            promise,
            evidence,
            run_length=settings.mean_run,
            share=share,
            after=after,
            open_alarm=open_alarm,
            period=settings.period,
        )
        checks[promise.name] = one
        ring(promise.name, one.since, outcome)
    scores, scores_since = _score_drift(snapshot, share)
    if scores is not None:
        ring(SCORES, scores_since, scores.detector)
    mix = class_mix(epoch, current.take(current.period > snapshot.period - settings.stretch), level=settings.level)
    columns = _column_drift(snapshot, share)
    names = list(columns)
    named: Any = e_benjamini_hochberg([columns[name].e_value for name in names], level=settings.level) if names else []
    counts = _totals(snapshot)
    check = Check(
        watch=state.name,
        as_of=snapshot.as_of,
        settings=settings,
        epoch=epoch.number,
        model=epoch.decision.model,
        threshold=epoch.decision.threshold,
        deployed=epoch.since,
        first_period=int(current.periods[0]) if current.rows.size else None,
        period=snapshot.period,
        promises=ReadOnly(checks),
        alarms=(*known, *raised),
        ladders=ReadOnly(ladders(epoch, evidence, mix)),
        threshold_state=threshold_state(epoch, evidence, mix),
        mix=mix,
        calibration=calibration_of_labels(epoch, evidence),
        drift=scores,
        columns=ReadOnly(columns),
        drifted=tuple(names[i] for i in named),
        delays=delays,
        cohorts=_cohort_table(evidence),
        queue=snapshot.queue,
        audit=audit_interval(snapshot.queue, current, settings.level),
        strata=strata_names(epoch),
        counts=ReadOnly(counts),
        last_row=snapshot.last_row,
        last_label=snapshot.last_label,
        unwatched=_unwatched(snapshot, evidence, checks),
        cautions=check_cautions(snapshot, evidence, delays, mix),
        snapshot=snapshot,
        evidence=evidence,
    )
    return check, raised


def _int(value: Any) -> int | None:
    return None if value is None else int(value)


def _score_drift(snapshot: Snapshot, share: float) -> tuple[Drift | None, int | None]:
    """Whether scores have moved, and since which period.

    Periods up to the last alarm that was acknowledged are left out.
    """
    epoch, current, settings = snapshot.state.epoch, snapshot.current, snapshot.state.settings
    _, after = snapshot.past_alarms(SCORES)
    if after is not None:
        current = current.take(current.period > after)
    if not current.rows.size:
        return None, None
    periods = current.periods
    counts = np.zeros((periods.size, epoch.cells))
    np.add.at(counts, (np.searchsorted(periods, current.period), current.cell), current.rows)
    reference = np.add(*epoch.in_cells(epoch.reference))
    moved = drift(reference, counts, tolerance=settings.tolerance, run_length=settings.mean_run, share=share)
    change = moved.detector.change
    return moved, None if change is None else int(periods[change])


def _column_drift(snapshot: Snapshot, share: float) -> dict[str, Drift]:
    settings, columns = snapshot.state.settings, {}
    for one in snapshot.state.epoch.columns:
        _, counts = snapshot.columns[one.name]
        if counts.size:
            columns[one.name] = drift(
                one.reference,
                counts,
                ordered=one.cuts is not None,
                tolerance=settings.tolerance,
                run_length=settings.mean_run,
                share=share,
            )
    return columns


def _totals(snapshot: Snapshot) -> dict[str, int]:
    current = snapshot.current
    return {
        "rows": current.count(),
        "alarms": current.count(current.alarm),
        "labelled": current.count(current.due & ~current.unknown),
        "positive": current.count(current.due & current.positive),
        "drawn": current.count(current.drawn),
        "reported_misses": current.count(~current.due & current.positive),
        "orphans": snapshot.orphans,
        "labels_before_score": snapshot.early[0] if snapshot.early else 0,
        "corrections": snapshot.corrections,
        "rows_of_all_decisions": sum(one.count() for one in snapshot.cohorts),
    }


def _cohort_table(evidence: Evidence) -> Mapping[str, Counts]:
    """Counts per period: what a control chart is drawn of."""
    every = evidence.every
    periods = every.periods
    mature = np.isin(periods, evidence.mature.periods)
    sums = {
        "rows": np.ones(every.rows.size),
        "alarms": every.alarm,
        "reviewed": every.alarm & ~every.unknown,
        "true_alarms": every.alarm & every.positive,
        "drawn": every.drawn,
        "drawn_labelled": every.drawn & ~every.unknown,
        "drawn_positive": every.drawn & every.positive,
    }
    counted = {name: every.by_period(periods, value).astype(np.int64) for name, value in sums.items()}
    return ReadOnly({"period": periods, **counted, "mature": mature.astype(np.int64)})


def _unwatched(snapshot: Snapshot, evidence: Evidence, checks: Mapping[str, PromiseCheck]) -> str:
    """Why nothing is watched; empty where something is."""
    settings = snapshot.state.settings
    if snapshot.last_row is None:
        return "there are no rows yet"
    current = snapshot.current
    last = int(current.periods[-1]) if current.rows.size else None
    if last is None or snapshot.period - last > _SILENT_PERIODS:
        since = moment_text(snapshot.last_row)
        return f"no rows for {_SILENT_PERIODS} {settings.period}s: the last is of {since}"
    due = evidence.mature.count(evidence.mature.due)
    used = evidence.mature.count(evidence.mature.due & ~evidence.mature.unknown)
    if due and not used and not all(one.promise.of_every_row for one in checks.values()):
        return f"none of {due:,} rows that are old enough has a label"
    if checks and all(one.verdict == "undecided" for one in checks.values()):
        return "every promise is undecided"
    return ""
