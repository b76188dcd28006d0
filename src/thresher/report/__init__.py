"""One HTML file that holds an evaluation, and HTML for notebooks."""

from thresher.report import watching
from thresher.report.lesson import classroom, lesson_page, lesson_payload
from thresher.report.page import Section, iframe, page, write_page
from thresher.report.payload import payload

__all__ = [
    "Section",
    "classroom",
    "iframe",
    "lesson_page",
    "lesson_payload",
    "page",
    "payload",
    "watching",
    "write_page",
]
