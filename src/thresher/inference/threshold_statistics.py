"""What a bootstrap computes at thresholds: the best expected cost, and cost or measures at a fixed threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np

from thresher.choices import OperatingCondition, choose
from thresher.choices.condition import simplest
from thresher.errors import ArgumentError
from thresher.inference.kinds import require_condition, require_numbers
from thresher.inference.resampled import Resampled
from thresher.ranking import Floats, Ranking
from thresher.tables import Contingency, Measure, measure

Threshold: TypeAlias = float | Mapping[str, float]
_FITS_INT64 = 2**62


@dataclass(frozen=True, slots=True)
class BestCost:
    """The lowest expected cost that any threshold reaches, and that threshold, as `choose` finds them.

    >>> BestCost(OperatingCondition(cost_ratio=5)).names
    ('best_cost', 'best_threshold')
    """

    condition: OperatingCondition = field(default_factory=OperatingCondition)
    names: ClassVar[tuple[str, ...]] = ("best_cost", "best_threshold")
    smooth: ClassVar[bool] = False
    variance: ClassVar[None] = None
    _odds: tuple[int, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_condition(self.condition, "BestCost(condition)")
        odds = self.condition.exact_cost_ratio
        if self.condition.class_ratio is not None:
            odds *= simplest(self.condition.class_ratio)
        object.__setattr__(self, "_odds", (odds.numerator, odds.denominator))

    def require(self, ranking: Ranking) -> None:
        """Nothing beyond both classes."""

    def parts(self, drawn: Resampled) -> tuple[float, ...]:
        """The table at the best threshold, and the threshold."""
        if not (drawn.Pos and drawn.Neg):
            return 0.0, 0.0, drawn.Pos, drawn.Neg, math.nan
        if drawn.standing.score[0] == math.inf:  # no threshold refuses that score, which `choose` knows
            point = choose(drawn.ranking(), self.condition).point
            return point.table.tp, point.table.fp, drawn.Pos, drawn.Neg, point.threshold
        group = self.best_group(drawn)
        if group < 0:
            return 0.0, 0.0, drawn.Pos, drawn.Neg, math.inf
        tp, fp = float(drawn.tp[group]), float(drawn.fp_upto[group])
        return tp, fp, drawn.Pos, drawn.Neg, drawn.threshold_after(group)

    def best_group(self, drawn: Resampled) -> int:
        """The last group of positives that is called positive, -1 for none: the middle one of all that tie.

        Only the split after a score that positives were drawn at can be best, or the one that calls nothing positive.
        """
        miss, alarm = self._unit_costs(drawn)
        whole = drawn.pos.dtype.kind == "i" and alarm * drawn.Neg + miss * drawn.Pos < _FITS_INT64
        if not whole:
            miss, alarm = float(miss), float(alarm)
        loss = drawn.tp * -miss
        loss += drawn.fp_upto if alarm == 1 else drawn.fp_upto * alarm
        least = min(loss.min().item(), 0)
        slack = 0 if whole else 1e-12 * (alarm * drawn.Neg + miss * drawn.Pos)
        tied = np.flatnonzero(loss <= least + slack)
        tied = tied[drawn.pos[tied] > 0]
        if least + slack >= 0:
            tied = np.concatenate([[-1], tied])
        return int(tied[(tied.size - 1) // 2])

    def values(self, parts: Floats) -> Floats:
        """Expected cost and threshold."""
        tp, fp, Pos, Neg, threshold = parts
        return np.stack([self.condition.expected_cost(_table(tp, fp, Pos, Neg)), threshold])

    def _unit_costs(self, drawn: Resampled) -> tuple[Any, Any]:
        """What a miss and a false alarm cost, up to a common factor."""
        miss, alarm = self._odds
        if self.condition.class_ratio is None:
            return miss, alarm
        if not isinstance(drawn.Pos, int):
            return miss * drawn.Neg, alarm * drawn.Pos
        common = math.gcd(miss * drawn.Neg, alarm * drawn.Pos)
        return miss * drawn.Neg // common, alarm * drawn.Pos // common


@dataclass(frozen=True, slots=True)
class CostAt:
    """The expected cost at a fixed threshold, or at one fixed threshold per model.

    >>> CostAt(0.5, OperatingCondition(cost_ratio=5)).names
    ('cost',)
    """

    threshold: Threshold
    condition: OperatingCondition = field(default_factory=OperatingCondition)
    names: ClassVar[tuple[str, ...]] = ("cost",)
    smooth: ClassVar[bool] = True
    variance: ClassVar[None] = None

    def __post_init__(self) -> None:
        _require_threshold(self.threshold, "CostAt(threshold, condition)")
        require_condition(self.condition, "CostAt(threshold, condition)")

    def require(self, ranking: Ranking) -> None:
        """Nothing beyond both classes."""

    def parts(self, drawn: Resampled) -> tuple[float, ...]:
        """The table at the threshold."""
        return *drawn.at(_of_model(self.threshold, drawn.model)), drawn.Pos, drawn.Neg

    def values(self, parts: Floats) -> Floats:
        """Expected cost."""
        return np.asarray(self.condition.expected_cost(_table(*parts)), dtype=np.float64)[np.newaxis]


@dataclass(frozen=True, slots=True)
class MeasureAt:
    """Any registered measure at a fixed threshold, or at one fixed threshold per model.

    >>> MeasureAt("sensitivity", 0.5).names
    ('tpr',)
    """

    measure: str | Measure
    threshold: Threshold
    class_ratio: float | None = None
    smooth: ClassVar[bool] = True
    variance: ClassVar[None] = None

    def __post_init__(self) -> None:
        _require_threshold(self.threshold, "MeasureAt(measure, threshold)")

    @property
    def names(self) -> tuple[str, ...]:
        """The measure's name."""
        return (measure(self.measure).name,)

    def require(self, ranking: Ranking) -> None:
        """Nothing beyond both classes."""

    def parts(self, drawn: Resampled) -> tuple[float, ...]:
        """The table at the threshold."""
        return *drawn.at(_of_model(self.threshold, drawn.model)), drawn.Pos, drawn.Neg

    def values(self, parts: Floats) -> Floats:
        """The measure of every table; NaN where it is undefined."""
        found = measure(self.measure).of(_table(*parts), class_ratio=self.class_ratio)
        return np.asarray(found, dtype=np.float64)[np.newaxis]


def _require_threshold(threshold: Any, where: str) -> None:
    given = threshold if isinstance(threshold, Mapping) else {"threshold": threshold}
    require_numbers({str(name): value for name, value in given.items()}, where)


def _of_model(threshold: Threshold, model: str) -> float:
    if not isinstance(threshold, Mapping):
        return threshold
    if model not in threshold:
        raise ArgumentError(
            f"there is no threshold for model {model!r}, only for {', '.join(map(repr, threshold))}",
            "bootstrap(..., statistics)",
            "give one threshold, or one per model by its name",
        )
    return threshold[model]


def _table(tp: Floats, fp: Floats, Pos: Floats, Neg: Floats) -> Contingency:
    """The tables of all replicates; rounding of weights must not make a cell negative."""
    return Contingency(tp=tp, fn=np.maximum(Pos - tp, 0.0), fp=fp, tn=np.maximum(Neg - fp, 0.0))
