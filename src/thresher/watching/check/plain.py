"""A check as plain data, after the published schema thresher/check/1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.inference import Drift, Interval, Step
from thresher.watching.periods import moment_text, period_text

if TYPE_CHECKING:
    from thresher.watching.check.result import Check

FORMAT = "thresher/check/1"


def check_dict(check: Check) -> dict[str, Any]:
    """Plain data; numbers that JSON has no word for become None."""
    period, delays, state, mix = check.settings.period, check.delays, check.threshold_state, check.mix
    return {
        "format": FORMAT,
        "watch": check.watch,
        "as_of": moment_text(check.as_of),
        "state": check.state,
        "exit_code": check.exit_code,
        "unwatched": check.unwatched or None,
        "budget": {"false_alarms": check.settings.false_alarms, "periods": check.settings.mean_run, "period": period},
        "epoch": {
            "number": check.epoch,
            "model": check.model,
            "threshold": check.threshold if math.isfinite(check.threshold) else str(check.threshold),
            "since": None if check.deployed < -(2**61) else moment_text(check.deployed),
            "first_period": None if check.first_period is None else period_text(check.first_period, period),
            "last_period": period_text(check.period, period),
        },
        "promises": [one.to_dict(period) for one in check.promises.values()],
        "alarms": [one.to_dict(period) for one in check.alarms],
        "ladder": {name: [_step(step) for step in steps] for name, steps in check.ladders.items()},
        "decision_holds": check.decision_holds,
        "threshold": {
            "holds_from": _finite(state.holds_from),
            "holds_to": _finite(state.holds_to),
            "lowest_band": None
            if state.band is None
            else {
                "verdict": state.band.verdict,
                "precision": state.band.precision.to_dict(),
                "break_even": state.band.break_even,
            },
        },
        "regret": _interval(state.regret),
        "cost_change": None
        if state.change is None
        else {
            name: _finite(getattr(state.change, name))
            for name in ("promised", "now", "mix", "threshold", "calibration", "ranking")
        },
        "remedy": check.remedy,
        "next": list(check.next_steps),
        "class_ratio": None
        if mix is None
        else {
            "rows": mix.rows,
            "methods": {name: one.to_dict() for name, one in mix.ratios.items()},
            "refuted": bool(mix.test.refuted),
            "gap": _finite(mix.test.gap),
            "noticeable": _finite(mix.test.noticeable),
            "p_value": _finite(mix.test.p_value),
        },
        "calibration": None
        if check.calibration is None
        else {
            "evidence": _finite(check.calibration.evidence),
            "refuted": bool(check.calibration.refuted),
            "intercept": check.calibration.intercept.to_dict(),
            "slope": check.calibration.slope.to_dict(),
        },
        "drift": {
            "scores": None if check.drift is None else _drift(check.drift),
            "columns": {name: _drift(one) | {"named": name in check.drifted} for name, one in check.columns.items()},
        },
        "maturity": {
            "hours": _finite(delays.age),
            "declared": delays.declared,
            "ever_labelled": _finite(delays.plateau),
            "labels": delays.labels,
            "delay": None
            if delays.test is None
            else {
                "gap": _finite(delays.test.gap),
                "p_value": _finite(delays.test.p_value),
                "differs": bool(delays.test.differs),
            },
        },
        "counts": dict(check.counts),
        "last_row": None if check.last_row is None else moment_text(check.last_row),
        "last_label": None if check.last_label is None else moment_text(check.last_label),
        "cohorts": _cohorts(check),
        "queue": _queue(check),
        "cautions": [{"code": caution.code, "text": caution.text} for caution in check.cautions],
    }


def _cohorts(check: Check) -> dict[str, list[Any]]:
    table = {name: np.asarray(values).tolist() for name, values in check.cohorts.items()}
    table["period"] = [period_text(number, check.settings.period) for number in table["period"]]
    return table


def _queue(check: Check) -> dict[str, Any]:
    queue = check.queue
    strata = [
        {
            "stratum": check.strata[n],
            "rows": int(queue.rows[n]),
            "labelled": int(queue.labelled[n]),
            "positive": int(queue.positive[n]),
            "not_yet_usable": int(queue.waiting[n]),
        }
        for n in range(queue.rows.size)
    ]
    period = check.settings.period
    return {
        "first": period_text(queue.first, period),
        "last": period_text(queue.last, period),
        "recall": _interval(check.audit),
        "strata": strata,
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "step": step.step,
        "assumption": step.assumption,
        "refutation": step.refutation,
        "refuted": None if step.refuted is None else bool(step.refuted),
        "interval": step.interval.to_dict(),
        "missed": step.missed.to_dict(),
    }


def _drift(one: Drift) -> dict[str, Any]:
    return {
        "evidence": one.detector.evidence,
        "evidence_of_alarm": one.detector.most,
        "alarm": bool(one.alarm),
        "e_value": one.e_value,
        "cut": one.cut,
        "share": _finite(one.share),
        "reference": _finite(one.reference),
    }


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    return None if interval is None else interval.to_dict()


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
