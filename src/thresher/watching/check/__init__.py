"""What is known of every promise now, and what to do about it."""

from thresher.watching.check.assemble import assemble
from thresher.watching.check.evidence import label_delays, weigh
from thresher.watching.check.result import Alarm, Check

__all__ = ["Alarm", "Check", "assemble", "label_delays", "weigh"]
