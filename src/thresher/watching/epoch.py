"""Epochs: a deployed decision, its reference, and the cells of its scores."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.cautions import Caution
from thresher.errors import ArgumentError, OneClassError, SourceError
from thresher.evaluation import Decision, ThresholdRule
from thresher.inference import Interval, interval
from thresher.inputs.arrow import is_arrow, numpy_column
from thresher.inputs.columns import Column, column, is_absent, is_missing
from thresher.ranking import Counts, Flags, Floats, Ranking
from thresher.sources.buckets import condense
from thresher.tables import Contingency

QUANTILES = 15
CATEGORIES, MOST_CATEGORIES = 30, 1000
FEW_POSITIVES = 30
FIRST = -(2**62)  # the moment since when the first decision holds
_REFERENCE = 1 << 14  # segments of a stored reference
_HUNDREDTHS = tuple(n / 100 for n in range(1, 100))


@dataclass(frozen=True, slots=True, eq=False)
class ColumnCells:
    """Cells of an input column, and the counts of the reference in them.

    Numbers fall between `cuts`; of texts the most frequent have cells by themselves, then come the others of the
    reference. The last two cells hold missing and unseen values.
    """

    name: str
    cuts: Floats | None
    categories: tuple[str, ...]
    others: frozenset[str]
    reference: Counts

    @property
    def size(self) -> int:
        """How many cells there are."""
        return (len(self.categories) + 1 if self.cuts is None else self.cuts.size + 1) + 2

    def cells(self, values: Any) -> Counts:
        """The cell of each value."""
        entries = numpy_column(values, name=self.name) if is_arrow(values) else column(values, name=self.name)
        if self.cuts is not None:
            return _number_cells(entries, self.cuts)
        at = {category: n for n, category in enumerate(self.categories)}
        other, missing, unseen = self.size - 3, self.size - 2, self.size - 1
        known = {None: missing}
        plain = entries.tolist()
        for value in set(plain):
            if is_absent(value):
                known[value] = missing
            else:
                text = str(value)
                known[value] = at.get(text, other if text in self.others else unseen)
        return np.array([missing if value != value else known[value] for value in plain], dtype=np.int64)  # noqa: PLR0124

    def cell_text(self, cut: int) -> str:
        """The values that a share is of: those above a cut, or a category."""
        if self.cuts is not None and cut <= self.cuts.size:
            return f"from {self.cuts[cut - 1]:.3g}"
        names = (*self.categories, "other") if self.cuts is None else ("",) * (self.cuts.size + 1)
        return (*names, "missing", "no number" if self.cuts is not None else "unseen")[cut]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.name,
            "cuts": None if self.cuts is None else self.cuts.tolist(),
            "categories": list(self.categories),
            "others": sorted(self.others),
            "reference": self.reference.tolist(),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> ColumnCells:
        """What `to_dict` gave."""
        cuts = None if value["cuts"] is None else np.array(value["cuts"], dtype=np.float64)
        reference = np.array(value["reference"], dtype=np.int64)
        return cls(value["name"], cuts, tuple(value["categories"]), frozenset(value["others"]), reference)


@dataclass(frozen=True, slots=True, eq=False)
class Epoch:
    """A decision since a moment, with its reference.

    Cell i holds scores from `cuts[i - 1]` on, below `cuts[i]`. `strata` are the cells at which strata begin, those from
    `first_alarm` on hold alarms. `sample` are the shares of drawn rows, each since a moment.
    """

    number: int
    decision: Decision
    reference: Ranking
    since: int
    sample: tuple[tuple[int, float], ...]
    cuts: Floats
    first_alarm: int
    strata: tuple[int, ...]
    columns: tuple[ColumnCells, ...]

    @property
    def cells(self) -> int:
        """How many cells scores fall into."""
        return int(self.cuts.size) + 1

    def cell_of(self, scores: Floats) -> Counts:
        """The cell of each score."""
        return np.searchsorted(self.cuts, scores, side="right").astype(np.int64)

    def alarms(self, scores: Floats) -> Flags:
        """Which scores the decision calls positive."""
        calls: Flags = self.decision.rule.apply(scores)
        return calls

    def stratum_of(self, cells: Counts) -> Counts:
        """The stratum of each cell."""
        return np.searchsorted(np.array(self.strata[1:]), cells, side="right").astype(np.int64)

    def alarm_strata(self) -> Flags:
        """Which strata hold alarms."""
        return np.array([cell >= self.first_alarm for cell in self.strata])

    @property
    def cell_scores(self) -> Floats:
        """A score of each cell: its lowest, and for the first one the lowest of all."""
        lowest = min(float(self.reference.score[-1]), float(self.cuts[0]) - 1.0) if self.cuts.size else 0.0
        return np.concatenate([[lowest], self.cuts])

    def in_cells(self, ranking: Ranking) -> tuple[Floats, Floats]:
        """Positives and negatives of a ranking per cell."""
        at = self.cell_of(ranking.score)
        pos, neg = (np.bincount(at, weights=each, minlength=self.cells) for each in (ranking.pos, ranking.neg))
        return pos.astype(np.float64), neg.astype(np.float64)

    def of_cells(self, pos: Floats | Counts, neg: Floats | Counts) -> Ranking:
        """The ranking of counts per cell, those without any left out."""
        there = np.flatnonzero(pos + neg)[::-1]
        return Ranking(self.cell_scores[there], pos=pos[there], neg=neg[there])

    def shares(self, at: Counts) -> Floats:
        """The share of unflagged rows that is drawn at each time.

        Rows of before the deployment, which a column may name, are drawn as those of its first day.
        """
        since = np.array([moment for moment, _ in self.sample[1:]], dtype=np.int64)
        shares = np.array([share for _, share in self.sample])
        drawn: Floats = shares[np.searchsorted(since, at, side="right")]
        return drawn

    def cells_json(self) -> str:
        """Cells as text."""
        plain = {
            "cuts": self.cuts.tolist(),
            "first_alarm": self.first_alarm,
            "strata": list(self.strata),
            "columns": [one.to_dict() for one in self.columns],
        }
        return json.dumps(plain)

    def reference_bytes(self) -> bytes:
        """The reference ranking, compressed."""
        return zlib.compress(self.reference.to_json().encode(), 6)


def read_epoch(
    number: int, decision: str, reference: bytes, *, cells: str, since: int, sample: str, last: int
) -> Epoch:
    """An epoch as a store had it after its last batch."""
    plain = json.loads(cells)
    return Epoch(
        number=number,
        decision=Decision.from_json(decision),
        reference=Ranking.from_json(zlib.decompress(reference).decode()),
        since=since,
        sample=tuple((int(at), float(share)) for at, share, batch in json.loads(sample) if batch <= last),
        cuts=np.array(plain["cuts"], dtype=np.float64),
        first_alarm=plain["first_alarm"],
        strata=tuple(plain["strata"]),
        columns=tuple(map(ColumnCells.from_dict, plain["columns"])),
    )


def make_epoch(
    number: int,
    decision: Decision,
    reference: Ranking,
    *,
    since: int,
    sample: float,
    columns: Iterable[ColumnCells] = (),
    probabilities: bool = False,
) -> Epoch:
    """The epoch of a decision, its cells cut by the reference.

    `probabilities` cuts them at every hundredth too, so that squared errors can be read off counts.
    """
    require_decision(decision)
    reference = require_reference(reference)
    if probabilities:
        reference.require_probabilities()
    cuts, first_alarm, strata = _cuts(reference, decision.threshold, _HUNDREDTHS if probabilities else ())
    return Epoch(
        number=number,
        decision=decision,
        reference=condense(reference, _REFERENCE),
        since=since,
        sample=((since, float(sample)),),
        cuts=cuts,
        first_alarm=first_alarm,
        strata=strata,
        columns=tuple(columns),
    )


def require_decision(decision: Any) -> None:
    """Refuse what is no decision between two classes."""
    if not isinstance(decision, Decision):
        raise ArgumentError(
            f"a decision is watched, got {type(decision).__name__}", "give what evaluate(...).decision is"
        )
    if not isinstance(decision.rule, ThresholdRule):
        what = f"the decision is between {len(decision.rule.classes)} classes, and a watch is of two"
        raise ArgumentError(what, "watch one class against the others")


def require_reference(reference: Any) -> Ranking:
    """Refuse a reference without both classes."""
    if not isinstance(reference, Ranking):
        what = f"the reference is a {type(reference).__name__}, and counts of both classes are needed"
        raise ArgumentError(what, "give a ranking, or rows with label= and score=", parameter="reference")
    if not reference.Pos or not reference.Neg:
        absent = "positives" if not reference.Pos else "negatives"
        what = f"there are no {absent} among the {reference.Pos + reference.Neg:,} rows of the reference"
        raise OneClassError(what, "give labelled rows of both classes, scored by the decision's model")
    return reference


def reference_cautions(epoch: Epoch) -> tuple[Caution, ...]:
    """What a careful analyst would notice about a reference."""
    reference, decision = epoch.reference, epoch.decision
    cautions = []
    if reference.Pos < FEW_POSITIVES:
        text = f"the reference has {reference.Pos:,} positives, so what is read from their scores is uncertain"
        cautions.append(Caution("few-positives", text))
    lowest, highest = float(reference.score[-1]), float(reference.score[0])
    if not lowest < decision.threshold <= highest:
        text = f"the threshold {decision.threshold:g} does not split the reference, scored {lowest:g} to {highest:g}"
        cautions.append(Caution("reference-not-split", text))
    now, then = _cost_at_threshold(epoch), decision.expected_cost
    if now.lower > then.upper or now.upper < then.lower:
        text = f"the decision was to cost {then} a row, and costs {now} on the reference: is that of its model?"
        cautions.append(Caution("reference-disagrees", text))
    return tuple(cautions)


def _cost_at_threshold(epoch: Epoch) -> Interval:
    """The expected cost on the reference, under the condition of the decision."""
    reference, calls = epoch.reference, epoch.alarms(epoch.reference.score)
    tp, fp = int(reference.pos[calls].sum()), int(reference.neg[calls].sum())
    table = Contingency(tp=tp, fp=fp, fn=int(reference.Pos) - tp, tn=int(reference.Neg) - fp)
    return interval(table, epoch.decision.condition, level=epoch.decision.expected_cost.level)


def _cuts(reference: Ranking, threshold: float, more: Iterable[float]) -> tuple[Floats, int, tuple[int, ...]]:
    """Cut points of scores, the first cell of alarms, and the first of each stratum."""
    score, pos = reference.score[::-1], reference.pos[::-1]  # rising
    every = pos + reference.neg[::-1]
    alarms = score >= threshold
    of_alarms = _quantiles(score[alarms], every[alarms], 3)
    of_misses = _quantiles(score[~alarms], pos[~alarms], 4)
    finite = [threshold] if np.isfinite(threshold) else []
    cuts = np.unique(np.concatenate([_quantiles(score, every, QUANTILES + 1), of_alarms, of_misses, finite, [*more]]))
    first = 0 if threshold == -np.inf else int(np.searchsorted(cuts, threshold)) + 1
    begins = np.searchsorted(cuts, np.unique(np.concatenate([of_misses, finite, of_alarms]))) + 1
    return cuts, first, (0, *map(int, begins))


def _quantiles(score: Floats, weight: npt.NDArray[Any], parts: int) -> Floats:
    """Scores that divide rising ones into parts of about equal weight."""
    total = weight.sum()
    if score.size < 2 or not total:
        return np.zeros(0)
    at = np.searchsorted(np.cumsum(weight), total * np.arange(1, parts) / parts, side="left")
    cuts: Floats = np.unique(score[np.minimum(at, score.size - 1)])
    return cuts[cuts > score[0]].astype(np.float64)


def column_cells(name: str, values: Column) -> ColumnCells:
    """Cells of an input column, cut by its values in the reference."""
    if values.dtype.kind in "fiu":
        there = values.astype(np.float64)
        there = np.sort(there[~np.isnan(there)])
        if not there.size:
            raise SourceError(f"the column {name!r} of the reference holds nothing", "watch another column")
        cuts = np.unique(np.quantile(there, np.arange(1, QUANTILES + 1) / (QUANTILES + 1)))
        cells = ColumnCells(name, cuts, (), frozenset(), np.zeros(0, dtype=np.int64))
    else:
        counts = Counter(str(value) for value in values.tolist() if not is_absent(value))
        if len(counts) > MOST_CATEGORIES:
            what = f"the column {name!r} has {len(counts):,} categories, and at most {MOST_CATEGORIES:,} can be watched"
            raise SourceError(what, "watch a coarser column")
        frequent = sorted(counts, key=lambda text: (-counts[text], text))
        rest = frozenset(frequent[CATEGORIES:])
        cells = ColumnCells(name, None, tuple(frequent[:CATEGORIES]), rest, np.zeros(0, dtype=np.int64))
    reference = np.bincount(cells.cells(values), minlength=cells.size).astype(np.int64)
    return ColumnCells(name, cells.cuts, cells.categories, cells.others, reference)


def _number_cells(entries: Column, cuts: Floats) -> Counts:
    missing, unseen = cuts.size + 1, cuts.size + 2
    if entries.dtype.kind not in "fiu":
        return np.array([missing if is_absent(value) else _cell(value, cuts, unseen) for value in entries.tolist()])
    absent = is_missing(entries)
    cells = np.searchsorted(cuts, entries.astype(np.float64), side="right").astype(np.int64)
    if absent is not None:
        cells[absent] = missing
    return cells


def _cell(value: Any, cuts: Floats, unseen: int) -> int:
    try:
        return int(np.searchsorted(cuts, float(value), side="right"))
    except (TypeError, ValueError):
        return unseen


def strata_names(epoch: Epoch) -> tuple[str, ...]:
    """The range of scores of each stratum."""
    cuts = [float(epoch.cuts[cell - 1]) for cell in epoch.strata if cell]
    digits = next(n for n in range(3, 18) if len({f"{cut:.{n}g}" for cut in cuts}) == len(cuts))
    ends = ["", *(f"{cut:.{digits}g}" for cut in cuts)]
    names = []
    for n, low in enumerate(ends):
        high = ends[n + 1] if n + 1 < len(ends) else ""
        one_end = f"below {high}" if high else f"from {low}" if low else "all"
        names.append(f"{low} to {high}" if low and high else one_end)
    return tuple(names)
