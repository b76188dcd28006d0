"""`thresher classroom`: a small ranking or tables as a page that teaches."""

from __future__ import annotations

import json
import os
import sys
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from thresher._internal.text import count_text
from thresher.cli import options
from thresher.cli.options import ColumnOptions, ConditionOptions, PrintOptions, option
from thresher.errors import ArgumentError, NotationError, ThresherError, WeightError, argument, located

if TYPE_CHECKING:
    from thresher.ranking import Ranking
    from thresher.tables import Contingency

_TABLE = "write tp, fn, fp and tn: --table C1=30,20,10,40"


@dataclass(frozen=True, slots=True)
class ClassroomOptions:
    """What the page teaches, in whose words, and where it is written."""

    scores: str | None = option("--score", help="Scores of the segments, falling: 2,1,-1; of a FILE, their column.")
    tables: tuple[str, ...] = option(metavar="NAME=COUNTS", help="A classifier: C1=TP,FN,FP,TN. Repeatable.")
    label: str | None = option(metavar="COLUMN", help="Of a FILE, the column of true labels.")
    missing: Literal["raise", "drop"] = option(**options.MISSING)
    positive: str | None = option(metavar="NAME", help="What positives are called; of a FILE, the positive label.")
    negative: str | None = option(metavar="NAME", help="What negatives are called.")
    lesson: str | None = option(
        help="What it opens with: walk, pool, costs, pairs, losses, calibration or points.", metavar="LESSON"
    )
    bins: int | None = option(type=click.IntRange(min=2), help="First pool into about so many segments, equally large.")
    hull: bool = option(help="First pool the ranking into the corners of its hull.")
    title: str | None = option(help="The heading of the page.")
    output: str = option("-o", default="thresher-lesson.html", metavar="FILE", help="The page.")
    no_open: bool = option(help="Do not open the page in a browser.")

    def require_tables_alone(self) -> None:
        """Refuse options that say something of a ranking where there is none."""
        if not self.tables:
            raise click.UsageError('give a ranking, e.g. "[20+,5-][10+,5-][20+,40-]", or a --table')
        of_rankings = {"score": self.scores, "label": self.label, "bins": self.bins, "hull": self.hull or None}
        for name, value in of_rankings.items():
            if value is not None:
                what = f"{argument(name)} says something of a ranking, and there are tables alone"
                raise ArgumentError(what, "give a ranking, too, or leave it out", parameter=name)


@options.define(
    "classroom",
    examples=[
        'thresher classroom "[20+,5-][10+,5-][20+,40-]" --score 2,1,-1 --positive spam --negative ham --no-open',
        "thresher classroom --table C1=30,20,10,40 --table C2=40,10,20,30 --no-open",
        "thresher classroom predictions.csv --label malignant --score forest --bins 12 --lesson pool --no-open",
    ],
)
@click.argument("source", metavar="[RANKING|FILE]", type=str, required=False)
def command(source: str | None, how: ClassroomOptions, condition: ConditionOptions, printed: PrintOptions) -> None:
    """Write a page that teaches a small ranking, or tables, step by step.

    RANKING is written as "[20+,5-][10+,5-][20+,40-]": positives and negatives per segment, highest score first. FILE
    holds rows, or a ranking that thresher merge wrote. The page walks down the ranking, pools it into its hull, slides
    the line of equal costs, counts pairs, and judges scores as margins and as probabilities; tables are points. Every
    step can be a question, and the page prints as a worksheet with an answer sheet.
    """
    if source is None:
        how.require_tables_alone()

    from thresher._internal.atomic import write_file
    from thresher.cli.console.screen import present, written_text
    from thresher.cli.outputs import require_outputs
    from thresher.report.lesson import LESSONS, lesson_page, lesson_payload

    if how.lesson is not None and how.lesson not in LESSONS:
        what = f"there is no lesson {how.lesson!r}"
        raise ArgumentError(what, f"the lessons are {', '.join(LESSONS)}", parameter="lesson")
    require_outputs(source=source if source and not _is_notation(source) else None, output=how.output)
    ranking = None if source is None else _pooled(_ranking(source, how), how)
    arguments: dict[str, Any] = {
        "tables": dict(map(_table, how.tables)) or None,
        "condition": condition.condition(),
        "lesson": how.lesson,
        "positive": _class_name(how.positive),
        "negative": how.negative,
        "title": how.title,
    }
    if len(arguments["tables"] or ()) < len(how.tables):
        raise ArgumentError("two tables have the same name", "give each another name")
    data = lesson_payload(ranking, **arguments)
    write_file(how.output, lesson_page(data))
    sentences = {each["name"]: ["".join(step["parts"]) for step in each["steps"]] for each in data["lessons"]}
    plain = {"output": how.output, "start": data["start"], "lessons": sentences}
    lines = written_text([f"lesson    {how.output}"])
    blocks = [data["facts"], "", *sentences[data["start"]], "", *lines]
    present(printed, lambda: json.dumps(plain, allow_nan=False), lambda _: blocks)
    if not (how.no_open or printed.as_json or printed.quiet):
        _open(Path(how.output))


