"""Which statistics a bootstrap computes, for which models and any draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np

from thresher.curves import auc, partial_auc
from thresher.errors import ArgumentError, OneClassError
from thresher.inference.bootstrap.quantities import DecomposedAt, Mix, quantity_statistic
from thresher.inference.bootstrap.sample import Parts, Resampled, Sample, Times
from thresher.inference.bootstrap.statistics import Decomposed, MeasureAt
from thresher.ranking import Floats, Ranking
from thresher.tables import OperatingCondition, quantity

_WITHIN_CLASSES = (auc, partial_auc)  # also where functools.partial holds their arguments


@runtime_checkable
class Statistic(Protocol):
    """What is computed on every replicate: `parts` on some of them, then `values` of all their parts at once.

    `names` are those of the rows of `values`. `variance`, where it is known, is that of the estimate on a ranking;
    `smooth` says whether small changes of the data change it little, as bias correction and acceleration assume;
    `depends_on_mix` whether it changes with the shares of the classes, which must then vary in draws as in samples.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """What its values are called."""

    @property
    def smooth(self) -> bool:
        """Whether small changes of the data change it little."""

    @property
    def depends_on_mix(self) -> bool:
        """Whether it changes with the class ratio while both classes stay as they are."""

    @property
    def variance(self) -> Callable[[Ranking], float] | None:
        """The variance of the estimate on a ranking, where it is known."""

    def require(self, ranking: Ranking) -> None:
        """Raise where the sample cannot answer."""

    def parts(self, drawn: Resampled) -> Parts:
        """A few numbers of one replicate, or of several, in arrays."""

    def values(self, parts: Floats) -> Floats:
        """A row per name, a column per replicate, from the parts in columns."""


@dataclass(frozen=True, slots=True)
class OfRanking:
    """Any function from a ranking to a number; a replicate that it refuses for want of a class counts as NaN.

    Unless it is said to depend on the classes' own distributions alone, it is taken to depend on their mix as well.

    >>> OfRanking("segments", len).names
    ('segments',)
    >>> from thresher.curves import ks
    >>> OfRanking("ks", lambda ranking: ks(ranking).statistic, depends_on_mix=False).depends_on_mix
    False
    """

    name: str
    function: Callable[[Ranking], float]
    mix: Mix = field(default_factory=Mix)
    depends_on_mix: bool = True
    smooth: ClassVar[bool] = True
    variance: ClassVar[None] = None

    @property
    def names(self) -> tuple[str, ...]:
        """The name given."""
        return (self.name,)

    def require(self, ranking: Ranking) -> None:
        """Whatever the function refuses, it refuses on the sample itself first; what is no number is refused too."""
        found = self.function(_stated(ranking, ranking.score, self.mix))
        try:
            float(found)
        except (TypeError, ValueError):
            what = f"the statistic {self.name!r} gives {found!r}, which is no number"
            raise ArgumentError(what, "give a function that makes one number of a ranking") from None

    def parts(self, drawn: Resampled) -> Parts:
        """The value itself."""
        return (np.reshape([self._value(one) for one in drawn.each()], np.shape(drawn.Pos)),)

    def _value(self, one: Resampled) -> float:
        try:
            return float(self.function(_stated(one.ranking(), one.order.score, self.mix)))
        except OneClassError:
            return math.nan

    def values(self, parts: Floats) -> Floats:
        """The values as they are."""
        return parts


def _stated(ranking: Ranking, scores: Floats, mix: Mix) -> Ranking:
    """A replicate at the mix; whether scores are probabilities is for those of the sample to say."""
    return mix.ranking(ranking, probabilities=bool(scores[0] <= 1 and scores[-1] >= 0))


Wanted: TypeAlias = str | Statistic | Callable[[Ranking], float]
_DECOMPOSITION = "decomposition"  # one fit, several quantities


def statistics_of(
    wanted: Wanted | Sequence[Wanted] | Mapping[str, Wanted],
    mix: Mix | None = None,
    condition: OperatingCondition | None = None,
) -> dict[tuple[str, ...], Statistic]:
    """Statistics by the names of their values, at a class mix and under a condition.

    Each is the text of a quantity ("auc", "net_benefit@0.05"), "decomposition", a `Statistic`, or a function of a
    ranking, which is taken to depend on the mix of the classes, but for `auc` and `partial_auc`;
    `OfRanking(name, function, depends_on_mix=False)` says otherwise. A text names its value; a mapping names them
    otherwise, and where a statistic has several values, the name comes before theirs.

    >>> list(statistics_of(["auc", "recall@threshold=0.5", len]))
    [('auc',), ('recall@threshold=0.5',), ('len',)]
    >>> list(statistics_of({"area": "auc"}))
    [('area',)]
    """
    at = Mix() if mix is None else mix
    if isinstance(wanted, Mapping):
        named = [(name, _statistic(each, name, at, condition)) for name, each in wanted.items()]
        found = {_renamed(each.names, name): each for name, each in named}
    else:
        several = wanted if isinstance(wanted, Sequence) and not isinstance(wanted, str) else [wanted]
        each_one = [(each, _statistic(each, getattr(each, "__name__", "statistic"), at, condition)) for each in several]
        found = {}
        for text, each in each_one:
            own = isinstance(text, str) and text != _DECOMPOSITION
            found[(str(text).strip(),) if own else each.names] = each
        if len(found) < len(each_one):
            raise _same_name([name for _, each in each_one for name in each.names])
    names = [name for group in found for name in group]
    if not names:
        raise ArgumentError("there are no statistics", 'give e.g. ["auc"]')
    if len(set(names)) < len(names):
        raise _same_name(names)
    return found


