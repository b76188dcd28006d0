"""The page of the coverage study and its pictures, from rows that were computed."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[1] / "docs"
GOOD = (0.93, 0.97)
LEFT, WIDTH, LINE, TOP = 230, 420, 22, 34  # of a picture, in pixels
LEAST = 0.8  # coverage at the left edge; what is lower lies on it
PAPER, INK, GREY, TEAL, CORAL, GOLD, SHADE = "#fff", "#22262b", "#8a8f98", "#0b6e6e", "#d1495b", "#b7791f", "#dcefe9"
COLOURS = {-1: CORAL, 0: TEAL, 1: GOLD}


class Row(NamedTuple):
    """How often one interval held the truth in samples of one scenario, with limits."""

    group: str
    name: str
    scenario: str
    share: float
    lower: float
    upper: float

    @property
    def side(self) -> int:
        """Below (-1) or above (1) what is good, beyond what chance explains; else 0."""
        return int(self.lower > GOOD[1]) - int(self.upper < GOOD[0])


def write(rows: Sequence[Row], replicates: Mapping[str, int], folder: Path = DOCS) -> None:
    """Write the page, a picture of all entries, and one for each group."""
    (folder / "_static").mkdir(exist_ok=True)
    (folder / "_static" / OVERVIEW).write_text(overview(rows), encoding="utf-8")
    for group, members in by_group(rows):
        (folder / "_static" / file_name(group)).write_text(picture(group, members), encoding="utf-8")
    (folder / "coverage.md").write_text(page(rows, replicates), encoding="utf-8")


def by_group(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Rows of each group, in the order in which groups first occur."""
    order = list(dict.fromkeys(row.group for row in rows))
    return [(group, [row for row in rows if row.group == group]) for group in order]


def file_name(group: str) -> str:
    """The file of a group's picture."""
    return f"coverage-{re.sub('[^a-z]+', '-', group.lower())}.svg"


def page(rows: Sequence[Row], replicates: Mapping[str, int]) -> str:
    """The page in Markdown: what was found and where it fell short, then each group, its numbers folded away."""
    inside = sum(row.side == 0 for row in rows)
    below, above = ([row for row in rows if row.side == side] for side in (-1, 1))
    errors = ", ".join(f"{100 * math.sqrt(0.95 * 0.05 / number):.1f}" for number in replicates.values())
    wide = ", ".join(sorted({f"`{row.name}`" for row in above})) or "none"
    lines = [
        INTRODUCTION.format(inside=inside, total=len(rows), below=len(below), above=len(above), overview=OVERVIEW),
        *(f"| {row.group}: {row.name} | {row.scenario} | {_percent(row.share)} % |" for row in below),
        "",
        READING.format(errors=errors, wide=wide, **replicates),
    ]
    for group, members in by_group(rows):
        head = f"## {group}", "", f"![{group}: coverage by scenario](_static/{file_name(group)})", ""
        lines += ["", *head, ":::{dropdown} Numbers", *table(members), ":::"]
    return "\n".join(lines) + "\n"


