"""The classroom page: sentences, and pictures that grow with the steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from os import PathLike
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from thresher._internal.arguments import require_one_of, require_path
from thresher._internal.atomic import write_file
from thresher._internal.text import count_text, letters, score_text
from thresher.calibration.losses import LOSSES
from thresher.curves import coverage, roc
from thresher.errors import ArgumentError, argument
from thresher.lesson import calibration, costs, losses, pairs, points, pool, walk
from thresher.lesson.points import require_tables
from thresher.lesson.step import ClassNames, Step, quotient_text, require_lesson, value_text
from thresher.ranking import Ranking
from thresher.report.numbers import heading
from thresher.report.page import asset, embedded, environment, policy
from thresher.report.static.svg import Plot
from thresher.tables import Contingency, OperatingCondition
from thresher.version import __version__

FORMAT = "thresher/page/1"
Name: TypeAlias = Literal["walk", "pool", "costs", "pairs", "losses", "calibration", "points"]
Place: TypeAlias = tuple[float, float]
LESSONS: tuple[str, ...] = get_args(Name)
_TITLES: Mapping[str, tuple[str, str]] = {
    "walk": (
        "Walk down the ranking",
        "Segment by segment, highest score first: up for positives, right for negatives.",
    ),
    "pool": ("Pool into the hull", "Neighbours in the wrong order share one probability: isotonic calibration."),
    "costs": (
        "Slide the cost line",
        "The first point that a line of equal cost meets on its way is the cheapest.",
    ),
    "pairs": ("Count the pairs", "A positive and a negative: won where the positive scores higher."),
    "losses": (
        "Margins and losses",
        "What it costs that a score has the wrong sign, or is not sure of the right one.",
    ),
    "calibration": ("Errors of probabilities", "What each segment predicts, and the squared error of its cases."),
    "points": ("Classifiers as points", "One table, one point: who dominates whom, and which measure prefers which."),
}
_FEW_MARGINS = 3.0
_MOST_LOSS = 4.0
_FARTHEST = 1e307  # an axis may be twice as long and is still a float
_NEAR = 8.0
_FEW_SEGMENTS = 12  # of which every rectangle of pairs is drawn, and every place is named
_CELL_WIDTH, _CELL_HEIGHT = 0.085, 0.06  # shares of the picture in which a count fits


@dataclass(slots=True)
class Lesson:
    """One lesson: its steps, axes, what is drawn in which steps, and rows of segments."""

    name: str
    steps: Sequence[Step]
    x: tuple[float, float, str]
    y: tuple[float, float, str]
    marks: list[dict[str, Any]] = field(default_factory=list)
    strips: list[list[list[Any]]] = field(default_factory=list)
    key: list[tuple[str, str]] = field(default_factory=list)  # styles of areas, and what they stand for
    shares: bool = False  # below the segments of a strip stand shares, which are answers, and not scores
    extra: dict[int, dict[str, Any]] = field(default_factory=dict)
    paper: int = 0  # the step whose picture is on the worksheet: what its questions can be answered from

    def draw(
        self,
        kind: Literal["line", "dot", "area", "text", "letter"],
        style: str,
        points: Iterable[Place],
        *,
        steps: tuple[int, int] | None = None,
        text: str = "",
        answer: bool = False,
    ) -> None:
        """Draw something from one step to another, or in all."""
        first, last = (0, len(self.steps) - 1) if steps is None else steps
        places = [[_short(x), _short(y)] for x, y in points]
        if not places:
            return
        mark: dict[str, Any] = {"kind": kind, "style": style, "points": places, "from": first, "to": last}
        mark |= {"text": text} if text else {}
        self.marks.append(mark | ({"answer": True} if answer else {}))

    def data(self) -> dict[str, Any]:
        """The lesson as the page reads it."""
        title, about = _TITLES[self.name]
        return {
            "name": self.name,
            "short": self.name.capitalize(),
            "title": title,
            "about": about,
            "x": list(self.x),
            "y": list(self.y),
            "marks": self.marks,
            "strips": self.strips,
            "shares": self.shares,
            "key": [list(entry) for entry in self.key],
            "paper": self.paper,
            "steps": [{"parts": list(step.parts)} | self.extra.get(at, {}) for at, step in enumerate(self.steps)],
        }


def lesson_payload(
    ranking: Ranking | None = None,
    *,
    tables: Mapping[str, Contingency] | None = None,
    condition: OperatingCondition | None = None,
    lesson: Name | None = None,
    positive: str | None = None,
    negative: str | None = None,
    title: str | None = None,
) -> dict[str, Any]:
    """Everything on the page as data that JSON can carry.

    >>> tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> [each["name"] for each in lesson_payload(tree)["lessons"]]
    ['walk', 'pool', 'costs', 'pairs', 'losses', 'calibration']
    """
    names = ClassNames(positive, negative)
    made: list[Lesson] = []
    facts = []
    if ranking is not None:
        cases = require_lesson(ranking)
        made += [
            _walk(cases, names),
            _pool(cases, names),
            _costs(cases, condition),
            _pairs(cases, names),
            _losses(cases, names),
            _calibration(cases, names),
        ]
        facts.append(f"{cases.total:,} cases: {names.count(cases.Pos, cases.Neg)}, {count_text(len(cases), 'segment')}")
    if tables is not None:
        totals = require_tables(tables)
        if ranking is not None and totals != (ranking.Pos, ranking.Neg):
            plain = ClassNames()
            what = (
                f"the tables count {plain.count(*totals)}, and the ranking has {plain.count(ranking.Pos, ranking.Neg)}"
            )
            raise ArgumentError(what, "give tables of the same cases")
        made.append(_points(tables, ranking, names))
        facts.append(count_text(len(tables), "classifier"))
    if not made:
        raise ArgumentError("a lesson needs a ranking or tables", 'give Ranking.parse("[20+,5-][10+,5-][20+,40-]")')
    offered = [each.name for each in made]
    start = offered[-1] if ranking is None else offered[0]
    if lesson is not None:
        require_one_of(lesson, LESSONS, name="lesson")
        require_one_of(lesson, offered, name="lesson", fix="give a ranking for these, and tables for points")
        start = lesson
    return {
        "format": FORMAT,
        "kind": "lesson",
        "title": heading(title, "Classroom"),
        "version": __version__,
        "facts": "; ".join(facts),
        "start": start,
        "lessons": [each.data() for each in made],
    }


def lesson_page(payload: Mapping[str, Any]) -> str:
    """The page of a payload as one text of HTML, which asks the network for nothing.

    >>> lesson_page(lesson_payload(Ranking.parse("[20+,5-][10+,5-][20+,40-]")))[:15]
    '<!DOCTYPE html>'
    """
    templates, markup = environment()
    script, style = asset("lesson.js"), asset("page.css")
    html: str = templates.get_template("lesson.html.jinja").render(
        payload=payload,
        policy=policy(script, style),
        style=markup(style),
        script=markup(script),
        data=markup(embedded(payload)),
        pictures={each["name"]: markup(_picture(each)) for each in payload["lessons"]},
    )
    return html


def classroom(
    ranking: Ranking | Mapping[str, Contingency],
    path: str | PathLike[str],
    *,
    tables: Mapping[str, Contingency] | None = None,
    condition: OperatingCondition | None = None,
    lesson: Name | None = None,
    positive: str | None = None,
    negative: str | None = None,
    title: str | None = None,
) -> None:
    """Write a page that teaches a small ranking, or tables, step by step.

    A ranking of up to 60 segments is walked, pooled into its hull, met by lines of equal cost, counted pair by pair,
    and its scores are judged as margins and as probabilities. Tables, alone or next to a ranking of the same cases, are
    points, compared by dominance and by measures. `lesson` is the one that the page opens with, and `condition` that of
    the cost lines. `positive` and `negative` are what the cases are called. The page is one file that asks the network
    for nothing and prints as a worksheet.
    It needs the extra `report`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     classroom(Ranking.parse("[20+,5-][10+,5-]"), f"{folder}/lesson.html", positive="spam", negative="ham")
    """
    require_path(path)
    alone = ranking if isinstance(ranking, Mapping) else None
    if alone is not None and tables is not None:
        what = f"tables are given twice, and there is no ranking next to {argument('tables')}"
        raise ArgumentError(what, "give a ranking first, or the tables alone", parameter="tables")
    data = lesson_payload(
        None if isinstance(ranking, Mapping) else ranking,
        tables=alone or tables,
        condition=condition,
        lesson=lesson,
        positive=positive,
        negative=negative,
        title=title,
    )
    write_file(path, lesson_page(data))


def _picture(data: Mapping[str, Any]) -> str:
    """A lesson's picture at its last step, for readers without scripts."""
    last = len(data["steps"]) - 1
    (left, right, x_label), (low, high, y_label) = data["x"], data["y"]
    plot = Plot((left, right), (low, data["steps"][last].get("top", high)), x_label, y_label)
    plot.marks(mark for mark in data["marks"] if mark["from"] <= last <= mark["to"])
    return plot.svg(name=data["title"])


