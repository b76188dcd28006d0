"""`ScannedEvaluation`: what counts and sums of a large table say of the models that scored its rows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from thresher.cautions import Caution
from thresher.choices import Choice, JointChoice, OperatingCondition
from thresher.curves import Bounds
from thresher.errors import ArgumentError
from thresher.evaluation.decision import Decision
from thresher.evaluation.rules import Rule
from thresher.evaluation.summary import rules_text, short, text_table
from thresher.inference import Comparison, Interval
from thresher.inference.interval import interval_columns
from thresher.inference.kinds import is_one_of
from thresher.ranking import Ranking
from thresher.results import Tabular
from thresher.visible import visible_lines


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScannedModel(Tabular):
    """One model of a scanned table: intervals as of any sample, and bounds where ranges of scores were counted.

    `bounds` holds auc, average_precision, pr_area, ks and expected_cost (of the best threshold), and for probabilities
    brier and log_loss; equal bounds are the exact number. `measures` are those of `choice.table`.

    >>> import ibis, pyarrow
    >>> from thresher import evaluate_scan
    >>> mails = ibis.memtable(pyarrow.table({"spam": [1, 1, 0, 1, 0, 0], "tree": [.9, .8, .6, .55, .3, .2]}))
    >>> evaluate_scan(mails, label="spam", scores=["tree"])["tree"]
    ScannedModel('tree', AUC 0.8889 [0.2259, 0.9955], expected cost 0.1667 [0.0301, 0.7233])
    """

    name: str
    ranking: Ranking
    auc: Interval
    choice: Choice
    measures: Mapping[str, Interval]
    expected_cost: Interval
    bounds: Mapping[str, Bounds]

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data; infinite ones are None."""
        table = self.choice.table
        return {
            "auc": self.auc.to_dict(),
            "threshold": _plain(self.choice.threshold),
            "table": {cell: getattr(table, cell) for cell in ("tp", "fn", "fp", "tn")},
            "measures": {name: interval.to_dict() for name, interval in self.measures.items()},
            "expected_cost": self.expected_cost.to_dict(),
            "bounds": {name: [_plain(end) for end in (each.lower, each.upper)] for name, each in self.bounds.items()},
        }

    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every number with its name."""
        every = {"auc": self.auc, "expected_cost": self.expected_cost, **self.measures}
        return [({"model": self.name, "quantity": name}, interval) for name, interval in every.items()]

    def _brief(self) -> str:
        return f"{self.name!r}, AUC {self.auc}, expected cost {self.expected_cost}"

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns(self.intervals())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScannedEvaluation(Tabular):
    """Several models on the rows of a table: how good each is, how their AUCs differ, and which to deploy how.

    What only rows can tell (the cost on rows the threshold was not chosen on, where it falls in resamples, how often
    the winner wins) is not there, and the decision's intervals of these have no limits. `rules` prices never, always
    and, where scores were counted one by one, 0.5 beside the models, on the rows the thresholds were chosen on.

    >>> import ibis, pyarrow
    >>> from thresher import evaluate_scan
    >>> mails = ibis.memtable(pyarrow.table({"spam": [1, 1, 0, 1, 0, 0], "tree": [.9, .8, .6, .55, .3, .2]}))
    >>> evaluate_scan(mails, label="spam", scores=["tree"]).decision.wins is None
    True
    """

    models: Mapping[str, ScannedModel]
    condition: OperatingCondition
    comparison: Comparison | None
    joint: JointChoice
    decision: Decision
    cautions: tuple[Caution, ...]
    dropped: int
    level: float
    rules: Mapping[str, Rule]
    baseline: str

    @property
    def saving(self) -> Interval:
        """What the decision saves per case against the baseline, on the rows it was chosen on."""
        return self.decision.saving

    def __getitem__(self, name: str) -> ScannedModel:
        if not is_one_of(name, self.models):
            known = ", ".join(self.models)
            raise ArgumentError(f"there is no model {name!r}", f"pick one of {known}")
        return self.models[name]

    def summary(self) -> str:
        """A table of all models, the decision, how the models differ, and the cautions."""
        ranking = self[self.decision.model].ranking
        dropped = f"; {self.dropped:,} dropped for missing values" if self.dropped else ""
        cases = f"{ranking.Pos:,.10g} positive, {ranking.Neg:,.10g} negative{dropped}. {self.condition}"
        parts = [f"{cases}\nIntervals at level {self.level:g}; bounds are certain."]
        lines = [["", "AUC", "AUC within", "expected cost", "threshold"]]
        for name, model in self.models.items():
            cost, threshold = short(model.expected_cost), f"{model.choice.threshold:.4g}"
            lines.append([name, short(model.auc), bounds_text(model.bounds["auc"]), cost, threshold])
        parts += [
            text_table(lines),
            rules_text(self.rules, self.condition),
            str(self[self.decision.model].choice.table),
        ]
        if self.comparison is not None:
            parts.append(f"Differences in AUC, paired:\n{self.comparison}")
        parts.append(f"Decision\n{self.decision}")
        parts.append("\n".join(["Mind", *(f"  {caution}" for caution in self.cautions)]))
        return visible_lines("\n\n".join(parts))

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain data."""
        differences = () if self.comparison is None else self.comparison.differences.values()
        return {
            "dropped": self.dropped,
            "level": self.level,
            "models": {name: model.to_dict() for name, model in self.models.items()},
            "rules": {name: rule.to_dict() for name, rule in self.rules.items()},
            "baseline": self.baseline,
            "comparison": [each.to_dict() for each in differences],
            "decision": self.decision.to_dict(),
            "cautions": [{"code": caution.code, "text": caution.text} for caution in self.cautions],
        }

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), indent=2)

    def __str__(self) -> str:
        return self.summary()

    def _brief(self) -> str:
        return f"{', '.join(self.models)}; use {self.decision.model} at {self.decision.threshold:g}"

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns(chain.from_iterable(model.intervals() for model in self.models.values()))


def bounds_text(bounds: Bounds) -> str:
    """Bounds in a table: both ends with as many digits as tell them apart.

    >>> bounds_text(Bounds(0.71, 0.71)), bounds_text(Bounds(0.700001, 0.700021))
    ('0.71 exactly', '0.700001 to 0.700021')
    """
    if not bounds.width:
        return f"{bounds.lower:.6g} exactly"
    digits = min(15, max(3, 2 - math.floor(math.log10(bounds.width)))) if math.isfinite(bounds.width) else 3
    return f"{bounds.lower:.{digits - 1}f} to {bounds.upper:.{digits - 1}f}"


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
