"""The rows of an evaluation: labels, every model's scores, and the predictions that came with them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import ArgumentError
from thresher.inference.rows import ScoredRows
from thresher.inputs import is_positive
from thresher.inputs.columns import Column, Missing
from thresher.inputs.frames import columns_by_name
from thresher.ranking import Flags, Ranking
from thresher.tables import Contingency, contingency


@dataclass(frozen=True, slots=True, eq=False)
class EvaluatedRows:
    """Scored rows without gaps, in the order given, and the models' own predictions on them.

    `positive` and `negative` are the two labels as they were given, `current` the calls of the rule in use.
    """

    scored: ScoredRows
    predictions: Mapping[str, Flags]
    positive: Any
    negative: Any
    current: Flags | None = None

    def ranking(self, name: str) -> Ranking:
        """The ranking of one model."""
        return self.scored.ranking(name)

    def given(self, name: str) -> Contingency | None:
        """The table of a model's own predictions, if it came with any."""
        if name not in self.predictions:
            return None
        return contingency(self.scored.positive, self.predictions[name], weights=self.scored.weight)

    def fingerprint(self) -> str:
        """A digest of labels, model names, scores and weights: the same data give the same text anywhere."""
        rows = self.scored
        digest = hashlib.sha256(np.packbits(rows.positive).tobytes())
        digest.update(str(rows.positive.size).encode())
        for name, score in rows.scores.items():
            digest.update(name.encode("utf-8", "surrogatepass"))  # a name may hold half a character
            digest.update(np.add(score, 0.0, dtype=np.float64).astype("<f8").tobytes())
        if rows.weight is not None:
            digest.update(rows.weight.astype("<f8").tobytes())
        return f"sha256:{digest.hexdigest()}"


def evaluated_rows(
    labels: Any,
    scores: Any,
    *,
    positive: Any,
    predictions: Any,
    weights: Any,
    clusters: Any,
    missing: Missing,
    current: Any = None,
) -> EvaluatedRows:
    """Read and check everything once; rows with a gap anywhere are refused or, on request, dropped."""
    models = _named_scores(scores)
    given = _named_predictions(predictions, models)
    rows = ScoredRows.of(
        labels,
        models,
        positive=positive,
        weights=weights,
        clusters=clusters,
        columns={"labels": labels}
        | {f"predictions of {name!r}": column for name, column in given.items()}
        | ({} if current is None else {"current": current}),
        missing=missing,
    )
    label, *columns = rows.columns.values()
    in_use = None if current is None else _called_or_flags(label, columns.pop(), positive)
    called = zip(given, columns, strict=True)
    return EvaluatedRows(
        rows,
        {name: _called(label, column, positive) for name, column in called},
        positive=label[np.argmax(rows.positive)],
        negative=label[np.argmin(rows.positive)],
        current=in_use,
    )


def _called_or_flags(label: Column, called: Column, positive: Any) -> Flags:
    """Calls as labels, or, where labels are neither truth values nor numbers, as truth values or 0 and 1."""
    flags = called.dtype.kind == "b" and label.dtype.kind != "b"
    if flags or (called.dtype.kind in "iuf" and label.dtype.kind not in "biuf" and bool(np.isin(called, (0, 1)).all())):
        return np.asarray(called, dtype=np.bool_)
    return _called(label, called, positive)


def _called(label: Column, predicted: Column, positive: Any) -> Flags:
    """Which predictions are positive, read together with the labels: a model may call every case negative."""
    columns = [label, predicted]
    if len({"number" if values.dtype.kind in "biuf" else values.dtype.kind for values in columns}) > 1:
        columns = [values.astype(object) for values in columns]  # 1 must not become "1"
    return is_positive(np.concatenate(columns), positive=positive)[label.size :]


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
            raise ArgumentError(
                f"the scores of {name!r} are a matrix of {shape[1]} columns",
                "give the positive class's column, or use evaluate_classes(labels, matrix) for several classes",
            )
    return models


def _named_predictions(predictions: Any, models: Mapping[str, Any]) -> dict[str, Any]:
    if predictions is None:
        return {}
    by_name = columns_by_name(predictions)
    if by_name is None:
        if len(models) > 1:
            raise ArgumentError(
                "it is not said which model the predictions are of", "give predictions={'name': column, ...}"
            )
        return {next(iter(models)): predictions}
    unknown = [name for name in by_name if name not in models]
    if unknown:
        raise ArgumentError(
            f"predictions are given for {unknown[0]!r}, which has no scores", f"name one of {', '.join(models)}"
        )
    return by_name
