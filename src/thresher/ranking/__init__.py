"""Rankings: the one small table that everything else is computed from."""

from thresher.ranking.condensed import condensed
from thresher.ranking.counting import Counts, Flags, counted, counted_weights
from thresher.ranking.order import Indices, beating, falling
from thresher.ranking.pieces import MOST_THREADS, Floats, filled, in_pieces, processors
from thresher.ranking.ranking import Ranking
from thresher.ranking.scores import rankable
from thresher.ranking.segments import MOST_CASES, require_safe_total
from thresher.ranking.spans import UNKNOWN, Spans, kept_number, resolved

__all__ = [
    "MOST_CASES",
    "MOST_THREADS",
    "UNKNOWN",
    "Counts",
    "Flags",
    "Floats",
    "Indices",
    "Ranking",
    "Spans",
    "beating",
    "condensed",
    "counted",
    "counted_weights",
    "falling",
    "filled",
    "in_pieces",
    "kept_number",
    "processors",
    "rankable",
    "require_safe_total",
    "resolved",
]
