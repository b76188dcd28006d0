"""Static pictures of the panels, for readers without scripts and for paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from thresher._internal.text import percent_text
from thresher.calibration.losses import LOSSES
from thresher.curves import cost_curve, gain, net_benefit
from thresher.curves.hull import hull_splits
from thresher.evaluation import LeastCostEvaluation, ThresholdEvaluation
from thresher.evaluation.bands import MOST_BANDS
from thresher.evaluation.rules import CURRENT, HALF
from thresher.evaluation.summary import SHORT_NAMES
from thresher.inference.bands.curves import POINTWISE
from thresher.ranking import Floats, Ranking
from thresher.report.numbers import value_text
from thresher.report.static import svg
from thresher.report.static.svg import Panel, Plot, colour, element, text
from thresher.tables import Contingency, OperatingCondition

MOST_NUMBERS = 12  # classes up to which a confusion matrix has numbers
_LEFT, _TOP, _BOTTOM, _RIGHT = 92, 14, 58, 14  # of a confusion matrix
REACH = 1.25  # of probabilities, whose margins lie within -1 and 1
BINS = 48
HIGHEST = 3.0  # loss that is drawn
_GRID = np.linspace(0, 1, 201)
_FEW_SPLITS = 60
_FEW_CASES = 0.005  # as few cases beyond an axis of probabilities do not matter
_SHARES = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0)
_RULES = {HALF: ("dashed", "4 2"), CURRENT: ("dash-dotted", "4 1 1 1")}
_RATE = (0.0, 1.0)
_BANDS = f"Shaded bands are {POINTWISE}."


def panels(evaluation: ThresholdEvaluation, payload: Mapping[str, Any]) -> list[Panel]:
    """Every panel of the page."""
    models = _Models(evaluation, payload)
    draw: list[Callable[[_Models], Panel]] = [_coverage, _roc, _precision_recall, _cost]
    if any(model["probabilities"] for model in models.data):
        draw += [_net_benefit, _reliability]
    draw += [_scores, _gain, _margins]
    return [each(models) for each in draw]


def class_panels(evaluation: LeastCostEvaluation, payload: Mapping[str, Any]) -> list[Panel]:
    """Confusion in cases and in costs, and ROC curves of every class."""
    drawn = []
    classes, others = payload["classes"], payload["least_cost"]["actions"][len(payload["classes"]) :]
    for model in payload["least_cost"]["models"]:
        title = f"Confusion: {model['shown']}"
        drawing = confusion_svg(model["confusion"], classes, name=title, others=others)
        drawn.append(Panel(title, "Rows are actual classes; shades are shares of the row.", drawing))
        title = f"What that costs: {model['shown']}"
        most = max(max(row) for row in model["cost_cells"])
        drawing = confusion_svg(model["cost_cells"], classes, name=title, others=others, most=most)
        caption = f"Costs of the same cells in these rows, {value_text(np.sum(model['cost_cells']))} in all."
        drawn.append(Panel(title, caption, drawing))
    for model in payload["class_models"]:
        plot = Plot(_RATE, _RATE, "false positive rate", "true positive rate")
        plot.line(_RATE, _RATE)
        if len(model["curves"]) <= MOST_BANDS:
            for place, bands in enumerate(model["bands"]):
                _band(plot, bands["roc"], place)
        for place, curve in enumerate(model["curves"]):
            table = _table(curve)
            plot.line(table.fpr, table.tpr, place=place)
        caption = f"The ROC curve of each class: {', '.join(map(str, evaluation.classes))}."
        caption += f" {_BANDS}" if len(model["curves"]) <= MOST_BANDS and model["bands"][0]["roc"] else ""
        drawn.append(plot.panel(f"One against the rest: {model['name']}", caption))
    return drawn


def confusion_svg(
    matrix: Sequence[Sequence[float]],
    classes: Sequence[str],
    *,
    name: str,
    others: Sequence[str] = (),
    most: float | None = None,
) -> str:
    """A confusion matrix: actual classes in rows, actions in columns.

    Actions are the classes and `others`. Shades are shares of the row, or of `most`.
    """
    actions = [*classes, *others]
    width, height = (svg.WIDTH - _LEFT - _RIGHT) / len(actions), (svg.HEIGHT - _TOP - _BOTTOM) / len(classes)
    numbered = len(actions) <= MOST_NUMBERS
    drawn: list[str] = []
    for i, (label, row) in enumerate(zip(classes, matrix, strict=True)):
        total, top = (sum(row) if most is None else most) or 1, _TOP + height * i
        middle = top + height / 2 + 4
        drawn.append(element("text", text(_cut(label)), x=_LEFT - 6, y=middle, text_anchor="end"))
        for j, count in enumerate(row):
            left = _LEFT + width * j
            # Strong shades would hide the numbers in one of the two colour schemes.
            shade, fill = 0.08 + 0.5 * max(count / total, 0) if count else 0.0, colour(int(i != j))
            box = {"x": left + 1, "y": top + 1, "width": width - 2, "height": height - 2}
            drawn.append(element("rect", **box, fill=fill, fill_opacity=shade))
            if numbered:
                where = {"x": left + width / 2, "y": middle}
                drawn.append(element("text", value_text(count), **where, text_anchor="middle", font_size=13))
    for j, each in enumerate(actions if numbered else ()):
        x = _LEFT + width * (j + 0.5)
        drawn.append(element("text", text(_cut(each)), x=x, y=svg.HEIGHT - _BOTTOM + 16, text_anchor="middle"))
    middle_x, turned = (_LEFT + svg.WIDTH - _RIGHT) / 2, f"rotate(-90 14 {svg.HEIGHT // 2})"
    drawn.append(element("text", "said", x=middle_x, y=svg.HEIGHT - 12, text_anchor="middle"))
    drawn.append(element("text", "actual", x=14, y=svg.HEIGHT // 2, text_anchor="middle", transform=turned))
    return svg.picture(*drawn, name=name)


def _cut(label: str) -> str:
    return label if len(label) <= 12 else f"{label[:11]}…"


class _Models:
    """What every panel needs: rankings, tables, the condition, the winner."""

    def __init__(self, evaluation: ThresholdEvaluation, payload: Mapping[str, Any]) -> None:
        self.evaluation = evaluation
        self.names = list(evaluation.models)
        self.rankings: list[Ranking] = [model.ranking for model in evaluation.models.values()]
        self.production: list[Ranking] = [model.production for model in evaluation.models.values()]
        self.best = [model.table for model in evaluation.models.values()]
        self.data: list[Mapping[str, Any]] = payload["models"]
        self.tables = [_table(model["curve"]) for model in self.data]
        self.condition: OperatingCondition = evaluation.decision.condition
        self.class_ratio = self.condition.class_ratio or 1.0
        self.winner = self.names.index(evaluation.decision.model)

    @property
    def reach(self) -> float:
        """How far an axis of probabilities reaches; a rare class needs little."""
        highest = [0.02]
        for place, model in enumerate(self.evaluation.models.values()):
            if self.data[place]["probabilities"]:
                tp, fp = model.ranking.covered()
                few = int(np.searchsorted(tp + fp, _FEW_CASES * model.ranking.total)) - 1
                highest += [float(model.production.score[max(at, 0)]) for at in (few, model.choice.point.split - 1)]
        most = 1.3 * max(highest)
        return 1.0 if most > 0.6 else most

    def bands(self, plot: Plot, name: str) -> None:
        """The bands of up to three models; of more, the winner's."""
        for place in range(len(self.data)) if len(self.data) <= MOST_BANDS else [self.winner]:
            _band(plot, self.data[place]["bands"][name], place)

    def curves(self, plot: Plot, x: str, y: str) -> None:
        """The curve of every model in the plane of two quantities of a table."""
        for place, table in enumerate(self.tables):
            plot.line(getattr(table, x), getattr(table, y), place=place)

    def best_points(self, plot: Plot, x: str, y: str) -> None:
        """The best point of every model there."""
        for place, best in enumerate(self.best):
            plot.point(getattr(best, x), getattr(best, y), place=place)


