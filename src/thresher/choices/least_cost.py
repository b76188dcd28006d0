"""The action of least expected cost for cases of k classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.results import ReadOnlyFields, Tabular
from thresher.cautions import Caution
from thresher.errors import OneClassError
from thresher.inputs.labels import label_array, listed
from thresher.ranking import Floats, Indices, Segments, require_probabilities, require_segments
from thresher.tables import ConfusionMatrix, CostMatrix, OperatingCondition
from thresher.tables.condition import require_class_condition, required_costs

NOTHING_FITTED = "nothing fitted"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassChoice(ReadOnlyFields, Tabular):
    """What to do with cases of k classes: the action of least weighted expected cost.

    The rule is argmin over actions a of Σ weights[i] · p[i] · costs[i, a], the first of equals. `weights` are the
    only numbers applied: they already contain the ratio of the declared class mix to that of the data. `actions` is
    the place in `condition.costs.actions` per segment, `confusion` counts the cases of the data.

    `expected_cost` is what these decisions cost per case at the class mix of `condition`; `foretold` is what the
    probabilities say that they cost, and well calibrated ones are right. `most_probable_cost` is the cost of calling
    each case its most probable class, `constants` that of always taking the same action. `certificate` says what is
    proved about the weights. Where weights were searched, `objective` says by what, and `by_start` what the search
    reached from each start.
    """

    segments: Segments
    condition: OperatingCondition
    weights: Floats
    actions: Indices
    confusion: ConfusionMatrix
    expected_cost: float
    foretold: float
    most_probable_cost: float
    constants: Mapping[Any, float]
    certificate: str
    cautions: tuple[Caution, ...]
    objective: str = "expected cost"
    by_start: Mapping[str, float] = field(default_factory=dict)

    @property
    def costs(self) -> CostMatrix:
        """The costs, with the classes in the order of the segments."""
        return required_costs(self.condition)

    def apply(self, probabilities: npt.ArrayLike) -> npt.NDArray[Any]:
        """The action for each row of probabilities, by name; the first of equals.

        >>> leaves = Segments.parse("[8,2][1,9]", probability=[[.8, .2], [.2, .8]], classes="ab")
        >>> choose_action(leaves, None).apply([[0.6, 0.4], [0.5, 0.5], [0.1, 0.9]]).tolist()
        ['a', 'a', 'b']
        """
        vectors = require_probabilities(probabilities, self.segments.classes)
        return label_array(self.costs.actions)[self.costs.decide(vectors, weights=self.weights)]

    def _brief(self) -> str:
        kind = "" if self.certificate == NOTHING_FITTED else ", fitted weights"
        by = "least expected cost" if self.objective == "expected cost" else f"best {self.objective}"
        return f"{by} of {listed(self.costs.actions)}: {self.expected_cost:.4g} per case{kind}"

    def _columns(self) -> Mapping[str, Any]:
        cost = self.costs.cost_by_class(self.confusion)
        cases = self.segments.cases
        return {
            "class": list(self.costs.classes),
            "weight": self.weights,
            "cases": cases,
            "recall": self.confusion.recall,
            "cost": np.divide(cost, cases, out=np.full(len(cost), np.nan), where=cases > 0),
        }


def choose_action(segments: Segments, condition: OperatingCondition | None) -> ClassChoice:
    """Choose the action of least expected cost: what `choose` does with segments.

    >>> leaves = Segments.parse("[8,1,1][1,6,3]", probability=[[.8, .1, .1], [.2, .5, .3]], classes="abc")
    >>> dear = CostMatrix.by_class({"c": 9}, "abc")
    >>> choice = choose_action(leaves, OperatingCondition(costs=dear))
    >>> choice
    ClassChoice(least expected cost of 'a', 'b' and 'c': 0.8 per case)
    >>> choice.confusion.counts.tolist(), choice.constants["c"], round(choice.foretold, 4)
    ([[0, 0, 9], [0, 0, 7], [0, 0, 4]], 0.8, 0.8)
    """
    asked = class_condition(segments, condition)
    return rule_of(segments, asked, asked.class_weights(segments))


def class_condition(segments: Segments, condition: OperatingCondition | None) -> OperatingCondition:
    """The condition of choices for segments, by default equal costs; checks both."""
    require_segments(segments)
    present = [name for name, cases in zip(segments.classes, segments.cases.tolist(), strict=True) if cases]
    if len(present) < 2:
        what = f"all {segments.total:,.10g} cases are of the class {present[0]!r}, and this question needs another"
        raise OneClassError(what, "give data with cases of two classes or more")
    if condition is None:
        return OperatingCondition(costs=CostMatrix.equal(segments.classes))
    require_class_condition(condition, segments.classes)
    return condition


def rule_of(
    segments: Segments,
    asked: OperatingCondition,
    weights: Floats,
    *,
    certificate: str = NOTHING_FITTED,
    objective: str = "expected cost",
    by_start: Mapping[str, float] | None = None,
) -> ClassChoice:
    """What some weights do with the cases of segments."""
    resolved = asked.for_data(segments)
    costs, mix = required_costs(resolved), resolved.mix
    actions = costs.decide(segments.probability, weights=weights)
    confusion = confusion_of(segments, costs, actions)
    # the condition as asked: shares computed from the data would round what is one division of counts
    of_data = OperatingCondition(costs=costs, mix=asked.mix)
    most_probable = confusion_of(segments, costs, segments.probability.argmax(axis=1))
    share = np.array([0.0 if mix is None else mix[name] for name in costs.classes])
    constants = dict(zip(costs.actions, (share @ costs.costs).tolist(), strict=True))
    cost = of_data.expected_cost(confusion)
    weights.flags.writeable = actions.flags.writeable = False
    return ClassChoice(
        segments=segments,
        condition=resolved,
        weights=weights,
        actions=actions,
        confusion=confusion,
        expected_cost=cost,
        foretold=foretold_cost(segments, costs, actions, asked.class_weights(segments)),
        most_probable_cost=of_data.expected_cost(most_probable),
        constants=constants,
        certificate=certificate,
        cautions=(*cost_cautions(asked, costs), *_beaten(constants, cost)),
        objective=objective,
        by_start=dict(by_start or {}),
    )


def confusion_of(segments: Segments, costs: CostMatrix, actions: Indices) -> ConfusionMatrix:
    """The confusion matrix of an action per segment."""
    counts = segments.confusion_counts(actions, len(costs.actions))
    return ConfusionMatrix(counts, segments.classes, segments.dropped, costs.actions[len(costs.classes) :])


def foretold_cost(segments: Segments, costs: CostMatrix, actions: Indices, weights: Floats) -> float:
    """What the probabilities say that actions cost per case, at another class mix.

    Cases count by the weight of their class, and probabilities are those of the declared mix (w p / Σ w p), whatever
    weights the decision was made with.
    """
    likelihood = segments.probability * weights
    total = likelihood.sum(axis=1)
    counts = (segments.counts * weights).sum(axis=1)
    used = counts > 0
    with np.errstate(invalid="ignore"):  # all of a row's classes have no share: its cost is undefined
        expected = (likelihood * costs.costs.T[actions]).sum(axis=1)[used] / total[used]
    return float((counts[used] * expected).sum() / counts.sum())


def cost_cautions(asked: OperatingCondition, costs: CostMatrix) -> tuple[Caution, ...]:
    """What to know about the costs and the class mix of a condition."""
    if asked.mix is not None:
        return costs.cautions
    return (*costs.cautions, Caution("class-mix-from-data", "no class mix declared, so the data's is used"))


def _beaten(constants: Mapping[Any, float], cost: float) -> list[Caution]:
    cheapest = min(constants, key=lambda action: constants[action])
    if constants[cheapest] >= cost:
        return []
    text = f"always {cheapest!r} costs {constants[cheapest]:.4g} per case, and these decisions {cost:.4g}"
    return [Caution("beaten-by-constant", text)]
