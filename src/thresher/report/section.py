"""Sections below an evaluation: what else belongs to it, in words, pictures and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.report.grid import Grid
from thresher.report.panels import Panel


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with paragraphs, pictures and tables below it; all of it stays as it is when sliders move."""

    title: str
    paragraphs: Sequence[str] = ()
    panels: Sequence[Panel] = ()
    grids: Sequence[Grid] = ()