def _band(plot: Plot, band: Mapping[str, Any] | None, place: int) -> None:
    if band is not None:
        limits = (np.clip(band[side], *plot.y) for side in ("lower", "upper"))
        plot.area(np.clip(np.array(band["x"], dtype=np.float64), *plot.x), *limits, place=place)


def _table(curve: Mapping[str, Any]) -> Contingency:
    tp, fp = np.array(curve["tp"]), np.array(curve["fp"])
    return Contingency(tp=tp, fn=tp[-1] - tp, fp=fp, tn=fp[-1] - fp)


def _coverage(models: _Models) -> Panel:
    Pos, Neg = models.rankings[0].Pos, models.rankings[0].Neg
    plot = Plot((0, Neg), (0, Pos), "negatives covered (fp)", "positives covered (tp)")
    plot.line([0, Neg], [0, Pos])
    models.curves(plot, "fp", "tp")
    # The line of equal cost through the winner's best point, as far as it lies inside the plot.
    best = models.best[models.winner]
    slope = models.condition.slope_coverage(models.rankings[models.winner])
    ends = np.array([max(0.0, best.fp - best.tp / slope), min(Neg, best.fp + (Pos - best.tp) / slope)])
    plot.line(ends, best.tp + slope * (ends - best.fp), dashes="")
    models.best_points(plot, "fp", "tp")
    caption = "Counts in the data at every threshold. Along the solid straight line cost is that of the best one ◇."
    return plot.panel("Coverage plot", caption)


