"""Fitted weights of the model decided for, held against nothing fitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.choices import choose
from thresher.errors import ArgumentError, argument, located
from thresher.inference.class_rows import ClassifiedRows
from thresher.inference.decision.out_of_fold import OutOfFoldCost, out_of_fold_cost
from thresher.inference.intervals.class_cost import CaseCosts
from thresher.ranking import Floats
from thresher.tables import OperatingCondition

MOST_FOLDS = 10


@dataclass(frozen=True, slots=True, eq=False)
class FittedWeights:
    """Weights fitted on all rows, and what weights cost on rows not fitted on.

    `paid` is what they cost the rows they were fitted on. They are `taken` where `out_of_fold` shows them surely
    cheaper than the Bayes decision, by more than the margin.
    """

    weights: Floats
    paid: CaseCosts
    out_of_fold: OutOfFoldCost
    taken: bool


def fit_weights_of(
    rows: ClassifiedRows, model: str, condition: OperatingCondition, *, level: float, margin: float, seed: int
) -> FittedWeights:
    """Fit the weights of one model, and cross-fit them in ten folds.

    There are fewer folds where the scarcest class has fewer cases, or rows fewer clusters.
    """
    folds = min(MOST_FOLDS, int(rows.cases[rows.present].min() if rows.cluster is None else rows.clusters))
    if folds < 2:
        scarce = rows.classes[int(np.where(rows.present, rows.cases, np.inf).argmin())]
        what = f"class {scarce!r} has one case, and weights are priced on rows that they were not fitted on"
        raise ArgumentError(what, f"give two cases of every class, or leave {argument('fit')} out", parameter="fit")
    with located(f"weights of {model!r}"):
        honest = out_of_fold_cost(rows, condition, model=model, folds=folds, seed=seed, level=level)
    segments = rows.segments(model)
    weights = choose(segments, condition, fit="weights").weights
    actions = honest.costs.costs.decide(rows.matrices[model], weights=weights)
    paid = CaseCosts.of_rows(rows, model, condition, actions)
    return FittedWeights(np.asarray(weights), paid, honest, taken=honest.difference.upper < -margin)
