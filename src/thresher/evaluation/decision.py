"""`Decision`: the artefact to deploy, the same calls on any machine."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from os import PathLike
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher._internal import json as reading
from thresher._internal.atomic import read_text, write_file
from thresher._internal.results import ReadOnlyFields, Result
from thresher._internal.text import number_text, visible
from thresher.calibration import CalibrationMap, adjust_prevalence
from thresher.choices import JointChoice
from thresher.errors import ArgumentError, LabelError, NotationError
from thresher.evaluation.decision_rule import (
    BestConstant,
    DecisionRule,
    LeastCostRule,
    ThresholdRule,
    plain,
    read_interval,
    read_rule,
)
from thresher.evaluation.results import limits_text
from thresher.inference import Interval
from thresher.inputs.frames import frame_columns, frame_names, is_frame
from thresher.inputs.labels import listed
from thresher.ranking import Flags, Floats
from thresher.tables import CostMatrix, OperatingCondition
from thresher.version import __version__

FORMAT = "thresher/decision/1"
_FORMATS = "thresher/decision/"
EVALUATE_AGAIN = "evaluate again"
_SURELY = 1 - 1e-9


@dataclass(frozen=True, slots=True, repr=False)
class Decision(ReadOnlyFields, Result):
    """Which model, by which rule, under which condition, and how firmly.

    `rule` says what to do with a case: a `ThresholdRule` of two classes, whose numbers are read here as well
    (`threshold`, `equivalent`, `cost_ratios` ...), or a `LeastCostRule` of any number. `condition` holds the class mix
    that every number is stated at. `tied` are the models that are equally cheap, itself first. `out_of_bag_cost` is
    the cost of a model and rule chosen like these on rows they were not chosen on, and `saving` what they save there
    against `baseline`, the cheapest rule that needs no decision. `may_be_best` names the models that may be the best at
    the intervals' level, and `why` says why this one was taken; where it is not the cheapest, `runner_up` is, and `gap`
    is negative. `wins` is the share of resamples, of the same rows, in which the model is the cheapest: no probability.
    `fingerprint` identifies the data. A decision set on the page has no `wins`, and intervals without limits.

    Of k classes, `foretold_cost` is what the probabilities say that the decisions cost; its limits are those of the
    difference from what they did cost, so that `expected_cost.estimate` lies outside them where probabilities are
    surely too sure, or not sure enough. `most_probable_cost` is the cost of calling each case its most probable class,
    and `best_constant` the action that is cheapest when every case gets the same one.

    >>> from thresher import evaluate
    >>> decision = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2], seed=1).decision
    >>> decision.model, decision.rule.kind, round(decision.threshold, 3)
    ('model', 'threshold', 0.7)
    """

    model: str
    rule: DecisionRule
    condition: OperatingCondition
    expected_cost: Interval
    out_of_bag_cost: Interval
    baseline: str
    saving: Interval
    why: str
    may_be_best: tuple[str, ...]
    runner_up: str | None
    gap: float | None
    tied: tuple[str, ...]
    wins: float | None
    fingerprint: str
    version: str
    foretold_cost: Interval | None = None
    most_probable_cost: Interval | None = None
    best_constant: BestConstant | None = None

    @property
    def threshold(self) -> float:
        """Scores from it on are called positive; of two classes."""
        return self._threshold_rule.threshold

    @property
    def equivalent(self) -> tuple[float, float]:
        """Thresholds above the first, up to the second, make the same calls on the data."""
        return self._threshold_rule.equivalent

    @property
    def threshold_interval(self) -> Interval:
        """How sure the threshold is."""
        return self._threshold_rule.interval

    @property
    def threshold_holds_for(self) -> tuple[float, float] | None:
        """Cost ratios for which the threshold stays the model's best one; None: for none."""
        return self._threshold_rule.holds_for

    @property
    def cost_ratios(self) -> tuple[float, float]:
        """Cost ratios over which the model stays the cheapest."""
        return self._threshold_rule.cost_ratios

    @property
    def class_ratios(self) -> tuple[float, float]:
        """Class ratios over which the model stays the cheapest."""
        return self._threshold_rule.class_ratios

    @property
    def data_prevalence(self) -> float:
        """The proportion of positives in the rows of the evaluation."""
        return self._threshold_rule.data_prevalence

    @property
    def trained_at(self) -> float:
        """The prevalence that the model's probabilities were made for."""
        return self._threshold_rule.trained_at

    @property
    def calibration(self) -> Mapping[str, Any] | None:
        """The map from scores to probabilities at the mix of the rows."""
        return self._threshold_rule.calibration

    @property
    def baseline_words(self) -> str:
        """What the baseline does, in words."""
        if self.baseline == CONSTANT and self.best_constant is not None:
            return f"always saying {self.best_constant.action!r}"
        if self.baseline == MOST_PROBABLE:
            return "saying the most probable class"
        return BASELINE_WORDS.get(self.baseline, self.baseline)

    @property
    def _threshold_rule(self) -> ThresholdRule:
        if isinstance(self.rule, ThresholdRule):
            return self.rule
        number = len(self.rule.classes)
        raise ArgumentError(f"a decision of {number} classes has no threshold", "read rule.weights and rule.costs")

    def probability(self, scores: npt.ArrayLike) -> Floats:
        """The calibrated probability of the positive class at the condition's mix.

        >>> from thresher import OperatingCondition, evaluate
        >>> scores = [.9, .8, .6, .55, .3, .2]
        >>> rare = evaluate([1, 1, 0, 1, 0, 0], scores, condition=OperatingCondition(prevalence=0.1)).decision
        >>> rare.probability([.9, .58, .2]).round(4)
        array([1. , 0.1, 0. ])
        """
        if self.calibration is None or self.condition.prevalence is None:
            raise ArgumentError("this decision has no calibration map", "take one that evaluate made")
        in_data = CalibrationMap.from_dict(self.calibration)(scores)
        if math.isclose(self.condition.prevalence, self.data_prevalence, rel_tol=1e-12):
            return in_data
        return adjust_prevalence(in_data, self.condition.prevalence, trained_at=self.data_prevalence)

    def apply(self, scores: Any) -> Any:
        """What the rule does with new cases.

        Of two classes, which are called positive: score >= threshold, as float64. Takes the scores of the decision's
        model, or a mapping or frame with a column of its name. Of k classes, the action for each row of a matrix of
        probabilities, or of the model's matrix in a mapping. The same numbers give the same calls on any machine.

        >>> from thresher import evaluate
        >>> decision = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2], seed=1).decision
        >>> decision.apply([.9, .5, .1])
        array([ True, False, False])
        """
        by_name = isinstance(scores, Mapping) or (isinstance(self.rule, ThresholdRule) and is_frame(scores))
        if by_name:
            if self.model not in (names := frame_names(scores)):
                what = f"there are no scores of the model {self.model!r} among {', '.join(map(repr, names))}"
                raise ArgumentError(what, "give the scores of the model that was decided for")
            several = isinstance(self.rule, LeastCostRule)
            scores = scores[self.model] if several else frame_columns(scores, [self.model])[self.model]
        return self.rule.apply(scores)

    @staticmethod
    def schema() -> dict[str, Any]:
        """The published JSON schema of a decision.

        >>> Decision.schema()["title"]
        'thresher decision'
        """
        schema = resources.files("thresher.evaluation").joinpath("decision.schema.json")
        return dict(json.loads(schema.read_text(encoding="utf-8")))

    def to_dict(self) -> dict[str, Any]:
        """Plain data after the published schema; infinity is the text "inf"."""
        return {"format": FORMAT} | {part.name: plain(getattr(self, part.name)) for part in fields(self)}

    def to_json(self) -> str:
        """JSON that `from_json` reads back exactly."""
        try:
            return json.dumps(self.to_dict(), allow_nan=False, indent=2)
        except TypeError:
            names = listed(getattr(self.rule, "classes", ()))
            what = f"JSON has no way to write the classes {names}"
            raise LabelError(what, "name the classes by texts, numbers or booleans") from None

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote."""
        written = value.get("format") if isinstance(value, Mapping) else None
        if isinstance(written, str) and written.startswith(_FORMATS) and (written != FORMAT or "threshold" in value):
            raise NotationError(f"this decision is of another format or shape, {written!r}", EVALUATE_AGAIN)
        readers = {part.name: _READERS.get(part.name, reading.text) for part in fields(cls)}
        decision = cls(**reading.read_object(value, readers, of="Decision", kind="a decision", form=FORMAT))
        why = ""
        for name in ("tied", "may_be_best"):
            if decision.model not in getattr(decision, name):
                why = why or f'"{name}" does not name the model, {decision.model!r}'
        if isinstance(decision.rule, LeastCostRule) is not (decision.condition.costs is not None):
            why = why or '"condition" and "rule" are not of the same classes'
        if why:
            raise reading.not_written(why, of="Decision", kind="a decision")
        return decision

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        return cls.from_dict(reading.json_value(text, name="Decision"))

    def __str__(self) -> str:
        costs = f"{limits_text(self.expected_cost)}; on rows not chosen on {limits_text(self.out_of_bag_cost)}"
        lines = [f"Use {self.model}, and {self.rule}.", f"Expected cost per case {costs}."]
        if self.foretold_cost is not None:
            lines.append(foretold_text(self.foretold_cost, self.expected_cost))
        if not math.isnan(self.saving.estimate):
            lines.append(saving_text(self.saving, self.baseline_words))
        lines.append(f"Why: {self.why}.")
        if isinstance(self.rule, ThresholdRule) and (self.gap is None or self.gap >= 0):
            ends = " to ".join(f"{end:.4g}" for end in self.cost_ratios)
            now = f"{self.condition.cost_ratio:.4g}"
            lines.append(f"It stays the best model for cost ratios from {ends} (now {now}).")
        if self.wins is not None and self.runner_up is not None:
            lines.append(f"It is {wins_text(self.wins)}.")
        if self.runner_up is not None and self.gap is not None:
            role, way = ("Runner-up", "more") if self.gap >= 0 else ("Cheapest on these rows", "less")
            lines.append(f"{role}: {self.runner_up}, {abs(self.gap):.4g} {way} per case.")
        return "\n".join(map(visible, lines))

    def save(self, path: str | PathLike[str]) -> None:
        """Write a JSON file that `load` reads back exactly, completely or not at all.

        >>> from tempfile import TemporaryDirectory
        >>> from thresher import evaluate
        >>> decision = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2]).decision
        >>> with TemporaryDirectory() as folder:
        ...     decision.save(f"{folder}/decision.json")
        ...     Decision.load(f"{folder}/decision.json") == decision
        True
        """
        write_file(path, self.to_json() + "\n")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read and check the file that `save` or `thresher evaluate` wrote."""
        try:
            return cls.from_json(read_text(path))
        except NotationError as error:
            raise NotationError(f"{path} holds no decision: {error.what}", error.fix) from None

    def _brief(self) -> str:
        return f"use {self.model!r}, {self.rule}, expected cost {self.expected_cost}"


