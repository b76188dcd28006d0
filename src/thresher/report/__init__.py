"""One HTML file that holds an evaluation: plain data, a page around it, and doors for notebooks."""

from thresher.report.contents import contents
from thresher.report.page import framed, page, write_page
from thresher.report.section import Section

__all__ = ["Section", "contents", "framed", "page", "write_page"]
