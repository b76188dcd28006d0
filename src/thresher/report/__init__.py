"""One HTML file that holds an evaluation, and HTML for notebooks."""

from thresher.report.page import Section, iframe, page, write_page
from thresher.report.payload import payload

__all__ = ["Section", "iframe", "page", "payload", "write_page"]
