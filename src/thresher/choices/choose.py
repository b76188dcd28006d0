"""`choose`: the best split of a ranking, with all its ties."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from thresher._internal.arguments import as_number, require_one_of
from thresher._internal.results import Result, Tabular
from thresher.cautions import Caution, extreme_class_ratio
from thresher.choices.isometric import straight_isometrics
from thresher.choices.objective import (
    TIED_WEIGHTS,
    advantage,
    compare_exactly,
    cost_objective,
    measure_objective,
    mix_factors,
    splits_near_best,
)
from thresher.curves.bounds import may_hide_better, may_hide_tie
from thresher.curves.hull import Splits, hull_splits
from thresher.errors import ArgumentError, InfeasibleError, MeasureError, argument
from thresher.ranking import Flags, Ranking, Segments, require_ranking
from thresher.tables import MEASURES, Contingency, Limit, Measure, Quantity, limits_of, measure, quantity, refusal
from thresher.tables.condition import OperatingCondition, require_condition
from thresher.tables.contingency import table_of

if TYPE_CHECKING:
    from thresher.choices.joint import JointChoice
    from thresher.choices.least_cost import ClassChoice
    from thresher.choices.points import TableChoice

Wanted: TypeAlias = str | Measure | Callable[[Contingency], Any]


@dataclass(frozen=True, slots=True, repr=False)
class Point(Result):
    """A split, its threshold and those equivalent to it, its table and its cost.

    `interval` is (lower, upper): every threshold t with lower < t <= upper makes the same calls.

    >>> from thresher import Ranking
    >>> point = choose(Ranking.parse("[3+][1-]")).point
    >>> point.split, point.threshold, point.interval, point.expected_cost
    (1, 1.5, (1.0, 2.0), 0.0)
    """

    split: int
    threshold: float
    interval: tuple[float, float]
    table: Contingency
    expected_cost: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Choice(Tabular):
    """The best split and everything that ties with it, under one condition.

    The recommended point is the middle one of the ties (of two middles the stricter). `holds_for` is the range of cost
    ratios over which it stays the cheapest, None when there is none. `runner_up` is the best of the splits that are
    strictly worse.
    """

    ranking: Ranking
    condition: OperatingCondition
    objective: str
    splits: Splits
    value: float
    holds_for: tuple[float, float] | None
    runner_up: Point | None
    cautions: tuple[Caution, ...]

    @property
    def point(self) -> Point:
        """The recommended point."""
        return point_of(self.ranking, int(self.splits[(self.splits.size - 1) // 2]), self.condition)

    @property
    def points(self) -> tuple[Point, ...]:
        """All points that tie for best, by falling threshold."""
        return tuple(point_of(self.ranking, int(split), self.condition) for split in self.splits)

    @property
    def threshold(self) -> float:
        """The recommended threshold: positive iff score >= threshold."""
        return self.point.threshold

    @property
    def interval(self) -> tuple[float, float]:
        """Thresholds equivalent to the recommended one: lower < t <= upper."""
        return self.point.interval

    @property
    def table(self) -> Contingency:
        """The contingency table at the recommended threshold."""
        return self.point.table

    @property
    def expected_cost(self) -> float:
        """Expected cost per case at the recommended threshold, under the condition."""
        return self.point.expected_cost

    @property
    def measures(self) -> dict[str, float]:
        """Every measure at the recommended threshold and the condition's class mix.

        >>> from thresher import OperatingCondition, Ranking
        >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
        >>> rare = choose(spam_tree, OperatingCondition(prevalence=0.01, cost_ratio=50))
        >>> round(rare.measures["precision"], 4), rare.table.precision
        (0.0294, 0.75)
        """
        table, declared = self.table, self.condition.class_ratio
        ratio = None if declared == self.ranking.class_ratio else declared  # None: counts are divided as such
        return {name: float(known.of(table, class_ratio=ratio)) for name, known in MEASURES.items()}

    @property
    def undecided(self) -> tuple[float, float] | None:
        """Scores for which tied thresholds disagree, None without ties."""
        if self.splits.size == 1:
            return None
        return self.ranking.threshold(int(self.splits[-1])), self.ranking.threshold(int(self.splits[0]))

    def _brief(self) -> str:
        more = " or more" if any(caution.code == "unresolved" for caution in self.cautions) else ""
        ties = f", {self.splits.size}{more} tied" if self.splits.size > 1 else ""
        by = "" if self.objective == "expected cost" else f"{self.objective} {self.value:.4g}, "
        return f"threshold={self.threshold:g}, {by}expected cost {self.expected_cost:.4g}{ties}"

    def _columns(self) -> Mapping[str, Any]:
        split, table = self.splits, table_of(self.ranking, self.splits)
        edges = np.concatenate([[np.inf], self.ranking.score, [-np.inf]])
        thresholds = {"threshold": self.ranking.thresholds()[split], "lower": edges[split + 1], "upper": edges[split]}
        return {"split": split, **thresholds, **table._columns(), "expected_cost": self.condition.expected_cost(table)}


@overload
def choose(
    ranking: Ranking,
    condition: OperatingCondition | None = ...,
    *,
    maximise: Wanted | None = ...,
    minimise: Wanted | None = ...,
    subject_to: str | Limit | Sequence[str | Limit] | None = ...,
    at_most: float | None = ...,
) -> Choice: ...
@overload
def choose(
    ranking: Segments,
    condition: OperatingCondition | None = ...,
    *,
    fit: Literal["weights"] | None = ...,
    maximise: str | Measure | None = ...,
    subject_to: str | Limit | Sequence[str | Limit] | None = ...,
    starts: Sequence[str | Mapping[Any, float]] | None = ...,
    seed: int = ...,
    exact: bool = ...,
) -> ClassChoice: ...
@overload
def choose(  # type: ignore[overload-overlap]  # rankings alone are models, whose thresholds are chosen too
    ranking: Mapping[str, Ranking], condition: OperatingCondition | None = ...
) -> JointChoice: ...
@overload
def choose(ranking: Mapping[str, Contingency | Ranking], condition: OperatingCondition | None = ...) -> TableChoice: ...
def choose(
    ranking: Ranking | Segments | Mapping[str, Ranking] | Mapping[str, Contingency | Ranking],
    condition: OperatingCondition | None = None,
    *,
    maximise: Wanted | None = None,
    minimise: Wanted | None = None,
    subject_to: str | Limit | Sequence[str | Limit] | None = None,
    at_most: float | None = None,
    fit: Literal["weights"] | None = None,
    starts: Sequence[str | Mapping[Any, float]] | None = None,
    seed: int = 0,
    exact: bool = False,
) -> Choice | ClassChoice | JointChoice | TableChoice:
    """Choose the best threshold or action, the best of several models or of tables.

    The choice is exact: every split is a candidate, and all ties are returned. Without a measure the expected cost
    under `condition` is minimised; without a condition either, errors cost the same and the class ratio is that of the
    data. A measure is taken at the condition's class ratio if one is declared.

    Parameters
    ----------
    ranking
        The scored cases; or a mapping of models' names to their rankings, of which the cheapest is chosen. Classifiers
        that are tables, a `Contingency` each, may be among them. For `Segments` of k classes, the action of least
        expected cost is chosen (a `ClassChoice`); nothing is fitted unless asked for.
    condition
        Costs and class ratio at deployment.
    maximise, minimise
        A measure by name, also within a constraint ("specificity@recall>=0.9"), a `Measure`, or a function of a
        `Contingency` with array cells.
    subject_to
        Constraints such as "recall >= 0.9" or ["fpr <= 0.01", "precision > 0.5"], or parsed ones (`Limit`).
    at_most
        The largest number of cases of the data that may be called positive.
    fit
        Of segments: "weights" searches weights of the classes, each the best given the others, for the least cost or
        for a measure such as "macro_f1", within limits such as "recall[L] >= 0.8". What it proves is in `certificate`.
    starts, seed
        Where the search begins: some of "one" (the Bayes decision, always among them), "prior" (weights inverse to how
        common classes are), "costs" (inverse to their largest cost) and "random", or a weight for each class by name.
    exact
        Of three classes and at most 400 segments: the best of all weights.

    Examples
    --------
    >>> from thresher import rank
    >>> emails = rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> choose(emails)
    Choice(threshold=0.28, expected cost 0.2)
    >>> tied = choose(emails, OperatingCondition(class_ratio=3/4))
    >>> [point.threshold for point in tied.points], tied.threshold, tied.undecided
    ([0.77, 0.56, 0.28], 0.56, (0.28, 0.77))
    >>> choose(emails, maximise="accuracy", subject_to="fpr <= 0.25").threshold
    0.56
    >>> choose({"tree": emails, "coin": Ranking([0.5], pos=[6], neg=[4])})
    JointChoice('tree' at threshold 0.28, expected cost 0.2)
    >>> choose({"tree": emails, "rule": Contingency(tp=5, fn=1, fp=0, tn=4)})
    TableChoice(rule, expected cost 0.1)
    """
    split: dict[str, Any] = {"maximise": maximise, "minimise": minimise, "subject_to": subject_to, "at_most": at_most}
    weights: dict[str, Any] = {"fit": fit, "starts": starts, "seed": seed, "exact": exact}
    if isinstance(ranking, Segments):
        if minimise is not None or at_most is not None:
            fix = f"give {argument('maximise')} or {argument('subject_to')}; without, a cost is minimised"
            raise ArgumentError(f"{argument('minimise')} and {argument('at_most')} are for two classes", fix)
        return _choose_action(ranking, condition, maximise=maximise, subject_to=subject_to, **weights)
    if fit is not None or starts is not None or exact:
        raise ArgumentError("weights are fitted to segments of k classes alone", f"leave {argument('fit')} out")
    if isinstance(ranking, Mapping):
        if any(option is not None for option in split.values()):
            fix = "choose by a measure or within constraints for one ranking at a time"
            raise ArgumentError("several models are compared by their expected cost alone", fix)
        return _choose_model(ranking, condition)
    return _choose_split(ranking, condition, **split)


def _choose_action(
    segments: Segments,
    condition: OperatingCondition | None,
    *,
    fit: Any,
    starts: Any,
    seed: int,
    exact: bool,
    **wanted: Any,
) -> ClassChoice:
    """What to do with cases of k classes, by given or by fitted weights."""
    from thresher.choices.least_cost import choose_action
    from thresher.choices.weights import fit_weights

    if fit is not None:
        require_one_of(fit, ("weights",), name="fit", fix='pass "weights", or leave it out: nothing is fitted then')
        options = wanted if starts is None else wanted | {"starts": starts}
        return fit_weights(segments, condition, seed=seed, exact=exact, **options)
    if starts is not None or exact or any(option is not None for option in wanted.values()):
        what = "without weights to fit, segments are decided by their expected cost alone"
        raise ArgumentError(what, f"pass {argument('fit', 'weights')}, or leave the other options out")
    return choose_action(segments, condition)


def _choose_model(models: Mapping[str, Any], condition: OperatingCondition | None) -> JointChoice | TableChoice:
    """The cheapest of several models, tables among them."""
    from thresher.choices.joint import choose_model
    from thresher.choices.points import choose_table

    if any(isinstance(each, Contingency) for each in models.values()):
        return choose_table(models, condition)
    return choose_model(models, condition)


def _choose_split(
    ranking: Ranking,
    condition: OperatingCondition | None,
    *,
    maximise: Wanted | None,
    minimise: Wanted | None,
    subject_to: str | Limit | Sequence[str | Limit] | None,
    at_most: float | None,
) -> Choice:
    """The best split of one ranking, with all its ties."""
    require_ranking(ranking, both_classes=True)
    asked = operating_condition(condition)
    resolved = asked.for_data(ranking)
    wanted, within = _parse_objective(maximise, minimise)
    limits = (*limits_of(subject_to), *within)
    exact = ranking.in_units()  # weights that are whole in some unit tie as rows do
    tables = partial(_tables, exact, asked)
    allowed = _feasible_splits(ranking, tables, limits, at_most)
    candidates: Splits | slice = slice(None) if allowed is None else np.flatnonzero(allowed)
    by_measure = partial(measure_objective, wanted, maximise=maximise is not None)
    if wanted is None:
        objective = cost_objective(exact, asked, candidates)
    elif allowed is None and not exact.weighted and straight_isometrics(wanted):
        corner = hull_splits(exact, pool="ties")
        candidates = splits_near_best(corner, by_measure(tables(wanted, corner)).loss(slice(None)))
        objective = by_measure(tables(wanted, candidates))
    else:
        objective = by_measure(tables(wanted), candidates)
    if wanted is not None and asked.class_ratio is not None:
        objective = compare_exactly(objective, wanted, exact, asked.class_ratio, candidates)
    best, next_best = objective.best()
    splits, second = (best, next_best) if isinstance(candidates, slice) else (candidates[best], candidates[next_best])
    middle = (splits.size - 1) // 2
    point = point_of(ranking, int(splits[middle]), resolved)
    return Choice(
        ranking=ranking,
        condition=resolved,
        objective=objective.name,
        splits=splits,
        value=point.expected_cost if objective.values is None else float(objective.values[best[middle]]),
        holds_for=_holds_for(exact, asked, point.split, allowed),
        runner_up=point_of(ranking, int(second[0]), resolved) if second.size else None,
        cautions=_cautions(ranking, asked, point.split, free=wanted is None and not limits and at_most is None),
    )


def _parse_objective(maximise: Wanted | None, minimise: Wanted | None) -> tuple[Wanted | None, tuple[Limit, ...]]:
    """What is optimised, None for the cost, and the constraints that follow its name."""
    if maximise is not None and minimise is not None:
        raise ArgumentError(f"both {argument('maximise')} and {argument('minimise')} are given", "give one of them")
    wanted = minimise if maximise is None else maximise
    if not isinstance(wanted, str):
        return wanted, ()
    asked = quantity(wanted)
    if asked == Quantity("expected_cost"):
        if maximise is None:
            return None, ()
        fix = f"pass {argument('minimise', 'expected_cost')}, or leave it out"
        raise MeasureError("expected_cost is better when lower", fix)
    if asked.measure is None or asked.threshold is not None or asked.of_several:
        why = "fixes the threshold" if asked.threshold is not None else "is no measure of a table at one threshold"
        raise refusal(f"{asked} {why}, so no threshold is best by it", ["expected_cost", *MEASURES])
    return asked.measure, asked.limits


def operating_condition(condition: Any) -> OperatingCondition:
    """The condition, by default errors that cost the same at the data's class ratio."""
    if condition is None:
        return OperatingCondition()
    hint = f"; to choose by a measure, pass {argument('maximise', condition)}" if isinstance(condition, str) else ""
    require_condition(condition, hint)
    return condition


