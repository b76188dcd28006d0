"""The headline of the page: which model, threshold and cost, how firmly."""

from __future__ import annotations

import math

import numpy as np

from thresher._internal.text import interval_text, isolated, percent_text, range_text, score_text, visible
from thresher.evaluation import Decision, LeastCostEvaluation, ThresholdEvaluation
from thresher.evaluation.decision import CONSTANT, MOST_PROBABLE
from thresher.evaluation.least_cost.rules import action_words
from thresher.evaluation.least_cost.summary import dearest_words, fitted_words, foretold_words, least_words, names_text
from thresher.evaluation.summary import headline, mix_words
from thresher.inference import Interval
from thresher.report.numbers import value_text


def paragraphs(evaluation: ThresholdEvaluation) -> list[str]:
    """The headline, then cost, range of conditions and firmness, a paragraph each."""
    every = headline(evaluation), _cost(evaluation), _range(evaluation), _firmness(evaluation)
    return [paragraph for paragraph in every if paragraph]


def class_paragraphs(evaluation: LeastCostEvaluation) -> list[str]:
    """The headline of k classes, costs, what was foretold, the class found least."""
    decision, names = evaluation.decision, names_text(evaluation.costs, isolated)
    model = evaluation[decision.model]
    others = [rule for rule in evaluation.rules.values() if rule.name in (MOST_PROBABLE, CONSTANT)]
    against = "; ".join(f"{action_words(rule, isolated)} {value_text(rule.cost.estimate)}" for rule in others)
    mix = "classes mixed as in these rows" if evaluation.condition.mix is None else evaluation.condition.mix_text
    costs = (
        f"On new rows expect a cost of {_with_limits(decision.out_of_bag_cost)} per case, {visible(mix)}; {against}."
    )
    why = f"{decision.why[0].upper()}{decision.why[1:]}." if len(evaluation.models) > 1 else ""
    fitted = "" if evaluation.fitted is None else fitted_words(evaluation.fitted)
    recall = model.rates.recall
    # An undefined recall is never the least.
    weakest = min(evaluation.classes, key=lambda label: np.nan_to_num(recall[label].estimate, nan=math.inf))
    least = f"{isolated(str(weakest))}, with recall {_with_limits(recall[weakest])}"
    return [
        f"Use {isolated(decision.model)}: of {names} say the one of {least_words(evaluation)}.",
        " ".join(filter(None, (costs, why, fitted))),
        f"{foretold_words(model, isolated)} {dearest_words(evaluation, isolated)}",
        f"Mind: the class found least often is {least}.",
    ]


def _cost(evaluation: ThresholdEvaluation) -> str:
    decision, condition = evaluation.decision, evaluation.decision.condition
    rights = {"a true positive": condition.cost_tp, "a true negative": condition.cost_tn}
    costs = {"a false positive costs": condition.cost_fp} | {word: cost for word, cost in rights.items() if cost}
    costs["a false negative"] = condition.cost_fn
    priced = ", ".join(f"{word} {value_text(cost)}" for word, cost in costs.items())
    return (
        f"The exact threshold is {score_text(decision.threshold)}. On new rows expect a cost of "
        f"{_with_limits(decision.out_of_bag_cost)} per case, where {priced}, {mix_words(evaluation)}; on the rows the "
        f"threshold was chosen on it is {_with_limits(decision.expected_cost)}."
    )


def _range(evaluation: ThresholdEvaluation) -> str:
    decision, choice = evaluation.decision, evaluation.joint.choices[evaluation.decision.model]
    now = value_text(decision.condition.cost_ratio)
    sentences = []
    alone = len(evaluation.models) == 1
    if not alone and (decision.gap is None or decision.gap >= 0):
        sentences.append(f"{isolated(decision.model)} stays the cheapest model {_ranges(decision)} at these costs.")
    if choice.holds_for is not None and value_text(choice.holds_for[0]) != value_text(choice.holds_for[1]):
        holds = range_text(choice.holds_for, "cost ratios")
        sentence = f"stays the best one {holds} (now {now})" if alone else f"is its best one {holds}"
        sentences.append(f"This threshold {sentence}.")
    if choice.undecided is not None:
        low, high = map(value_text, choice.undecided)
        ties = choice.splits.size
        middle = "the middle one" if ties % 2 else "the stricter of the middle two"
        which = "the stricter one" if ties == 2 else middle
        sentences.append(f"{ties} thresholds from {low} to {high} cost the same; this is {which}.")
    return " ".join(sentences)


def _ranges(decision: Decision) -> str:
    """The cost ratios and class mixes at which the model stays the cheapest."""
    condition = decision.condition
    costs = f"{range_text(decision.cost_ratios, 'cost ratios')} (now {value_text(condition.cost_ratio)})"
    if condition.mix_text.endswith("positive"):  # declared as a share, and so written as one
        mixes = range_text(decision.class_ratios, "shares of positives", lambda odds: percent_text(odds / (1 + odds)))
        return f"{costs} at this share of positives, or {mixes} (now {condition.mix_text.removesuffix(' positive')})"
    mixes = range_text(decision.class_ratios, "class ratios")
    return f"{costs} at this class ratio, or {mixes} (now {value_text(condition.class_ratio)})"


def _firmness(evaluation: ThresholdEvaluation) -> str:
    decision, stability = evaluation.decision, evaluation.stability
    limits = decision.threshold_interval
    wins = ""
    if len(evaluation.models) > 1:
        name, share = isolated(decision.model), f"{stability.wins[decision.model]:.0%} of them"
        wins = f"{name} was the cheapest in {share} (of the same rows; a fresh sample would agree less often), and "
    low, high = value_text(limits.lower), value_text(limits.upper)
    ends = f"the best threshold fell between {low} and {high} in {evaluation.level:.0%} of them."
    text = f"In {stability.replicates:,} resamples {wins}{ends}"
    if decision.runner_up is not None and decision.gap is not None:
        role, way = ("The runner-up", "more") if decision.gap >= 0 else ("The cheapest on these rows", "less")
        return f"{text} {role}, {isolated(decision.runner_up)}, costs {value_text(abs(decision.gap))} {way} per case."
    if len(evaluation.joint.tied) > 1:
        tied = ", ".join(map(isolated, evaluation.joint.tied))
        return f"{text} {tied} cost the same; the first of them is named."
    return text


def _with_limits(interval: Interval) -> str:
    if math.isnan(interval.estimate):
        return f"an undefined amount ({interval.note})" if interval.note else "an undefined amount"
    estimate, _, limits = interval_text(interval.estimate, interval.lower, interval.upper).partition(" ")
    between = limits.strip("[]").replace(",", " to")
    return f"{estimate} ({100 * interval.level:.4g} % interval {between})" if limits else estimate
