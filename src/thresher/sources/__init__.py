"""Rankings from places: files, frames larger than memory, engines."""

from thresher.sources.builder import RankingBuilder
from thresher.sources.progress import Progress
from thresher.sources.scan import scan, scan_by, scan_models, scan_models_by

__all__ = ["Progress", "RankingBuilder", "scan", "scan_by", "scan_models", "scan_models_by"]