def decide(
    joint: JointChoice,
    model: str,
    *,
    condition: OperatingCondition,
    interval: Interval,
    trained_at: float,
    calibration: Mapping[str, Any],
    **parts: Any,
) -> Decision:
    """The decision for one model of two classes.

    Where another model is cheaper, that one is the runner-up.
    """
    choice, cheapest = joint.choices[model], model in joint.tied
    stated = condition.for_data(choice.ranking)
    low, high = joint.stays_cheapest(model)
    # Only the product of cost ratio and class ratio matters, so one range tells the other.
    per_cost = (stated.class_ratio or 1.0) / stated.cost_ratio
    runner_up = joint.runner_up if cheapest else joint.model
    return Decision(
        model=model,
        rule=ThresholdRule(
            threshold=choice.threshold,
            equivalent=choice.interval,
            interval=interval,
            holds_for=choice.holds_for,
            cost_ratios=(low, high),
            class_ratios=(low * per_cost, high * per_cost),
            data_prevalence=choice.ranking.prevalence,
            trained_at=trained_at,
            calibration=calibration,
        ),
        condition=stated,
        runner_up=runner_up,
        gap=None if runner_up is None else joint.choices[runner_up].expected_cost - choice.expected_cost,
        tied=(model, *(name for name in joint.tied if cheapest and name != model)),
        version=__version__,
        **parts,
    )


