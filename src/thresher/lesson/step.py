"""Steps of lessons: sentences whose numbers can be left blank."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from thresher._internal.arguments import short_repr
from thresher._internal.text import isolated, number_text
from thresher.errors import ArgumentError, WeightError, argument
from thresher.ranking import EXACT_INTEGERS, Ranking, require_ranking

MOST_SEGMENTS = 60
_LARGEST_DENOMINATOR = 20
_DECIMALS = 4


class Blank(str):
    """A number in a sentence, which a worksheet leaves blank."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Step:
    """One step: `str` is its sentence, `parts` are words and numbers in turn.

    >>> step = Step(parts=("TP ", "30", ", FP ", "10", "."))
    >>> print(step)
    TP 30, FP 10.
    >>> step.question
    'TP ?, FP ?.'
    """

    parts: tuple[str, ...]

    def __str__(self) -> str:
        return "".join(self.parts)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    @property
    def question(self) -> str:
        """The sentence with a question mark for each number."""
        return "".join("?" if place % 2 else part for place, part in enumerate(self.parts))


@dataclass(frozen=True, slots=True)
class ClassNames:
    """What the cases of each class are called: spam and ham.

    >>> ClassNames().count(1, 2), ClassNames("spam", "ham").count(1, 2)
    ('1 positive and 2 negatives', '1 spam and 2 ham')
    """

    positive: str | None = None
    negative: str | None = None

    def __post_init__(self) -> None:
        for name in ("positive", "negative"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, str) and value.strip()):
                what = f"{argument(name)} must be a name, got {short_repr(value)}"
                raise ArgumentError(what, "give what the cases of that class are called, e.g. spam", parameter=name)
        if self.positive is not None and self.positive == self.negative:
            raise ArgumentError(f"both classes are called {self.positive!r}", "give two names")

    @property
    def positives(self) -> str:
        """What several positives are called."""
        return "positives" if self.positive is None else isolated(self.positive)

    @property
    def negatives(self) -> str:
        """What several negatives are called."""
        return "negatives" if self.negative is None else isolated(self.negative)

    def of_positives(self, count: int) -> str:
        """So many positives."""
        return f"{count:,} {'positive' if self.positive is None and count == 1 else self.positives}"

    def of_negatives(self, count: int) -> str:
        """So many negatives."""
        return f"{count:,} {'negative' if self.negative is None and count == 1 else self.negatives}"

    def count(self, pos: int, neg: int) -> str:
        """Both counts; a class that is absent is left out."""
        counts = ([self.of_positives(pos)] if pos or not neg else []) + ([self.of_negatives(neg)] if neg else [])
        return " and ".join(counts)


def require_lesson(ranking: Any) -> Ranking:
    """The ranking in whole counts; refused if of one class or too long."""
    require_ranking(ranking, both_classes=True)
    if len(ranking) > MOST_SEGMENTS:
        what = f"a lesson takes {MOST_SEGMENTS} segments at most, and this ranking has {len(ranking):,}"
        fix = "pool them first, with hull(ranking) or shorten(ranking, 20, keep='even') of thresher.ranking"
        raise ArgumentError(what, fix)
    if not ranking.exact or ranking.unresolved.any():
        what = "a lesson needs every score, and this ranking knows ranges of scores only"
        raise ArgumentError(what, "rank the rows themselves, with rank(labels, scores)")
    if not ranking.weighted:
        return ranking
    counts = [*ranking.pos.tolist(), *ranking.neg.tolist()]
    if not all(count.is_integer() and count <= EXACT_INTEGERS for count in counts):
        first = next(count for count in counts if not count.is_integer() or count > EXACT_INTEGERS)
        raise WeightError(f"a lesson counts cases, and {first:g} is no whole count", "give whole numbers of cases")
    return Ranking(ranking.score, ranking.pos.astype("int64"), ranking.neg.astype("int64"), dropped=ranking.dropped)


def sentence(*pieces: str) -> tuple[str, ...]:
    """Pieces as words and numbers in turn, the words first."""
    parts = [""]
    for piece in pieces:
        if isinstance(piece, Blank):
            parts += [str(piece), ""]
        else:
            parts[-1] += piece
    return tuple(parts if parts[-1] or len(parts) == 1 else parts[:-1])


def count(value: int) -> Blank:
    """A count to fill in."""
    return Blank(f"{value:,}")


def value(number: float) -> Blank:
    """A number to fill in, to four decimals."""
    return Blank(value_text(number))


def quotient(above: int, below: int) -> Blank:
    """A quotient of counts to fill in, a short fraction where it is one."""
    return Blank(quotient_text(above, below))


def value_text(number: float) -> str:
    """A number to four decimals, without the zeros at its end.

    >>> value_text(0.83333), value_text(0.75), value_text(12), value_text(0.00001234)
    ('0.8333', '0.75', '12', '0.0000123')
    """
    if 0 < abs(number) < 10.0**-_DECIMALS:
        return number_text(number)
    text = number_text(number, _DECIMALS)
    return text.rstrip("0").rstrip(".") if "." in text else text


def quotient_text(above: int, below: int) -> str:
    """A quotient of counts, as a fraction if that is short.

    >>> quotient_text(20, 5), quotient_text(20, 40), quotient_text(1, 300), quotient_text(1, 0)
    ('4', '1/2', '0.0033', '∞')
    """
    if not below:
        return "∞"
    exact = Fraction(above, below)
    if exact.denominator == 1:
        return f"{exact.numerator:,}"
    return str(exact) if exact.denominator <= _LARGEST_DENOMINATOR else value_text(float(exact))
