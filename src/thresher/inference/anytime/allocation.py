"""Which rows to label next: Neyman's allocation and permanent random numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from hashlib import blake2b
from heapq import heapify, heappop, heappush

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_instance, require_integer, require_number
from thresher.errors import ArgumentError
from thresher.inference.anytime.counts import columns_of
from thresher.ranking import Floats

FEWEST = 2  # labels per stratum
SPREAD = 0.1  # of the budget, evenly


def permanent_random_numbers(ids: Iterable[str | bytes], salt: str) -> Floats:
    """A uniform number in [0, 1) per id, the same on every day and machine.

    BLAKE2b of the id, keyed by the salt, over 2⁶⁴ (permanent random numbers: Ohlsson 1995). Rows whose number is below
    a propensity are a sample of which redelivery and restarts change nothing; rows of a stratum by rising number are a
    random order, of which any prefix is a simple random sample.

    >>> permanent_random_numbers(["tx-1", "tx-2"], salt="fraud").round(4).tolist()
    [0.9159, 0.1545]
    >>> bool(permanent_random_numbers(["tx-2"], "fraud")[0] == permanent_random_numbers(["tx-1", "tx-2"], "fraud")[1])
    True
    """
    require_instance(salt, str, name="salt", fix="give a text, the same on every day")
    require_instance(ids, Iterable, name="ids", fix="give a list of texts")
    start = blake2b(key=blake2b(salt.encode()).digest(), digest_size=8)

    def digest(identity: str | bytes) -> bytes:
        if not isinstance(identity, bytes):
            require_instance(identity, str, name="ids", fix="give a list of texts, one per row")
            identity = identity.encode("utf-8", "surrogatepass")
        state = start.copy()
        state.update(identity)
        return state.digest()

    numbers = np.frombuffer(b"".join(map(digest, ids)), dtype=">u8")
    values: Floats = (numbers >> np.uint64(11)) / 2.0**53  # 53 bits: what a float holds
    return values


def allocation(
    budget: int,
    rows: npt.ArrayLike,
    deviation: npt.ArrayLike,
    *,
    labelled: npt.ArrayLike | None = None,
    fewest: int = FEWEST,
    spread: float = SPREAD,
) -> npt.NDArray[np.int64]:
    """How many of `budget` further labels each stratum gets.

    Neyman's allocation: labels in all are proportional to `rows` times the standard `deviation` of what is estimated,
    which makes the variance of the stratified total least. At least `fewest` labels per stratum and a `spread` of the
    budget, evenly, keep a wrong model from starving a stratum; no stratum gets more than its rows. Labels are given one
    by one to the stratum that gains most, which is exact (Wright 2012).

    >>> allocation(100, rows=[1000, 9000, 50], deviation=[0.4, 0.1, 0.5]).tolist()
    [30, 67, 3]
    """
    budget = require_integer(budget, name="budget", least=0, fix="give a number of labels")
    fewest = require_integer(fewest, name="fewest", least=0, fix="e.g. 2")
    size, share = numbers_of(rows, name="rows"), numbers_of(deviation, name="deviation")
    done = np.zeros(size.size) if labelled is None else numbers_of(labelled, name="labelled")
    if not size.shape == share.shape == done.shape or not size.size:
        raise ArgumentError("every stratum has rows and a deviation", "give one of each per stratum", parameter="rows")
    if not ((share >= 0) & (done >= 0) & (done <= size) & np.isfinite(size + share)).all():
        what = "rows, deviations and labels must be at least 0, and labels no more than rows"
        raise ArgumentError(what, "check the strata", parameter="rows")
    if not 0 <= require_number(spread, name="spread") <= 1:
        raise ArgumentError(f"spread must lie in [0, 1], got {spread:g}", "e.g. 0.1", parameter="spread")
    total = min(budget, int((size - done).sum()))
    floor = np.minimum(size, np.maximum(done + math.floor(spread * total / size.size), fewest)).tolist()
    labels, weight = done.copy(), (size * share) ** 2

    def priority(place: int) -> tuple[bool, float, int]:
        """Least first: strata below their floor, then those that gain most."""
        n = labels[place]
        if n < floor[place]:
            return False, n, place
        return True, -weight[place] / (n * (n + 1)) if n else -math.inf, place

    queue = [priority(place) for place in range(size.size) if labels[place] < size[place]]
    heapify(queue)
    for _ in range(total):
        *_, place = heappop(queue)
        labels[place] += 1
        if labels[place] < size[place]:
            heappush(queue, priority(place))
    return (labels - done).astype(np.int64)


def recall_deviation(probability: npt.ArrayLike, alarms: npt.ArrayLike, recall: float) -> Floats:
    """Standard deviations of recall's influence in strata.

    √(p (1 - p)) times 1 - R in strata of alarms and R in others, because a label moves recall by that much;
    `probability` p is the share of positives that is expected there.

    >>> recall_deviation([0.5, 0.01], [True, False], recall=0.8).round(4).tolist()
    [0.1, 0.0796]
    """
    p, alarm = columns_of(probability=probability, alarms=alarms)
    if not (_in_unit(p) and _in_unit(require_number(recall, name="recall"))):
        what = "probabilities and recall must lie in [0, 1]"
        raise ArgumentError(what, "check them", parameter="probability")
    slope = np.where(alarm > 0, 1 - recall, recall)
    deviation: Floats = np.sqrt(p * (1 - p)) * slope
    return deviation


def expected_share(probability: npt.ArrayLike, k: npt.ArrayLike = 0, n: npt.ArrayLike = 0) -> Floats:
    """The share of positives expected after k of n labels: (k + p) / (n + 1).

    With p = ½ it is (k + ½)/(n + 1).

    >>> expected_share([0.5, 0.02], [0, 3], [0, 9]).tolist()
    [0.5, 0.302]
    """
    p, positive, labels = (
        numbers_of(each, name=name, dimensions=None)
        for name, each in (("probability", probability), ("k", k), ("n", n))
    )
    sizes = {each.size for each in (p, positive, labels)} - {1}
    if len(sizes) > 1 or not (_in_unit(p) and ((positive >= 0) & (positive <= labels) & (labels < math.inf)).all()):
        what = "every stratum has a probability in [0, 1], and k of n labels"
        raise ArgumentError(what, "give one of each per stratum", parameter="k")
    share: Floats = (positive + p) / (labels + 1)
    return share


def _in_unit(values: npt.ArrayLike) -> bool:
    numbers = np.asarray(values)
    return bool(((numbers >= 0) & (numbers <= 1)).all())
