"""The data of the page: an evaluation as plain values, every number computed in Python.

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
from thresher.evaluation import Evaluation, ModelEvaluation, MulticlassEvaluation, MulticlassModel
from thresher.evaluation.bands import ModelBands, class_bands, model_bands
from thresher.evaluation.first_screen import asked, by_weight, cost_unit, mix_words, reason, rows_mix_words, rule_text
from thresher.evaluation.rules import Rule
from thresher.inference import Band, Comparison, Interval, measure_interval
from thresher.ranking import Floats, Ranking, mean_scores, shortest_between
from thresher.report.headline import answer, answer_on_classes
from thresher.report.numbers import interval, real, reals, rounded
from thresher.tables import MEASURES, Contingency, OperatingCondition

POINTS = 2200
EXACT = 600
EVEN = 400
_POINTS_FOR_HULL = 8000
_PERCENT = np.arange(1, 100) / 100


def curve(ranking: Ranking, *, keep: int | None = None, points: int = POINTS) -> dict[str, Any]:
    """Counts and thresholds of the splits that are kept, and which of them are corners of the hull.

    Up to 600 splits have their thresholds midway between scores; of more, each has the shortest threshold that makes
    its calls. At most `points` splits are kept (or twice the corners): some that look like all, and some evenly spaced
    by rank, because a straight run of the curve looks the same without its splits and yet people set thresholds in it.
    Where scores are probabilities and room is not short, every whole percent is kept. `keep` is a split that must be
    among them: the one that was chosen.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> found = curve(spam_tree)
    >>> found["tp"], found["fp"], found["threshold"], found["lowest"], found["hull"]
    ([0, 20, 30, 50], [0, 5, 10, 50], ['inf', 1.5, 0.0, '-inf'], ['inf', 2.0, 1.0, -1.0], [0, 1, 2, 3])
    """
    corners = hull_splits(ranking, pool="ties")
    every = len(ranking) + 1
    split: Splits = np.arange(every)
    deviation = 0.0
    if every > points:
        reached = _reached(ranking, even=min(EVEN, points // 5))
        # The optimum under any condition is a corner, so corners come before the budget of points.
        room = max(points - reached.size, min(2 * corners.size, _POINTS_FOR_HULL))
        thinned = thin(ranking, points=room)
        split, deviation = np.union1d(thinned.split, reached), thinned.deviation
    if keep is not None:
        split = np.union1d(split, [keep])
    lowest = np.concatenate([[np.inf], ranking.score])[split]
    threshold = ranking.thresholds()[split] if every <= EXACT else _short(ranking, split)
    if split.size < every:
        # Any number between the scores on either side makes the same calls; the exact score would take much room.
        # Of the outermost ones it is kept: beyond them no case or every case is called positive.
        lowest = np.concatenate([lowest[:2], threshold[2:-1], lowest[-1:]])
    tp, fp = (covered[split] for covered in ranking.covered())
    return {
        "exact": split.size == every,
        "splits": every,
        "deviation": float(f"{deviation:.3g}"),
        "threshold": reals(threshold),
        "lowest": reals(lowest),
        "tp": tp.tolist(),
        "fp": fp.tolist(),
        "hull": np.flatnonzero(np.isin(split, corners)).tolist(),
    }


def _reached(ranking: Ranking, *, even: int) -> Splits:
    """Splits that thresholds set by hand come near: evenly spaced by rank on either side of ties, and the percents."""
    tp, fp = ranking.covered()
    cases = tp + fp
    after = np.searchsorted(cases, np.linspace(0, cases[-1], even + 1)[1:])
    ends = [0, 1, len(ranking) - 1, len(ranking)]
    found: Splits = np.union1d(ends, np.concatenate([after - 1, np.minimum(after, len(ranking))]))
    percents = even == EVEN and _has_probabilities(ranking)
    return np.union1d(found, _percent_splits(ranking)) if percents else found


def _has_probabilities(ranking: Ranking) -> bool:
    return bool(ranking.score[0] <= 1 and ranking.score[-1] >= 0)


def _percent_splits(ranking: Ranking) -> Splits:
    return len(ranking) - np.searchsorted(ranking.score[::-1], _PERCENT, side="left")


def _short(ranking: Ranking, split: Splits) -> Floats:
    """The shortest threshold of each split; whole percents where scores are probabilities, as people write them."""
    upper = np.concatenate([[np.inf], ranking.score])[split]
    lower = np.concatenate([ranking.score, [-np.inf]])[split]
    found = shortest_between(lower, ranking.thresholds()[split], upper)
    if _has_probabilities(ranking):
        at = _percent_splits(ranking)
        place = np.minimum(np.searchsorted(split, at), split.size - 1)
        kept = split[place] == at
        found[place[kept]] = _PERCENT[kept]
    return found


BARS = 40
_FAR = 1e300  # beyond it differences and their multiples leave what numbers can hold
_NEAR = 1e-300  # and below it they vanish


def distribution(ranking: Ranking, *, bars: int = BARS) -> dict[str, Any]:
    """Positives and negatives in bars of equal width; a score on an edge belongs to the bar above it.

    Probabilities are shown over [0, 1], other scores over the range of the finite ones; infinite scores (and those
    beyond 1e300) count in the outermost bars. Scores closer than 1e-300 to each other share a place.

    >>> found = distribution(Ranking([0.9, 0.25, 0.1], pos=[2, 1, 0], neg=[0, 1, 3]), bars=4)
    >>> found["edges"], found["pos"], found["neg"]
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0, 1, 0, 2], [3, 1, 0, 0])
    """
    edges = np.linspace(*_ends(ranking.score), bars + 1)
    # How many segments lie at or above each inner edge; scores fall, so every bar is a run of segments.
    above = len(ranking) - np.searchsorted(ranking.score[::-1], edges[1:-1], side="left")
    split = np.concatenate([[len(ranking)], above, [0]])
    sides = (covered[split[:-1]] - covered[split[1:]] for covered in ranking.covered())
    pos, neg = (side.tolist() if side.dtype.kind == "i" else rounded(side) for side in sides)
    return {"edges": rounded(edges), "pos": pos, "neg": neg}


def _ends(score: Floats) -> tuple[float, float]:
    finite = score[np.isfinite(score)]
    if not finite.size:
        return -1.0, 1.0
    low, high = np.clip([finite.min(), finite.max()], -_FAR, _FAR).tolist()
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    half = max(abs(low), 1.0) / 2
    return (low - half, high + half) if high - low < _NEAR else (low, high)


_DECIMALS = 5


def lines(bands: ModelBands | None) -> dict[str, Any]:
    """The limits of every band, and None where there is none.

    >>> lines(None)
    {'roc': None, 'pr': None, 'net_benefit': None, 'reliability': None}
    """
    names = {"roc": "roc", "pr": "precision_recall", "net_benefit": "net_benefit", "reliability": "reliability"}
    return {key: _limits(getattr(bands, name, None)) for key, name in names.items()}


def _limits(band: Band | None) -> dict[str, Any] | None:
    if band is None:
        return None
    limits = {side: np.round(getattr(band, side), _DECIMALS).tolist() for side in ("lower", "upper")}
    return {"x": rounded(band.x)} | limits


CLASSROOM = 60
_SCORE_DIGITS = 9
_FAR_OF_MODEL = 1e290
_LABELS = MappingProxyType(
    {
        "auc": "AUC",
        "average_precision": "average precision",
        "pr_area": "area under the PR curve",
        "ks": "Kolmogorov-Smirnov",
        "brier": "Brier score",
        "log_loss": "log loss",
        "miscalibration": "calibration loss (miscalibration)",
        "refinement": "refinement loss",
        "discrimination": "discrimination",
        "uncertainty": "uncertainty",
        "calibration_intercept": "calibration intercept (0 is right)",
        "calibration_slope": "calibration slope (1 is right)",
        "calibration_in_the_large": "calibration in the large (0 is right)",
        "observed_expected": "observed : expected (1 is right)",
        "ici": "ICI, mean distance from the calibration curve",
        "e50": "E50, median distance",
        "e90": "E90, 90th percentile of the distance",
        "auc_calibrated": "AUC after calibration",
    }
)


def model(evaluation: Evaluation, name: str) -> dict[str, Any]:
    """Everything the page shows of one model, after `Model` of the page's contract."""
    found = evaluation[name]
    ranking, choice = found.ranking, found.choice
    threshold = choice.threshold
    return {
        "name": name,
        "shown": visible(name),
        "curve": curve(ranking, keep=choice.point.split),
        "probabilities": bool(ranking.score[0] <= 1 and ranking.score[-1] >= 0),
        "ties": _ties(evaluation, name),
        "distribution": distribution(ranking),
        "pools": pools(ranking),
        "bands": lines(model_bands(evaluation, name)),
        "optimum": {
            "threshold": real(threshold),
            "cells": cells(choice.table),
            "undecided": reals(choice.undecided or (threshold, threshold)),
            "holds_for": reals(choice.holds_for or (math.nan, math.nan)),
        },
        "given": None if found.given is None else cells(found.given),
        "numbers": numbers(found, found.numbers, evaluation.quantities.get(name, {})),
        "data_numbers": numbers(found, found.data_numbers) if found.mix_declared else [],
        "measures": [{"name": each, "interval": interval(of)} for each, of in found.measures.items()],
        "data_measures": [
            {"name": each, "interval": interval(of)} for each, of in found.data_measures.items() if found.mix_declared
        ],
        "expected_cost": interval(found.expected_cost),
        "honest_cost": interval(found.honest_cost),
        "threshold": interval(found.threshold),
        "calibration": _calibration(found),
        "segments": _segments(evaluation, ranking),
    }