def _roc(models: _Models) -> Panel:
    plot = Plot(_RATE, _RATE, "false positive rate: negatives called positive", "true positive rate: positives found")
    plot.line(_RATE, _RATE)
    models.bands(plot, "roc")
    models.curves(plot, "fpr", "tpr")
    models.best_points(plot, "fpr", "tpr")
    return plot.panel("ROC curve", f"The same curve as rates; ◇ is each model's best point. {_BANDS}")


def _precision_recall(models: _Models) -> Panel:
    plot = Plot(_RATE, _RATE, "recall: share of positives found", "precision: share of calls that are right")
    share = models.condition.prevalence or 0.5
    plot.line(_RATE, [share, share])
    models.bands(plot, "pr")
    for place, table in enumerate(models.tables):
        at = _between(table).at_class_ratio(models.class_ratio)
        plot.line(at.tpr, at.precision, place=place)
    for place, best in enumerate(models.best):
        if best.tp + best.fp:
            plot.point(best.tpr, best.at_class_ratio(models.class_ratio).precision, place=place)
    caption = f"The dotted line is the precision of calling everything positive. {_BANDS}"
    return plot.panel("Precision-recall curve", caption)


def _between(table: Contingency) -> Contingency:
    """A short curve with points between its splits, where precision bends."""
    if table.tp.size > _FEW_SPLITS:
        return table
    place = np.linspace(0, table.tp.size - 1, 8 * (table.tp.size - 1) + 1)
    cells = (np.interp(place, np.arange(table.tp.size), cell) for cell in (table.tp, table.fn, table.fp, table.tn))
    return Contingency(*cells)


