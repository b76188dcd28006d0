"""`Segments`: class counts per distinct vector of probabilities. Segments add."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import describe, numbers_of, require_instance
from thresher._internal.json import items, json_value, label, not_written, number, numbers, read_object
from thresher._internal.results import Tabular
from thresher._internal.text import did_you_mean
from thresher.errors import (
    ArgumentError,
    EmptyError,
    LabelError,
    LengthError,
    NotationError,
    ProbabilityError,
    ThresherError,
    WeightError,
)
from thresher.ranking.checks import require_safe_total
from thresher.ranking.ranking import Ranking
from thresher.ranking.sorting import Counts, Floats, Indices

if TYPE_CHECKING:
    from thresher.curves.class_areas import ClassAreas

Matrix: TypeAlias = npt.NDArray[np.float64]
T = TypeVar("T")

FORMAT = "thresher/segments/1"
SUM_TOLERANCE = 1e-6  # of the probabilities of one row
_KIND: dict[str, Any] = {"of": "Segments", "kind": "segments"}
_SHOWN = 6
_BRACKET = re.compile(r"\s*\[([^\[\]]*)\]\s*")


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Segments(Tabular):
    """Cases of k classes, counted per distinct vector of probabilities.

    What a `Ranking` is to two classes: everything that probabilities and counts can tell follows from it. Row i of
    `counts` holds the cases of each class that were given row i of `probability`; both have a column per class. Equal
    means equal in all k numbers. Vectors come in falling order, that of the first class first.

    >>> leaves = Segments([[.8, .1, .1], [.2, .5, .3]], [[8, 1, 1], [1, 6, 3]], classes=["a", "b", "c"])
    >>> leaves
    Segments([8,1,1][1,6,3] of 'a', 'b' and 'c')
    >>> leaves.total, leaves.cases.tolist()
    (20, [9, 7, 4])
    >>> leaves.ranking("a")
    Ranking([8+,2-][1+,9-] at scores 0.8, 0.2)
    """

    probability: Matrix
    counts: Counts
    classes: tuple[Any, ...]
    dropped: int
    _memory: dict[str, Any] = field(init=False)

    def __init__(
        self, probability: npt.ArrayLike, counts: npt.ArrayLike, *, classes: Sequence[Any], dropped: int = 0
    ) -> None:
        names = tuple(classes)
        vectors = _vectors(probability, len(names))
        number = _cases(counts, vectors.shape)
        seen = number.any(axis=1)
        if not seen.any():
            raise EmptyError("there are no cases to count", "give a count above 0")
        self._fill(*_sum_by_vector(vectors[seen], number[seen]), names, dropped)

    def _fill(self, probability: Matrix, counts: Counts, classes: tuple[Any, ...], dropped: int) -> None:
        if len(classes) < 2:
            raise LabelError(f"there is {len(classes)} class", "give two or more, one per column")
        if len(set(map(repr, classes))) < len(classes):
            raise LabelError(f"classes names a class twice: {list(classes)!r}", "name each class once")
        require_safe_total(float(counts.sum()))
        for array in (probability, counts):
            array.flags.writeable = False
        parts = {"probability": probability, "counts": counts, "classes": classes, "dropped": dropped, "_memory": {}}
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    @classmethod
    def count(
        cls,
        index: Indices,
        probability: Matrix,
        classes: Sequence[Any],
        weights: Floats | None = None,
        *,
        dropped: int = 0,
    ) -> Self:
        """Count checked rows: the place of each class, its vector, weights above 0."""
        k = len(classes)
        order, start = _groups(probability)
        segment = np.empty(len(order), dtype=np.int64)
        segment[order] = np.cumsum(start) - 1
        m = int(start.sum())
        counts = np.bincount(segment * k + index, weights=weights, minlength=m * k).reshape(m, k)
        segments = cls.__new__(cls)
        segments._fill(probability[order[start]] + 0.0, counts, tuple(classes), dropped)
        return segments

    @classmethod
    def parse(cls, text: str, *, probability: npt.ArrayLike, classes: Sequence[Any]) -> Self:
        """Read counts written as [8,1,1][1,6,3], one bracket per row of `probability`.

        >>> Segments.parse("[8,1,1][1,6,3]", probability=[[.8, .1, .1], [.2, .5, .3]], classes="abc").total
        20
        """
        require_instance(text, str, "a text", fix="write e.g. [8,1,1][1,6,3]")
        rows, at = [], 0
        while bracket := _BRACKET.match(text, at):
            rows.append(bracket[1].split(","))
            at = bracket.end()
        try:
            counts = [[int(part) if part.strip().isdigit() else float(part) for part in row] for row in rows]
        except ValueError:
            counts = []
        if not counts or at < len(text):
            what = f"cannot read {text[at:][:30]!r} as class counts of segments"
            raise NotationError(what, "write one bracket per segment, e.g. [8,1,1][1,6,3]")
        return cls(probability, _rectangle(counts, "counts"), classes=classes)

    @property
    def total(self) -> Any:
        """All cases, or their weight."""
        return self.counts.sum().item()

    @property
    def cases(self) -> Counts:
        """Cases of each class."""
        return self.remember("cases", lambda: _frozen(self.counts.sum(axis=0)))

    @property
    def mix(self) -> Floats:
        """The proportion of each class."""
        return self.remember("mix", lambda: _frozen(self.cases / self.total))

    @property
    def weighted(self) -> bool:
        """Whether cases carry weights, so that counts are floats."""
        return self.counts.dtype.kind == "f"

    @property
    def empirical(self) -> Matrix:
        """The proportion of each class in each segment."""
        return self.remember("empirical", lambda: _frozen(self.counts / self.counts.sum(axis=1, keepdims=True)))

    def index(self, name: Any) -> int:
        """The place of a class.

        >>> Segments.parse("[1,0][0,1]", probability=[[1, 0], [0, 1]], classes=["cat", "dog"]).index("dog")
        1
        """
        for i, each in enumerate(self.classes):
            if isinstance(each, str) == isinstance(name, str) and each == name:  # 1 is not "1"
                return i
        near = did_you_mean(name, self.classes)
        raise LabelError(
            f"there is no class {name!r}", f"{near} classes are {', '.join(map(repr, self.classes))}".strip()
        )

    def ranking(self, positive: Any, *, versus: Any = None) -> Ranking:
        """One class against the rest, or against one other, by its own probability.

        >>> leaves = Segments.parse("[8,1,1][1,6,3]", probability=[[.8, .1, .1], [.2, .5, .3]], classes="abc")
        >>> leaves.ranking("b", versus="c")
        Ranking([6+,3-][1+,1-] at scores 0.5, 0.1)
        """
        i = self.index(positive)
        pos = self.counts[:, i]
        neg = self.counts.sum(axis=1) - pos if versus is None else self.counts[:, self.index(versus)]
        if self.weighted and versus is None:  # added up, as a difference would lose small weights
            neg = np.delete(self.counts, i, axis=1).sum(axis=1)
        return Ranking(self.probability[:, i], pos, neg, dropped=self.dropped).with_positive(positive)

    def to_html(self, path: str | os.PathLike[str], positive: Any, *, versus: Any = None, **words: Any) -> None:
        """Write the lessons of one class against the rest, or against one other.

        >>> from tempfile import TemporaryDirectory
        >>> leaves = Segments.parse("[8,1,1][1,6,3]", probability=[[.8, .1, .1], [.2, .5, .3]], classes="abc")
        >>> with TemporaryDirectory() as folder:
        ...     leaves.to_html(f"{folder}/lesson.html", "b", lesson="pool")
        """
        names = {"positive": str(positive), "negative": "others" if versus is None else str(versus)}
        self.ranking(positive, versus=versus).to_html(path, **names | words)

    @property
    def rankings(self) -> Mapping[Any, Ranking]:
        """The ranking of each class against the rest, by name."""
        return self.remember("rankings", lambda: {name: self.ranking(name) for name in self.classes})

    @property
    def areas(self) -> ClassAreas:
        """The AUC of each class against the rest and against each other, and averages.

        >>> leaves = Segments.parse("[8,1,1][1,6,3]", probability=[[.8, .1, .1], [.2, .5, .3]], classes="abc")
        >>> leaves.areas
        ClassAreas(3 classes, macro one-vs-rest 0.7615, one-vs-one 0.7308)
        """
        from thresher.curves.class_areas import class_areas

        def ranking(i: int, j: int | None) -> Ranking:
            return self.ranking(self.classes[i], versus=None if j is None else self.classes[j])

        return self.remember("areas", lambda: class_areas(self.classes, self.cases, ranking, dropped=self.dropped))

    def at_mix(self, mix: Mapping[Any, float]) -> Segments:
        """The same cases, weighted by class so that classes have these proportions.

        The total stays, and what happens within a class does; the vectors of probabilities do not change.

        >>> leaves = Segments.parse("[8,2][1,9]", probability=[[.8, .2], [.2, .8]], classes="ab")
        >>> leaves.at_mix({"a": 0.1, "b": 0.9}).cases.tolist()
        [2.0, 18.0]
        """
        share = require_mix(mix, self.classes)
        absent = [name for name, part, cases in zip(self.classes, share, self.cases, strict=True) if part and not cases]
        if absent:
            what = f"the mix gives class {absent[0]!r} a share, and no case is of it"
            raise ArgumentError(what, "give data with cases of that class, or leave it out of the mix")
        factor = np.divide(share * self.total, self.cases, out=np.zeros(len(share)), where=self.cases > 0)
        return Segments(self.probability, self.counts * factor, classes=self.classes, dropped=self.dropped)

    def confusion_counts(self, actions: Indices, number: int) -> Counts:
        """Cases of each class (rows) by the action taken on their segment (columns).

        >>> leaves = Segments.parse("[8,2][1,9]", probability=[[.8, .2], [.2, .8]], classes="ab")
        >>> import numpy as np
        >>> leaves.confusion_counts(np.array([0, 1]), 2).tolist()
        [[8, 1], [2, 9]]
        """
        counts = np.zeros((number, len(self.classes)), dtype=self.counts.dtype)
        np.add.at(counts, actions, self.counts)
        return counts.T.copy()

    def remember(self, name: str, make: Callable[[], T]) -> T:
        """What follows from the segments alone, made when first asked for."""
        if name not in self._memory:
            self._memory[name] = make()
        value: T = self._memory[name]
        return value

    def to_dict(self) -> dict[str, Any]:
        """Plain data that `from_dict` reads back exactly."""
        plain = {"classes": list(self.classes), "probability": self.probability.tolist()}
        dropped = {"dropped": self.dropped} if self.dropped else {}
        return {"format": FORMAT} | plain | {"counts": self.counts.tolist()} | dropped

    def to_json(self) -> str:
        """JSON that `from_json` reads back exactly.

        >>> leaves = Segments.parse("[8,2][1,9]", probability=[[.8, .2], [.2, .8]], classes="ab")
        >>> Segments.from_json(leaves.to_json()) == leaves
        True
        """
        try:
            return json.dumps(self.to_dict(), allow_nan=False)
        except (TypeError, ValueError):
            what = f"JSON has no way to write the classes {list(self.classes)!r}"
            raise LabelError(what, "name the classes by texts, numbers or booleans") from None

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote."""
        readers = {
            "classes": items(label),
            "probability": items(numbers(0, 1)),
            "counts": items(numbers(0)),
            "dropped": number(0, integer=True),
        }
        parts = read_object(value, readers, form=FORMAT, optional=("dropped",), **_KIND)
        try:
            return cls(**parts)
        except ThresherError as error:
            raise not_written(error.what, **_KIND) from None

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        return cls.from_dict(json_value(text, name="Segments"))

    def __add__(self, other: Segments) -> Segments:
        if not isinstance(other, Segments):
            return NotImplemented
        if self.classes != other.classes:
            what = f"the segments have different classes: {list(self.classes)!r} against {list(other.classes)!r}"
            raise LabelError(what, "count both with the same classes=[...] in the same order")
        both = (np.concatenate(each) for each in ((self.probability, other.probability), (self.counts, other.counts)))
        return Segments(*both, classes=self.classes, dropped=self.dropped + other.dropped)

    def __radd__(self, other: object) -> Segments:
        return self if other == 0 else NotImplemented  # sum(segments) starts from 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segments) or self.classes != other.classes:
            return False
        return np.array_equal(self.probability, other.probability) and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((len(self), self.classes, self.total))

    def __len__(self) -> int:
        return len(self.probability)

    def __str__(self) -> str:
        brackets = ["[" + ",".join(f"{count:.10g}" for count in row) + "]" for row in self.counts[:_SHOWN].tolist()]
        more = f"… {len(self) - _SHOWN:,} more" if len(self) > _SHOWN else ""
        return "".join(brackets) + more

    def __getstate__(self) -> tuple[Any, ...]:
        return self.probability, self.counts, self.classes, self.dropped  # what is remembered follows from it

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._fill(*state)

    def _brief(self) -> str:
        *others, last = map(repr, self.classes)
        dropped = f"; {self.dropped:,} row{'s' * (self.dropped > 1)} dropped" if self.dropped else ""
        return f"{self} of {', '.join(others)} and {last}{dropped}"

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {}
        for i, name in enumerate(self.classes):
            columns |= {f"p({name})": self.probability[:, i], f"{name}": self.counts[:, i]}
        return columns


