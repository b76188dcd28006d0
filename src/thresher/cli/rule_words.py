"""A rule in words: which cases it calls positive, and over which range of numbers it holds."""

from __future__ import annotations

import math


def calls(threshold: float) -> tuple[str, str]:
    """What a threshold calls positive, in two parts of which the second weighs more.

    An infinite threshold is not compared with anything: it calls no case positive, or every one.

    >>> " ".join(calls(0.425)), " ".join(calls(math.inf)), " ".join(calls(-math.inf))
    ('call a case positive when its score is >= 0.425', 'call no case positive', 'call every case positive')
    """
    if math.isinf(threshold):
        return "call", f"{'no' if threshold > 0 else 'every'} case positive"
    return "call a case positive when its score is", f">= {threshold:.6g}"


def threshold_text(threshold: float, digits: int = 6) -> str:
    """A threshold as a number alone, for lists and tables.

    >>> threshold_text(1 / 3, 4), threshold_text(math.inf), threshold_text(-math.inf)
    ('0.3333', '∞', '-∞')
    """
    return f"{threshold:.{digits}g}".replace("inf", "∞")


def same_calls(interval: tuple[float, float]) -> str:
    """Which thresholds make the same calls: those above the lower end and up to the upper one.

    >>> same_calls((0.2, 0.5)), same_calls((0.5, math.inf)), same_calls((-math.inf, 0.2))
    ('every threshold above 0.2 and up to 0.5', 'every threshold above 0.5', 'every threshold up to 0.2')
    """
    low, high = told_apart(*interval, digits=6)
    ends = [f"above {low}"] * (interval[0] > -math.inf) + [f"up to {high}"] * (interval[1] < math.inf)
    return f"every threshold {' and '.join(ends)}".rstrip()


def told_apart(low: float, high: float, *, digits: int, kind: str = "g") -> tuple[str, str]:
    """Two numbers with so many digits, or with as many more as it takes to tell them apart.

    >>> told_apart(0.25, 1 / 3, digits=4), told_apart(0.123456, 0.123457, digits=4)
    (('0.25', '0.3333'), ('0.123456', '0.123457'))
    """
    while f"{low:.{digits}{kind}}" == f"{high:.{digits}{kind}}" and low != high:
        digits += 1
    return f"{low:.{digits}{kind}}", f"{high:.{digits}{kind}}"


def over(ratios: tuple[float, float], what: str) -> str:
    """A range of ratios, which lie between 0 and infinity.

    >>> over((0.5, 2), "cost ratios"), over((0, math.inf), "cost ratios")
    ('for cost ratios from 0.5 to 2', 'for all cost ratios')
    >>> over((0, 3), "cost ratios"), over((3, math.inf), "cost ratios")
    ('for cost ratios up to 3', 'for cost ratios of 3 and above')
    >>> over((1, 1), "cost ratios"), over((0.999999, 1), "cost ratios")
    ('for cost ratios of 1 alone', 'for cost ratios from 0.999999 to 1')
    """
    low, high = ratios
    if low == high:
        return f"for {what} of {low:.4g} alone"
    least, most = told_apart(low, high, digits=4)
    if low <= 0:
        return f"for all {what}" if high == math.inf else f"for {what} up to {most}"
    return f"for {what} of {least} and above" if high == math.inf else f"for {what} from {least} to {most}"
