"""Requirements of a gate, such as `auc.lower >= 0.85`.

requirement = [ model ":" ] quantity [ ".lower" | ".upper" | ".estimate" ] relation number
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, get_args

from thresher._internal.atomic import read_text
from thresher.curves import Bounds
from thresher.curves.bounds import certain
from thresher.errors import ArgumentError, MeasureError, SourceError, located
from thresher.evaluation.counted import Bound, counted_answer
from thresher.evaluation.engine import ScannedEvaluation
from thresher.evaluation.least_cost.evaluation import LeastCostEvaluation
from thresher.evaluation.least_cost.quantities import class_answer, parse_class_quantity
from thresher.evaluation.quantities import answer, require_of_two
from thresher.inference import Interval
from thresher.tables import Quantity
from thresher.tables.quantities import NUMBER, RELATIONS

if TYPE_CHECKING:
    from thresher.evaluation.evaluate import ThresholdEvaluation

_FORM = re.compile(rf"(?P<asked>.*[^\s<>=])\s*(?P<relation>>=|<=|>|<)\s*(?P<value>{NUMBER})\s*")
_MODEL = re.compile(r'(?:(?P<model>.+):)?(?P<quantity>[^:"]*(?:"[^"]*"[^:"]*)?)')
# A bound comes at the end, or before @; what follows a digit there is a number's fraction.
_BOUND = re.compile(r"\.(?P<bound>[A-Za-z_]+)\s*(?=@|$)")
_COMMENT = re.compile(r"(?:^|\s)#.*")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One line that a gate checks: a bound of a quantity, and its limit."""

    text: str
    model: str | None
    quantity: Quantity
    bound: Bound
    relation: str
    value: float
    place: tuple[str, int] = ("", 0)  # the file and line that it was read from, if any

    def holds(self, value: float) -> bool:
        """Whether a value meets it; an undefined one meets nothing."""
        return bool(RELATIONS[self.relation](value, self.value))


@dataclass(frozen=True, slots=True)
class Judgement:
    """One requirement with the quantity it speaks of, and whether it holds.

    `within` are bounds of what was observed: equal where it is known, apart where ranges of scores were counted.
    """

    requirement: Requirement
    model: str
    interval: Interval
    threshold: float | None
    within: Bounds

    @property
    def observed(self) -> float:
        """The bound that was asked for."""
        return float(getattr(self.interval, self.requirement.bound))

    @property
    def passed(self) -> bool:
        """Whether the bound surely meets the value; undefined meets nothing."""
        return all(map(self.requirement.holds, self.within))

    @property
    def undecided(self) -> bool:
        """Whether it holds at one end of what the ranges of scores leave open."""
        return any(map(self.requirement.holds, self.within)) and not self.passed

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        one, threshold = self.requirement, self.threshold
        return {
            "requirement": one.text,
            "model": self.model,
            "quantity": str(one.quantity),
            "bound": one.bound,
            "relation": one.relation,
            "value": one.value,
            "observed": self.observed if math.isfinite(self.observed) else None,
            "interval": self.interval.to_dict(),
            "threshold": threshold if threshold is None or math.isfinite(threshold) else str(threshold),
            "within": [end if math.isfinite(end) else None for end in self.within],
            "passed": self.passed,
            "undecided": self.undecided,
        }


def read_requirements(path: str) -> list[Requirement]:
    """The requirements of a file, one a line.

    # begins a comment, at the start of a line or after a space.
    """
    text = read_text(path).removeprefix("\ufeff")  # a mark that some editors write
    lines = {number: _COMMENT.sub("", line).strip() for number, line in enumerate(text.split("\n"), 1)}
    requirements = [requirement(line, place=(path, number)) for number, line in lines.items() if line]
    if not requirements:
        raise SourceError(f"{path} holds no requirement", 'write one a line, e.g. "auc >= 0.85"')
    return requirements


