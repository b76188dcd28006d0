"""`feature_gain`: whether new features help, as one paired answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

from thresher._internal.arguments import require_function, require_instance, require_level, require_names
from thresher._internal.parallel import Progress
from thresher._internal.results import Result
from thresher._internal.text import interval_text, number_text
from thresher.errors import ArgumentError, argument
from thresher.inference import Difference, Interval, corrected_t
from thresher.inputs.labels import listed
from thresher.learning.data.column_types import ColumnTypes, Derived, column_types
from thresher.learning.data.derived import SIGNS, derived_feature
from thresher.learning.data.frame import column_of, frame
from thresher.learning.data.target import learning_target
from thresher.learning.learn import calibrated_candidates, calibration_options, inner_folds
from thresher.learning.learned import features_of
from thresher.learning.models.candidates import models_to_compare
from thresher.learning.preprocessing.encoders import Text
from thresher.learning.preprocessing.preparation import preparation
from thresher.learning.validation.cross_validate import cross_validate, nested_costs, nested_interval
from thresher.learning.validation.folds import Folding
from thresher.learning.validation.scoring import fold_metric
from thresher.tables import CostMatrix, OperatingCondition

WITH, WITHOUT = "with", "without"


@dataclass(frozen=True, slots=True, repr=False)
class FeatureGain(Result):
    """A model with and without some features, compared on the same folds.

    `difference` is the measure with the features minus that without, in pairs over folds; its `verdict` knows whether
    less or more is better.
    """

    features: tuple[str, ...]
    model: str
    measure: str
    with_features: Interval
    without: Interval
    difference: Difference
    folds: int

    @property
    def helps(self) -> bool:
        """Whether the features help beyond doubt."""
        return self.difference.verdict == "better"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        sides = {"with": self.with_features.to_dict(), "without": self.without.to_dict()}
        about = {"features": list(self.features), "model": self.model, "measure": self.measure, "folds": self.folds}
        return about | sides | {"difference": self.difference.to_dict(), "helps": self.helps}

    def _brief(self) -> str:
        return f"{listed(self.features)}: {self.difference.verdict}"

    def __str__(self) -> str:
        one, several = self.difference, len(self.features) > 1
        verdicts = {
            "better": "they help" if several else "it helps",
            "worse": "they harm" if several else "it harms",
            "practically equal": "practically no difference",
        }
        doubt = "whether that helps is not known from these rows"
        limits = interval_text(one.difference, one.lower, one.upper)
        numbers = f"{number_text(self.with_features.estimate)}, without {number_text(self.without.estimate)}"
        return (
            f"With {listed(self.features)} the {self.measure.replace('_', ' ')} of {self.model} is {numbers}: "
            f"{limits} over {self.folds:,} folds; {verdicts.get(one.verdict, doubt)}."
        )


def feature_gain(
    data: Any,
    target: str,
    features: str | Sequence[str],
    *,
    model: Any = "logistic",
    measure: str | None = None,
    condition: OperatingCondition | None = None,
    positive: Any = None,
    types: Mapping[str, Any] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    derive: Sequence[str] = (),
    missing: Literal["indicator", "fill"] = "indicator",
    text: Text = "tf-idf",
    folds: Folding = 10,
    groups: Any = None,
    times: Any = None,
    level: float = 0.95,
    margin: float = 0.0,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> FeatureGain:
    """Whether columns help a model that has all the others already.

    The model is fitted with and without them on the same folds, each time prepared and calibrated within the training
    rows, and the two are compared in pairs: by the nested expected cost under the condition, at thresholds chosen on
    the training rows, or by a `measure` such as "auc". A feature is a column, or derived from columns that stay, e.g.
    "log(amount)", as in `column_types`. `model` is the name of a candidate or a classifier; `margin` is
    the difference that still counts as none. Other arguments are those of `learn`. Asked of many features one by one,
    some seem to help by chance: one in twenty at the default level.

    >>> from sklearn.datasets import load_breast_cancer
    >>> table = load_breast_cancer(as_frame=True).frame[["mean radius", "mean texture", "worst concavity", "target"]]
    >>> print(feature_gain(table, "target", "worst concavity", measure="auc"))
    With 'worst concavity' the auc of logistic is 0.982, without 0.949: 0.032 [0.014, 0.051] over 10 folds; it helps.
    """
    require_level(level)
    require_function(progress, name="progress")
    fix = "e.g. OperatingCondition(cost_ratio=5)"
    if condition is not None:
        require_instance(condition, OperatingCondition, name="condition", fix=fix)
    if condition is not None and measure is not None:
        what = f"both {argument('measure', measure)} and a condition are given"
        raise ArgumentError(what, "give one: the condition compares by expected cost")
    table = frame(data)
    asked = _asked(table, features, target=target)
    new = [name for name in asked if name not in table.columns]
    number = folds if isinstance(folds, int) else None
    goal = learning_target(table, target, positive=positive, condition=condition, folds=number)
    if condition is None:
        condition = OperatingCondition(costs=None if goal.classes is None else CostMatrix.equal(goal.classes))
    words = "expected_cost" if measure is None else fold_metric(measure, goal.classes).name
    name, compared = _one_model(model, seed=seed, classes=len(goal.labels))
    columns = column_types(goal.table, target=target, types=types, orders=orders, derive=[*derive, *new])
    others = _others(columns, asked)
    options = calibration_options(None if goal.classes is None else "temperature", goal, condition)
    wrap = partial(calibrated_candidates, options=options, folds=inner_folds(groups, times, seed=seed))
    pair = {
        side: wrap({name: compared}, preparation(kinds, missing=missing, text=text, seed=seed))[name]
        for side, kinds in ((WITH, columns), (WITHOUT, others))
    }
    cv = cross_validate(
        pair,
        features_of(goal.table, columns),
        goal.y,
        classes=goal.classes,
        folds=folds,
        groups=groups,
        times=times,
        seed=seed,
        n_jobs=n_jobs,
        progress=progress,
    )
    if measure is None:
        costs = (nested_costs(cv, condition, side) for side in pair)
        difference = corrected_t(*costs, test_share=cv.test_share, level=level, margin=margin, better="lower")
        difference = replace(difference, a=WITH, b=WITHOUT)
        values = {side: nested_interval(cv, condition, side, level=level) for side in pair}
    else:
        difference = cv.difference(WITH, WITHOUT, measure, level=level, margin=margin)
        values = {side: cv.estimate(measure, side, level=level) for side in pair}
    return FeatureGain(asked, name, words, values[WITH], values[WITHOUT], difference, len(cv.splits))


def _asked(table: Any, features: str | Sequence[str], *, target: str) -> tuple[str, ...]:
    """The features asked about, derived ones as they are written."""
    asked = [features] if isinstance(features, str) else require_names(features, name="features")
    if not asked:
        raise ArgumentError("there are no features to ask about", "name one column or more")
    if target in asked:
        raise ArgumentError(f"{target!r} is the target", "ask about a feature")
    for name in asked:
        if not set(name) & SIGNS:
            column_of(table, name)
    return tuple(name if name in table.columns else derived_feature(name, table).name for name in asked)


def _others(columns: ColumnTypes, asked: Sequence[str]) -> ColumnTypes:
    """The columns without those asked about, all of which a model must learn from."""
    learnt_from = [*columns.used, *columns.named(*get_args(Derived))]
    if unused := [name for name in asked if name not in learnt_from]:
        one = columns[unused[0]]
        what = f"no model learns from {one.name!r}, which is {one.kind}: {one.reason}"
        raise ArgumentError(what, f"declare what it is: {argument('types', {one.name: 'categorical'})}")
    others = replace(columns, columns=tuple(one for one in columns if one.name not in asked))
    if not others.needed:
        raise ArgumentError("no other column is left to do without", "ask about fewer of them")
    return others


def _one_model(model: Any, *, seed: int, classes: int) -> tuple[str, Any]:
    """A candidate by name, or a classifier by the name of its type."""
    name = model if isinstance(model, str) else type(model).__name__
    asked = [model] if isinstance(model, str) else {name: model}
    return name, models_to_compare(asked, seed=seed, classes=classes)[name]
