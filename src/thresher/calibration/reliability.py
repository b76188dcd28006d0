"""Reliability: the score of cases against how many of them turn out positive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thresher.calibration.binning import Binning, mean_scores, splits_of
from thresher.ranking import Counts, Floats, Ranking, require_ranking
from thresher.results import Tabular


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reliability(Tabular):
    """One row per run of neighbouring segments, by falling score.

    `score` is the mean score of the cases in it, `observed` their proportion of positives,
    `lowest` and `highest` the scores it spans; `segments` says how the runs were formed.
    """

    score: Floats
    observed: Floats
    pos: Counts
    neg: Counts
    lowest: Floats
    highest: Floats
    segments: Binning

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            getattr(self, name).flags.writeable = False

    def __len__(self) -> int:
        return int(self.score.size)

    def to_dict(self) -> dict[str, Any]:
        """The columns as lists."""
        return {"segments": self.segments} | {name: getattr(self, name).tolist() for name in _COLUMNS}

    def _brief(self) -> str:
        return f"{len(self):,} rows, segments={self.segments!r}"

    def __str__(self) -> str:
        head = f"{'score':>8}{'observed':>10}{'pos':>8}{'neg':>8}"
        rows = zip(self.score, self.observed, self.pos, self.neg, strict=True)
        return "\n".join([head, *(f"{s:8.4f}{o:10.4f}{p:8g}{n:8g}" for s, o, p, n in rows)])


_COLUMNS = ("score", "observed", "pos", "neg", "lowest", "highest")


def reliability(ranking: Ranking, *, segments: Binning = "exact", bins: int = 10) -> Reliability:
    """The reliability table of scores that are probabilities.

    "exact" has a row per distinct score and "hull" one per pool, whose proportions fall with the
    score; neither has a bin to choose. "quantile" has bins of nearly equal count (ties are never
    torn apart) and "uniform" bins of equal width, a score on an edge belonging to the upper one;
    what one sees then depends on `bins`. Bins without cases have no row.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> print(reliability(spam_tree))
       score  observed     pos     neg
      0.9000    0.8000      20       5
      0.6000    0.6667      10       5
      0.3000    0.3333      20      40
    >>> reliability(spam_tree, segments="uniform", bins=2).score.tolist()
    [0.7875, 0.3]
    """
    require_ranking(ranking, probabilities=True)
    split = splits_of(ranking, segments, bins=bins)
    pos, neg = ranking.runs(split)
    return Reliability(
        score=mean_scores(ranking, split),
        observed=pos / (pos + neg),
        pos=pos,
        neg=neg,
        lowest=ranking.score[split[1:] - 1],
        highest=ranking.score[split[:-1]],
        segments=segments,
    )
