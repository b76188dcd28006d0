"""Rankings as text: `[20+,5-][10+,5-]`, highest score first."""

from __future__ import annotations

import re

import numpy as np

from thresher._internal.arguments import short_repr
from thresher.errors import NotationError
from thresher.ranking.checks import require_safe_total
from thresher.ranking.sorting import Counts, Floats

SEGMENTS_SHOWN = 12
MOST_WRITTEN = 20
_AT_EACH_END = 5
_SEGMENT = re.compile(r"\s*\[\s*([^\[\]]*?)\s*\]\s*")
_NUMBER = r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_PART = re.compile(rf"({_NUMBER})\s*([+-])")
_READABLE = re.compile(rf"\s*(?:\[(?:\s*{_NUMBER}\s*[+-]\s*(?:,|(?=\])))*\s*(?:{_NUMBER}\s*[+-]?\s*)?)?")


def parse_counts(text: str) -> tuple[Counts, Counts]:
    """Read positives and negatives per segment."""
    if not isinstance(text, str):
        raise _malformed(short_repr(text), 0)
    segments: list[dict[str, float]] = []
    at = 0
    while segment := _SEGMENT.match(text, at):
        parts = [_PART.fullmatch(part.strip()) for part in segment[1].split(",")]
        counts = {part[2]: _number(part[1]) for part in parts if part}
        if len(counts) < len(parts):  # a part is malformed, or a sign stands twice
            raise _malformed(text, at)
        segments.append(counts)
        at = segment.end()
    if at < len(text) or not segments:
        raise _malformed(text, at)
    pos, neg = ([counts.get(sign, 0) for counts in segments] for sign in "+-")
    require_safe_total(sum(pos) + sum(neg))
    kind = np.int64 if all(isinstance(count, int) for count in (*pos, *neg)) else np.float64
    return np.array(pos, dtype=kind), np.array(neg, dtype=kind)


def write(pos: Counts, neg: Counts) -> str:
    """Write one bracket per segment; a class that is absent from it is left out."""
    return "".join(
        "[" + ",".join(f"{count}{sign}" for count, sign in ((p, "+"), (n, "-")) if count) + "]"
        for p, n in zip(pos.tolist(), neg.tolist(), strict=True)
    )


def write_ends(pos: Counts, neg: Counts) -> str:
    """All segments while they are few, which `parse_counts` reads; else both ends.

    >>> write_ends(np.ones(10_000, dtype=np.int64), np.zeros(10_000, dtype=np.int64))
    '[1+][1+][1+][1+][1+] … 9,990 more … [1+][1+][1+][1+][1+]'
    """
    if pos.size <= MOST_WRITTEN:
        return write(pos, neg)
    first, last = write(pos[:_AT_EACH_END], neg[:_AT_EACH_END]), write(pos[-_AT_EACH_END:], neg[-_AT_EACH_END:])
    return f"{first} … {pos.size - 2 * _AT_EACH_END:,} more … {last}"


def summarize(score: Floats, pos: Counts, neg: Counts, *, dropped: int = 0, unresolved: int = 0) -> str:
    """All segments and their scores while they are few, else both ends and the totals."""
    if score.size <= SEGMENTS_SHOWN:
        text = f"{write(pos, neg)} at scores {', '.join(f'{number:g}' for number in score)}"
    else:
        ends = f"{write(pos[:3], neg[:3])}…{write(pos[-3:], neg[-3:])}"
        totals = f"{pos.sum().item():,}+ {neg.sum().item():,}-"
        text = f"{ends}: {score.size:,} segments, {totals}, scores {score[0]:g} to {score[-1]:g}"
    text += f"; {dropped:,} row{'s' * (dropped > 1)} dropped" if dropped else ""
    return text + (f"; {unresolved:,} unresolved" if unresolved else "")


def _number(digits: str) -> float:
    # Whole counts stay integers: as floats, those beyond the exact integers of float64 would change.
    if digits.isdigit():
        return int(digits)
    number = float(digits)
    return int(number) if number.is_integer() else number


def _malformed(text: str, at: int) -> NotationError:
    rest = text[at:]
    what = "an empty text has no segments"
    if rest:
        what = f"cannot read {rest[:30]!r} at position {at} as a segment{_unexpected(text, at)}"
    return NotationError(what, "write one bracket per segment, highest score first, e.g. [20+,5-][10+,5-][20+,40-]")


def _unexpected(text: str, at: int) -> str:
    """The first character of a malformed segment that cannot be read."""
    readable = _READABLE.match(text, at)
    end = readable.end() if readable else at
    if end == at:
        return ""
    if end == len(text):
        return ": it has no end"
    if text[end] == "]" and text[at:end].rstrip().endswith(("+", "-")):
        return ": a sign stands twice"
    return f": {text[end]!r} at position {end} is unexpected"