def _walk(cases: Ranking, names: ClassNames) -> Lesson:
    steps = walk(cases, positive=names.positive, negative=names.negative)
    made = Lesson("walk", steps, *_coverage_axes(cases, names))
    corners = [(float(step.table.fp), float(step.table.tp)) for step in steps]
    last = len(steps) - 1
    made.draw("line", "chance", [(0, 0), corners[-1]])
    for at, (start, end) in enumerate(pairwise(corners), start=1):
        made.draw("line", "walked", [start, end], steps=(at, last))
        made.draw("line", "joined", [start, end], steps=(at, at))
    for at, place in enumerate(corners):
        made.draw("dot", "here", [place], steps=(at, at))
        made.draw("text", "beside", [place], steps=(at, at), text=f"({place[0]:,.0f}, {place[1]:,.0f})", answer=True)
        made.extra[at] = {"strip": 0, "here": [at - 1] if at else [], "past": at}
    made.strips.append(_strip(cases))
    return made


def _pool(cases: Ranking, names: ClassNames) -> Lesson:
    steps = pool(cases)
    made = Lesson("pool", steps, *_coverage_axes(cases, names), shares=True)
    made.draw("line", "chance", [(0, 0), (float(cases.Neg), float(cases.Pos))])
    made.draw("line", "walked faint", _corners(cases))
    for at, step in enumerate(steps):
        corners = _corners(step.ranking)
        made.draw("line", "walked", corners, steps=(at, at))
        if step.joined is not None:
            made.draw("line", "joined", corners[step.joined : step.joined + 2], steps=(at, at))
        made.draw("dot", "corner", corners, steps=(at, at))
        pos, neg = step.ranking.pos.tolist(), step.ranking.neg.tolist()
        shares = [quotient_text(up, up + right) for up, right in zip(pos, neg, strict=True)]
        made.strips.append(_strip(step.ranking, shares))
        here = [] if step.joined is None else [step.joined]
        made.extra[at] = {"strip": at, "here": here, "past": len(step.ranking)}
        made.extra[at] |= {"next": [step.wrong, step.wrong + 1]} if step.wrong is not None else {}
    return made


