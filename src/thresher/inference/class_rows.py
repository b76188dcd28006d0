"""`ClassifiedRows`: rows of k classes with several models' probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np

from thresher._internal.results import Result
from thresher._internal.text import did_you_mean
from thresher.calibration.scores import plain_array
from thresher.errors import (
    ArgumentError,
    ColumnError,
    LabelError,
    LengthError,
    OneClassError,
    ProbabilityError,
    argument,
    located,
)
from thresher.inference.rows import ONLY_MODEL, cluster_codes, complete_columns, require_same_index
from thresher.inputs import classes_of
from thresher.inputs.columns import Column, Missing, flagged
from thresher.inputs.frames import frame_names, is_frame
from thresher.inputs.labels import distinct, listed, same
from thresher.ranking import Counts, Flags, Floats, Indices, Ranking, Segments, rankable
from thresher.ranking.segments import require_sums

Classes: TypeAlias = Sequence[Any] | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassifiedRows(Result):
    """Rows of k classes with every model's probabilities and calls.

    `index` is each row's class as its place in `classes`, `matrices` hold a column per class in that order, and `calls`
    the most probable class (the first of equals) unless `predicted` names the model. `pooled` are labels that were
    counted as the class `other`.

    >>> rows = classified_rows(["cat", "dog"], {"m": [[.7, .3], [.6, .4]]}, classes=["cat", "dog"])
    >>> rows.index.tolist(), rows.calls["m"].tolist(), rows.share.tolist()
    ([0, 1], [0, 0], [0.5, 0.5])
    """

    classes: tuple[Any, ...]
    index: Indices
    matrices: Mapping[str, Floats]
    calls: Mapping[str, Indices]
    current: Indices | None
    predicted: frozenset[str]
    weight: Floats | None
    cluster: Indices | None
    dropped: int
    pooled: tuple[Any, ...] = ()
    pooled_rows: int = 0

    def _brief(self) -> str:
        return f"{self.index.size:,} rows of {len(self.classes)} classes, {', '.join(self.matrices)}"

    @classmethod
    def of_segments(cls, segments: Segments) -> Self:
        """The cases of segments one by one, in the order of segments and classes."""
        if segments.weighted:
            what = "the segments are weighted, and weights do not say how many cases there are"
            raise ArgumentError(what, "give the rows, or segments of counts")
        place = np.repeat(np.arange(segments.counts.size), segments.counts.ravel())
        segment, index = np.divmod(place, len(segments.classes))
        matrix = segments.probability[segment]
        return cls(
            classes=segments.classes,
            index=index,
            matrices={ONLY_MODEL: matrix},
            calls={ONLY_MODEL: matrix.argmax(axis=1)},
            current=None,
            predicted=frozenset(),
            weight=None,
            cluster=None,
            dropped=segments.dropped,
        )

    @property
    def clusters(self) -> int:
        """How many clusters there are; without clusters, how many rows."""
        return self.index.size if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def cases(self) -> Counts:
        """Rows of each class."""
        return np.bincount(self.index, minlength=len(self.classes))

    @property
    def share(self) -> Floats:
        """What part of all weight each row carries."""
        n = self.index.size
        return np.full(n, 1 / n) if self.weight is None else self.weight / self.weight.sum()

    @property
    def units(self) -> float:
        """Independent cases: rows, Kish's (1965) effective rows of weights, or clusters."""
        if self.weight is None or self.cluster is not None:
            return float(self.clusters)
        return 1 / float(self.share @ self.share)

    @property
    def class_units(self) -> Floats:
        """Independent cases of each class."""
        k = len(self.classes)
        if self.cluster is not None:
            seen = np.bincount(self.cluster * k + self.index, minlength=self.clusters * k).reshape(-1, k) > 0
            return seen.sum(axis=0).astype(np.float64)
        sums, squares = (np.bincount(self.index, weights=each, minlength=k) for each in (self.share, self.share**2))
        return np.divide(sums * sums, squares, out=np.zeros(k), where=squares > 0)

    @property
    def present(self) -> Flags:
        """Which classes have a row; the recall of the others is undefined."""
        return np.asarray(self.cases > 0)

    @property
    def simple(self) -> bool:
        """Whether rows weigh alike and are independent."""
        return self.weight is None and self.cluster is None

    def ranking(self, model: str, i: int, versus: int | None = None) -> Ranking:
        """The ranking by the probability of class i, against the rest or one class."""
        score, positive, weight = np.ascontiguousarray(self.matrices[model][:, i]), self.index == i, self.weight
        if versus is not None:
            some = positive | (self.index == versus)
            score, positive, weight = score[some], positive[some], None if weight is None else weight[some]
        return Ranking.count(positive, score, weight, dropped=self.dropped)

    @property
    def class_mix(self) -> Segments:
        """How many cases each class has, or their weight, as segments."""
        k = len(self.classes)
        cases = np.bincount(self.index, weights=self.weight, minlength=k)
        return Segments(np.eye(k), np.diag(cases), classes=self.classes)

    def segments(self, model: str) -> Segments:
        """The class counts per distinct vector of one model's probabilities."""
        return Segments.count(self.index, self.matrices[model], self.classes, self.weight, dropped=self.dropped)

    def require_two_clusters(self) -> None:
        """Raise `ArgumentError` when a class lies in one cluster only."""
        if self.cluster is None:
            return
        for name, number in zip(self.classes, self.class_units.tolist(), strict=True):
            if 0 < number < 2:
                raise ArgumentError(
                    f"class {name!r} lies in 1 of {self.clusters:,} clusters, and one shows no spread between clusters",
                    fix=f"give every class in two clusters or more, or leave {argument('clusters')} out "
                    "if rows are independent",
                )


