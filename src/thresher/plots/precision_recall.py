"""`PrecisionRecallDisplay`, `PRGainDisplay`: precision against recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

from thresher.choices.isometric import Plane
from thresher.curves import average_precision, pr_gain, precision_at, precision_recall
from thresher.errors import ArgumentError, argument
from thresher.plots.display import unit_square
from thresher.plots.models import FEW, ModelsDisplay, Restates, curve_splits
from thresher.plots.plane import Families, PlaneDisplay
from thresher.plots.points import require_points
from thresher.ranking import Floats, Ranking
from thresher.tables import Contingency, OperatingCondition

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_BETWEEN = np.linspace(0, 1, 401)[1:]


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class PrecisionRecallDisplay(PlaneDisplay):
    """Precision-recall curves, at the class mix of the data or of an evaluation.

    Bands come from `precision_recall_band`.

    >>> import thresher as th
    >>> display = PrecisionRecallDisplay.from_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> display.frame()["precision"]
    array([ nan, 0.8 , 0.75, 0.5 ])
    """

    restates: ClassVar[Restates] = "counts"
    plane: ClassVar[Plane] = "pr"

    marks_: dict[str, Line2D] = field(init=False)
    baselines_: dict[str, Line2D] = field(init=False)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        hull: bool = False,
        isometrics: Families | None = None,
        through: str | Sequence[str] | None = None,
        slopes: bool = False,
        front: bool = False,
        dominance: bool | str | Sequence[str] = False,
    ) -> Self:
        """Draw it; options as in `CoverageDisplay.plot`. Equal costs are curves here.

        So is the `hull` of points, whose edges are the straight ones of ROC space.
        """
        ax = self._start(ax, **unit_square("recall", "precision"))
        self._draw_isometrics(isometrics, through)
        self.marks_, self.baselines_ = {}, {}
        average = {name: average_precision(ranking) for name, ranking in self.rankings.items()}
        for name, ranking in self.rankings.items():
            self._band(name)
            self._baseline(ax, ranking.prevalence)
            self._curve(name, *hyperbolic(ranking), f"AP {average[name]:.3f}")
            if len(ranking) < FEW:
                recall, precision, _ = precision_recall(ranking)
                style = self._styles[name]
                (self.marks_[name],) = ax.plot(
                    recall, precision, linestyle="none", marker=style.marker, markersize=4.5, color=style.colour
                )
        for table in self.points.values():
            self._baseline(ax, table.prevalence)
        self._draw_points(front=front, hull=hull and bool(self._required("hull")), dominance=dominance)
        choices = self._choices(slopes=slopes, mix=self.rankings)
        baselines = [(line, f"prevalence {rate}") for rate, line in self.baselines_.items()]
        title = f"Precision and recall{self._isometrics_words(isometrics)}"
        heights = [*average.values()] or [table.precision for table in self.points.values()]
        weak = max(heights) < 0.5
        return self._finish_curves(title, *baselines, *choices, loc="upper right" if weak else "lower left")

    @classmethod
    def from_tables(
        cls,
        tables: Contingency | Mapping[str, Contingency],
        *,
        conditions: OperatingCondition | Mapping[str, OperatingCondition] | None = None,
        class_ratio: float | None = None,
    ) -> Self:
        """Of classifiers that are tables, by name: a lettered point each.

        Precision depends on the class mix: tables of several need the `class_ratio` (Pos / Neg) that they are to be
        shown at. `conditions` (one, or several by name) marks what each makes the best choice.
        """
        points = require_points(tables)
        if class_ratio is not None:
            points = {name: table.at_class_ratio(class_ratio) for name, table in points.items()}
        return cls(rankings={})._with_points(points, conditions)

    def _require_one_plane(self) -> None:
        mixes = {name: float(each.class_ratio) for name, each in self._classifiers.items()}
        if not np.allclose(list(mixes.values()), next(iter(mixes.values())), rtol=1e-9):
            listed = ", ".join(f"{name} {ratio:.4g}" for name, ratio in mixes.items())
            what = f"precision depends on the class mix, and the class ratios differ: {listed}"
            fix = f"give {argument('class_ratio')}, Pos / Neg where they are to be compared, or use ROCDisplay"
            raise ArgumentError(what, fix)
        for name, table in self.points.items():
            if not table.predicted_positive:
                what = f"{name!r} calls nothing positive, so it has no precision and no place in this plane"
                raise ArgumentError(what, "leave it out, or use ROCDisplay")

    def _baseline(self, ax: Axes, prevalence: float) -> None:
        """One line for rates that print alike: a declared mix is met up to rounding only."""
        printed = f"{prevalence:.3g}"
        if printed not in self.baselines_:
            self.baselines_[printed] = ax.axhline(prevalence, **self._dotted(alpha=0.7))

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per split: threshold, recall and precision (NaN where nothing is positive)."""
        recall, precision, threshold = precision_recall(self.rankings[name])
        return {"threshold": threshold, "recall": recall, "precision": precision}


def hyperbolic(ranking: Ranking) -> tuple[Floats, Floats]:
    """Recall and precision at the splits, and on the hyperbolas that join them."""
    recall, precision, _ = (column[curve_splits(ranking)] for column in precision_recall(ranking))
    place = np.searchsorted(recall, _BETWEEN)
    new = recall[np.minimum(place, recall.size - 1)] != _BETWEEN
    between, place = _BETWEEN[new], place[new]
    return np.insert(recall, place, between), np.insert(precision, place, precision_at(ranking, between))


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class PRGainDisplay(ModelsDisplay):
    """Precision-recall-gain curves; calling everything positive lies at (1, 0).

    >>> import thresher as th
    >>> display = PRGainDisplay.from_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> display.frame()["precision_gain"].round(4)
    array([0.7   , 0.6667, 0.    ])
    """

    restates: ClassVar[Restates] = "counts"
    square: ClassVar[bool] = True

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; gains below 0 (worse than calling everything) lie below the picture."""
        ax = self._start(ax, **unit_square("recall gain", "precision gain"))
        ax.plot([0, 1], [1, 0], **self._dotted())
        for name, ranking in self.rankings.items():
            curve = pr_gain(ranking)
            self._curve(name, curve.recall_gain, curve.precision_gain, f"area {curve.area:.3f}", marked=True)
        return self._finish_curves("Precision gain and recall gain", loc="lower left")

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per point: recall gain and precision gain."""
        curve = pr_gain(self.rankings[name])
        return {"recall_gain": curve.recall_gain, "precision_gain": curve.precision_gain}
