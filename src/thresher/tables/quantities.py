"""The one grammar of quantities, such as `partial_auc[fpr<=0.1]`.

    quantity   = name [ "[" range "]" | "[" class "]" ] [ "@" place ]
    range      = rate "<=" number | rate ">=" number | number "<=" rate "<=" number      (rate: fpr or tpr)
    place      = number | "threshold=" number | constraint { ("and" | ",") constraint }
    constraint = measure [ "[" class "]" ] relation number                              (relation: >= <= > <)
    class      = '"' text '"' | text without quotes, brackets, commas and relations

A `Quantity` computes nothing: each layer computes those it knows, and refuses the rest in words.
"""

from __future__ import annotations

import difflib
import math
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from thresher._internal.arguments import short_repr
from thresher.errors import MeasureError
from thresher.ranking import Flags
from thresher.tables.contingency import Contingency
from thresher.tables.matrix_measures import MATRIX_MEASURES
from thresher.tables.measures import MEASURES, UNSAID, Better, Measure, measure

Needs: TypeAlias = Literal["scores", "probabilities", "choice"]
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
RELATIONS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_NAME = r"[A-Za-z][\w -]*?(?:\d\.\d+)?"
_FORM = re.compile(rf'\s*(?P<name>{_NAME})\s*(?:\[(?P<inside>"[^"]*"|[^\]"]*)\])?\s*(?:@(?P<place>.+))?')
_CLASS = r'\[(?:"[^"]*"|[^\]"<>]*)\]'
_LIMIT = re.compile(
    rf"\s*(?P<name>[A-Za-z][\w .-]*?(?:\s*{_CLASS})?)\s*(?P<relation>>=|<=|>|<)\s*(?P<bound>{NUMBER})\s*"
)
_AND = re.compile(r"""(?:\s+and\s+|,)(?=(?:[^"]*"[^"]*")*[^"]*$)""")  # outside of quoted classes
_THRESHOLD = re.compile(rf"\s*threshold\s*=\s*(?P<value>{NUMBER}|[-+]?inf)\s*")
_RANGE = re.compile(rf"\s*(?:(?P<low>{NUMBER})\s*<=\s*)?(?P<rate>[A-Za-z_]+)\s*(?P<end><=|>=)\s*(?P<bound>{NUMBER})\s*")


@dataclass(frozen=True, slots=True)
class ModelNumber:
    """A number of a model, not of the table at one threshold.

    `needs` says what it is computed from: scores, scores that are probabilities, or the chosen threshold.
    """

    name: str
    estimates: str
    needs: Needs = "probabilities"
    better: Better = "higher"
    range: tuple[float, float] = (0.0, 1.0)
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limit:
    """One bound on one measure, `tpr >= 0.9`, or on that of one of several classes."""

    measure: Measure
    relation: str
    bound: float
    of_class: str | None = None

    def holds(self, table: Contingency, *, class_ratio: float | None = None) -> Flags:
        """Where it holds, at a class ratio; an undefined measure meets no bound."""
        if self.of_class is not None:
            raise refusal(f"{self} is of one class of several, and there are two here", MEASURES)
        value = self.measure.of(table, class_ratio=class_ratio)
        return np.asarray(RELATIONS[self.relation](value, self.bound), dtype=np.bool_)

    @property
    def of(self) -> str:
        """What is bounded, with its class if it is of one."""
        return self.measure.name if self.of_class is None else f'{self.measure.name}["{self.of_class}"]'

    @property
    def text(self) -> str:
        """As the grammar writes it, with as many digits as it takes."""
        return f"{self.of}{self.relation}{_text(self.bound)}"

    def __str__(self) -> str:
        return f"{self.of} {self.relation} {self.bound:g}"


@dataclass(frozen=True, slots=True)
class RateRange:
    """The part of a ROC curve that an area is taken over."""

    rate: Literal["fpr", "tpr"]
    low: float
    high: float

    def __str__(self) -> str:
        if self.low and self.high == 1:
            return f"{self.rate}>={_text(self.low)}"
        low = f"{_text(self.low)}<=" if self.low > 0 else ""
        return f"{low}{self.rate}<={_text(self.high)}"


