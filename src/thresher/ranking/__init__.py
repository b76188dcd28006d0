"""Rankings: the one small table that everything else is computed from."""

from thresher.ranking.counting import Counts, Flags, Floats, counted, counted_weights
from thresher.ranking.ranking import Ranking
from thresher.ranking.scores import rankable
from thresher.ranking.segments import MOST_CASES, require_safe_total

__all__ = [
    "MOST_CASES",
    "Counts",
    "Flags",
    "Floats",
    "Ranking",
    "counted",
    "counted_weights",
    "rankable",
    "require_safe_total",
]
