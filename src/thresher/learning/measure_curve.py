"""`MeasureCurve`: a measure along a row of fits, with limits at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from thresher.errors import MeasureError, OneClassError
from thresher.learning.corrected import corrected_interval
from thresher.learning.fold_runs import Problem, scored
from thresher.learning.yardstick import Yardstick
from thresher.ranking import Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class MeasureCurve:
    """Estimates with pointwise corrected limits; `per_fold` has a row per point and a column per fold."""

    estimate: Floats
    lower: Floats
    upper: Floats
    per_fold: Floats

    @classmethod
    def of(cls, per_fold: Floats, *, test_share: float, level: float, spread: tuple[float, float]) -> Self:
        """Means over folds with corrected limits, NaN where folds do not vary."""
        found = [corrected_interval(row, test_share=test_share, level=level, spread=spread) for row in per_fold]
        curve = cls(
            estimate=np.array([point.estimate for point in found]),
            lower=np.array([point.lower for point in found]),
            upper=np.array([point.upper for point in found]),
            per_fold=per_fold,
        )
        for values in (curve.estimate, curve.lower, curve.upper, curve.per_fold):
            values.flags.writeable = False
        return curve

    def to_dict(self) -> dict[str, Any]:
        """Plain data; what is undefined becomes None."""
        return {
            name: [None if np.isnan(number) else number for number in getattr(self, name).tolist()]
            for name in ("estimate", "lower", "upper")
        }


def curve_columns(sizes: Sequence[Any], apparent: MeasureCurve, validation: MeasureCurve) -> dict[str, Any]:
    """A row per size, of the rows learnt from and of others."""
    both = apparent, validation
    return {
        "size": [*sizes, *sizes],
        "rows": np.repeat(["apparent", "validation"], len(sizes)),
        **{name: np.concatenate([getattr(curve, name) for curve in both]) for name in ("estimate", "lower", "upper")},
    }


def both_errors(
    estimator: Any, problem: Problem, train: Indices, test: Indices, stick: Yardstick
) -> tuple[float, float]:
    """The measure on the rows a model learnt from (apparent) and on others (validation)."""
    seen, unseen = scored(estimator, problem, train, [train, test])
    try:
        return stick.of(seen), stick.of(unseen)
    except OneClassError:
        raise OneClassError(
            f"a fold is trained or tested on one class only, where {stick.name} has no value",
            fix="take fewer folds, larger sizes, or a measure of calls such as error_rate",
        ) from None


def require_defined(values: Floats, stick: Yardstick) -> None:
    """Raise `MeasureError` where a measure has no value or no direction."""
    if stick.better == "neither":
        raise MeasureError(f"{stick.name} is neither better nor worse", "pick a measure of quality")
    if not np.isfinite(values).all():
        bad = int((~np.isfinite(values)).sum())
        raise MeasureError(
            f"{stick.name} is undefined or infinite in {bad} of {values.size} fits",
            fix="pick a measure that is defined there, e.g. error_rate, or larger sizes",
        )
