"""What fixed rules cost on resamples of the rows, and on the rows left out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from thresher.errors import ArgumentError
from thresher.inference.bootstrap.draws import multiplicities
from thresher.inference.decision.stability import MOST_BLOCKS, Resamples
from thresher.inference.intervals.class_cost import CaseCosts
from thresher.ranking import Floats


def resample_costs(
    models: Mapping[str, CaseCosts], rules: Mapping[str, CaseCosts], *, replicates: int, seed: int
) -> Resamples:
    """The costs per case of models and of other rules on resamples of their rows.

    Rules of least expected cost are not fitted, so each costs on a resample what its calls do there. Rows (or clusters)
    are drawn in at most 2,000 blocks; a resample without a class that has a share of the declared mix is left out.
    """
    costs = {**models, **rules}
    first = next(iter(costs.values()))
    k, rng = len(first.costs.classes), np.random.default_rng(seed)
    block = np.arange(first.actual.size) if first.cluster is None else first.cluster
    blocks = int(block.max()) + 1
    if blocks > MOST_BLOCKS:
        block, blocks = rng.integers(0, MOST_BLOCKS, blocks)[block], MOST_BLOCKS
    mass = np.ones(first.actual.size) if first.weight is None else first.weight
    cell = block * k + first.actual
    sums = [np.bincount(cell, weights=mass * each.paid, minlength=blocks * k) for each in costs.values()]
    table = np.stack([np.bincount(cell, weights=mass, minlength=blocks * k), *sums]).reshape(len(sums) + 1, blocks, k)
    drawn = multiplicities(blocks, replicates, rng).astype(np.float64)

    def per_case(times: Floats) -> Floats:
        """The mean cost of each rule (row) on each resample (column)."""
        cases, *paid = np.matmul(times, table)
        if first.mix is None:
            cases, paid = cases.sum(axis=1), [each.sum(axis=1) for each in paid]
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.stack([each / cases for each in paid])
        used = first.mix > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.stack([((each / cases)[:, used] * first.mix[used]).sum(axis=1) for each in paid])

    inside, outside = per_case(drawn), per_case((drawn == 0).astype(np.float64))
    complete = ~np.isnan(inside[0])
    if not complete.any():
        what = f"none of {replicates:,} resamples holds every class"
        raise ArgumentError(what, "draw more resamples, or give more cases of the rarest class")
    by_name = {name: (inside[i, complete], outside[i, complete]) for i, name in enumerate(costs)}
    at_choice = {name: by_name[name][0] for name in models}
    return Resamples(
        inside=at_choice,
        outside={name: by_name[name][1] for name in models},
        at_choice=at_choice,
        rules={name: by_name[name][0] for name in rules},
    )
