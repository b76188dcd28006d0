"""Settings of a watch: promises, periods, budget of false alarms, sampling."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any, Literal, Self, TypeAlias, get_args
from zoneinfo import ZoneInfo

from thresher._internal.arguments import (
    require_integer,
    require_level,
    require_names,
    require_number,
    require_one_of,
    short_repr,
)
from thresher.errors import ArgumentError, MeasureError, ThresherError, argument, located
from thresher.evaluation.requirements import Requirement, requirement
from thresher.tables.quantities import NUMBER
from thresher.watching.periods import duration, require_period, zone_of

Keep: TypeAlias = Literal["all", "reviewable", "counted"]

# Measures that a watch can promise, by their names in the registry.
ALARM_RATE = "predicted_positive_rate"
OF_PROBABILITIES = ("brier", "log_loss")
OF_MISSES = ("tpr", "expected_cost", "prevalence", "fpr", "tnr", "npv", *OF_PROBABILITIES)
PROMISED = ("precision", ALARM_RATE, *OF_MISSES)
SCORES = "scores"  # the name of alarms that scores have moved
_WORDS = {"tpr": "recall", ALARM_RATE: "alarm_rate"}
# The share of a column's values that are missing, or that the reference does not have: missing[amount] <= 0.01.
_COLUMN_SHARE = re.compile(
    rf"""\s*(?P<share>missing|unseen)\s*\[\s*(?:"(?P<quoted>[^"]*)"|(?P<plain>[^]"]+?))\s*\]"""
    rf"""\s*(?P<relation>>=|<=|>|<)\s*(?P<value>{NUMBER})\s*"""
)
_LONGEST_RUN = 1e9  # periods between false alarms
_LONGEST_STRETCH = 10_000  # in periods, all of which have a date
_BUDGET = re.compile(r"\s*(\d+(?:\.\d+)?)\s+in\s+(\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True, slots=True)
class Promise:
    """A quantity of the deployed decision, and the limit that it has to keep.

    `column` is the input whose values are missing or unseen, where that is promised.
    """

    name: str
    quantity: str
    relation: str
    value: float
    column: str | None = None

    @property
    def above(self) -> bool:
        """Whether the quantity has to be large."""
        return ">" in self.relation

    @property
    def of_every_row(self) -> bool:
        """Whether every row counts when it comes, so that no label is needed."""
        return self.quantity == ALARM_RATE or self.column is not None

    def __str__(self) -> str:
        return f"{self.name} {self.relation} {self.value:g}"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a watch was created with."""

    promises: tuple[str, ...]
    period: str
    zone: str | None
    matures: str | None
    false_alarms: str
    sample: float
    keep: str
    level: float
    tolerance: float
    stretch: int
    columns: tuple[str, ...]
    labels: tuple[str, str]  # the negative and the positive one, as text
    silent_negative: str | None

    @classmethod
    def checked(
        cls,
        *,
        promises: Sequence[str],
        period: str,
        zone: str | None,
        matures: str | None,
        false_alarms: str,
        sample: float,
        keep: str,
        level: float,
        tolerance: float,
        stretch: int,
        columns: Sequence[str],
        silent_negative: str | None,
        labels: tuple[str, str] = ("0", "1"),
    ) -> Self:
        """Settings of which every one is valid."""
        require_period(period)
        zone_of(zone)
        for name, text in (("matures", matures), ("silent_negative", silent_negative)):
            if text is not None:
                duration(text, name=name)
        mean_run(false_alarms)
        require_share(sample)
        require_one_of(keep, get_args(Keep), name="keep", fix='give "all", "reviewable" or "counted"')
        require_level(level)
        width = require_number(tolerance, name="tolerance")
        if not 0 < width < 1:
            raise ArgumentError(
                f"tolerance must lie between 0 and 1, got {tolerance!r}", "e.g. 0.05", parameter="tolerance"
            )
        periods = "give how many periods a closed stretch has, e.g. 30"
        length = require_integer(stretch, name="stretch", least=1, most=_LONGEST_STRETCH, fix=periods)
        watched = require_names(columns, name="columns")
        for promise in read_promises(promises):
            if promise.column is not None and promise.column not in watched:
                what = f"{promise} is promised, and the column {promise.column!r} is not watched"
                raise ArgumentError(what, f"add it: {argument('columns', [promise.column])}", parameter="promises")
        return cls(
            promises=tuple(promises),
            period=period,
            zone=zone,
            matures=matures,
            false_alarms=false_alarms,
            sample=float(sample),
            keep=keep,
            level=float(level),
            tolerance=width,
            stretch=length,
            columns=tuple(watched),
            labels=labels,
            silent_negative=silent_negative,
        )

    @property
    def needs_probabilities(self) -> bool:
        """Whether a promise is of squared errors or log losses."""
        return any(promise.quantity in OF_PROBABILITIES for promise in read_promises(self.promises))

    @property
    def zone_info(self) -> ZoneInfo | None:
        """The declared zone; None for UTC."""
        return zone_of(self.zone)

    @property
    def mean_run(self) -> float:
        """Periods between two false alarms, on average at least."""
        return mean_run(self.false_alarms)

    @property
    def silent_after(self) -> int | None:
        """The age from which a row without label is negative; None: never."""
        return None if self.silent_negative is None else duration(self.silent_negative, name="silent_negative")

    def to_json(self) -> str:
        """Text that `from_json` reads."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Settings that `to_json` wrote."""
        parts: dict[str, Any] = json.loads(text)
        plain: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in parts.items()}
        return cls(**plain)


