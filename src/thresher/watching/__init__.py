"""A decision in production, with late and partial labels."""

from thresher.watching.check import Alarm, Check
from thresher.watching.rechoose import Rechoice, Rechoices
from thresher.watching.review import Review
from thresher.watching.storage.ingestion import Inserted, Labelled
from thresher.watching.watch import Watch

__all__ = ["Alarm", "Check", "Inserted", "Labelled", "Rechoice", "Rechoices", "Review", "Watch"]
