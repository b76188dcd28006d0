"""Classifiers as points: who dominates whom, and who is best by which measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thresher._internal.arguments import describe
from thresher._internal.text import in_words, isolated
from thresher.choices.points import choose_table
from thresher.errors import ArgumentError, OneClassError, WeightError, located
from thresher.lesson.step import Blank, ClassNames, Step, count, quotient, sentence, value
from thresher.tables import Contingency

MOST_TABLES = 26


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PointStep(Step):
    """The classifiers that a step is about, and the measure that compares them."""

    names: tuple[str, ...]
    measure: str | None = None
    value: float | None = None


def points(
    tables: Mapping[str, Contingency], *, positive: str | None = None, negative: str | None = None
) -> list[PointStep]:
    """Place classifiers in ROC space; compare them by dominance and by measures.

    All tables count the same cases: so many positives, so many negatives.

    >>> C = Contingency
    >>> tables = {"C1": C(15, 10, 15, 60), "C2": C(20, 5, 20, 55), "C3": C(30, 0, 20, 50)}
    >>> points(tables)
    Traceback (most recent call last):
    thresher.errors.ArgumentError: C1 counts 25 positives and 75 negatives, C3 counts 30 positives and 70 negatives
      where: points(tables)
      fix:   give tables of the same cases
    >>> tables = {"C1": C(15, 10, 15, 60), "C2": C(20, 5, 20, 55)}
    >>> for step in points(tables)[2:]:
    ...     print(step)
    Nobody dominates anybody: of each two, neither is better on one class and no worse on the other.
    Lines of equal accuracy have slope Neg / Pos = 3. The best accuracy is 0.75, of C1 and C2.
    Lines of equal average recall have slope 1. The best average recall is 0.7667, of C2.
    """
    Pos, Neg = require_tables(tables)
    names = ClassNames(positive, negative)
    steps = []
    for name, table in tables.items():
        hits = ("finds ", count(int(table.tp)), f" of {names.of_positives(Pos)}, TPR ", value(table.tpr))
        alarms = (
            ", and calls ",
            count(int(table.fp)),
            f" of {names.of_negatives(Neg)} positive, FPR ",
            value(table.fpr),
        )
        accuracy = (". Accuracy ", value(table.accuracy), ", average recall ", value(table.average_recall), ".")
        words = sentence(f"{isolated(name)} ", *hits, *alarms, *accuracy)
        steps.append(PointStep(parts=words, names=(name,)))
    steps.append(_dominance(tables))
    slope = sentence("Lines of equal accuracy have slope Neg / Pos = ", quotient(Neg, Pos))
    steps.append(_best(tables, "accuracy", slope, (1, 1)))
    slope = sentence("Lines of equal average recall have slope ", count(1))
    steps.append(_best(tables, "average recall", slope, (Neg, Pos)))
    return steps


def require_tables(tables: Any) -> tuple[int, int]:
    """Positives and negatives of all tables; refused unless they are the same."""
    fix = 'give e.g. {"C1": Contingency(tp=30, fn=20, fp=10, tn=40)}'
    if not isinstance(tables, Mapping) or not tables:
        raise ArgumentError(f"tables by name are needed, got {describe(tables)}", fix, parameter="tables")
    if len(tables) > MOST_TABLES:
        what = f"a lesson takes {MOST_TABLES} tables at most, got {len(tables)}"
        raise ArgumentError(what, "compare more with choose(tables)", parameter="tables")
    totals: dict[str, tuple[int, int]] = {}
    for name, table in tables.items():
        with located(f"table {name!r}"):
            if not (isinstance(name, str) and name.strip()):
                raise ArgumentError("the name of a table must be a text, and not blank", fix)
            totals[name] = _totals(table, fix)
    first = next(iter(totals))
    other = next((name for name, total in totals.items() if total != totals[first]), None)
    if other is not None:
        names = ClassNames()
        each = (f"{isolated(name)} counts {names.count(*totals[name])}" for name in (first, other))
        raise ArgumentError(", ".join(each), "give tables of the same cases")
    return totals[first]


def _totals(table: Any, fix: str) -> tuple[int, int]:
    if not isinstance(table, Contingency):
        raise ArgumentError(f"a table is needed, got {describe(table)}", fix)
    cells = {name: getattr(table, name) for name in ("tp", "fn", "fp", "tn")}
    for name, cell in cells.items():
        try:
            fits = float(cell).is_integer()
        except TypeError:
            raise ArgumentError("this table has several splits", "give the table of one") from None
        if not fits:
            raise WeightError(f"a lesson counts cases, and {name} is {cell:g}", "give whole counts")
    if not (table.Pos and table.Neg):
        what = "a table without actual positives or negatives has no place in ROC space"
        raise OneClassError(what, "give tables of both classes")
    return int(table.Pos), int(table.Neg)


def _dominance(tables: Mapping[str, Contingency]) -> PointStep:
    dominated = choose_table(tables).dominated if len(tables) > 1 else {}
    if not dominated:
        nobody = "Nobody dominates anybody: of each two, neither is better on one class and no worse on the other."
        alone = "One classifier alone: nobody dominates it."
        return PointStep(parts=sentence(nobody if len(tables) > 1 else alone), names=())
    dominances = [
        f"{in_words([isolated(each) for each in by])} dominate{'s' * (len(by) == 1)} {isolated(name)}"
        for name, by in dominated.items()
    ]
    free = [isolated(name) for name in tables if name not in dominated]
    words = sentence(
        "Who is better on one class and no worse on the other dominates: ",
        *(piece for place, each in enumerate(dominances) for piece in ("; " * bool(place), Blank(each))),
        ". Dominated by nobody: ",
        Blank(in_words(free)),
        ".",
    )
    return PointStep(parts=words, names=tuple(dominated))


def _best(
    tables: Mapping[str, Contingency], measure: str, slope: tuple[str, ...], weights: tuple[int, int]
) -> PointStep:
    """The best by a measure that is a weighted sum of `tp` and `tn`."""
    right = {  # whole numbers, so that rounding breaks no tie
        name: int(table.tp) * weights[0] + int(table.tn) * weights[1] for name, table in tables.items()
    }
    best = tuple(name for name, each in right.items() if each == max(right.values()))
    most = float(getattr(tables[best[0]], measure.replace(" ", "_")))
    pieces = [part if place % 2 == 0 else Blank(part) for place, part in enumerate(slope)]
    ends = (f". The best {measure} is ", value(most), ", of ", Blank(in_words([isolated(name) for name in best])), ".")
    return PointStep(parts=sentence(*pieces, *ends), names=best, measure=measure, value=most)
