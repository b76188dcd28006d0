"""Logistic maps: Platt's sigmoid, beta calibration and temperature are one family of curves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np

from thresher.calibration.probabilities import probabilities_in
from thresher.plain_data import fields, number, one_of
from thresher.ranking import Floats

On: TypeAlias = Literal["log_odds", "score"]


@dataclass(frozen=True, slots=True)
class LogisticCurve:
    """p = 1 / (1 + exp(-z)) with z linear in what it is fitted on.

    On log-odds t of scores that are probabilities, z = c - a·ln(1 + e⁻ᵗ) + b·ln(1 + eᵗ), which is
    c + a·ln(s) - b·ln(1 - s): beta calibration. With a = b it is Platt's c + a·t, and with c = 0
    as well it is temperature, T = 1/a. On plain scores, z = c + a·(s - centre) / unit, and b = a.

    `limit` bounds the log-odds on either side; it is infinite unless the training scores held 0 or 1.

    >>> identity = LogisticCurve(on="log_odds", a=1, b=1, c=0)
    >>> identity(np.array([0, 0.25, 1]))
    array([0.  , 0.25, 1.  ])
    """

    on: On
    a: float
    b: float
    c: float
    centre: float = 0.0
    unit: float = 1.0
    limit: float = math.inf

    def __call__(self, scores: Floats) -> Floats:
        """The probability of each score."""
        from scipy.special import expit

        if self.on == "score":
            z = self._of_scores(scores)
        else:
            p = probabilities_in(scores)
            z = self._of_log_odds(log_odds(p, limit=self.limit))
        mapped: Floats = expit(z)
        return mapped

    def _of_scores(self, scores: Floats) -> Floats:
        if not self.a:  # 0 times an infinite score would be no number
            return np.full_like(scores, self.c)
        with np.errstate(over="ignore"):
            return self.a * ((scores - self.centre) / self.unit) + self.c

    def _of_log_odds(self, t: Floats) -> Floats:
        z = np.full_like(t, self.c)
        if self.a == self.b:
            return z + self.a * t if self.a else z
        if self.a:
            z -= self.a * np.logaddexp(0, -t)
        if self.b:
            z += self.b * np.logaddexp(0, t)
        return z

    def to_dict(self) -> dict[str, Any]:
        """Plain data; an infinite limit is left out."""
        plain: dict[str, Any] = {"on": self.on} | {name: getattr(self, name) for name in _COEFFICIENTS}
        return plain | ({} if math.isinf(self.limit) else {"limit": self.limit})

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote; a field that is not so raises `FieldError`."""
        above = number(0, strictly=True)
        coefficients = dict.fromkeys(("a", "b", "c", "centre"), number())
        readers = {"on": one_of(get_args(On)), **coefficients, "unit": above, "limit": above}
        return cls(**fields(value, readers, optional=["limit"]))


_COEFFICIENTS = ("a", "b", "c", "centre", "unit")


def log_odds(p: Floats, *, limit: float = math.inf) -> Floats:
    """ln(p / (1 - p)), kept within ±limit; without a limit 0 and 1 have infinite log-odds.

    >>> log_odds(np.array([0, 0.5, 1])), log_odds(np.array([0, 0.5, 1]), limit=5)
    (array([-inf,   0.,  inf]), array([-5.,  0.,  5.]))
    """
    with np.errstate(divide="ignore"):
        t = np.log(p) - np.log1p(-p)
    return np.clip(t, -limit, limit)