def cells(table: Contingency) -> dict[str, Any]:
    """The four cells of a table.

    >>> cells(Contingency(tp=30, fn=20, fp=10, tn=40))
    {'tp': 30, 'fn': 20, 'fp': 10, 'tn': 40}
    """
    return {cell: getattr(table, cell) for cell in ("tp", "fn", "fp", "tn")}


def pools(ranking: Ranking) -> list[dict[str, Any]]:
    """The hull's pools by falling score: the segments of the reliability diagram.

    >>> pools(Ranking.parse("[2+][1-][1+]", score=[0.9, 0.5, 0.25]))[1]
    {'low': 0.25, 'high': 0.5, 'score': 0.375, 'pos': 1, 'neg': 1}
    """
    split = hull_splits(ranking, pool="ties")
    pos, neg = ranking.runs(split)
    # Scores whose sums would leave what numbers can hold have no mean to show, as infinite ones have none.
    finite = bool(ranking.score[0] < _FAR_OF_MODEL and ranking.score[-1] > -_FAR_OF_MODEL)
    low, high = ranking.score[split[1:] - 1], ranking.score[split[:-1]]
    mean = mean_scores(ranking, split) if finite else np.full(low.size, np.nan)
    columns = rounded(low, _SCORE_DIGITS), rounded(high, _SCORE_DIGITS), rounded(mean, _SCORE_DIGITS)
    return [
        dict(zip(("low", "high", "score", "pos", "neg"), row, strict=True))
        for row in zip(*columns, pos.tolist(), neg.tolist(), strict=True)
    ]


