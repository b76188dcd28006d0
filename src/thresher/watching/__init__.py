"""A decision in production, with late and partial labels."""

from thresher.watching.ingestion import Inserted, Labelled
from thresher.watching.watch import Watch

__all__ = ["Inserted", "Labelled", "Watch"]
