"""`Decision`: the artefact to deploy, and `apply`, which does what it says on any machine."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial
from importlib import resources
from typing import Any, Self

import numpy as np

from thresher.calibration import CalibrationMap
from thresher.choices import OperatingCondition
from thresher.errors import ArgumentError
from thresher.inference import Interval
from thresher.plain_data import (
    FieldError,
    Reader,
    json_value,
    not_written,
    number,
    one_of,
    or_none,
    read_object,
    rising,
    text,
)
from thresher.plain_data import fields as fields_of
from thresher.ranking import Flags, Floats, rankable, reaches
from thresher.sources.columns import column, complete
from thresher.visible import visible

FORMAT = "thresher/decision/1"
_SURELY = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class Decision:
    """Which model, at which threshold, under which condition, and how firmly.

    A case is positive iff its score is at least `threshold`. `cost_ratios` and `class_ratios` are the
    ranges over which the model stays the cheapest, the other ratio being as in `condition`;
    `equivalent` the thresholds that make the same calls. `wins` is the share of resamples
    in which the model is the cheapest, `firm_for` the cost ratios (between a tenth and ten times the condition's) over
    which that share stays at the confidence level or above (None: it does not reach it), and `honest_cost` what a
    threshold chosen like this one costs on rows it was not chosen on. `fingerprint` identifies the data. A decision
    set by hand on the page has no `wins`, and intervals without limits. A threshold of +inf calls nothing positive.

    >>> from thresher import evaluate
    >>> decision = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2], seed=1).decision
    >>> decision.model, decision.rule, round(decision.threshold, 3)
    ('model', '>=', 0.7)
    """

    model: str
    threshold: float
    equivalent: tuple[float, float]
    condition: OperatingCondition
    expected_cost: Interval
    honest_cost: Interval
    threshold_interval: Interval
    runner_up: str | None
    gap: float | None
    cost_ratios: tuple[float, float]
    class_ratios: tuple[float, float]
    wins: float | None
    firm_for: tuple[float, float] | None
    calibration: Mapping[str, Any] | None
    fingerprint: str
    version: str
    rule: str = ">="

    def to_dict(self) -> dict[str, Any]:
        """Plain data after the published schema; infinite numbers become the texts "inf" and "-inf"."""
        plain: dict[str, Any] = {"format": FORMAT}
        for part in fields(self):
            plain[part.name] = _plain(getattr(self, part.name))
        return plain

    def to_json(self) -> str:
        """JSON that `from_json` reads back exactly."""
        return json.dumps(self.to_dict(), allow_nan=False, indent=2)

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote."""
        readers = {part.name: _READERS.get(part.name, text) for part in fields(cls)}
        decision = cls(**read_object(value, readers, of="Decision", kind="a decision", form=FORMAT))
        low, high = decision.equivalent
        if not low <= decision.threshold <= high:
            why = f'"threshold" is {decision.threshold}, and "equivalent" reaches from {low} to {high}'
            raise not_written(why, of="Decision", kind="a decision")
        return decision

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        return cls.from_dict(json_value(text, name="Decision"))

    def __str__(self) -> str:
        low, high = self.cost_ratios
        now = self.condition.cost_ratio
        lines = [
            f"Use {self.model}, and call a case positive when its score is >= {self.threshold:.6g}.",
            f"Expected cost per case {self.expected_cost}; on rows not chosen on {self.honest_cost}.",
            f"It stays the best model for cost ratios from {low:.4g} to {high:.4g} (now {now:.4g}).",
        ]
        if self.wins is not None:
            lines.append(f"Drawing the data again, it won {self.wins:.0%} of the time.")
        if self.runner_up is not None:
            if self.firm_for is not None:
                firm = f"{self.firm_for[0]:.4g} to {self.firm_for[1]:.4g}"
                lines.append(f"At cost ratios from {firm} it wins {self.expected_cost.level:.0%} of the time or more.")
            lines.append(f"Runner-up: {self.runner_up}, {self.gap:.4g} more per case.")
        return "\n".join(map(visible, lines))