def numbers(
    found: ModelEvaluation, known: Mapping[str, Interval], asked: Mapping[str, Interval] = MappingProxyType({})
) -> list[dict[str, Any]]:
    """Numbers of the whole model with their intervals, those that have none, and last the quantities asked for."""
    alone: dict[str, float | None] = {
        "log_loss": found.log_loss,  # which may be infinite, and then has no interval
        "auc_calibrated": found.calibration.auc_after,
    }
    listed = ((name, label, known.get(name, alone.get(name))) for name, label in _LABELS.items())
    shown = [number(name, label, value) for name, label, value in listed if value is not None]
    names = {each["name"] for each in shown}
    return shown + [number(text, _LABELS.get(text, text), asked[text]) for text in asked if text not in names]


def number(name: str, label: str, value: Interval | float) -> dict[str, Any]:
    """One number of a whole model.

    >>> number("ks", "Kolmogorov-Smirnov", 0.4)
    {'name': 'ks', 'label': 'Kolmogorov-Smirnov', 'interval': None, 'value': 0.4}
    """
    if isinstance(value, Interval):
        return {"name": name, "label": label, "interval": interval(value), "value": real(value.estimate)}
    return {"name": name, "label": label, "interval": None, "value": real(value)}


def _ties(evaluation: Evaluation, name: str) -> dict[str, int]:
    ranking = evaluation[name].ranking
    if ranking.weighted:  # the ranking holds weights; how many rows share a score is for the rows to say
        rows = evaluation.scored.scores[name].astype(np.float64)
        cases = np.bincount(np.searchsorted(-ranking.score, -rows))
    else:
        cases = ranking.pos + ranking.neg
    return {"segments": len(ranking), "cases": int(cases[cases > 1].sum())}


def _calibration(found: ModelEvaluation) -> dict[str, Any] | None:
    steps = found.calibration.curve
    if not isinstance(steps, Steps):
        return None
    return {"method": found.calibration.method, "x": rounded(steps.score), "y": rounded(steps.probability)}


def _segments(evaluation: Evaluation, ranking: Ranking) -> dict[str, Any] | None:
    if evaluation.rows > CLASSROOM or ranking.weighted:
        return None
    return {"score": reals(ranking.score), "pos": ranking.pos.tolist(), "neg": ranking.neg.tolist()}


# A page of k classes holds k curves per model, so each gets its share of the room.
CURVE_POINTS = 6000
FEWEST_POINTS = 150

NUMBERS: Mapping[str, str] = MappingProxyType(
    {
        "overall_accuracy": "overall accuracy",
        "macro_recall": "mean class accuracy (macro recall)",
        "macro_precision": "macro precision",
        "macro_f1": "macro F1",
        "weighted_f1": "weighted F1",
        "mcc": "MCC",
        "kappa": "kappa",
        "one_vs_rest_macro": "AUC, one-vs-rest, macro",
        "one_vs_rest_weighted": "AUC, one-vs-rest, weighted",
        "one_vs_one_macro": "AUC, one-vs-one, macro",
        "one_vs_one_weighted": "AUC, one-vs-one, weighted",
        "brier": "Brier score",
        "log_loss": "log loss",
    }
)


def class_model(evaluation: MulticlassEvaluation, name: str) -> dict[str, Any]:
    """Everything the page shows of one model of several classes, after `ClassModel` of the page's contract."""
    found = evaluation[name]
    points = max(FEWEST_POINTS, CURVE_POINTS // len(evaluation.classes) // 2)
    return {
        "name": visible(name),
        "matrix": np.asarray(found.confusion.counts).tolist(),
        "classes": [_row(found, i, label, evaluation.level) for i, label in enumerate(evaluation.classes)],
        "numbers": _numbers(found),
        "curves": [curve(found.rankings[label], points=points) for label in evaluation.classes],
        "bands": [lines(class_bands(evaluation, name, label)) for label in evaluation.classes],
    }


def _row(found: MulticlassModel, i: int, label: Any, level: float) -> dict[str, Any]:
    rates = found.rates
    counts = np.asarray(found.confusion.counts)
    table = found.confusion.one_vs_rest(label)
    return {
        "label": visible(str(label)),
        "count": counts[i].sum().item(),
        "precision": interval(rates.precision[label]),
        "recall": interval(rates.recall[label]),
        "f1": interval(measure_interval(table, "f1", level=level)),
        "auc": interval(found.auc.one_vs_rest[label]),
    }


def _numbers(found: MulticlassModel) -> list[dict[str, Any]]:
    rates, areas, matrix = found.rates, found.auc, found.confusion
    values: dict[str, Interval | float] = {
        "overall_accuracy": rates.overall_accuracy,
        "macro_recall": rates.macro_recall,
        "macro_precision": rates.macro_precision,
        "macro_f1": rates.macro_f1,
        "weighted_f1": matrix.weighted_f1,
        "mcc": matrix.mcc,
        "kappa": matrix.kappa,
        "one_vs_rest_macro": areas.one_vs_rest_macro,
        "one_vs_rest_weighted": areas.one_vs_rest_weighted,
        "one_vs_one_macro": areas.one_vs_one_macro,
        "one_vs_one_weighted": areas.one_vs_one_weighted,
        "brier": found.brier,
        "log_loss": found.log_loss,
    }
    return [number(name, label, values[name]) for name, label in NUMBERS.items()]


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
