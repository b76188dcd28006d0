"""`coverage`: how often intervals from samples of a world hold its truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, TypeAlias, overload

import numpy as np

from thresher._internal.arguments import as_number, describe, require_function, require_integer, require_seed
from thresher._internal.text import in_words
from thresher.errors import ArgumentError, OneClassError
from thresher.inference import Interval, rate_interval
from thresher.laboratory.sample import Sample, World

Held: TypeAlias = Interval | bool
Truth: TypeAlias = Interval | float


@overload
def coverage(
    world: World,
    n: int,
    interval: Callable[[Sample], Held],
    truth: Truth | None = ...,
    *,
    replicates: int = ...,
    seed: int = ...,
) -> Interval: ...
@overload
def coverage(
    world: World,
    n: int,
    interval: Callable[[Sample], Mapping[str, Held]],
    truth: Mapping[str, Truth],
    *,
    replicates: int = ...,
    seed: int = ...,
) -> dict[str, Interval]: ...
def coverage(
    world: World,
    n: int,
    interval: Callable[[Sample], Any],
    truth: Any = None,
    *,
    replicates: int = 1000,
    seed: int = 0,
) -> Any:
    """The share of samples whose interval holds the truth, with its own limits.

    `interval` makes an `Interval` of a sample; or True or False, such as whether a test lets a true hypothesis stand,
    and then there is no `truth`. Where it makes several by name, `truth` names a value for each, and so does the
    answer. Samples that lack a class, and intervals that are undefined, count neither way; the note says how many.

    Parameters
    ----------
    world
        What samples are drawn from: `Gaussians`, `Cells`, `Scores`, or anything with `sample(n, seed)`.
    n
        Rows of each sample.
    interval
        A function of a `Sample`, which has `labels`, `X`, `scores`, and `ranking` and `rows` for thresher's functions.
    truth
        The value to be held; one by name where there are several.
    replicates, seed
        How many samples, and what they start from.

    Examples
    --------
    >>> import thresher as th
    >>> world = th.laboratory.Scores.of_auc(0.8, prevalence=0.3)
    >>> print(coverage(world, 100, lambda sample: th.auc_interval(sample.ranking), world.auc, replicates=200))
    0.9500 [0.9104, 0.9726]
    """
    for name, function in (("interval", interval), ("world.sample", getattr(world, "sample", None))):
        if function is None:
            raise ArgumentError(f"{world!r} is no world", "give one that has sample(n, seed)")
        require_function(function, name=name)
    replicates = require_integer(replicates, name="replicates", least=1, most=10**8, fix="e.g. replicates=1000")
    seed = require_seed(seed)
    several = isinstance(truth, Mapping)
    truths = dict(truth) if several else {"": truth}
    if not truths:
        raise ArgumentError("`truth` names no value", "name one for each interval")
    named = interval if several else lambda sample: {"": interval(sample)}
    counts = count_held(world, n, named, truths, seed=seed, numbers=range(replicates))
    shares = {name: _share(*counts[name], replicates) for name in truths}
    return shares if several else shares[""]


def count_held(
    world: World,
    n: int,
    intervals: Callable[[Sample], Any],
    truths: Mapping[str, Truth | None],
    *,
    seed: int,
    numbers: Iterable[int],
) -> dict[str, tuple[int, int]]:
    """How many intervals of each name hold the truth, and how many were judged.

    `numbers` are those of the samples. Counts of disjoint numbers add up to those of all of them, so that long studies
    may be interrupted.
    """
    held: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for number in numbers:
        sample = world.sample(n, np.random.default_rng([seed, number]))
        try:
            results = intervals(sample)
        except OneClassError:
            continue
        if not isinstance(results, Mapping) or not truths.keys() <= results.keys():
            what = f"`interval` made {describe(results)}, and `truth` names {in_words([repr(name) for name in truths])}"
            raise ArgumentError(what, "return an Interval for each of these names")
        for name, value in truths.items():
            if (holds := _holds(results[name], value)) is not None:
                judged[name] += 1
                held[name] += holds
    return {name: (held[name], judged[name]) for name in truths}


def _holds(result: Any, truth: Truth | None) -> bool | None:
    """Whether an interval holds the truth; None where it is undefined."""
    if isinstance(result, bool | np.bool_):
        return bool(result)
    if not isinstance(result, Interval) or not isinstance(truth, Interval | Real):
        what = f"{result!r} cannot be held against the truth {truth!r}"
        raise ArgumentError(what, "return an Interval and give its truth, or return True or False")
    return None if np.isnan(result.lower) or np.isnan(result.upper) else as_number(truth) in result


def _share(held: int, judged: int, replicates: int) -> Interval:
    if not judged:
        raise ArgumentError(f"none of {replicates:,} samples has an interval", "draw larger samples")
    share = rate_interval(held, judged)
    if judged == replicates:
        return share
    return replace(share, note=f"{replicates - judged:,} of {replicates:,} samples have no interval")
