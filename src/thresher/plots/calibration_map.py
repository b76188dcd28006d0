"""`CalibrationMapDisplay`: the probability of each score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from thresher.calibration import CalibrationMap, calibration_map
from thresher.calibration.maps.steps import Steps
from thresher.plots.display import Display, Entries, Frame, legend_space, name_text, stack
from thresher.plots.models import FEW, by_name, require_one_ranking
from thresher.ranking import LARGEST, Floats, Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D

_POINTS = 401


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class CalibrationMapDisplay(Display):
    """Calibration maps over the scores: steps, straight pieces or curves.

    The cases of `ranking`, if any and few, are marked at 1 (positives) and at 0 (negatives).

    >>> import thresher as th
    >>> emails = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> display = CalibrationMapDisplay.from_ranking(emails)
    >>> list(display.maps)
    ['isotonic', 'with Laplace correction']
    """

    maps: Mapping[str, CalibrationMap]
    ranking: Ranking | None = None
    lines_: dict[str, Line2D] = field(init=False)
    cases_: list[PathCollection] = field(init=False)

    @classmethod
    def from_map(cls, maps: CalibrationMap | Mapping[str, CalibrationMap], *, ranking: Ranking | None = None) -> Self:
        """Of one map, or of several by name, over the ranking's scores or the maps' knots."""
        return cls(maps=by_name(maps, CalibrationMap, alone="map"), ranking=ranking)

    @classmethod
    def from_ranking(cls, ranking: Ranking, *, interpolate: bool = False) -> Self:
        """The isotonic map of a ranking, with and without the Laplace correction."""
        require_one_ranking(ranking)
        plain = calibration_map(ranking, interpolate=interpolate)
        smooth = calibration_map(ranking, smoothing="laplace", interpolate=interpolate)
        return cls(maps={"isotonic": plain, "with Laplace correction": smooth}, ranking=ranking)

    @property
    def size(self) -> tuple[float, float]:
        """Wider when there are many maps."""
        return 6.0 + (2.6 if legend_space(list(map(name_text, self.maps))) else 0), 4.4

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it."""
        ax = self._axes(ax, xlabel="score", ylabel="probability", ylim=(-0.06, 1.06))
        low, high = self._span()
        if (low, high) == (0.0, 1.0):
            ax.plot([0, 1], [0, 1], **self._dotted(alpha=0.7) | {"zorder": 2})
        style = self._styles_of(self.maps)
        self.lines_, self.cases_ = {}, []
        entries: Entries = []
        for name, each in self.maps.items():
            stepped = isinstance(each.curve, Steps) and not each.curve.interpolate
            options = {**style[name].line, "drawstyle": "steps-post" if stepped else "default", "zorder": 3}
            (self.lines_[name],) = ax.plot(*self._points(each), **options)
            entries.append((self.lines_[name], name_text(name)))
        if self.ranking is not None and len(self.ranking) <= FEW:
            score, finite = self.ranking.score, np.isfinite(self.ranking.score)
            for counts, height, sign in ((self.ranking.pos, 1, "+"), (self.ranking.neg, 0, "_")):
                x = score[(counts > 0) & finite]
                self.cases_.append(ax.scatter(x, np.full(x.size, height), marker=sign, s=60, color=self._ink, zorder=4))
            entries += [(self.cases_[0], "positives"), (self.cases_[1], "negatives")]
        if len(entries) == 1:
            return self._finish(f"Calibration map: {entries[0][1]}")
        return self._finish("Calibration map", entries, outside=bool(self.cases_) or None)

    def frame(self) -> Frame:
        """Per map and drawn point: score and probability."""
        points = {name: self._points(each) for name, each in self.maps.items()}
        return stack({name: {"score": x, "probability": y} for name, (x, y) in points.items()}, key="map")

    def _span(self) -> tuple[float, float]:
        """The scores to draw: [0, 1] where they lie in it, else from lowest to highest."""
        scores = [each.curve.score for each in self.maps.values() if isinstance(each.curve, Steps)]
        if self.ranking is not None:
            scores.append(self.ranking.score)
        known = np.concatenate(scores or [np.array([0.0, 1.0])])
        known = known[np.abs(known) < LARGEST]  # which is the step below scores of +inf
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        if low >= 0 and high <= 1:
            return 0.0, 1.0
        margin = 0.05 * (high - low) or 0.5
        return low - margin, high + margin

    def _points(self, each: CalibrationMap) -> tuple[Floats, Floats]:
        low, high = self._span()
        if isinstance(each.curve, Steps):
            knots = each.curve.score
            x = np.concatenate([[low], knots[(knots > low) & (knots < high)], [high]])
        else:
            x = np.linspace(low, high, _POINTS)
        return x, each(x)
