"""Prior shift: probabilities learnt at one prevalence, restated for another."""

from __future__ import annotations

import numpy.typing as npt

from thresher.calibration.probabilities import probabilities_in
from thresher.errors import ProbabilityError
from thresher.ranking import Floats, as_number


def adjust_prevalence(probabilities: npt.ArrayLike, from_: float, to: float) -> Floats:
    """Probabilities of the positive class where prevalence is `to` instead of `from_`.

    Posterior odds are multiplied by the ratio of prior odds, which is right when the classes
    themselves look the same in both places and only their mix differs; it keeps the order of
    cases and does not repair miscalibration. 0 stays 0 and 1 stays 1. (Saerens et al. 2002.)

        p' = p·to·(1 - from) / (p·to·(1 - from) + (1 - p)·(1 - to)·from)

    >>> adjust_prevalence([4/5, 2/3, 1/3], from_=1/2, to=1/11).round(4)  # the spam tree, ten hams a spam
    array([0.2857, 0.1667, 0.0476])
    """
    where = "adjust_prevalence(probabilities, from_, to)"
    p = probabilities_in(probabilities, where=where)
    for name, prevalence in (("from_", from_), ("to", to)):
        if not 0 < as_number(prevalence) < 1:
            raise ProbabilityError(
                f"{name} must lie between 0 and 1, got {prevalence}",
                where=where,
                fix="give the proportion of positives, e.g. ranking.prevalence",
            )
    for_positive = p * (to * (1 - from_))
    for_negative = (1 - p) * ((1 - to) * from_)
    return for_positive / (for_positive + for_negative)
