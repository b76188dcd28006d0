"""The rows of an evaluation: labels, scores, predictions, condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np

from thresher._internal.results import ReadOnly, ReadOnlyFields
from thresher.choices.choose import operating_condition
from thresher.errors import ArgumentError
from thresher.evaluation.decision import Decision
from thresher.evaluation.results import fingerprint
from thresher.inference.intervals.table import Table, count_calls
from thresher.inference.rows import ScoredRows
from thresher.inputs import columns_positive
from thresher.inputs.columns import Column, Missing
from thresher.inputs.frames import columns_by_name
from thresher.ranking import Flags, Ranking, reaches
from thresher.tables import Contingency, OperatingCondition


@dataclass(frozen=True, slots=True)
class Asked:
    """What `evaluate` is asked beyond labels and scores, of any number of classes."""

    condition: OperatingCondition | None
    predictions: Any
    weights: Any
    clusters: Any
    trained_at: Any
    measures: Sequence[str]
    level: float
    current: Any
    prefer: Any
    margin: float
    against: str | None
    replicates: int
    seed: int
    missing: Missing


@dataclass(frozen=True, eq=False)
class EvaluatedRows(ReadOnlyFields):
    """Rows without gaps, the calls that came with them, and the condition.

    `condition` is that which was asked for: a class ratio that it leaves to the data is as uncertain as they are.
    """

    scored: ScoredRows
    predictions: Mapping[str, Flags]
    current: Flags | None
    condition: OperatingCondition
    trained_at: float | None
    level: float

    @cached_property
    def rankings(self) -> Mapping[str, Ranking]:
        """The ranking of every model."""
        return ReadOnly({name: self.scored.ranking(name) for name in self.scored.models})

    @property
    def made_at(self) -> float:
        """The prevalence that probabilities were made for.

        One number for rows and rankings: sums of weights in another order would restate tied scores apart.
        """
        return next(iter(self.rankings.values())).prevalence if self.trained_at is None else self.trained_at

    @cached_property
    def in_data(self) -> ScoredRows:
        """The rows, probabilities restated for their own class mix."""
        return self.scored if self.trained_at is None else self.scored.at_prevalence(None, trained_at=self.made_at)

    @cached_property
    def in_production(self) -> ScoredRows:
        """The rows at the class mix that the condition declares."""
        stated = self.scored.at_prevalence(self.condition.prevalence, trained_at=self.made_at)
        return replace(stated, estimated_prior=self.trained_at is None)

    def fingerprint(self) -> str:
        """A digest of labels, names, scores and weights, the same anywhere."""
        rows = self.scored
        labels = np.packbits(rows.positive).tobytes(), str(rows.positive.size)
        weights = () if rows.weight is None else (rows.weight,)
        return fingerprint(*labels, *chain.from_iterable(rows.scores.items()), *weights)


def evaluated_rows(labels: Any, scores: Any, asked: Asked, *, positive: Any) -> EvaluatedRows:
    """Read and check everything once; rows with a gap are refused or dropped."""
    models, current = _named_scores(scores), asked.current
    predicted = _named_predictions(asked.predictions, models)
    columns = {"labels": labels} | {f"predictions of {name!r}": column for name, column in predicted.items()}
    if current is not None and not isinstance(current, str | Mapping | Decision | Real):
        columns["current"] = current  # a column of calls, not a threshold
    rows = ScoredRows.of(
        labels,
        models,
        positive=positive,
        weights=asked.weights,
        clusters=asked.clusters,
        columns=columns,
        missing=asked.missing,
    )
    # Most numbers are computed later, and the caller may change the arrays until then.
    positive_rows, by_model, weight = deepcopy((rows.positive, rows.scores, rows.weight))
    label = rows.columns["labels"]

    def calls_of(name: str) -> Flags:
        return columns_positive({"labels": label, name: rows.columns[name]}, positive=positive)[1]

    return EvaluatedRows(
        replace(rows, positive=positive_rows, scores=ReadOnly(by_model), weight=weight),
        {name: calls_of(f"predictions of {name!r}") for name in predicted},
        _calls_or_flags(label, rows.columns["current"], positive) if "current" in columns else None,
        operating_condition(asked.condition),
        asked.trained_at,
        asked.level,
    )


def count_calls_of(rows: ScoredRows, calls: Flags) -> Table:
    """The table of calls, with what weights and clusters say where there are any."""
    return count_calls(rows.positive, calls, weight=rows.weight, cluster=rows.cluster)


def table_at(rows: ScoredRows, name: str, threshold: float) -> Table:
    """The table of a model's calls from a threshold on."""
    return count_calls_of(rows, reaches(rows.scores[name].astype(np.float64), threshold))


def cells(table: Contingency) -> dict[str, Any]:
    """The four cells of a table as plain data."""
    return {cell: getattr(table, cell) for cell in ("tp", "fn", "fp", "tn")}


def _calls_or_flags(label: Column, calls: Column, positive: Any) -> Flags:
    """Calls as labels, or as flags where labels are no numbers."""
    flags = calls.dtype.kind == "b" and label.dtype.kind != "b"
    if flags or (calls.dtype.kind in "iuf" and label.dtype.kind not in "biuf" and bool(np.isin(calls, (0, 1)).all())):
        return np.asarray(calls, dtype=np.bool_)
    return columns_positive({"labels": label, "calls of the rule in use": calls}, positive=positive)[1]


def _named_scores(scores: Any) -> dict[str, Any]:
    """Scores by model; a bare column is one model called "model"."""
    models = columns_by_name(scores)
    if models is None:
        models = {"model": scores}
    if not models:
        raise ArgumentError("there are no models", "give {'name': scores, ...}")
    for name, values in models.items():
        shape = np.shape(values) if isinstance(values, np.ndarray) else ()
        if len(shape) == 2 and shape[1] > 1:
            what = f"the scores of {name!r} are a matrix of {shape[1]} columns"
            fix = "give the positive class's column, or name the class of each column by classes=[...]"
            raise ArgumentError(what, fix)
    return models


def _named_predictions(predictions: Any, models: Mapping[str, Any]) -> dict[str, Any]:
    if predictions is None:
        return {}
    by_name = columns_by_name(predictions)
    if by_name is None and len(models) > 1:
        what = "cannot tell which model the predictions are of"
        raise ArgumentError(what, "give predictions={'name': column, ...}")
    if by_name is None:
        return {next(iter(models)): predictions}
    for name in by_name:
        if name not in models:
            what = f"predictions are given for {name!r}, which has no scores"
            raise ArgumentError(what, f"name one of {', '.join(models)}")
    return by_name
