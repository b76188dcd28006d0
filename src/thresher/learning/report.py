"""The report of what was learnt, above the page that compares models."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from thresher._internal.text import interval_text, isolated
from thresher.evaluation import ThresholdEvaluation
from thresher.evaluation.results import limits_text
from thresher.evaluation.rules import Rule
from thresher.evaluation.summary import (
    SHORT_NAMES,
    by_importance,
    mix_words,
    threshold_text,
    tiles_of,
)
from thresher.learning.columns_by_class import columns_section
from thresher.learning.learned import OF_CLASSES, Learned, baseline_words, choice_words, curve_words, kind_words
from thresher.learning.models.candidates import MAJORITY, ONE_FEATURE
from thresher.learning.validation.feature_curve import FeatureCurve
from thresher.learning.validation.learning_curve import LearningCurve
from thresher.report import Section, write_page
from thresher.report.numbers import value_text
from thresher.report.static.svg import Panel, Plot
from thresher.report.static.tables import Table
from thresher.tables import ConfusionMatrix

LEAKS = (
    "feature-equals-target",
    "feature-determines-target",
    "near-perfect-feature",
    "duplicate-rows",
    "duplicate-rows-across-splits",
    "groups-across-splits",
    "identifier-column",
)
_CELLS = (("actual +", "tp", "fn"), ("actual −", "fp", "tn"))


def write_report(learned: Learned, path: str | Path, *, title: str | None = None) -> None:
    """Write one HTML file: the sections of what was learnt, then how models compare."""
    sections = list(learned_sections(learned))
    write_page(learned.evaluation, path, title=title, sections=sections, grey=(MAJORITY, ONE_FEATURE))


def learned_sections(learned: Learned) -> Iterator[Section]:
    """The verdict, the rows put aside, leaks, columns, curves and models."""
    sizes = learned.split.sizes
    leaks = [caution for caution in learned.cautions if caution.code in LEAKS]
    yield Section(
        "Verdict", [_verdict(learned), choice_words(learned)], cautions=by_importance([*leaks, *learned.cautions])[:1]
    )
    cost = limits_text(learned.test_cost)
    put_aside = f"On {sizes['test']:,} rows put aside, which nothing had seen, its calls cost {cost} per case"
    if isinstance(learned.test, ThresholdEvaluation):
        area = limits_text(learned.test[learned.decision.model].auc)
        put_aside += f"; its AUC there is {area}. Per 1,000 cases {mix_words(learned.test)}:"
    yield Section("On the rows put aside", [put_aside], **_calls(learned))
    yield Section(f"What {isolated(learned.decision.model)} does", code=learned.text())
    nothing = ["No column looks as if it knew the answer, and no row or group is on both sides."]
    yield Section("Leaks", [] if leaks else nothing, cautions=leaks)
    yield from columns_section(learned.by_class, learned.redundant)
    curves = [curve for curve in (learned.learning_curve, learned.feature_curve) if curve is not None]
    if curves:
        panels, tables = [_curve_panel(curve) for curve in curves], [_numbers(curve) for curve in curves]
        yield Section("Does it need more rows, or more features?", curve_words(learned), panels=panels, tables=tables)
    goal = learned.target if learned.positive is None else f"{learned.target} = {learned.positive}"
    rows = f"{sizes['train']:,} rows to learn {goal} from, {sizes['test']:,} put aside"
    settings = [] if learned.tuning is None else [learned.tuning.words(learned.decision.model)]
    yield Section(
        "How it was learnt",
        [f"{rows} ({learned.split.how}).", *kind_words(learned), *settings],
        cautions=[caution for caution in by_importance(learned.cautions) if caution.code not in LEAKS],
        tables=[_models(learned)],
    )


def _verdict(learned: Learned) -> str:
    """Whether the winner is worth its trouble, and how it calls."""
    decision = learned.decision
    if not isinstance(learned.evaluation, ThresholdEvaluation):
        return f"By the probabilities of {isolated(decision.model)}, {decision.rule}. {baseline_words(learned)}"
    at = f"says {threshold_text(learned.evaluation, decision.model)} or more"
    rule = f"Call a case positive when {isolated(decision.model)} {at}."
    if not math.isfinite(decision.threshold):
        rule = f"Call {'no' if decision.threshold > 0 else 'every'} case positive."
    return f"{rule} {baseline_words(learned)}"


def _models(learned: Learned) -> Table:
    against = {name: limits_text(difference.interval) for name, difference in learned.against.items()}
    evaluation = learned.evaluation
    rows: list[tuple[str, ...]] = []
    for name, cost in learned.nested.items():
        if isinstance(evaluation, ThresholdEvaluation):
            measures = [limits_text(evaluation[name].auc)]
        else:
            measures = [value_text(number) for number in learned.estimates(name).values()]
        rows.append((name, limits_text(cost), *measures, against.get(name, "")))
    of_two = isinstance(evaluation, ThresholdEvaluation)
    heads = ["AUC"] if of_two else [each.replace("_", " ") for each in OF_CLASSES]
    head = ("", "nested cost", *heads, f"cost of {learned.decision.model} minus this")
    chosen = "Cost per case at thresholds chosen" if of_two else "Cost per case of the actions of least expected cost,"
    caption = f"{chosen} without the rows judged, with limits at level {learned.test_cost.level:g}"
    return Table(caption, head, rows, grey=(MAJORITY, ONE_FEATURE))


def _calls(learned: Learned) -> dict[str, Any]:
    """Calls on the rows put aside, next to never, always and 0.5."""
    if not isinstance(learned.test, ThresholdEvaluation):
        return {"tables": [_confusion(learned.test[learned.decision.model].confusion), _test_measures(learned)]}
    winner, cells = learned.decision.model, learned.test[learned.decision.model].predictions
    if cells is None:
        return {}
    rules = [rule for name, rule in learned.test.rules.items() if name in SHORT_NAMES]
    chosen = Rule(winner, winner, learned.decision.threshold, cells, learned.test_cost, None)
    rows = [(name, *(value_text(getattr(cells, cell)) for cell in both)) for name, *both in _CELLS]
    table = Table("Calls on the rows put aside", ("", "predicted +", "predicted −"), rows, small=True)
    return {"tiles": tiles_of([chosen, *rules], learned.test_measures, learned.test), "tables": [table]}


def _confusion(matrix: ConfusionMatrix) -> Table:
    """Cases of each class by the action taken."""
    rows = [
        (f"actual {name}", *(value_text(count) for count in counts), value_text(recall))
        for name, counts, recall in zip(matrix.classes, matrix.counts.tolist(), matrix.recall.tolist(), strict=True)
    ]
    head = ("", *(f"said {action}" for action in matrix.actions), "recall")
    return Table("Calls on the rows put aside", head, rows, small=True)


def _test_measures(learned: Learned) -> Table:
    rows = [(name.replace("_", " "), limits_text(number)) for name, number in learned.test_measures.items()]
    return Table("Measures on the rows put aside", ("measure", "estimate"), rows, small=True)


def _curve_panel(curve: LearningCurve | FeatureCurve) -> Panel:
    sizes, both = [int(size) for size in curve.sizes], (curve.validation, curve.apparent)
    values = np.concatenate([side for band in both for side in (band.estimate, band.lower, band.upper)])
    ranges = ((sizes[0], sizes[-1]), (float(np.nanmin(values)), float(np.nanmax(values))))
    across, up = ((low, high) if high > low else (low - 0.5, high + 0.5) for low, high in ranges)
    label = "rows learnt from" if isinstance(curve, LearningCurve) else "features, the best single ones first"
    plot = Plot(across, up, label, curve.measure.replace("_", " "))
    for place, band in enumerate(both):
        known = np.isfinite(band.lower)
        plot.area(np.asarray(sizes)[known], band.lower[known], band.upper[known], place=place)
        plot.line(sizes, band.estimate, place=place)
    text = "Cost per case on other rows (solid) and on the rows learnt from (dashed), with limits where folds vary."
    if isinstance(curve, FeatureCurve):
        plot.point(curve.best, float(curve.validation.estimate[curve.sizes.index(curve.best)]), place=0)
        return plot.panel("Feature curve", f"{text} ◇ is the cheapest.")
    if curve.asymptote is not None:
        plot.line(plot.x, [curve.asymptote.estimate] * 2)
        text += " The dotted line is what would remain with ever more rows."
    return plot.panel("Learning curve", text)


def _numbers(curve: LearningCurve | FeatureCurve) -> Table:
    validation, apparent = (
        [interval_text(*point) for point in zip(band.estimate, band.lower, band.upper, strict=True)]
        for band in (curve.validation, curve.apparent)
    )
    kind, name = ("Learning", "rows") if isinstance(curve, LearningCurve) else ("Feature", curve.parameter)
    caption = f"{kind} curve: {curve.measure.replace('_', ' ')}, with limits at level {curve.level:g}"
    rows = list(zip((value_text(int(size)) for size in curve.sizes), validation, apparent, strict=True))
    return Table(caption, (name, "on other rows", "on the rows learnt from"), rows, folded=True)
