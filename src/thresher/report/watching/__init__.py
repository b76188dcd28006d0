"""The page of a check: its numbers, its pictures, one file without scripts."""

from thresher.report.watching.charts import Chart, chart
from thresher.report.watching.page import watch_page, write_watch_page

__all__ = ["Chart", "chart", "watch_page", "write_watch_page"]
