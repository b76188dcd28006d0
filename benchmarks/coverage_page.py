"""The page of the coverage study and its pictures, from rows that were computed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[1] / "docs"
GOOD = (0.93, 0.97)
LEFT, WIDTH, LINE, TOP = 230, 420, 22, 34  # of a picture, in pixels
LEAST = 0.5  # coverage at the left edge; what is lower lies on it
INK, GREY, TEAL, CORAL, GOLD, SHADE = "#22262b", "#8a8f98", "#0b6e6e", "#d1495b", "#b7791f", "#dcefe9"


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
    """Write the page, and a picture for each group."""
    (folder / "_static").mkdir(exist_ok=True)
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
    """The page in Markdown."""
    inside = sum(row.side == 0 for row in rows)
    below, above = (sum(row.side == side for row in rows) for side in (-1, 1))
    errors = ", ".join(f"{100 * math.sqrt(0.95 * 0.05 / number):.1f}" for number in replicates.values())
    introduction = INTRODUCTION.format(
        inside=inside, total=len(rows), below=below, above=above, errors=errors, **replicates
    )
    lines = [introduction]
    for group, members in by_group(rows):
        lines += [
            "",
            f"## {group}",
            "",
            f"![{group}: coverage by scenario](_static/{file_name(group)})",
            "",
            *table(members),
        ]
    return "\n".join(lines) + "\n"


def table(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each interval: its lowest and highest coverage, and where."""
    yield "| interval | scenarios | lowest | highest | below 93 % |"
    yield "|---|--:|---|---|---|"
    for name, members in _by_name(rows):
        low, high = min(members, key=lambda row: row.share), max(members, key=lambda row: row.share)
        below = ", ".join(row.scenario for row in members if row.side < 0) or "-"
        cells = name, len(members), f"{_percent(low)}, {low.scenario}", f"{_percent(high)}, {high.scenario}", below
        yield "| " + " | ".join(map(str, cells)) + " |"


def picture(group: str, rows: Sequence[Row]) -> str:
    """A line of dots for each interval, one dot for each scenario."""
    lines = _by_name(rows)
    height = TOP + LINE * len(lines) + 30
    strip = f'x="{_x(GOOD[0]):g}" y="{TOP}" width="{_x(GOOD[1]) - _x(GOOD[0]):g}" height="{LINE * len(lines)}"'
    drawn = [f'<rect {strip} fill="{SHADE}"/>']
    for at in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0):
        drawn.append(
            f'<line x1="{_x(at):g}" y1="{TOP}" x2="{_x(at):g}" y2="{height - 30}" stroke="{GREY}" stroke-width="0.5"/>'
        )
        drawn.append(_text(_x(at), height - 14, f"{100 * at:g}", "middle", GREY))
    for number, (name, members) in enumerate(lines):
        y = TOP + LINE * (number + 0.5)
        drawn.append(_text(LEFT - 12, y + 4, name, "end", INK))
        for row in members:
            colour = {-1: CORAL, 0: TEAL, 1: GOLD}[row.side]
            limits = f"[{100 * row.lower:.1f}, {100 * row.upper:.1f}]"
            title = f"<title>{escape(row.scenario)}: {_percent(row)} % {limits}</title>"
            drawn.append(
                f'<circle cx="{_x(row.share):.1f}" cy="{y:g}" r="4" fill="{colour}" fill-opacity="0.7">{title}</circle>'
            )
    head = _text(8, 18, f"{group}: percent of samples whose 95 % limits hold the truth", "start", INK)
    size = f'width="{LEFT + WIDTH + 30}" height="{height}" viewBox="0 0 {LEFT + WIDTH + 30} {height}"'
    style = 'font-family="system-ui, sans-serif" font-size="12"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style} role="img">\n'
        + "\n".join([head, *drawn])
        + "\n</svg>\n"
    )


def _by_name(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    ordered = sorted(rows, key=lambda row: list(dict.fromkeys(each.name for each in rows)).index(row.name))
    return [(name, list(members)) for name, members in groupby(ordered, key=lambda row: row.name)]


def _x(share: float) -> float:
    return LEFT + WIDTH * (max(share, LEAST) - LEAST) / (1 - LEAST)


def _percent(row: Row) -> str:
    return f"{100 * row.share:.1f}"


def _text(x: float, y: float, text: str, anchor: str, colour: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


INTRODUCTION = """# Do the intervals cover?

How often nominal 95 % limits hold the true value, in worlds of [the laboratory](laboratory.md) where it is known.
Written by `python -m benchmarks.coverage`, from {quick:,} samples for each entry, {medium:,} where tables have many
measures and {slow:,} where functions resample, so that the standard error of an entry is {errors} points. Every
dot is one scenario; hover over it for its name.
The shaded strip is 93 to 97 %. Dots are teal in it or within chance of it, coral below, gold above: {inside:,} of
{total:,} entries lie in it or within chance of it, {below:,} below, {above:,} above.

| scenario | what is drawn |
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

Read it so. With fewer than ten positives no interval can be trusted to the percent. Rates near 0 or 1 in few cases
take only a handful of values, so that coverage jumps (Brown, Cai & DasGupta 2001). Too wide is the price of not being
too narrow: limits of an AUC near 1 and of Brier scores allow for rare errors that the sample has not seen. Measures
and costs are judged at a threshold fixed beforehand; at one that was chosen on the same rows they flatter it, and
`out_of_bag_cost` allows for the choice. A pointwise band holds at each place alone; a simultaneous one everywhere at
once. A test holds where it lets a true hypothesis stand at 5 %."""