def mean_run(text: Any) -> float:
    """Periods between false alarms, of a budget such as "1 in 365".

    >>> mean_run("2 in 100")
    50.0
    """
    match = _BUDGET.fullmatch(text) if isinstance(text, str) else None
    run = float(match[2]) / float(match[1]) if match and float(match[1]) else math.nan
    if not 1 <= run <= _LONGEST_RUN:
        what = f"{argument('false_alarms')} must be a budget such as '1 in 365', got {short_repr(text)}"
        fix = "write how many false alarms in how many periods, e.g. one in a year of days"
        raise ArgumentError(what, fix, parameter="false_alarms")
    return run


def require_share(sample: Any) -> None:
    """Refuse what is no share of rows to draw."""
    share = require_number(sample, name="sample", fix="give a share such as 0.005; 0 draws no rows")
    if not 0 <= share <= 1:
        what = f"{argument('sample')} must lie between 0 and 1, got {sample!r}"
        raise ArgumentError(what, "give a share such as 0.005; 0 draws no rows", parameter="sample")


def read_promises(texts: Sequence[str]) -> tuple[Promise, ...]:
    """The promises of texts such as "precision >= 0.6".

    >>> [str(one) for one in read_promises(["precision >= 0.6", "alarm_rate <= 0.02", "missing[amount] <= 0.01"])]
    ['precision >= 0.6', 'alarm_rate <= 0.02', 'missing[amount] <= 0.01']
    """
    if isinstance(texts, str) or not isinstance(texts, Sequence):
        raise ArgumentError(f"promises are a list of texts, got {short_repr(texts)}", 'e.g. ["precision >= 0.6"]')
    promises: dict[str, Promise] = {}
    for text in texts:
        promise = _promise(text)
        if promise.name in promises:
            what = f"{promise.name} is promised twice: {promises[promise.name]}, and {promise}"
            raise ArgumentError(what, "leave one of them out", parameter="promises")
        promises[promise.name] = promise
    return tuple(promises.values())


def _promise(text: Any) -> Promise:
    if not isinstance(text, str):
        raise ArgumentError(f"a promise is a text, got {short_repr(text)}", 'e.g. "precision >= 0.6"')
    where = f'promise "{text}"'
    if (share := _COLUMN_SHARE.fullmatch(text)) is not None:
        column = share["plain"] if share["quoted"] is None else share["quoted"]
        promise = Promise(
            f"{share['share']}[{column}]", share["share"], share["relation"], float(share["value"]), column
        )
        _require_possible(promise, 0.0, 1.0, where)
        return promise
    plain = re.sub(r"^\s*alarm_rate\b", ALARM_RATE, text)
    names = [*map(promise_name, PROMISED), "missing[COLUMN]", "unseen[COLUMN]"]
    fix = f"promise one of {', '.join(names)} at the decision's threshold"
    try:
        one: Requirement = requirement(plain, where=where)
    except ThresherError as error:
        near = get_close_matches(re.split(r"[\s<>=]", text.strip())[0], names, n=1)
        fix = f"did you mean {near[0]}? " if near and near[0] not in text else ""
        fix += f'write a quantity, >= or <= and a number, e.g. "precision >= 0.6"; quantities are {", ".join(names)}'
        raise MeasureError(error.what.replace("requirement", "promise"), fix, where=where) from None
    quantity = one.quantity.name
    with located(where):
        if quantity not in PROMISED:
            raise MeasureError(f"a watch cannot promise {one.quantity}", fix)
        if not one.quantity.bare:
            raise MeasureError(f"a promise is about the decision's threshold, and {one.quantity} names another", fix)
        if one.model is not None:
            raise MeasureError(f"a promise names no model, got {one.model!r}", fix)
        if one.bound != ("lower" if ">" in one.relation else "upper"):
            raise MeasureError(f"a promise is judged by both limits, got .{one.bound}", f"leave .{one.bound} out")
    promise = Promise(promise_name(quantity), quantity, one.relation, one.value)
    _require_possible(promise, *one.quantity.known.range, where)
    return promise


def _require_possible(promise: Promise, least: float, most: float, where: str) -> None:
    if not (least <= promise.value <= most and math.isfinite(promise.value)):
        what = f"{promise.name} lies between {least:g} and {most:g}, and {promise.value:g} does not"
        raise MeasureError(what, "promise a limit that can be kept or broken", where=where)


def promise_name(quantity: str) -> str:
    """The word by which a promise is known: recall for tpr, alarm_rate."""
    return _WORDS.get(quantity, quantity)
