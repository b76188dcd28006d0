"""Contingency tables rebuilt from any four numbers that a report prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from thresher._internal.arguments import require_integer, require_number
from thresher._internal.text import in_words
from thresher.errors import ArgumentError, InfeasibleError, LengthError, argument
from thresher.tables.condition import simplest
from thresher.tables.contingency import Contingency

Row: TypeAlias = list[Fraction]
Cells: TypeAlias = tuple[int, int, int, int]

CELLS = ("tp", "fn", "fp", "tn")
COUNTS: Mapping[str, Cells] = {  # how often each cell is counted
    "tp": (1, 0, 0, 0),
    "fn": (0, 1, 0, 0),
    "fp": (0, 0, 1, 0),
    "tn": (0, 0, 0, 1),
    "Pos": (1, 1, 0, 0),
    "Neg": (0, 0, 1, 1),
    "total": (1, 1, 1, 1),
    "predicted_positive": (1, 0, 1, 0),
    "predicted_negative": (0, 1, 0, 1),
}
RATES: Mapping[str, tuple[Cells, Cells]] = {  # what is divided by what
    "tpr": ((1, 0, 0, 0), COUNTS["Pos"]),
    "fnr": ((0, 1, 0, 0), COUNTS["Pos"]),
    "fpr": ((0, 0, 1, 0), COUNTS["Neg"]),
    "tnr": ((0, 0, 0, 1), COUNTS["Neg"]),
    "precision": ((1, 0, 0, 0), COUNTS["predicted_positive"]),
    "npv": ((0, 0, 0, 1), COUNTS["predicted_negative"]),
    "accuracy": ((1, 0, 0, 1), COUNTS["total"]),
    "prevalence": (COUNTS["Pos"], COUNTS["total"]),
    "f1": ((2, 0, 0, 0), (2, 1, 1, 0)),
}
_NOTHING: Cells = (0, 0, 0, 0)
_MOST_TABLES = 10**7  # tried at most, where numbers are rounded


def contingency_of(words: Mapping[str, float]) -> Contingency:
    """The table that four independent numbers tell; see `Contingency.of`.

    >>> contingency_of({"tpr": 0.7, "tnr": 0.7, "accuracy": 0.7, "total": 100})
    Traceback (most recent call last):
    thresher.errors.LengthError: tpr, tnr, accuracy and total leave the table open
      where: contingency_of(words)
      fix:   one more would settle it: tp, fn, fp, tn, Pos, Neg, predicted_positive, predicted_negative, precision, ...
    """
    values = {name: _value(name, value) for name, value in words.items()}
    rows: dict[str, Row] = {}
    for name, value in values.items():
        left = _reduce(_equation(name, value), rows.values())
        if any(left[:-1]):
            rows[name] = left
        elif left[-1]:
            others = in_words([f"{each}={words[each]}" for each in rows])
            raise InfeasibleError(f"{name}={words[name]} contradicts {others}", "check these numbers")
    if len(rows) < 4:
        names = in_words(list(words)) if words else "no numbers"
        fix = "give four independent ones"
        if len(rows) == 3:
            fix = f"one more would settle it: {', '.join(_missing(rows))}"
        raise LengthError(f"{names} leave{'s' * (len(words) == 1)} the table open", fix)
    cells = dict(zip(CELLS, _solve(list(rows.values())), strict=True))
    below = [name for name, cell in cells.items() if cell < 0]
    if below:
        stated = in_words([f"{name}={value}" for name, value in words.items()])
        what = f"{stated} would need {below[0]}={float(cells[below[0]]):g}"
        raise InfeasibleError(what, "check these numbers; rounded rates need decimals=")
    return Contingency(**{name: int(cell) if cell.denominator == 1 else float(cell) for name, cell in cells.items()})


def contingencies_printing(words: Mapping[str, float], decimals: int) -> list[Contingency]:
    """All tables of whole cases that print these numbers, rates rounded to `decimals`.

    Counts are taken as they are; `total`, or `Pos` and `Neg`, must be among them.

    >>> len(contingencies_printing({"accuracy": 0.9, "tpr": 0.8, "total": 50}, 2))
    5
    """
    places = require_integer(decimals, name="decimals", least=0, most=12, fix="give e.g. 2 for rates such as 0.83")
    values = {name: _value(name, value) for name, value in words.items()}
    fractional = [name for name in values if name in COUNTS and values[name].denominator != 1]
    if fractional:
        raise ArgumentError(f"{fractional[0]} is no whole number", "give counts of cases as they are")
    sizes = list(_class_sizes(values))
    tried = sum((Pos + 1) * (Neg + 1) for Pos, Neg in sizes)
    if tried > _MOST_TABLES:
        what = f"{tried:,} tables would have to be tried"
        raise ArgumentError(what, f"give {argument('Pos')} and {argument('Neg')}, or a smaller table")
    half = Fraction(1, 2 * 10**places)
    return [table for Pos, Neg in sizes for table in _printing(Pos, Neg, values, half)]


def _value(name: str, value: Any) -> Fraction:
    if name not in COUNTS and name not in RATES:
        fix = f"known are {', '.join((*COUNTS, *RATES))}"
        raise ArgumentError(f"a table has no number called {name!r} that tells of its cells alone", fix)
    number = require_number(value, name=name)
    if not 0 <= number <= (1 if name in RATES else 2**53):
        what = f"{argument(name)} must be {'a rate in [0, 1]' if name in RATES else '0 or more cases'}, got {value}"
        raise ArgumentError(what, "check it", parameter=name)
    return simplest(number)


def _equation(name: str, value: Fraction) -> Row:
    """Coefficients of tp, fn, fp, tn and what they must add up to."""
    if name in COUNTS:
        return [*map(Fraction, COUNTS[name]), value]
    above, below = RATES[name]
    return [*(a - value * b for a, b in zip(above, below, strict=True)), Fraction(0)]


def _reduce(row: Row, others: Any) -> Row:
    """A row less multiples of others, so that it is 0 where they begin."""
    for other in others:
        at = next(i for i, part in enumerate(other) if part)
        factor = row[at] / other[at]
        row = [part - factor * each for part, each in zip(row, other, strict=True)]
    return row


def _missing(rows: Mapping[str, Row]) -> Iterator[str]:
    """What a fourth number may be: whatever some table that fits leaves open."""
    known = list(rows.values())
    open_cell = next(row for name in CELLS if any((row := _reduce(_equation(name, Fraction(1, 7)), known))[:-1]))
    cells = _solve([*known, open_cell])
    for name in (*COUNTS, *RATES):
        above, below = (_combine(each, cells) for each in RATES.get(name, (_NOTHING, _NOTHING)))
        value = above / below if below else Fraction(1)
        if any(_reduce(_equation(name, value), known)[:-1]):
            yield name


def _solve(rows: list[Row]) -> list[Fraction]:
    """The four unknowns of four independent rows, by Gauss and Jordan."""
    for at, _ in enumerate(rows):
        others = [row for i, row in enumerate(rows) if i != at]
        rows[at] = _reduce(rows[at], others)
    cells = [Fraction(0)] * 4
    for row in rows:
        place = next(i for i, part in enumerate(row) if part)
        cells[place] = row[-1] / row[place]
    return cells


def _class_sizes(values: Mapping[str, Fraction]) -> Iterator[tuple[int, int]]:
    Pos, Neg, total = (values.get(name) for name in ("Pos", "Neg", "total"))
    if total is None and (Pos is None or Neg is None):
        what = f"the size of the table is open without {argument('total')}"
        raise LengthError(what, f"give it, or {argument('Pos')} and {argument('Neg')}")
    size = int(total if total is not None else Pos + Neg)  # type: ignore[operator]
    for positives in range(size + 1) if Pos is None else [int(Pos)]:
        negatives = size - positives
        if negatives >= 0 and Neg in (None, negatives):
            yield positives, negatives


def _printing(Pos: int, Neg: int, values: Mapping[str, Fraction], half: Fraction) -> Iterator[Contingency]:
    tp, fp = (each.ravel() for each in np.meshgrid(np.arange(Pos + 1), np.arange(Neg + 1), indexing="ij"))
    cells = tp, Pos - tp, fp, Neg - fp
    fine = np.ones(tp.size, dtype=np.bool_)
    for name, value in values.items():
        if name in COUNTS:
            fine &= _combine(COUNTS[name], cells) == int(value)
        else:
            above, below = (_combine(each, cells) for each in RATES[name])
            low, high = value - half, value + half
            fine &= (below > 0) & (above * low.denominator >= low.numerator * below)
            fine &= above * high.denominator <= high.numerator * below
    for place in np.flatnonzero(fine).tolist():
        yield Contingency(*(int(cell[place]) for cell in cells))


def _combine(times: Cells, cells: Sequence[Any]) -> Any:
    return sum(factor * cell for factor, cell in zip(times, cells, strict=True))
