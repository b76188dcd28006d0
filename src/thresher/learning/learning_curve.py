"""`learning_curve`: apparent and validation error against training rows, and what infinite data would leave."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import ArgumentError, require_whole
from thresher.inference import Interval
from thresher.inference.interval import require_level
from thresher.inference.resampling import Progress
from thresher.learning.arguments import require_classifier
from thresher.learning.asymptote import EXPONENTS, PowerLaw, fitted_law
from thresher.learning.fold_runs import in_parallel, problem_of
from thresher.learning.folds import Folding, Folds, FoldSplit, splits_of
from thresher.learning.measure_curve import MeasureCurve, both_errors, curve_columns, require_defined
from thresher.learning.yardstick import Yard, yardstick
from thresher.ranking import Flags, Indices
from thresher.results import Tabular

_SIZES = 8
_PER_CLASS = 5


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearningCurve(Tabular):
    """A measure on training rows (`apparent`) and on others (`validation`) against the number of training rows.

    `law` is the power law fitted to the validation curve and `asymptote` the interval of what remains with
    infinite data; both are None where there are too few sizes or folds do not vary.
    """

    sizes: Indices
    apparent: MeasureCurve
    validation: MeasureCurve
    law: PowerLaw | None
    asymptote: Interval | None
    measure: str
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "measure": self.measure,
            "level": self.level,
            "sizes": self.sizes.tolist(),
            "apparent": self.apparent.to_dict(),
            "validation": self.validation.to_dict(),
            "asymptote": None if self.asymptote is None else self.asymptote.to_dict(),
        }

    def _brief(self) -> str:
        last = f"{self.validation.estimate[-1]:.4f} at {self.sizes[-1]:,} rows"
        rest = "" if self.asymptote is None else f", asymptote {self.asymptote}"
        return f"{self.measure}: {last}{rest}"

    def _columns(self) -> Mapping[str, Any]:
        return curve_columns(self.sizes.tolist(), self.apparent, self.validation)


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    measure: Yard = "error_rate",
    sizes: Sequence[int] | None = None,
    points: int = _SIZES,
    folds: Folding | None = None,
    groups: Any = None,
    times: Any = None,
    level: float = 0.95,
    exponents: tuple[float, float] = EXPONENTS,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> LearningCurve:
    """How a model learns: fitted on growing parts of each fold's training rows, tested on all its test rows.

    Smaller parts lie within larger ones and keep the class mix. Limits are pointwise and allow for folds that
    share rows. Where apparent and validation error have met, more rows will not help; where they
    are apart, the asymptote says how far they might.

    Parameters
    ----------
    estimator, X, y, positive, groups, times, seed, n_jobs, progress
        As in `cross_validate`.
    measure
        Any registered measure of the model's calls, "auc", "brier", "log_loss", "average_precision", an
        `OperatingCondition` for the expected cost of its calls, or a function of a ranking.
    sizes
        Numbers of training rows, rising; unless told, `points` of them in equal ratios.
    points
        How many sizes; fewer than four have no asymptote.
    folds
        As in `cross_validate`; five folds dealt five times unless told.
    level
        Of all limits.
    exponents
        How fast the error may fall, as the range of c in a + b·n^-c. Slower laws than 0.2 bound nothing.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(600) < 0.5
    >>> X = rng.normal(size=(600, 2)) + y[:, None]  # Bayes error 0.2398
    >>> curve = learning_curve(GaussianNB(), X, y)
    >>> curve.sizes.tolist()
    [24, 37, 56, 87, 133, 204, 313, 480]
    >>> 0.2398 in curve.asymptote
    True
    """
    require_level(level)
    require_classifier(estimator)
    stick = yardstick(measure)
    problem = problem_of(X, y, positive=positive, groups=groups, times=times)
    target = problem.target
    dealt = (Folds(5, repeats=5) if groups is None and times is None else 5) if folds is None else folds
    splits = splits_of(dealt, target.flags, groups=groups, times=times, seed=seed)
    asked = _sizes(sizes, splits, target.flags, points)
    tasks = [
        (estimator, problem, part, split.test, stick)
        for number, split in enumerate(splits)
        for part in parts(split.train, target.flags, asked, seed=seed, number=number)
    ]
    found = np.array(in_parallel(both_errors, tasks, n_jobs=n_jobs, progress=progress))
    values = found.reshape(len(splits), asked.size, 2)
    require_defined(values, stick)
    share = float(np.mean([split.test.size / (split.test.size + split.train.size) for split in splits]))
    seen, unseen = (
        MeasureCurve.of(values[:, :, side].T.copy(), test_share=share, level=level, spread=stick.range)
        for side in (0, 1)
    )
    fitted = fitted_law(
        asked,
        unseen.per_fold,
        test_share=share,
        better=stick.better,
        spread=stick.range,
        level=level,
        exponents=exponents,
    )
    law, asymptote = (None, None) if fitted is None else fitted
    return LearningCurve(asked, seen, unseen, law, asymptote, stick.name, level)


def parts(train: Indices, flags: Flags, sizes: Indices, *, seed: int, number: int) -> list[Indices]:
    """Parts of the training rows of these sizes, each within the next, with the class mix of the whole.

    >>> flags = np.array([True, False, False, False] * 5)
    >>> found = parts(np.arange(20), flags, np.array([4, 8]), seed=0, number=0)
    >>> [flags[part].sum().item() for part in found], set(found[0]) <= set(found[1])
    ([1, 2], True)
    """
    rng = np.random.default_rng([seed, number])
    pos, neg = (rng.permutation(train[flags[train] == side]) for side in (True, False))
    share = pos.size / train.size
    found = []
    for size in sizes.tolist():
        of_pos = min(max(round(size * share), 1, size - neg.size), pos.size, size - 1)
        found.append(np.concatenate([pos[:of_pos], neg[: size - of_pos]]))
    return found


def _sizes(asked: Sequence[int] | None, splits: Sequence[FoldSplit], flags: Flags, points: int) -> Indices:
    most = min(split.train.size for split in splits)
    if asked is None:
        require_whole(points, name="points", least=2, fix="e.g. points=8")
        rarer = min(flags.mean(), 1 - flags.mean())
        least = min(max(math.ceil(most / 20), math.ceil(_PER_CLASS / rarer)), most)
        found = np.rint(np.geomspace(least, most, points)).astype(np.intp)
        return found[np.concatenate([[True], np.diff(found) > 0])]
    given = np.asarray(asked)
    if given.ndim != 1 or not given.size or given.dtype.kind not in "iu" or not (np.diff(given) > 0).all():
        raise ArgumentError(f"sizes must be rising whole numbers, got {asked!r}", "e.g. [50, 100, 200]")
    if given[0] < 2 or given[-1] > most:
        raise ArgumentError(
            f"sizes must lie from 2 to {most:,}, the training rows of the smallest fold; got {given[0]} to {given[-1]}",
            fix="leave out what is beyond, or take more folds",
        )
    return given.astype(np.intp)
