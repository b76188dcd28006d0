"""The data of the page: an evaluation as plain values.

`frontend/src/contents.ts` is the other half of this contract and documents each field.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher._internal.text import visible
from thresher.calibration.maps.steps import Steps
from thresher.curves import thin
from thresher.curves.hull import Splits, hull_splits
from thresher.evaluation import LeastCostEvaluation, ModelEvaluation, ThresholdEvaluation, summary
from thresher.evaluation.bands import PERCENTS, ModelBands, class_bands, model_bands, percent_splits
from thresher.evaluation.least_cost.model import BY_CLASS
from thresher.evaluation.least_cost.model import LABELS as CLASS_LABELS
from thresher.evaluation.model import NUMBERS, are_probabilities
from thresher.evaluation.rows import cells
from thresher.evaluation.rules import Rule
from thresher.inference import Comparison, Interval
from thresher.ranking import Floats, Ranking, mean_scores, shortest_between
from thresher.report.headline import class_paragraphs, paragraphs
from thresher.report.numbers import heading, interval_data, json_number, json_numbers, significant
from thresher.report.vectors import least_cost_data
from thresher.tables import MEASURES
from thresher.version import __version__

FORMAT = "thresher/page/1"
POINTS = 2200  # splits of a curve
EXACT = 600  # splits up to which thresholds lie midway between scores
EVEN = 400  # splits evenly spaced by rank
BARS = 40

# A page of k classes holds k curves per model, which share these points.
CURVE_POINTS = 6000
FEWEST_POINTS = 150
_POINTS_FOR_HULL = 8000
_FAR = 1e300  # beyond it differences and their multiples leave what numbers can hold
_NEAR = 1e-300  # and below it they vanish
_FAR_SUMS = 1e290  # beyond it sums of scores do
_SCORE_DIGITS = 9
_KINDS = {"never": "never", "always": "always", "0.5": "half", "current": "current"}
_LABELS = NUMBERS | {
    "brier": "Brier score",
    "calibration_intercept": "calibration intercept (0 is right)",
    "calibration_slope": "calibration slope (1 is right)",
    "calibration_in_the_large": "calibration in the large (0 is right)",
    "observed_expected": "observed : expected (1 is right)",
    "ici": "ICI, mean distance from the calibration curve",
    "e50": "E50, median distance",
    "e90": "E90, 90th percentile of the distance",
    "auc_calibrated": "AUC after calibration",
}


def payload(evaluation: ThresholdEvaluation | LeastCostEvaluation, *, title: str | None = None) -> dict[str, Any]:
    """Everything on the page as data that JSON can carry.

    Whatever people named is made visible, but for the names that the decision and the models are known by.

    >>> from thresher import evaluate
    >>> payload(evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2]))["title"]
    '1 model on 6 cases'
    """
    models, cautions = len(evaluation.models), summary.by_importance(evaluation.cautions)
    if isinstance(evaluation, ThresholdEvaluation):
        models, evaluation = len(evaluation.scored.scores), evaluation.shortlist()
    default = f"{models} model{'s' * (models > 1)} on {evaluation.rows:,} cases"
    return {
        "format": FORMAT,
        "title": heading(title, default),
        "version": __version__,
        "level": evaluation.level,
        "folded": False,  # whether comparisons open on request only, however few
        "cautions": [{"code": caution.code, "text": visible(caution.text)} for caution in cautions],
        "measures": [
            {
                **{part: getattr(known, part) for part in ("name", "symbol", "formula")},
                "label": known.name.replace("_", " "),
                "direction": known.better,
                "range": json_numbers(known.range),
            }
            for known in MEASURES.values()
        ],
        **(_two_classes(evaluation) if isinstance(evaluation, ThresholdEvaluation) else _several_classes(evaluation)),
    }


def _two_classes(evaluation: ThresholdEvaluation) -> dict[str, Any]:
    decision, rows, declared = evaluation.decision, evaluation.scored, evaluation.condition.class_ratio is not None
    ranking, condition = evaluation[decision.model].ranking, decision.condition
    of_pos, of_neg = condition.shares or (0.0, 1.0)
    mixes = {"declared": summary.mix_words(evaluation), "rows": summary.rows_mix_words(evaluation)}
    return {
        "kind": "binary",
        "answer": paragraphs(evaluation),
        "why": " ".join(filter(None, (summary.reason(evaluation), summary.hidden_words(evaluation)))),
        "asked": summary.condition_words(evaluation),
        "unit": summary.cost_unit(evaluation),
        "mixes": mixes if declared else None,
        "rules": [_rule(evaluation, rule) for rule in evaluation.rules.values()],
        "data": {
            "rows": evaluation.rows,
            "dropped": evaluation.dropped,
            "weighted": rows.weight is not None,
            "clusters": None if rows.cluster is None else rows.clusters,
            "Pos": ranking.Pos,
            "Neg": ranking.Neg,
            "positive": visible(str(evaluation.positive)),
            "negative": visible(str(evaluation.negative)),
            "trained_at": decision.trained_at / (1 - decision.trained_at),
            "fingerprint": decision.fingerprint,
            "seed": evaluation.seed,
        },
        "condition": {
            "cost_fp": condition.cost_fp - condition.cost_tn,
            "cost_fn": condition.cost_fn - condition.cost_tp,
            "cost_ratio": condition.cost_ratio,
            "class_ratio": condition.class_ratio,
            "class_ratio_from_data": not declared,
            "in_percent": condition.mix_text.endswith("positive"),
            "baseline": of_pos * condition.cost_tp + of_neg * condition.cost_tn,
        },
        "decision": decision.to_dict(),
        "models": [model_data(evaluation, name) for name in evaluation.models],
        "comparison": [] if evaluation.comparison is None else _pairs(evaluation.comparison, "AUC"),
        "classes": [],
        "class_models": [],
        "least_cost": None,
    }


def _several_classes(evaluation: LeastCostEvaluation) -> dict[str, Any]:
    comparisons = evaluation.comparisons.items()
    return {
        "kind": "classes",
        "answer": class_paragraphs(evaluation),
        **dict.fromkeys(("why", "asked", "unit"), ""),
        **dict.fromkeys(("mixes", "condition", "decision")),
        "rules": [],
        "models": [],
        "data": {name: getattr(evaluation, name) for name in ("rows", "dropped", "weighted", "clusters")}
        | {"Pos": 0, "Neg": 0, "positive": "", "negative": "", "trained_at": 1, "fingerprint": "", "seed": 0},
        "comparison": [pair for name, each in comparisons for pair in _pairs(each, CLASS_LABELS[name])],
        "classes": [visible(str(label)) for label in evaluation.classes],
        "class_models": [class_model_data(evaluation, name) for name in evaluation.models],
        "least_cost": least_cost_data(evaluation),
    }


def _rule(evaluation: ThresholdEvaluation, rule: Rule) -> dict[str, Any]:
    kind = _KINDS.get(rule.name, "model")
    return {
        "kind": kind,
        "name": visible(rule.model or rule.name),
        "threshold": json_number(math.nan if rule.threshold is None else rule.threshold),
        "said": summary.rule_text(evaluation, rule),
        "cells": cells(rule.table),
        "cost": interval_data(rule.cost),
        "saving": None if rule.saving is None else interval_data(rule.saving),
        "may_be_best": kind == "model" and len(evaluation.may_be_best) > 1 and rule.name in evaluation.may_be_best,
    }


def _pairs(comparison: Comparison, measure: str) -> list[dict[str, Any]]:
    return [
        {
            "measure": measure,
            "a": visible(each.a),
            "b": visible(each.b),
            **{name: json_number(getattr(each, name)) for name in ("difference", "lower", "upper", "p_value")},
            "adjusted": json_number(each.p_adjusted),
            "verdict": each.verdict,
        }
        for each in comparison.differences.values()
    ]


def model_data(evaluation: ThresholdEvaluation, name: str) -> dict[str, Any]:
    """Everything the page shows of one model, after `Model` of the page's contract."""
    model = evaluation[name]
    ranking, choice = model.ranking, model.choice
    threshold, steps = choice.threshold, None
    if isinstance(curve := model.calibration.curve, Steps):
        steps = {"x": significant(curve.score), "y": significant(curve.probability)}
    return {
        "name": name,
        "shown": visible(name),
        "curve": curve_data(ranking, keep=choice.point.split),
        "probabilities": are_probabilities(ranking),
        "ties": _ties(evaluation, name),
        "distribution": distribution(ranking),
        "pools": pools(ranking),
        "bands": bands_data(model_bands(evaluation, name)),
        "optimum": {
            "threshold": json_number(threshold),
            "cells": cells(choice.table),
            "undecided": json_numbers(choice.undecided or (threshold, threshold)),
            "holds_for": json_numbers(choice.holds_for or (math.nan, math.nan)),
        },
        "predictions": None if model.predictions is None else cells(model.predictions),
        "numbers": _numbers(model, model.numbers, evaluation.quantities.get(name, {})),
        "data_numbers": _numbers(model, model.data_numbers) if model.mix_declared else [],
        "measures": _measured(model.measures),
        "data_measures": _measured(model.data_measures) if model.mix_declared else [],
        "expected_cost": interval_data(model.expected_cost),
        "out_of_bag_cost": interval_data(model.out_of_bag_cost),
        "threshold": interval_data(model.threshold),
        "calibration": None if steps is None else {"method": model.calibration.method, **steps},
    }


