"""Rankings: the one small table that everything else is computed from."""

from thresher._internal.optional import publish
from thresher.ranking.checks import rankable, require_safe_total
from thresher.ranking.compression import Keep, mean_scores, merge_at, merge_ranges_at, shorten, splits_to_keep
from thresher.ranking.ranges import (
    UNKNOWN,
    Ranges,
    Sketch,
    groups_of,
    has_all_ties,
    merge_ranges,
    merge_segments,
    require_ranges,
)
from thresher.ranking.ranking import Ranking, require_ranking, require_rankings, require_same_positive
from thresher.ranking.segments import Segments, require_mix, require_probabilities, require_segments
from thresher.ranking.sorting import Counts, Flags, Floats, Indices, count_rows, falling_order
from thresher.ranking.thresholds import LARGEST, cuts_above, midway, reaches, require_split, shortest_between, splits_at
from thresher.ranking.weights import EXACT_INTEGERS, HALF_ULP, MOST_CASES, widen

__all__ = [
    "EXACT_INTEGERS",
    "HALF_ULP",
    "LARGEST",
    "MOST_CASES",
    "UNKNOWN",
    "Counts",
    "Flags",
    "Floats",
    "Indices",
    "Keep",
    "Ranges",
    "Ranking",
    "Segments",
    "Sketch",
    "count_rows",
    "cuts_above",
    "falling_order",
    "groups_of",
    "has_all_ties",
    "mean_scores",
    "merge_at",
    "merge_ranges",
    "merge_ranges_at",
    "merge_segments",
    "midway",
    "rankable",
    "reaches",
    "require_mix",
    "require_probabilities",
    "require_ranges",
    "require_ranking",
    "require_rankings",
    "require_safe_total",
    "require_same_positive",
    "require_segments",
    "require_split",
    "shorten",
    "shortest_between",
    "splits_at",
    "splits_to_keep",
    "widen",
]

publish(__name__, Ranking, Segments)
