"""What every evaluation offers: models by name, text, JSON, frame, page."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from thresher._internal.arguments import is_one_of
from thresher._internal.results import ReadOnlyFields, Result, Tabular, shorten
from thresher._internal.text import interval_text
from thresher.cautions import Caution
from thresher.errors import ArgumentError, MissingExtraError
from thresher.inference import Comparison
from thresher.inference.interval import Interval, interval_columns
from thresher.tables import OperatingCondition

if TYPE_CHECKING:
    from thresher.evaluation.decision import Decision


def interval_dicts(intervals: Mapping[str, Interval]) -> dict[str, Any]:
    """Intervals by name as plain data."""
    return {name: interval.to_dict() for name, interval in intervals.items()}


def fingerprint(*parts: Any) -> str:
    """A digest of texts, bytes and arrays of numbers, the same on any machine."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            digest.update(part.encode("utf-8", "surrogatepass"))  # a name may hold half a character
        else:
            digest.update(part if isinstance(part, bytes) else np.add(part, 0.0, dtype="<f8").tobytes())
    return f"sha256:{digest.hexdigest()}"


def limits_text(interval: Interval, *, scale: float = 1.0) -> str:
    """An interval in a table or a sentence, to the digits that its width deserves."""
    return interval_text(interval.estimate, interval.lower, interval.upper, scale=scale)


class ModelResult(ReadOnlyFields, Tabular):
    """One model, whose rows are its numbers with their intervals."""

    __slots__ = ()

    @abstractmethod
    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every number with what names it."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data."""

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns(self.intervals())


Model = TypeVar("Model", bound=ModelResult)


class ModelsResult(ReadOnlyFields, Tabular, Generic[Model]):
    """Several models on the same rows, by name."""

    __slots__ = ()

    models: Mapping[str, Model]

    @abstractmethod
    def summary(self) -> str:
        """The numbers in plain text."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain data."""

    def to_json(self) -> str:
        """The same as JSON; dates and other classes are written as text."""
        return json.dumps(self.to_dict(), allow_nan=False, indent=2, default=str)

    def __getitem__(self, name: str) -> Model:
        if not is_one_of(name, self.models):
            raise ArgumentError(f"there is no model {name!r}", f"pick one of {', '.join(self.models)}")
        return self.models[name]

    def __str__(self) -> str:
        return self.summary()

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns(chain.from_iterable(model.intervals() for model in self.models.values()))


class PricedRule(Result):
    """One way to act and its cost per case, against which others are held.

    `saving` is what the rule decided for saves per case against this one, None for itself.
    """

    __slots__ = ()

    name: str
    model: str | None
    cost: Interval
    saving: Interval | None

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Evaluation(ModelsResult[Model]):
    """Several models on the same rows, and which of them to deploy how.

    `evaluation["name"]` is one model's part. `decision` is the artefact to deploy, under `condition`. `rules` are all
    ways to act with their costs, the decision first; `baseline` is the cheapest of those that need no decision, and
    `savings` what every model saves per case against it. `may_be_best` names the models that may be the best at the
    level. `comparisons` holds the paired differences of all models by measure, and is empty for one model.
    `quantities` holds what `measures=` asked for, by model and text. `classes` are the labels, and `cautions` what a
    careful analyst would notice. `dropped` counts rows left out on request.
    """

    models: Mapping[str, Model]
    condition: OperatingCondition
    decision: Decision
    rules: Mapping[str, Any]
    baseline: str
    savings: Mapping[str, Interval]
    may_be_best: tuple[str, ...]
    cautions: tuple[Caution, ...]
    rows: int
    dropped: int
    level: float
    seed: int
    quantities: Mapping[str, Mapping[str, Interval]] = field(default_factory=dict)
    against: str | None = None

    @property
    @abstractmethod
    def classes(self) -> tuple[Any, ...]:
        """The classes in the order of columns; of two, the positive one last."""

    @property
    @abstractmethod
    def comparisons(self) -> Mapping[str, Comparison]:
        """The paired differences of models by measure."""

    @property
    def saving(self) -> Interval:
        """What the decision saves per case, on rows it was not chosen on."""
        return self.savings[self.decision.model]

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain data."""
        return {
            "rows": self.rows,
            "dropped": self.dropped,
            "level": self.level,
            "seed": self.seed,
            "models": {name: model.to_dict() for name, model in self.models.items()},
            "quantities": {name: interval_dicts(each) for name, each in self.quantities.items()},
            "rules": {name: rule.to_dict() for name, rule in self.rules.items()},
            "baseline": self.baseline,
            "savings": interval_dicts(self.savings),
            "may_be_best": list(self.may_be_best),
            "decision": self.decision.to_dict(),
            "cautions": [caution.to_dict() for caution in self.cautions],
        }

    def to_html(self, path: str | PathLike[str], *, title: str | None = None) -> None:
        """Write everything as one self-contained HTML file; needs the extra `report`."""
        from thresher.report import write_page

        write_page(self, path, title=title)  # type: ignore[arg-type]

    def _repr_html_(self) -> str | None:
        from thresher.report import iframe

        try:
            return iframe(self)  # type: ignore[arg-type]
        except MissingExtraError:  # notebooks then show the text
            return None

    def __repr__(self) -> str:
        return f"Evaluation({shorten(self._brief())})"
