"""Walking down a ranking, pooling it into its hull, counting its pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from thresher._internal.text import score_text
from thresher.calibration import brier
from thresher.curves import Pairs, auc, coverage
from thresher.lesson.step import (
    Blank,
    ClassNames,
    Step,
    count,
    quotient,
    quotient_text,
    require_lesson,
    sentence,
    value,
    value_text,
)
from thresher.ranking import Ranking, merge_at
from thresher.tables import Contingency

_SHARES_WRITTEN = 12


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WalkStep(Step):
    """The table after calling some segments positive, and the last one's slope."""

    split: int
    table: Contingency
    slope: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PoolStep(Step):
    """The ranking of pools, which of them was joined last, and its area.

    `wrong` is the first pool whose share of positives is smaller than the next one's, None in the last step. `brier` is
    that of the scores in the first step, where they are probabilities, and that of the shares in the last.
    """

    ranking: Ranking
    joined: int | None
    wrong: int | None
    auc: float
    brier: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PairStep(Step):
    """The pairs of one segment's negatives, and all pairs so far."""

    segment: int | None
    new: Pairs
    pairs: Pairs

    @property
    def auc(self) -> float:
        """Pairs won and half of those tied, as a share of those so far; else NaN."""
        total = self.pairs.total
        return (2 * self.pairs.won + self.pairs.tied) / (2 * total) if total else math.nan


def walk(ranking: Ranking, *, positive: str | None = None, negative: str | None = None) -> list[WalkStep]:
    """Call segments positive one by one: up for positives, right for negatives.

    >>> tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> print(walk(tree)[2])
    Segment 2, score 1: 10 positives and 5 negatives, so up 10 and right 5, slope 2. TP 30, FP 10; 70 of 100 right, accuracy 0.7.
    """  # noqa: E501 - the output is one sentence
    cases, names = require_lesson(ranking), ClassNames(positive, negative)
    curve = coverage(cases)
    steps = []
    for split in range(len(cases) + 1):
        table = curve.at(split)
        right = table.tp + table.tn
        now = ("TP ", count(table.tp), ", FP ", count(table.fp), "; ", count(right), f" of {cases.total:,} right")
        end = (*now, ", accuracy ", value(right / cases.total), ".")
        if split == 0:
            parts = sentence("Start at the lower left: nothing is called positive. ", *end)
            steps.append(WalkStep(parts=parts, split=0, table=table, slope=None))
            continue
        pos, neg = int(cases.pos[split - 1]), int(cases.neg[split - 1])
        steps.append(
            WalkStep(
                parts=sentence(
                    f"Segment {split}, score {score_text(cases.score[split - 1])}: {names.count(pos, neg)}, ",
                    *_direction(pos, neg),
                    *end,
                    " Everything is called positive: the end." if split == len(cases) else "",
                ),
                split=split,
                table=table,
                slope=pos / neg if neg else math.inf,
            )
        )
    return steps


def pool(ranking: Ranking) -> list[PoolStep]:
    """Pool neighbours whose shares of positives rise, until they fall: the hull.

    >>> emails = Ranking.parse("[1+][1+][1-][1+][1+][1-][1+][1+][1-][1-]")
    >>> for step in pool(emails):
    ...     print(step.ranking)
    [1+][1+][1-][1+][1+][1-][1+][1+][1-][1-]
    [1+][1+][1+,1-][1+][1-][1+][1+][1-][1-]
    [1+][1+][2+,1-][1-][1+][1+][1-][1-]
    [1+][1+][2+,1-][1+,1-][1+][1-][1-]
    [1+][1+][2+,1-][2+,1-][1-][1-]
    """
    cases = require_lesson(ranking)
    split = list(range(len(cases) + 1))
    certain = bool(cases.score[0] <= 1 and cases.score[-1] >= 0)
    first = brier(cases) if certain else None
    steps = [
        PoolStep(
            parts=_pooling(cases, cases),
            ranking=cases,
            joined=None,
            wrong=_violation(cases),
            auc=auc(cases),
            brier=first,
        )
    ]
    while (place := steps[-1].wrong) is not None:
        before = steps[-1].ranking
        del split[place + 1]
        pools = merge_at(cases, np.array(split))
        wrong = _violation(pools)
        mended = _brier_of_shares(pools) if wrong is None else None
        steps.append(
            PoolStep(
                parts=_pooling(cases, pools, joined=place, before=before, brier=(first, mended)),
                ranking=pools,
                joined=place,
                wrong=wrong,
                auc=auc(pools),
                brier=mended,
            )
        )
    return steps