def _costs(cases: Ranking, condition: OperatingCondition | None) -> Lesson:
    steps = costs(cases, condition)
    made = Lesson("costs", steps, (0, 1, "false positive rate"), (0, 1, "true positive rate"))
    curve = roc(cases)
    made.draw("line", "chance", [(0, 1), (1, 0)])
    made.draw("line", "walked", zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True))
    last, slope, level = len(steps) - 1, steps[0].slope, float(steps[-1].level or 0)
    made.draw("dot", "corner", [(0, 1)], steps=(1, last))
    made.draw("text", "beside", [(0, 1)], steps=(1, 1), text="ROC heaven")
    made.draw("line", "isometric best", _across(1, slope), steps=(1, last))
    made.draw("line", "isometric", _across(level, slope), steps=(2, last))
    for split in steps[-1].splits:
        made.draw("dot", "here", [(float(curve.fpr[split]), float(curve.tpr[split]))], steps=(2, last))
    made.draw("dot", "reading", [(1 - level, level)], steps=(3, last))
    made.draw("line", "reading", [(0, level), (1 - level, level)], steps=(3, last))
    made.draw("text", "beside", [(1 - level, level)], steps=(3, last), text=value_text(level), answer=True)
    # The height v on the descending diagonal falls from 1 to what is read at the curve, and y = v + s(x - 1 + v).
    ends = [(x, slope * (x - 1) + (1 + slope), (1 + slope) * (level - 1)) for x in (0.0, 1.0)]
    made.extra[1] = {
        "drag": {
            "label": "Slide the line down",
            "says": "height {value} on the descending diagonal",
            "low": 0,
            "high": 1,
            "start": 0,
            "result": [1, level - 1],
            "mark": {"kind": "line", "style": "isometric", "points": [[[x], [start, move]] for x, start, move in ends]},
        }
    }
    for at in range(len(steps)):
        made.extra[at] = made.extra.get(at, {}) | {"strip": 0, "here": [], "past": len(cases)}
    # The segments that are called positive at the recommended threshold.
    split = steps[-1].choice.point.split
    made.extra[last] |= {"here": list(range(split)), "past": split}
    made.strips.append(_strip(cases))
    return made


