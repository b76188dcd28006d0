"""Rankings: the one small table that everything else is computed from."""

from thresher.ranking.counting import Counts, Flags, Floats, counted, counted_weights
from thresher.ranking.ranking import Ranking
from thresher.ranking.scores import rankable

__all__ = ["Counts", "Flags", "Floats", "Ranking", "counted", "counted_weights", "rankable"]