def require_segments(value: Any) -> None:
    """Raise unless `value` is segments of k classes."""
    if not isinstance(value, Segments):
        raise ArgumentError(f"segments are needed, got {describe(value)}", "pass segment(labels, probabilities)")


def require_mix(mix: Any, classes: Sequence[Any]) -> Floats:
    """The proportions of the classes in their order; refuse what is no class mix.

    >>> require_mix({"a": 1/4, "b": 3/4}, ["a", "b"])
    array([0.25, 0.75])
    """
    fix = f"give one share per class, summing to 1: {{{classes[0]!r}: 0.2, ...}}"
    if not isinstance(mix, Mapping):
        raise ArgumentError(f"a mix is a share for each class by its name, got {describe(mix)}", fix)
    unknown = [name for name in mix if name not in classes]
    absent = [name for name in classes if name not in mix]
    if unknown or absent:
        what = (
            f"the mix names {unknown[0]!r}, which is no class" if unknown else f"the mix has no share of {absent[0]!r}"
        )
        near = did_you_mean(unknown[0], classes) if unknown else ""
        raise LabelError(what, f"{near} classes are {', '.join(map(repr, classes))}; {fix}".strip())
    share = numbers_of([mix[name] for name in classes], name="mix", fix=fix)
    for name, part in zip(classes, share.tolist(), strict=True):
        if not 0 <= part <= 1:
            raise ProbabilityError(f"the share of {name!r} is {part:g}", "give shares from 0 to 1, summing to 1")
    if abs(share.sum() - 1) > SUM_TOLERANCE:
        raise ProbabilityError(f"the shares of the mix sum to {share.sum():g}", fix)
    return share / share.sum()


