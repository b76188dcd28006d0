"""Which threshold would be chosen today."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thresher._internal.results import Tabular
from thresher.choices import choose
from thresher.errors import SourceError
from thresher.ranking import Ranking
from thresher.tables import OperatingCondition
from thresher.watching.check import label_delays, weigh
from thresher.watching.check.assumptions import class_mix, drawn_ranking
from thresher.watching.cohorts import Snapshot


@dataclass(frozen=True, slots=True)
class Rechoice:
    """A threshold under one assumption on the class ratio, and its cost per row."""

    by: str
    class_ratio: float
    threshold: float
    expected_cost: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rechoices(Tabular):
    """Thresholds that would be chosen today; nothing is changed by asking.

    The first is the deployed one. Others assume that classes score as in the reference, at the ends and the middle of
    the limits of the class ratio, unless scores refute it; the last is chosen on drawn labels, where there are enough.
    """

    deployed: float
    choices: tuple[Rechoice, ...]

    def frame(self) -> Any:
        """A row per assumption."""
        return self.to_frame()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        columns = ("by", "class_ratio", "threshold", "expected_cost")

        def plain(value: Any) -> Any:
            return str(value) if isinstance(value, float) and not math.isfinite(value) else value

        choices = [{name: plain(getattr(one, name)) for name in columns} for one in self.choices]
        return {"deployed": plain(self.deployed), "choices": choices}

    def _columns(self) -> Mapping[str, Any]:
        columns = ("by", "class_ratio", "threshold", "expected_cost")
        return {name: [getattr(one, name) for one in self.choices] for name in columns}

    def __str__(self) -> str:
        words = [
            f"{one.by}: class ratio {one.class_ratio:.4g}, threshold {one.threshold:.6g}, cost {one.expected_cost:.4g}"
            for one in self.choices
        ]
        return "\n".join([f"deployed: {self.deployed:.6g}", *words])

    def _brief(self) -> str:
        return f"deployed {self.deployed:.4g}, {len(self.choices)} choices"


def choose_again(snapshot: Snapshot) -> Rechoices:
    """What `choose` gives under the limits of the class ratio, and on drawn labels."""
    epoch, settings = snapshot.state.epoch, snapshot.state.settings
    current, condition = snapshot.current, epoch.decision.condition
    mix = class_mix(epoch, current.take(current.period > snapshot.period - settings.stretch), level=settings.level)
    choices = []
    if mix is not None and not mix.test.refuted and not math.isnan(mix.interval.estimate):
        ratio = mix.interval
        values = {"lower limit": ratio.lower, "estimate": ratio.estimate, "upper limit": ratio.upper}
        choices = [
            _choice(f"{by} of the class ratio", epoch.reference, condition, value)
            for by, value in values.items()
            if 0 < value < math.inf
        ]
    evidence = weigh(snapshot, label_delays(snapshot), gate=True)
    labelled = drawn_ranking(epoch, evidence)
    if labelled is not None:
        choices.append(_choice("drawn labels", labelled, condition, float(labelled.Pos / labelled.Neg)))
    if not choices:
        what = "neither scores nor labels tell the class ratio of today"
        raise SourceError(what, "draw rows to be labelled: thresher watch review")
    return Rechoices(epoch.decision.threshold, tuple(choices))


def _choice(by: str, ranking: Ranking, condition: OperatingCondition, ratio: float) -> Rechoice:
    chosen = choose(ranking, replace_ratio(condition, ratio))
    return Rechoice(by, ratio, chosen.threshold, chosen.point.expected_cost)


def replace_ratio(condition: OperatingCondition, ratio: float) -> OperatingCondition:
    """The condition at another class ratio."""
    costs = {name: getattr(condition, name) for name in ("cost_fp", "cost_fn", "cost_tp", "cost_tn")}
    return OperatingCondition(class_ratio=ratio, **costs)
