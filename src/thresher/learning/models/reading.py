"""A fitted model as text: rules or a formula, in the columns' own units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import logit
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from thresher._internal.arguments import require_classifier
from thresher._internal.text import count_text, visible
from thresher.calibration import LogisticCurve
from thresher.learning.models.calibrated import CalibratedModel
from thresher.learning.models.candidates import OneFeatureRule
from thresher.learning.models.leaf_tree import training_counts
from thresher.learning.models.linear import DistanceClassifier
from thresher.learning.models.tree_drawing import TreeNodes, node_labels, tree_text
from thresher.learning.models.wrapper import ClassifierWrapper
from thresher.ranking import Floats

_SWITCHES = ("switches", "binned", "missing", "one-hot")  # parts of a preparation whose features are 0 or 1
_OF_WORDS = {
    "tf-idf": "words: their TF-IDF weight in the text, 0 where they do not occur",
    "counts": "words: how often they occur in the text",
    "presence": "words: 1 where they occur in the text, 0 elsewhere",
}
_ENCODED = ("missing", "orders", "target", "words")  # parts whose numbers need a word of explanation


class Feature(NamedTuple):
    """A prepared feature, slope · value + offset of a value in its column's units."""

    name: str
    slope: float = 1.0
    offset: float = 0.0
    binary: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Formula:
    """A sum of weights times values, in the columns' own units.

    `effects` are the weights of prepared features, whose scales are alike: by these the terms are in order.
    """

    quantity: str
    intercept: float
    features: tuple[Feature, ...]
    weights: Floats
    effects: Floats

    @classmethod
    def of(cls, quantity: str, intercept: float, effects: Floats, features: Sequence[Feature]) -> Formula:
        """The formula of weights of prepared features, without their scaling."""
        slopes, offsets = (np.array([getattr(each, part) for each in features]) for part in ("slope", "offset"))
        return cls(quantity, float(intercept + effects @ offsets), tuple(features), effects * slopes, effects)

    def __call__(self, values: pd.DataFrame) -> Floats:
        """The sum for rows of values in the columns' units, by feature."""
        rows = values[[each.name for each in self.features]].to_numpy(dtype=np.float64)
        return np.asarray(self.intercept + rows @ self.weights)

    @property
    def order(self) -> list[int]:
        """Places of the terms, those of most effect first."""
        return [i for i in np.argsort(-np.abs(self.effects), kind="stable").tolist() if self.weights[i]]

    def text(self, most: int) -> str:
        """A line per term, those of most effect first."""
        order = self.order
        lines = [f"{self.quantity} = {self.intercept:.4g}"]
        for i in order[:most]:
            feature, weight = self.features[i], self.weights[i]
            value = f"[{feature.name}]" if feature.binary else feature.name  # Iverson's bracket
            lines.append(f"  {'-' if weight < 0 else '+'} {abs(weight):.4g} · {value}")
        if len(order) > most:
            lines.append(f"  and {count_text(len(order) - most, 'term')} of less effect")
        return "\n".join(map(visible, lines))


def model_text(
    model: CalibratedModel,
    call: Callable[[Floats], Sequence[str]],
    *,
    labels: Sequence[str],
    threshold: float | None,
    most: int,
) -> str:
    """What a calibrated pipeline does, as rules or as a formula if it has either.

    `call` names what is decided by calibrated probabilities; of two classes, positive from a `threshold`. Of a formula
    at most so many terms are shown, and of a tree so many lines.
    """
    transformers, classifier = _parts(model.estimator_)
    if isinstance(classifier, DummyClassifier):
        return "Every case gets the class mix of the training rows."
    features = _features(transformers)
    if features is not None and isinstance(classifier, DecisionTreeClassifier):
        return _rules(model, classifier, features, call, labels=labels, most=most)
    if features is not None and isinstance(classifier, OneFeatureRule):
        return _rules(model, classifier.model_, [features[classifier.feature_]], call, labels=labels, most=most)
    if features is not None and (formulas := formulas_of(model, features, labels)):
        lines = [formula.text(most) for formula in formulas]
        if threshold is not None:
            lines.append(f"call {visible(labels[1])} from log-odds {float(logit(threshold)):.4g}")
        notes = _notes([formula.features[i] for formula in formulas for i in formula.order[:most]])
        return "\n".join([*lines, *notes])
    return f"{type(classifier).__name__} is no tree, rule or formula, and has no short text."


