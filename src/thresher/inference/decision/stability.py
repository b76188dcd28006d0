"""How sure a decision is: threshold, out-of-bag cost, winner in resamples.

Everything a decision needs is linear in the counts at a few hundred candidate splits. So rows are partitioned
into blocks (a row each where there are few, a cluster each where there are clusters), the blocks' counts
at the candidates make one matrix per model and class, and all resamples are one matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_level
from thresher._internal.parallel import Progress, parallel_map, threads_for
from thresher._internal.results import Tabular
from thresher.choices import Choice, choose
from thresher.curves import hull_splits
from thresher.errors import ArgumentError
from thresher.inference.bootstrap.draws import Resampling, multiplicities, require_replicates
from thresher.inference.bootstrap.replicates import percentile_limits, variance_of
from thresher.inference.bootstrap.sample import Resampled, Times, sample_of
from thresher.inference.bootstrap.statistics import BestCost, counts_table
from thresher.inference.interval import Interval, interval_columns, stretch_limits
from thresher.inference.intervals.table import Table, count_calls, table_interval
from thresher.inference.rows import ScoredRows, one_model
from thresher.ranking import Counts, Flags, Floats, Indices, Ranking, cuts_above, reaches
from thresher.tables import Contingency, Measure, OperatingCondition, measure
from thresher.tables.condition import require_condition

MOST_CANDIDATES = 256


def candidate_splits(ranking: Ranking) -> tuple[Indices, Indices]:
    """Candidate splits of a ranking, and which of them resamples choose from.

    Thresholds fall, and the first and the last split are among them. All splits, or as many as are allowed: at most
    half of them corners of the hull, the others at even steps along the curve. Corners are where the data are at their
    best: a resample that chose among them would be steered to what suits the very rows it left out. So where some
    splits are left out, it chooses among those at even steps.
    """
    every = np.arange(len(ranking) + 1)
    if every.size <= MOST_CANDIDATES:
        return every, every
    tp, fp = ranking.covered()
    along = tp / ranking.Pos + fp / ranking.Neg
    corner = hull_splits(ranking, pool="ties")
    if corner.size > MOST_CANDIDATES // 2:
        corner = corner[_even_steps(along[corner], MOST_CANDIDATES // 2)]
    even = _even_steps(along, MOST_CANDIDATES - corner.size)
    split = np.union1d(corner, even)
    return split, np.searchsorted(split, even)


def _even_steps(along: Floats, steps: int) -> Indices:
    """Places at even steps along the curve, always with the first and the last."""
    index = np.searchsorted(along, np.linspace(0, 2, steps)).clip(max=along.size - 1)
    index[-1] = along.size - 1
    return index[np.diff(index, prepend=-1) > 0]


def out_of_bag_interval(out_of_bag: float, apparent: Interval, least: float, costs: Floats) -> Interval:
    """The interval of the cost at a chosen threshold, corrected for optimism.

    `out_of_bag` is the mean cost out of bag, `apparent` the interval of what the chosen threshold costs on the data,
    `costs` that cost on every resample. Errors that did not happen to be seen at the chosen threshold show in no
    resample, so the limits of `apparent` are held too, as they are and with the optimism added:
    conservative, and never of zero width. None lies below the `least` that cases can cost.
    """
    level, method = apparent.level, "out of bag"
    if math.isnan(out_of_bag):
        note = "every resample left out too little of a class"
        return Interval(math.nan, math.nan, math.nan, math.nan, level, method, note)
    low, high = percentile_limits(costs[np.isfinite(costs)], level)
    moved = out_of_bag - apparent.estimate
    lower = min(apparent.lower, apparent.lower + moved, low + moved, out_of_bag)
    upper = max(apparent.upper, apparent.upper + moved, high + moved, out_of_bag)
    variance = variance_of(costs)
    return Interval(out_of_bag, max(least, lower), upper, variance, level, method, apparent=apparent.estimate)


def least_cost(condition: OperatingCondition) -> float:
    """The least that a case can cost, of two classes."""
    return min(condition.cost_tp, condition.cost_tn, condition.cost_fp, condition.cost_fn)


MOST_BLOCKS = 2000
GRID_POINTS = 21
_SAFE_IN_FLOAT32 = 0.99 * 2**24  # below 2^24 whole numbers are exact; sums that are compared with it may round
NEVER, ALWAYS = "never", "always"
Drawn: TypeAlias = npt.NDArray[np.float32]  # small whole numbers, a row per resample and a column per block
Rates: TypeAlias = tuple[Floats, Floats, Floats, Floats]  # fnr and fpr by resample and candidate, shares by resample


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """Costs per case on each resample, of chosen thresholds and of fixed rules.

    By model: `inside` is the cost on the resample of the threshold that is best there, `outside` the cost of that
    threshold on the rows that the resample left out (NaN where they lack a class), and `at_choice` the cost on the
    resample of the threshold chosen on all rows. `rules` is the cost on the resample of every rule that is fixed
    beforehand: "never", "always", and those whose calls were given.
    """

    inside: Mapping[str, Floats]
    outside: Mapping[str, Floats]
    at_choice: Mapping[str, Floats]
    rules: Mapping[str, Floats]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stability(Tabular):
    """What resampling the data does to a decision among models.

    `threshold` and `out_of_bag_cost` are those of each model: where its best threshold falls in resamples, and what
    that threshold costs on the rows a resample left out, with the spread over resamples of the cost at the threshold
    chosen on the data. `apparent_cost` is the cost on the rows it was chosen on.
    `ks_gain` is how much larger the Kolmogorov-Smirnov distance is in resamples than in the data.
    `wins` is the share of resamples in which each model is cheapest, and `wins_at[i]` the same at cost
    ratio `cost_ratio[i]`. It is no probability of being best: resamples hold the same rows, and a fresh sample agrees
    with them less often than they do among themselves.

    >>> from thresher import evaluate
    >>> evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2]).stability.wins
    {'model': 1.0}
    """

    threshold: Mapping[str, Interval]
    out_of_bag_cost: Mapping[str, Interval]
    apparent_cost: Mapping[str, float]
    wins: Mapping[str, float]
    cost_ratio: Floats
    wins_at: Mapping[str, Floats]
    replicates: int
    blocks: int
    ks_gain: Mapping[str, float]
    resamples: Resamples

    def _brief(self) -> str:
        wins = ", ".join(f"{name} {share:.0%}" for name, share in self.wins.items())
        return f"cheapest in {self.replicates:,} resamples: {wins}"

    def _columns(self) -> Mapping[str, Any]:
        by_quantity = {"threshold": self.threshold, "out_of_bag_cost": self.out_of_bag_cost}
        return interval_columns(
            ({"model": model, "quantity": quantity, "wins": self.wins[model]}, intervals[model])
            for model in self.wins
            for quantity, intervals in by_quantity.items()
        )


def decision_stability(
    positive: Flags,
    scores: Mapping[str, npt.NDArray[np.float64]],
    rankings: Mapping[str, Ranking],
    condition: OperatingCondition,
    *,
    weights: Floats | None = None,
    clusters: npt.NDArray[np.intp] | None = None,
    level: float = 0.95,
    replicates: int = 500,
    seed: int = 0,
    choices: Mapping[str, Choice] | None = None,
    calls: Mapping[str, Flags] | None = None,
) -> Stability:
    """Resample the data and make the decision again each time.

    `clusters` numbers each row's cluster from 0; entire clusters are drawn. Candidates are every
    split of a model, or some 256 of them (`candidate_splits`). `choices` are those of the data, where they are known;
    `calls` says of rules that were fixed beforehand which rows they call positive.
    """
    rng = np.random.default_rng(seed)
    block = np.arange(positive.size) if clusters is None else clusters
    blocks = int(block.max()) + 1
    if blocks > MOST_BLOCKS:
        block, blocks = rng.integers(0, MOST_BLOCKS, blocks)[block], MOST_BLOCKS
    of_class = 2 * block + positive
    cases = np.bincount(of_class, minlength=2 * blocks)
    drawn: Drawn = multiplicities(blocks, replicates, rng).astype(np.float32)
    drawn = drawn[(drawn @ cases[1::2] > 0) & (drawn @ cases[::2] > 0)]
    if not len(drawn):
        what = f"none of {replicates:,} resamples holds both classes"
        raise ArgumentError(what, "draw more resamples, or give more cases of the rarer class")
    left_out = (drawn == 0).astype(np.float32)
    grid = condition.cost_ratio * np.logspace(-1, 1, GRID_POINTS)
    on_data = choices or {name: choose(ranking, condition) for name, ranking in rankings.items()}

    def resample(name: str) -> _ModelStability:
        split, free = candidate_splits(rankings[name])
        cut = rankings[name].thresholds()[split]
        cell = block * cut.size + cuts_above(scores[name], cut)  # its block, and the first candidate it reaches
        counts = np.bincount(2 * cell + positive, weights=weights, minlength=2 * blocks * cut.size)
        tp, fp = (np.cumsum(counts[side::2].reshape(blocks, cut.size), axis=1) for side in (1, 0))
        inside, of_data = _rates(drawn, tp, fp), _rates(np.ones((1, blocks), dtype=np.float32), tp, fp)
        cost, data_cost = _cost(condition, inside), _cost(condition, of_data)[0]
        every, chosen = np.arange(len(drawn)), free[_middle_of_best(cost[:, free])]
        outside = _cost(condition, _rates(left_out, tp, fp))[every, chosen]
        recommended = int(_middle_of_best(data_cost[np.newaxis])[0])
        calls = reaches(scores[name], float(cut[recommended]))
        table = count_calls(positive, calls, weight=weights, cluster=clusters)
        apparent = table_interval(table, condition, level=level)
        distances = [np.abs(1 - fnr - fpr).max(axis=1) for fnr, fpr, *_ in (inside, of_data)]
        return _ModelStability(
            threshold=_threshold_interval(on_data[name], cut[chosen], level, "percentile"),
            out_of_bag_cost=out_of_bag_interval(
                mean_of(outside), apparent, least_cost(condition), cost[:, recommended]
            ),
            apparent_cost=float(data_cost[recommended]),
            inside=cost[every, chosen],
            outside=outside,
            at_choice=cost[:, recommended],
            best_at=_least_costs(condition, grid, inside),
            ks_gain=mean_of(distances[0]) - float(distances[1][0]),
        )

    each = parallel_map(resample, list(rankings), threads_for(positive.size))

    def by_model(field: str) -> dict[str, Any]:
        return {name: getattr(one, field) for name, one in zip(rankings, each, strict=True)}

    rules = {NEVER: np.zeros_like(positive), **(calls or {}), ALWAYS: np.ones_like(positive)}
    heavy = 1.0 if weights is None else weights
    by_rule = np.stack([np.bincount(of_class, rule * heavy, 2 * blocks) for rule in rules.values()], axis=1)
    of_rules = _cost(condition, _rates(drawn, by_rule[1::2], by_rule[::2]))
    return Stability(
        threshold=by_model("threshold"),
        out_of_bag_cost=by_model("out_of_bag_cost"),
        apparent_cost=by_model("apparent_cost"),
        wins=wins_of(by_model("inside")),
        cost_ratio=grid,
        wins_at=dict(zip(rankings, _wins([one.best_at for one in each]), strict=True)),
        replicates=len(drawn),
        blocks=blocks,
        ks_gain=by_model("ks_gain"),
        resamples=Resamples(
            inside=by_model("inside"),
            outside=by_model("outside"),
            at_choice=by_model("at_choice"),
            rules=dict(zip(rules, of_rules.T, strict=True)),
        ),
    )


class _ModelStability(NamedTuple):
    """What resampling says of one model."""

    threshold: Interval
    out_of_bag_cost: Interval
    apparent_cost: float
    inside: Floats
    outside: Floats
    at_choice: Floats
    best_at: Floats
    ks_gain: float


def _rates(drawn: Drawn, tp: Counts, fp: Counts) -> Rates:
    """False negative and false positive rates by resample and candidate.

    The shares of both classes follow; NaN where a class is absent.
    """
    hits, alarms = _resampled_counts(drawn, tp), _resampled_counts(drawn, fp)
    Pos, Neg = hits[:, -1:], alarms[:, -1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        return (Pos - hits) / Pos, alarms / Neg, Pos / (Pos + Neg), Neg / (Pos + Neg)


def _resampled_counts(drawn: Drawn, covered: Counts) -> Floats:
    """Counts at every candidate in every resample.

    Sums are made in float32 where that is exact.
    """
    if covered.dtype.kind == "i" and (drawn @ covered[:, -1].astype(np.float32)).max() < _SAFE_IN_FLOAT32:
        return (drawn @ covered.astype(np.float32)).astype(np.float64)
    return drawn.astype(np.float64) @ covered


def _cost(condition: OperatingCondition, rates: Rates) -> Floats:
    fnr, fpr, *of_resample = rates
    of_pos, of_neg = condition.shares or of_resample
    positive = fnr * condition.cost_fn + (1 - fnr) * condition.cost_tp
    negative = fpr * condition.cost_fp + (1 - fpr) * condition.cost_tn
    return of_pos * positive + of_neg * negative


def _middle_of_best(cost: Floats) -> Indices:
    """The cheapest candidate of each resample, the middle one of ties."""
    least = cost.min(axis=1, keepdims=True)
    so_far = np.cumsum(cost <= least + 1e-12 * np.abs(least), axis=1)
    return np.argmax(so_far >= (so_far[:, -1:] + 1) // 2, axis=1)


def _least_costs(condition: OperatingCondition, cost_ratios: Floats, rates: Rates) -> Floats:
    """The least cost of any candidate, per cost ratio and resample.

    A false negative costs the ratio, a false positive 1.
    """
    fnr, fpr, *of_resample = rates
    of_pos, of_neg = condition.shares or of_resample
    misses, alarms = of_pos * fnr, of_neg * fpr
    sums = np.empty_like(misses)
    least = np.empty((cost_ratios.size, misses.shape[0]))
    for i, ratio in enumerate(cost_ratios.tolist()):
        np.multiply(misses, ratio, out=sums)
        np.add(sums, alarms, out=sums)
        sums.min(axis=1, out=least[i])
    return least


def _threshold_interval(choice: Choice, cuts: Floats, level: float, method: str) -> Interval:
    limits = stretch_limits(choice.threshold, *percentile_limits(cuts, level))
    return Interval(choice.threshold, *limits, variance_of(cuts), level, method)


def wins_of(inside: Mapping[str, Floats]) -> dict[str, float]:
    """The share of resamples in which each model is cheapest."""
    return dict(zip(inside, _wins(list(inside.values())).tolist(), strict=True))


def _wins(costs: Sequence[Floats]) -> Floats:
    """The share of resamples in which each model is cheapest; ties share the win."""
    by_model = np.stack(costs)
    tied = np.isclose(by_model, by_model.min(axis=0), rtol=1e-12, atol=0)
    return np.asarray((tied / tied.sum(axis=0)).mean(axis=-1))


def mean_of(costs: Floats) -> float:
    """The mean of what is defined; NaN where nothing is."""
    seen = costs[~np.isnan(costs)]
    return float(seen.mean()) if seen.size else math.nan


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OutOfBagChoice(Tabular):
    """A chosen threshold with its apparent and its out-of-bag cost and measures.

    `threshold` is an interval over resamples. `apparent` holds the expected cost and measures on the cases
    the threshold was chosen on, which flatter it; `out_of_bag` their means on cases left out of a resample, at
    the threshold chosen on that resample; `optimism` is apparent minus out-of-bag. `expected_cost` puts the
    interval of the cost at the chosen threshold around the out-of-bag estimate; weights and clusters widen it.
    """

    choice: Choice
    threshold: Interval
    expected_cost: Interval
    apparent: Mapping[str, float]
    out_of_bag: Mapping[str, float]
    thresholds: Floats
    optimism: Mapping[str, float] = field(init=False)

    def __post_init__(self) -> None:
        self.thresholds.flags.writeable = False
        gap = {name: value - self.out_of_bag[name] for name, value in self.apparent.items()}
        object.__setattr__(self, "optimism", gap)

    def _brief(self) -> str:
        t, cost = self.threshold, self.expected_cost
        return (
            f"threshold {t.estimate:.4g} [{t.lower:.4g}, {t.upper:.4g}],"
            f" expected cost {self.apparent['expected_cost']:.4g} apparent,"
            f" {cost.estimate:.4g} [{cost.lower:.4g}, {cost.upper:.4g}] out of bag"
        )

    def _columns(self) -> Mapping[str, Any]:
        parts = {"apparent": self.apparent, "out_of_bag": self.out_of_bag, "optimism": self.optimism}
        return {"quantity": list(self.apparent)} | {
            part: [values[name] for name in self.apparent] for part, values in parts.items()
        }


def out_of_bag_choice(
    source: ScoredRows | Ranking,
    condition: OperatingCondition | None = None,
    *,
    model: str | None = None,
    measures: Sequence[str | Measure] = ("accuracy", "tpr", "fpr", "precision"),
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    stratified: bool | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> OutOfBagChoice:
    """Choose the cheapest threshold, and estimate its cost on new cases.

    Each resample chooses its own threshold, which is then tried on the cases (or clusters) that were not drawn. Their
    mean cost is free of the optimism of choosing and judging on the same cases (Efron 1983, leave-one-out bootstrap),
    and if anything too high: a resample holds fewer distinct cases than the sample. Cases of both classes are drawn
    together, since costs depend on their mix; with a declared class ratio, at which measures are stated too, class by
    class in fixed numbers (`stratified` decides otherwise).

    >>> from thresher import rank
    >>> emails = rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> out_of_bag_choice(emails, replicates=200)
    OutOfBagChoice(threshold 0.28 [...], expected cost 0.2 apparent, ... [...] out of bag)
    """
    require_level(level)
    require_replicates(replicates, seed, threads, progress)
    asked = condition if condition is not None else OperatingCondition()
    require_condition(asked)
    listed: Any = measures
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise ArgumentError(f"measures are a list of names, and this is {listed!r}", 'give e.g. ["tpr", "fpr"]')
    known = [measure(each) for each in measures]
    sample = sample_of(source, singly=True)
    name = one_model(sample.orders, model)
    if stratified is None:
        stratified = asked.class_ratio is not None and sample.cluster is None
    plan, order = Resampling.of(sample, stratified=stratified), sample.orders[name]
    choice = choose(Resampled.of(order, sample.cases).ranking(), asked)
    best = BestCost(asked)

    def tables(times: Times) -> tuple[float, ...]:
        """The threshold chosen on a resample, with its out-of-bag table.

        The table of the original choice on the resample follows.
        """
        drawn = Resampled.of(order, times)
        left = Resampled.of(order, ((times[0] == 0).astype(np.int64), (times[1] == 0).astype(np.int64)))
        threshold = best.parts(drawn)[4]
        at = left.at(threshold) if not math.isnan(threshold) else (math.nan, math.nan)
        return threshold, *at, left.Pos, left.Neg, *drawn.at(choice.threshold), drawn.Pos, drawn.Neg

    draws = plan.map(tables, replicates, seed=seed, threads=threads, progress=progress)
    columns = np.array(draws, dtype=np.float64).T
    outside, inside = counts_table(*columns[1:5]), counts_table(*columns[5:9])

    def quantities(table: Contingency) -> dict[str, Any]:
        by_measure = {each.name: each.of(table, class_ratio=asked.class_ratio) for each in known}
        return {"expected_cost": asked.expected_cost(table)} | by_measure

    means = {each: mean_of(values[np.isfinite(values)]) for each, values in quantities(outside).items()}
    thresholds = columns[0].copy()
    at_choice: Table = choice.table
    if isinstance(source, ScoredRows) and not source.simple:  # weights and clusters widen its limits
        calls = reaches(source.scores[name].astype(np.float64), choice.threshold)
        at_choice = count_calls(source.positive, calls, weight=source.weight, cluster=source.cluster)
    apparent_cost = table_interval(at_choice, asked, level=level)
    return OutOfBagChoice(
        choice=choice,
        threshold=_threshold_interval(choice, thresholds, level, "percentile bootstrap"),
        expected_cost=out_of_bag_interval(
            means["expected_cost"], apparent_cost, least_cost(asked), asked.expected_cost(inside)
        ),
        apparent={each: float(value) for each, value in quantities(choice.table).items()},
        out_of_bag=means,
        thresholds=thresholds,
    )
