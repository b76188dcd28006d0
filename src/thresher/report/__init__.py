"""One HTML file that holds an evaluation: plain data, a page around it, and doors for notebooks."""

from thresher.report.page import Section, iframe, page, write_page
from thresher.report.payload import contents

__all__ = ["Section", "contents", "iframe", "page", "write_page"]
