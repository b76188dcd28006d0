"""The report of what was learnt: the comparison's page, with baselines, untouched rows and curves told on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thresher.inference import Interval
from thresher.learning.feature_curve import FeatureCurve
from thresher.learning.learning_curve import LearningCurve
from thresher.learning.workflow import Learned
from thresher.learning.workflow_words import baseline_words, choice_words, curve_words, kind_words
from thresher.report import Section, write_page
from thresher.report.grid import Grid
from thresher.report.numbers import said, said_limits
from thresher.report.panels import Panel
from thresher.report.svg import Plot

_CELLS = (("actual +", "tp", "fn"), ("actual −", "fp", "tn"))


def write_report(found: Learned, path: str | Path, *, title: str | None = None) -> None:
    """Write one HTML file: how models compare on the same folds, and in words and sections all that `learn` adds."""
    words = [baseline_words(found), _put_aside(found)]
    write_page(found.evaluation, path, title=title, words=words, sections=list(learned_sections(found)))


def learned_sections(found: Learned) -> Iterator[Section]:
    """What was learnt from, how models compare, the rows put aside, and the curves, unless they were not drawn.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher.learning import learn
    >>> table = load_breast_cancer(as_frame=True).frame[["mean radius", "mean texture", "target"]]
    >>> found = learn(table, "target", models=["naive bayes"], folds=3, curves=False)
    >>> [section.title for section in learned_sections(found)]
    ['How it was learnt', 'On the rows put aside']
    """
    sizes, known = found.split.sizes, {str(caution) for caution in found.evaluation.cautions}
    rows = f"{sizes['train']:,} rows to learn {found.target} = {found.positive} from, {sizes['test']:,} put aside"
    cautions = [str(caution) for caution in found.cautions if str(caution) not in known]
    yield Section(
        "How it was learnt",
        [f"{rows} ({found.split.how}).", *kind_words(found), choice_words(found), *cautions],
        grids=[_models(found)],
    )
    yield Section("On the rows put aside", [_put_aside(found)], grids=_table(found))
    words = iter(curve_words(found))
    if found.learning_curve is not None:
        yield Section(
            "Does it need more rows?",
            [next(words)],
            [_learning(found.learning_curve)],
            [_numbers(found.learning_curve)],
        )
    if found.feature_curve is not None:
        curve = found.feature_curve
        yield Section("Does it need more features?", [next(words)], [_features(curve)], [_numbers(curve)])


def _put_aside(found: Learned) -> str:
    area = found.test[found.decision.model].auc
    return (
        f"On {found.split.sizes['test']:,} rows put aside, which nothing had seen, its calls cost "
        f"{_limits(found.test_cost)} per case; its AUC there is {_limits(area)}."
    )


def _models(found: Learned) -> Grid:
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
    return Grid(
        f"Cost per case at thresholds chosen without the rows judged, with limits at level {found.test_cost.level:g}",
        head,
        rows,
    )


def _table(found: Learned) -> list[Grid]:
    cells = found.test[found.decision.model].given
    if cells is None:
        return []
    rows = [(name, *(said(getattr(cells, cell)) for cell in both)) for name, *both in _CELLS]
    return [Grid("Calls on the rows put aside", ("", "predicted +", "predicted −"), rows, small=True)]


def _learning(curve: LearningCurve) -> Panel:
    plot = _two_curves(curve, curve.sizes.tolist(), "rows learnt from")
    rest = ""
    if curve.asymptote is not None:
        plot.line(plot.x, [curve.asymptote.estimate] * 2)
        rest = " The dotted line is what would remain with ever more rows."
    return Panel("Learning curve", f"{_LINES}{rest}", plot.svg(name="Learning curve"))


def _features(curve: FeatureCurve) -> Panel:
    plot = _two_curves(curve, list(curve.sizes), "features, the best single ones first")
    plot.point(curve.best, float(curve.validation.estimate[curve.sizes.index(curve.best)]), place=0)
    return Panel("Feature curve", f"{_LINES} ◇ is the cheapest.", plot.svg(name="Feature curve"))


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


def _numbers(curve: LearningCurve | FeatureCurve) -> Grid:
    def at(place: int) -> list[str]:
        return [
            said_limits({name: getattr(band, name)[place] for name in ("estimate", "lower", "upper")})
            for band in (curve.validation, curve.apparent)
        ]

    name = "rows" if isinstance(curve, LearningCurve) else curve.parameter
    kind = "Learning" if isinstance(curve, LearningCurve) else "Feature"
    caption = f"{kind} curve: {curve.measure.replace('_', ' ')}, with limits at level {curve.level:g}"
    rows = [(said(size), *at(place)) for place, size in enumerate(_plain(curve.sizes))]
    return Grid(caption, (name, "on other rows", "on the rows learnt from"), rows)


def _plain(sizes: Any) -> list[int]:
    return [int(size) for size in sizes]


def _limits(given: Interval) -> str:
    return said_limits({"estimate": given.estimate, "lower": given.lower, "upper": given.upper})