def _pairs(cases: Ranking, names: ClassNames) -> Lesson:
    steps = pairs(cases, positive=names.positive, negative=names.negative)
    x = (0, float(cases.Neg), f"{names.negatives}, highest score first")
    y = (0, float(cases.Pos), f"{names.positives}, highest score first")
    made = Lesson("pairs", steps, x, y, key=[(f"pair {verdict}", verdict) for verdict in ("won", "tied", "lost")])
    fp, tp = _columns(cases)
    last = len(steps) - 1
    made.draw("area", "pair", [(0, 0), (fp[-1], tp[-1])])
    for at, step in enumerate(steps):
        made.extra[at] = {"strip": 0, "here": [], "past": 0}
        if step.segment is None:
            made.extra[at]["past"] = len(cases) if at else 0
            continue
        column = step.segment
        made.extra[at] |= {"here": [column], "past": column + 1}
        for low, high, verdict in _verdicts(tp, column):
            made.draw("area", f"pair {verdict}", [(fp[column], low), (fp[column + 1], high)], steps=(at, last))
            wide = (fp[column + 1] - fp[column]) / fp[-1] >= _CELL_WIDTH
            if wide and (high - low) / tp[-1] >= _CELL_HEIGHT:
                middle = ((fp[column] + fp[column + 1]) / 2, (low + high) / 2)
                number = f"{int(high - low) * int(cases.neg[column]):,}"
                made.draw("text", "middle", [middle], steps=(at, last), text=number, answer=True)
        made.draw("area", "outline", [(fp[column], 0), (fp[column + 1], tp[-1])], steps=(at, at))
    made.draw("line", "walked", zip(fp, tp, strict=True), steps=(last, last))
    made.strips.append(_strip(cases))
    return made


def _verdicts(tp: Sequence[float], column: int) -> Iterable[tuple[float, float, str]]:
    """Runs of positives in a column of pairs: by segment while these are few."""
    last = len(tp) - 1
    ends = range(last + 1) if last <= _FEW_SEGMENTS else (0, column, column + 1, last)
    for row, end in pairwise(ends):
        if tp[row] < tp[end]:
            yield tp[row], tp[end], "won" if end <= column else "tied" if row == column else "lost"


def _losses(cases: Ranking, names: ClassNames) -> Lesson:
    steps = losses(cases, positive=names.positive, negative=names.negative)
    finite = np.abs(cases.score[np.isfinite(cases.score)])
    far = max(_FEW_MARGINS, min(float(finite.max(initial=0)), _FARTHEST) * 1.1)
    made = Lesson("losses", steps, (-far, far, "margin z"), (0, _MOST_LOSS, "loss"))
    last = len(steps) - 1
    made.draw("line", "condition", [(0, 0), (0, _MOST_LOSS)])
    near = np.linspace(-_NEAR, _NEAR, 81)  # where losses bend, however far scores reach
    grid = np.unique(np.concatenate([np.linspace(-far, far, 121), near[np.abs(near) <= far]]))
    margins = sorted({*cases.score[cases.pos > 0].tolist(), *(-cases.score[cases.neg > 0]).tolist()})
    shown = [margin + 0.0 for margin in margins if math.isfinite(margin)]
    made.draw("dot", "corner", [(margin, 0) for margin in shown], steps=(0, 0))
    for margin in shown if len(shown) <= _FEW_SEGMENTS else []:
        cases_there = int(cases.pos[cases.score == margin].sum() + cases.neg[cases.score == -margin].sum())
        made.draw("text", "above", [(margin, 0)], steps=(0, 0), text=f"{cases_there:,}", answer=True)
    for at, step in enumerate(steps):
        made.extra[at] = {"strip": 0, "here": [], "past": len(cases)}
        if step.loss is None:
            continue
        loss = LOSSES[step.loss]
        places = [(-far, 1.0), (0.0, 1.0), (0.0, 0.0), (far, 0.0)]
        if step.loss != "0-1":
            places = list(zip(grid.tolist(), loss(grid).tolist(), strict=True))
        places = [(x, y) for x, y in places if y <= 2 * _MOST_LOSS]
        made.draw("line", "lessonloss", places, steps=(at + 1, last))
        made.draw("line", "walked", places, steps=(at, at))
        heights = loss(np.array(shown)).tolist() if shown else []
        for style, above in (("here", False), ("corner", True)):  # those above the picture lie on its edge
            dots = [(x, min(y, _MOST_LOSS)) for x, y in zip(shown, heights, strict=True) if (y > _MOST_LOSS) == above]
            made.draw("dot", style, dots, steps=(at, at))
    made.strips.append(_strip(cases))
    return made


