"""`ROCDisplay`: true against false positive rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy.typing as npt

from thresher.choices.isometric import Plane
from thresher.curves import auc, roc
from thresher.curves import hull as hull_of
from thresher.plots.display import dotted, unit_square
from thresher.plots.models import Isometrics, PlaneDisplay, curve_splits, isometrics_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ROCDisplay(PlaneDisplay):
    """ROC curves; a line of equal cost touches the curve where its condition is best.

    Bands come from `roc_band`.

    >>> import thresher as th
    >>> emails = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> display = ROCDisplay.from_ranking(emails, conditions={"2:1": th.OperatingCondition(class_ratio=3/4)})
    >>> [point.threshold for point in display.chosen["2:1"].choice.points]
    [0.77, 0.56, 0.28]
    """

    plane: ClassVar[Plane] = "roc"

    hulls_: dict[str, Line2D] = field(init=False)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        hull: bool = False,
        isometrics: Isometrics | None = None,
        levels: Sequence[float] | None = None,
        slopes: bool = True,
    ) -> Self:
        """Draw it; options as in `CoverageDisplay.plot`."""
        ax = self._start(ax, **unit_square("false positive rate", "true positive rate"))
        ax.plot([0, 1], [0, 1], **dotted(ax))
        self._isometrics(isometrics, levels)
        self.hulls_ = {}
        for name, ranking in self.rankings.items():
            self._band(name)
            if hull:
                fpr, tpr, _ = roc(hull_of(ranking, pool="ties"))
                colour = self._styles[name].colour
                (self.hulls_[name],) = ax.plot(fpr, tpr, color=colour, linewidth=1, alpha=0.7, zorder=2)
            fpr, tpr, _ = (column[curve_splits(ranking)] for column in roc(ranking))
            self._curve(name, fpr, tpr, f"AUC {auc(ranking):.3f}", marked=True)
        return self._finish_curves(f"ROC plot{isometrics_words(isometrics)}", *self._choices(slopes=slopes))

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per split: threshold, fpr and tpr."""
        fpr, tpr, threshold = roc(self.rankings[name])
        return {"threshold": threshold, "fpr": fpr, "tpr": tpr}