def classified_rows(
    labels: Any,
    probabilities: Any,
    *,
    classes: Classes = None,
    other: Any = None,
    predictions: Any = None,
    current: Any = None,
    actions: Sequence[Any] | None = None,
    weights: Any = None,
    clusters: Any = None,
    missing: Missing = "raise",
) -> ClassifiedRows:
    """Check that labels, matrices, weights and clusters are rows that belong together.

    Rows with a gap anywhere are refused or, on request, dropped for all models alike; rows of weight 0 vanish.
    `classes` names the columns of arrays, in their order; the columns of a frame are found by their names. Labels that
    are not among them are refused unless `other` names the class they count as. `predictions` and `current` (the calls
    of the rule in use) may name `actions` that are no classes.
    """
    matrices = named_matrices(probabilities)
    models = {name: _matrix(values, name) for name, values in matrices.items()}
    named_calls = _named_predictions(predictions, models)
    inputs = {"labels": labels} | {f"predictions of {name!r}": values for name, values in named_calls.items()}
    others = (("weights", weights), ("clusters", clusters), ("current", current))
    inputs |= {name: each for name, each in others if each is not None}
    require_same_index(inputs | {f"probabilities of {name!r}": values for name, values in matrices.items()})
    inputs |= {
        f"probabilities of {name!r}[:, {i}]": each for name, matrix in models.items() for i, each in enumerate(matrix.T)
    }
    checked, weight, dropped = complete_columns(inputs, missing=missing)
    names = None if classes is None else _plain_names(classes)
    names, index, pooled = _indices(checked["labels"], names, other)
    _require_two_classes(names, index)
    columns = {name: _names_of_columns(values, name, names) for name, values in matrices.items()}
    full = {
        name: _probabilities(
            [checked[f"probabilities of {name!r}[:, {i}]"] for i in _order(matrix, columns[name], names, name)], name
        )
        for name, matrix in models.items()
    }
    known = names if actions is None else _plain_names(actions)
    return ClassifiedRows(
        classes=tuple(names),
        index=index,
        matrices=full,
        calls={
            name: _indices(checked[f"predictions of {name!r}"], known, other)[1]
            if name in named_calls
            else matrix.argmax(axis=1)
            for name, matrix in full.items()
        },
        current=_indices(checked["current"], known, other)[1] if current is not None else None,
        predicted=frozenset(named_calls),
        weight=weight,
        cluster=None if clusters is None else cluster_codes(checked["clusters"]),
        dropped=dropped,
        pooled=tuple(distinct(checked["labels"][pooled], at_most=1000)),
        pooled_rows=int(np.count_nonzero(pooled)),
    )