def require_probabilities(values: Any, classes: Sequence[Any]) -> Matrix:
    """Rows of probabilities, one column per class, each summing to 1; refuse others."""
    fix = "give one row per case and one column per class"
    vectors = numbers_of(values, name="probabilities", fix=fix, dimensions=2)
    return _vectors(vectors, len(classes))


def require_sums(probability: Matrix) -> None:
    """Refuse vectors of probabilities that do not sum to 1."""
    total = probability.sum(axis=1)
    off = np.flatnonzero(~(np.abs(total - 1) <= SUM_TOLERANCE))
    if off.size:
        first = f"first sum {total[off[0]]:.6g} at row {off[0]}"
        what = f"{off.size:,} of {total.size:,} rows of probabilities do not sum to 1 ({first})"
        raise ProbabilityError(what, "give one column per class, each row summing to 1")


def _vectors(probability: npt.ArrayLike, k: int) -> Matrix:
    vectors = _rectangle(probability, "probability") + 0.0  # -0.0 is 0.0
    if vectors.shape[1] != k:
        what = f"probability has {vectors.shape[1]} columns, and there are {k} classes"
        raise LengthError(what, "give one row per segment and one column per class")
    outside = ~((vectors >= 0) & (vectors <= 1))
    if outside.any():
        first = vectors[outside][0]
        what = f"{int(outside.sum()):,} of {vectors.size:,} numbers are no probabilities, first {first:g}"
        raise ProbabilityError(what, "give numbers in [0, 1], each row summing to 1")
    require_sums(vectors)
    return vectors


