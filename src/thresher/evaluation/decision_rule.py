"""What a decision applies: a threshold, or the least expected cost of k classes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from thresher._internal import json as reading
from thresher._internal.results import ReadOnlyFields, Result
from thresher._internal.text import visible
from thresher.calibration import CalibrationMap
from thresher.errors import LabelError
from thresher.inference import Interval
from thresher.inputs.columns import column, complete
from thresher.inputs.labels import label_array, listed
from thresher.inputs.matrix import probability_matrix
from thresher.ranking import Flags, rankable, reaches
from thresher.tables import CostMatrix, OperatingCondition

TIES = "first action"


@dataclass(frozen=True, slots=True)
class ThresholdRule(ReadOnlyFields):
    """Call a case positive iff its score is at least the threshold.

    +inf calls nothing positive. Thresholds t with lower < t <= upper of `equivalent` make the same calls on the data,
    and `holds_for` are the cost ratios at which it stays the model's best one (None: at none); `interval` says how
    sure it is. `data_prevalence` is that of the rows, for which `calibration` maps scores to probabilities, and
    `trained_at` the prevalence that the model's probabilities were made for. Over `cost_ratios` and `class_ratios` the
    model stays the cheapest, the other ratio being as in the decision's condition.
    """

    kind: ClassVar[str] = "threshold"
    threshold: float
    equivalent: tuple[float, float]
    interval: Interval
    holds_for: tuple[float, float] | None
    cost_ratios: tuple[float, float]
    class_ratios: tuple[float, float]
    data_prevalence: float
    trained_at: float
    calibration: Mapping[str, Any] | None

    def apply(self, scores: Any) -> Flags:
        """Which scores reach the threshold, as float64."""
        (values,), _ = complete({"scores": column(scores, name="scores")}, missing="raise", droppable=False)
        return reaches(rankable(values).astype(np.float64), self.threshold)

    def to_dict(self) -> dict[str, Any]:
        """Plain data after the published schema."""
        return {"kind": self.kind} | {part.name: plain(getattr(self, part.name)) for part in fields(self)}

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote; `FieldError` names what is wrong."""
        readers: dict[str, reading.Reader] = {
            "kind": reading.one_of([cls.kind]),
            "threshold": reading.number(infinite=True),
            "equivalent": reading.rising,
            "interval": read_interval,
            "holds_for": reading.or_none(_RATIOS),
            "cost_ratios": _RATIOS,
            "class_ratios": _RATIOS,
            "data_prevalence": _SHARE,
            "trained_at": _SHARE,
            "calibration": reading.or_none(lambda map_: CalibrationMap.from_dict(map_).to_dict()),
        }
        parts = reading.fields(value, readers)
        del parts["kind"]
        low, high = parts["equivalent"]
        if not low <= parts["threshold"] <= high:
            why = f'is {parts["threshold"]}, and "equivalent" reaches from {low} to {high}'
            raise reading.FieldError(why, "threshold")
        return cls(**parts)

    def __str__(self) -> str:
        if math.isinf(self.threshold):
            return f"call {'no' if self.threshold > 0 else 'every'} case positive"
        return f"call a case positive when its score is >= {self.threshold:.6g}"