def _class_name(positive: str | None) -> str | None:
    """The positive label as a name of cases; a number is none: "2 1" counts nothing."""
    with suppress(ValueError, TypeError):
        float(positive or "")
        return None
    return positive


def _is_notation(source: str) -> bool:
    """Whether a text is counts: it has a bracket, or signs and no file of that name."""
    there = os.path.exists(source)  # noqa: PTH110 - false, and no error, for what can be no path
    return not source.strip() or source.lstrip().startswith("[") or ("+" in source and not there)


def _ranking(source: str, how: ClassroomOptions) -> Ranking:
    """The ranking of a text in brackets, or of a file."""
    from thresher.ranking import Ranking

    if _is_notation(source):
        if how.label is not None:
            raise click.UsageError("--label is a column of a FILE, and a ranking in brackets has none")
        return Ranking.parse(source, score=None if how.scores is None else _scores(how.scores, source))
    from thresher.cli.reading import read_rankings

    named = () if how.scores is None else (how.scores,)
    columns = ColumnOptions(
        table=None, label=how.label, scores=named, positive=how.positive, weight=None, missing=how.missing
    )
    ((name, ranking), *others) = read_rankings((source,), columns, exact=True)[()].items()
    if others:
        raise ArgumentError("a lesson takes one ranking", f"name one column, e.g. {argument('score', name)}")
    return ranking


def _scores(text: str, source: str) -> list[float]:
    from thresher.ranking import Ranking

    try:
        scores = [float(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentError(f"{text!r} is no list of scores", "write e.g. --score 2,1,-1", parameter="score") from None
    segments = len(Ranking.parse(source))
    if len(scores) != segments:
        what = f"{count_text(len(scores), 'score')} for {count_text(segments, 'segment')}"
        raise ArgumentError(what, "give one score per segment, with commas between them", parameter="score")
    wrong = next((place for place in range(1, segments) if not scores[place] < scores[place - 1]), None)
    if wrong is not None:
        what = f"scores must fall, and {scores[wrong]:g} comes after {scores[wrong - 1]:g}"
        raise ArgumentError(what, "list the segments from the highest score down", parameter="score")
    return scores


def _pooled(ranking: Ranking, how: ClassroomOptions) -> Ranking:
    """The ranking, pooled as was asked for; refused if it is too long then."""
    from thresher.curves import hull
    from thresher.lesson import MOST_SEGMENTS
    from thresher.ranking import shorten

    if how.bins is not None:
        ranking = shorten(ranking, how.bins, keep="even")
    if how.hull:
        ranking = hull(ranking, pool="ties")
    if len(ranking) > MOST_SEGMENTS:
        what = f"a lesson takes {MOST_SEGMENTS} segments at most, and this ranking has {len(ranking):,}"
        raise ArgumentError(what, "pool first: --bins 20 or --hull")
    return ranking


def _table(text: str) -> tuple[str, Contingency]:
    """One table by its name, read from NAME=TP,FN,FP,TN."""
    from thresher.tables import Contingency

    name, equals, cells = text.partition("=")
    parts = cells.split(",")
    if not (name.strip() and equals) or len(parts) != len(("tp", "fn", "fp", "tn")):
        raise NotationError(f"{text!r} is no table", _TABLE)
    with located(f"--table {text}"):
        try:
            counts = [int(part) for part in parts]
        except ValueError:
            raise WeightError("a lesson counts cases, and these are no whole numbers", _TABLE) from None
        try:
            return name.strip(), Contingency(*counts)
        except ThresherError as error:
            raise WeightError(error.what, _TABLE) from None


def _open(path: Path) -> None:
    """Open the page where there is a screen; elsewhere its path was printed."""
    screen = sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if screen and sys.stdout.isatty():
        webbrowser.open(path.resolve().as_uri())