def decision_schema() -> dict[str, Any]:
    """The published JSON schema of a decision.

    >>> decision_schema()["title"]
    'thresher decision'
    """
    text = resources.files("thresher.evaluation").joinpath("decision.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def apply(decision: Decision | Mapping[str, Any] | str, scores: Any) -> Flags:
    """Which cases a decision calls positive: score >= threshold, compared as float64; none at a threshold of +inf.

    Takes a `Decision`, its plain data or its JSON, and the scores of the decision's model (or a mapping of
    model names to scores). The same scores give the same calls on any machine.

    >>> from thresher import evaluate
    >>> decision = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2], seed=1).decision
    >>> apply(decision.to_json(), [.9, .5, .1])
    array([ True, False, False])
    """
    where = "apply(decision, scores)"
    if isinstance(decision, str):
        decision = Decision.from_json(decision)
    elif not isinstance(decision, Decision):
        decision = Decision.from_dict(decision)
    if isinstance(scores, Mapping):
        if decision.model not in scores:
            raise ArgumentError(
                f"there are no scores of the model {decision.model!r} among {', '.join(map(repr, scores))}",
                where,
                "give the scores of the model that was decided for",
            )
        scores = scores[decision.model]
    given = {"scores": column(scores, name="scores", where=where)}
    (values,), _ = complete(given, missing="raise", where=where, droppable=False)
    return reaches(rankable(values, where=where).astype(np.float64), decision.threshold)


def contradictions(called: Flags, probability: Floats, condition: OperatingCondition) -> Flags:
    """Calls that a probability of the condition's class mix speaks against, beyond rounding.

    A positive call is the cheaper one iff p·cost_ratio > 1 - p, which is p > 1 / (1 + cost_ratio).

    >>> condition = OperatingCondition(cost_ratio=4)
    >>> contradictions(np.array([True, True, False]), np.array([0.3, 0.1, 0.2]), condition)
    array([False,  True, False])
    """
    miss, alarm = probability * condition.cost_ratio, 1 - probability  # what either call is expected to cost
    found: Flags = np.where(called, miss < alarm * _SURELY, alarm < miss * _SURELY)
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Interval):
        return {part.name: _plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, OperatingCondition):
        return value.to_dict()
    return value


def _interval(value: Any) -> Interval:
    limit = number(infinite=True, undefined=True)
    found = Interval(
        **fields_of(
            value,
            {
                "estimate": limit,
                "lower": limit,
                "upper": limit,
                "variance": number(0, infinite=True, undefined=True),
                "level": number(0, 1, strictly=True),
                "method": text,
                "note": text,
            },
        )
    )
    if found.lower > found.upper:
        raise FieldError(f"must have its lower limit first, got {found.lower} and {found.upper}")
    return found


def _condition(value: Any) -> OperatingCondition:
    costs = dict.fromkeys(("cost_fp", "cost_fn", "cost_tp", "cost_tn"), number())
    return OperatingCondition(**fields_of(value, {"class_ratio": number(0, strictly=True), **costs}))


def _calibration(value: Any) -> Mapping[str, Any]:
    CalibrationMap.from_dict(value)
    plain: Mapping[str, Any] = value
    return plain


def _fingerprint(value: Any) -> str:
    if not re.fullmatch("sha256:[0-9a-f]{64}", text(value)):
        raise FieldError(f"must be sha256: and 64 hexadecimal digits, got {value!r}")
    return text(value)


_RATIOS = partial(rising, least=0)
_READERS: Mapping[str, Reader] = {
    "threshold": number(infinite=True),
    "equivalent": rising,
    "condition": _condition,
    "expected_cost": _interval,
    "honest_cost": _interval,
    "threshold_interval": _interval,
    "runner_up": or_none(text),
    "gap": or_none(number()),
    "cost_ratios": _RATIOS,
    "class_ratios": _RATIOS,
    "wins": or_none(number(0, 1)),
    "firm_for": or_none(_RATIOS),
    "calibration": or_none(_calibration),
    "fingerprint": _fingerprint,
    "rule": one_of([">="]),
}