@dataclass(frozen=True, slots=True)
class LeastCostRule(ReadOnlyFields):
    """Take the action a of the least expected cost Σ_i w_i p_i C[i, a].

    `costs` names the classes, in the order of the columns of probabilities, and the actions. `weights` are the only
    numbers applied to probabilities, one per class: they already contain `used_at` / `trained_at`, the class mix of
    use and that which the probabilities were made for. Of equal actions the first is taken.
    """

    kind: ClassVar[str] = "least-cost"
    costs: CostMatrix
    weights: tuple[float, ...]
    trained_at: Mapping[Any, float]
    used_at: Mapping[Any, float]

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, one per column of probabilities."""
        return self.costs.classes

    @property
    def actions(self) -> tuple[Any, ...]:
        """What may be done with a case: call it one of the classes, or another action."""
        return self.costs.actions

    @property
    def fitted(self) -> bool:
        """Whether weights do more than bring one class mix to another."""
        mixes = [self.used_at[name] / self.trained_at[name] for name in self.classes if self.trained_at[name]]
        weights = [each for each, name in zip(self.weights, self.classes, strict=True) if self.trained_at[name]]
        one, other = (np.array(each) / (sum(each) or 1) for each in (weights, mixes))
        return not np.allclose(one, other, rtol=1e-9, atol=1e-12)

    def apply(self, probabilities: Any) -> Any:
        """The action for each row of probabilities, a frame's columns by their names.

        >>> costs = CostMatrix({"ham": {"spam": 10}, "spam": {"ham": 1}})
        >>> half = {"ham": 0.5, "spam": 0.5}
        >>> LeastCostRule(costs, (1, 1), trained_at=half, used_at=half).apply([[.2, .8], [.05, .95]])
        array(['ham', 'spam'], dtype='<U4')
        """
        matrix = probability_matrix(probabilities, self.classes)
        return label_array(self.actions)[self.costs.decide(matrix, weights=self.weights)]

    def to_dict(self) -> dict[str, Any]:
        """Plain data after the published schema."""
        return {
            "kind": self.kind,
            "classes": list(self.classes),
            "actions": list(self.actions),
            "costs": self.costs.costs.tolist(),
            "weights": list(self.weights),
            "trained_at": shares_by_text(self.trained_at),
            "used_at": shares_by_text(self.used_at),
            "ties": TIES,
        }

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote; `FieldError` names what is wrong."""
        names = reading.items(reading.label)
        readers: dict[str, reading.Reader] = {
            "kind": reading.one_of([cls.kind]),
            "classes": names,
            "actions": names,
            "costs": reading.items(reading.numbers()),
            "weights": reading.numbers(0),
            "trained_at": _mix,
            "used_at": _mix,
            "ties": reading.one_of([TIES]),
        }
        parts = reading.fields(value, readers)
        classes, actions, k = parts["classes"], parts["actions"], len(parts["classes"])
        if actions[:k] != classes:
            raise reading.FieldError("do not begin with the classes", "actions")
        costs = reading.within(
            "costs",
            lambda each: CostMatrix.from_array(each, classes, rows="actual", others=actions[k:]),
            parts["costs"],
        )
        if len(parts["weights"]) != k or not any(parts["weights"]):
            raise reading.FieldError(f"must be {k} numbers, one per class and not all 0", "weights")
        mixes = {name: _by_class(parts[name], classes, name) for name in ("trained_at", "used_at")}
        return cls(costs=costs, weights=tuple(parts["weights"]), **mixes)

    def __str__(self) -> str:
        number, others = len(self.classes), self.actions[len(self.classes) :]
        names = listed(self.classes) if number <= 6 else f"the {number} classes"
        also = f", or {listed(others)}," if others else ","
        return f"of {names}{also} say the one of least expected cost{', by fitted weights' if self.fitted else ''}"


DecisionRule: TypeAlias = ThresholdRule | LeastCostRule


@dataclass(frozen=True, slots=True, repr=False)
class BestConstant(ReadOnlyFields, Result):
    """The action that is cheapest where every case gets the same one, and its cost."""

    action: Any
    cost: Interval

    def _brief(self) -> str:
        return f"{self.action!r}, cost {self.cost}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data after the published schema."""
        return {"action": self.action, "cost": plain(self.cost)}

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote; `FieldError` names what is wrong."""
        return cls(**reading.fields(value, {"action": reading.label, "cost": read_interval}))


def read_rule(value: Any) -> DecisionRule:
    """Read a rule of either kind."""
    kinds: Mapping[Any, Any] = {rule.kind: rule for rule in (ThresholdRule, LeastCostRule)}
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if isinstance(value, Mapping) and "kind" in value:
        reading.within("kind", reading.one_of(list(kinds)), kind)
    rule: DecisionRule = kinds.get(kind, ThresholdRule).from_dict(value)
    return rule


def label_text(name: Any) -> str:
    """A label as the key of an object in JSON."""
    return name if isinstance(name, str) else json.dumps(name, default=str)


def shares_by_text(mix: Mapping[Any, float]) -> dict[str, float]:
    """Shares by class, the classes as texts."""
    by_text = {label_text(name): float(share) for name, share in mix.items()}
    if len(by_text) < len(mix):
        what = f"two of the classes {listed(list(mix))} have the same text, which is all that JSON can name them by"
        raise LabelError(what, "name the classes by different texts")
    return by_text


def plain(value: Any) -> Any:
    """Plain data: infinity is a text, NaN is null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    if isinstance(value, Interval):
        return {part.name: plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, OperatingCondition | ThresholdRule | LeastCostRule | BestConstant):
        return value.to_dict()
    return {name: plain(part) for name, part in value.items()} if isinstance(value, Mapping) else value


def read_interval(value: Any) -> Interval:
    """Read an interval; undefined limits are null."""
    limit = reading.number(infinite=True, undefined=True)
    readers = dict.fromkeys(("estimate", "lower", "upper"), limit) | {
        "variance": reading.number(0, infinite=True, undefined=True),
        "level": reading.number(0, 1, strictly=True),
        "method": reading.text,
        "note": reading.text,
        "apparent": reading.or_none(limit),
    }
    return Interval(**reading.fields(value, readers))


_RATIOS = partial(reading.rising, least=0)
_SHARE = reading.number(0, 1, strictly=True)


def _mix(value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise reading.FieldError("must be an object of shares by class")
    return reading.fields(value, dict.fromkeys(value, reading.number(0, 1)))


def _by_class(shares: Mapping[str, float], classes: list[Any], field: str) -> dict[Any, float]:
    by_text = {label_text(name): name for name in classes}
    if set(by_text) != set(shares):
        strange = min(set(by_text) ^ set(shares))
        raise reading.FieldError(f"must name every class once, and {visible(strange)!r} is amiss", field)
    return {name: shares[text] for text, name in by_text.items()}