def holds_matrices(scores: Any) -> bool:
    """Whether scores are a matrix, or a matrix for each model, and no columns.

    >>> holds_matrices([[0.2, 0.8]]), holds_matrices({"m": np.eye(3)}), holds_matrices({"m": [0.2, 0.8]})
    (True, True, False)
    """
    if isinstance(scores, Mapping):
        return any(_is_matrix(each) for each in scores.values())
    return not is_frame(scores) and _is_matrix(scores)


def _is_matrix(values: Any) -> bool:
    if is_frame(values) and not isinstance(values, Mapping):
        return True
    shape = getattr(values, "shape", None)
    if shape is None:
        first = next(iter(values), None) if isinstance(values, Sequence) and not isinstance(values, str) else None
        return isinstance(first, Sequence | np.ndarray) and not isinstance(first, str) and np.ndim(first) == 1
    return isinstance(shape, tuple) and len(shape) == 2 and shape[1] > 1


def require_of_vectors(options: Mapping[str, Any]) -> None:
    """Refuse what k classes alone have where scores are columns."""
    name = next((name for name, value in options.items() if value is not None), None)
    if name is not None:
        what = f"{argument(name)} is of matrices with a column per class, and there are columns of scores"
        raise ArgumentError(what, "give matrices of probabilities and their classes, or leave it out", parameter=name)


def positive_columns(scores: Any, classes: Sequence[Any], positive: Any) -> dict[str, Any]:
    """The column of the positive one of two classes, by model.

    >>> positive_columns([[0.2, 0.8], [0.6, 0.4]], ["ham", "spam"], "spam")["model"].tolist()
    [0.8, 0.4]
    """
    names = _plain_names(classes)
    place = next((i for i, name in enumerate(names) if same(name, positive)), None)
    if place is None:
        fix = f"{did_you_mean(positive, names)} the classes are {listed(names)}".strip()
        raise LabelError(f"positive is {positive!r}, which is none of the classes", fix)
    if len(names) != 2:
        what = f"{argument('positive')} is for two classes, and there are {len(names)}: {listed(names)}"
        fix = f"leave it out, or give the column of {positive!r} alone, without {argument('classes')}"
        raise ArgumentError(what, fix, parameter="positive")
    columns = {}
    for model, values in named_matrices(scores).items():
        matrix = _matrix(values, model)
        columns[model] = matrix[:, _order(matrix, _names_of_columns(values, model, names), names, model)[place]]
    return columns


def named_matrices(probabilities: Any) -> dict[str, Any]:
    """Matrices by model; a bare matrix is one, "model"."""
    models = dict(probabilities) if isinstance(probabilities, Mapping) else {ONLY_MODEL: probabilities}
    if not models:
        raise ArgumentError("there are no models", "give {'name': matrix, ...}")
    if not all(isinstance(name, str) for name in models):
        raise ArgumentError("models are named by text", "give {'name': matrix, ...}")
    return models


def _matrix(values: Any, name: str) -> Column:
    matrix = plain_array(values, name=f"probabilities of {name!r}")
    if matrix.ndim != 2:
        raise LengthError(
            f"the probabilities of {name!r} have shape {matrix.shape}, and a matrix of them has rows and columns",
            fix="give one row per case and one column per class; a single column goes without classes=[...]",
        )
    return matrix


def _named_predictions(predictions: Any, models: Mapping[str, Any]) -> dict[str, Any]:
    if predictions is None:
        return {}
    if not isinstance(predictions, Mapping):
        if len(models) > 1:
            what = f"the predictions name no model, and there are {len(models)}"
            raise ArgumentError(what, "give predictions={'name': column, ...}")
        return {next(iter(models)): predictions}
    if unknown := [name for name in predictions if name not in models]:
        what = f"predictions are given for {unknown[0]!r}, which has no matrix"
        raise ArgumentError(what, f"name one of {', '.join(models)}")
    return dict(predictions)