def table(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each interval: its lowest and highest coverage, and where."""
    yield "| interval | scenarios | lowest | highest |"
    yield "|---|--:|---|---|"
    for name, members in _by_name(rows):
        low, high = min(members, key=lambda row: row.share), max(members, key=lambda row: row.share)
        ends = " | ".join(f"{_percent(end.share)}, {end.scenario}" for end in (low, high))
        yield f"| {name} | {len(members)} | {ends} |"


def picture(group: str, rows: Sequence[Row]) -> str:
    """A line of dots for each interval, one dot for each scenario."""
    dots = [
        [
            _dot(
                row.share,
                row.side,
                4,
                f"{row.scenario}: {_percent(row.share)} % [{100 * row.lower:.1f}, {100 * row.upper:.1f}]",
            )
            for row in members
        ]
        for _, members in _by_name(rows)
    ]
    title = f"{group}: percent of samples whose 95 % limits hold the truth"
    return _drawing(title, [name for name, _ in _by_name(rows)], dots)


def overview(rows: Sequence[Row]) -> str:
    """A line of dots for each group; the area of a dot is how many entries it stands for."""
    counts = [
        Counter((round(row.share, 2) if row.side == 0 else row.share, row.side) for row in members)
        for _, members in by_group(rows)
    ]
    dots = [
        [_dot(share, side, 1.5 + 0.9 * math.sqrt(count), f"{count}") for (share, side), count in sorted(each.items())]
        for each in counts
    ]
    return _drawing("Percent of samples whose 95 % limits hold the truth", [group for group, _ in by_group(rows)], dots)


def _drawing(title: str, names: Sequence[str], dots: Sequence[Sequence[tuple[float, str]]]) -> str:
    """Lines of dots by name, on a strip that shows what is good."""
    height = TOP + LINE * len(names) + 30
    strip = f'x="{_x(GOOD[0]):g}" y="{TOP}" width="{_x(GOOD[1]) - _x(GOOD[0]):g}" height="{LINE * len(names)}"'
    drawn = [f'<rect width="100%" height="100%" fill="{PAPER}"/>', _text(8, 18, title, "start", INK)]
    drawn.append(f'<rect {strip} fill="{SHADE}"/>')
    for at in (0.8, 0.85, 0.9, 0.95, 1.0):
        drawn.append(
            f'<line x1="{_x(at):g}" y1="{TOP}" x2="{_x(at):g}" y2="{height - 30}" stroke="{GREY}" stroke-width="0.5"/>'
        )
        drawn.append(_text(_x(at), height - 14, f"{100 * at:g}", "middle", GREY))
    for number, (name, line) in enumerate(zip(names, dots, strict=True)):
        y = TOP + LINE * (number + 0.5)
        drawn.append(_text(LEFT - 12, y + 4, name, "end", INK))
        drawn += [f'<circle cx="{x:.1f}" cy="{y:g}" {rest}' for x, rest in line]
    size = f'width="{LEFT + WIDTH + 30}" height="{height}" viewBox="0 0 {LEFT + WIDTH + 30} {height}"'
    style = 'font-family="system-ui, sans-serif" font-size="12"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style} role="img">\n' + "\n".join(drawn) + "\n</svg>\n"


def _dot(share: float, side: int, radius: float, words: str) -> tuple[float, str]:
    """Where a dot lies, and the rest of its element."""
    title = f"<title>{escape(words)}</title>"
    return _x(share), f'r="{radius:.3g}" fill="{COLOURS[side]}" fill-opacity="0.7">{title}</circle>'


def _by_name(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    ordered = sorted(rows, key=lambda row: list(dict.fromkeys(each.name for each in rows)).index(row.name))
    return [(name, list(members)) for name, members in groupby(ordered, key=lambda row: row.name)]


def _x(share: float) -> float:
    return LEFT + WIDTH * (max(share, LEAST) - LEAST) / (1 - LEAST)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _limits(row: Row) -> str:
    return f"[{_percent(row.lower)}, {_percent(row.upper)}]"


def _text(x: float, y: float, text: str, anchor: str, colour: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


OVERVIEW = "coverage-overview.svg"

INTRODUCTION = """# Do the intervals cover?

Limits at 95 % should hold the truth in 95 of 100 samples. Here every interval was tried in [worlds](laboratory.md)
whose truth is known, {total:,} pairs in all. **{inside:,} held it in 93 to 97 % of samples, within chance; {below:,}
less often, {above:,} more often.**

![Coverage of all intervals by group: nearly all dots are teal and lie near 95 per cent](_static/{overview})

A dot stands for the entries of a group at that coverage. Teal: within 93 to 97 %, the shaded strip, or within chance
of it. Coral: below. Gold: above.

## Where limits fell short

| interval | world | held the truth in |
|---|---|--:|"""

READING = """Wider than they need be in some world: {wide}.

## What that means for you

- With fewer than ten positives, trust no interval to the percent.
- Do not judge a measure at a threshold chosen on the same rows: here thresholds were fixed beforehand.
  `out_of_bag_cost` allows for the choice.
- A pointwise band holds at each place alone; a simultaneous one everywhere at once.
- Limits of an AUC near 1 and of Brier scores are wide on purpose: they allow for errors that the sample has not seen.
- Rates near 0 or 1 in few cases take only a handful of values, so their coverage jumps (Brown, Cai & DasGupta 2001).

## The worlds

| world | what is drawn |
|---|---|
| 60 of 200 | normal classes, AUC 0.8, 30 % positive; scores are the true probabilities |
| 20 levels, 5 levels | the same scores cut into as many equally frequent values |
| 10 of 2,000, 20 of 1,000, 50 of 5,000 | rare positives, AUC 0.85; their number varies by sample |
| 15 spread of 1,000 | positives spread three times as widely as negatives |
| heavy tails | Student's t with 3 degrees of freedom, AUC 0.8 |
| AUC .55, AUC .99 | nearly useless and nearly perfect scores |
| scores too high | true log-odds plus 1; also with rare positives |
| 60 clusters of 5 | scores within a cluster are correlated by 0.3 |
| informative weights | high scores are drawn up to five times as readily, and weighted down |
| AUC .85 and .75, … | two models whose scores are correlated by 0.5 within a class |
| 3 classes | finite worlds of three classes |

An entry is {quick:,} samples, {medium:,} where tables have many measures, {slow:,} where functions resample: standard
errors of {errors} points. A test holds where it lets a true hypothesis stand at 5 %. In the pictures below every dot
is one world; open one by itself, and a dot names its world. Written by `python -m benchmarks.coverage`."""
