"""The report of what was learnt: verdict, untouched rows, leaks and curves, above the page that compares models."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thresher._internal.text import isolated
from thresher.evaluation.rules import Rule
from thresher.evaluation.summary import SHORT_NAMES, Tile, by_importance, mix_words, threshold_text, tiles_of
from thresher.inference import Interval
from thresher.learning.learn import Learned, baseline_words, choice_words, curve_words, kind_words
from thresher.learning.models.baselines import MAJORITY, ONE_FEATURE
from thresher.learning.validation.feature_curve import FeatureCurve
from thresher.learning.validation.learning_curve import LearningCurve
from thresher.report import Section, write_page
from thresher.report.numbers import limits_text, value_text
from thresher.report.static.svg import Panel, Plot
from thresher.report.static.tables import Table

LEAKS = (
    "feature-equals-target",
    "feature-determines-target",
    "near-perfect-feature",
    "duplicate-rows-across-splits",
    "groups-across-splits",
    "identifier-column",
)
_CELLS = (("actual +", "tp", "fn"), ("actual −", "fp", "tn"))


def write_report(found: Learned, path: str | Path, *, title: str | None = None) -> None:
    """Write one HTML file: verdict, untouched rows, leaks, curves, and then how models compare on the same folds."""
    sections = list(learned_sections(found))
    write_page(found.evaluation, path, title=title, sections=sections, grey=(MAJORITY, ONE_FEATURE))


def learned_sections(found: Learned) -> Iterator[Section]:
    """The verdict, the rows put aside, what looks like a leak, the curves that were drawn, and the models.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher.learning import learn
    >>> table = load_breast_cancer(as_frame=True).frame[["mean radius", "mean texture", "target"]]
    >>> found = learn(table, "target", models=["naive bayes"], folds=3, curves=False)
    >>> [section.title for section in learned_sections(found)]
    ['Verdict', 'On the rows put aside', 'Leaks', 'How it was learnt']
    """
    sizes = found.split.sizes
    leaks = [caution for caution in found.cautions if caution.code in LEAKS]
    yield Section(
        "Verdict", [_verdict(found), choice_words(found)], cautions=by_importance([*leaks, *found.cautions])[:1]
    )
    yield Section("On the rows put aside", [_put_aside(found)], tiles=_tiles(found), tables=_table(found))
    nothing = ["No column looks as if it knew the answer, and no row or group is on both sides."]
    yield Section("Leaks", [] if leaks else nothing, cautions=leaks)
    curves = [curve for curve in (found.learning_curve, found.feature_curve) if curve is not None]
    if curves:
        drawn = [_learning(curve) if isinstance(curve, LearningCurve) else _features(curve) for curve in curves]
        tables = [_numbers(curve) for curve in curves]
        yield Section("Does it need more rows, or more features?", curve_words(found), panels=drawn, tables=tables)
    rows = f"{sizes['train']:,} rows to learn {found.target} = {found.positive} from, {sizes['test']:,} put aside"
    yield Section(
        "How it was learnt",
        [f"{rows} ({found.split.how}).", *kind_words(found)],
        cautions=[caution for caution in by_importance(found.cautions) if caution.code not in LEAKS],
        tables=[_models(found)],
    )


def _verdict(found: Learned) -> str:
    """Whether the winner is worth its trouble, and how it calls."""
    decision = found.decision
    at = f"says {threshold_text(found.evaluation, decision.model)} or more"
    rule = f"Call a case positive when {isolated(decision.model)} {at}."
    if not math.isfinite(decision.threshold):
        rule = f"Call {'no' if decision.threshold > 0 else 'every'} case positive."
    return f"{rule} {baseline_words(found)}"


def _tiles(found: Learned) -> Sequence[Tile]:
    """Per 1,000 cases what the decision's calls did on the rows put aside, against never, always and 0.5."""
    calls = found.test[found.decision.model].given
    if calls is None:
        return ()
    kept = {name: rule for name, rule in found.test.rules.items() if name in SHORT_NAMES}
    chosen = Rule(found.decision.model, found.decision.model, found.decision.threshold, calls, found.test_cost, None)
    return tiles_of([chosen, *kept.values()], found.test_measures, found.test)


