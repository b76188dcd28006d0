"""The Brier score as calibration loss plus refinement loss, of two classes or k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, cast, get_args, overload

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_one_of
from thresher._internal.results import ReadOnly, Result, Tabular
from thresher._internal.text import count_text
from thresher.calibration.scores import brier, class_squared_errors
from thresher.cautions import Caution
from thresher.curves import hull_splits
from thresher.errors import ArgumentError, LengthError, OneClassError, argument
from thresher.ranking import Counts, Floats, Indices, Ranking, Segments, require_ranking
from thresher.ranking.segments import Matrix

Over: TypeAlias = Literal["exact", "hull"]
Groups: TypeAlias = Sequence[Any] | npt.NDArray[Any]

_SHOWN = 12
_CORP = ("miscalibration", "discrimination", "uncertainty")


@dataclass(frozen=True, slots=True, repr=False)
class Decomposition(Result):
    """The parts of a Brier score.

    brier = calibration + refinement + within, over the segments named by `bins`; `within` is 0 unless groups hold
    several scores. `by_chance` is the calibration loss that true probabilities are expected to show on as many cases;
    over the hull `calibration_test` says it.
    brier = miscalibration - discrimination + uncertainty (CORP), always over the hull's pools.
    """

    brier: float
    calibration: float
    refinement: float
    within: float
    by_chance: float | None
    miscalibration: float
    discrimination: float
    uncertainty: float
    bins: Over | Literal["groups"]
    cautions: tuple[Caution, ...] = ()

    def __str__(self) -> str:
        return _sum_text(self, {"exact": "exact segments", "hull": "the hull's pools", "groups": "groups"}[self.bins])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassDecomposition(Tabular):
    """The parts of a Brier score of k classes, and the losses of each segment.

    brier = calibration + refinement + within, of whole vectors over the segments or groups named by `bins`, or of each
    class over the hull. `by_chance` is the calibration loss that true vectors are expected to show on as many cases.
    brier = miscalibration - discrimination + uncertainty (CORP) are half the sums over `by_class`, which has the parts
    of each class against the rest.

    `probability` and `counts` have a row per segment or group, and `losses` its sums: squared_error = calibration +
    refinement + within; over the hull, whose pools differ from class to class, squared_error alone.
    """

    brier: float
    calibration: float
    refinement: float
    within: float
    by_chance: float | None
    miscalibration: float
    discrimination: float
    uncertainty: float
    bins: Over | Literal["groups"]
    classes: tuple[Any, ...]
    by_class: Mapping[Any, Decomposition]
    probability: Matrix
    counts: Counts
    losses: Mapping[str, Floats]
    cautions: tuple[Caution, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.probability, self.counts, *self.losses.values()):
            array.flags.writeable = False

    def _brief(self) -> str:
        return str(self).splitlines()[0]

    def __str__(self) -> str:
        rows = len(self.counts)
        over = {"exact": count_text(rows, "vector"), "hull": "the hull's pools of each class"}
        corp = f"{self.miscalibration:.4f} miscalibration - {self.discrimination:.4f} discrimination"
        lines = [
            _sum_text(self, over.get(self.bins, count_text(rows, "group"))),
            f"class by class {self.brier:.4f} = {corp} + {self.uncertainty:.4f} uncertainty (over the hull's pools)",
        ]
        lines += [f"  {name}: {part.brier:.4f} = {_corp_text(part)}" for name, part in self.by_class.items()]
        if rows <= _SHOWN and self.bins != "hull":
            lines.append("".join(f"{name.replace('_', ' '):>15}" for name in self.losses) + "   counts at vector")
            lines += [self._row(i) for i in range(rows)]
        return "\n".join([*lines, *map(str, self.cautions)])

    def _row(self, i: int) -> str:
        sums = "".join(f"{losses[i]:15.4f}" for losses in self.losses.values())
        counts = ",".join(f"{count:.10g}" for count in self.counts[i].tolist())
        return f"{sums}   [{counts}] at {' '.join(f'{p:.4g}' for p in self.probability[i])}"

    def _columns(self) -> Mapping[str, Any]:
        columns: dict[str, Any] = {}
        for i, name in enumerate(self.classes):
            columns |= {f"p({name})": self.probability[:, i], f"{name}": self.counts[:, i]}
        return columns | dict(self.losses)


@overload
def decomposition(ranking: Ranking, *, bins: Over | Groups = "exact") -> Decomposition: ...


@overload
def decomposition(ranking: Segments, *, bins: Over | Groups = "exact") -> ClassDecomposition: ...


def decomposition(ranking: Ranking | Segments, *, bins: Over | Groups = "exact") -> Decomposition | ClassDecomposition:
    """Split the Brier score into calibration and refinement loss, and by CORP.

    Over "exact" segments, with n cases at score p of which a share ṗ is positive,

        calibration = Σ n (p - ṗ)² / N,  refinement = Σ n ṗ (1 - ṗ) / N.

    With every score distinct that degenerates: each segment is pure, refinement is 0 and all loss is calibration loss
    (a caution says so). Over the "hull" neighbours are pooled until ṗ falls with the score. A pool holds several
    scores, so refinement is Σ n ṗ (1 - ṗ) / N over pools and calibration is the rest, brier - refinement: what the best
    monotone map of the scores would save. It cannot be negative, and it is CORP's miscalibration.

    Over groups, a label for each segment in the ranking's order (leaf numbers, bins), p is the group's mean and what
    its scores differ from it is a third part: within = Σ n (p - p̄)² - 2 n (p - p̄)(ṗ - ṗ of the group), over N
    (Stephenson, Coelho & Jolliffe 2008). It is 0 for constant scores, and negative where they order cases rightly.

    CORP (Dimitriadis, Gneiting & Jordan 2021): with S the Brier score, S_hull that of the pools' proportions and S_mean
    that of the prevalence, miscalibration is S - S_hull, discrimination S_mean - S_hull and uncertainty S_mean.

    Of k classes a segment has a vector of probabilities, and each part is half the sum over its entries; the hull is
    that of each class against the rest, by its own probability.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[4/5, 2/3, 1/3])
    >>> print(decomposition(spam_tree))
    Brier 0.2067 = 0.0000 calibration + 0.2067 refinement (over exact segments; by chance 0.0060 calibration)
    >>> from thresher import rank
    >>> emails = rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> print(decomposition(emails, bins="hull"))
    Brier 0.1934 = 0.0601 calibration + 0.1333 refinement (over the hull's pools)
    >>> leaves = [[.8, .1, .1], [.2, .5, .3], [.1, .2, .7]]
    >>> three = decomposition(Segments.parse("[8,1,1][1,6,3][0,2,8]", probability=leaves, classes="abc"))
    >>> round(three.calibration, 5), three.losses["squared_error"].round(4)
    (0.00667, array([1.7, 2.8, 1.7]))
    """
    if isinstance(bins, str):
        require_one_of(bins, get_args(Over), name="bins", fix="or give a label for each segment")
    if isinstance(ranking, Segments):
        return _of_vectors(ranking, bins)
    require_ranking(ranking, both_classes=True, probabilities=True)
    if isinstance(bins, str):
        return _of_scores(ranking, cast("Over", bins))
    group = _group_index(bins, len(ranking))
    return _of_groups(ranking, _grouped_losses(ranking.score, ranking.pos, ranking.pos + ranking.neg, group))


def _of_scores(ranking: Ranking, bins: Over) -> Decomposition:
    pooled = _pooled(ranking)
    total, corp = brier(ranking), _corp(ranking, pooled)
    if bins == "hull":
        return Decomposition(total, corp["miscalibration"], pooled, 0.0, None, **corp, bins=bins)
    cautions: tuple[Caution, ...] = ()
    by_chance = float((ranking.score * (1 - ranking.score)).sum() / ranking.total)
    if not np.logical_and(*ranking.narrow).any():  # every segment is pure
        calibration, refinement = total, 0.0
        if len(ranking) == ranking.total:
            cautions = (Caution("distinct-scores", 'refinement is 0 by construction; bins="hull" pools them'),)
    else:
        cases = np.add(ranking.pos, ranking.neg, dtype=np.float64)
        # n (p - ṗ)² = (n p - pos)² / n
        calibration = float(((ranking.score * cases - ranking.pos) ** 2 / cases).sum() / ranking.total)
        refinement = _refinement(ranking.pos, ranking.neg) / ranking.total
    return Decomposition(total, calibration, refinement, 0.0, by_chance, **corp, bins=bins, cautions=cautions)


def _of_groups(ranking: Ranking, losses: _Losses) -> Decomposition:
    return Decomposition(
        brier(ranking), **losses.shares(float(ranking.total)), **_corp(ranking, _pooled(ranking)), bins="groups"
    )


def _pooled(ranking: Ranking) -> float:
    """The Brier score of the hull's pools; without cases of a class there is one."""
    if not (ranking.Pos and ranking.Neg):
        return 0.0
    return _refinement(*ranking.runs(hull_splits(ranking, pool="ties"))) / float(ranking.total)


def _corp(ranking: Ranking, pooled: float) -> dict[str, Any]:
    uncertainty = float(ranking.Pos / ranking.total) * float(ranking.Neg / ranking.total)
    return {
        "miscalibration": max(0.0, brier(ranking) - pooled),  # never below 0 but for rounding
        "discrimination": max(0.0, uncertainty - pooled),
        "uncertainty": uncertainty,
    }


def _refinement(pos: Counts, neg: Counts) -> float:
    return float((np.multiply(pos, neg, dtype=np.float64) / (pos + neg)).sum())


def _of_vectors(segments: Segments, bins: Over | Groups) -> ClassDecomposition:
    if np.count_nonzero(segments.cases) < 2:
        name = segments.classes[int(np.argmax(segments.cases))]
        raise OneClassError(f"all {segments.total:,} cases are of class {name!r}", "give cases of two classes or more")
    grouped = not isinstance(bins, str)
    kind: Any = "groups" if grouped else bins
    group = _group_index(bins, len(segments)) if grouped else np.arange(len(segments))
    cases, n = segments.counts.sum(axis=1), float(segments.total)
    columns = [
        _grouped_losses(p, pos, cases, group) for p, pos in zip(segments.probability.T, segments.counts.T, strict=True)
    ]
    losses = _half_the_sum(columns)
    parts: dict[str, Any] = losses.shares(n)
    by_class = {}
    for name, column in zip(segments.classes, columns, strict=True):
        ranking = segments.ranking(name)
        by_class[name] = _of_groups(ranking, column) if grouped else _of_scores(ranking, kind)
    if kind == "hull":
        refinement = sum(part.refinement for part in by_class.values()) / 2
        miscalibration = sum(part.miscalibration for part in by_class.values()) / 2
        parts = {"calibration": miscalibration, "refinement": refinement, "within": 0.0, "by_chance": None}
    cautions: tuple[Caution, ...] = ()
    if kind == "exact" and len(segments) == segments.total:
        text = 'refinement is 0 by construction; bins="hull" pools each class by its own probability'
        cautions = (Caution("distinct-vectors", text),)
    errors = (segments.counts * class_squared_errors(segments.probability)).sum(axis=1)
    rows: dict[str, Floats] = {"squared_error": np.bincount(group, errors).astype(np.float64)}
    if kind != "hull":  # whose pools are not those of vectors
        rows |= {"calibration": losses.calibration, "refinement": losses.refinement}
    if grouped:
        rows["within"] = losses.within
    counts = np.zeros((group.max() + 1, len(segments.classes)), dtype=segments.counts.dtype)
    np.add.at(counts, group, segments.counts)
    return ClassDecomposition(
        brier(segments),
        **parts,
        **{name: sum(getattr(part, name) for part in by_class.values()) / 2 for name in _CORP},
        bins=kind,
        classes=segments.classes,
        by_class=ReadOnly(by_class),
        probability=np.stack([column.mean for column in columns], axis=1),
        counts=counts,
        losses=ReadOnly(rows),
        cautions=cautions,
    )


@dataclass(frozen=True, slots=True)
class _Losses:
    """Sums over the cases of each group, and its mean probability."""

    calibration: Floats
    refinement: Floats
    within: Floats
    by_chance: Floats
    mean: Floats

    def shares(self, n: float) -> dict[str, Any]:
        """Everything per case."""
        names = ("calibration", "refinement", "within", "by_chance")
        return {name: float(getattr(self, name).sum() / n) for name in names}


def _half_the_sum(columns: Sequence[_Losses]) -> _Losses:
    return _Losses(*(np.sum([getattr(each, part.name) for each in columns], axis=0) / 2 for part in fields(_Losses)))


def _grouped_losses(p: Floats, pos: Counts, cases: Counts, group: Indices) -> _Losses:
    first = np.unique(group, return_index=True)[1]
    n, hits = np.bincount(group, cases), np.bincount(group, pos)
    away = p - p[first][group]  # from a member, so that constant scores have a mean that is exactly theirs
    mean = p[first] + np.bincount(group, cases * away) / n
    apart = p - mean[group]
    within: Floats = apart * (cases * apart - 2 * (pos - cases * (hits / n)[group]))
    return _Losses(
        calibration=(n * mean - hits) ** 2 / n,
        refinement=hits * (n - hits) / n,
        within=np.bincount(group, within).astype(np.float64),
        by_chance=np.bincount(group, cases * p * (1 - p)) / n,
        mean=mean,
    )


def _group_index(groups: Any, size: int) -> Indices:
    """The group of each segment, numbered in the order of the labels."""
    try:
        labels = np.asarray(groups)
    except ValueError:  # lists of different lengths
        labels = np.empty((0, 0))
    if labels.shape != (size,):
        what = f"{argument('bins')} has labels of shape {labels.shape}, and there are {count_text(size, 'segment')}"
        raise LengthError(what, 'give one label per segment, in their order, or bins="hull"')
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        what = f"{int(np.isnan(labels).sum()):,} of {size:,} labels in {argument('bins')} are NaN"
        raise ArgumentError(what, "give every segment a label", parameter="bins")
    try:
        index: Indices = np.unique(labels, return_inverse=True)[1]
    except TypeError:
        what = f"labels in {argument('bins')} are of several types"
        raise ArgumentError(what, "give numbers or texts", parameter="bins") from None
    return index


def _sum_text(parts: Decomposition | ClassDecomposition, over: str) -> str:
    summed = f"{parts.calibration:.4f} calibration + {parts.refinement:.4f} refinement"
    if parts.bins == "groups":
        summed += f" {'-' if parts.within < 0 else '+'} {abs(parts.within):.4f} within"
    chance = "" if parts.by_chance is None else f"; by chance {parts.by_chance:.4f} calibration"
    return f"Brier {parts.brier:.4f} = {summed} (over {over}{chance})"


def _corp_text(part: Decomposition) -> str:
    return f"{part.miscalibration:.4f} - {part.discrimination:.4f} + {part.uncertainty:.4f}"
