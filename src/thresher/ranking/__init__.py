"""Rankings: the one small table that everything else is computed from."""

from thresher._internal.optional import publish
from thresher.ranking.condensed import condensed
from thresher.ranking.counting import Counts, Flags, counted, counted_weights
from thresher.ranking.lookup import cuts_above
from thresher.ranking.numbers import as_number, as_numbers
from thresher.ranking.order import Indices, beating, falling
from thresher.ranking.pieces import MOST_THREADS, Floats, filled, in_pieces, pieces_of, processors, side_by_side
from thresher.ranking.ranking import Ranking
from thresher.ranking.required import described, require_ranking
from thresher.ranking.scores import rankable
from thresher.ranking.segments import MOST_CASES, require_safe_total
from thresher.ranking.spans import UNKNOWN, Spans, kept_number, resolved
from thresher.ranking.thresholds import LARGEST, reaches, require_split, splits_at
from thresher.ranking.weights import wide

__all__ = [
    "LARGEST",
    "MOST_CASES",
    "MOST_THREADS",
    "UNKNOWN",
    "Counts",
    "Flags",
    "Floats",
    "Indices",
    "Ranking",
    "Spans",
    "as_number",
    "as_numbers",
    "beating",
    "condensed",
    "counted",
    "counted_weights",
    "cuts_above",
    "described",
    "falling",
    "filled",
    "in_pieces",
    "kept_number",
    "pieces_of",
    "processors",
    "rankable",
    "reaches",
    "require_ranking",
    "require_safe_total",
    "require_split",
    "resolved",
    "side_by_side",
    "splits_at",
    "wide",
]

publish(__name__, Ranking)
