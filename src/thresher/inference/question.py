"""`Question`: which statistics are asked of which sample, answered for any draw of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from thresher.errors import ArgumentError
from thresher.inference.resampled import Resampled
from thresher.inference.sample import Sample, Times
from thresher.inference.statistic import Statistic
from thresher.ranking import Floats

PartsByModel: TypeAlias = list[list[Floats]]
Answers: TypeAlias = dict[tuple[str, str], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Statistics, by the names of their values, of every model of a sample."""

    sample: Sample
    statistics: Mapping[tuple[str, ...], Statistic]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all values."""
        return tuple(name for names in self.statistics for name in names)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of all models."""
        return tuple(self.sample.standings)

    def statistic(self, name: str) -> Statistic:
        """The statistic that a value belongs to."""
        return next(statistic for names, statistic in self.statistics.items() if name in names)

    def require(self) -> None:
        """Raise where the sample itself cannot answer."""
        for standing in self.sample.standings.values():
            ranking = Resampled.of(standing, self.sample.cases).ranking()
            ranking.require_both_classes()
            for statistic in self.statistics.values():
                statistic.require(ranking)

    def parts(self, draws: Iterable[Times]) -> PartsByModel:
        """For every model and statistic, the parts of every replicate in columns; a draw holds one or several."""
        models = list(self.sample.standings.items())
        kinds = list(self.statistics.values())
        found: list[list[list[Floats]]] = [[[] for _ in kinds] for _ in models]
        for times in draws:
            for (model, standing), of_model in zip(models, found, strict=True):
                drawn = Resampled.of(standing, times, model=model)
                for statistic, of_statistic in zip(kinds, of_model, strict=True):
                    of_statistic.append(_in_columns(statistic.parts(drawn), drawn))
        return [[np.concatenate(parts, axis=1) for parts in of_model] for of_model in found]

    def answers(self, blocks: Sequence[PartsByModel]) -> Answers:
        """The values of every statistic from the parts of all blocks, by (model, name)."""
        found: Answers = {}
        for i, model in enumerate(self.models):
            for j, (names, statistic) in enumerate(self.statistics.items()):
                values = statistic.values(np.concatenate([parts[i][j] for parts in blocks], axis=1))
                for name, row in zip(names, values, strict=True):
                    row.flags.writeable = False
                    found[model, name] = row
        return found

    def observed(self) -> Mapping[tuple[str, str], float]:
        """The values on the sample itself."""
        return {key: float(row[0]) for key, row in self.answers([self.parts([self.sample.cases])]).items()}


def _in_columns(parts: Sequence[Any], drawn: Resampled) -> Floats:
    """The parts of a statistic, a column for each replicate."""
    found = np.array(parts, dtype=np.float64)
    if found.shape[1:] != np.shape(drawn.Pos):
        raise ArgumentError(
            f"a statistic gives parts of shape {found.shape[1:]} for replicates of shape {np.shape(drawn.Pos)}",
            "let parts(drawn) give a number for each replicate: only the last axis of drawn.tp runs over groups",
        )
    return found.reshape(len(found), -1)