def _calibration(cases: Ranking, names: ClassNames) -> Lesson:
    steps = calibration(cases, positive=names.positive, negative=names.negative)
    made = Lesson("calibration", steps, (0, 1, "predicted probability"), (0, 1, "squared error"))
    grid = np.linspace(0, 1, 41).tolist()
    last = len(steps) - 1
    for at, step in enumerate(steps[:-1]):
        made.draw("line", "walked", [(p, step.at(p)) for p in grid], steps=(at, at))
        made.draw("line", "walked faint", [(p, step.at(p)) for p in grid], steps=(last, last))
        made.draw("dot", "corner", [(step.share, step.at(step.share))], steps=(at, at))
        made.draw("dot", "here", [(step.predicted, step.squared_error)], steps=(last, last))
        if last <= _FEW_SEGMENTS:
            made.draw("text", "above", [(step.predicted, step.squared_error)], steps=(last, last), text=str(at + 1))
        made.extra[at] = {"strip": 0, "here": [at], "past": at + 1, "top": max(step.pos, step.neg)}
        error = [step.pos, -2 * step.pos, step.pos + step.neg]  # pos (1 - p)² + neg p², by powers of p
        made.extra[at]["drag"] = {
            "label": "Predict another probability",
            "says": "squared error {value} at probability {place}",
            "low": 0,
            "high": 1,
            "start": _short(step.predicted),
            "result": error,
            "mark": {"kind": "dot", "style": "here", "points": [[[0, 1], error]]},
        }
    top = max((step.squared_error for step in steps[:-1]), default=1.0)
    made.extra[last] = {"strip": 0, "here": [], "past": len(cases), "top": _short(top * 1.1) or 1}
    made.strips.append(_strip(cases))
    return made


def _points(tables: Mapping[str, Contingency], ranking: Ranking | None, names: ClassNames) -> Lesson:
    steps = points(tables, positive=names.positive, negative=names.negative)
    last, compared = len(steps) - 1, len(tables)
    made = Lesson("points", steps, (0, 1, "false positive rate"), (0, 1, "true positive rate"), paper=compared - 1)
    made.draw("line", "chance", [(0, 0), (1, 1)])
    if ranking is not None:
        curve = roc(ranking)
        made.draw("line", "walked faint", zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True))
    places = {name: (float(table.fpr), float(table.tpr)) for name, table in tables.items()}
    first = next(iter(tables.values()))
    for at, slope in ((compared + 1, float(first.Neg) / float(first.Pos)), (compared + 2, 1.0)):
        for name, (x, y) in places.items():
            style = "isometric" if name in steps[at].names else "contour"
            made.draw("line", style, [(0, y - slope * x), (1, y + slope * (1 - x))], steps=(at, at))
    for name in steps[compared].names:
        for other, (x, y) in places.items():
            if tables[other].dominates(tables[name]):
                made.draw("area", "accepted", [(x, 0), (1, y)], steps=(compared, compared))
    for at, (name, sign) in enumerate(zip(tables, letters(list(tables)), strict=True)):
        best = [step for step in (compared + 1, compared + 2) if name in steps[step].names]
        made.draw("letter", "letter", [places[name]], steps=(at, last), text=sign)
        for step in best:
            made.draw("letter", "letter best", [places[name]], steps=(step, step), text=sign)
    return made


def _coverage_axes(cases: Ranking, names: ClassNames) -> tuple[tuple[float, float, str], tuple[float, float, str]]:
    x = (0.0, float(cases.Neg), f"{names.negatives} called positive (FP)")
    return x, (0.0, float(cases.Pos), f"{names.positives} called positive (TP)")


def _columns(cases: Ranking) -> tuple[list[float], list[float]]:
    curve = coverage(cases)
    return [float(fp) for fp in curve.fp.tolist()], [float(tp) for tp in curve.tp.tolist()]


def _corners(cases: Ranking) -> list[Place]:
    return list(zip(*_columns(cases), strict=True))


def _across(level: float, slope: float) -> list[Place]:
    """The line of a slope that crosses the descending diagonal at a height."""
    return [(x, level + slope * (x - 1 + level)) for x in (0.0, 1.0)]


def _strip(cases: Ranking, below: Sequence[str] | None = None) -> list[list[Any]]:
    """Counts of each segment, and below them its score if nothing else."""
    below = [score_text(score) for score in cases.score.tolist()] if below is None else below
    return [list(each) for each in zip(cases.pos.tolist(), cases.neg.tolist(), below, strict=True)]


def _short(value: float) -> float | int:
    """A coordinate to six digits."""
    rounded = float(f"{value:.6g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded
