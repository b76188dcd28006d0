"""Cautions about an evaluation, each with its code."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from thresher._internal.text import count_text, in_words, listed
from thresher.cautions import EXTREME, Caution, extreme_class_ratio
from thresher.curves import auc
from thresher.evaluation.decision import BASELINE_WORDS, CONSTANT
from thresher.evaluation.decision_rule import BestConstant
from thresher.evaluation.results import limits_text
from thresher.evaluation.rows import EvaluatedRows
from thresher.evaluation.rules import MOST_NAMED, Rule
from thresher.inference import Interval
from thresher.inference.class_rows import ClassifiedRows
from thresher.inference.decision.stability import ALWAYS, NEVER
from thresher.inference.intervals.auc import carried_by_few, delong_parts
from thresher.inputs.labels import listed as names_in_words
from thresher.ranking import Ranking
from thresher.tables import CostMatrix, OperatingCondition

if TYPE_CHECKING:
    from thresher.evaluation.least_cost.model import LeastCostModel
    from thresher.evaluation.least_cost.rules import ActionRule

FEW = 30


def data_cautions(rows: EvaluatedRows) -> Iterator[Caution]:
    """Warn about the rows and, model by model, about scores."""
    scored = rows.scored
    positives = int(np.count_nonzero(scored.positive))
    counts = positives, len(scored) - positives
    yield from few_cases(*counts)
    yield from few_clusters(None if scored.cluster is None else scored.clusters)
    yield from extreme_class_ratio(*counts)
    for name, ranking in rows.rankings.items():
        score, highest, lowest = scored.scores[name], ranking.score[0], ranking.score[-1]
        if len(ranking) == 1:
            yield Caution("one-score", f"{name} gives every case the score {highest:g}")
        elif (area := float(auc(ranking))) < 0.5:
            yield auc_below_half(name, area)
        if note := carried_by_few(ranking, delong_parts(ranking)):
            yield Caution("few-carry-auc", f"{name}: {note}")
        tied = len(scored) - len(ranking)
        if score.dtype.itemsize < np.dtype(np.float64).itemsize and tied and len(ranking) > 100:
            what = f"{tied:,} scores of {name} tie with others; they are in single precision"
            yield Caution("ties-from-float32", what)
        if highest > 1 or lowest < 0:
            yield not_probabilities(name, ranking)
        elif wrong := float((lowest == 0) * ranking.pos[-1] + (highest == 1) * ranking.neg[0]):
            what = f"{wrong:,.10g} of {ranking.total:,.10g} cases got probability 0 from {name} for what they are"
            yield Caution("certain-and-wrong", what)
        calls = rows.predictions.get(name)
        if calls is not None and calls.any() and (below := np.count_nonzero(score[~calls] >= score[calls].min())):
            what = f"{below:,} predictions of {name} are negative although a case with a lower score is called positive"
            yield Caution("predictions-disagree", what)
    maps = "the calibration map and" if len(rows.rankings) == 1 else "the calibration maps and"
    yield Caution("calibrated-on-same-rows", f"{maps} miscalibration come from the rows they are judged by")


def equal_costs(condition: OperatingCondition | None) -> Iterator[Caution]:
    """Warn that costs defaulted to 1:1."""
    if condition is None:
        yield Caution("equal-costs", "no condition given, so a miss is taken to cost as much as a false alarm")


def few_cases(Pos: int, Neg: int) -> Iterator[Caution]:
    """Warn that a class has few cases."""
    for code, kind, cases in (("few-positives", "positives", Pos), ("few-negatives", "negatives", Neg)):
        if cases < FEW:
            few = f"there are only {cases} {kind}" if cases != 1 else f"there is only 1 {kind.removesuffix('s')}"
            yield Caution(code, f"{few}; intervals are wide and resampling is coarse")


def few_clusters(clusters: int | None) -> Iterator[Caution]:
    """Warn that rows belong to few clusters."""
    if clusters is not None and clusters < FEW:
        yield Caution("few-clusters", f"rows belong to only {clusters} clusters; only these are independent")


def auc_below_half(name: str, auc: float) -> Caution:
    """Warn that a model ranks worse than chance."""
    return Caution("auc-below-half", f"{name} has AUC {auc:.3f}; are labels or scores turned round?")


def not_probabilities(name: str, ranking: Ranking) -> Caution:
    """Warn that scores lie outside [0, 1]."""
    return Caution("not-probabilities", f"{name} scores from {ranking.score[-1]:g} to {ranking.score[0]:g}")


def uncertain_winner(may_be_best: Sequence[str], wins: Mapping[str, float], level: float) -> Iterator[Caution]:
    """Warn that several models may be the best."""
    if len(may_be_best) > 1:
        often = list(wins)
        if len(wins) > MOST_NAMED:
            often = sorted((name for name in wins if wins[name] > 0), key=lambda name: -wins[name])
        shares = listed([f"{name} {wins[name]:.0%}" for name in often], MOST_NAMED)
        several = f"at level {level:g} {len(may_be_best)} models may be the best: {listed(may_be_best, MOST_NAMED)}"
        yield Caution("winner-uncertain", f"{several}; shares of resamples in which each is cheapest: {shares}")


def no_saving(rules: Mapping[str, Rule]) -> Iterator[Caution]:
    """Warn that the decision may be no cheaper than calling none or all positive."""
    name = min((NEVER, ALWAYS), key=lambda each: rules[each].cost.estimate)
    saving = rules[name].saving
    if saving is None or saving.lower > 0 or (saving.estimate > 0 and math.isnan(saving.lower)):
        return
    doing = BASELINE_WORDS[name]
    if math.isnan(saving.estimate):
        yield Caution("no-better-than-nothing", f"whether it is cheaper than {doing} is unknown: {saving.note}")
    else:
        yield _no_better(saving, doing, "on rows it was not chosen on, the decision")


def class_cautions(rows: ClassifiedRows, models: Mapping[str, LeastCostModel], costs: CostMatrix) -> Iterator[Caution]:
    """Warn about rows of k classes and, model by model, about probabilities and calls."""
    cases = rows.cases
    for name, count in zip(rows.classes, cases.tolist(), strict=True):
        if not count:
            what = f"class {name!r} has no case: its recall, and averages over classes, are undefined"
            yield Caution("few-cases-of-class", what)
        elif count < FEW:
            yield Caution("few-cases-of-class", f"class {name!r} has only {count_text(count, 'case')}")
    yield from few_clusters(None if rows.cluster is None else rows.clusters)
    least = cases[rows.present].min()
    if cases.max() >= EXTREME * least:
        frequent, rare = (rows.classes[int(at)] for at in (cases.argmax(), (cases == least).argmax()))
        times = cases.max() / least
        yield Caution("extreme-class-ratio", f"class {frequent!r} is {times:,.0f} times as frequent as {rare!r}")
    if rows.pooled_rows:
        pooled = f"{names_in_words(rows.pooled)} ({rows.pooled_rows:,} of {rows.index.size:,} rows)"
        yield Caution("pooled-labels", f"labels that are no class of their own were pooled: {pooled}")
    yield from _tied_models(models)
    for model in models.values():
        yield from _of_probabilities(rows, model)
        yield from _of_actions(rows, model, costs)


def _tied_models(models: Mapping[str, LeastCostModel]) -> Iterator[Caution]:
    by_name = {name: model.expected_cost.estimate for name, model in models.items()}
    least = min(by_name.values())
    tied = [name for name, cost in by_name.items() if math.isclose(cost, least, rel_tol=1e-12)]
    if len(tied) > 1:
        same = f"{in_words(tied)} cost the same, {least:.4g} per case"
        yield Caution("tied-models", f"{same}; only the order in which they were given tells them apart")


def _of_probabilities(rows: ClassifiedRows, model: LeastCostModel) -> Iterator[Caution]:
    name, size, matrix = model.name, rows.index.size, rows.matrices[model.name]
    if wrong := int(np.count_nonzero(matrix[np.arange(size), rows.index] == 0)):
        what = f"{wrong:,} of {size:,} cases got probability 0 from {name} for what they are"
        yield Caution("certain-and-wrong", what)
    if (matrix == matrix[0]).all():
        yield Caution("one-score", f"{name} gives every case the same probabilities")
        return
    for label, ranking in model.rankings.items():
        if not ranking.Pos:  # no case is of the class
            continue
        area = auc(ranking)
        if area < 0.5:
            yield Caution("auc-below-half", f"{name} has AUC {area:.3f} for {label!r} against the rest")


def _of_actions(rows: ClassifiedRows, model: LeastCostModel, costs: CostMatrix) -> Iterator[Caution]:
    name, size = model.name, rows.index.size
    matrix = rows.matrices[name]
    if name in rows.predicted:
        of_calls = rows.calls[name]
        top, classes = matrix.max(axis=1), of_calls < matrix.shape[1]
        if unlike := int(np.count_nonzero(matrix[classes, of_calls[classes]] < top[classes])):
            what = f"{unlike:,} of {size:,} predictions of {name} are not the class it gives most to"
            yield Caution("predictions-not-likeliest", what)
    expected = costs.regret.expected(matrix, weights=model.weights)
    if tied := int(np.count_nonzero((expected == expected.min(axis=1, keepdims=True)).sum(axis=1) > 1)):
        text = f"{name} expects the same least cost of two actions in {count_text(tied, 'case')}; the first is taken"
        yield Caution("tied-actions", text)
    for label, number in zip(rows.classes, model.confusion.predicted.tolist(), strict=False):
        if not number:
            yield Caution("class-never-called", f"{name} never calls a case {label!r}")


def no_better_action(rules: Mapping[str, ActionRule], constant: BestConstant | None) -> Iterator[Caution]:
    """Warn that the decision may be no cheaper than the same action for every case."""
    saving = rules[CONSTANT].saving
    if constant is None or saving is None or saving.lower > 0:
        return
    yield _no_better(saving, f"always saying {constant.action!r}", "the decision")


def _no_better(saving: Interval, doing: str, decision: str) -> Caution:
    what = f"it may be no cheaper than {doing}: the saving is {limits_text(saving)} per case"
    if saving.estimate <= 0:
        more = f"costs {-saving.estimate:.4g} more per case than" if saving.estimate < 0 else "costs as much as"
        what = f"{decision} {more} {doing}"
    return Caution("no-better-than-nothing", what)