MOST_PROBABLE, CONSTANT = "most probable", "constant"
BASELINE_WORDS = {
    "never": "calling no case positive",
    "always": "calling every case positive",
    "0.5": "the usual cut-off of 0.5",
    "current": "the rule in use",
}


def saving_text(saving: Interval, against: str) -> str:
    """What a decision saves against a rule in words, per case and per 1,000."""
    each, per = limits_text(saving), limits_text(saving, scale=1000)
    nothing = "" if saving.estimate > 0 else " nothing:"
    return f"Against {against} it saves{nothing} {each} per case, {per} per 1,000."


def foretold_text(foretold: Interval, paid: Interval) -> str:
    """What probabilities foretold, and whether they are surely wrong about it."""
    lead = f"It foretold {number_text(foretold.estimate, 4)}"
    if math.isnan(foretold.lower) or foretold.lower <= paid.estimate <= foretold.upper:
        return f"{lead}, which the data do not contradict."
    return f"{lead}: its probabilities are {'too sure' if paid.estimate > foretold.upper else 'not sure enough'}."


def wins_text(share: float) -> str:
    """A share of resamples, with what it means."""
    return f"cheapest in {share:.0%} of resamples (of the same rows; a fresh sample would agree less often)"


def contradictions(calls: Flags, probability: Floats, condition: OperatingCondition) -> Flags:
    """Calls that the probability of a case speaks against, beyond rounding.

    A positive call is the cheaper one iff p·cost_ratio > 1 - p, which is p > 1 / (1 + cost_ratio).

    >>> condition = OperatingCondition(cost_ratio=4)
    >>> contradictions(np.array([True, True, False]), np.array([0.3, 0.1, 0.2]), condition)
    array([False,  True, False])
    """
    miss, alarm = probability * condition.cost_ratio, 1 - probability  # what either call is expected to cost
    against: Flags = np.where(calls, miss < alarm * _SURELY, alarm < miss * _SURELY)
    return against


