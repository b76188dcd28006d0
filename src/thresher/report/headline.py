"""The answer in words: which model, which threshold, at what cost, over which conditions and how firmly."""

from __future__ import annotations

import math
from collections.abc import Callable

from thresher._internal.text import in_words, interval_text, isolated, percent_text
from thresher.evaluation import Evaluation, MulticlassEvaluation
from thresher.evaluation.first_screen import headline, mix_words
from thresher.inference import Interval
from thresher.report.numbers import said, said_score


def answer(evaluation: Evaluation) -> list[str]:
    """Paragraphs of the answer; the first is the headline. What to mind are the evaluation's cautions.

    >>> from thresher import OperatingCondition, evaluate
    >>> labels, scores = [1, 1, 0, 1, 0, 0] * 5, [.9, .8, .3, .45, .35, .2] * 5
    >>> found = evaluate(labels, scores, condition=OperatingCondition(cost_ratio=2))
    >>> answer(found)[0]
    'Call a case positive when model says 0.4 or more: it saves ...per 1,000 cases.'
    """
    paragraphs = [headline(evaluation), _cost(evaluation), _range(evaluation), _firmness(evaluation)]
    return [paragraph for paragraph in paragraphs if paragraph]


def answer_on_classes(evaluation: MulticlassEvaluation) -> list[str]:
    """The same for several classes, where there is no one threshold to choose.

    >>> from thresher import evaluate_classes
    >>> found = evaluate_classes([0, 1, 2, 0, 1, 2], [[.8, .1, .1], [.2, .7, .1], [.1, .1, .8]] * 2)
    >>> answer_on_classes(found)[0]
    'model calls 1.00 (95 % interval 0.61 to 1.00) of all cases right.'
    """
    name, *tied = evaluation.best
    best = evaluation[name]
    rates, areas = best.rates, best.auc
    right = _with_limits(rates.overall_accuracy)
    lead = f"{isolated(name)} calls {right} of all cases right."
    if len(evaluation.models) > 1:
        lead = f"{isolated(name)} has the highest overall accuracy of {len(evaluation.models)} models: {right}."
    if tied:
        names = in_words([isolated(each) for each in evaluation.best])
        lead = f"{names} tie for the highest overall accuracy of {len(evaluation.models)} models: {right} each."
    whose = f"Of {isolated(name)}, which was given first, the" if tied else "Its"
    means = (
        f"{whose} mean recall over the {len(evaluation.classes)} classes is {_with_limits(rates.macro_recall)}, "
        f"its macro F1 {_with_limits(rates.macro_f1)}, and its AUC, each class against the rest, is on average "
        f"{_with_limits(areas.one_vs_rest_macro)}."
    )
    weakest = min(best.confusion.classes, key=lambda label: _or_above(rates.recall[label].estimate))
    recall = _with_limits(rates.recall[weakest])
    return [
        lead,
        means,
        f"Mind: the class found least often is {isolated(str(weakest))}, with recall {recall}.",
    ]


def _cost(evaluation: Evaluation) -> str:
    decision, condition = evaluation.decision, evaluation.decision.condition
    rights = [
        f"a true {word} {said(cost)}"
        for word, cost in (("positive", condition.cost_tp), ("negative", condition.cost_tn))
        if cost
    ]
    priced = ", ".join(
        [
            f"a false positive costs {said(condition.cost_fp)}",
            *rights,
            f"a false negative {said(condition.cost_fn)}",
        ]
    )
    return (
        f"The exact threshold is {said_score(decision.threshold)}. On new rows expect a cost of "
        f"{_with_limits(decision.out_of_bag_cost)} per case, where {priced}, {mix_words(evaluation)}; on the rows the "
        f"threshold was chosen on it is {_with_limits(decision.expected_cost)}."
    )


def _range(evaluation: Evaluation) -> str:
    decision, choice = evaluation.decision, evaluation.joint.choices[evaluation.decision.model]
    condition = decision.condition
    now = said(condition.cost_ratio)
    told = ""
    if len(evaluation.models) > 1 and (decision.gap is None or decision.gap >= 0):
        mix, mixes = "class ratio", _over(decision.class_ratios, "class ratios")
        mix_now = said(condition.class_ratio)
        if condition.mix.endswith("positive"):  # declared as a share, and so told as one
            mix, mixes = "share of positives", _over(decision.class_ratios, "shares of positives", _share)
            mix_now = condition.mix.removesuffix(" positive")
        told = (
            f"{isolated(decision.model)} stays the cheapest model {_over(decision.cost_ratios, 'cost ratios')}"
            f" (now {now}) at this {mix}, or {mixes} (now {mix_now}) at these costs. "
        )
    if choice.holds_for is not None and said(choice.holds_for[0]) != said(choice.holds_for[1]):
        told += f"This threshold is its best one {_over(choice.holds_for, 'cost ratios')}."
        if len(evaluation.models) == 1:
            told = f"This threshold stays the best one {_over(choice.holds_for, 'cost ratios')} (now {now})."
    if choice.undecided is not None:
        low, high = choice.undecided
        told += (
            f" {choice.splits.size} thresholds from {said(low)} to {said(high)} cost the same; "
            f"this is {_which(choice.splits.size)}."
        )
    return told.strip()


def _which(ties: int) -> str:
    """The one of several ties that `choose` recommends."""
    if ties == 2:
        return "the stricter one"
    return "the middle one" if ties % 2 else "the stricter of the middle two"


def _firmness(evaluation: Evaluation) -> str:
    decision, stability = evaluation.decision, evaluation.stability
    low, high = decision.threshold_interval.lower, decision.threshold_interval.upper
    told = f"In {stability.replicates:,} resamples "
    if len(evaluation.models) > 1:
        share = (
            f"{stability.wins[decision.model]:.0%} of them (of the same rows; a fresh sample would agree less often)"
        )
        told += f"{isolated(decision.model)} was the cheapest in {share}, and "
    told += f"the best threshold fell between {said(low)} and {said(high)} in {evaluation.level:.0%} of them."
    if decision.runner_up is not None and decision.gap is not None:
        role, way = ("The runner-up", "more") if decision.gap >= 0 else ("The cheapest on these rows", "less")
        told += f" {role}, {isolated(decision.runner_up)}, costs {said(abs(decision.gap))} {way} per case."
    elif len(evaluation.joint.tied) > 1:
        told += f" {', '.join(map(isolated, evaluation.joint.tied))} cost the same; the first of them is named."
    return told


def _share(class_ratio: float) -> str:
    return percent_text(class_ratio / (1 + class_ratio))


def _over(ends: tuple[float, float], what: str, text: Callable[[float], str] = said) -> str:
    low, high = ends
    if low <= 0 and high == math.inf:
        return f"for all {what}"
    if high == math.inf:
        return f"for {what} of {text(low)} and above"
    if low <= 0:
        return f"for {what} up to {text(high)}"
    if text(low) == text(high):
        return f"for {what} of {text(low)} alone" if low == high else f"for {what} of about {text(low)}"
    return f"for {what} from {text(low)} to {text(high)}"


def _with_limits(interval: Interval) -> str:
    if math.isnan(interval.estimate):
        return f"an undefined amount ({interval.note})" if interval.note else "an undefined amount"
    estimate, _, limits = interval_text(interval.estimate, interval.lower, interval.upper).partition(" ")
    between = limits.strip("[]").replace(",", " to")
    return f"{estimate} ({100 * interval.level:.4g} % interval {between})" if limits else estimate


def _or_above(number: float) -> float:
    return math.inf if math.isnan(number) else number