@dataclass(frozen=True, slots=True)
class Quantity:
    """What is asked for: a number of a model, or a measure and where it is taken.

    A measure is taken at the chosen threshold, at `threshold`, or where it is best while `limits` hold. `within` is the
    range of a partial area, `probability` the threshold probability of a net benefit, `of_class` one class of several.

    >>> asked = quantity("specificity@recall>=0.9")
    >>> asked.name, [str(limit) for limit in asked.limits], str(asked)
    ('tnr', ['tpr >= 0.9'], 'tnr@tpr>=0.9')
    """

    name: str
    within: RateRange | None = None
    probability: float | None = None
    threshold: float | None = None
    limits: tuple[Limit, ...] = ()
    of_class: str | None = None

    @property
    def measure(self) -> Measure | None:
        """The measure of a table or matrix, None for a number of a model."""
        return self.known if isinstance(self.known, Measure) else None

    @property
    def known(self) -> Measure | ModelNumber:
        """What the registry says of its name: its range, and which side is better."""
        if self.name in MATRIX_MEASURES:
            return MATRIX_MEASURES[self.name]
        return MODEL_NUMBERS[self.name] if self.name in MODEL_NUMBERS else measure(self.name)

    @property
    def of_several(self) -> bool:
        """Whether it is a question about several classes: of one of them, or of all."""
        return self.of_class is not None or self.name in MATRIX_MEASURES

    @property
    def better(self) -> Better:
        """Which side is better."""
        return self.known.better

    @property
    def bare(self) -> bool:
        """Whether it is a name alone."""
        return self == Quantity(self.name)

    def __str__(self) -> str:
        inside = "" if self.within is None else f"[{self.within}]"
        inside += "" if self.of_class is None else f'["{self.of_class}"]'
        place = " and ".join(limit.text for limit in self.limits)
        if self.probability is not None:
            place = _text(self.probability)
        elif self.threshold is not None:
            place = f"threshold={_text(self.threshold)}"
        return f"{self.name}{inside}@{place}" if place else f"{self.name}{inside}"


def quantity(text: str | Quantity | Measure) -> Quantity:
    """Parse a quantity; an unknown name is answered with the nearest ones.

    >>> quantity("partial_auc[fpr<=0.1]").within
    RateRange(rate='fpr', low=0.0, high=0.1)
    >>> quantity("net_benefit@0.05").probability, quantity("recall@threshold=0.5").threshold
    (0.05, 0.5)
    >>> quantity("calibration_slop")
    Traceback (most recent call last):
    thresher.errors.MeasureError: there is no quantity called 'calibration_slop'
      where: quantity(text)
      fix:   did you mean calibration_slope or miscalibration? Measures of a table are accuracy, ...
    """
    if isinstance(text, Quantity):
        return text
    if isinstance(text, Measure):
        return Quantity(text.name)
    if not isinstance(text, str):
        raise MeasureError(f"a quantity is text, got {text!r}", 'give e.g. "auc" or "recall@fpr<=0.01"')
    form = _FORM.fullmatch(text)
    if form is None:
        fix = 'write a name, and if need be a range or a place: "auc", "partial_auc[fpr<=0.1]", "recall@fpr<=0.01"'
        raise MeasureError(f"cannot read the quantity {text!r}", fix)
    name = _registered_name(form["name"])
    within, of_class = _inside(form["inside"], name)
    probability, threshold, limits = _place(form["place"], name)
    if name in _PARTIAL and within is None:
        raise MeasureError(f"{name} needs a range of rates", f'write e.g. "{name}[fpr<=0.1]" or "{name}[tpr>=0.8]"')
    if name == "net_benefit" and probability is None:
        raise MeasureError("net_benefit belongs to a threshold probability", 'write e.g. "net_benefit@0.05"')
    return Quantity(name, within, probability, threshold, limits, of_class)


