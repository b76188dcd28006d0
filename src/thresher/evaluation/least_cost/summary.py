"""An evaluation of k classes in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from thresher._internal.text import in_words, number_text, visible
from thresher.evaluation.least_cost.model import LABELS, LeastCostModel
from thresher.evaluation.least_cost.rules import ActionRule, action_words
from thresher.evaluation.results import limits_text
from thresher.evaluation.summary import by_importance, mind, text_table
from thresher.inference import Interval, OutOfFoldCost
from thresher.inference.comparison.difference import shown_p
from thresher.tables import ConfusionMatrix, CostMatrix

if TYPE_CHECKING:
    from thresher.evaluation.least_cost.evaluation import LeastCostEvaluation

_FEW = 6  # classes that are named one by one


def least_cost_text(evaluation: LeastCostEvaluation) -> str:
    """The decision, rules, models, their differences and classes, and cautions."""
    parts = ["\n".join(headline_lines(evaluation)), rules_text(evaluation), _models(evaluation)]
    parts += [_differences(evaluation)] if evaluation.comparisons else []
    parts += [f"{name}\n{model.confusion}\n\n{_classes(model)}" for name, model in evaluation.models.items()]
    parts += [str(evaluation.sensitivity)] if len(evaluation.models) > 1 else []
    return "\n\n".join([*parts, f"Decision\n{evaluation.decision}", *mind(by_importance(evaluation.cautions))])


def headline_lines(evaluation: LeastCostEvaluation) -> list[str]:
    """What to use, on what that rests, what was foretold, and the dearest cell."""
    decision = evaluation.decision
    lines = [
        f"Use {decision.model}: of {names_text(evaluation.costs)} say the one of {least_words(evaluation)}.",
        _data_words(evaluation),
        foretold_words(evaluation[decision.model]),
        dearest_words(evaluation),
    ]
    return lines if evaluation.fitted is None else [*lines, fitted_words(evaluation.fitted)]


def least_words(evaluation: LeastCostEvaluation) -> str:
    """What the decision goes by: expected cost, or that by fitted weights."""
    fitted = evaluation.rules[evaluation.decision.model].fitted
    return f"least expected cost{', by fitted weights' if fitted else ''}"


def fitted_words(fitted: OutOfFoldCost) -> str:
    """What fitted weights cost on rows not fitted on, and how surely that is less."""
    apart = fitted.difference
    if math.isnan(apart.lower):
        verdict = f"undecided, {apart.note}"
    else:
        way = "cheaper" if apart.upper < 0 else "dearer" if apart.lower > 0 else "undecided"
        verdict = f"± {number_text((apart.upper - apart.lower) / 2, 4)}: {way}"
    more = f"{'+' if apart.estimate >= 0 else ''}{number_text(apart.estimate, 4)}"
    return f"Fitted weights, cross-fitted, {number_text(fitted.fitted.estimate, 4)} ({more} {verdict})."


def names_text(costs: CostMatrix, show: Callable[[str], str] = str) -> str:
    """The actions by name, or how many classes there are."""
    if len(costs.actions) <= _FEW:
        return ", ".join(show(str(action)) for action in costs.actions)
    others = costs.actions[len(costs.classes) :]
    return f"the {len(costs.classes)} classes" + (
        f" and {in_words([show(str(each)) for each in others])}" if others else ""
    )


def _data_words(evaluation: LeastCostEvaluation) -> str:
    dropped = f" ({evaluation.dropped:,} dropped for missing values)" if evaluation.dropped else ""
    weighted = ", weighted" if evaluation.weighted else ""
    clustered = "" if evaluation.clusters is None else f", in {evaluation.clusters:,} clusters"
    mix = "mix as in the data" if evaluation.condition.mix is None else f"a mix of {evaluation.condition.mix_text}"
    rows = f"{evaluation.rows:,} rows{dropped}{weighted}{clustered}, {len(evaluation.classes)} classes, {mix}"
    return f"{rows}; intervals at level {evaluation.level:g}."


def foretold_words(model: LeastCostModel, show: Callable[[str], str] = str) -> str:
    """What the probabilities foretold, and how far that is from what was paid."""
    foretold, apart = model.foretold_cost, model.foretold_minus_paid
    if math.isnan(apart.estimate):
        return f"What {show(model.name)} foretold is undefined ({apart.note})."
    more, reach = -apart.estimate, (apart.upper - apart.lower) / 2
    verdict = "which the data do not contradict"
    if apart.upper < 0 or apart.lower > 0:
        verdict = f"its probabilities are {'too sure' if apart.upper < 0 else 'not sure enough'}"
    way = "more" if more >= 0 else "less"
    lead = f"Foretold by {show(model.name)} {number_text(foretold.estimate, 4)}"
    return f"{lead}: paid {number_text(abs(more), 4)} ± {number_text(reach, 4)} {way}; {verdict}."


def dearest_words(evaluation: LeastCostEvaluation, show: Callable[[str], str] = str) -> str:
    """The cell of the confusion matrix that costs the most in all."""
    own = _dearest(evaluation[evaluation.decision.model].confusion, evaluation.costs, show)
    other = _dearest(evaluation.rules["most probable"].confusion, evaluation.costs, show)
    if not own:
        return "No case costs anything."
    return f"Dearest cell {own}" + (f" (by the most probable class: {other})." if other and other != own else ".")


def _dearest(matrix: ConfusionMatrix, costs: CostMatrix, show: Callable[[str], str]) -> str:
    cells = np.asarray(matrix.counts) * costs.costs
    i, j = np.unravel_index(int(cells.argmax()), cells.shape)
    if not cells[i, j] > 0:
        return ""
    pair = f"{show(str(matrix.classes[i]))} called {show(str(matrix.actions[j]))}"
    return f"{pair}, {number_text(float(cells[i, j]))} of {number_text(float(cells.sum()))} in all"


def rules_text(evaluation: LeastCostEvaluation) -> str:
    """A row per way to act: what it costs, and how much more than the decision."""
    rows = [["cost per case", "on rows not chosen on", "more than the decision"]]
    rows += [[mark(evaluation, rule) + action_words(rule), *costs_text(rule)] for rule in evaluation.rules.values()]
    return text_table(rows)


def mark(evaluation: LeastCostEvaluation, rule: ActionRule) -> str:
    """A dot for the rule decided for, a hollow one for models that may be as good."""
    if rule.saving is None:
        return "● "
    return "○ " if rule.name in evaluation.may_be_best else "  "


def costs_text(rule: ActionRule) -> tuple[str, str]:
    """The cost of a rule and what it costs more, with limits."""
    return limits_text(rule.cost), "–" if rule.saving is None else limits_text(rule.saving)


def _models(evaluation: LeastCostEvaluation) -> str:
    columns = [model.numbers.values() for model in evaluation.models.values()]
    rows = [[label, *map(limits_text, row)] for label, *row in zip(LABELS.values(), *columns, strict=True)]
    texts = dict.fromkeys(text for each in evaluation.quantities.values() for text in each)
    rows += [[text, *(limits_text(evaluation.quantities[name][text]) for name in evaluation.models)] for text in texts]
    return text_table([["", *evaluation.models], *rows])


def _differences(evaluation: LeastCostEvaluation) -> str:
    rows = [["pair", "measure", "difference", "p, adjusted", "verdict on the first"]]
    for pair in next(iter(evaluation.comparisons.values())).differences:
        for measure, one in ((measure, each[pair]) for measure, each in evaluation.comparisons.items()):
            rows.append([" - ".join(pair), measure, limits_text(one.interval), shown_p(one.p_adjusted), one.verdict])
    return f"Differences, paired:\n{text_table(rows)}"


def _classes(model: LeastCostModel) -> str:
    """Recall, precision, F1 and AUC of each class against the rest."""
    columns: Sequence[dict[object, Interval]] = [
        dict(each) for each in (model.rates.recall, model.rates.precision, model.rates.f1, model.auc.one_vs_rest)
    ]
    rows = [[visible(str(name)), *(limits_text(of[name]) for of in columns)] for name in model.classes]
    return text_table([["class", "recall", "precision", "F1", "AUC against the rest"], *rows])
