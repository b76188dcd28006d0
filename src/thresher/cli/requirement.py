"""Requirements of a gate: `auc.lower >= 0.85`, `recall@fpr<=0.01 >= 0.6`, `forest:brier <= 0.05`."""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from thresher.choices.constraint import Constraint, constraints
from thresher.errors import ArgumentError, MeasureError
from thresher.evaluation.model import NUMBERS as MODEL_NUMBERS
from thresher.tables import MEASURES, Measure, measure

Bound: TypeAlias = Literal["lower", "upper", "estimate"]

# Numbers of a whole model, that belong to no threshold or to the chosen one.
AT_THE_CHOICE = ("expected_cost", "honest_cost", "saving")
NUMBERS = (*MODEL_NUMBERS, *AT_THE_CHOICE)
_WHERE = "gate --require"
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_FORM = re.compile(
    rf"(?:(?P<model>.+):)?\s*(?P<name>[A-Za-z][\w -]*?(?:\d\.\d+)?)(?:\.(?P<bound>[a-z]+))?\s*(?:@(?P<at>.+?))?"
    rf"\s*(?P<relation>>=|<=|>|<)\s*(?P<value>{_NUMBER})\s*"
)
_AT_THRESHOLD = re.compile(rf"\s*threshold\s*=\s*(?P<value>{_NUMBER}|-?inf)\s*")
_COMPARE = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}


@dataclass(frozen=True, slots=True)
class Requirement:
    """One line that a gate checks.

    `name` is a number of the model or a registered measure. A measure is taken at the chosen threshold, at
    `threshold`, or where it is best while `limits` hold. `bound` is what must meet the `value`.

    >>> one = requirement("recall@fpr<=0.01 >= 0.6")
    >>> one.name, [str(limit) for limit in one.limits], one.bound, one.relation, one.value
    ('tpr', ['fpr <= 0.01'], 'lower', '>=', 0.6)
    """

    text: str
    model: str | None
    name: str
    bound: Bound
    relation: str
    value: float
    limits: tuple[Constraint, ...] = ()
    threshold: float | None = None

    @property
    def measure(self) -> Measure | None:
        """The registered measure, None for a number of the whole model."""
        return None if self.name in NUMBERS else measure(self.name)

    def holds(self, found: float) -> bool:
        """Whether a value meets it; an undefined one meets nothing."""
        return bool(_COMPARE[self.relation](found, self.value))


def requirement(text: str) -> Requirement:
    """Read one requirement: [model:]name[.lower|.upper|.estimate][@constraint] relation value.

    Unless a bound is named it is the careful one: what must be large is judged by its lower limit, and
    what must be small by its upper limit.

    >>> requirement("auc >= 0.85").bound, requirement("brier <= 0.1").bound, requirement("auc.estimate > 0.9").bound
    ('lower', 'upper', 'estimate')
    >>> requirement("acuracy >= 0.9")
    Traceback (most recent call last):
    thresher.errors.MeasureError: there is no number or measure called 'acuracy'
      where: gate --require "acuracy >= 0.9"
      fix:   did you mean accuracy or auc? Numbers are auc, average_precision, ...
    """
    where = f'{_WHERE} "{text}"'
    form = _FORM.fullmatch(text.strip())
    if form is None:
        raise MeasureError(
            f"cannot read the requirement {text!r}",
            where=where,
            fix='write a measure, one of >= <= > < and a number, e.g. "auc >= 0.85" or "recall@fpr<=0.01 >= 0.6"',
        )
    bound = form["bound"] or ("lower" if ">" in form["relation"] else "upper")
    if bound not in ("lower", "upper", "estimate"):
        near = difflib.get_close_matches(bound, ("lower", "upper", "estimate"), n=1)
        hint = f"did you mean .{near[0]}? " if near else ""
        raise MeasureError(f"there is no bound .{bound}", where, f"{hint}Bounds are .lower, .upper and .estimate")
    name = _name(form["name"], where)
    limits, threshold = _at(form["at"], name, where)
    model = None if form["model"] is None else form["model"].strip()
    value = float(form["value"])
    return Requirement(text.strip(), model, name, cast("Bound", bound), form["relation"], value, limits, threshold)


def of_model(one: Requirement, models: Sequence[str], decided: str) -> str:
    """The model that a requirement speaks of: the one it names, or the one decided for."""
    if one.model is None:
        return decided
    if one.model not in models:
        near = difflib.get_close_matches(one.model, models, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        fix = f"{hint}Models are {', '.join(models)}"
        raise ArgumentError(f"there is no model {one.model!r}", f'{_WHERE} "{one.text}"', fix)
    return one.model


def _name(given: str, where: str) -> str:
    plain = given.strip().lower().replace("-", "_").replace(" ", "_")
    if plain in NUMBERS:
        return plain
    try:
        return measure(plain).name
    except MeasureError:
        near = difflib.get_close_matches(plain, [*NUMBERS, *MEASURES], n=2)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise MeasureError(
            f"there is no number or measure called {given.strip()!r}",
            where=where,
            fix=f"{hint}Numbers are {', '.join(NUMBERS)}; docs/measures.md lists the measures",
        ) from None


def _at(text: str | None, name: str, where: str) -> tuple[tuple[Constraint, ...], float | None]:
    if text is None:
        return (), None
    if name in NUMBERS:
        raise MeasureError(f"{name} belongs to no threshold, so nothing can stand after @", where, "leave @ out")
    if fixed := _AT_THRESHOLD.fullmatch(text):
        return (), float(fixed["value"])
    if measure(name).better == "neither":
        raise MeasureError(f"{name} has no better side to look for", where, "write @threshold=..., or leave @ out")
    try:
        return constraints(text), None
    except MeasureError as error:  # which of several requirements it stands in is known here alone
        raise MeasureError(error.what, where, error.fix) from None
