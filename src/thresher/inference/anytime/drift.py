"""Whether a distribution has moved by more than a tolerance, from counts per cell.

For the share above each cut (or in each category), evidence that it exceeds the reference's by more than the
tolerance and evidence that it falls short are averaged: an e-process for "no share has moved by more". The margin of
the reference (Dvoretzky, Kiefer & Wolfowitz 1956; Massart 1990) is added to the tolerance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_between, require_instance, require_level
from thresher._internal.results import Result
from thresher.errors import ArgumentError
from thresher.inference.anytime.counts import require_intrinsic_time
from thresher.inference.anytime.detector import Detector, detect, e_value
from thresher.inference.anytime.mixture import INTRINSIC_TIME, log_factor, nodes
from thresher.ranking import Floats

TOLERANCE = 0.05
_ALPHA_REFERENCE = 1e-3  # how often the reference may lie outside its own margin


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Drift(Result):
    """Evidence that a distribution has moved, and the share that has moved most.

    `detector` watches the cohorts; `e_value` is the evidence of any change since the first of them, for
    `e_benjamini_hochberg`. Since the detector's change, the share above cut `cut` (cells are numbered in order, and cut
    j lies before cell j), or in category `cut`, has been `share` and was `reference`.
    """

    detector: Detector
    e_value: float
    cut: int
    share: float
    reference: float
    margin: float

    @property
    def alarm(self) -> bool:
        """Whether the detector has raised an alarm."""
        return self.detector.alarm

    def _brief(self) -> str:
        return (
            f"evidence {self.detector.evidence:.4g} of {self.detector.most:.4g}, share at {self.cut}"
            f" {self.share:.4g}, was {self.reference:.4g}"
        )


def drift(
    reference: npt.ArrayLike,
    counts: npt.ArrayLike,
    *,
    ordered: bool = True,
    tolerance: float = TOLERANCE,
    run_length: float = 365,
    share: float = 1,
    intrinsic_time: float = INTRINSIC_TIME,
) -> Drift:
    """Evidence that a column's distribution has moved by more than `tolerance`.

    `reference` counts rows per cell, `counts` the same per cohort, a row each, the oldest first. Cells that are
    `ordered` are compared by the shares above each cut; others are categories, each compared by its own share. Every
    row counts when it comes, so no cohort needs to mature.

    >>> reference = [2000, 2000, 2000, 2000]
    >>> same, moved = [50, 50, 50, 50], [35, 45, 55, 65]
    >>> drift(reference, [same] * 10).alarm
    False
    >>> drift(reference, [same] * 10 + [moved] * 9)
    Drift(evidence 2.916 of 365, share at 2 0.6, was 0.5)
    """
    base, table = _cells(reference, counts)
    require_intrinsic_time(intrinsic_time)
    require_instance(ordered, bool, name="ordered", fix="True for cells in order, False for categories")
    require_between(tolerance, 0, 1, name="tolerance", fix="e.g. 0.05")
    expected, shares = (_above(each) if ordered else each for each in (base, table))
    rows, in_reference = table.sum(axis=1), float(base.sum())
    expected = expected / in_reference
    margin = math.sqrt(math.log(2 * (1 if ordered else base.size) / _ALPHA_REFERENCE) / (2 * in_reference))
    slack = tolerance + margin
    steps, log_weight = [], []
    for side, edge in (("above", np.minimum(expected + slack, 1)), ("below", np.maximum(expected - slack, 0))):
        grid = nodes(0.95, intrinsic_time, "above" if side == "above" else "below")
        factor = log_factor(grid.log_odds, edge[:, None])
        one = shares[:, :, None] * grid.log_odds - rows[:, None, None] * factor
        steps.append(one.reshape(len(rows), -1))
        log_weight.append(np.tile(grid.log_weight, edge.size) - math.log(2 * edge.size))
    joint, weight = np.concatenate(steps, axis=1), np.concatenate(log_weight)
    watch = detect(joint, weight, rows > 0, run_length=run_length, share=share, ever=None)
    since = watch.change or 0
    total = float(rows[since:].sum())
    now = shares[since:].sum(axis=0) / total if total else np.full(expected.size, math.nan)
    most = int(np.nanargmax(np.abs(now - expected))) if total else 0
    return Drift(
        watch, e_value(joint, weight, rows > 0), most + ordered, float(now[most]), float(expected[most]), margin
    )


def e_benjamini_hochberg(e_values: npt.ArrayLike, *, level: float = 0.95) -> npt.NDArray[np.intp]:
    """Which of several hypotheses their e-values refute, in order of place.

    On average at most 1 - level of those that are named are named wrongly, whatever the e-values have to do with each
    other (Wang & Ramdas 2022).

    >>> e_benjamini_hochberg([0.3, 150, 1.2, 60, 8]).tolist()
    [1, 3]
    """
    require_level(level)
    values = numbers_of(e_values, name="e_values")
    order = np.argsort(-values, kind="stable")
    enough = values[order] * np.arange(1, values.size + 1) >= values.size / (1 - level)
    refuted = int(np.flatnonzero(enough)[-1]) + 1 if enough.any() else 0
    return np.sort(order[:refuted])


def _above(counts: Floats) -> Floats:
    """Counts above each cut between cells: all cells but the first are above one."""
    above: Floats = np.cumsum(counts[..., ::-1], axis=-1)[..., ::-1][..., 1:]
    return above


def _cells(reference: npt.ArrayLike, counts: npt.ArrayLike) -> tuple[Floats, Floats]:
    base, table = numbers_of(reference, name="reference"), numbers_of(counts, name="counts", dimensions=2)
    if base.size < 2 or table.shape[1] != base.size:
        what = f"the reference has {base.size} cells and the cohorts have {table.shape[1]}"
        raise ArgumentError(what, "count both in the same two cells or more", parameter="counts")
    if not all((np.isfinite(each) & (each >= 0)).all() for each in (base, table)) or not base.sum() > 0:
        what = "counts must be finite and at least 0, and the reference needs some"
        raise ArgumentError(what, "check the counts", parameter="counts")
    return base, table