def _cost(models: _Models) -> Panel:
    curves = [cost_curve(ranking) for ranking in models.rankings]
    top = max(0.1, *(float(curve.cost.max()) for curve in curves)) * 1.15
    plot = Plot(_RATE, (0, min(top, 0.55)), "probability-cost: how much misses decide", "cost, 1 = every case wrong")
    plot.line(_GRID, _within(np.minimum(_GRID, 1 - _GRID), plot))
    words = ["dotted: never and always act"]
    for name, (word, dashes) in _RULES.items():
        if name in models.evaluation.rules and name not in models.names:
            table = models.evaluation.rules[name].table
            plot.line(_GRID, _within(float(table.fpr) * (1 - _GRID) + float(table.fnr) * _GRID, plot), dashes=dashes)
            words.append(f"{word}: {SHORT_NAMES[name]}")
    odds = models.class_ratio * models.condition.cost_ratio
    now = odds / (1 + odds)
    plot.line([now, now], plot.y, dashes="5 2")
    for place, curve in enumerate(curves):
        plot.line(_GRID, curve.at(_GRID), place=place)
        plot.point(now, float(curve.at(now)), place=place)
    caption = "The cost of the best threshold at every operating condition; the upright line is the one declared; "
    return plot.panel("Cost curve", f"{caption}{', '.join(words)}.")


def _within(values: Floats, plot: Plot) -> Floats:
    return np.where((values >= plot.y[0]) & (values <= plot.y[1]), values, np.nan)


def _net_benefit(models: _Models) -> Panel:
    reach, share = models.reach, models.condition.prevalence or 0.5
    at = np.arange(1, 100) / 100 * reach
    known = [place for place, model in enumerate(models.data) if model["probabilities"]]
    curves = {place: net_benefit(models.production[place], threshold=at) for place in known}
    ends = -0.2 * share, share * 1.05
    plot = Plot((0, reach), ends, "threshold probability: act from here on", "net benefit per case")
    plot.line(at, _within(curves[known[0]].everyone, plot))
    plot.line([0, reach], [0, 0])
    models.bands(plot, "net_benefit")
    for place, curve in curves.items():
        plot.line(at, _within(curve.model, plot), place=place)
    caption = "Of acting on a model whose scores are probabilities; dotted: acting on everyone, and on no one."
    return plot.panel("Net benefit", f"{caption} {_BANDS}")


def _reliability(models: _Models) -> Panel:
    reach = models.reach
    plot = Plot((0, reach), (0, reach), "stated probability, at this class mix", "observed share of positives")
    plot.line([0, reach], [0, reach])
    _band(plot, models.data[models.winner]["bands"]["reliability"], models.winner)
    for place, (model, ranking) in enumerate(zip(models.data, models.production, strict=True)):
        if model["probabilities"]:
            corner = hull_splits(ranking, pool="ties")
            pos, neg = (side[::-1] for side in ranking.runs(corner))
            low, high = ranking.score[corner[1:] - 1][::-1], ranking.score[corner[:-1]][::-1]
            x, y = np.column_stack([low, high]).ravel(), np.repeat(pos / (pos + neg), 2)
            plot.line(np.minimum(x, reach), np.minimum(y, reach), place=place)
    caption = "Share of positives in the hull's pools against the stated probability; on the diagonal they agree."
    banded = models.data[models.winner]["bands"]["reliability"] is not None
    return plot.panel("Reliability", f"{caption} {_BANDS}" if banded else caption)


def _scores(models: _Models) -> Panel:
    model = models.data[models.winner]
    bars, Pos, Neg = model["distribution"], models.rankings[0].Pos, models.rankings[0].Neg
    up, down = np.sqrt(np.array(bars["pos"]) / Pos), np.sqrt(np.array(bars["neg"]) / Neg)
    top = float(max(up.max(), down.max())) * 1.03
    shares = [share for share in _SHARES if top**2 / 60 <= share <= top**2]
    plot = Plot((bars["edges"][0], bars["edges"][-1]), (-top, top), "score", "share of the class, on a root scale")
    plot.y_ticks = {sign * share**0.5: percent_text(share) for share in shares for sign in (-1, 1)} | {0.0: "0"}
    plot.bars(bars["edges"], up, place=0)
    plot.bars(bars["edges"], -down, place=1)
    at = model["optimum"]["threshold"]
    if not isinstance(at, str):
        at = min(max(at, plot.x[0]), plot.x[1])
        plot.line([at, at], (-top, top), dashes="5 2")
    heights = "positives upwards, negatives downwards, heights as square roots so that rare scores are seen"
    caption = f"{models.names[models.winner]}: {heights}; the upright line is the threshold."
    return plot.panel("Scores by class", caption)


