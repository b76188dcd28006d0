"""Cautions about the model chosen: overfitting, and parameters against rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from thresher._internal.text import number_text
from thresher.cautions import Caution
from thresher.evaluation import Decision
from thresher.evaluation.results import limits_text
from thresher.learning.learned import scores_of_model
from thresher.learning.models.reading import free_parameters
from thresher.learning.validation.cross_validate import CrossValidation, nested_interval
from thresher.learning.validation.scoring import action_cost, table_cost
from thresher.tables import OperatingCondition, contingency

_ROWS_PER_PARAMETER = 10
_FAR = 0.5  # of the cost on other rows, below which that on the rows learnt from is far from it


def winner_cautions(
    model: Any,
    X: Any,
    y: Any,
    decision: Decision,
    cv: CrossValidation,
    *,
    condition: OperatingCondition,
    positive: Any,
    level: float,
) -> Iterator[Caution]:
    """Warn where the model chosen overfits, or has few rows per parameter.

    It overfits where its calls on the rows that it learnt from cost less than the limits of the nested cost, which is
    that on rows it has not learnt from, and less than half of it.
    """
    name, nested = decision.model, nested_interval(cv, condition, decision.model, level=level)
    calls = decision.apply(scores_of_model(model, X, positive=positive))
    if condition.costs is None:
        apparent = table_cost(condition, contingency(y, calls, positive=True))
    else:
        apparent = action_cost(condition, y, calls)
    if apparent < min(nested.lower, _FAR * nested.estimate):
        costs = f"{number_text(apparent)} per case on the rows it learnt from, and {limits_text(nested)} on others"
        yield Caution("overfitting", f"{name} costs {costs}: it knows its own rows by heart; believe the second number")
    parameters, rows = free_parameters(model), len(X)
    if parameters and rows < _ROWS_PER_PARAMETER * parameters:
        what = f"{name} sets {parameters:,} numbers by {rows:,} training rows, {rows / parameters:.1f} for each"
        yield Caution("few-rows-per-parameter", f"{what}; with fewer than ten a model may learn chance")