def free_parameters(model: Any) -> int | None:
    """How many numbers a fitted model sets by its training rows.

    Of a linear model these are weights and intercepts, those of one class fewer where each of several has its own; of
    a tree a threshold per question and the class mix of each leaf; of Gaussian naive Bayes means, variances and class
    mix. None of what averages, adds or compares rows, such as a forest: there the number says little.

    >>> from sklearn.linear_model import LogisticRegression
    >>> free_parameters(LogisticRegression().fit([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], [0, 0, 1]))
    3
    """
    require_classifier(model)
    check_is_fitted(model)
    _, classifier = _parts(model)
    while isinstance(classifier, ClassifierWrapper | DistanceClassifier):
        _, classifier = _parts(classifier.estimator_)
    if isinstance(classifier, OneFeatureRule):
        return _tree_parameters(classifier.model_) + 1  # and which feature
    if isinstance(classifier, DecisionTreeClassifier):
        return _tree_parameters(classifier)
    if isinstance(classifier, DummyClassifier):
        return len(classifier.classes_) - 1
    if isinstance(classifier, GaussianNB):
        return int(classifier.theta_.size + classifier.var_.size) + len(classifier.classes_) - 1
    weights = np.atleast_2d(getattr(classifier, "coef_", np.empty((0, 0))))
    if not weights.size or not hasattr(classifier, "intercept_"):
        return None
    return (weights.shape[1] + 1) * max(len(weights) - 1, 1)


def _tree_parameters(tree: DecisionTreeClassifier) -> int:
    leaves = int(tree.get_n_leaves())
    return leaves - 1 + leaves * (len(tree.classes_) - 1)


def _parts(estimator: Any) -> tuple[list[Any], Any]:
    """The transformers of a pipeline, and what is fitted on what they make."""
    transformers: list[Any] = []
    while True:
        estimator = getattr(estimator, "best_estimator_", estimator)
        if not isinstance(estimator, Pipeline):
            return transformers, estimator
        transformers += [step for _, step in estimator.steps[:-1]]
        estimator = estimator.steps[-1][1]


def _features(transformers: Sequence[Any]) -> list[Feature] | None:
    """The features a classifier sees; None where a transformer mixes them."""
    if not transformers or not isinstance(transformers[0], ColumnTransformer):
        return None
    features = _prepared(transformers[0])
    for step in transformers[1:]:
        if not hasattr(step, "get_support"):
            return None
        features = [each for each, selected in zip(features, step.get_support(), strict=True) if selected]
    return features


def _prepared(prepare: ColumnTransformer) -> list[Feature]:
    """Every feature of a preparation, with what its scaling did."""
    names = prepare.get_feature_names_out()
    features = [Feature(name) for name in names]
    for way, steps, _ in prepare.transformers_:
        inside = range(*prepare.output_indices_[way].indices(len(names)))
        scale = getattr(steps, "named_steps", {}).get("scale")
        low, high = np.zeros(len(inside)), np.ones(len(inside))
        if scale is not None:
            low, high = (_row(scale, value) for value in (0.0, 1.0))
        notes = _encoding_notes(way, steps)
        for i, zero, one in zip(inside, low.tolist(), high.tolist(), strict=True):
            features[i] = Feature(names[i], one - zero, zero, _is_switch(way, steps), notes.get(names[i], ""))
    return features


def _is_switch(way: str, steps: Any) -> bool:
    """Whether the features of a part are 0 or 1."""
    return way in _SWITCHES or (way == "words" and steps.named_steps["words"].text == "presence")


def _row(scale: Any, value: float) -> Floats:
    """What a scaler makes of one row of equal values."""
    row = pd.DataFrame(np.full((1, scale.n_features_in_), value), columns=getattr(scale, "feature_names_in_", None))
    return np.asarray(scale.transform(row), dtype=np.float64)[0]


