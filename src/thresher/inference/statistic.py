"""`Statistic`: a few sums per replicate, and everything else for all replicates at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np

from thresher.curves import auc, partial_auc
from thresher.errors import ArgumentError, OneClassError
from thresher.inference.resampled import Parts, Resampled
from thresher.inference.whole_statistics import Auc, Brier, Decomposed
from thresher.ranking import Floats, Ranking

_WHERE = "bootstrap(..., statistics)"
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
    depends_on_mix: bool = True
    smooth: ClassVar[bool] = True
    variance: ClassVar[None] = None

    @property
    def names(self) -> tuple[str, ...]:
        """The name given."""
        return (self.name,)

    def require(self, ranking: Ranking) -> None:
        """Whatever the function refuses, it refuses on the sample itself first; what is no number is refused too."""
        found = self.function(ranking)
        try:
            float(found)
        except (TypeError, ValueError):
            what = f"the statistic {self.name!r} gives {found!r}, which is no number"
            raise ArgumentError(what, _WHERE, "give a function that makes one number of a ranking") from None

    def parts(self, drawn: Resampled) -> Parts:
        """The value itself."""
        return (np.reshape([self._value(one) for one in drawn.each()], np.shape(drawn.Pos)),)

    def _value(self, one: Resampled) -> float:
        try:
            return float(self.function(one.ranking()))
        except OneClassError:
            return math.nan

    def values(self, parts: Floats) -> Floats:
        """The values as they are."""
        return parts


Wanted: TypeAlias = str | Statistic | Callable[[Ranking], float]
BY_NAME: Mapping[str, Statistic] = {"auc": Auc(), "brier": Brier(), "decomposition": Decomposed()}


def statistics_of(wanted: Wanted | Sequence[Wanted] | Mapping[str, Wanted]) -> dict[tuple[str, ...], Statistic]:
    """Statistics by the names of their values.

    Each is a name ("auc", "brier", "decomposition"), a `Statistic`, or a function of a ranking. A function is taken to
    depend on the mix of the classes, but for `auc` and `partial_auc`; `OfRanking(name, function, depends_on_mix=False)`
    says otherwise. A mapping names them;
    where a statistic has several values, the name comes before theirs.

    >>> list(statistics_of(["auc", len]))
    [('auc',), ('len',)]
    >>> list(statistics_of({"area": "auc"}))
    [('area',)]
    """
    if isinstance(wanted, Mapping):
        named = [(name, _statistic(each, name)) for name, each in wanted.items()]
        found = {_renamed(each.names, name): each for name, each in named}
    else:
        several = wanted if isinstance(wanted, Sequence) and not isinstance(wanted, str) else [wanted]
        each_one = [_statistic(each, getattr(each, "__name__", "statistic")) for each in several]
        found = {}
        for each in each_one:
            found[each.names] = each
        if len(found) < len(each_one):
            raise _same_name([name for each in each_one for name in each.names])
    names = [name for group in found for name in group]
    if not names:
        raise ArgumentError("there are no statistics", _WHERE, 'give e.g. ["auc"]')
    if len(set(names)) < len(names):
        raise _same_name(names)
    return found


def _statistic(wanted: Wanted, name: str) -> Statistic:
    if isinstance(wanted, str):
        if wanted not in BY_NAME:
            raise ArgumentError(
                f"there is no statistic called {wanted!r}",
                _WHERE,
                f"give {', '.join(BY_NAME)}, or MeasureAt({wanted!r}, threshold) for a measure at a threshold",
            )
        return BY_NAME[wanted]
    if isinstance(wanted, type) or not (isinstance(wanted, Statistic) or callable(wanted)):
        raise ArgumentError(
            f"{wanted!r} is no statistic", _WHERE, "give a name, a Statistic or a function of a ranking"
        )
    if isinstance(wanted, Statistic):
        return wanted
    return OfRanking(name, wanted, depends_on_mix=getattr(wanted, "func", wanted) not in _WITHIN_CLASSES)


def _renamed(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return (name,) if len(names) == 1 else tuple(f"{name} {each}" for each in names)


def _same_name(names: Sequence[str]) -> ArgumentError:
    twice = next(name for name in names if names.count(name) > 1)
    return ArgumentError(
        f"two statistics are called {twice!r}", _WHERE, 'name them: {"recall at 0.5": MeasureAt("recall", 0.5), ...}'
    )
