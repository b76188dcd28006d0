"""Draws with replacement: how often each item is drawn, in seeded blocks.

Independent Poisson counts are multinomial given their total, and a multinomial of t draws becomes one of n by
adding n - t single draws. So counts are drawn at a rate a little below 1 and topped up. A Poisson distribution is a
mixture: most of it has probabilities that are multiples of 1/256, read off one random byte by comparing;
the rest, about one item in eighty, is drawn on its own. The result is exactly multinomial, in less than a third of the
time of drawing n item numbers and counting them. Several replicates are drawn together, in long calls.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_function, short_repr
from thresher._internal.parallel import BLOCK, MOST_REPLICATES, Progress, map_blocks
from thresher.errors import ArgumentError, argument
from thresher.inference.bootstrap.sample import Sample, Times
from thresher.ranking import Counts, Floats

T = TypeVar("T")
FEWEST_ITEMS = 2048  # below, drawing item numbers is as fast
_BYTES = 256


def multiplicities(items: int, replicates: int, rng: np.random.Generator) -> Counts:
    """Multinomial counts of n draws with replacement from n items, by replicate."""
    start = items * np.arange(replicates)
    if items < FEWEST_ITEMS:
        place = rng.integers(0, items, (replicates, items)) + start[:, np.newaxis]
        return np.bincount(place.ravel(), minlength=items * replicates).reshape(replicates, items)
    counts = _counts(items, replicates, rng)
    drawn = counts.sum(axis=1)
    while (over := np.flatnonzero(drawn > items)).size:  # hardly ever: the rate lies four standard deviations below 1
        counts[over] = _counts(items, over.size, rng)
        drawn[over] = counts[over].sum(axis=1)
    place = rng.integers(0, items, int((items - drawn).sum())) + np.repeat(start, items - drawn)
    np.add.at(counts.reshape(-1), place, counts.dtype.type(1))  # of a number without a type it is slow
    return counts


def _counts(items: int, replicates: int, rng: np.random.Generator) -> Counts:
    """Independent Poisson counts, one per item and replicate.

    A count is the number of limits that a random byte reaches; a byte past the last limit draws from the rest.
    """
    limits, rest = _mixture(items)
    raw = rng.integers(0, 2**64 - 1, -(-items * replicates // 8), dtype=np.uint64, endpoint=True).view(np.uint8)
    raw = raw[: items * replicates]
    counts = (raw >= limits[0]).view(np.uint8)
    for limit in limits[1:-1]:
        counts += (raw >= limit).view(np.uint8)
    others = np.flatnonzero(raw >= limits[-1])
    counts[others] = np.searchsorted(rest, rng.random(others.size), side="right")
    kind = np.int32 if items <= np.iinfo(np.int32).max else np.int64  # their sum, the number of items, has to fit
    return counts.astype(kind).reshape(replicates, items)


@lru_cache(maxsize=64)
def _mixture(items: int) -> tuple[npt.NDArray[np.uint8], Floats]:
    """Byte limits of the Poisson mixture, and the cumulative shares of its rest."""
    rate = _rate(items)
    terms = [math.exp(-rate)]
    while terms[-1] > 1e-20:
        terms.append(terms[-1] * rate / len(terms))
    bytes_ = [math.floor(term * _BYTES) for term in terms]
    counts = np.array([count for count in bytes_ if count])
    left = np.array([term - count / _BYTES for term, count in zip(terms, bytes_, strict=True)])
    shares = np.cumsum(left / left.sum())
    shares[-1] = 1.0  # rounding must not leave a gap below 1
    return np.cumsum(counts).astype(np.uint8), shares


def _rate(items: int) -> float:
    return 1 - 4 / math.sqrt(items)


CASES_WORTH_A_BINOMIAL = 30  # drawing a binomial per item takes as long as drawing this many cases
MOST_SINGLE_DELETIONS = 1000
GROUPS_OF_DELETIONS = 300
ITEMS_AT_ONCE = 1 << 20  # of replicates that are drawn together: calls are long, and most of it stays in the cache


@dataclass(frozen=True, slots=True, eq=False)
class Resampling:
    """A resampling plan: of all cases, stratified by class, or of clusters.

    `strata` are drawn separately; each holds the number of cases per item.
    """

    sample: Sample
    stratified: bool
    strata: tuple[Counts, ...]

    @classmethod
    def of(cls, sample: Sample, *, stratified: bool | None) -> Resampling:
        """The plan for a sample; None means stratified unless there are clusters."""
        if not (stratified is None or isinstance(stratified, bool | np.bool_)):
            what = f"stratified must be True, False or None, got {stratified!r}"
            raise ArgumentError(what, "leave it out to draw each statistic in its way")
        if sample.cluster is not None:
            if stratified:
                raise ArgumentError(
                    "clusters are drawn whole, so the number of positives drawn cannot be held fixed",
                    f"leave stratified out, or leave {argument('clusters')} out if rows are independent",
                )
            return cls(sample, False, (np.ones(sample.clusters, dtype=np.int64),))
        if stratified is not None and not stratified:
            return cls(sample, False, (np.concatenate(sample.cases),))
        return cls(sample, True, sample.cases)

    @property
    def together(self) -> int:
        """How many replicates are drawn at a time."""
        return min(BLOCK, max(1, ITEMS_AT_ONCE // sum(self.sample.items)))

    def times(self, rng: np.random.Generator, replicates: int) -> Times:
        """How often each positive and negative item is drawn, a row per replicate."""
        return self._by_class([_draw(cases, rng, replicates) for cases in self.strata])

    def stacks(self, rng: np.random.Generator, replicates: int) -> Iterator[Times]:
        """So many replicates, `together` at a time."""
        for done in range(0, replicates, self.together):
            yield self.times(rng, min(self.together, replicates - done))

    def each(self, rng: np.random.Generator, replicates: int) -> Iterator[Times]:
        """The replicates of `stacks`, one by one."""
        for pos, neg in self.stacks(rng, replicates):
            yield from zip(pos, neg, strict=True)

    def map(
        self,
        function: Callable[[Times], T],
        replicates: int,
        *,
        seed: int,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> list[T]:
        """A function of every replicate, one by one."""

        def block(rng: np.random.Generator, size: int) -> list[T]:
            return [function(times) for times in self.each(rng, size)]

        items = sum(self.sample.items)
        blocks = map_blocks(block, replicates, items=items, seed=seed, threads=threads, progress=progress)
        return [value for values in blocks for value in values]

    def deletions(self) -> Iterator[tuple[int, int, Times]]:
        """Jackknife samples, each with one unit of a stratum left out.

        Each comes as (stratum, number of such units, times). Units are cases, or clusters. Above a thousand items of a
        stratum they are left out in 300 random groups, whose summed influence has the same skewness in expectation
        (delete-group jackknife).
        """
        for stratum, cases in enumerate(self.strata):
            for alike, left in _without_some(cases):
                yield stratum, alike, self._by_class([*self.strata[:stratum], left, *self.strata[stratum + 1 :]])

    def _by_class(self, times: Sequence[Counts]) -> Times:
        """From how often the items of each stratum are drawn to those of each class."""
        if self.stratified:
            return times[0], times[1]
        if self.sample.cluster is not None:
            of_pos, of_neg = self.sample.cluster
            of_cluster = times[0].astype(np.int64)  # rows of large clusters may be more than 2^31
            return of_cluster[..., of_pos], of_cluster[..., of_neg]
        pos = self.sample.items[0]
        return times[0][..., :pos], times[0][..., pos:]


def require_replicates(replicates: Any, seed: Any, threads: Any, progress: Any = None) -> None:
    """Raise `ArgumentError` unless the options of a bootstrap are valid."""
    require_function(progress, name="progress")
    counts = (
        ("replicates", replicates, MOST_REPLICATES, 2000),
        ("threads", 1 if threads is None else threads, 1 << 10, 2),
    )
    for name, value, most, example in counts:
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
            what = f"{argument(name)} must be 1, 2, 3, ... up to {most:,}, got {short_repr(value)}"
            raise ArgumentError(what, f"give e.g. {argument(name, example)}", parameter=name)
    if not isinstance(seed, int | np.integer) or seed < 0:
        what = f"{argument('seed')} must be a whole number of at least 0, got {short_repr(seed)}"
        raise ArgumentError(what, f"give e.g. {argument('seed', 0)}", parameter="seed")


def _draw(cases: Counts, rng: np.random.Generator, replicates: int) -> Counts:
    """Draw n of n cases with replacement and count them by item, per replicate."""
    items, total = cases.size, int(cases.sum())
    if total == items:  # one case each
        return multiplicities(items, replicates, rng)
    if total > CASES_WORTH_A_BINOMIAL * items:
        return rng.multinomial(total, cases / total, replicates)
    item = np.repeat(np.arange(items), cases)
    draws = (item[rng.integers(0, total, total)] for _ in range(replicates))
    return np.stack([np.bincount(drawn, minlength=items) for drawn in draws])


def _without_some(cases: Counts) -> Iterator[tuple[int, Counts]]:
    if cases.size <= MOST_SINGLE_DELETIONS:
        for item, alike in enumerate(cases.tolist()):
            left = cases.copy()
            left[item] -= 1
            yield alike, left
        return
    # A fixed seed: which items share a group is no part of the answer.
    group = np.random.default_rng(0).permutation(cases.size) % GROUPS_OF_DELETIONS
    for number in range(GROUPS_OF_DELETIONS):
        yield 1, np.where(group == number, 0, cases)