def _statistic(wanted: Wanted, name: str, mix: Mix, condition: OperatingCondition | None) -> Statistic:
    if isinstance(wanted, str):
        if wanted != _DECOMPOSITION:
            found: Statistic = quantity_statistic(quantity(wanted), mix, condition)
            return found
        return DecomposedAt(mix) if mix.declared or mix.restates else Decomposed()
    if isinstance(wanted, type) or not (isinstance(wanted, Statistic) or callable(wanted)):
        raise ArgumentError(f"{wanted!r} is no statistic", "give a quantity, a Statistic or a function of a ranking")
    if isinstance(wanted, MeasureAt) and wanted.class_ratio is None:
        return replace(wanted, class_ratio=mix.class_ratio)
    if isinstance(wanted, Statistic):
        return wanted
    mixed = not mix.declared and getattr(wanted, "func", wanted) not in _WITHIN_CLASSES
    return OfRanking(name, wanted, mix, depends_on_mix=mixed)


def _renamed(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return (name,) if len(names) == 1 else tuple(f"{name} {each}" for each in names)


def _same_name(names: Sequence[str]) -> ArgumentError:
    twice = next(name for name in names if names.count(name) > 1)
    return ArgumentError(
        f"two statistics are called {twice!r}", 'name them: {"recall at 0.5": MeasureAt("recall", 0.5), ...}'
    )


PartsByModel: TypeAlias = list[list[Floats]]
Answers: TypeAlias = dict[tuple[str, str], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Statistics, by the names of their values, of every model of a sample."""

    sample: Sample
    statistics: Mapping[tuple[str, ...], Statistic]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all values."""
        return tuple(name for names in self.statistics for name in names)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of all models."""
        return tuple(self.sample.orders)

    def statistic(self, name: str) -> Statistic:
        """The statistic that a value belongs to."""
        return next(statistic for names, statistic in self.statistics.items() if name in names)

    def require(self) -> None:
        """Raise where the sample itself cannot answer."""
        for order in self.sample.orders.values():
            ranking = Resampled.of(order, self.sample.cases).ranking()
            ranking.require_both_classes()
            for statistic in self.statistics.values():
                statistic.require(ranking)

    def parts(self, draws: Iterable[Times]) -> PartsByModel:
        """For every model and statistic, the parts of every replicate in columns; a draw holds one or several."""
        models = list(self.sample.orders.items())
        kinds = list(self.statistics.values())
        found: list[list[list[Floats]]] = [[[] for _ in kinds] for _ in models]
        for times in draws:
            for (model, order), of_model in zip(models, found, strict=True):
                drawn = Resampled.of(order, times, model=model)
                for statistic, of_statistic in zip(kinds, of_model, strict=True):
                    of_statistic.append(_in_columns(statistic.parts(drawn), drawn))
        return [[np.concatenate(parts, axis=1) for parts in of_model] for of_model in found]

    def answers(self, blocks: Sequence[PartsByModel]) -> Answers:
        """The values of every statistic from the parts of all blocks, by (model, name)."""
        found: Answers = {}
        for i, model in enumerate(self.models):
            for j, (names, statistic) in enumerate(self.statistics.items()):
                values = statistic.values(np.concatenate([parts[i][j] for parts in blocks], axis=1))
                for name, row in zip(names, values, strict=True):
                    row.flags.writeable = False
                    found[model, name] = row
        return found

    def observed(self) -> Mapping[tuple[str, str], float]:
        """The values on the sample itself."""
        return {key: float(row[0]) for key, row in self.answers([self.parts([self.sample.cases])]).items()}


def _in_columns(parts: Sequence[Any], drawn: Resampled) -> Floats:
    """The parts of a statistic, a column for each replicate."""
    found = np.array(parts, dtype=np.float64)
    if found.shape[1:] != np.shape(drawn.Pos):
        raise ArgumentError(
            f"a statistic gives parts of shape {found.shape[1:]} for replicates of shape {np.shape(drawn.Pos)}",
            "let parts(drawn) give a number for each replicate: only the last axis of drawn.tp runs over groups",
        )
    return found.reshape(len(found), -1)