def _encoding_notes(way: str, steps: Any) -> dict[str, str]:
    """What the numbers of encoded columns mean, by the names of the features."""
    names = steps.get_feature_names_out().tolist() if way in _ENCODED else []
    if way == "missing":
        filled = "a missing number counts as the median of its column, and a missing category as the most frequent"
        return dict.fromkeys(names, filled)
    if way == "orders":
        encoder = steps.named_steps["encode"]
        return {
            name: f"{name}: {', '.join(f'{i} is {value}' for i, value in enumerate(order))}"
            for name, order in zip(names, encoder.categories_, strict=True)
        }
    if way == "target":
        return {name: f"{name}: the share of its class among training rows of the same category" for name in names}
    return dict.fromkeys(names, _OF_WORDS[steps.named_steps["words"].text]) if way == "words" else {}


def _notes(features: Sequence[Feature]) -> list[str]:
    of_values = ["[...] is 1 where it holds, and 0 elsewhere"] if any(each.binary for each in features) else []
    return [*of_values, *dict.fromkeys(visible(each.note) for each in features if each.note)]


def _rules(
    model: CalibratedModel,
    tree: DecisionTreeClassifier,
    features: Sequence[Feature],
    call: Callable[[Floats], Sequence[str]],
    *,
    labels: Sequence[str],
    most: int,
) -> str:
    """The questions of a tree, and counts, probability and call at its leaves."""
    binary = np.array([each.binary for each in features])
    counts, shares = training_counts(tree), tree.tree_.value[:, 0, :]
    place = model._place
    probability = model.map_(shares if place is None else shares[:, place])
    matrix = probability if place is None else np.column_stack([1 - probability, probability])
    column = None if place is None else 1
    of_class = counts if place is None else np.column_stack([counts.sum(axis=1) - counts[:, place], counts[:, place]])
    shown = [
        node_labels(of_class, matrix, np.array(labels), column=column, kind=kind, calls=call(probability))
        for kind in (("feature", "decision") if place is None else ("feature", "probability", "decision"))
    ]
    if place is None:  # calibrated ones, by which a class is called that need not be the most frequent
        shown.insert(1, [(f"p {', '.join(f'{p:.2g}' for p in row)}",) for row in matrix])
    nodes = TreeNodes.of(tree, counts=counts, names=[each.name for each in features], binary=binary)
    slopes, offsets = (np.array([getattr(each, part) for each in features]) for part in ("slope", "offset"))
    asked = np.maximum(nodes.feature, 0)
    nodes = replace(nodes, threshold=(nodes.threshold - offsets[asked]) / slopes[asked])
    lines = tree_text(nodes, [sum(parts, ()) for parts in zip(*shown, strict=True)]).split("\n")
    if len(lines) > most:
        lines[most:] = [f"and {count_text(len(lines) - most, 'line')} more"]
    used = {int(i) for i in nodes.feature[nodes.left >= 0]}
    return "\n".join([*lines, *_notes([features[i]._replace(binary=False) for i in sorted(used)])])


def formulas_of(model: CalibratedModel, features: Sequence[Feature], labels: Sequence[str]) -> list[Formula]:
    """The calibrated log-odds of a linear model; of k classes a formula each."""
    if model._place is not None:
        linear = _log_odds(model)
        if linear is None:
            return []
        effects, intercept = linear
        return [Formula.of(f"log-odds of {labels[1]}", intercept, effects, features)]
    _, classifier = _parts(model.estimator_)
    weights = getattr(classifier, "coef_", None)
    if weights is None or len(weights) != len(model.classes_):
        return []
    pairs = zip(labels, weights, classifier.intercept_, strict=True)
    return [Formula.of(f"score of {name}, before calibration", c, w, features) for name, w, c in pairs]


def _log_odds(model: CalibratedModel) -> tuple[Floats, float] | None:
    """Weights and intercept of calibrated log-odds; None where they are not linear."""
    curve = model.map_.curve
    if not isinstance(curve, LogisticCurve) or curve.a != curve.b:
        return None
    _, classifier = _parts(model.estimator_)
    if isinstance(classifier, CalibratedModel):
        inner = _log_odds(classifier)
        # The inner model says how probable its own positive class is.
        sign = 1.0 if classifier._place == model._place else -1.0
    else:
        coefficients = getattr(classifier, "coef_", None)
        inner = None if coefficients is None or len(coefficients) != 1 else (coefficients[0], classifier.intercept_[0])
        sign = 1.0 if model._place == 1 else -1.0
    if inner is None:
        return None
    slope, shift = curve.a / curve.unit, curve.c - curve.a * curve.centre / curve.unit
    return sign * slope * inner[0], float(sign * slope * inner[1] + shift)