def pairs(ranking: Ranking, *, positive: str | None = None, negative: str | None = None) -> list[PairStep]:
    """Compare every positive with every negative, one segment's negatives at a time.

    >>> tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> pairs(tree)[-1].pairs
    Pairs(won=1300, tied=950, lost=250)
    >>> print(pairs(tree)[2])
    The 5 negatives of segment 2: 100 pairs won, with positives above them; 50 tied; 100 lost, with positives below.
    """
    cases, names = require_lesson(ranking), ClassNames(positive, negative)
    total = cases.Pos * cases.Neg
    every = f"Every pair of one of {names.of_positives(cases.Pos)} and one of {names.of_negatives(cases.Neg)}: "
    none = Pairs(won=0, tied=0, lost=0)
    steps = [PairStep(parts=sentence(every, count(total), " pairs."), segment=None, new=none, pairs=none)]
    above = 0
    for place, (pos, neg) in enumerate(zip(cases.pos.tolist(), cases.neg.tolist(), strict=True)):
        if neg:
            new = Pairs(won=above * neg, tied=pos * neg, lost=(cases.Pos - above - pos) * neg)
            so_far = steps[-1].pairs
            now = Pairs(won=so_far.won + new.won, tied=so_far.tied + new.tied, lost=so_far.lost + new.lost)
            words = sentence(
                f"The {names.of_negatives(neg)} of segment {place + 1}: ",
                count(new.won),
                f" pairs won, with {names.positives} above them; ",
                count(new.tied),
                " tied; ",
                count(new.lost),
                f" lost, with {names.positives} below.",
            )
            steps.append(PairStep(parts=words, segment=place, new=new, pairs=now))
        above += pos
    final = steps[-1].pairs
    words = sentence(
        "All together: ",
        count(final.won),
        " won, ",
        count(final.tied),
        " tied, ",
        count(final.lost),
        " lost. AUC = (won + tied / 2) / all = ",
        value(steps[-1].auc),
        ".",
    )
    return [*steps, PairStep(parts=words, segment=None, new=none, pairs=final)]


def _direction(pos: int, neg: int) -> tuple[str, ...]:
    if not neg:
        return f"so straight up {pos:,}. ", ""
    if not pos:
        return f"so straight right {neg:,}. ", ""
    return f"so up {pos:,} and right {neg:,}, slope ", quotient(pos, neg), ". "


def _violation(pools: Ranking) -> int | None:
    """The first pool with a smaller share of positives than the next."""
    counts = list(zip(pools.pos.tolist(), pools.neg.tolist(), strict=True))
    for place, ((pos, neg), (next_pos, next_neg)) in enumerate(pairwise(counts)):
        if pos * next_neg < next_pos * neg:
            return place
    return None


def _pooling(
    cases: Ranking,
    pools: Ranking,
    *,
    joined: int | None = None,
    before: Ranking | None = None,
    brier: tuple[float | None, float | None] = (None, None),
) -> tuple[str, ...]:
    """What was joined, what is still in the wrong order, and the area."""
    pieces: list[str] = ["Every segment by itself; its share of positives should never rise. "]
    if joined is not None and before is not None:
        both = f"{_bracket(before, joined)} and {_bracket(before, joined + 1)}"
        pieces = [f"Pool {both} into {_bracket(pools, joined)}, share ", _share(pools, joined), ". "]
    place = _violation(pools)
    if place is not None:
        wrong = f"{_bracket(pools, place)} before {_bracket(pools, place + 1)} is in the wrong order."
        return sentence(*pieces, "AUC ", value(auc(pools)), f". {wrong}")
    pieces += ["Shares fall all the way: this is the hull. "]
    if len(pools) <= _SHARES_WRITTEN:
        shares = [_share(pools, place) for place in range(len(pools))]
        pieces += ["Shares ", shares[0], *(piece for share in shares[1:] for piece in (", ", share)), ". "]
    pieces += ["AUC " if joined is None else f"AUC {value_text(auc(cases))} → ", value(auc(pools)), "."]
    if brier[0] is not None and brier[1] is not None:
        pieces += [f" Brier score {value_text(brier[0])} → ", value(brier[1]), "."]
    return sentence(*pieces)


def _bracket(pools: Ranking, place: int) -> str:
    counts = ((int(pools.pos[place]), "+"), (int(pools.neg[place]), "−"))
    return "[" + ",".join(f"{number:,}{sign}" for number, sign in counts if number) + "]"


def _share(pools: Ranking, place: int) -> Blank:
    pos, neg = int(pools.pos[place]), int(pools.neg[place])
    return Blank(quotient_text(pos, pos + neg))


def _brier_of_shares(pools: Ranking) -> float:
    return float((pools.pos * pools.neg / (pools.pos + pools.neg)).sum() / pools.total)