def _measured(measures: Mapping[str, Interval]) -> list[dict[str, Any]]:
    return [{"name": name, "interval": interval_data(interval)} for name, interval in measures.items()]


def curve_data(ranking: Ranking, *, keep: int | None = None, points: int = POINTS) -> dict[str, Any]:
    """Counts and thresholds of the splits on the page, and the hull's corners.

    Up to 600 splits have their thresholds midway between scores; of more, each has the shortest threshold that makes
    its calls. There are at most `points` splits (or twice the corners): some that draw the same curve, and some evenly
    spaced by rank, because people set thresholds in straight runs of the curve too; of probabilities also every whole
    percent, unless points are few. `keep` is a split that must be among them: the one that was chosen.
    """
    corners = hull_splits(ranking, pool="ties")
    every = len(ranking) + 1
    split: Splits = np.arange(every)
    deviation = 0.0
    if every > points:
        even = _even_splits(ranking, min(EVEN, points // 5))
        # The optimum under any condition is a corner, so corners come before the budget of points.
        fewer = thin(ranking, points=max(points - even.size, min(2 * corners.size, _POINTS_FOR_HULL)))
        split, deviation = np.union1d(fewer.split, even), fewer.deviation
    if keep is not None:
        split = np.union1d(split, [keep])
    lowest = np.concatenate([[np.inf], ranking.score])[split]
    threshold = ranking.thresholds()[split] if every <= EXACT else _short_thresholds(ranking, split)
    if split.size < every:
        # Any number between the scores on either side makes the same calls, and thresholds are such numbers.
        # Only the outermost scores are needed: beyond them no case or every case is called positive.
        lowest = lowest[[0, 1, -1]]
    tp, fp = (covered[split] for covered in ranking.covered())
    return {
        "exact": split.size == every,
        "splits": every,
        "deviation": float(f"{deviation:.3g}"),
        "threshold": json_numbers(threshold),
        "lowest": json_numbers(lowest),
        "tp": tp.tolist(),
        "fp": fp.tolist(),
        "hull": np.flatnonzero(np.isin(split, corners)).tolist(),
    }


def _even_splits(ranking: Ranking, even: int) -> Splits:
    """Splits evenly spaced by rank, on either side of ties, and at whole percents."""
    tp, fp = ranking.covered()
    cases = tp + fp
    after = np.searchsorted(cases, np.linspace(0, cases[-1], even + 1)[1:])
    ends = [0, 1, len(ranking) - 1, len(ranking)]
    split: Splits = np.union1d(ends, np.concatenate([after - 1, np.minimum(after, len(ranking))]))
    return np.union1d(split, percent_splits(ranking)) if even == EVEN and are_probabilities(ranking) else split


def _short_thresholds(ranking: Ranking, split: Splits) -> Floats:
    """The shortest threshold of each split; whole percents of probabilities."""
    upper = np.concatenate([[np.inf], ranking.score])[split]
    lower = np.concatenate([ranking.score, [-np.inf]])[split]
    threshold = shortest_between(lower, ranking.thresholds()[split], upper)
    if are_probabilities(ranking):
        at = percent_splits(ranking)
        place = np.minimum(np.searchsorted(split, at), split.size - 1)
        present = split[place] == at
        threshold[place[present]] = PERCENTS[present]
    return threshold


def _ties(evaluation: ThresholdEvaluation, name: str) -> dict[str, int]:
    ranking = evaluation[name].ranking
    if ranking.weighted:  # the ranking holds weights, so rows tell how many of them share a score
        rows = evaluation.scored.scores[name].astype(np.float64)
        cases = np.bincount(np.searchsorted(-ranking.score, -rows))
    else:
        cases = ranking.pos + ranking.neg
    return {"segments": len(ranking), "cases": int(cases[cases > 1].sum())}


def distribution(ranking: Ranking) -> dict[str, Any]:
    """Cases by class in bars of equal width, an edge belonging to the bar above.

    Probabilities are shown over [0, 1], other scores over the range of the finite ones; infinite scores (and those
    beyond 1e300) count in the outermost bars. Scores closer than 1e-300 to each other share a place.
    """
    edges = np.linspace(*_ends(ranking.score), BARS + 1)
    # How many segments lie at or above each inner edge; scores fall, so every bar is a run of segments.
    above = len(ranking) - np.searchsorted(ranking.score[::-1], edges[1:-1], side="left")
    split = np.concatenate([[len(ranking)], above, [0]])
    sides = (covered[split[:-1]] - covered[split[1:]] for covered in ranking.covered())
    pos, neg = (side.tolist() if side.dtype.kind == "i" else significant(side) for side in sides)
    return {"edges": significant(edges), "pos": pos, "neg": neg}


def _ends(score: Floats) -> tuple[float, float]:
    finite = score[np.isfinite(score)]
    if not finite.size:
        return -1.0, 1.0
    low, high = np.clip([finite.min(), finite.max()], -_FAR, _FAR).tolist()
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    half = max(abs(low), 1.0) / 2
    return (low - half, high + half) if high - low < _NEAR else (low, high)


def pools(ranking: Ranking) -> list[dict[str, Any]]:
    """The hull's pools by falling score: the segments of the reliability diagram."""
    split = hull_splits(ranking, pool="ties")
    # Scores whose sums would leave what numbers can hold have no mean to show, as infinite ones have none.
    finite = bool(ranking.score[0] < _FAR_SUMS and ranking.score[-1] > -_FAR_SUMS)
    low, high = ranking.score[split[1:] - 1], ranking.score[split[:-1]]
    mean = mean_scores(ranking, split) if finite else np.full(low.size, np.nan)
    columns = [significant(each, _SCORE_DIGITS) for each in (low, high, mean)]
    columns += [counts.tolist() for counts in ranking.runs(split)]
    return [dict(zip(("low", "high", "score", "pos", "neg"), row, strict=True)) for row in zip(*columns, strict=True)]


def bands_data(bands: ModelBands | None) -> dict[str, Any]:
    """The limits of every band, and None where there is none."""
    names = {"roc": "roc", "pr": "precision_recall", "net_benefit": "net_benefit", "reliability": "reliability"}
    shown: dict[str, Any] = dict.fromkeys(names)
    for key, name in names.items():
        if band := getattr(bands, name, None):
            limits = {side: np.round(getattr(band, side), 5).tolist() for side in ("lower", "upper")}
            shown[key] = {"x": significant(band.x)} | limits
    return shown


def _numbers(
    model: ModelEvaluation, numbers: Mapping[str, Interval], asked: Mapping[str, Interval] = MappingProxyType({})
) -> list[dict[str, Any]]:
    """Numbers of a model, with intervals if any, and the quantities asked for."""
    alone = {"log_loss": model.log_loss, "auc_calibrated": model.calibration.auc_after}  # a loss may be infinite
    known = {name: numbers.get(name, alone.get(name)) for name in _LABELS}
    shown = {name: value for name, value in known.items() if value is not None}
    shown |= {text: value for text, value in asked.items() if text not in shown}
    return [_number(name, _LABELS.get(name, name), value) for name, value in shown.items()]


def _number(name: str, label: str, value: Interval | float) -> dict[str, Any]:
    interval = interval_data(value) if isinstance(value, Interval) else None
    return {"name": name, "label": label, "interval": interval, "value": json_number(float(value))}


def class_model_data(evaluation: LeastCostEvaluation, name: str) -> dict[str, Any]:
    """Everything the page shows of one model of several classes."""
    model = evaluation[name]
    points = max(FEWEST_POINTS, CURVE_POINTS // len(evaluation.classes) // 2)
    numbers = {name: each for name, each in model.numbers.items() if name != "weighted_precision"}
    rows = []
    for label in evaluation.classes:
        table = model.confusion.one_vs_rest(label)
        shown = {name: getattr(model.rates, name)[label] for name in BY_CLASS}
        shown["auc"] = model.auc.one_vs_rest[label]
        data = {measure: interval_data(interval) for measure, interval in shown.items()}
        rows.append({"label": visible(str(label)), "count": json_number(table.Pos), **data})
    return {
        "name": visible(name),
        "classes": rows,
        "numbers": [_number(name, CLASS_LABELS[name], numbers[name]) for name in CLASS_LABELS if name in numbers],
        "curves": [curve_data(model.rankings[label], points=points) for label in evaluation.classes],
        "bands": [bands_data(class_bands(evaluation, name, label)) for label in evaluation.classes],
    }
