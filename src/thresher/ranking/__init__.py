"""Rankings: the one small table that everything else is computed from."""

from thresher.ranking.counting import Counts, Flags, counted, counted_weights
from thresher.ranking.pieces import Floats, filled, in_pieces
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
    "filled",
    "in_pieces",
    "rankable",
    "require_safe_total",
]
