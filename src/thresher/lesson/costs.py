"""Sliding a line of equal cost down from ROC heaven until it touches the curve."""

from __future__ import annotations

from dataclasses import dataclass

from thresher._internal.text import in_words, score_text
from thresher.choices import Choice, choose, read_accuracy
from thresher.lesson.step import Blank, Step, count, require_lesson, sentence, value, value_text
from thresher.ranking import Ranking
from thresher.tables import OperatingCondition

_POINTS_WRITTEN = 4


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CostStep(Step):
    """The slope of equal costs, the height of the line, and the splits it touches.

    `level` is where the line crosses the descending diagonal.
    """

    choice: Choice
    slope: float
    level: float | None
    splits: tuple[int, ...]


def costs(ranking: Ranking, condition: OperatingCondition | None = None) -> list[CostStep]:
    """Slide the line of equal costs from (0, 1) down to the cheapest thresholds.

    Without a condition both errors cost the same, and the mix of classes is that of the data.

    >>> emails = Ranking([.89, .80, .74, .71, .63, .49, .42, .32, .24, .13], pos=[1, 1, 0, 1, 1, 0, 1, 1, 0, 0],
    ...                  neg=[0, 0, 1, 0, 0, 1, 0, 0, 1, 1])
    >>> for step in costs(emails)[2:]:
    ...     print(step)
    Slide it down, keeping its slope, until it touches the curve: at split 8, the point (0.5, 1).
    Now it crosses the descending diagonal at height 0.8: the accuracy.
    Call positive from 0.28 on: expected cost 0.2 per case.
    """
    cases = require_lesson(ranking)
    choice = choose(cases, condition)
    asked = choice.condition
    class_ratio = cases.class_ratio if asked.class_ratio is None else asked.class_ratio
    stated = OperatingCondition(**asked.to_dict() | {"class_ratio": class_ratio})
    slope = stated.slope_roc
    touched = tuple(int(split) for split in choice.splits)
    places = [(point.table.fpr, point.table.tpr) for point in choice.points]
    level = read_accuracy(*places[0], slope)
    mix = "as in the data" if condition is None or condition.class_ratio is None else "as declared"
    miss = "as much as" if stated.cost_ratio == 1 else f"{value_text(stated.cost_ratio)} times"

    def step(*pieces: str, height: float | None = None, splits: tuple[int, ...] = ()) -> CostStep:
        return CostStep(parts=sentence(*pieces), choice=choice, slope=slope, level=height, splits=splits)

    share = "1 minus what errors cost, as a share of getting everything wrong"
    reads = f": {'the accuracy' if stated.cost_ratio == 1 else share}"
    return [
        step(
            f"A miss costs {miss} a false alarm; the class ratio (positives per negative) is ",
            f"{value_text(class_ratio)}, {mix}. Points of equal cost lie on lines of slope ",
            "1 / (cost ratio × class ratio) = ",
            value(slope),
            ".",
        ),
        step(
            "Begin at ROC heaven, (0, 1), where every call is right. There the line crosses the descending diagonal at "
            "height ",
            value(1),
            ".",
            height=1.0,
        ),
        step(
            "Slide it down, keeping its slope, until it touches the curve: at ",
            *_touched(touched, places),
            ".",
            height=level,
            splits=touched,
        ),
        step(
            "Now it crosses the descending diagonal at height ", value(level), f"{reads}.", height=level, splits=touched
        ),
        step(*_threshold(choice), height=level, splits=touched),
    ]


def _touched(splits: tuple[int, ...], places: list[tuple[float, float]]) -> list[str]:
    if len(splits) > _POINTS_WRITTEN:
        ends = ("the first ", Blank(_point(places[0])), ", the last ", Blank(_point(places[-1])))
        return [count(len(splits)), " points at once, ", *ends]
    pieces: list[str] = []
    for place, (split, point) in enumerate(zip(splits, places, strict=True)):
        between = "" if not place else " and " if place == len(splits) - 1 else ", "
        pieces += [f"{between}split ", count(split), ", the point ", Blank(_point(point))]
    return pieces


def _point(point: tuple[float, float]) -> str:
    return f"({value_text(point[0])}, {value_text(point[1])})"


def _threshold(choice: Choice) -> list[str]:
    cost = ["expected cost ", value(choice.expected_cost), " per case."]
    if choice.undecided is None:
        return ["Call positive from ", Blank(score_text(choice.threshold)), " on: ", *cost]
    low, high = choice.undecided
    thresholds = [score_text(point.threshold) for point in choice.points]
    named = f"{len(thresholds)} thresholds" if len(thresholds) > _POINTS_WRITTEN else in_words(thresholds)
    ends = [Blank(score_text(low)), " and ", Blank(score_text(high))]
    return [
        "Several thresholds cost the same, ",
        Blank(named),
        ": ",
        *cost,
        " Scores between ",
        *ends,
        " are undecided.",
    ]
