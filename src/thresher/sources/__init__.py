"""Rankings from places: files, frames larger than memory, engines."""

from thresher.sources.buckets import condense
from thresher.sources.builder import RankingBuilder
from thresher.sources.progress import Progress
from thresher.sources.scan import scan

__all__ = ["Progress", "RankingBuilder", "condense", "scan"]
