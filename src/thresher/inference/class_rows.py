"""`ClassifiedRows`: rows of k classes with several models' probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from thresher.calibration.scores import plain_array
from thresher.errors import (
    ArgumentError,
    ColumnError,
    LabelError,
    LengthError,
    OneClassError,
    ProbabilityError,
    argument,
)
from thresher.inference.rows import ONLY_MODEL, cluster_codes, complete_columns, require_same_index
from thresher.inputs import classes_of
from thresher.inputs.columns import Column, Missing, flagged
from thresher.inputs.frames import frame_names, is_frame
from thresher.inputs.labels import distinct, listed, same
from thresher.ranking import Counts, Flags, Floats, Indices, Ranking, rankable

Classes: TypeAlias = Sequence[Any] | Mapping[str, Sequence[Any]] | None


@dataclass(frozen=True, slots=True, eq=False)
class ClassifiedRows:
    """Rows of k classes with every model's probabilities and calls.

    `index` is each row's class as its place in `classes`, `matrices` hold a column per class in that order, and `calls`
    the most probable class (the first of equals) unless `predicted` names the model. `absent` are classes that a model
    has no column for, which get probability 0 from it. `pooled` are labels that were counted as the class `other`.
    """

    classes: tuple[Any, ...]
    index: Indices
    matrices: Mapping[str, Floats]
    calls: Mapping[str, Indices]
    predicted: frozenset[str]
    weight: Floats | None
    cluster: Indices | None
    dropped: int
    absent: Mapping[str, tuple[Any, ...]]
    pooled: tuple[Any, ...] = ()
    pooled_rows: int = 0

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
        return np.asarray(sums * sums / squares, dtype=np.float64)

    def ranking(self, model: str, i: int, versus: int | None = None) -> Ranking:
        """The ranking by the probability of class i, against the rest or one class."""
        score, positive, weight = np.ascontiguousarray(self.matrices[model][:, i]), self.index == i, self.weight
        if versus is not None:
            some = positive | (self.index == versus)
            score, positive, weight = score[some], positive[some], None if weight is None else weight[some]
        return Ranking.count(positive, score, weight, dropped=self.dropped)


def classified_rows(
    labels: Any,
    probabilities: Any,
    *,
    classes: Classes = None,
    other: Any = None,
    predictions: Any = None,
    weights: Any = None,
    clusters: Any = None,
    missing: Missing = "raise",
) -> ClassifiedRows:
    """Check that labels, matrices, weights and clusters are rows that belong together.

    Rows with a gap anywhere are refused or, on request, dropped for all models alike; rows of weight 0 vanish.
    `classes` names the columns of all models, or of each model by its name. Labels that are not among them are
    refused unless `other` names the class they count as.
    """
    matrices = named_matrices(probabilities)
    models = {name: _matrix(values, name) for name, values in matrices.items()}
    named_calls = _named_predictions(predictions, models)
    inputs = {"labels": labels} | {f"predictions of {name!r}": values for name, values in named_calls.items()}
    inputs |= {name: each for name, each in (("weights", weights), ("clusters", clusters)) if each is not None}
    require_same_index(inputs | {f"probabilities of {name!r}": values for name, values in matrices.items()})
    inputs |= {
        f"probabilities of {name!r}[:, {i}]": each for name, matrix in models.items() for i, each in enumerate(matrix.T)
    }
    checked, weight, dropped = complete_columns(inputs, missing=missing)
    named = _names_by_model(classes, models)
    names = list(dict.fromkeys(name for each in named.values() for name in each)) if named else None
    names, index, pooled = _indices(checked["labels"], names, other)
    named = named or _names_of_columns(matrices, names)
    _require_every_class(names, index)
    scores = {
        name: _probabilities([checked[f"probabilities of {name!r}[:, {i}]"] for i in range(matrix.shape[1])], name)
        for name, matrix in models.items()
    }
    full = {name: _in_order(matrix, named.get(name), names, name) for name, matrix in scores.items()}
    return ClassifiedRows(
        classes=tuple(names),
        index=index,
        matrices=full,
        calls={
            name: _indices(checked[f"predictions of {name!r}"], names, other)[1]
            if name in named_calls
            else matrix.argmax(axis=1)
            for name, matrix in full.items()
        },
        predicted=frozenset(named_calls),
        weight=weight,
        cluster=None if clusters is None else cluster_codes(checked["clusters"]),
        dropped=dropped,
        absent={name: tuple(each for each in names if each not in named.get(name, names)) for name in models},
        pooled=tuple(distinct(checked["labels"][pooled], at_most=1000)),
        pooled_rows=int(np.count_nonzero(pooled)),
    )


def require_two_clusters_of_classes(rows: ClassifiedRows) -> None:
    """Raise `ArgumentError` when a class lies in one cluster only."""
    if rows.cluster is None:
        return
    for name, number in zip(rows.classes, rows.class_units.tolist(), strict=True):
        if number < 2:
            raise ArgumentError(
                f"class {name!r} lies in 1 of {rows.clusters:,} clusters, and one shows no spread between clusters",
                fix=f"give every class in two clusters or more, or leave {argument('clusters')} out "
                "if rows are independent",
            )


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
            fix="give one row per case and one column per class; for a single column use evaluate(labels, scores)",
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


def _names_by_model(classes: Classes, models: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The classes of each model's columns; empty when the labels are to tell."""
    if classes is None:
        return {}
    if not isinstance(classes, Mapping):
        return dict.fromkeys(models, _plain_names(classes))
    without = [name for name in models if name not in classes]
    unknown = [name for name in classes if name not in models]
    if without or unknown:
        what = f"the classes of {without[0]!r} are missing" if without else f"there is no matrix of {unknown[0]!r}"
        raise ArgumentError(what, "give one list of classes for all models, or one for each by its name")
    return {name: _plain_names(classes[name]) for name in models}


