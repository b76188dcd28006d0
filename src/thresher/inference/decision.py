"""How sure a decision is: threshold, out-of-bag cost, and which model wins in resamples.

Everything a decision needs is linear in the counts at a few hundred candidate splits. So rows are partitioned
into blocks (a row each where there are few, a cluster each where there are clusters), the blocks' counts
at the candidates make one matrix per model and class, and all resamples are one matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_level
from thresher._internal.parallel import Progress, map_blocks, parallel_map, threads_for
from thresher._internal.results import Tabular
from thresher.choices import Choice, choose
from thresher.curves import hull_splits
from thresher.errors import ArgumentError
from thresher.inference.bootstrap.draws import Resampling, multiplicities, require_replicates
from thresher.inference.bootstrap.replicates import percentile_limits, variance_of
from thresher.inference.bootstrap.sample import Resampled, Times, sample_of
from thresher.inference.bootstrap.statistics import BestCost
from thresher.inference.interval import Interval, interval_columns, stretch_limits
from thresher.inference.intervals.table import count_calls, table_interval
from thresher.inference.rows import ScoredRows, one_model
from thresher.ranking import Counts, Flags, Floats, Indices, Ranking, cuts_above, reaches
from thresher.tables import Contingency, Measure, OperatingCondition, measure
from thresher.tables.condition import require_condition

MOST_CANDIDATES = 256


class Candidates(NamedTuple):
    """Splits by falling threshold, the first and the last among them, and which of them resamples choose from.

    The hull's corners are where the data are at their best. A resample that could choose among these and few others
    would be steered to what suits the very rows it left out, and its threshold would look better on them than it is.
    So where some splits are left out, resamples choose among those at even steps along the curve.
    """

    split: Indices
    free: Indices


def candidate_splits(ranking: Ranking) -> Candidates:
    """All splits, or as many as are allowed: corners of the hull, at most half of them, and even steps along the curve.

    >>> candidate_splits(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    Candidates(split=array([0, 1, 2, 3]), free=array([0, 1, 2, 3]))
    """
    every = np.arange(len(ranking) + 1)
    if every.size <= MOST_CANDIDATES:
        return Candidates(every, every)
    tp, fp = ranking.covered()
    along = tp / ranking.Pos + fp / ranking.Neg
    corner = hull_splits(ranking, pool="ties")
    if corner.size > MOST_CANDIDATES // 2:
        corner = corner[_even_steps(along[corner], MOST_CANDIDATES // 2)]
    even = _even_steps(along, MOST_CANDIDATES - corner.size)
    split = np.union1d(corner, even)
    return Candidates(split, np.searchsorted(split, even))


def _even_steps(along: Floats, steps: int) -> Indices:
    """Places at even steps from 0 to 2, the first and the last among them however the sums of weights round."""
    index = np.searchsorted(along, np.linspace(0, 2, steps)).clip(max=along.size - 1)
    index[-1] = along.size - 1
    return index[np.diff(index, prepend=-1) > 0]


def out_of_bag_interval(
    out_of_bag: float, apparent: Interval, condition: OperatingCondition, costs: Floats
) -> Interval:
    """The interval of the cost at the chosen threshold, with the optimism of having chosen it added.

    `out_of_bag` is the mean cost out of bag, `apparent` the interval of what the chosen threshold costs on the data,
    `costs` that cost on every resample. Errors that did not happen to be seen at the chosen threshold show in no
    resample, so the limits of `apparent` are held too, as they are and with the optimism added:
    conservative, and never of zero width. None lies below the least that cases can cost.

    >>> from thresher.tables import Contingency
    >>> seen = table_interval(Contingency(tp=30, fn=20, fp=10, tn=40), OperatingCondition(), level=0.9)
    >>> print(out_of_bag_interval(0.35, seen, OperatingCondition(), np.linspace(0.2, 0.4, 101)))
    0.3500 [0.2360, 0.4400]
    """
    level = apparent.level
    if math.isnan(out_of_bag):
        nan = math.nan
        return Interval(nan, nan, nan, nan, level, "out of bag", "every resample left out too little of a class")
    seen = costs[np.isfinite(costs)]
    low, high = percentile_limits(seen, level)
    moved = out_of_bag - apparent.estimate
    variance = float(seen.var(ddof=1)) if seen.size > 1 else math.nan
    least = min(condition.cost_tp, condition.cost_tn, condition.cost_fp, condition.cost_fn)
    lower = min(apparent.lower, apparent.lower + moved, low + moved, out_of_bag)
    upper = max(apparent.upper, apparent.upper + moved, high + moved, out_of_bag)
    limits = max(least, lower), upper
    return Interval(out_of_bag, *limits, variance, level, "out of bag", apparent=apparent.estimate)


MOST_BLOCKS = 2000
GRID_POINTS = 21
_SAFE_IN_FLOAT32 = 0.99 * 2**24  # below 2^24 whole numbers are exact; sums that are compared with it may round

Drawn: TypeAlias = npt.NDArray[np.float32]  # small whole numbers, a row per resample and a column per block


NEVER, ALWAYS = "never", "always"


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """Costs per case, one number per resample, of what was chosen on it and of what was chosen beforehand.

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

    >>> from thresher import rank
    >>> labels = np.array([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], dtype=bool)
    >>> score = np.array([.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> found = decision_stability(labels, {"tree": score}, {"tree": rank(labels, score)}, OperatingCondition())
    >>> found.wins, found.blocks
    ({'tree': 1.0}, 10)
    """
    rng = np.random.default_rng(seed)
    block, blocks = _blocks(positive.size, clusters, rng)
    drawn = _draws(positive, block, blocks, replicates, rng)
    replicates = len(drawn)
    left_out = (drawn == 0).astype(np.float32)
    grid = condition.cost_ratio * np.logspace(-1, 1, GRID_POINTS)
    chosen_on_data = choices or {name: choose(ranking, condition) for name, ranking in rankings.items()}

    def resample(name: str) -> _ModelStability:
        split, free = candidate_splits(rankings[name])
        cut = rankings[name].thresholds()[split]
        cell = block * cut.size + cuts_above(scores[name], cut)  # its block, and the first candidate it reaches
        tp, fp = _covered(cell, positive, weights, (blocks, cut.size))
        inside, outside = _rates(drawn, tp, fp), _rates(left_out, tp, fp)
        on_data = _rates(np.ones((1, blocks), dtype=np.float32), tp, fp)
        cost = _cost(condition, *inside)
        chosen = free[_middle_of_best(cost[:, free])]
        row = np.arange(replicates)
        left_out_cost = _cost(condition, *outside)[row, chosen]
        of_data = _cost(condition, *on_data)
        recommended = int(_middle_of_best(of_data)[0])
        calls = reaches(scores[name], float(cut[recommended]))
        table = count_calls(positive, calls, weight=weights, cluster=clusters)
        return _ModelStability(
            _threshold_interval(chosen_on_data[name], cut[chosen], level),
            out_of_bag_interval(
                mean_of(left_out_cost), table_interval(table, condition, level=level), condition, cost[:, recommended]
            ),
            float(of_data[0, recommended]),
            cost[row, chosen],
            left_out_cost,
            cost[:, recommended],
            _least_costs(condition, grid, *inside),
            _ks_gain(inside, on_data),
        )

    by_model = dict(zip(rankings, parallel_map(resample, list(rankings), threads_for(positive.size)), strict=True))
    best_at = {name: each.best_at for name, each in by_model.items()}
    fixed = _called_in_blocks((calls or {}).values(), 2 * block + positive, weights, blocks)
    of_rules = _cost(condition, *_rates(drawn, *fixed))
    return Stability(
        threshold={name: each.threshold for name, each in by_model.items()},
        out_of_bag_cost={name: each.out_of_bag_cost for name, each in by_model.items()},
        apparent_cost={name: each.apparent_cost for name, each in by_model.items()},
        wins=_wins({name: each.inside for name, each in by_model.items()}),
        cost_ratio=grid,
        wins_at={name: np.array([_wins_of(name, best_at, i) for i in range(grid.size)]) for name in rankings},
        replicates=replicates,
        blocks=blocks,
        ks_gain={name: each.ks_gain for name, each in by_model.items()},
        resamples=Resamples(
            inside={name: each.inside for name, each in by_model.items()},
            outside={name: each.outside for name, each in by_model.items()},
            at_choice={name: each.at_choice for name, each in by_model.items()},
            rules=dict(zip((NEVER, *(calls or {}), ALWAYS), of_rules.T, strict=True)),
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


def _blocks(
    rows: int, clusters: npt.NDArray[np.intp] | None, rng: np.random.Generator
) -> tuple[npt.NDArray[np.intp], int]:
    if clusters is not None:
        count = int(clusters.max()) + 1
        if count <= MOST_BLOCKS:
            return clusters, count
        return rng.integers(0, MOST_BLOCKS, count)[clusters], MOST_BLOCKS
    if rows <= MOST_BLOCKS:
        return np.arange(rows), rows
    return rng.integers(0, MOST_BLOCKS, rows), MOST_BLOCKS


def _draws(
    positive: Flags, block: npt.NDArray[np.intp], blocks: int, replicates: int, rng: np.random.Generator
) -> Drawn:
    """How often each resample holds each block; resamples without one of the classes are left out."""
    drawn: Drawn = multiplicities(blocks, replicates, rng).astype(np.float32)
    of_pos = np.bincount(block, weights=positive, minlength=blocks)
    of_neg = np.bincount(block, minlength=blocks) - of_pos
    usable = drawn[(drawn @ of_pos > 0) & (drawn @ of_neg > 0)]
    if not len(usable):
        raise ArgumentError(
            f"none of {replicates:,} resamples holds both classes",
            "draw more resamples, or give more cases of the rarer class",
        )
    return usable


def _covered(
    cell: npt.NDArray[np.intp], positive: Flags, weights: Floats | None, shape: tuple[int, int]
) -> tuple[Counts, Counts]:
    """The cases of each block, positive and negative, that are called positive at each candidate."""
    of_class = cell + cell
    of_class += positive
    counts = np.bincount(of_class, weights=weights, minlength=2 * shape[0] * shape[1]).reshape(*shape, 2)
    return np.cumsum(counts[:, :, 1], axis=1), np.cumsum(counts[:, :, 0], axis=1)


def _called_in_blocks(
    calls: Iterable[Flags], of_class: npt.NDArray[np.intp], weights: Floats | None, blocks: int
) -> tuple[Counts, Counts]:
    """The cases of each block, positive and negative, that are called positive by no rule, each rule, and every one."""

    def counts(called: Flags | slice) -> Counts:
        of_called = None if weights is None else weights[called]
        return np.bincount(of_class[called], weights=of_called, minlength=2 * blocks)

    every = counts(slice(None))
    columns = np.stack([np.zeros_like(every), *(counts(called) for called in calls), every], axis=1)
    return columns[1::2], columns[::2]


def _rates(drawn: Drawn, tp: Counts, fp: Counts) -> tuple[Floats, Floats, Floats]:
    """The fnr and fpr at every candidate and the prevalence, for every resample; NaN where a class is absent."""
    hits, alarms = _times(drawn, tp), _times(drawn, fp)
    Pos, Neg = hits[:, -1:], alarms[:, -1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1 - hits / Pos, alarms / Neg, Pos / (Pos + Neg)


def _times(drawn: Drawn, covered: Counts) -> Floats:
    """What resamples hold of the blocks' counts, in half as wide numbers where these add up whole counts exactly."""
    if covered.dtype.kind == "i" and (drawn @ covered[:, -1].astype(np.float32)).max() < _SAFE_IN_FLOAT32:
        return (drawn @ covered.astype(np.float32)).astype(np.float64)
    return drawn.astype(np.float64) @ covered


def _cost(condition: OperatingCondition, fnr: Floats, fpr: Floats, prevalence: Floats) -> Floats:
    share = prevalence if condition.prevalence is None else condition.prevalence
    positive = fnr * condition.cost_fn + (1 - fnr) * condition.cost_tp
    negative = fpr * condition.cost_fp + (1 - fpr) * condition.cost_tn
    return share * positive + (1 - share) * negative


def _middle_of_best(cost: Floats) -> npt.NDArray[np.intp]:
    """The middle one of each resample's cheapest candidates, the stricter of two, as `choose` recommends."""
    least = cost.min(axis=1, keepdims=True)
    so_far = np.cumsum(cost <= least + 1e-12 * np.abs(least), axis=1)
    return np.argmax(so_far >= (so_far[:, -1:] + 1) // 2, axis=1)


def _least_costs(
    condition: OperatingCondition, cost_ratios: Floats, fnr: Floats, fpr: Floats, prevalence: Floats
) -> Floats:
    """The least cost that any candidate has in every resample, at every cost ratio: a miss costs that, an alarm 1."""
    share = prevalence if condition.prevalence is None else condition.prevalence
    misses, alarms = share * fnr, (1 - share) * fpr
    sums = np.empty_like(misses)
    least = np.empty((cost_ratios.size, misses.shape[0]))
    for i, ratio in enumerate(cost_ratios.tolist()):
        np.multiply(misses, ratio, out=sums)
        np.add(sums, alarms, out=sums)
        sums.min(axis=1, out=least[i])
    return least


def _ks_gain(drawn: tuple[Floats, Floats, Floats], of_data: tuple[Floats, Floats, Floats]) -> float:
    """How much larger the Kolmogorov-Smirnov distance is in resamples, on average, for being chosen as the largest."""
    in_draws, in_data = (np.abs(1 - fnr - fpr).max(axis=1) for fnr, fpr, _ in (drawn, of_data))
    return mean_of(in_draws) - float(in_data[0])


def _threshold_interval(choice: Choice, cuts: Floats, level: float) -> Interval:
    limits = stretch_limits(choice.threshold, *percentile_limits(cuts, level))
    return Interval(choice.threshold, *limits, variance_of(cuts), level, "percentile")


def mean_of(costs: Floats) -> float:
    """The mean of what is defined; NaN where nothing is.

    >>> mean_of(np.array([1.0, np.nan, 3.0]))
    2.0
    """
    seen = costs[~np.isnan(costs)]
    return float(seen.mean()) if seen.size else math.nan


def _wins(best: Mapping[str, Floats]) -> dict[str, float]:
    return {name: _wins_of(name, {model: costs[np.newaxis] for model, costs in best.items()}, 0) for name in best}


def _wins_of(name: str, best_at: Mapping[str, Floats], i: int) -> float:
    """The share of resamples that a model wins; models that tie share the win."""
    costs = np.stack([each[i] for each in best_at.values()])
    least = costs.min(axis=0)
    tied = np.isclose(costs, least, rtol=1e-12, atol=0)
    wins = tied[list(best_at).index(name)]
    return float(np.mean(wins / tied.sum(axis=0)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OutOfBagChoice(Tabular):
    """A chosen threshold with what it seems to achieve, and what to expect of it on other cases.

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
    """Choose the cheapest threshold, and say how sure it is and what it will cost on other cases.

    Each resample chooses its own threshold, which is then tried on the cases (or clusters) that were not drawn, a
    little over a third of them. Their mean cost is free of the optimism of choosing and judging on the
    same cases (Efron 1983, leave-one-out bootstrap). Errs, if at all, on the careful side: a resample holds fewer
    distinct cases than the sample. Cases of both classes are drawn together, since costs depend on their mix; with a
    declared class ratio they are drawn class by class in fixed numbers (`stratified` decides otherwise). Measures are
    stated at the condition's class ratio.

    >>> from thresher import rank
    >>> emails = rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> out_of_bag_choice(emails, replicates=200)
    OutOfBagChoice(threshold 0.28 [...], expected cost 0.2 apparent, ... [...] out of bag)
    """
    require_level(level)
    require_replicates(replicates, seed, threads, progress)
    asked = condition if condition is not None else OperatingCondition()
    require_condition(asked)
    known = _measures(measures)
    sample = sample_of(source, singly=True)
    name = one_model(sample.orders, model)
    if stratified is None:
        stratified = asked.class_ratio is not None and sample.cluster is None
    plan, order = Resampling.of(sample, stratified=stratified), sample.orders[name]
    observed = Resampled.of(order, sample.cases)
    choice = choose(observed.ranking(), asked)
    best = BestCost(asked)

    def block(rng: np.random.Generator, size: int) -> list[tuple[float, ...]]:
        return [_tried(times) for times in plan.each(rng, size)]

    def _tried(times: Times) -> tuple[float, ...]:
        """The threshold chosen on a draw, the table on what was left out, and the chosen point's table on the draw."""
        drawn = Resampled.of(order, times)
        left = Resampled.of(order, ((times[0] == 0).astype(np.int64), (times[1] == 0).astype(np.int64)))
        threshold = best.parts(drawn)[4]
        at = left.at(threshold) if not math.isnan(threshold) else (math.nan, math.nan)
        return threshold, *at, left.Pos, left.Neg, *drawn.at(choice.threshold), drawn.Pos, drawn.Neg

    blocks = map_blocks(block, replicates, items=sum(sample.items), seed=seed, threads=threads, progress=progress)
    columns = np.array([row for rows in blocks for row in rows], dtype=np.float64).T
    outside, inside, ratio = _tables(columns[1:5]), _tables(columns[5:9]), asked.class_ratio
    apparent = {"expected_cost": choice.expected_cost} | {
        each.name: float(each.of(choice.table, class_ratio=ratio)) for each in known
    }
    out_of_bag = {"expected_cost": _mean(asked.expected_cost(outside))}
    out_of_bag |= {each.name: _mean(each.of(outside, class_ratio=ratio)) for each in known}
    thresholds = columns[0].copy()
    return OutOfBagChoice(
        choice=choice,
        threshold=_of_threshold(choice, thresholds, level),
        expected_cost=out_of_bag_interval(
            out_of_bag["expected_cost"],
            _apparent_cost(source, name, choice, asked, level),
            asked,
            asked.expected_cost(inside),
        ),
        apparent=apparent,
        out_of_bag=out_of_bag,
        thresholds=thresholds,
    )


def _measures(asked: Any) -> list[Measure]:
    if not isinstance(asked, Sequence) or isinstance(asked, str):
        raise ArgumentError(f"measures are a list of names, and this is {asked!r}", 'give e.g. ["tpr", "fpr"]')
    return [measure(each) for each in asked]


def _tables(cells: Floats) -> Contingency:
    tp, fp, Pos, Neg = cells
    return Contingency(tp=tp, fn=np.maximum(Pos - tp, 0.0), fp=fp, tn=np.maximum(Neg - fp, 0.0))


def _mean(values: Floats) -> float:
    seen = values[np.isfinite(values)]
    return float(seen.mean()) if seen.size else math.nan


def _of_threshold(choice: Choice, thresholds: Floats, level: float) -> Interval:
    limits, variance = stretch_limits(choice.threshold, *percentile_limits(thresholds, level)), variance_of(thresholds)
    return Interval(choice.threshold, *limits, variance=variance, level=level, method="percentile bootstrap")


def _apparent_cost(
    source: ScoredRows | Ranking, model: str, choice: Choice, condition: OperatingCondition, level: float
) -> Interval:
    """The cost of the chosen threshold on the data; weights and clusters widen its limits."""
    if isinstance(source, Ranking) or source.simple:
        return table_interval(choice.table, condition, level=level)
    calls = reaches(source.scores[model].astype(np.float64), choice.threshold)
    table = count_calls(source.positive, calls, weight=source.weight, cluster=source.cluster)
    return table_interval(table, condition, level=level)
