"""One palette for the page, figures and terminals."""

import json
import re
from pathlib import Path

import pytest

from thresher._internal.palette import DASHES, ON_DARK, ON_LIGHT

SOURCES = Path(__file__).parents[2] / "frontend" / "src"


def luminance(colour: str) -> float:
    """Relative luminance after WCAG 2."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return sum(share * each for share, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(a: str, b: str) -> float:
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("colours", "ground"), [(ON_LIGHT, "#ffffff"), (ON_DARK, "#181c21")])
def test_words_in_every_colour_can_be_read(colours, ground):
    assert min(contrast(colour, ground) for colour in colours) >= 4.5


@pytest.mark.parametrize(
    ("begins", "colours"),
    [(".thresher {", ON_LIGHT), ("@media (prefers-color-scheme: dark)", ON_DARK), ("@media print", ON_LIGHT)],
)
def test_the_page_has_these_colours(begins, colours):
    style = (SOURCES / "page.css").read_text(encoding="utf-8")
    part = style[style.index(begins) :]
    on_page = dict(re.findall(r"--(c\d|pos|neg): (#[0-9a-f]{6})", part[: part.index("color-scheme: ", len(begins))]))
    assert on_page == {f"c{place}": colour for place, colour in enumerate(colours)} | {
        "pos": colours[0],
        "neg": colours[1],
    }


def test_the_page_has_these_dashes():
    listed = re.search(r"DASHES = (\[.*?\]);", (SOURCES / "palette.ts").read_text(encoding="utf-8"))
    assert listed is not None
    assert json.loads(listed[1]) == [" ".join(f"{length:g}" for length in dashes) for dashes in DASHES]
