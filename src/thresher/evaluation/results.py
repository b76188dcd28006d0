"""What every evaluation offers: models by name, text, JSON, frame, page."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from itertools import chain
from os import PathLike
from typing import Any, Generic, TypeVar

from thresher._internal.arguments import is_one_of
from thresher._internal.results import ReadOnlyFields, Tabular
from thresher._internal.text import interval_text
from thresher.errors import ArgumentError, MissingExtraError
from thresher.inference.interval import Interval, interval_columns


def interval_dicts(intervals: Mapping[str, Interval]) -> dict[str, Any]:
    """Intervals by name as plain data."""
    return {name: interval.to_dict() for name, interval in intervals.items()}


def limits_text(interval: Interval, *, scale: float = 1.0) -> str:
    """An interval in a table or a sentence, to the digits that its width deserves."""
    return interval_text(interval.estimate, interval.lower, interval.upper, scale=scale)


class ModelResult(ReadOnlyFields, Tabular):
    """One model, whose rows are its numbers with their intervals."""

    __slots__ = ()

    @abstractmethod
    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every number with what names it."""

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


class PageResult(ModelsResult[Model]):
    """Several models on rows in memory: the page shows them."""

    __slots__ = ()

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
