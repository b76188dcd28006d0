"""Purchases scored day by day, labels that come late, and a change on a known day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_integer
from thresher.ranking import Flags, Floats

Columns: TypeAlias = dict[str, npt.NDArray[np.generic]]

START = np.datetime64("2026-01-01", "us")
DAY = np.timedelta64(86_400_000_000, "us")
PREVALENCE = 0.04
SEPARATION = 2.6  # of the classes, in standard deviations
CHANNELS = np.array(["card", "transfer", "invoice"])
WALLET, MISLED = 0.1, 1.6  # share of purchases by wallet after the change, and how much riskier they look
_DELAYS = 3.0, 9.0  # days until a negative and a positive is known, on average
_LATEST = 60.0
_CORRECTED = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A year of scored purchases of which the truth is known.

    Scores are calibrated probabilities of fraud until day `change`. From then on honest purchases by a new channel,
    "wallet", look riskier than they are, so that alarms are right less often. Frauds are known later than honest
    purchases, and one label in fifty is corrected. Every day is the same however many are asked for.

    >>> stream = Stream(rows=4)
    >>> stream.rows_of(0)["tx"].tolist()
    ['tx-0-0', 'tx-0-1', 'tx-0-2', 'tx-0-3']
    >>> stream.labels(["tx-0-0", "tx-0-3"])["tx"].tolist()
    ['tx-0-0', 'tx-0-3']
    """

    rows: int = 300
    change: int = 290
    seed: int = 1

    def __post_init__(self) -> None:
        require_integer(self.rows, name="rows", least=1, fix="give how many purchases a day has, e.g. 300")
        require_integer(self.change, name="change", least=0, fix="give a day, counted from 0")

    def reference(self, rows: int = 8000) -> Columns:
        """Labelled purchases of the time before the first day."""
        rng = np.random.default_rng([self.seed, 0])
        fraud, scored = _purchases(rng, rows, changed=False)
        return {"fraud": fraud.astype(np.int64), **scored}

    def rows_of(self, day: int) -> Columns:
        """The purchases of a day: id, time, score and two inputs."""
        _, scored, seconds = self._day(day)
        return {
            "tx": np.array([f"tx-{day}-{n}" for n in range(self.rows)]),
            "at": START + day * DAY + (seconds * 1e6).astype("timedelta64[us]"),
            **scored,
        }

    def truth(self, day: int) -> Flags:
        """Which purchases of a day are frauds."""
        return self._day(day)[0]

    def labels(self, ids: npt.ArrayLike) -> Columns:
        """What reviewers say of purchases and when, corrections included, by time."""
        tx: list[str] = []
        at: list[np.datetime64] = []
        fraud: list[int] = []
        days: dict[int, tuple[Flags, Floats]] = {}
        for name in np.asarray(ids).tolist():
            day, n = (int(part) for part in name.split("-")[1:])
            if day not in days:
                truth, _, seconds = self._day(day)
                days[day] = truth, seconds
            truth, seconds = days[day]
            rng = np.random.default_rng([self.seed, 2, day, n])
            delay = min(rng.exponential(_DELAYS[int(truth[n])]), _LATEST)
            seen = START + day * DAY + np.timedelta64(int((seconds[n] + 86_400 * delay) * 1e6), "us")
            wrong = rng.random() < _CORRECTED
            tx += [name, name] if wrong else [name]
            at += [seen, seen + 5 * DAY] if wrong else [seen]
            fraud += [int(not truth[n]), int(truth[n])] if wrong else [int(truth[n])]
        order = np.argsort(np.array(at, dtype="datetime64[us]"), kind="stable")
        values = np.array(tx), np.array(at, dtype="datetime64[us]"), np.array(fraud, dtype=np.int64)
        return {name: value[order] for name, value in zip(("tx", "at", "fraud"), values, strict=True)}

    def _day(self, day: int) -> tuple[Flags, Columns, Floats]:
        rng = np.random.default_rng([self.seed, 1, day])
        fraud, scored = _purchases(rng, self.rows, changed=day >= self.change)
        return fraud, scored, np.sort(rng.random(self.rows)) * 86_399


def _purchases(rng: np.random.Generator, rows: int, *, changed: bool) -> tuple[Flags, Columns]:
    fraud = rng.random(rows) < PREVALENCE
    risk = rng.normal(size=rows) + SEPARATION * fraud
    channel = rng.choice(CHANNELS, size=rows, p=[0.6, 0.3, 0.1])
    wallet = rng.random(rows) < (WALLET if changed else 0.0)
    channel = np.where(wallet, "wallet", channel)
    risk = np.where(wallet & ~fraud, risk + MISLED, risk)
    odds = PREVALENCE / (1 - PREVALENCE) * np.exp(SEPARATION * risk - SEPARATION**2 / 2)
    amount = np.round(np.exp(rng.normal(3.5, 1, rows)), 2)
    return fraud, {"p": odds / (1 + odds), "amount": amount, "channel": channel}