def _cases(counts: npt.ArrayLike, shape: tuple[int, ...]) -> Counts:
    number = counts if isinstance(counts, np.ndarray) else np.asarray(counts)
    if number.shape != shape:
        what = f"counts have shape {number.shape}, and probability has shape {shape}"
        raise LengthError(what, "give a count per segment and class")
    if number.dtype.kind not in "biuf" or not (np.isfinite(number) & (number >= 0)).all():
        raise WeightError("a count is negative, infinite or no number", "give counts (or weights) of 0 or more")
    return number.astype(np.float64 if number.dtype.kind == "f" else np.int64)


def _rectangle(rows: npt.ArrayLike, name: str) -> Any:
    try:
        array = np.array(rows)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise LengthError(
            f"{name} must be rows of numbers, one per class", "give equal rows, e.g. [[8, 1, 1], [1, 6, 3]]"
        )
    return array.astype(np.float64) if name == "probability" else array


def _groups(vectors: Matrix) -> tuple[Indices, npt.NDArray[np.bool_]]:
    """Rows in falling order of their vectors, and where a new vector begins in it."""
    order = np.lexsort((-vectors).T[::-1])
    start = np.ones(len(order), dtype=np.bool_)
    ordered = vectors[order]
    start[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return order, start


def _sum_by_vector(vectors: Matrix, counts: Counts) -> tuple[Matrix, Counts]:
    order, start = _groups(vectors)
    return vectors[order[start]], np.add.reduceat(counts[order], np.flatnonzero(start), axis=0)


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array