def point_of(ranking: Ranking, split: int, condition: OperatingCondition) -> Point:
    """What one split does under a condition."""
    table = table_of(ranking, split)
    return Point(split, ranking.threshold(split), ranking.interval(split), table, float(condition.expected_cost(table)))


def _tables(
    ranking: Ranking, condition: OperatingCondition, wanted: Wanted, at: Splits | slice = slice(None)
) -> Contingency:
    """The tables of some splits at the condition's class ratio, exact where possible.

    Measures that do not depend on the class ratio are taken from the counts themselves, which nothing rounds.
    """
    up, down = 1.0, 1.0
    mixed = callable(wanted) or measure(wanted).depends_on_mix
    if condition.class_ratio is not None and mixed:
        up, down = mix_factors(condition.class_ratio, ranking.Pos, ranking.Neg)
    (tp, fp), (fn, tn) = (covered[at] for covered in ranking.covered()), ranking.uncovered(at)
    cells = tp * up, fn * up, fp * down, tn * down
    for cell in cells:
        cell.flags.writeable = False  # a table copies what its maker could still change
    return Contingency(*cells)


def _feasible_splits(
    ranking: Ranking, tables: Callable[[Wanted], Contingency], limits: tuple[Limit, ...], at_most: Any
) -> Flags | None:
    """Splits that meet every constraint; None when there is none to meet."""
    if at_most is None and not limits:
        return None
    allowed = np.ones(len(ranking) + 1, dtype=np.bool_)
    if at_most is not None:
        if not as_number(at_most) >= 0:
            what = f"{argument('at_most')} must be a number, 0 or more, got {at_most!r}"
            raise ArgumentError(what, "give a number of cases", parameter="at_most")
        tp, fp = ranking.covered()
        rounding = TIED_WEIGHTS if ranking.weighted else 0.0  # 0.1 + 0.2 is no more than 0.3
        allowed &= tp + fp <= at_most * (1 + rounding)
    for limit in limits:
        meets = allowed & limit.holds(tables(limit.measure))
        if not meets.any():
            raise _infeasible(limit, tables(limit.measure), allowed)
        allowed = meets
    if not allowed.any():
        what = f"every threshold calls more than {at_most:g} cases positive"
        raise InfeasibleError(what, "allow more", parameter="at_most")
    return allowed