def _names_of_columns(matrix: Any, name: str, classes: list[Any]) -> list[Any] | None:
    """The class of each column of a frame; None of what does not name its columns."""
    columns: list[Any] = frame_names(matrix) if is_frame(matrix) and not isinstance(matrix, Mapping) else []
    if columns == list(range(len(columns))):  # an array, or a frame that numbers its columns
        return None
    by_text = {str(label): label for label in classes}
    if strange := [each for each in columns if str(each) not in by_text]:
        raise ColumnError(
            f"the frame of {name!r} has a column {strange[0]!r}, and the classes are {listed(classes)}",
            fix=f"{did_you_mean(strange[0], classes)} name its columns by the classes, and leave others out".strip(),
        )
    return [by_text[str(each)] for each in columns]


def _plain_names(classes: Any) -> list[Any]:
    if not hasattr(classes, "__iter__") or isinstance(classes, str) or getattr(classes, "ndim", 1) != 1:
        raise ArgumentError(f"classes are a list of labels, and this is {classes!r}", "give one per column")
    return classes_of(np.empty(0, dtype=object), classes=classes)[0]


def _indices(labels: Column, names: list[Any] | None, other: Any) -> tuple[list[Any], Indices, Flags]:
    """Classes, the place of each label among them, and which labels count as `other`."""
    if other is None:
        return *classes_of(labels, classes=names), np.zeros(labels.size, dtype=np.bool_)
    if names is None or not any(same(other, name) for name in names):
        raise LabelError(
            f"the class {other!r} that other labels count as is not among the classes",
            fix="pass classes=[...] with the class of each column, that one among them",
        )
    known = names
    stray = flagged(labels.astype(object), lambda label: not any(same(label, name) for name in known))
    index = np.full(labels.size, next(i for i, name in enumerate(known) if same(other, name)), dtype=np.int64)
    if not stray.all():
        index[~stray] = classes_of(labels[~stray], classes=known)[1]
    return known, index, stray


def _require_two_classes(names: list[Any], index: Indices) -> None:
    if len(names) < 2 or (index == index[0]).all():
        what = f"all {index.size:,} rows are of class {names[int(index[0])]!r}, and an AUC needs cases of both sides"
        raise OneClassError(what, fix="give data with rows of two classes or more")


def _probabilities(columns: list[Column], name: str) -> Floats:
    matrix: Floats = np.stack([rankable(each).astype(np.float64) for each in columns], axis=1)
    outside = np.argwhere(~((matrix >= 0) & (matrix <= 1)))
    if len(outside):
        row, at = outside[0]
        raise ProbabilityError(
            f"{len(outside):,} of {matrix.size:,} probabilities of {name!r} lie outside [0, 1]"
            f" (first {matrix[row, at]:g} at row {row}, column {at})",
            fix="give probabilities; scores of a single class can be ranked as they are, with rank(labels, scores)",
        )
    with located(f"the probabilities of {name!r}"):
        require_sums(matrix)
    return matrix


def _order(matrix: Column, own: list[Any] | None, names: list[Any], name: str) -> list[int]:
    """The columns of a model in the order of the classes."""
    columns = names if own is None else own
    if own is not None and (absent := [each for each in names if each not in own]):
        what = f"the frame of {name!r} has no column of class {absent[0]!r}"
        raise ColumnError(what, "give every model a column per class, with 0 where it cannot say a class")
    if matrix.shape[1] != len(columns):
        raise LengthError(
            f"the probabilities of {name!r} have {matrix.shape[1]} columns, and there are {len(columns)} classes:"
            f" {listed(columns)}",
            fix="give every model one column per class, in the order of classes=[...] or else of the sorted labels",
        )
    return [columns.index(each) for each in names]