def _condition(value: Any) -> OperatingCondition:
    if isinstance(value, Mapping) and "costs" in value:
        readers = {"costs": CostMatrix.from_dict, "mix": reading.numbers(0, 1)}
        reading.fields(value, readers)
        return OperatingCondition.from_dict(value)
    costs = dict.fromkeys(("cost_fp", "cost_fn", "cost_tp", "cost_tn"), reading.number())
    return OperatingCondition(**reading.fields(value, {"class_ratio": reading.number(0, strictly=True), **costs}))


def _names(value: Any) -> tuple[str, ...]:
    names = tuple(reading.items(reading.text)(value))
    if not names:
        raise reading.FieldError("must name a model at least")
    return names


def _fingerprint(value: Any) -> str:
    if not re.fullmatch("sha256:[0-9a-f]{64}", reading.text(value)):
        raise reading.FieldError(f"must be sha256: and 64 hexadecimal digits, got {value!r}")
    return reading.text(value)


_READERS: Mapping[str, reading.Reader] = {
    **dict.fromkeys(("expected_cost", "out_of_bag_cost", "saving"), read_interval),
    **dict.fromkeys(("may_be_best", "tied"), _names),
    "rule": read_rule,
    "condition": _condition,
    "runner_up": reading.or_none(reading.text),
    "gap": reading.or_none(reading.number()),
    "wins": reading.or_none(reading.number(0, 1)),
    **dict.fromkeys(("foretold_cost", "most_probable_cost"), reading.or_none(read_interval)),
    "best_constant": reading.or_none(BestConstant.from_dict),
    "fingerprint": _fingerprint,
}
