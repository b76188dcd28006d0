"""`Check`: what is known of every promise now, and what to do about it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from thresher._internal.results import ReadOnly, Tabular
from thresher.cautions import Caution
from thresher.errors import ArgumentError, SourceError
from thresher.inference import (
    CalibrationEvidence,
    DelayTest,
    Detector,
    Drift,
    Interval,
    Step,
    delay_test,
    drift,
    e_benjamini_hochberg,
)
from thresher.inference.anytime.maturity import maturity
from thresher.ranking import Counts
from thresher.watching.assumptions import (
    Mix,
    ThresholdState,
    audit_interval,
    calibration_of_labels,
    class_mix,
    recall_ladder,
    threshold_state,
)
from thresher.watching.cautions import check_cautions
from thresher.watching.cohorts import Cohorts, Queue, Snapshot
from thresher.watching.epoch import Epoch, strata_names
from thresher.watching.periods import HOUR, duration, moment_text, period_numbers, period_text
from thresher.watching.promises import Evidence, PromiseCheck, check_promise
from thresher.watching.settings import SCORES, Settings, read_promises

if TYPE_CHECKING:
    from thresher.report.watching import Chart

State: TypeAlias = Literal["broken", "holds", "undecided", "not watched"]
_SILENT_PERIODS = 2


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm of a promise, and what became of it."""

    promise: str
    epoch: int
    raised: int
    period: int
    evidence: float
    acknowledged: int | None
    note: str | None

    def to_dict(self, period: str) -> dict[str, Any]:
        """Plain data."""
        return {
            "promise": self.promise,
            "epoch": self.epoch,
            "raised": moment_text(self.raised),
            "since": period_text(self.period, period),
            "evidence": self.evidence,
            "acknowledged": None if self.acknowledged is None else moment_text(self.acknowledged),
            "note": self.note,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Delays:
    """The age at which labels have come, and whether it tells the class."""

    age: float  # hours; NaN where it is not known
    declared: bool
    plateau: float
    labels: int
    test: DelayTest | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Check(Tabular):
    """What a watch knows of its promises at a moment.

    `promises` are judged one by one, `alarms` were raised now or before and stand until they are acknowledged. The rest
    says why: `ladder("recall")` gives what each assumption tells, `threshold_state` whether the threshold is still the
    cheapest, `mix` the class ratio from scores, `calibration`, `drift` of scores and `columns`, `delays` of labels, and
    `audit` the recall of the last closed stretch, from the labelled prefix of its queue.
    """

    watch: str
    as_of: int
    settings: Settings
    epoch: int
    model: str
    threshold: float
    deployed: int
    first_period: int | None
    period: int
    promises: Mapping[str, PromiseCheck]
    alarms: tuple[Alarm, ...]
    steps: tuple[Step, ...]
    threshold_state: ThresholdState
    mix: Mix | None
    calibration: CalibrationEvidence | None
    drift: Drift | None
    columns: Mapping[str, Drift]
    drifted: tuple[str, ...]
    delays: Delays
    cohorts: Mapping[str, Counts]
    queue: Queue
    audit: Interval | None
    strata: tuple[str, ...]
    counts: Mapping[str, int]
    last_row: int | None
    last_label: int | None
    unwatched: str
    cautions: tuple[Caution, ...]
    snapshot: Snapshot
    evidence: Evidence

    @property
    def epoch_of(self) -> Epoch:
        """The decision that is deployed, with its reference."""
        return self.snapshot.state.epoch

    @property
    def state(self) -> State:
        """The verdict on all promises together."""
        verdicts = {one.verdict for one in self.promises.values()}
        if "broken" in verdicts or any(
            alarm.acknowledged is None and alarm.epoch == self.epoch for alarm in self.alarms
        ):
            return "broken"
        if self.unwatched:
            return "not watched"
        return "undecided" if "undecided" in verdicts else "holds"

    @property
    def exit_code(self) -> int:
        """What `thresher watch check` leaves with: 0, 1 (broken) or 3 (not watched)."""
        return {"broken": 1, "not watched": 3}.get(self.state, 0)

    @property
    def decision_holds(self) -> bool | None:
        """Whether the threshold is still the cheapest; None where that is not known."""
        return self.threshold_state.decision_holds

    @property
    def regret(self) -> Interval | None:
        """Limits of what the threshold costs too much per row, if classes look as before."""
        return self.threshold_state.regret

    @property
    def remedy(self) -> str | None:
        """What mends the largest part of a higher cost; None where labels are too few."""
        return None if self.threshold_state.change is None else self.threshold_state.change.remedy

    def ladder(self, quantity: str = "recall") -> tuple[Step, ...]:
        """What each assumption tells of recall; refuted ones have no limits."""
        if quantity not in ("recall", "tpr"):
            raise ArgumentError(f"there is no ladder of {quantity!r}", 'ask for ladder("recall")')
        return self.steps

    def frame(self) -> Any:
        """A row per promise."""
        return self.to_frame()

    def _columns(self) -> Mapping[str, Any]:
        every = list(self.promises.values())
        return {
            "promise": [str(one.promise) for one in every],
            "verdict": [one.verdict for one in every],
            "estimate": [one.interval.estimate for one in every],
            "lower": [one.interval.lower for one in every],
            "upper": [one.interval.upper for one in every],
            "evidence": [one.evidence for one in every],
            "labels": [one.labels.used for one in every],
            "because": [one.because for one in every],
        }

    def chart(self, name: str) -> Chart:
        """The numbers of a picture of the page, as columns with a `frame()`.

        The control chart of a promise has its name; others are "bands", "ladder", "class_ratio", "regret",
        "calibration", "calibration_path", "maturity", "cohorts", "scores", "columns", "volume" and "queue".
        """
        from thresher.report.watching import chart

        return chart(self, name)

    def to_html(self, path: str | PathLike[str]) -> None:
        """Write everything as one self-contained HTML file; needs the extra `report`."""
        from thresher.report.watching import write_watch_page

        write_watch_page(self, path)

    def to_dict(self) -> dict[str, Any]:
        """Plain data after the published schema, thresher/check/1."""
        from thresher.watching.plain import check_dict

        return check_dict(self)

    def to_json(self) -> str:
        """JSON: the same bytes for the same state at the same moment."""
        return json.dumps(self.to_dict(), allow_nan=False, indent=1, ensure_ascii=False)

    @staticmethod
    def schema() -> dict[str, Any]:
        """The published JSON schema of a check.

        >>> Check.schema()["title"]
        'thresher check'
        """
        schema = resources.files("thresher.watching").joinpath("check.schema.json")
        return dict(json.loads(schema.read_text(encoding="utf-8")))

    def __str__(self) -> str:
        from thresher.watching.summary import summary

        return summary(self)

    def _brief(self) -> str:
        return f"{self.watch!r} {self.state} at {moment_text(self.as_of)}"


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
        steps=recall_ladder(epoch, evidence, mix),
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


def label_delays(snapshot: Snapshot) -> Delays:
    """The age of maturity, declared or estimated, and the test of delays by class."""
    settings, ages = snapshot.state.settings, snapshot.ages
    declared = settings.matures is not None
    labelled = ages.label >= 0
    labels = int(ages.rows[labelled].sum())
    age, plateau = math.nan, math.nan
    if ages.rows.size:
        counts = [np.where(part, ages.rows, 0) for part in (labelled, ~labelled)]
        known = maturity(ages.hours, *counts)
        plateau, age = known.plateau, known.age_of_maturity
    if declared:
        age = duration(str(settings.matures), name="matures") / HOUR
    test = None
    if not math.isnan(age) and labelled.any():
        old = ages.period <= _last_mature(snapshot, age)
        parts = [np.where(old & (ages.label == label), ages.rows, 0) for label in (1, 0)]
        if parts[0].any() and parts[1].any():
            test = delay_test(ages.hours, *parts)
    return Delays(age, declared, plateau, labels, test)


def _last_mature(snapshot: Snapshot, age: float) -> int:
    """The last period that is as old as labels take to come."""
    settings = snapshot.state.settings
    latest = snapshot.as_of - round(age * HOUR)
    return (
        int(period_numbers(np.array([latest]), settings.period, settings.zone_info)[0]) - 1
    )  # the one before that of the moment has ended


def weigh(snapshot: Snapshot, delays: Delays, *, gate: bool) -> Evidence:
    """The counts that promises are judged by: mature cohorts apart from young ones."""
    epoch, current = snapshot.state.epoch, snapshot.current
    if math.isnan(delays.age):
        mature = np.zeros(current.rows.size, dtype=np.bool_)
    elif gate:
        mature = current.period <= _last_mature(snapshot, delays.age)
    else:  # what is labelled counts, and what waits is young
        mature = ~current.due | ~current.unknown
    least, drawn_from = _draw(snapshot, current)
    return Evidence(
        mature=current.take(mature),
        young=current.take(~mature),
        every=current,
        least=least,
        drawn_from=drawn_from,
        level=snapshot.state.settings.level,
        condition=epoch.decision.condition,
    )


def _draw(snapshot: Snapshot, cohorts: Cohorts) -> tuple[float, int]:
    """The least probability of a draw, and the first period with one for all."""
    settings, epoch = snapshot.state.settings, snapshot.state.epoch
    recorded = cohorts.propensity[cohorts.drawn]
    shares = [share for _, share in epoch.sample if share > 0]
    if not shares and not recorded.size:
        return 0.0, 0
    least = min([*shares, *recorded.tolist()])
    if not shares:  # drawn by another system
        return least, int(cohorts.period[cohorts.drawn].min())
    first = next(at for at, share in epoch.sample if share > 0)
    if first == epoch.since:
        return least, -(2**62)
    return least, int(period_numbers(np.array([first]), settings.period, settings.zone_info)[0]) + 1


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
    if due and not used and any(one.promise.quantity != "predicted_positive_rate" for one in checks.values()):
        return f"none of {due:,} rows that are old enough has a label"
    if checks and all(one.verdict == "undecided" for one in checks.values()):
        return "every promise is undecided"
    return ""