def limits_of(wanted: str | Limit | Sequence[str | Limit] | None) -> tuple[Limit, ...]:
    """Parse constraints on measures; `and` or a comma joins several."""
    if wanted is None or isinstance(wanted, Limit):
        return () if wanted is None else (wanted,)
    if not isinstance(wanted, Sequence):
        raise MeasureError(f"a constraint is text, got {short_repr(wanted)}", 'e.g. "recall >= 0.9"')
    if not isinstance(wanted, str):
        return tuple(limit for one in wanted for limit in limits_of(one if isinstance(one, Limit) else str(one)))
    limits = []
    for text in _AND.split(wanted):
        form = _LIMIT.fullmatch(text)
        if form is None:
            fix = 'write a measure, one of >= <= > < and a number, e.g. "recall >= 0.9"; a threshold is "threshold=0.5"'
            raise MeasureError(f"cannot read the constraint {text.strip()!r}", fix)
        asked = quantity(form["name"])
        if asked.measure is None:
            raise refusal(f"{asked} is no measure of a table, so it is no constraint", MEASURES)
        limits.append(Limit(asked.measure, form["relation"], float(form["bound"]), asked.of_class))
    return tuple(limits)


def refusal(what: str, can: Iterable[str]) -> MeasureError:
    """The error of a function that cannot compute a quantity, with all that it can."""
    *most, last = can
    return MeasureError(what, f"give {', '.join(most)} or {last}" if most else f"give {last}")


def _registered_name(text: str) -> str:
    """The registered name of a measure or a number of a model, from any synonym."""
    plain = text.strip().lower().replace("-", "_").replace(" ", "_")
    if plain in _BY_NAME:
        return _BY_NAME[plain]
    if plain in MATRIX_MEASURES:
        return plain
    try:
        return measure(plain).name
    except MeasureError:
        known = [
            *_BY_NAME,
            *MATRIX_MEASURES,
            *MEASURES,
            *(name for each in MEASURES.values() for name in each.synonyms),
        ]
        near = difflib.get_close_matches(plain, set(known) - {UNSAID}, n=2)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        names = f"Measures of a table are {', '.join(MEASURES)}; numbers of a model are {', '.join(MODEL_NUMBERS)}"
        names += f"; of several classes there are {', '.join(MATRIX_MEASURES)}"
        raise MeasureError(f"there is no quantity called {text.strip()!r}", f"{hint}{names}") from None


def _inside(text: str | None, name: str) -> tuple[RateRange | None, str | None]:
    """What is in brackets: the range of a partial area, or a class."""
    if text is None:
        return None, None
    if text.startswith('"') or (name not in _PARTIAL and not re.search("[<>=,]", text)):
        if name in MATRIX_MEASURES or (name in MODEL_NUMBERS and name != "auc"):
            raise MeasureError(f"{name} is not of one class", 'leave the brackets out, or write e.g. recall["L"]')
        return None, text.strip('"') if text.startswith('"') else text.strip()
    if name not in _PARTIAL:
        fix = f'write partial_auc[{text}] for an area, {name}@... for a constraint, or {name}["class"]'
        raise MeasureError(f"{name} has no range, so [{text}] says nothing", fix)
    form = _RANGE.fullmatch(text)
    if form is None or (form["low"] and form["end"] != "<="):
        fix = "write fpr or tpr with a bound: [fpr<=0.1], [tpr>=0.8] or [0.1<=fpr<=0.2]"
        raise MeasureError(f"cannot read the range [{text}] of {name}", fix)
    try:
        rate = measure(form["rate"]).name
    except MeasureError:
        rate = form["rate"]
    bound = float(form["bound"])
    low, high = (float(form["low"] or 0), bound) if form["end"] == "<=" else (bound, 1.0)
    if rate not in ("fpr", "tpr"):
        raise MeasureError(f"an area lies within a range of fpr or tpr, not of {rate}", f"write {name}[fpr<=0.1]")
    if not 0 <= low < high <= 1:
        raise MeasureError(f"[{text}] is no part of 0 to 1", f"write e.g. {name}[0.1<=fpr<=0.2]")
    return RateRange("fpr" if rate == "fpr" else "tpr", low, high), None