def requirement(text: str, *, place: tuple[str, int] = ("", 0), where: str = "") -> Requirement:
    """Read [model:]quantity[.lower|.upper|.estimate] relation number.

    Unless a bound is named it is the careful one: what must be large is judged by its lower limit, and
    what must be small by its upper limit. A bound may also come before @.
    """
    with located(where or _where(text, place)):
        form = _FORM.fullmatch(text.strip())
        named = None if form is None else _MODEL.fullmatch(form["asked"].strip())
        if form is None or named is None:
            fix = 'write a quantity, one of >= <= > < and a number, e.g. "auc >= 0.85" or "recall@fpr<=0.01 >= 0.6"'
            raise MeasureError(f"cannot read the requirement {text!r}", fix)
        asked, bound = _bound(named["quantity"], form["relation"])
        one = parse_class_quantity(asked)
        model = None if named["model"] is None else named["model"].strip()
        return Requirement(text.strip(), model, one, bound, form["relation"], float(form["value"]), place)


def judge(
    one: Requirement, evaluation: ThresholdEvaluation | LeastCostEvaluation | ScannedEvaluation, *, replicates: int
) -> Judgement:
    """Find what a requirement speaks of, and judge it.

    Of counts it holds only if it does for every order of the cases that ranges of scores leave open.
    """
    name = model_of(one, tuple(evaluation.models), evaluation.decision.model)
    if isinstance(evaluation, LeastCostEvaluation):
        with located(_where(one.text, one.place)):
            interval = class_answer(evaluation, name, one.quantity)
        return Judgement(one, name, interval, None, certain(float(getattr(interval, one.bound))))
    with located(_where(one.text, one.place)):
        require_of_two(one.quantity)
    if isinstance(evaluation, ScannedEvaluation):
        counted = [
            counted_answer(evaluation, model, one.quantity, replicates, judged_by=one.bound)
            for model in ([name] if one.model is not None else _may_be_meant(evaluation))
        ]
        ends = [end for each in counted for end in each.within]
        within = counted[0].within
        if len(counted) > 1:
            within = Bounds(-math.inf, math.inf) if any(map(math.isnan, ends)) else Bounds(min(ends), max(ends))
        return Judgement(one, name, counted[0].interval, counted[0].threshold, within)
    known = answer(evaluation, name, one.quantity, replicates, judged_by=one.bound)
    return Judgement(one, name, *known, certain(float(getattr(known.interval, one.bound))))


def _may_be_meant(evaluation: ScannedEvaluation) -> list[str]:
    """The model decided for, and those that may be as cheap for all that is known."""
    costs = {name: model.bounds["expected_cost"] for name, model in evaluation.models.items()}
    decided = evaluation.decision.model
    most = costs[decided].upper
    others = (name for name, cost in costs.items() if name != decided and cost.lower <= most)
    return [decided, *(name for name in others if costs[name].width or costs[decided].width)]


def model_of(one: Requirement, models: Sequence[str], decided: str) -> str:
    """The model that a requirement names, or the one decided for."""
    if one.model is None:
        return decided
    if one.model not in models:
        fix = f"{_nearest(one.model, models)}Models are {', '.join(models)}"
        raise ArgumentError(f"there is no model {one.model!r}", fix, where=_where(one.text, one.place))
    return one.model


def _where(text: str, place: tuple[str, int]) -> str:
    file, line = place
    return f"line {line:,} of {file}" if file else f'gate --require "{text}"'


def _bound(text: str, relation: str) -> tuple[str, Bound]:
    """A quantity's text without its bound, and the bound or the careful one."""
    named = _BOUND.search(text)
    if named is None:
        return text, "lower" if ">" in relation else "upper"
    bound = named["bound"]
    if bound not in get_args(Bound):
        hint = _nearest(f".{bound}", [f".{name}" for name in get_args(Bound)])
        raise MeasureError(f"there is no bound .{bound}", f"{hint}Bounds are .lower, .upper and .estimate")
    return text[: named.start()] + text[named.end() :], cast("Bound", bound)


def _nearest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}? " if near else ""