def _names_of_columns(matrices: Mapping[str, Any], classes: list[Any]) -> dict[str, list[Any]]:
    """The classes that frames name their columns by; empty without such a frame."""
    frames = {name: each for name, each in matrices.items() if is_frame(each) and not isinstance(each, Mapping)}
    columns: dict[str, list[Any]] = {name: frame_names(frame) for name, frame in frames.items()}
    columns = {name: names for name, names in columns.items() if names != list(range(len(names)))}
    if not columns:
        return {}
    by_text = {str(label): label for label in classes}
    for name, names in columns.items():
        if strange := [each for each in names if str(each) not in by_text]:
            raise ColumnError(
                f"the frame of {name!r} has a column {strange[0]!r}, and the classes are {listed(classes)}",
                fix="name its columns by the classes, or pass classes=[...] with the class of each column",
            )
    return {name: [by_text[str(each)] for each in columns[name]] if name in columns else classes for name in matrices}


def _plain_names(classes: Any) -> list[Any]:
    if not hasattr(classes, "__iter__") or getattr(classes, "ndim", 1) != 1:
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


def _require_every_class(names: list[Any], index: Indices) -> None:
    absent = [name for name, cases in zip(names, np.bincount(index, minlength=len(names)), strict=True) if not cases]
    if absent or len(names) < 2:
        what = f"no row is of class {listed(absent)}" if absent else f"all rows are of class {names[0]!r}"
        raise OneClassError(
            f"{what} among {index.size:,}, and an AUC needs cases of both sides",
            fix="give data with every class, or leave the class and its column out",
        )


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
    return matrix


def _in_order(matrix: Floats, own: list[Any] | None, names: list[Any], name: str) -> Floats:
    """A model's columns in the order of all classes, 0 for those it lacks."""
    columns = names if own is None else own
    if matrix.shape[1] != len(columns):
        raise LengthError(
            f"the probabilities of {name!r} have {matrix.shape[1]} columns, and there are {len(columns)} classes:"
            f" {listed(columns)}",
            fix="give one column per class, in the order of classes=[...] or else of the sorted labels; where a model"
            " lacks a class, name its columns with classes={'model': [...], ...}",
        )
    if columns == names:
        return matrix
    full = np.zeros((len(matrix), len(names)))
    full[:, [names.index(each) for each in columns]] = matrix
    return full