def _place(text: str | None, name: str) -> tuple[float | None, float | None, tuple[Limit, ...]]:
    """What follows @: a threshold probability, a threshold, or constraints."""
    if text is None:
        return None, None, ()
    if name == "net_benefit":
        probability = re.fullmatch(rf"\s*({NUMBER})\s*", text)
        if probability is None or not 0 < float(probability[1]) < 1:
            what = f"the threshold probability of a net benefit lies between 0 and 1, got {text.strip()!r}"
            raise MeasureError(what, 'write e.g. "net_benefit@0.05"')
        return float(probability[1]), None, ()
    fixed = _THRESHOLD.fullmatch(text)
    if name in MODEL_NUMBERS and name != "expected_cost":
        raise MeasureError(f"{name} belongs to no threshold, so nothing can stand after @", "leave @ out")
    if fixed:
        return None, float(fixed["value"]), ()
    if name == "expected_cost":
        what = "expected_cost is taken at a threshold, and no constraint can stand after its @"
        raise MeasureError(what, "write expected_cost@threshold=0.5, or leave @ out")
    if name not in MATRIX_MEASURES and measure(name).better == "neither":
        raise MeasureError(f"{name} has no better side to look for", "write @threshold=..., or leave @ out")
    return None, None, limits_of(text)


def _text(number: float) -> str:
    """Twelve digits, or as many as it takes to read the same number again."""
    short = f"{number:.12g}"
    return short if float(short) == number else repr(float(number))


_LOSS = (0.0, math.inf)
_ANY = (-math.inf, math.inf)
_PARTIAL = ("partial_auc", "standardised_partial_auc")
_ALL = (
    ModelNumber("auc", "P(a positive scores higher than a negative)", "scores", synonyms=("roc_auc",)),
    ModelNumber("partial_auc", "area under the ROC curve within a range of fpr or tpr", "scores"),
    ModelNumber(
        "standardised_partial_auc",
        "the same, mapped so that a diagonal curve has 0.5 and a perfect one 1 (McClish 1989)",
        "scores",
    ),
    ModelNumber("average_precision", "mean precision over the positives", "scores", synonyms=("ap",)),
    ModelNumber("pr_area", "area under the precision-recall curve", "scores"),
    ModelNumber("ks", "the largest tpr - fpr", "scores", synonyms=("kolmogorov_smirnov",)),
    ModelNumber("brier", "mean squared error of the probabilities", better="lower", synonyms=("brier_score",)),
    ModelNumber("log_loss", "mean of -ln(probability of the true class)", better="lower", range=_LOSS),
    ModelNumber("miscalibration", "Brier score that isotonic recalibration would save", better="lower"),
    ModelNumber("refinement", "Brier score that is left after it", better="lower"),
    ModelNumber("discrimination", "uncertainty minus refinement"),
    ModelNumber("uncertainty", "Brier score of the prevalence", better="neither", range=(0.0, 0.25)),
    ModelNumber(
        "calibration_intercept",
        "log-odds to add to every probability (slope fixed at 1); 0 when right on average",
        better="neither",
        range=_ANY,
    ),
    ModelNumber(
        "calibration_slope",
        "slope of a logistic regression on the log-odds; below 1 when they are too extreme",
        better="neither",
        range=_ANY,
    ),
    ModelNumber("calibration_in_the_large", "prevalence minus mean probability", better="neither", range=(-1.0, 1.0)),
    ModelNumber(
        "observed_expected",
        "observed positives per expected positive",
        better="neither",
        range=_LOSS,
        synonyms=("o_e", "oe_ratio"),
    ),
    ModelNumber("ici", "mean distance of probabilities from a smooth calibration curve", better="lower"),
    ModelNumber("e50", "median of that distance", better="lower"),
    ModelNumber("e90", "90th percentile of that distance", better="lower"),
    ModelNumber(
        "net_benefit", "hits per case minus false alarms at the exchange rate of a probability", range=(-math.inf, 1.0)
    ),
    ModelNumber("expected_cost", "cost per case at the chosen threshold", "choice", "lower", _ANY, ("cost",)),
    ModelNumber("out_of_bag_cost", "the same on cases it was not chosen on", "choice", "lower", _ANY),
    ModelNumber(
        "saving", "cost per case that the decision saves against the best of doing without", "choice", "higher", _ANY
    ),
)
MODEL_NUMBERS: Mapping[str, ModelNumber] = MappingProxyType({known.name: known for known in _ALL})
_BY_NAME = {name: known.name for known in _ALL for name in (known.name, *known.synonyms)}
