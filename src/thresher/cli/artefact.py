"""What `thresher apply` applies: a decision or a calibration map, read from JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thresher.calibration import CalibrationMap
from thresher.calibration.steps import Steps
from thresher.cautions import Caution
from thresher.cli.text_copy import Added
from thresher.errors import ArgumentError, SourceError, ThresherError
from thresher.evaluation import Decision, apply, contradictions
from thresher.evaluation.decision import EVALUATE_AGAIN
from thresher.plain_data import json_value
from thresher.ranking import Floats
from thresher.whole_files import read_text


@dataclass(slots=True)
class Counted:
    """How many cases were called positive so far (None where nothing is called), and how many against probability."""

    positive: int | None
    against: int = 0


@dataclass(frozen=True, slots=True)
class Artefact:
    """A decision, or a map alone."""

    decision: Decision | None
    map: CalibrationMap | None

    def score(self, given: str | None) -> str:
        """The column of scores: the one given, or the one that is called as the decision's model."""
        if given is not None:
            return given
        if self.decision is None:
            raise ArgumentError("a map does not say which column holds the scores", "pass --score COLUMN")
        return self.decision.model

    def columns(self, name: str | None, *, probability: bool) -> tuple[Added, Counted]:
        """What to add to a piece of scores, and a count that grows as it is used."""
        if self.decision is None:
            return lambda scores: {name or "probability": self._probability(scores)}, Counted(None)
        if probability and self.map is None:
            raise ArgumentError("the decision holds no calibration map", "leave --probability out")
        if probability and name == "probability":
            raise ArgumentError("two new columns would be called 'probability'", "give another --column")
        decision, counted = self.decision, Counted(0)

        def added(scores: Floats) -> Mapping[str, Any]:
            called = apply(decision, scores)
            counted.positive = (counted.positive or 0) + int(called.sum())
            calls = {name or "predicted": called.astype("int8")}
            if not probability:
                return calls
            found = self._probability(scores)
            counted.against += int(contradictions(called, found, decision.condition).sum())
            return {**calls, "probability": found}

        return added, counted

    def map_name(self) -> str:
        """The map in words, such as "isotonic map with ramps"."""
        if self.map is None:
            return "no map"
        ramps = isinstance(self.map.curve, Steps) and self.map.curve.interpolate
        return f"{self.map.method} map{' with ramps' if ramps else ''}"

    def cautions(self, counted: Counted, rows: int) -> tuple[Caution, ...]:
        """What there is to say of calls that their own probabilities speak against."""
        if not counted.against or self.decision is None:
            return ()
        pays = 1 / (1 + self.decision.condition.cost_ratio)
        text = (
            f"{counted.against:,} of {rows:,} calls go against the probability of the {self.map_name()}:"
            f" by these costs a positive call pays from {pays:.4g} on"
        )
        return (Caution("call-against-probability", text),)

    def _probability(self, scores: Floats) -> Floats:
        if self.map is None:
            raise SourceError("there is no calibration map", "give one that calibrate -o wrote")
        return self.map(scores) if self.decision is None else self.decision.probability(scores)


def read_artefact(path: str) -> Artefact:
    """Read a decision or a map; the file says itself which one it is."""
    text = read_text(path)
    try:
        plain = json_value(text, name="Decision")
        kind = plain.get("format") if isinstance(plain, dict) else None
        if isinstance(kind, str) and kind.startswith("thresher/calibration-map/"):
            return Artefact(None, CalibrationMap.from_dict(plain))
        decision = Decision.from_dict(plain)
        found = None if decision.calibration is None else CalibrationMap.from_dict(decision.calibration)
        return Artefact(decision, found)
    except ThresherError as error:
        again = error.fix == EVALUATE_AGAIN
        fix = EVALUATE_AGAIN if again else "give what evaluate --decision or calibrate --output wrote"
        raise SourceError(f"{path} cannot be applied: {error.what}", fix) from None
