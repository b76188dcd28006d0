"""What the page is told: an evaluation as plain data, every number finished in Python.

`frontend/src/contents.ts` is the other half of this contract and documents each field.
"""

from __future__ import annotations

import math
from typing import Any

from thresher.choices import OperatingCondition
from thresher.evaluation import Evaluation, MulticlassEvaluation
from thresher.evaluation.first_screen import asked, by_weight, cost_unit, mix_words, reason, rows_mix_words, rule_text
from thresher.evaluation.rules import Rule
from thresher.inference import Comparison
from thresher.report.answer import answer, answer_on_classes
from thresher.report.classes import NUMBERS, class_model
from thresher.report.model import cells, model
from thresher.report.numbers import interval, real, reals
from thresher.tables import MEASURES
from thresher.visible import visible

FORMAT = "thresher/page/1"
_KINDS = {"never": "never", "always": "always", "0.5": "half", "current": "current"}


def contents(evaluation: Evaluation | MulticlassEvaluation, *, title: str | None = None) -> dict[str, Any]:
    """Everything on the page as data that JSON can carry.

    Whatever people named is made visible, but for the names that the decision and the models are known by.

    >>> from thresher import evaluate
    >>> found = contents(evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2], seed=1), title="Six cases")
    >>> found["kind"], found["title"], [model["name"] for model in found["models"]]
    ('binary', 'Six cases', ['model'])
    >>> found["data"]["Pos"], found["condition"]["class_ratio"]
    (3, 1.0)
    """
    from thresher.version import __version__

    binary = isinstance(evaluation, Evaluation)
    given = {
        "format": FORMAT,
        "kind": "binary" if binary else "classes",
        "title": visible(title) if title is not None else _title(evaluation),
        "version": __version__,
        "level": evaluation.level,
        "folded": False,  # whether comparisons open on request only, however few
    }
    return given | (_of_two(evaluation) if isinstance(evaluation, Evaluation) else _of_several(evaluation))


def _title(evaluation: Evaluation | MulticlassEvaluation) -> str:
    models = len(evaluation.models)
    return f"{models} model{'s' * (models > 1)} on {evaluation.rows:,} cases"


def _of_two(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "answer": answer(evaluation),
        "why": reason(evaluation),
        "asked": asked(evaluation),
        "unit": cost_unit(evaluation),
        "mixes": _mixes(evaluation),
        "rules": [_rule(evaluation, rule) for rule in evaluation.rules.values()],
        "cautions": _cautions(evaluation),
        "data": _data(evaluation),
        "condition": _condition(evaluation.decision.condition, from_data=evaluation.condition.class_ratio is None),
        "decision": evaluation.decision.to_dict(),
        "models": [model(evaluation, name) for name in evaluation.models],
        "measures": _measures(),
        "comparison": [] if evaluation.comparison is None else _pairs(evaluation.comparison, "AUC"),
        "classes": [],
        "class_models": [],
    }


def _of_several(evaluation: MulticlassEvaluation) -> dict[str, Any]:
    return {
        "answer": answer_on_classes(evaluation),
        "why": "",
        "asked": "",
        "unit": "",
        "mixes": None,
        "rules": [],
        "cautions": _cautions(evaluation),
        "data": {
            "rows": evaluation.rows,
            "dropped": evaluation.dropped,
            "weighted": evaluation.weighted,
            "clusters": evaluation.clusters,
            "Pos": 0,
            "Neg": 0,
            "positive": "",
            "negative": "",
            "trained_at": 1,
            "fingerprint": "",
            "seed": 0,
        },
        "condition": None,
        "decision": None,
        "models": [],
        "measures": _measures(),
        "comparison": [pair for name, found in evaluation.comparisons.items() for pair in _pairs(found, NUMBERS[name])],
        "classes": [visible(str(label)) for label in evaluation.classes],
        "class_models": [class_model(evaluation, name) for name in evaluation.models],
    }


def _mixes(evaluation: Evaluation) -> dict[str, str] | None:
    """The declared mix and that of the rows, where numbers of both are shown."""
    if evaluation.condition.class_ratio is None:
        return None
    return {"declared": mix_words(evaluation), "rows": rows_mix_words(evaluation)}


def _rule(evaluation: Evaluation, rule: Rule) -> dict[str, Any]:
    kind = _KINDS.get(rule.name, "model")
    return {
        "kind": kind,
        "name": visible(rule.model or rule.name),
        "threshold": real(math.nan if rule.threshold is None else rule.threshold),
        "said": rule_text(evaluation, rule),
        "cells": cells(rule.table),
        "cost": interval(rule.cost),
        "saving": None if rule.saving is None else interval(rule.saving),
        "may_be_best": kind == "model" and len(evaluation.may_be_best) > 1 and rule.name in evaluation.may_be_best,
    }


def _data(evaluation: Evaluation) -> dict[str, Any]:
    rows = evaluation.scored
    ranking = evaluation[evaluation.decision.model].ranking
    return {
        "rows": evaluation.rows,
        "dropped": evaluation.dropped,
        "weighted": rows.weight is not None,
        "clusters": None if rows.cluster is None else rows.clusters,
        "Pos": ranking.Pos,
        "Neg": ranking.Neg,
        "positive": visible(str(evaluation.positive)),
        "negative": visible(str(evaluation.negative)),
        "trained_at": evaluation.decision.trained_at / (1 - evaluation.decision.trained_at),
        "fingerprint": evaluation.decision.fingerprint,
        "seed": evaluation.seed,
    }


def _condition(condition: OperatingCondition, *, from_data: bool) -> dict[str, Any]:
    prevalence = condition.prevalence or 0.0
    return {
        "cost_fp": condition.cost_fp - condition.cost_tn,
        "cost_fn": condition.cost_fn - condition.cost_tp,
        "cost_ratio": condition.cost_ratio,
        "class_ratio": condition.class_ratio,
        "class_ratio_from_data": from_data,
        "in_percent": condition.mix.endswith("positive"),
        "baseline": prevalence * condition.cost_tp + (1 - prevalence) * condition.cost_tn,
    }


def _measures() -> list[dict[str, Any]]:
    return [
        {
            "name": known.name,
            "label": known.name.replace("_", " "),
            "symbol": known.symbol,
            "formula": known.formula,
            "direction": known.better,
            "range": reals(known.range),
        }
        for known in MEASURES.values()
    ]


def _cautions(evaluation: Evaluation | MulticlassEvaluation) -> list[dict[str, str]]:
    return [{"code": caution.code, "text": visible(caution.text)} for caution in by_weight(evaluation.cautions)]


def _pairs(comparison: Comparison, measure: str) -> list[dict[str, Any]]:
    return [
        {
            "measure": measure,
            "a": visible(found.a),
            "b": visible(found.b),
            "difference": real(found.difference),
            "lower": real(found.lower),
            "upper": real(found.upper),
            "p_value": real(found.p_value),
            "adjusted": real(found.p_adjusted),
            "verdict": found.verdict,
        }
        for found in comparison.differences.values()
    ]