def _gain(models: _Models) -> Panel:
    plot = Plot(_RATE, _RATE, "share of cases called positive", "share of positives found")
    plot.line(_RATE, _RATE)
    for place, (ranking, table) in enumerate(zip(models.rankings, models.tables, strict=True)):
        rates = gain(ranking)[:2] if len(ranking) < table.tp.size else (table.predicted_positive_rate, table.tpr)
        plot.line(*rates, place=place)
    models.best_points(plot, "predicted_positive_rate", "tpr")
    return plot.panel("Gain", "What working down the ranking finds, and at what effort.")


def _margins(models: _Models) -> Panel:
    title, bars = "Margins and losses", "distance from the threshold, below 0 wrongly called (orange bars)"
    caption = f"{models.names[models.winner]}: {bars}, and what each loss charges."
    return Panel(title, caption, margins_svg(models.data[models.winner], name=title))


def margins_svg(model: Mapping[str, Any], *, name: str) -> str:
    """The losses of a margin, and how many cases lie where."""
    bars = model["distribution"]
    edges = np.array(bars["edges"], dtype=np.float64)
    reach = REACH if model["probabilities"] else float(edges[-1] - edges[0])
    plot = Plot(
        (-reach, reach), (0.0, 1.3 * HIGHEST), "margin: how far on the right side", "loss: what a case is charged"
    )
    plot.y_ticks = {at: svg.short(at) for at in svg.ticks(0.0, HIGHEST)}
    threshold = model["optimum"]["threshold"]
    if not isinstance(threshold, str):
        right, wrong = margins(edges, np.array(bars["pos"]), np.array(bars["neg"]), threshold, reach=reach)
        most = max(right.max(), wrong.max(), 1e-12)
        at = np.linspace(-reach, reach, BINS + 1)
        for place, side in enumerate((right, wrong)):
            plot.bars(at, 0.45 * HIGHEST * side / most, place=place)
    plot.line([0, 0], (0, HIGHEST), dashes="")
    z = np.linspace(-reach, reach, 201)
    for place, (label, loss) in enumerate(LOSSES.items()):
        height = loss(z)
        plot.line(z, np.where(height <= HIGHEST, height, np.nan), place=place)
        x, y = 64 + 96 * (place % 3), 22 + 16 * (place // 3)
        line = f"M{svg.number(x)} {svg.number(y)}h24"
        plot.drawn.append(
            element("path", d=line, fill="none", stroke=colour(place), stroke_width=2, **svg.dashed(place))
        )
        plot.drawn.append(element("text", text(label), x=x + 30, y=y + 4))
    return plot.svg(name=name)


def margins(edges: Floats, pos: Floats, neg: Floats, threshold: float, *, reach: float) -> tuple[Floats, Floats]:
    """Rightly and wrongly called cases by margin, spread over their bars."""
    parts = (np.arange(4) + 0.5) / 4
    score = (edges[:-1, np.newaxis] + np.diff(edges)[:, np.newaxis] * parts).ravel()
    margin = np.concatenate([score - threshold, threshold - score])
    cases = np.repeat(np.concatenate([pos, neg]), 4) / 4
    bin_ = np.clip(np.floor((margin / reach + 1) / 2 * BINS), 0, BINS - 1).astype(np.intp)
    wrong = margin < 0
    rightly, wrongly = (np.bincount(bin_[side], weights=cases[side], minlength=BINS) for side in (~wrong, wrong))
    return rightly.astype(np.float64), wrongly.astype(np.float64)
