"""Curves on draws from a sample: any number of bands from the same draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from thresher.errors import ArgumentError
from thresher.inference.band import Band
from thresher.inference.interval import require_level
from thresher.inference.kinds import is_one_of
from thresher.inference.resampled import Resampled
from thresher.inference.resampling import Resampling, in_blocks, require_replicates
from thresher.inference.rows import Rows
from thresher.inference.sample import Sample, sample_of
from thresher.ranking import Floats, Ranking

Heights: TypeAlias = Callable[[Resampled], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class DrawnCurve:
    """A curve's heights on one draw, and the band that the heights on all draws (a row each) make.

    A draw that lacks a class has no such curve, unless `of_one_class` says that it has.
    """

    heights: Heights
    band: Callable[[Floats], Band]
    of_one_class: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Draws to come: from which sample, as which model sees it (`observed` is the sample itself), and how many.

    With a declared `class_ratio` each draw is weighted to it.
    """

    sample: Sample
    observed: Resampled
    level: float
    replicates: int
    seed: int
    threads: int | None
    class_ratio: float | None = None

    @classmethod
    def of(
        cls,
        source: Rows | Ranking,
        *,
        model: str | None = None,
        level: float,
        replicates: int,
        seed: int,
        threads: int | None,
        class_ratio: float | None = None,
    ) -> Draws:
        """Draws from rows or a ranking, once all that is asked for is known to make sense.

        >>> tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
        >>> Draws.of(tree, level=0.95, replicates=9, seed=0, threads=None).observed.Pos
        50
        """
        require_level(level)
        require_replicates(replicates, seed, threads)
        sample = sample_of(source)
        names = ", ".join(sample.standings)
        if model is None and len(sample.standings) > 1:
            raise ArgumentError("there are several models", f"pass model= one of {names}")
        name = next(iter(sample.standings)) if model is None else model
        if not is_one_of(name, sample.standings):
            raise ArgumentError(f"there is no model {name!r}", f"pass one of {names}")
        observed = Resampled.of(sample.standings[name], sample.cases, model=name)
        if class_ratio is not None:
            observed = observed.at_class_ratio(class_ratio)
        return cls(sample, observed, level, replicates, seed, threads, class_ratio)

    def band(self, curve: DrawnCurve, *, stratified: bool | None) -> Band:
        """The band of one curve."""
        return self.bands({"": curve}, stratified=stratified)[""]

    def bands(self, curves: Mapping[str, DrawnCurve], *, stratified: bool | None) -> dict[str, Band]:
        """The bands of several curves, from one set of draws: each the same as it would have by itself."""
        plan = Resampling.of(self.sample, stratified=stratified)

        def block(rng: np.random.Generator, size: int) -> dict[str, list[Floats]]:
            found: dict[str, list[Floats]] = {name: [] for name in curves}
            for times in plan.each(rng, size):
                drawn = Resampled.of(self.observed.standing, times)
                both = bool(drawn.Pos and drawn.Neg)
                if both and self.class_ratio is not None:
                    drawn = drawn.at_class_ratio(self.class_ratio)
                for name, curve in curves.items():
                    if both or curve.of_one_class:
                        found[name].append(curve.heights(drawn))
            return found

        items = sum(self.sample.items)
        blocks = in_blocks(block, self.replicates, items=items, seed=self.seed, threads=self.threads)
        heights = {name: [row for rows in blocks for row in rows[name]] for name in curves}
        if not all(heights.values()):
            raise ArgumentError(
                f"none of {self.replicates:,} draws holds both classes",
                "give more cases of the rarer class",
            )
        return {name: curve.band(np.array(heights[name])) for name, curve in curves.items()}


def percentiles(drawn: Floats, level: float) -> tuple[Floats, Floats]:
    """The limits that hold the middle `level` of the draws at every place of a curve.

    >>> low, high = percentiles(np.arange(101.0).reshape(-1, 1), 0.9)
    >>> low.round(6).tolist(), high.round(6).tolist()
    ([5.0], [95.0])
    """
    lower, upper = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return lower, upper
