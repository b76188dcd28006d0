"""Rankings: the one small table that everything else is computed from."""

from thresher._internal.optional import publish
from thresher.ranking.checks import rankable, require_safe_total
from thresher.ranking.compression import (
    MOST_TIES,
    Keep,
    corners_among,
    mean_scores,
    merge_at,
    on_edges,
    shorten,
    splits_to_keep,
    take_evenly,
)
from thresher.ranking.ranges import (
    UNKNOWN,
    Ranges,
    Sketch,
    has_all_ties,
    merge_ranges,
    merge_segments,
    require_ranges,
)
from thresher.ranking.ranking import Ranking, require_ranking
from thresher.ranking.sorting import (
    Counts,
    Flags,
    Floats,
    Indices,
    Keys,
    ScoreRanges,
    count_rows,
    falling_order,
    pack,
    partition_rows,
    score_ranges,
    sort_keys,
    unpack_classes,
    unpack_scores,
)
from thresher.ranking.thresholds import LARGEST, cuts_above, midway, reaches, require_split, shortest_between, splits_at
from thresher.ranking.weights import EXACT_INTEGERS, HALF_ULP, MOST_CASES, widen

__all__ = [
    "EXACT_INTEGERS",
    "HALF_ULP",
    "LARGEST",
    "MOST_CASES",
    "MOST_TIES",
    "UNKNOWN",
    "Counts",
    "Flags",
    "Floats",
    "Indices",
    "Keep",
    "Keys",
    "Ranges",
    "Ranking",
    "ScoreRanges",
    "Sketch",
    "corners_among",
    "count_rows",
    "cuts_above",
    "falling_order",
    "has_all_ties",
    "mean_scores",
    "merge_at",
    "merge_ranges",
    "merge_segments",
    "midway",
    "on_edges",
    "pack",
    "partition_rows",
    "rankable",
    "reaches",
    "require_ranges",
    "require_ranking",
    "require_safe_total",
    "require_split",
    "score_ranges",
    "shorten",
    "shortest_between",
    "sort_keys",
    "splits_at",
    "splits_to_keep",
    "take_evenly",
    "unpack_classes",
    "unpack_scores",
    "widen",
]

publish(__name__, Ranking)
