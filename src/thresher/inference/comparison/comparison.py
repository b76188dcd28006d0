"""`Comparison`: several models pair by pair."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from thresher._internal.arguments import is_one_of, require_number, require_one_of
from thresher._internal.results import ReadOnly, ReadOnlyFields, Tabular, rows_of
from thresher._internal.text import visible
from thresher.curves import auc
from thresher.errors import ArgumentError, argument
from thresher.inference.comparison.difference import (
    Better,
    Difference,
    Pair,
    auc_contrast,
    bootstrap_difference,
    compare_unpaired,
    holm,
    shown_p,
)
from thresher.inference.intervals.auc import AucCovariance, Matrix
from thresher.ranking import Floats, Ranking, require_rankings

Correction: TypeAlias = Literal["holm", "none"]
MOST_IN_PAIRS = 20  # models of which every pair is compared unless something else is asked for
EVERY = "all"


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which models are compared: every pair, or one model with each of the others.

    `against` is "all", a model's name, or None: every pair of up to 20 models, beyond that the best model with each.
    """

    against: str | None
    better: Better

    @classmethod
    def of(cls, against: Any, names: tuple[str, ...], better: Better) -> Pairing:
        """Refuse what is neither "all" nor a model."""
        if against is not None and not is_one_of(against, (EVERY, *names)):
            what = f"{argument('against')} must be {EVERY!r} or a model, got {against!r}"
            raise ArgumentError(what, f"name one of {', '.join(names)}", parameter="against")
        return cls(against, better)

    def model(self, estimates: Mapping[str, float]) -> str | None:
        """The model that the others are compared with; None where every pair is."""
        if self.against == EVERY and EVERY not in estimates:
            return None
        if self.against is not None or len(estimates) <= MOST_IN_PAIRS:
            return self.against
        sign = -1 if self.better == "lower" else 1
        return max(estimates, key=lambda name: -math.inf if math.isnan(estimates[name]) else sign * estimates[name])

    def pairs(self, estimates: Mapping[str, float]) -> list[Pair]:
        """Pairs of names, A minus B."""
        one = self.model(estimates)
        if one is None:
            return list(itertools.combinations(estimates, 2))
        return [(one, other) for other in estimates if other != one]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(ReadOnlyFields, Tabular):
    """Models pair by pair: `comparison["a", "b"]` is A minus B.

    `estimates` is the measure of each model on the data; `spread` how the AUCs vary, in the order of `names`, None for
    other measures. `pairs` is how many cases, or clusters, the scarcer class has. `dropped` counts rows left out on
    request. `against` is the model that was compared with each of the others, None where every pair was compared.
    `paired` says that all models scored the same rows. Every difference takes its margin, better side and adjusted
    p-value from here.
    """

    names: tuple[str, ...]
    measure: str
    better: Better
    estimates: Mapping[str, float]
    differences: Mapping[Pair, Difference]
    spread: AucCovariance | None
    pairs: float
    level: float
    margin: float
    correction: Correction
    clustered: bool = False
    dropped: int = 0
    against: str | None = None
    paired: bool = True

    def __post_init__(self) -> None:
        p_values = [one.p_value for one in self.differences.values()]
        # The best of many models was picked by looking at all of them, so that every pair counts.
        among = math.comb(len(self.names), 2) if self.against is not None and len(self.names) > MOST_IN_PAIRS else 0
        adjusted = holm(p_values, among=among) if self.correction == "holm" else p_values
        differences = {
            pair: replace(one, p_adjusted=p, margin=self.margin, better=self.better)
            for (pair, one), p in zip(self.differences.items(), adjusted, strict=True)
        }
        object.__setattr__(self, "differences", differences)
        ReadOnlyFields.__post_init__(self)

    @property
    def covariance(self) -> Matrix | None:
        """The covariance of the AUCs in the order of `names`, None for other measures."""
        return None if self.spread is None else self.spread.total

    def __getitem__(self, pair: tuple[str, str]) -> Difference:
        key: Any = pair
        if isinstance(key, tuple) and all(is_one_of(name, self.names) for name in key):
            if pair in self.differences:
                return self.differences[pair]
            if pair[::-1] in self.differences:
                return self.differences[pair[::-1]].mirrored
            if self.against is not None and len({*key}) == 2:
                what = f"{pair[0]!r} and {pair[1]!r} were not compared, each was with {self.against!r}"
                raise ArgumentError(what, f"pass {argument('against', EVERY)}, or {argument('against', pair[0])}")
        raise ArgumentError(
            f"there is no pair {pair!r} among the models {', '.join(self.names)}", fix="name two different models"
        )

    def contrast(self, weights: Mapping[str, float]) -> Difference:
        """A weighted sum of the AUCs, e.g. one model against the mean of two others.

        Weights sum to 0.

        >>> from thresher.inference import compare
        >>> labels, near = [1, 1, 1, 0, 0, 0], [6, 5, 2, 4, 3, 1]
        >>> comparison = compare(labels, {"a": near, "b": [6, 4, 3, 5, 2, 1], "c": [6, 3, 1, 5, 4, 2]})
        >>> print(comparison.contrast({"a": 1, "b": -0.5, "c": -0.5}))
        a - (0.5 b + 0.5 c)  0.1667 [-0.4247, 0.7580]  p 0.45  undecided
        """
        if self.spread is None:
            what = f"contrasts are for AUCs, not for {self.measure}"
            raise ArgumentError(what, f"compare with {argument('measure', 'auc')}")
        if not isinstance(weights, Mapping):
            raise ArgumentError(f"weights are given by model, and this is {weights!r}", 'e.g. {"a": 1, "b": -1}')
        for name, weight in weights.items():
            require_number(weight, name=str(name))
        strange = [name for name in weights if name not in self.names]
        if strange or not weights:
            what = f"weights name {strange or 'no model'}, and the models are {', '.join(self.names)}"
            raise ArgumentError(what, "give a weight to models that were compared")
        of = np.array([float(weights.get(name, 0.0)) for name in self.names])
        if not (np.isfinite(of).all() and abs(of.sum()) <= 1e-9 * np.abs(of).sum() and of.any()):
            what = f"the weights sum to {of.sum():g}, and those of a contrast sum to 0"
            raise ArgumentError(what, 'e.g. {"a": 1, "b": -0.5, "c": -0.5}')
        estimate = float(of @ np.array([self.estimates[name] for name in self.names]))
        names = _weighted_sum(self.names, of), _weighted_sum(self.names, -of)
        difference = auc_contrast(estimate, of, self.spread, names, level=self.level, clustered=self.clustered)
        return replace(difference, margin=self.margin)

    def __str__(self) -> str:
        wide = max(len("model"), *(len(name) for name in self.names))
        lines = [f"{'model':<{wide}}   {self.measure}"]
        lines += [f"{name:<{wide}}   {self.estimates[name]:.4f}" for name in self.names]
        table = [("pair", "difference", f"{self.level:.4g} limits", "p", "adjusted", "verdict on the first")]
        for one in self.differences.values():
            limits = f"[{one.lower:.4f}, {one.upper:.4f}]"
            numbers = f"{one.difference:.4f}", limits, shown_p(one.p_value), shown_p(one.p_adjusted)
            table.append((f"{one.a} - {one.b}", *numbers, one.verdict))
        widths = [max(len(row[i]) for row in table) for i in range(6)]
        for row in table:
            cells = [f"{row[0]:<{widths[0]}}", *(f"{row[i]:>{widths[i]}}" for i in range(1, 5)), row[5]]
            lines.append("   ".join(cells))
        return "\n".join(map(visible, [*lines, *self.remarks]))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to know about the pairs: that not all were compared."""
        if self.against is None or len(self.names) == 2:
            return ()
        return (f"{self.against} is compared with each of the other models, and those not with each other.",)

    def among(self, names: Collection[str]) -> Comparison:
        """The same for some of the models; p-values stay adjusted for every pair.

        The covariance is left out, and with it contrasts.
        """
        few = tuple(name for name in self.names if name in names)
        estimates = {name: self.estimates[name] for name in few}
        shorter = replace(self, names=few, estimates=estimates, differences={}, spread=None)
        pairs = {pair: one for pair, one in self.differences.items() if set(pair) <= set(few)}
        object.__setattr__(shorter, "differences", ReadOnly(pairs))
        return shorter

    def _brief(self) -> str:
        estimates = ", ".join(f"{name} {self.estimates[name]:.4g}" for name in self.names)
        return f"{self.measure}: {estimates}; {len(self.differences):,} pair{'s' * (len(self.differences) != 1)}"

    def _columns(self) -> Mapping[str, Any]:
        shown = "difference", "lower", "upper", "p_value", "p_adjusted", "verdict", "level", "method", "note"
        return rows_of([{name: getattr(one, name) for name in ("a", "b", *shown)} for one in self.differences.values()])


def compare_rankings(
    rankings: Mapping[str, Ranking],
    *,
    against: str | None = None,
    level: float = 0.95,
    margin: float = 0.0,
    correction: Correction = "holm",
) -> Comparison:
    """Compare the AUCs of several rankings as independent samples, pair by pair.

    Counts do not say which rows models share; if they scored the same ones, `compare` of these shows smaller
    differences. `against` is as in `compare`. See `compare_unpaired`.

    >>> spam_tree, other = Ranking.parse("[20+,5-][10+,5-][20+,40-]"), Ranking.parse("[30+,2-][15+,8-][5+,40-]")
    >>> print(compare_rankings({"other": other, "tree": spam_tree})["other", "tree"])
    other - tree  0.1820 [0.0662, 0.2931]  p 0.0033  better
    """
    require_one_of(correction, ("holm", "none"), name="correction")
    require_rankings(rankings, least=2)
    estimates = {name: auc(ranking) for name, ranking in rankings.items()}
    pairing = Pairing.of(against, tuple(rankings), "higher")
    return Comparison(
        names=tuple(rankings),
        measure="auc",
        better="higher",
        estimates=estimates,
        differences={
            (a, b): replace(compare_unpaired(rankings[a], rankings[b], level=level, margin=margin), a=a, b=b)
            for a, b in pairing.pairs(estimates)
        },
        against=pairing.model(estimates),
        spread=None,
        pairs=float(min(min(ranking.Pos, ranking.Neg) for ranking in rankings.values())),
        level=level,
        margin=margin,
        correction=correction,
        dropped=max(ranking.dropped for ranking in rankings.values()),
        paired=False,
    )


def auc_differences(
    pairing: Pairing,
    names: tuple[str, ...],
    spread: AucCovariance,
    *,
    level: float,
    clustered: bool,
    noise: float = 0.0,
) -> dict[Pair, Difference]:
    """The differences of AUCs; one that is no larger than `noise` is 0."""
    differences, every, place = {}, np.eye(len(names)), {name: i for i, name in enumerate(names)}
    for a, b in pairing.pairs(dict(zip(names, spread.areas.tolist(), strict=True))):
        i, j = place[a], place[b]
        away = float(spread.areas[i] - spread.areas[j])
        away = 0.0 if abs(away) <= noise else away
        differences[a, b] = auc_contrast(away, every[i] - every[j], spread, (a, b), level=level, clustered=clustered)
    return differences


def replicate_differences(
    pairing: Pairing, values: Mapping[str, Floats], *, level: float, span: float, cases: float
) -> dict[Pair, Difference]:
    """Differences between models from bootstrap replicates of their values.

    The first value of each model is that on the data.
    """
    return {
        (a, b): bootstrap_difference(values[a], values[b], (a, b), level=level, span=span, cases=cases)
        for a, b in pairing.pairs({name: float(each[0]) for name, each in values.items()})
    }


def _weighted_sum(names: tuple[str, ...], weights: Floats) -> str:
    """The models with weights above 0, e.g. "0.5 b + 0.5 c"."""
    parts = [
        name if weight == 1 else f"{weight:.4g} {name}"
        for name, weight in zip(names, weights.tolist(), strict=True)
        if weight > 0
    ]
    return parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"
