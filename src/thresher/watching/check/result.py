"""`Check`: what is known of every promise now, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from thresher._internal.results import Tabular
from thresher.cautions import Caution
from thresher.errors import ArgumentError
from thresher.inference import (
    CalibrationEvidence,
    Drift,
    Interval,
    Step,
)
from thresher.ranking import Counts
from thresher.tables.quantities import quantity as parse
from thresher.watching.check.assumptions import (
    Mix,
    ThresholdState,
)
from thresher.watching.check.evidence import Delays, Evidence
from thresher.watching.check.promises import PromiseCheck
from thresher.watching.cohorts import Queue, Snapshot
from thresher.watching.epoch import Epoch
from thresher.watching.periods import moment_text, period_text
from thresher.watching.settings import Settings, promise_name

if TYPE_CHECKING:
    from thresher.report.watching import Chart

State: TypeAlias = Literal["broken", "holds", "undecided", "not watched"]


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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Check(Tabular):
    """What a watch knows of its promises at a moment.

    `promises` are judged one by one, `alarms` were raised now or before and stand until they are acknowledged. The rest
    says why: `ladder("recall")` gives what each assumption tells, also of expected_cost, fpr, tnr and npv;
    `threshold_state` whether the threshold is still the cheapest, `mix` the class ratio from scores, `calibration`,
    `drift` of scores and `columns`, `delays` of labels, and `audit` the recall of the last closed stretch, from the
    labelled prefix of its queue.
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
    ladders: Mapping[str, tuple[Step, ...]]
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
        """What mends the largest part of a higher cost; "none" if it is not surely higher."""
        return self.threshold_state.remedy

    def ladder(self, quantity: str = "recall") -> tuple[Step, ...]:
        """What each assumption tells of a quantity; refuted ones have no limits."""
        name = promise_name(parse(quantity).name)
        if name not in self.ladders:
            raise ArgumentError(f"there is no ladder of {name!r}", f"ask for one of {', '.join(self.ladders)}")
        return self.ladders[name]

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

    @property
    def next_steps(self) -> tuple[str, ...]:
        """What to do, the most urgent first."""
        from thresher.watching.check.summary import next_steps

        return tuple(next_steps(self))

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
        from thresher.watching.check.plain import check_dict

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
        schema = resources.files("thresher.watching.check").joinpath("check.schema.json")
        return dict(json.loads(schema.read_text(encoding="utf-8")))

    def __str__(self) -> str:
        from thresher.watching.check.summary import summary

        return summary(self)

    def _brief(self) -> str:
        return f"{self.watch!r} {self.state} at {moment_text(self.as_of)}"
