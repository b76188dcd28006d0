"""An alarm over cohorts with a stated mean run length: the e-detector.

With K and N the positives and labels of cohorts j, j + 1, … as known now,

    R = Σ_j Σ_λ w_λ exp(λ K - N φ_λ(p)),  alarm when R >= A

(Shin, Ramdas & Rinaldo 2024, in sum form). While the promise holds, every term is at most a supermartingale that
starts at 1 when its cohort opens, so E[R] never exceeds the number of cohorts and the mean run is at least A.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_between, require_number
from thresher._internal.results import Result
from thresher.errors import ArgumentError
from thresher.inference.anytime.counts import require_intrinsic_time
from thresher.inference.anytime.mixture import INTRINSIC_TIME, Side, log_factor, nodes
from thresher.ranking import Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Detector(Result):
    """Evidence against a promise, by cohort, and whether it suffices for an alarm.

    `log_path` is the natural logarithm of the evidence after each cohort, from the labels known now; `evidence` is its
    last value, `most` the evidence that raises an alarm. `change` is the cohort since which
    the evidence is strongest, None where no label counts.
    """

    evidence: float
    most: float
    change: int | None
    log_path: Floats

    @property
    def alarm(self) -> bool:
        """Whether the evidence suffices."""
        return self.evidence >= self.most

    def _brief(self) -> str:
        since = "" if self.change is None else f", most since cohort {self.change}"
        return f"evidence {self.evidence:.4g} of {self.most:.4g}{since}"


def detector(
    k: npt.ArrayLike,
    n: npt.ArrayLike,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    unlabelled: npt.ArrayLike | None = None,
    run_length: float = 365,
    share: float = 1,
    ever: float | None = None,
    intrinsic_time: float = INTRINSIC_TIME,
) -> Detector:
    """Evidence that the promised limit of a rate is broken, from counts per cohort.

    The rate is to be `at_least` or `at_most` a number. `k` of `n` rows of each cohort are positive, the oldest first;
    sums of values in [0, 1] will do. `unlabelled` of the n rows have no label yet and count in favour of the promise:
    give only mature cohorts, and the mean run between false alarms is at least `run_length` cohorts, whatever their
    delay depends on. Without it, n counts labels only, and the delay must not depend on the label. `share` of a budget
    of false alarms raises the bar to run_length / share. `ever` bounds the probability of any false alarm at all
    instead: start j has the weight 6/(π² j²).

    A cohort without labels starts nothing, so silence alone raises no alarm.

    >>> days = [24] * 20 + [17] * 4
    >>> drop = detector(days, [30] * 24, at_least=0.8, run_length=365)
    >>> drop, drop.alarm
    (Detector(evidence 1.825e+06 of 365, most since cohort 20), True)
    >>> detector(days[:20], [30] * 20, at_least=0.8).alarm
    False
    """
    positive, rows, unknown = cohort_counts(k, n, unlabelled)
    side, promise = _promise(at_least, at_most)
    require_intrinsic_time(intrinsic_time)
    favourable = positive + unknown if side == "below" else positive
    grid = nodes(0.95, intrinsic_time, side)
    steps = grid.log_odds * favourable[:, None] - rows[:, None] * log_factor(grid.log_odds, promise)
    return detect(steps, grid.log_weight, rows - unknown > 0, run_length=run_length, share=share, ever=ever)


def detect(
    steps: Floats,
    log_weight: Floats,
    starts: npt.NDArray[np.bool_],
    *,
    run_length: float,
    share: float,
    ever: float | None,
) -> Detector:
    """The detector of log factors per cohort and node; `starts` flags cohorts."""
    most = _bar(run_length, share, ever)
    if not starts.any():
        return Detector(0.0, most, None, np.full(len(starts), -math.inf))
    log_start, after = _log_starts(starts, ever=ever is not None), np.cumsum(steps, axis=0)
    running = after + np.logaddexp.accumulate(log_start - after + steps, axis=0)
    log_path = _log_sum(log_weight + running)
    log_path.flags.writeable = False
    terms = _log_sum(log_weight + log_start + after[-1] - after + steps)
    evidence = math.exp(min(float(log_path[-1]), 700.0))
    return Detector(evidence, most, int(np.argmax(terms)), log_path)


def e_value(steps: Floats, log_weight: Floats, starts: npt.NDArray[np.bool_]) -> float:
    """Evidence of any change since the first cohort: at most 1 on average at any stop."""
    if not starts.any():
        return 0.0
    since = np.cumsum(steps[::-1], axis=0)[::-1]
    terms = _log_sum(log_weight + _log_starts(starts, ever=True) + since)
    return math.exp(min(float(np.logaddexp.reduce(terms)), 700.0))


def _log_starts(starts: npt.NDArray[np.bool_], *, ever: bool) -> Floats:
    """Logarithms of the weights of starts: 1, or 6/(π² j²), which sum to 1."""
    order = np.arange(1, len(starts) + 1)
    weight = 2 * np.log(math.sqrt(6) / (math.pi * order)) if ever else np.zeros(len(starts))
    return np.where(starts, weight, -math.inf)[:, None]


def _log_sum(rows: Floats) -> Floats:
    """Logarithm of the sum of exponentials of each row."""
    most = np.maximum(rows.max(axis=1, keepdims=True), -1e300)  # a cohort before the first start has none
    total: Floats = most[:, 0] + np.log(np.maximum(np.exp(rows - most).sum(axis=1), 5e-324))
    return np.where(np.isneginf(rows).all(axis=1), -math.inf, total)


def cohort_counts(k: Any, n: Any, unlabelled: Any = None) -> tuple[Floats, Floats, Floats]:
    """Counts per cohort, checked: k and unlabelled rows fit into n."""
    positive, rows = (numbers_of(each, name=name) for each, name in ((k, "k"), (n, "n")))
    unknown = np.zeros(rows.size) if unlabelled is None else numbers_of(unlabelled, name="unlabelled")
    if not positive.shape == rows.shape == unknown.shape:
        what = f"counts of {positive.size}, {rows.size} and {unknown.size} cohorts do not belong together"
        raise ArgumentError(what, "give one of each per cohort", parameter="k")
    wrong = ~((positive >= 0) & (unknown >= 0) & (positive + unknown <= rows * (1 + 1e-12)) & np.isfinite(rows))
    if wrong.any():
        at = int(np.argmax(wrong))
        what = f"cohort {at} has {positive[at]:g} positive and {unknown[at]:g} unlabelled of {rows[at]:g} rows"
        raise ArgumentError(what, "give counts with k + unlabelled <= n", parameter="k")
    return positive, rows, unknown


def _promise(at_least: float | None, at_most: float | None) -> tuple[Side, float]:
    if (at_least is None) == (at_most is None):
        what = "a promise is one limit of a rate"
        raise ArgumentError(what, "give at_least=0.6 or at_most=0.02", parameter="at_least")
    if at_least is not None:
        return "below", require_between(at_least, 0, 1, name="at_least", fix="e.g. 0.6")
    return "above", require_between(at_most, 0, 1, name="at_most", fix="e.g. 0.02")


def _bar(run_length: float, share: float, ever: float | None) -> float:
    if ever is not None:
        return 1 / require_between(ever, 0, 1, name="ever", fix="e.g. 0.05")
    if not require_number(run_length, name="run_length") >= 1:
        what = f"a mean run of {run_length:g} cohorts is none"
        raise ArgumentError(what, "e.g. 365 for one false alarm in 365 cohorts", parameter="run_length")
    if not 0 < require_number(share, name="share") <= 1:
        raise ArgumentError(f"share must be above 0 and at most 1, got {share:g}", "e.g. 0.5", parameter="share")
    return run_length / share