def _put_aside(found: Learned) -> str:
    area = found.test[found.decision.model].auc
    return (
        f"On {found.split.sizes['test']:,} rows put aside, which nothing had seen, its calls cost "
        f"{_limits(found.test_cost)} per case; its AUC there is {_limits(area)}. Per 1,000 cases "
        f"{mix_words(found.test)}:"
    )


def _models(found: Learned) -> Table:
    rows = [
        (
            name,
            _limits(cost),
            _limits(found.evaluation[name].auc),
            _limits(found.against[name].interval) if name in found.against else "",
        )
        for name, cost in found.nested.items()
    ]
    head = ("", "nested cost", "AUC", f"cost of {found.decision.model} minus this")
    return Table(
        f"Cost per case at thresholds chosen without the rows judged, with limits at level {found.test_cost.level:g}",
        head,
        rows,
        grey=(MAJORITY, ONE_FEATURE),
    )


def _table(found: Learned) -> list[Table]:
    cells = found.test[found.decision.model].given
    if cells is None:
        return []
    rows = [(name, *(value_text(getattr(cells, cell)) for cell in both)) for name, *both in _CELLS]
    return [Table("Calls on the rows put aside", ("", "predicted +", "predicted −"), rows, small=True)]


def _learning(curve: LearningCurve) -> Panel:
    plot = _two_curves(curve, curve.sizes.tolist(), "rows learnt from")
    rest = ""
    if curve.asymptote is not None:
        plot.line(plot.x, [curve.asymptote.estimate] * 2)
        rest = " The dotted line is what would remain with ever more rows."
    return plot.panel("Learning curve", f"{_LINES}{rest}")


def _features(curve: FeatureCurve) -> Panel:
    plot = _two_curves(curve, list(curve.sizes), "features, the best single ones first")
    plot.point(curve.best, float(curve.validation.estimate[curve.sizes.index(curve.best)]), place=0)
    return plot.panel("Feature curve", f"{_LINES} ◇ is the cheapest.")


_LINES = "Cost per case on other rows (solid) and on the rows learnt from (dashed), with limits where folds vary."


def _two_curves(curve: LearningCurve | FeatureCurve, sizes: Sequence[int], label: str) -> Plot:
    both = (curve.validation, curve.apparent)
    values = np.concatenate([side for band in both for side in (band.estimate, band.lower, band.upper)])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    first, last = sizes[0], sizes[-1]
    plot = Plot(
        (first, last) if last > first else (first - 0.5, last + 0.5),
        (low, high) if high > low else (low - 0.5, high + 0.5),
        label,
        curve.measure.replace("_", " "),
    )
    for place, band in enumerate(both):
        known = np.isfinite(band.lower)
        plot.area(np.asarray(sizes)[known], band.lower[known], band.upper[known], place=place)
        plot.line(sizes, band.estimate, place=place)
    return plot


def _numbers(curve: LearningCurve | FeatureCurve) -> Table:
    def at(place: int) -> list[str]:
        return [
            limits_text({name: getattr(band, name)[place] for name in ("estimate", "lower", "upper")})
            for band in (curve.validation, curve.apparent)
        ]

    name = "rows" if isinstance(curve, LearningCurve) else curve.parameter
    kind = "Learning" if isinstance(curve, LearningCurve) else "Feature"
    caption = f"{kind} curve: {curve.measure.replace('_', ' ')}, with limits at level {curve.level:g}"
    rows = [(value_text(size), *at(place)) for place, size in enumerate(_plain(curve.sizes))]
    return Table(caption, (name, "on other rows", "on the rows learnt from"), rows, folded=True)


def _plain(sizes: Any) -> list[int]:
    return [int(size) for size in sizes]


def _limits(given: Interval) -> str:
    return limits_text({"estimate": given.estimate, "lower": given.lower, "upper": given.upper})
