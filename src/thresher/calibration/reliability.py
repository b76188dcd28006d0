"""Probabilities against observed frequencies, of two classes or k."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np

from thresher._internal.arguments import require_integer, require_one_of
from thresher._internal.results import ReadOnly, Tabular
from thresher.curves import hull_splits
from thresher.curves.hull import Splits
from thresher.errors import ArgumentError, OneClassError, argument
from thresher.ranking import Counts, Floats, Ranking, Segments, mean_scores, require_ranking, splits_at
from thresher.ranking.segments import require_segments

Binning: TypeAlias = Literal["exact", "hull", "quantile", "uniform"]

MOST_BINS = 1_000_000

TableOf: TypeAlias = Literal["top", "class"]

_COLUMNS = ("score", "observed", "pos", "neg", "lowest", "highest")


def splits_of(ranking: Ranking, bins: Binning, *, count: int) -> Splits:
    """The splits 0..m at which bins begin and end."""
    require_bins(count, name="count")
    require_one_of(bins, get_args(Binning), name="bins")
    if bins == "exact":
        return np.arange(len(ranking) + 1)
    if bins == "hull":
        require_ranking(ranking, both_classes=True)
        return hull_splits(ranking)
    return quantile_splits(ranking, count) if bins == "quantile" else uniform_splits(ranking, count)


def require_bins(count: int, *, name: str = "bins") -> None:
    """Refuse what is no number of bins: an integer from 1 to a million."""
    require_integer(count, name=name, least=1, most=MOST_BINS, fix=f"give e.g. {argument(name, 10)}")


def quantile_splits(ranking: Ranking, count: int) -> Splits:
    """The splits nearest to equal shares of the cases; a segment is never torn apart.

    Where large segments leave no split near a share, there are fewer bins than asked for.
    """
    tp, fp = ranking.covered()
    covered = tp + fp
    share = ranking.total * np.arange(1, count) / count
    above = np.searchsorted(covered, share)
    nearer_below = share - covered[above - 1] <= covered[above] - share
    return np.unique(np.concatenate([[0], above - nearer_below, [len(ranking)]]))


def uniform_splits(ranking: Ranking, count: int) -> Splits:
    """The splits at i / count, for scores in [0, 1].

    A score on an edge is in the upper bin.
    """
    reached = splits_at(ranking.score, np.arange(1, count) / count)
    return np.unique(np.concatenate([[0], reached, [len(ranking)]]))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reliability(Tabular):
    """One row per run of neighbouring segments, by falling score.

    `score` is the mean score of the cases in it, `observed` their proportion of positives,
    `lowest` and `highest` the scores it spans; `bins` says how the runs were formed.
    """

    score: Floats
    observed: Floats
    pos: Counts
    neg: Counts
    lowest: Floats
    highest: Floats
    bins: Binning

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            getattr(self, name).flags.writeable = False

    def __len__(self) -> int:
        return int(self.score.size)

    def to_dict(self) -> dict[str, Any]:
        """The columns as lists."""
        return {"bins": self.bins} | {name: getattr(self, name).tolist() for name in _COLUMNS}

    def _brief(self) -> str:
        return f"{len(self):,} rows, bins={self.bins!r}"

    def __str__(self) -> str:
        head = f"{'score':>8}{'observed':>10}{'pos':>8}{'neg':>8}"
        rows = zip(self.score, self.observed, self.pos, self.neg, strict=True)
        return "\n".join([head, *(f"{s:8.4f}{o:10.4f}{p:8g}{n:8g}" for s, o, p, n in rows)])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassReliability(Tabular):
    """The reliability table of each class against the rest, by its name."""

    by_class: Mapping[Any, Reliability]
    bins: Binning

    def __getitem__(self, name: Any) -> Reliability:
        return self.by_class[name]

    def to_dict(self) -> dict[str, Any]:
        """The columns of each class as lists."""
        tables = [{"class": name} | table.to_dict() for name, table in self.by_class.items()]
        return {"bins": self.bins, "by_class": tables}

    def _brief(self) -> str:
        return f"{len(self.by_class):,} classes, bins={self.bins!r}"

    def _columns(self) -> Mapping[str, Any]:
        names = [name for name, table in self.by_class.items() for _ in range(len(table))]
        tables = self.by_class.values()
        return {"class": names} | {
            each: np.concatenate([getattr(table, each) for table in tables]) for each in _COLUMNS
        }

    def __str__(self) -> str:
        return "\n".join(f"{name}\n{table}" for name, table in self.by_class.items())


@overload
def reliability(ranking: Ranking, *, bins: Binning = "exact", count: int = 10) -> Reliability: ...


@overload
def reliability(
    ranking: Segments, *, of: Literal["class"] = "class", bins: Binning = "exact", count: int = 10
) -> ClassReliability: ...


@overload
def reliability(ranking: Segments, *, of: Literal["top"], bins: Binning = "exact", count: int = 10) -> Reliability: ...


def reliability(
    ranking: Ranking | Segments, *, of: TableOf | None = None, bins: Binning = "exact", count: int = 10
) -> Reliability | ClassReliability:
    """The reliability table of scores that are probabilities.

    "exact" has a row per distinct score and "hull" one per pool, whose proportions fall with the
    score; neither has a bin to choose. "quantile" has bins of nearly equal count (ties are never
    torn apart) and "uniform" bins of equal width, a score on an edge belonging to the upper one;
    what one sees then depends on `count`. Bins without cases have no row.

    Of k classes there is a table for each class against the rest, by its own probability, or for the "top" label: how
    often the most probable class is the right one.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> print(reliability(spam_tree))
       score  observed     pos     neg
      0.9000    0.8000      20       5
      0.6000    0.6667      10       5
      0.3000    0.3333      20      40
    >>> reliability(spam_tree, bins="uniform", count=2).score.tolist()
    [0.7875, 0.3]
    >>> leaves = [[.8, .1, .1], [.2, .5, .3], [.1, .2, .7]]
    >>> three = Segments.parse("[8,1,1][1,6,3][0,2,8]", probability=leaves, classes="abc")
    >>> print(reliability(three)["a"])
       score  observed     pos     neg
      0.8000    0.8000       8       2
      0.2000    0.1000       1       9
      0.1000    0.0000       0      10
    >>> reliability(three, of="top").observed.tolist()
    [0.8, 0.8, 0.6]
    """
    if isinstance(ranking, Segments):
        require_one_of("class" if of is None else of, get_args(TableOf), name="of")
        if of == "top":
            return reliability(top_label(ranking), bins=bins, count=count)
        absent = [name for name, cases in zip(ranking.classes, ranking.cases, strict=True) if not cases]
        if bins == "hull" and absent:
            what = f"class {absent[0]!r} has no cases among {ranking.total:,}, so there is no hull of it"
            raise OneClassError(what, f"pass {argument('bins', 'exact')}, or give data with every class")
        tables = {name: reliability(each, bins=bins, count=count) for name, each in ranking.rankings.items()}
        return ClassReliability(ReadOnly(tables), bins)
    require_ranking(ranking, probabilities=True)
    refuse_meaning(of)
    split = splits_of(ranking, bins, count=count)
    pos, neg = ranking.runs(split)
    return Reliability(
        score=mean_scores(ranking, split),
        observed=pos / (pos + neg),
        pos=pos,
        neg=neg,
        lowest=ranking.score[split[1:] - 1],
        highest=ranking.score[split[:-1]],
        bins=bins,
    )


def top_label(segments: Segments) -> Ranking:
    """Whether the most probable class is the right one, ranked by its probability.

    Of classes that are equally probable the first counts.

    >>> leaves = [[.8, .1, .1], [.2, .5, .3], [.1, .2, .7]]
    >>> top_label(Segments.parse("[8,1,1][1,6,3][0,2,8]", probability=leaves, classes="abc"))
    Ranking([8+,2-][8+,2-][6+,4-] at scores 0.8, 0.7, 0.5)
    """
    require_segments(segments)
    top = segments.probability.argmax(axis=1)[:, np.newaxis]
    right = np.take_along_axis(segments.counts, top, axis=1)[:, 0]
    others = segments.counts.copy()  # added up, as a difference would lose small weights
    np.put_along_axis(others, top, 0, axis=1)
    score = np.take_along_axis(segments.probability, top, axis=1)[:, 0]
    return Ranking(score, right, others.sum(axis=1), dropped=segments.dropped)


def refuse_meaning(of: Any) -> None:
    """Refuse to ask of two classes which meaning is meant: for them all three are one."""
    if of is not None:
        what = f"{argument('of', of)} is a question about k classes, and a ranking has two"
        raise ArgumentError(what, "leave it out, or pass segments of k classes", parameter="of")
