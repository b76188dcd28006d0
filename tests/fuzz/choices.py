"""`choose` against every split tried in exact fractions: costs, measures, constraints, capacity, several models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import thresher as th
from tests.fuzz.answers import Answers, chance
from tests.fuzz.cases import Case, Rng, pick, two_classes
from tests.fuzz.definitions import DEFINITIONS, Exact, sort_key, tables
from thresher.errors import InfeasibleError, MeasureError
from thresher.tables.condition import simplest
from thresher.tables.quantities import RELATIONS

RATIOS = (1.0, 2.0, 0.5, 1 / 3, 0.1, 3.0, 1e-12, 1e12, 1e-100, 1e100, 7.3)
BOUNDED = ("tpr", "fpr", "precision", "accuracy", "f1", "predicted_positive_rate", "npv", "tnr")
TIED = 4e-12  # weights without a unit tie within 1e-12 of the largest cost, which may itself round


class Question(NamedTuple):
    """What is chosen from: rows, a condition and the splits that are allowed; `text` says it all."""

    case: Case
    condition: th.OperatingCondition
    allowed: Sequence[int]
    text: str

    @property
    def class_ratio(self) -> Fraction | None:
        """The declared class ratio, as the fraction that its float stands for."""
        return None if self.condition.class_ratio is None else simplest(self.condition.class_ratio)

    def within(self, allowed: Sequence[int], text: str) -> Question:
        """The same with fewer splits allowed."""
        return self._replace(allowed=allowed, text=f"{text}, {self.text}")


def check(seed: int, size: int) -> Answers:
    """Choices by cost, by a measure, and within constraints."""
    rng, answers = np.random.default_rng([2, seed]), Answers()
    case, condition = two_classes(rng, size), _condition(rng)
    ranking, points = case.ranking(), case.points()
    question = Question(case, condition, range(len(ranking) + 1), f"condition {condition}, {case}")
    _cost(answers, th.choose(ranking, condition), question)
    _within_capacity(answers, rng, question)
    for name, known in th.MEASURES.items():
        if known.better != "neither" and chance(rng, 0.4):
            _measure(answers, name, _values(name, points, question.class_ratio), question)
    _constrained(answers, rng, question)
    return answers


def joint(seed: int, size: int) -> Answers:
    """The cheapest of several models, for one condition and for all cost ratios."""
    rng, answers = np.random.default_rng([3, seed]), Answers()
    first = two_classes(rng, size, weighted=False)
    models = {"a": first}
    for name in "bcd"[: int(rng.integers(1, 4))]:
        scores = rng.permutation(first.scores) if chance(rng, 0.5) else rng.integers(0, 5, first.labels.size)
        models[name] = Case(first.labels, scores, None, first.exact, True)
    condition = _condition(rng)
    rankings = {name: case.ranking() for name, case in models.items()}
    best = th.choose(rankings, condition)
    where = f"condition {condition}, models { {name: str(case) for name, case in models.items()} }"
    _joint_costs(answers, best, models, condition, where)
    for one in best.ranges:
        for cost_ratio in _inside(rng, one.low, one.high):
            other = th.OperatingCondition(class_ratio=condition.class_ratio, cost_ratio=cost_ratio)
            least = {name: min(exact_costs(case, other)) for name, case in models.items()}
            winners = tuple(name for name, cost in least.items() if cost == min(least.values()))
            answers.same(
                one.models, winners, f"models of the range {one.low!r} to {one.high!r} at {cost_ratio!r}, {where}"
            )
            point = exact_costs(models[one.models[0]], other)[one.point.split]
            answers.same(point, min(least.values()), f"cost of the range at {cost_ratio!r}, {where}")
    return answers


def _values(name: str, points: Sequence[tuple[Fraction, Fraction]], ratio: Fraction | None) -> list[Exact]:
    """The exact values of a measure at every split."""
    return [DEFINITIONS[name](cells) for cells in tables(list(points), ratio)]


def _condition(rng: Rng) -> th.OperatingCondition:
    """A condition: simple, extreme, or neither."""
    parts: dict[str, Any] = {}
    if chance(rng, 0.5):
        parts["class_ratio"] = pick(rng, [1.0, 0.75, 1 / 3, 0.01, 1e-6, 1e6, float(rng.uniform(0.01, 5))])
    elif chance(rng, 0.3):
        parts["prevalence"] = pick(rng, [0.5, 0.01, 1e-9, 1 - 1e-9, float(rng.uniform(0.01, 0.99))])
    if chance(rng, 0.5):
        parts["cost_ratio"] = pick(rng, [*RATIOS, float(rng.uniform(0.01, 30))])
    elif chance(rng, 0.5):
        parts |= {"cost_fp": 0.1, "cost_fn": pick(rng, [0.3, 1, 0.7]), "cost_tp": pick(rng, [0, -0.2]), "cost_tn": 0}
    return th.OperatingCondition(**parts)


def exact_costs(case: Case, condition: th.OperatingCondition) -> list[Fraction]:
    """The expected cost of every split over that of being always wrong, exactly; right calls for nothing."""
    points = case.points()
    Neg, Pos = points[-1]
    mix = Pos / Neg if condition.class_ratio is None else simplest(condition.class_ratio)
    misses = mix * condition.exact_cost_ratio
    return [(fp / Neg + misses * (Pos - tp) / Pos) / (1 + misses) for fp, tp in points]


def _cost(answers: Answers, choice: th.Choice, question: Question) -> None:
    """A choice by cost among the allowed splits."""
    case, condition, allowed, where = question
    costs = exact_costs(case, condition)
    least = min(costs[split] for split in allowed)
    best = [split for split in allowed if costs[split] == least]
    splits = choice.splits.tolist()
    if case.unitary:
        answers.same(splits, best, f"splits of least cost, {where}")
    else:
        near = all(costs[split] <= least + Fraction(TIED) for split in splits)
        answers.check(near and set(best) <= set(splits), f"splits of least cost are {splits}, expected {best}, {where}")
    middle = splits[(len(splits) - 1) // 2]
    answers.same(choice.point.split, middle, f"the middle of the ties, {where}")
    answers.near(
        choice.expected_cost, _expected_cost(case, condition, middle), f"expected cost, {where}", relative=1e-9
    )
    if case.unitary:
        others = [costs[split] for split in allowed if costs[split] > least]
        next_best = min(others) if others else None
        second = None if choice.runner_up is None else costs[choice.runner_up.split]
        answers.same(second, next_best, f"cost of the runner-up, {where}")
        _holds_for(answers, choice, question)


def _expected_cost(case: Case, condition: th.OperatingCondition, split: int) -> Fraction:
    points = case.points()
    (Neg, Pos), (fp, tp) = points[-1], points[split]
    mix = Pos / Neg if condition.class_ratio is None else simplest(condition.class_ratio)
    share = mix / (1 + mix)
    cost_tp, cost_fn, cost_fp, cost_tn = (
        simplest(cost) for cost in (condition.cost_tp, condition.cost_fn, condition.cost_fp, condition.cost_tn)
    )
    positives = tp / Pos * cost_tp + (1 - tp / Pos) * cost_fn
    return share * positives + (1 - share) * (fp / Neg * cost_fp + (1 - fp / Neg) * cost_tn)


def _holds_for(answers: Answers, choice: th.Choice, question: Question) -> None:
    """The cost ratios over which the split stays cheapest, from every rival in turn."""
    case, condition, allowed, where = question
    points, split = case.points(), choice.point.split
    Neg, Pos = points[-1]
    mix = Pos / Neg if condition.class_ratio is None else simplest(condition.class_ratio)
    low: Fraction | float = Fraction(0)
    high: Fraction | float = math.inf
    for rival in allowed:
        fp, tp = ((points[rival][at] - points[split][at]) / total for at, total in ((0, Neg), (1, Pos)))
        if rival < split:
            low = max(low, fp / (tp * mix) if tp else math.inf)
        elif rival > split and tp:
            high = min(high, fp / (tp * mix))
    if low > high:
        answers.same(choice.holds_for, None, f"holds_for, {where}")
        return
    answers.check(
        choice.holds_for is not None, f"holds_for is None, expected {float(low)!r} to {float(high)!r}, {where}"
    )
    answers.near_all(choice.holds_for or (), (low, high), f"holds_for, {where}", relative=1e-9)


def _within_capacity(answers: Answers, rng: Rng, question: Question) -> None:
    """A choice that may call so many cases positive."""
    case = question.case
    ranking, points = case.ranking(), case.points()
    calls = [fp + tp for fp, tp in points]
    most = float(pick(rng, calls)) if chance(rng, 0.7) else float(rng.uniform(0, float(calls[-1])))
    capacity = simplest(most) if case.unitary else Fraction(most)
    allowed = [split for split in question.allowed if calls[split] <= capacity]
    if not case.unitary and any(0 < abs(each - capacity) < 1e-9 * capacity for each in calls):
        return  # which side rounding takes is not promised
    choice = th.choose(ranking, question.condition, at_most=most)
    _cost(answers, choice, question.within(allowed, f"at most {most!r}"))


def _measure(answers: Answers, name: str, values: Sequence[Exact], question: Question) -> None:
    """A choice by a measure among the allowed splits."""
    case, condition, allowed, text = question
    ranking, where = case.ranking(), f"best {name}, {text}"
    known = th.MEASURES[name]
    sign = 1 if known.better == "lower" else -1
    goal: dict[str, Any] = {"minimise" if sign == 1 else "maximise": name}
    defined = {split: sort_key(values[split]) for split in allowed if not _undefined(values[split])}
    if not defined:
        answers.raises(MeasureError, lambda: th.choose(ranking, condition, **goal), where)
        return
    least = min(sign * key for key in defined.values())
    best = [split for split, key in defined.items() if sign * key == least]
    choice = th.choose(ranking, condition, **goal)
    splits = choice.splits.tolist()
    answers.near(choice.value, values[best[0]], f"value of the {where}", relative=1e-9, absolute=1e-12)
    if case.unitary:
        answers.same(splits, best, f"splits of the {where}")
    target = float(values[best[0]])
    for split in splits:
        number = float(values[split])
        answers.near(number, target, f"value of the split {split}, {where}", relative=1e-9, absolute=1e-12)


def _undefined(value: Exact) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _constrained(answers: Answers, rng: Rng, question: Question) -> None:
    """A choice by cost within constraints, whose bounds are often values that splits have."""
    case, condition, allowed, _ = question
    class_ratio = question.class_ratio
    if not case.unitary:
        return
    points, texts = case.points(), []
    for name in rng.choice(BOUNDED, size=int(rng.integers(1, 3)), replace=False).tolist():
        values = [float(value) for value in _values(name, points, class_ratio)]
        bound = pick(rng, [value for value in values if not math.isnan(value)])
        bound = bound if chance(rng, 0.6) else float(np.round(rng.random(), 2))
        if any(value != bound and math.isclose(value, bound, rel_tol=1e-9, abs_tol=1e-15) for value in values):
            return
        if class_ratio is not None and bound in values and th.MEASURES[name].depends_on_mix:
            return  # at a declared mix a rate rounds, and may miss a bound that it equals
        relation = pick(rng, RELATIONS)
        allowed = [split for split in allowed if RELATIONS[relation](values[split], bound)]
        texts.append(f"{name} {relation} {bound!r}")
    narrower = question.within(allowed, f"subject to {texts}")
    if not allowed:
        answers.raises(InfeasibleError, partial(th.choose, case.ranking(), condition, subject_to=texts), narrower.text)
        return
    _cost(answers, th.choose(case.ranking(), condition, subject_to=texts), narrower)


def _joint_costs(
    answers: Answers, best: Any, models: Mapping[str, Case], condition: th.OperatingCondition, where: str
) -> None:
    least = {name: min(exact_costs(case, condition)) for name, case in models.items()}
    tied = tuple(name for name, cost in least.items() if cost == min(least.values()))
    answers.same(best.tied, tied, f"tied models, {where}")
    answers.same(best.model, tied[0], f"the model, {where}")
    others = {name: cost for name, cost in least.items() if name not in tied}
    second = min(others, key=others.__getitem__) if others else None
    answers.same(best.runner_up, second, f"the runner-up, {where}")
    answers.check(
        best.holds_for[0] <= condition.cost_ratio <= best.holds_for[1], f"holds_for {best.holds_for}, {where}"
    )
    answers.check(
        best.ranges[0].low == 0
        and best.ranges[-1].high == math.inf
        and all(a.high == b.low for a, b in zip(best.ranges, best.ranges[1:], strict=False)),
        f"ranges {[(one.low, one.high) for one in best.ranges]} leave gaps, {where}",
    )


def _inside(rng: Rng, low: float, high: float) -> list[float]:
    """Cost ratios strictly inside a range."""
    if low == 0 and high == math.inf:
        return [1.0]
    if high == math.inf:
        return [low * 2, low * 1e6]
    if low == 0:
        return [high / 2, high / 1e6]
    share = float(rng.uniform(0.1, 0.9))
    middle = low ** (1 - share) * high**share
    return [middle] if low * (1 + 1e-9) < middle < high * (1 - 1e-9) else []