def _infeasible(limit: Limit, tables: Contingency, allowed: Flags) -> InfeasibleError:
    left = Contingency(*(getattr(tables, cell)[allowed] for cell in ("tp", "fn", "fp", "tn")))
    values = limit.measure.of(left)
    defined = values[~np.isnan(values)]
    nearest = math.nan if not defined.size else defined.max() if ">" in limit.relation else defined.min()
    rest = "" if allowed.all() else " together with the other constraints"
    what = f"no threshold meets {limit}{rest}; the closest is {limit.measure.name} = {nearest:.4g}"
    return InfeasibleError(what, "relax it, or look for a better model", parameter="subject_to")


def _holds_for(
    ranking: Ranking, condition: OperatingCondition, split: int, allowed: Flags | None
) -> tuple[float, float] | None:
    """Cost ratios for which a split is cheapest of those allowed: slopes on its sides."""
    # Without constraints only the hull can be cheaper; with them, any split that meets them.
    rivals = hull_splits(ranking) if allowed is None else np.flatnonzero(allowed)
    before, after = rivals[rivals < split], rivals[rivals > split]
    tp, fp = ranking.covered()
    ratio = 1.0 if condition.class_ratio is None else ranking.class_ratio / condition.class_ratio
    with np.errstate(divide="ignore", invalid="ignore"):  # weights too small to add anything: 0/0, no rival
        least = (fp[split] - fp[before]) / (tp[split] - tp[before])
        most = (fp[after] - fp[split]) / (tp[after] - tp[split])
    low, high = np.fmax.reduce(least, initial=0.0), np.fmin.reduce(most, initial=np.inf)
    if low > high:  # cheaper nowhere, unless the two meet but for rounding
        near = before[np.nanargmax(least)], split, after[np.nanargmin(most)]
        places = [(fp[each] / ranking.Neg, tp[each] / ranking.Pos) for each in near]
        if advantage(*places) < -TIED_WEIGHTS:
            return None
        low, high = high, low
    return float(low * ratio), float(high * ratio)


