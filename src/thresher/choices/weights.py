"""Weights of k classes, searched one after the other, each exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher._internal.arguments import require_one_of
from thresher.choices.goal import Goal, better, ties_with_best
from thresher.choices.least_cost import ClassChoice, class_condition, rule_of
from thresher.errors import ArgumentError, LabelError, MeasureError, argument
from thresher.inputs.labels import listed, same
from thresher.ranking import Floats, Indices, Segments
from thresher.tables import CostMatrix, OperatingCondition
from thresher.tables.condition import required_costs

STARTS = ("one", "prior", "costs", "random")
_CHUNK = 1 << 14  # matrices held at once while sweeping
_MOST_PASSES = 100
_MANY, _FEWER = 1 << 14, 16

Start = str | Mapping[Any, float]


def fit_weights(
    segments: Segments,
    condition: OperatingCondition | None,
    *,
    maximise: Any = None,
    subject_to: Any = None,
    starts: Sequence[Start] = ("one", "prior", "costs"),
    seed: int = 0,
    exact: bool = False,
) -> ClassChoice:
    """Search the weights of least cost or of the best measure.

    In the weight of one class the cost of every action for every segment is a straight line, so that decisions change
    at few breakpoints (the lower envelope). All are sorted and swept with a running confusion matrix, which finds the
    best weight given the others; the classes take turns until none improves. A case whose probability of a class is 0
    says nothing for that class at any weight.
    """
    asked = class_condition(segments, condition)
    costs = required_costs(asked.for_data(segments))
    factor = asked.class_weights(segments)
    goal = Goal.of(segments, costs, factor, maximise=maximise, subject_to=subject_to)
    search = Search(segments, costs, goal)
    points = _starts(segments, costs, factor, starts, seed)
    two = len(segments.classes) == 2
    if two:
        reached = {"all": search.best_ratio(points["one"])}
    else:
        reached = {name: search.descend(weights) for name, weights in points.items()}
    best, *others = reached.values()
    for each in (*others, search.fitted(points["one"])):  # never dearer than the Bayes decision
        if better(each.reached, best.reached, goal.slack):
            best = each
    if exact and not two:
        from thresher.choices.arrangement import best_of_arrangement

        best = best_of_arrangement(search, best)
    if best.reached[0] > 0:
        raise goal.infeasible(search.counts(best.weights), proved=exact or two)
    if math.isinf(best.reached[1]):
        raise MeasureError(f"{goal.name} is undefined for all weights found", "choose by another measure")
    by_start = {name: goal.value(each.reached[1]) for name, each in reached.items() if not each.reached[0]}
    certificate = _certificate(goal, by_start, classes=len(segments.classes), exact=exact)
    return rule_of(segments, asked, best.weights, certificate=certificate, by_start=by_start, objective=goal.name)


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Weights, and how far they are from the limits and their loss."""

    weights: Floats
    reached: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Breakpoints:
    """Where decisions change as one number grows from 0: segments, and their actions.

    `first` are the actions before the first breakpoint, `at` rises.
    """

    first: Indices
    at: Floats
    segment: Indices
    before: Indices
    after: Indices


