"""Honest thresholds: how sure the chosen threshold is, and what it does on cases it was not chosen on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thresher.choices import Choice, OperatingCondition, choose
from thresher.errors import ArgumentError
from thresher.inference.cost import cost_interval
from thresher.inference.design_effect import sampled_cost_interval, sampled_table
from thresher.inference.interval import Interval, require_level, stretched
from thresher.inference.kinds import require_condition
from thresher.inference.limits import percentile_limits, variance_of
from thresher.inference.out_of_bag import out_of_bag_interval
from thresher.inference.resampled import Resampled
from thresher.inference.resampling import Progress, Resampling, in_blocks, require_replicates
from thresher.inference.rows import Rows
from thresher.inference.sample import Sample, Times, sample_of
from thresher.inference.threshold_statistics import BestCost
from thresher.ranking import Floats, Ranking, reaches
from thresher.results import Tabular
from thresher.tables import Contingency, Measure, measure


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HonestChoice(Tabular):
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


def honest_choice(
    source: Rows | Ranking,
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
) -> HonestChoice:
    """Choose the cheapest threshold, and say how sure it is and what it will cost on other cases.

    Each resample chooses its own threshold, which is then tried on the cases (or clusters) that were not drawn, a
    little over a third of them. Their mean cost is free of the optimism of choosing and judging on the
    same cases (Efron 1983, leave-one-out bootstrap). Errs, if at all, on the careful side: a resample holds fewer
    distinct cases than the sample. Cases of both classes are drawn together, since costs depend on their mix; with a
    declared class ratio they are drawn class by class in fixed numbers (`stratified` decides otherwise). Measures are
    stated at the condition's class ratio.

    >>> from thresher import rank
    >>> emails = rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> honest_choice(emails, replicates=200)
    HonestChoice(threshold 0.28 [...], expected cost 0.2 apparent, ... [...] out of bag)
    """
    require_level(level)
    require_replicates(replicates, seed, threads, progress)
    asked = condition if condition is not None else OperatingCondition()
    require_condition(asked)
    known = _measures(measures)
    sample = sample_of(source, singly=True)
    name = _model(sample, model)
    if stratified is None:
        stratified = asked.class_ratio is not None and sample.cluster is None
    plan, standing = Resampling.of(sample, stratified=stratified), sample.standings[name]
    observed = Resampled.of(standing, sample.cases)
    choice = choose(observed.ranking(), asked)
    best = BestCost(asked)

    def block(rng: np.random.Generator, size: int) -> list[tuple[float, ...]]:
        return [_tried(times) for times in plan.each(rng, size)]

    def _tried(times: Times) -> tuple[float, ...]:
        """The threshold chosen on a draw, the table on what was left out, and the chosen point's table on the draw."""
        drawn = Resampled.of(standing, times)
        left = Resampled.of(standing, ((times[0] == 0).astype(np.int64), (times[1] == 0).astype(np.int64)))
        threshold = best.parts(drawn)[4]
        at = left.at(threshold) if not math.isnan(threshold) else (math.nan, math.nan)
        return threshold, *at, left.Pos, left.Neg, *drawn.at(choice.threshold), drawn.Pos, drawn.Neg

    blocks = in_blocks(block, replicates, items=sum(sample.items), seed=seed, threads=threads, progress=progress)
    columns = np.array([row for rows in blocks for row in rows], dtype=np.float64).T
    outside, inside, ratio = _tables(columns[1:5]), _tables(columns[5:9]), asked.class_ratio
    apparent = {"expected_cost": choice.expected_cost} | {
        each.name: float(each.of(choice.table, class_ratio=ratio)) for each in known
    }
    honest = {"expected_cost": _mean(asked.expected_cost(outside))}
    honest |= {each.name: _mean(each.of(outside, class_ratio=ratio)) for each in known}
    thresholds = columns[0].copy()
    return HonestChoice(
        choice=choice,
        threshold=_of_threshold(choice, thresholds, level),
        expected_cost=out_of_bag_interval(
            honest["expected_cost"],
            _seen(source, name, choice, asked, level),
            asked,
            asked.expected_cost(inside),
        ),
        apparent=apparent,
        out_of_bag=honest,
        thresholds=thresholds,
    )


def _measures(asked: Any) -> list[Measure]:
    if not isinstance(asked, Sequence) or isinstance(asked, str):
        raise ArgumentError(f"measures are a list of names, and this is {asked!r}", 'give e.g. ["tpr", "fpr"]')
    return [measure(each) for each in asked]


def _seen(source: Rows | Ranking, model: str, choice: Choice, asked: OperatingCondition, level: float) -> Interval:
    """What the chosen threshold costs on the data; rows with weights or clusters count as what they are worth."""
    if isinstance(source, Ranking) or (source.weight is None and source.cluster is None):
        return cost_interval(choice.table, asked, level=level)
    called = reaches(source.scores[model].astype(np.float64), choice.threshold)
    rows = sampled_table(source.positive, called, weight=source.weight, cluster=source.cluster)
    return sampled_cost_interval(rows, asked, level=level)


def _model(sample: Sample, model: Any) -> str:
    if (isinstance(model, str) and model in sample.standings) or (model is None and len(sample.standings) == 1):
        return next(iter(sample.standings)) if model is None else model
    what = "there are several models" if model is None else f"there is no model {model!r}"
    raise ArgumentError(what, f"pass model= one of {', '.join(sample.standings)}")


def _tables(cells: Floats) -> Contingency:
    tp, fp, Pos, Neg = cells
    return Contingency(tp=tp, fn=np.maximum(Pos - tp, 0.0), fp=fp, tn=np.maximum(Neg - fp, 0.0))


def _mean(values: Floats) -> float:
    seen = values[np.isfinite(values)]
    return float(seen.mean()) if seen.size else math.nan


def _of_threshold(choice: Choice, thresholds: Floats, level: float) -> Interval:
    limits, variance = stretched(choice.threshold, *percentile_limits(thresholds, level)), variance_of(thresholds)
    return Interval(choice.threshold, *limits, variance=variance, level=level, method="percentile bootstrap")
