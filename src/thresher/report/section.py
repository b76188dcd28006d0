"""Sections above an evaluation: what it belongs to, in words, pictures and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.cautions import Caution
from thresher.evaluation.first_screen import Tile
from thresher.report.grid import Grid
from thresher.report.panels import Panel


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with paragraphs, tiles, cautions, pictures and tables below it; nothing in it moves with sliders."""

    title: str
    paragraphs: Sequence[str] = ()
    tiles: Sequence[Tile] = ()
    cautions: Sequence[Caution] = ()
    panels: Sequence[Panel] = ()
    grids: Sequence[Grid] = ()
