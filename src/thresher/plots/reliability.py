"""`ReliabilityDisplay`: scores against how many of their cases turn out positive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_args

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_one_of
from thresher.calibration import Reliability, reliability, top_label
from thresher.calibration.reliability import Binning, TableOf
from thresher.evaluation import ThresholdEvaluation
from thresher.inference import Band
from thresher.plots.display import unit_square
from thresher.plots.models import FEW, ModelsDisplay, Restates, band_words
from thresher.ranking import Floats, Ranking, Segments
from thresher.ranking.segments import require_segments
from thresher.tables import OperatingCondition

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

_FEW_MODELS = 4
_EDGES = np.linspace(0, 1, 21)
_WORDS = {"exact": "exact scores", "hull": "hull steps", "quantile": "quantile bins", "uniform": "uniform bins"}


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ReliabilityDisplay(ModelsDisplay):
    """Reliability diagrams.

    `tables` holds each model's `reliability`: by default over the hull's pools, for which no bins are to be chosen.
    Bands come from `reliability_band`, around the steps or around the diagonal.

    >>> import thresher as th
    >>> spam_tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> ReliabilityDisplay.from_ranking(spam_tree).frame()["observed"].round(4)
    array([0.8   , 0.6667, 0.3333])
    """

    takes: ClassVar[frozenset[str]] = frozenset({"bands"})
    restates: ClassVar[Restates] = "probabilities"
    square: ClassVar[bool] = True

    bins: Binning = "hull"
    tables: Mapping[str, Reliability] = field(default_factory=dict)
    marks_: list[PathCollection] = field(init=False)
    counts_: Axes | None = field(init=False)

    @classmethod
    def from_ranking(
        cls,
        ranking: Ranking | Mapping[str, Ranking],
        *,
        conditions: OperatingCondition | Mapping[str, OperatingCondition] | None = None,
        bands: Band | Mapping[str, Band] | None = None,
        bins: Binning = "hull",
        count: int = 10,
    ) -> Self:
        """Of one ranking or several; `bins` and `count` as in `reliability`."""
        display = super(ReliabilityDisplay, cls).from_ranking(ranking, conditions=conditions, bands=bands)
        return display._fill(bins, count)

    @classmethod
    def from_segments(
        cls,
        segments: Segments,
        *,
        of: TableOf = "class",
        bands: Mapping[str, Band] | None = None,
        bins: Binning = "hull",
        count: int = 10,
    ) -> Self:
        """Of each class against the rest, or of the "top" label; see `reliability`."""
        require_segments(segments)
        require_one_of(of, get_args(TableOf), name="of")
        tops = {"top label": top_label(segments)}
        rankings = tops if of == "top" else {str(name): each for name, each in segments.rankings.items()}
        return cls.from_ranking(rankings, bands=bands, bins=bins, count=count)

    @classmethod
    def from_evaluation(
        cls,
        evaluation: ThresholdEvaluation,
        *,
        bands: Mapping[str, Band] | None = None,
        bins: Binning = "hull",
        count: int = 10,
    ) -> Self:
        """Of every model of an evaluation; all of them must give probabilities."""
        return super(ReliabilityDisplay, cls).from_evaluation(evaluation, bands=bands)._fill(bins, count)

    def plot(self, ax: Axes | None = None, *, counts: bool | None = None) -> Self:
        """Draw it; `counts` adds a small histogram (default: for up to four models)."""
        ax = self._start(ax, **unit_square("score", "proportion of positives"))
        ax.plot([0, 1], [0, 1], **self._dotted(alpha=0.7))
        self.marks_ = []
        for name, table in self.tables.items():
            self._band(name)
            words = "" if len(self.tables) > 1 else "observed"
            if table.bins != "hull":
                self._curve(name, table.score[::-1], table.observed[::-1], words, marked=len(table) < FEW)
                continue
            if len(table) == 1 or (len(self.tables) == 1 and len(table) < FEW):  # one score has no length
                colour = self._styles[name].colour
                self.marks_.append(ax.scatter(table.score, table.observed, s=14, color=colour, zorder=3))
            self._curve(name, *flat(table), words)
        self._finish_curves(f"Reliability, {_WORDS[self.bins]}", loc="upper left")
        self.counts_ = None
        if len(self.rankings) <= _FEW_MODELS if counts is None else counts:
            self.counts_ = self._histogram(ax)
        return self

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per run of scores: their mean, observed proportion, counts, and ends."""
        columns = ("score", "observed", "pos", "neg", "lowest", "highest")
        return {each: getattr(self.tables[name], each) for each in columns}

    def _fill(self, bins: Binning, count: int) -> Self:
        self.bins = bins
        self.tables = {name: reliability(ranking, bins=bins, count=count) for name, ranking in self.rankings.items()}
        return self

    def _band_words(self) -> list[str]:
        kinds = {True: "consistency band", False: "confidence band"}
        words = (band_words(band, kinds[band.method.startswith("consistency")]) for band in self.bands.values())
        return list(dict.fromkeys(words))

    def _histogram(self, ax: Axes) -> Axes:
        small = ax.inset_axes((0.62, 0.09, 0.36, 0.2))
        filled = len(self.rankings) == 1
        for name, ranking in self.rankings.items():
            style, weights = self._styles[name], ranking.pos + ranking.neg
            options: Any = {"histtype": "stepfilled", "alpha": 0.6} if filled else {"histtype": "step", "alpha": 1}
            options |= {"color": style.colour, "linestyle": style.dashes}
            small.hist(ranking.score, bins=_EDGES.tolist(), weights=weights, **options)
        small.set(xlim=(0, 1), xticks=(0, 0.5, 1), xticklabels=("0", "½", "1"))
        small.set_title("cases by score", fontsize="x-small", pad=2)
        small.locator_params(axis="y", nbins=2)
        small.tick_params(labelsize="x-small", length=2)
        small.patch.set_alpha(0.75)
        for side in ("top", "right"):
            small.spines[side].set_visible(False)
        return small


def flat(table: Reliability) -> tuple[Floats, Floats]:
    """Each run as a flat piece from its lowest to its highest score."""
    ends = np.stack([table.highest, table.lowest], axis=1).ravel()[::-1]
    return ends, np.repeat(table.observed, 2)[::-1]