class Search:
    """The best value of one weight, given the others, by turns."""

    def __init__(self, segments: Segments, costs: CostMatrix, goal: Goal) -> None:
        self.segments, self.costs, self.goal = segments, costs, goal
        self.columns = np.ascontiguousarray(segments.probability.T)
        self.regret = costs.regret.costs
        self.counted = segments.counts.astype(np.float64)
        self.paid = np.ascontiguousarray((self.counted @ goal.cost_per_case).T)  # of each action, for each segment

    def counts(self, weights: Floats) -> Floats:
        """The confusion matrix of weights, as they are applied."""
        return self._counts(self.decide(weights))

    def decide(self, weights: Floats) -> Indices:
        """The action for each segment."""
        return self.costs.decide(self.segments.probability, weights=weights)

    def fitted(self, weights: Floats) -> Fitted:
        """Weights with what they reach, as they are applied."""
        short, loss = self.goal.losses(self.counts(weights)[np.newaxis])
        return Fitted(weights, (float(short[0]), float(loss[0])))

    def best_ratio(self, bayes: Floats) -> Fitted:
        """The best weights of two classes, of which only the ratio matters.

        Where all cases get one decision a weight is 0, as the threshold of `choose` is infinite there.
        """
        best = self.fitted(self.line(np.ones(2), 0)[0])
        if better((start := self.fitted(bayes)).reached, best.reached, self.goal.slack):
            best = start
        actions = self.decide(best.weights)
        for corner in (np.array([1.0, 0.0]), np.array([0.0, 1.0])):
            if np.array_equal(self.decide(corner), actions):
                return Fitted(corner, best.reached)
        return best

    def descend(self, weights: Floats) -> Fitted:
        """Improve one weight after the other until none improves.

        Many segments are searched from where the search among some of them ends.
        """
        k, settled = weights.size, 0
        if len(self.segments) > _MANY:
            weights = Search(_some(self.segments), self.costs, self.goal).descend(weights).weights
        best = self.fitted(weights)
        for step in range(_MOST_PASSES * k):
            moved, promised = self.line(best.weights, step % k)
            # in the first pass a weight also moves to the middle of the ranges that it ties in
            centring = step < k and not better(best.reached, promised, self.goal.slack)
            settled += 1
            if centring or better(promised, best.reached, self.goal.slack):
                trial = self.fitted(moved)
                improves = better(trial.reached, best.reached, self.goal.slack)
                if improves or (centring and not better(best.reached, trial.reached, self.goal.slack)):
                    best, settled = trial, 1
            if settled == k:
                break
        return best

    def line(self, weights: Floats, j: int) -> tuple[Floats, tuple[float, float]]:
        """Weights with the best value of one of them, and what it reaches.

        It is the middle of the middle one of the ranges that tie, or 0 where ties of actions make that better.
        """
        others = np.zeros((self.regret.shape[1], len(self.segments)))
        for i in range(weights.size):
            if i != j:
                others += (self.columns[i] * weights[i]) * self.regret[i][:, np.newaxis]
        breaks = breakpoints(others, self.columns[j], self.regret[j])
        short, loss, ends = self.sweep(breaks)
        tied, reached = ties_with_best(short, loss, self.goal.slack)
        moved = weights.copy()
        moved[j] = 0.0
        at_zero = others.argmin(axis=0)
        if moved.any() and not np.array_equal(at_zero, breaks.first):
            zero_short, zero_loss = self.goal.losses(self._counts(at_zero)[np.newaxis])
            zero = float(zero_short[0]), float(zero_loss[0])
            if better(zero, reached, self.goal.slack):
                return moved, zero
        places = np.flatnonzero(tied)[::-1]  # the larger weight of two middles: as `choose` takes the stricter
        place = int(places[(places.size - 1) // 2])
        stakes = self.regret.sum(axis=1)
        edges = np.concatenate([[0.0], ends, [np.inf]])
        moved[j] = _middle(edges[place], edges[place + 1], float(stakes[j]), float(moved @ stakes))
        return moved, reached

    def sweep(self, breaks: Breakpoints) -> tuple[Floats, Floats, Floats]:
        """What each range between breakpoints reaches, and where ranges end."""
        last = np.ones(breaks.at.size, dtype=np.bool_)
        last[:-1] = breaks.at[1:] > breaks.at[:-1]  # where several segments change at once, after all of them
        ends = breaks.at[last]
        if self.goal.linear:
            start = self.paid[breaks.first, np.arange(breaks.first.size)].sum()
            change = self.paid[breaks.after, breaks.segment] - self.paid[breaks.before, breaks.segment]
            loss = np.concatenate([[start], start + np.cumsum(change)[last]])
            return np.zeros(loss.size), loss, ends
        pieces = [self.goal.losses(self._counts(breaks.first)[np.newaxis])]
        pieces += [self.goal.losses(counts[last[piece]]) for piece, counts in self._matrices(breaks)]
        short, loss = (np.concatenate(each) for each in zip(*pieces, strict=True))
        return short, loss, ends

    def _matrices(self, breaks: Breakpoints) -> Iterator[tuple[slice, Floats]]:
        """The confusion matrix after each breakpoint, in pieces."""
        now = self._counts(breaks.first)
        for start in range(0, breaks.at.size, _CHUNK):
            piece = slice(start, min(start + _CHUNK, breaks.at.size))
            counts, row = self.counted[breaks.segment[piece]], np.arange(piece.stop - start)
            change = np.zeros((row.size, *now.shape))
            change[row, :, breaks.after[piece]] = counts
            change[row, :, breaks.before[piece]] = -counts
            counts = now + np.cumsum(change, axis=0)
            now = counts[-1]
            yield piece, counts

    def _counts(self, actions: Indices) -> Floats:
        return np.stack([np.bincount(actions, each, self.regret.shape[1]) for each in self.counted.T])


def breakpoints(others: Floats, p: Floats, slope: Floats) -> Breakpoints:
    """Where the cheapest action of each segment changes as one weight grows from 0.

    Action a costs a segment `others[a]` + weight · p · slope[a]: a line, and the cheapest are the lower envelope. Lines
    that grow less come later, so actions are gone through by falling slope, for all segments at once.
    """
    by_slope = np.argsort(slope, kind="stable")
    lines, rise = others[by_slope], slope[by_slope]
    now = lines.argmin(axis=0)  # of equals the one that grows the least
    flat = p == 0
    first = by_slope[now]
    first[flat] = others[:, flat].argmin(axis=0)  # which stay as they are: the first listed of equals
    at, segment, before, after = [], [], [], []
    for c in range(slope.size - 1, 0, -1):
        steeper = int(np.searchsorted(rise, rise[c]))  # how many actions grow less than c
        some = np.flatnonzero((now == c) & ~flat)
        if not steeper or not some.size:
            continue
        cross = (lines[:steeper, some] - lines[c, some]) / (rise[c] - rise[:steeper])[:, np.newaxis]
        to = cross.argmin(axis=0)
        with np.errstate(over="ignore"):
            place = cross[to, np.arange(some.size)] / p[some]
        at.append(place)
        segment.append(some)
        before.append(np.full(some.size, by_slope[c]))
        after.append(by_slope[to])
        now[some] = to
    if not at:
        none = np.empty(0, dtype=np.int64)
        return Breakpoints(first, np.empty(0), none, none, none)
    place, segments, olds, news = (np.concatenate(each) for each in (at, segment, before, after))
    finite = np.flatnonzero(np.isfinite(place))
    order = finite[np.argsort(place[finite], kind="stable")]
    return Breakpoints(first, place[order], segments[order], olds[order], news[order])


def _some(segments: Segments) -> Segments:
    """Every so many segments, which come in the order of their vectors."""
    some = slice(None, None, _FEWER)
    return Segments(segments.probability[some], segments.counts[some], classes=segments.classes)


def _middle(low: float, high: float, stake: float, rest: float) -> float:
    """The middle of a range of a weight, on the scale of its share of the stakes.

    For two classes that share is the threshold, and this is the one that `choose` takes.
    """
    if not (stake > 0 and rest > 0):
        return low + 1.0 if math.isinf(high) else (low + high) / 2
    shares = [1.0 if math.isinf(end) else stake * end / (stake * end + rest) for end in (low, high)]
    share = (shares[0] + shares[1]) / 2
    value = share * rest / (stake * (1 - share)) if share < 1 else math.inf
    return value if low < value < high else math.sqrt(low) * math.sqrt(high) if math.isfinite(high) else 2 * low


def _starts(
    segments: Segments, costs: CostMatrix, factor: Floats, starts: Sequence[Start], seed: int
) -> dict[str, Floats]:
    """The weights to start from by name; the Bayes decision, "one", always is."""
    if isinstance(starts, str | Mapping):
        starts = (starts,)
    share, largest = segments.mix, costs.regret.costs.max(axis=1)
    points = {"one": factor}
    rng = np.random.default_rng(seed)
    for place, start in enumerate(starts):
        if isinstance(start, Mapping):
            points[f"given {place}"] = _given(start, segments.classes)
            continue
        require_one_of(start, STARTS, name="starts", fix="give some of them, or a weight for each class by its name")
        if start == "prior":
            points[start] = np.divide(factor, share, out=np.zeros(share.size), where=share > 0)
        elif start == "costs":
            points[start] = np.divide(factor, largest, out=np.ones(largest.size), where=largest > 0)
        elif start == "random":
            points[f"random {place}"] = factor * np.exp(rng.normal(size=share.size))
    return points


def _given(start: Mapping[Any, float], classes: Sequence[Any]) -> Floats:
    fix = f"give a weight of 0 or more for each class: {listed(classes)}"
    if len(start) != len(classes) or not all(any(same(name, each) for each in start) for name in classes):
        raise LabelError(f"{argument('starts')} names the classes {listed(list(start))}", fix)
    weights = np.array([float(next(w for each, w in start.items() if same(name, each))) for name in classes])
    if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise ArgumentError(f"{argument('starts')} has the weights {weights.tolist()}", fix, parameter="starts")
    return weights


def _certificate(goal: Goal, by_start: Mapping[str, float], *, classes: int, exact: bool) -> str:
    bayes = "" if goal.measure is not None else "never dearer on these rows than the Bayes decision; "
    if exact or classes == 2:
        why = "by the arrangement of all lines where decisions change" if exact else "two classes have one ratio"
        return f"{bayes}the best of all weights on these rows: {why}"
    starts = ", ".join(f"{name} {value:.4g}" for name, value in by_start.items())
    return (
        f"{bayes}no single weight can be improved on these rows; not proved the best of all weights"
        f" (reached from each start: {starts})"
    )
