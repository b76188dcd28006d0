"""Decisions and maps on file, and the rule that --current names."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thresher._internal.atomic import read_text
from thresher._internal.json import json_value
from thresher.calibration import CalibrationMap
from thresher.calibration.maps.steps import Steps
from thresher.cautions import Caution
from thresher.cli.outputs import NewColumns, score_columns, score_numbers
from thresher.errors import ArgumentError, SourceError, ThresherError
from thresher.evaluation import Decision, LeastCostRule, contradictions
from thresher.evaluation.decision import EVALUATE_AGAIN
from thresher.inputs.columns import require_columns
from thresher.ranking import Floats

CLASS = "{class}"  # where a name of a column holds that of a class
_FORMS = "write a column of its calls, MODEL=NUMBER, or the file of a decision"


def current_rule(
    text: str, *, models: Sequence[str], columns: Collection[str] | None
) -> str | Mapping[str, float] | Decision:
    """What `--current` names: a column, {model: threshold}, or the decision in a file.

    `columns` are those of the source, None where they are not known yet.
    """
    threshold = _threshold(text, models)
    is_file = Path(text).is_file()
    is_column = columns is not None and text in columns
    meanings = ["a column"] * is_column + ["a file"] * is_file + ["a threshold"] * (threshold is not None)
    if len(meanings) > 1:
        what = f"--current {text} could mean {' or '.join(meanings)}"
        raise ArgumentError(what, "rename the column, or write the file as ./NAME")
    if threshold is not None:
        return threshold
    if is_file:
        decision = read_artefact(text).decision
        if decision is None:
            raise ArgumentError(f"the file {text!r} holds a calibration map and no decision", _FORMS)
        return decision
    if columns is not None and not is_column:
        raise ArgumentError(f"--current {text} is no column, no file, and no model's threshold", _FORMS)
    return text


def _threshold(text: str, models: Sequence[str]) -> dict[str, float] | None:
    """MODEL=NUMBER, or a number alone of a single model; None for anything else."""
    model, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        return None
    if math.isnan(value):
        return None
    if equals and model not in models:
        fix = f"write --current MODEL={number} with one of {', '.join(models)}"
        raise ArgumentError(f"there is no model {model!r}", fix)
    if not equals and len(models) > 1:
        what = f"--current {text} is a threshold, and it could be one of {len(models)} models"
        raise ArgumentError(what, f"write e.g. --current {models[0]}={text}")
    return {model if equals else models[0]: value}


@dataclass(slots=True)
class Artefact:
    """A decision, or a map alone, with counts of calls, which grow as it is applied."""

    decision: Decision | None
    map: CalibrationMap | None
    positive: int | None = None  # calls; None of a map, which calls nothing
    against: int = 0  # calls that their probability speaks against

    def columns(self, score: str | None, name: str | None, *, probability: bool, place: str) -> NewColumns:
        """The columns that it makes of `score`, by default named like the model."""
        decision = self.decision
        if decision is not None and isinstance(decision.rule, LeastCostRule):
            return self._actions(decision, decision.rule, score, name, probability=probability, place=place)
        if decision is None:
            if score is None:
                raise ArgumentError("a map does not say which column holds the scores", "pass --score COLUMN")
            return score_columns(place, score, lambda scores: {name or "probability": self._probability(scores)})
        if probability and self.map is None:
            raise ArgumentError("the decision holds no calibration map", "leave --probability out")
        if probability and name == "probability":
            raise ArgumentError("two new columns would be called 'probability'", "give another --column")
        self.positive = self.against = 0

        def calls(scores: Floats) -> dict[str, Any]:
            positive = decision.apply(scores)
            self.positive = (self.positive or 0) + int(positive.sum())
            columns: dict[str, Any] = {name or "predicted": positive.astype("int8")}
            if probability:
                columns["probability"] = self._probability(scores)
                self.against += int(contradictions(positive, columns["probability"], decision.condition).sum())
            return columns

        return score_columns(place, decision.model if score is None else score, calls)

    def _actions(
        self,
        decision: Decision,
        rule: LeastCostRule,
        template: str | None,
        name: str | None,
        *,
        probability: bool,
        place: str,
    ) -> NewColumns:
        """The action for each row, from a column of probabilities per class."""
        if probability:
            raise ArgumentError("a decision of k classes maps no scores to a probability", "leave --probability out")
        if template is not None and CLASS not in template:
            what = f"--score {template} names one column, and the decision reads one of each class"
            raise ArgumentError(what, f'write the name with {CLASS} in it, as "p_{CLASS}"')
        named = [(template or CLASS).replace(CLASS, str(each)) for each in rule.classes]
        own = [f"{decision.model}_{each}" for each in rule.classes]

        def wanted(names: Sequence[str]) -> Sequence[str]:
            if template is None and not set(named) <= set(names) and set(own) <= set(names):
                named[:] = own
            require_columns(named, names, place=place)
            return named

        def make(columns: Mapping[str, Any], before: int) -> Mapping[str, Any]:
            each = [score_numbers(columns[column], before, column) for column in named]
            return {name or "predicted": decision.apply(np.stack(each, axis=1)).tolist()}

        return NewColumns(place, wanted, make)

    def map_name(self) -> str:
        """The map in words, such as "isotonic map with ramps"."""
        if self.map is None:
            return "no map"
        ramps = isinstance(self.map.curve, Steps) and self.map.curve.interpolate
        return f"{self.map.method} map{' with ramps' if ramps else ''}"

    def cautions(self, rows: int) -> tuple[Caution, ...]:
        """A caution on calls that their probabilities speak against."""
        if not self.against or self.decision is None:
            return ()
        pays = 1 / (1 + self.decision.condition.cost_ratio)
        text = (
            f"{self.against:,} of {rows:,} calls go against the probability of the {self.map_name()}:"
            f" by these costs a positive call pays from {pays:.4g} on"
        )
        return (Caution("call-against-probability", text),)

    def _probability(self, scores: Floats) -> Floats:
        if self.map is None:
            raise SourceError("there is no calibration map", "give one that calibrate -o wrote")
        return self.map(scores) if self.decision is None else self.decision.probability(scores)


def read_artefact(path: str) -> Artefact:
    """Read a decision or a map; the format field in the file tells which."""
    text = read_text(path)
    try:
        plain = json_value(text, name="Decision")
        kind = plain.get("format") if isinstance(plain, dict) else None
        if isinstance(kind, str) and kind.startswith("thresher/calibration-map/"):
            return Artefact(None, CalibrationMap.from_dict(plain))
        decision = Decision.from_dict(plain)
        if isinstance(decision.rule, LeastCostRule):
            return Artefact(decision, None)
        calibration = None if decision.calibration is None else CalibrationMap.from_dict(decision.calibration)
        return Artefact(decision, calibration)
    except ThresherError as error:
        other = "give what evaluate --decision or calibrate --output wrote"
        fix = EVALUATE_AGAIN if error.fix == EVALUATE_AGAIN else other
        raise SourceError(f"{path} cannot be applied: {error.what}", fix) from None
