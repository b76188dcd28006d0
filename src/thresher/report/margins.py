"""Margins and losses as a static picture: where cases lie around the threshold, and what each loss would charge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from thresher.calibration import losses
from thresher.ranking import Floats
from thresher.report.svg import Plot, colour, dashed, element, number, short, text, ticks

REACH = 1.25  # of probabilities, whose margins lie within -1 and 1
BINS = 48
HIGHEST = 3.0
_ABOVE = 3.9  # the key stands above the curves, which end at the highest loss
_PARTS = 4
_SHARE = 0.45  # of the height, for the bars

LOSSES: Mapping[str, Callable[[Floats], Floats]] = {
    "0-1": losses.zero_one,
    "hinge": losses.hinge,
    "logistic": losses.logistic,
    "exponential": losses.exponential,
    "squared": losses.squared,
}


def margin_plot(model: Mapping[str, Any], *, name: str) -> str:
    """The losses of a margin, and below them how many cases of a model lie where around its best threshold.

    >>> from thresher import evaluate
    >>> from thresher.report.contents import contents
    >>> told = contents(evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2]))["models"][0]
    >>> margin_plot(told, name="Margins and losses").count("<text")
    16
    """
    bars = model["distribution"]
    edges = np.array(bars["edges"], dtype=np.float64)
    reach = REACH if model["probabilities"] else float(edges[-1] - edges[0])
    plot = Plot((-reach, reach), (0.0, _ABOVE), "margin: how far on the right side", "loss: what a case is charged")
    plot.y_ticks = {at: short(at) for at in ticks(0.0, HIGHEST)}
    threshold = model["optimum"]["threshold"]
    if not isinstance(threshold, str):
        right, wrong = margins(edges, np.array(bars["pos"]), np.array(bars["neg"]), threshold, reach=reach)
        top = max(right.max(), wrong.max(), 1e-12)
        at = np.linspace(-reach, reach, BINS + 1)
        plot.bars(at, _SHARE * HIGHEST * right / top, place=0)
        plot.bars(at, _SHARE * HIGHEST * wrong / top, place=1)
    plot.line([0, 0], (0, HIGHEST), dashes="")
    z = np.linspace(-reach, reach, 201)
    for place, (label, loss) in enumerate(LOSSES.items()):
        height = loss(z)
        plot.line(z, np.where(height <= HIGHEST, height, np.nan), place=place)
        _key(plot, place, label)
    return plot.svg(name=name)


def margins(edges: Floats, pos: Floats, neg: Floats, threshold: float, *, reach: float) -> tuple[Floats, Floats]:
    """Rightly and wrongly called cases by margin; those of a bar of scores are spread evenly over its width.

    >>> found = margins(np.array([0.0, 0.5, 1.0]), np.array([0, 4]), np.array([4, 4]), 0.5, reach=1.0)
    >>> [part.sum().item() for part in found]
    [8.0, 4.0]
    """
    parts = (np.arange(_PARTS) + 0.5) / _PARTS
    score = (edges[:-1, np.newaxis] + np.diff(edges)[:, np.newaxis] * parts).ravel()
    margin = np.concatenate([score - threshold, threshold - score])
    cases = np.repeat(np.concatenate([pos, neg]), _PARTS) / _PARTS
    bin_ = np.clip(np.floor((margin / reach + 1) / 2 * BINS), 0, BINS - 1).astype(np.intp)
    wrong = margin < 0
    rightly, wrongly = (np.bincount(bin_[side], weights=cases[side], minlength=BINS) for side in (~wrong, wrong))
    return rightly.astype(np.float64), wrongly.astype(np.float64)


def _key(plot: Plot, place: int, label: str) -> None:
    x, y = 64 + 96 * (place % 3), 22 + 16 * (place // 3)
    line = f"M{number(x)} {number(y)}h24"
    plot.drawn.append(element("path", d=line, fill="none", stroke=colour(place), stroke_width=2, **dashed(place)))
    plot.drawn.append(element("text", text(label), x=x + 30, y=y + 4))