def _cautions(ranking: Ranking, asked: OperatingCondition, split: int, *, free: bool) -> tuple[Caution, ...]:
    """What to know about a choice; a `free` one has the least cost of all splits."""
    texts = {}
    if split in (0, len(ranking)):
        code, calls = ("all-negative", "no case") if split == 0 else ("all-positive", "every case")
        texts[code] = f"the best rule here calls {calls} positive, whatever its score"
    if ranking.ranges is not None:
        slope = asked.slope_coverage(ranking)
        better = int((may_hide_better(ranking, slope) if free else ranking.ranges.mixed).sum())
        ties = int(may_hide_tie(ranking, slope).sum()) if free and not better else 0
        hidden = "a better split; th.bounds says what one could save" if better else "splits that cost the same"
        if better or ties:
            segments = f"{better or ties:,} of {len(ranking):,} segments count ranges of scores"
            texts["unresolved"] = f"{segments} and may hide {hidden}"
    if asked.class_ratio is None:
        texts["class-ratio-from-data"] = f"no class ratio declared, so the data's {ranking.class_ratio:.4g} is used"
    ratio = ranking.class_ratio if asked.class_ratio is None else asked.class_ratio
    return (*(Caution(code, text) for code, text in texts.items()), *extreme_class_ratio(ratio, 1))
