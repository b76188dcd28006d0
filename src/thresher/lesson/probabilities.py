"""Losses of margins, and what a segment's prediction costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher._internal.text import number_text
from thresher.calibration.losses import LOSSES, mean_loss
from thresher.lesson.step import (
    Blank,
    ClassNames,
    Step,
    count,
    quotient,
    require_lesson,
    sentence,
    value,
    value_text,
)
from thresher.ranking import Ranking

_FORMULAS = {
    "0-1": ("0-1 loss", "1 where z ≤ 0, else 0"),
    "hinge": ("Hinge loss", "1 − z below 1, else 0"),
    "logistic": ("Logistic loss", "log₂(1 + exp(−z))"),
    "exponential": ("Exponential loss", "exp(−z)"),
    "squared": ("Squared loss", "(1 − z)²"),
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LossStep(Step):
    """A loss of margins and its mean; the first step has none and counts errors."""

    loss: str | None
    mean: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CalibrationStep(Step):
    """What a segment predicts, and its squared errors; the last step adds all up."""

    segment: int | None
    pos: int
    neg: int
    predicted: float
    share: float
    squared_error: float

    def at(self, probability: float) -> float:
        """The sum of squared errors if the segment predicted something else.

        >>> leaf = calibration(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1]))[2]
        >>> [round(leaf.at(p), 2) for p in (0.2, 1 / 3, 0.4)]
        [14.4, 13.33, 13.6]
        """
        return self.pos * (1 - probability) ** 2 + self.neg * probability**2


def losses(ranking: Ranking, *, positive: str | None = None, negative: str | None = None) -> list[LossStep]:
    """Mean losses of the margins, with the boundary between the classes at score 0.

    >>> tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> {step.loss: round(step.mean, 4) for step in losses(tree)[1:3]}
    {'0-1': 0.3, 'hinge': 0.65}
    """
    cases, names = require_lesson(ranking), ClassNames(positive, negative)
    wrong = round(mean_loss(cases, LOSSES["0-1"]) * cases.total)
    margins = sentence(
        f"The margin z of {names.positives} is their score, of {names.negatives} minus their score; ",
        "above 0 the sign is right. Of the margins ",
        count(wrong),
        f" of {cases.total:,} are not above 0.",
    )
    steps = [LossStep(parts=margins, loss=None, mean=wrong / cases.total)]
    for name, loss in LOSSES.items():
        title, formula = _FORMULAS[name]
        mean = mean_loss(cases, loss)
        rate = ", the error rate" if name == "0-1" else ""
        words = sentence(f"{title}: {formula}. Its mean is ", value(mean), f"{rate}.")
        steps.append(LossStep(parts=words, loss=name, mean=mean))
    return steps


def calibration(ranking: Ranking, *, positive: str | None = None, negative: str | None = None) -> list[CalibrationStep]:
    """Squared errors of what each segment predicts: its score, or its share.

    Scores are predictions where all of them are probabilities.

    >>> tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> for step in calibration(tree):
    ...     print(step)
    Segment 1: 20 positives and 5 negatives, share 4/5. It predicts its share: squared error 4.00, the least possible.
    Segment 2: 10 positives and 5 negatives, share 2/3. It predicts its share: squared error 3.33, the least possible.
    Segment 3: 20 positives and 40 negatives, share 1/3. It predicts its share: squared error 13.33, the least possible.
    All segments: squared error 20.67, over 100 cases a Brier score of 0.2067.
    """
    cases, names = require_lesson(ranking), ClassNames(positive, negative)
    certain = bool(cases.score[0] <= 1 and cases.score[-1] >= 0)
    steps = []
    for place, (score, pos, neg) in enumerate(
        zip(cases.score.tolist(), cases.pos.tolist(), cases.neg.tolist(), strict=True)
    ):
        share = pos / (pos + neg)
        predicted = score if certain else share
        error = pos * (1 - predicted) ** 2 + neg * predicted**2
        holds = f"Segment {place + 1}: {names.count(pos, neg)}, share "
        if predicted == share:
            ends = ["It predicts its share: squared error ", _squared(error), ", the least possible."]
        else:
            least = pos * (1 - share) ** 2 + neg * share**2
            ends = [f"It predicts {value_text(predicted)}: squared error ", _squared(error)]
            ends += [". Its share would have ", _squared(least), "."]
        steps.append(
            CalibrationStep(
                parts=sentence(holds, quotient(pos, pos + neg), ". ", *ends),
                segment=place,
                pos=pos,
                neg=neg,
                predicted=predicted,
                share=share,
                squared_error=error,
            )
        )
    total = float(np.sum([step.squared_error for step in steps]))
    mean = value(total / cases.total)
    words = sentence(
        "All segments: squared error ", _squared(total), f", over {cases.total:,} cases a Brier score of ", mean, "."
    )
    last = CalibrationStep(
        parts=words,
        segment=None,
        pos=cases.Pos,
        neg=cases.Neg,
        predicted=cases.prevalence,
        share=cases.prevalence,
        squared_error=total,
    )
    return [*steps, last]


def _squared(error: float) -> Blank:
    return Blank(number_text(error, 2))
