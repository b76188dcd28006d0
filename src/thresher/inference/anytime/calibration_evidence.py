"""Evidence against calibration at every look, and by how much.

    E = Σ_ab w_ab Π (q/s)^positive ((1 - q)/(1 - s))^negative,  q = expit(a logit s + b)

is a martingale where every label is positive with the probability s that was stated, given the past, in whatever order
labels come. Against other values of a and b the same ratio gives their region {(a, b) : Σ w L / L(a, b) < 1/α}, which
is convex, because the likelihood L of a logistic regression is log-concave.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from thresher._internal.arguments import require_level
from thresher._internal.results import Result
from thresher.inference.interval import Interval, undefined
from thresher.ranking import Floats, Ranking, require_ranking

SLOPES = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0)
INTERCEPTS = (0.0, *(sign * size for size in (0.1, 0.2, 0.4, 0.8, 1.6) for sign in (-1, 1)))
_FARTHEST = 64.0
_NEWTON_STEPS, _LONGEST_STEP = 50, 4.0
_RESOLVED = 1e-9  # of a log-likelihood


@dataclass(frozen=True, slots=True, repr=False)
class CalibrationEvidence(Result):
    """Evidence against calibrated probabilities, with limits of intercept and slope.

    The probabilities are refuted at a level of 95 % where `evidence` reaches 20. `intercept` and `slope` are those of
    the log-odds that would be right; their limits hold together and at every look. `certain_and_wrong` counts cases
    that were given probability 0 or 1 and turned out otherwise: one makes the evidence infinite.
    """

    evidence: float
    refuted: bool
    intercept: Interval
    slope: Interval
    certain_and_wrong: float

    def _brief(self) -> str:
        return f"evidence {self.evidence:.4g}, intercept {self.intercept}, slope {self.slope}"


def calibration_evidence(
    ranking: Ranking, *, reference: Ranking | None = None, level: float = 0.95
) -> CalibrationEvidence:
    """Whether labelled rows refute their probabilities, at every look.

    The scores of the ranking are probabilities. Which rows are labelled may depend on the score: alarms alone will do.
    Probabilities that were read off counts are uncertain themselves; with those counts as `reference`, under the same
    probabilities, the evidence is that one intercept and slope do not fit both (the least product of their evidence).

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> calibration_evidence(spam_tree)
    CalibrationEvidence(evidence 0.4399, intercept -0.0219 [-0.7109, 0.6752], slope 0.7148 [0.1712, 1.3902])
    """
    require_level(level)
    require_ranking(ranking, probabilities=True)
    score = ranking.score
    wrong = float(ranking.neg[score == 1].sum() + ranking.pos[score == 0].sum())
    likelihood = _likelihood(ranking)
    mixture = likelihood.mixture()
    log_evidence = math.inf if wrong else mixture - likelihood.log(1.0, 0.0)
    if reference is not None and not wrong:
        require_ranking(reference, probabilities=True)
        other = _likelihood(reference)
        both = _Likelihood(*(np.concatenate(pair) for pair in zip(likelihood.parts, other.parts, strict=True)))
        log_evidence = mixture + other.mixture() - both.log(*both.best((1.0, 0.0)))
    enough = -math.log1p(-level)
    slope, intercept = _region(likelihood, mixture - enough, level)
    evidence = math.exp(min(log_evidence, 700.0)) if log_evidence < math.inf else math.inf
    return CalibrationEvidence(evidence, log_evidence >= enough, intercept, slope, wrong)


def _likelihood(ranking: Ranking) -> _Likelihood:
    score = ranking.score
    inside = (score > 0) & (score < 1)
    log_odds = np.log(score[inside]) - np.log1p(-score[inside])
    return _Likelihood(log_odds, ranking.pos[inside] * 1.0, ranking.neg[inside] * 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Likelihood:
    """Log-likelihood of labels whose log-odds are a·x + b; concave in (a, b)."""

    x: Floats
    pos: Floats
    neg: Floats

    @property
    def parts(self) -> tuple[Floats, Floats, Floats]:
        """Log-odds, positives and negatives."""
        return self.x, self.pos, self.neg

    def mixture(self) -> float:
        """Logarithm of the mean likelihood of all slopes and intercepts that are tried."""
        every = [self.log(a, b) for a in SLOPES for b in INTERCEPTS]
        return float(np.logaddexp.reduce(every) - math.log(len(every)))

    def log(self, a: float, b: float) -> float:
        z = a * self.x + b
        return _dot(self.pos, z) - _dot(self.pos + self.neg, np.logaddexp(0, z))

    def best(self, start: tuple[float, float], *, a: bool = True, b: bool = True) -> tuple[float, float]:
        """The likeliest (a, b), of which those marked may move from the start: Newton."""
        from scipy.special import expit

        free, at = np.array([a, b]), np.array(start)
        for _ in range(_NEWTON_STEPS):
            p = expit(at[0] * self.x + at[1])
            cases = self.pos + self.neg
            excess, weight = self.pos - cases * p, cases * p * (1 - p)
            slope = np.array([_dot(excess, self.x), excess.sum()])[free]
            cross = _dot(weight, self.x)
            curve = np.array([[_dot(weight, self.x**2), cross], [cross, weight.sum()]])[np.ix_(free, free)]
            ridge = 1e-12 * (1 + np.trace(curve)) * np.eye(len(slope))  # classes that are separate have no curvature
            step = np.clip(np.linalg.solve(curve + ridge, slope), -_LONGEST_STEP, _LONGEST_STEP)
            value, size, trial = self.log(*at), 1.0, at.copy()
            while size > 1e-3:
                trial[free] = np.clip(at[free] + size * step, -_FARTHEST, _FARTHEST)
                if self.log(*trial) >= value:
                    break
                size /= 2
            at = trial
            if abs(float(slope @ step)) < _RESOLVED:
                break
        return float(at[0]), float(at[1])


def _dot(first: Floats, second: Floats) -> float:
    """One pass without BLAS, whose threads wait for each other on a busy machine."""
    return float(np.einsum("i,i->", first, second))


def _region(likelihood: _Likelihood, least: float, level: float) -> tuple[Interval, Interval]:
    """Slope and intercept with the ends of the region in which log L exceeds `least`."""
    if not likelihood.x.size:
        return (undefined(level, "every probability is 0 or 1"),) * 2
    a, b = centre = likelihood.best((1.0, 0.0))

    def of_slope(value: float) -> float:
        return likelihood.log(*likelihood.best((value, b), a=False)) - least

    def of_intercept(value: float) -> float:
        return likelihood.log(*likelihood.best((a, value), b=False)) - least

    slope, intercept = (_ends(at, excess, level) for at, excess in zip(centre, (of_slope, of_intercept), strict=True))
    return slope, intercept


def _ends(centre: float, excess: Callable[[float], float], level: float) -> Interval:
    """Where a concave function falls through 0 on both sides; infinite if it does not."""
    from scipy.optimize import brentq

    limits = []
    for sign in (-1.0, 1.0):
        near, reach = 0.0, 0.125
        while reach < _FARTHEST and excess(centre + sign * reach) > 0:
            near, reach = reach, 2 * reach
        if reach >= _FARTHEST:
            limits.append(sign * math.inf)
        else:
            limits.append(brentq(excess, centre + sign * near, centre + sign * reach, xtol=1e-7))
    return Interval(centre, limits[0], limits[1], math.nan, level, "anytime")
