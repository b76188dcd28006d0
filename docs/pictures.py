"""Pictures of the two rankings these pages speak of: `python -m docs.pictures` at the root writes them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import thresher as th

FOLDER = Path(__file__).parent / "_static"
SPAM_TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
EMAILS = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])

_SIDE, _LEFT, _TOP = 300, 60, 20
_TEAL, _CORAL, _GREY, _INK = "#0b6e6e", "#d1495b", "#8a8f98", "#22262b"


def pictures() -> dict[str, str]:
    """Every picture as SVG, by the name of its file."""
    return {"spam-tree.svg": spam_tree(), "ten-emails.svg": ten_emails()}


def spam_tree() -> str:
    """The coverage curve of the spam tree: three segments, four splits, three slopes."""
    frame = _Frame(SPAM_TREE, step=10)
    points = _points(th.coverage(SPAM_TREE))
    drawn = [frame.line(points, _TEAL)]
    for name, (fp, tp) in zip("ABCD", points, strict=True):
        drawn += [
            frame.dot((fp, tp), _TEAL),
            frame.text((fp, tp), f"{name} ({fp:g}, {tp:g})", dx=12, dy=14 if tp else -6),
        ]
    for (fp0, tp0), (fp1, tp1) in pairwise(points):
        slope = (tp1 - tp0) / (fp1 - fp0)
        middle = ((fp0 + fp1) / 2, (tp0 + tp1) / 2)
        drawn.append(frame.text(middle, f"slope {slope:g}", dx=12, dy=24 if slope < 1 else 4, colour=_TEAL))
    return frame.picture(drawn, "Coverage curve of the spam tree: (0, 0), (5, 20), (10, 30), (50, 50)")


def ten_emails() -> str:
    """The ten e-mails: the curve, its hull, and the three splits that tie when the equal-cost slope is 2."""
    frame = _Frame(EMAILS, step=1)
    condition = th.OperatingCondition(class_ratio=3 / 4)
    choice = th.choose(EMAILS, condition)
    corners = _points(th.coverage(th.hull(EMAILS, pool="ties")))
    touched = (choice.points[0].table, choice.points[-1].table)
    slope = (touched[1].tp - touched[0].tp) / (touched[1].fp - touched[0].fp)
    drawn = [
        frame.line(corners, _CORAL),
        frame.line(_points(th.coverage(EMAILS)), _TEAL),
        frame.text((1.5, 5), f"hull, slope {slope:g}", dx=-10, dy=-6, anchor="end", colour=_CORAL),
        frame.text((2, 4), "curve", dx=9, dy=4, colour=_TEAL),
    ]
    for point in choice.points:
        at = (point.table.fp, point.table.tp)
        drawn += [frame.dot(at, _CORAL), frame.text(at, f"t = {point.threshold:g}", dx=9, dy=15)]
    return frame.picture(
        drawn, "Coverage curve and hull of the ten e-mails; three splits tie where equal-cost lines have slope 2"
    )


class _Frame:
    """Coverage space of a ranking, drawn to scale in a square."""

    def __init__(self, ranking: th.Ranking, *, step: int) -> None:
        self.Pos, self.Neg, self.step = ranking.Pos, ranking.Neg, step

    def at(self, point: tuple[float, float]) -> tuple[float, float]:
        fp, tp = point
        return _LEFT + _SIDE * fp / self.Neg, _TOP + _SIDE * (1 - tp / self.Pos)

    def line(self, points: Iterable[tuple[float, float]], colour: str) -> str:
        path = " ".join(f"{x:g},{y:g}" for x, y in map(self.at, points))
        return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'

    def dot(self, point: tuple[float, float], colour: str) -> str:
        x, y = self.at(point)
        return f'<circle cx="{x:g}" cy="{y:g}" r="4.5" fill="{colour}"/>'

    def text(
        self,
        point: tuple[float, float],
        words: str,
        *,
        dx: float,
        dy: float,
        anchor: str = "start",
        colour: str = _INK,
    ) -> str:
        x, y = self.at(point)
        return f'<text x="{x + dx:g}" y="{y + dy:g}" text-anchor="{anchor}" fill="{colour}">{words}</text>'

    def picture(self, drawn: list[str], title: str) -> str:
        up = _TOP + _SIDE / 2
        axes = [
            f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" fill="#fbfbf9" stroke="{_GREY}"/>',
            *(
                self.text((tick, 0), str(tick), dx=0, dy=18, anchor="middle", colour=_GREY)
                for tick in range(0, self.Neg + 1, self.step)
            ),
            *(
                self.text((0, tick), str(tick), dx=-8, dy=4, anchor="end", colour=_GREY)
                for tick in range(0, self.Pos + 1, self.step)
            ),
            self.text((self.Neg / 2, 0), "false positives", dx=0, dy=38, anchor="middle"),
            f'<text transform="rotate(-90 18 {up:g})" x="18" y="{up:g}" text-anchor="middle">true positives</text>',
        ]
        width, height = _LEFT + _SIDE + 90, _TOP + _SIDE + 50
        opening = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
            f' height="{height}" font-family="sans-serif" font-size="13" fill="{_INK}" role="img">'
        )
        return "\n".join(
            [
                opening,
                f"<title>{title}</title>",
                f'<rect width="{width}" height="{height}" rx="8" fill="white"/>',
                *axes,
                *drawn,
                "</svg>",
                "",
            ]
        )


def _points(curve: th.curves.Coverage) -> list[tuple[float, float]]:
    return list(zip(curve.fp.tolist(), curve.tp.tolist(), strict=True))


if __name__ == "__main__":
    for name, svg in pictures().items():
        (FOLDER / name).write_text(svg, encoding="utf-8")
