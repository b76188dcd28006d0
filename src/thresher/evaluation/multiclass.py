"""`MulticlassEvaluation`: probability matrices of one or several models on the same rows, k classes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from types import MappingProxyType
from typing import Any

from thresher.cautions import Caution
from thresher.errors import ArgumentError, MissingExtraError
from thresher.evaluation.class_model import MulticlassModel, class_model
from thresher.evaluation.class_remarks import class_remarks
from thresher.evaluation.class_summary import class_summary_text
from thresher.extras import room
from thresher.inference import Comparison
from thresher.inference.class_comparison import CLASS_MEASURES, class_comparison
from thresher.inference.class_pulls import class_pulls
from thresher.inference.classified_rows import Classes, classified_rows, require_two_clusters_of_classes
from thresher.inference.difference import require_margin
from thresher.inference.interval import interval_columns, require_level
from thresher.inference.kinds import is_one_of
from thresher.results import Tabular
from thresher.sources.columns import Missing
from thresher.visible import visible_lines

COMPARED = (
    "overall_accuracy",
    "macro_recall",
    "macro_f1",
    "one_vs_rest_macro",
    "one_vs_one_macro",
    "brier",
    "log_loss",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MulticlassEvaluation(Tabular):
    """Several models of k classes on the same rows; `evaluation["name"]` is one of them.

    `comparisons` holds the paired differences of all models by measure, e.g. `comparisons["brier"]["a", "b"]`; it is
    empty for one model. `cautions` are what a careful analyst would notice. `dropped` counts rows left out on
    request, `clusters` the clusters that rows belong to, if any.
    """

    models: Mapping[str, MulticlassModel]
    classes: tuple[Any, ...]
    rows: int
    level: float
    comparisons: Mapping[str, Comparison]
    cautions: tuple[Caution, ...]
    dropped: int
    weighted: bool
    clusters: int | None

    def __getitem__(self, name: str) -> MulticlassModel:
        if not is_one_of(name, self.models):
            raise ArgumentError(f"there is no model {name!r}", f"pick one of {', '.join(self.models)}")
        return self.models[name]

    @property
    def best(self) -> tuple[str, ...]:
        """The models of the highest overall accuracy: all that tie, in the order given."""
        accuracy = {name: model.rates.overall_accuracy.estimate for name, model in self.models.items()}
        most = max(accuracy.values())
        return tuple(name for name, value in accuracy.items() if math.isclose(value, most, rel_tol=1e-12))

    def summary(self) -> str:
        """A table of all models, their paired differences, each model's classes, and the cautions."""
        return visible_lines(class_summary_text(self))

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain data."""
        return {
            "rows": self.rows,
            "dropped": self.dropped,
            "weighted": self.weighted,
            "clusters": self.clusters,
            "level": self.level,
            "classes": list(self.classes),
            "best": list(self.best),
            "models": {name: model.to_dict() for name, model in self.models.items()},
            "comparisons": {
                measure: [one.to_dict() for one in comparison.differences.values()]
                for measure, comparison in self.comparisons.items()
            },
            "cautions": [{"code": caution.code, "text": caution.text} for caution in self.cautions],
        }

    def to_json(self) -> str:
        """The same as JSON; classes that it has no word for, such as dates, are written as text."""
        return json.dumps(self.to_dict(), allow_nan=False, indent=2, default=str)

    def to_html(self, path: str | PathLike[str], *, title: str | None = None) -> None:
        """Write everything as one self-contained HTML file; needs the extra `report`."""
        room("report").write_page(self, path, title=title)

    def _repr_html_(self) -> str | None:
        try:
            found: str = room("report").framed(self)
        except MissingExtraError:  # notebooks then show the text
            return None
        return found

    def __str__(self) -> str:
        return self.summary()

    def _brief(self) -> str:
        return f"{', '.join(self.models)}; {self.rows:,} rows, {len(self.classes)} classes"

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns(chain.from_iterable(model.intervals() for model in self.models.values()))


def evaluate_classes(
    labels: Any,
    probabilities: Any,
    *,
    classes: Classes = None,
    other: Any = None,
    predictions: Any = None,
    weights: Any = None,
    clusters: Any = None,
    level: float = 0.95,
    margin: float | Mapping[str, float] = 0.0,
    missing: Missing = "raise",
) -> MulticlassEvaluation:
    """Evaluate probability matrices: confusion matrix, one-vs-rest and one-vs-one AUC, losses, with intervals.

    Several models are compared pair by pair on the same rows, as `compare_classes` does, p-values adjusted after Holm
    within each measure.

    Parameters
    ----------
    labels
        The actual class of each row: texts, numbers or booleans.
    probabilities
        A matrix (a row per case, a column per class), or a mapping of model names to matrices.
    classes
        Which class each column belongs to: one list for all models, or a mapping of model names to lists, where a
        model may lack a class (it then gives it probability 0). Without it, the names of a frame's columns, and of
        anything else the labels in rising order.
    other
        The class that labels not among `classes` count as; without it they are refused.
    predictions
        The models' own calls, one column or a mapping; without them, the most probable class, the first of equals.
    weights
        Sampling weights, one per row.
    clusters
        What rows belong together (patients, users); only clusters count as independent.
    level
        Of all intervals.
    margin
        Differences within this margin are practically none: one number, or one by name of measure.
    missing
        "raise" refuses missing values; "drop" leaves those rows out for all models and counts them.

    Examples
    --------
    >>> labels = ["cat", "dog", "cow", "cat", "dog", "cow"]
    >>> matrix = [[.7, .1, .2], [.1, .2, .7], [.2, .6, .2], [.4, .5, .1], [.2, .2, .6], [.3, .4, .3]]
    >>> found = evaluate_classes(labels, matrix)
    >>> found["model"].confusion
    ConfusionMatrix([[1, 1, 0], [0, 2, 0], [0, 0, 2]], classes=['cat', 'cow', 'dog'])
    >>> print(found["model"].rates.overall_accuracy)
    0.8333 [0.4365, 0.9699]
    >>> both = evaluate_classes(labels, {"forest": matrix, "guess": [[.4, .3, .3]] * 6})
    >>> print(both.comparisons["one_vs_rest_macro"]["forest", "guess"])
    forest - guess  0.4583 [...]  p ...  undecided
    """
    require_level(level)
    margins = _margins(margin)
    rows = classified_rows(
        labels,
        probabilities,
        classes=classes,
        other=other,
        predictions=predictions,
        weights=weights,
        clusters=clusters,
        missing=missing,
    )
    require_two_clusters_of_classes(rows)
    pulls = {name: class_pulls(rows, name) for name in rows.matrices}
    models = {name: class_model(rows, name, pulls[name], level=level) for name in rows.matrices}
    several = COMPARED if len(models) > 1 else ()
    return MulticlassEvaluation(
        models=models,
        classes=rows.classes,
        rows=rows.index.size,
        level=level,
        comparisons=MappingProxyType(
            {
                measure: class_comparison(rows, pulls, measure, level=level, margin=margins[measure])
                for measure in several
            }
        ),
        cautions=class_remarks(rows, models),
        dropped=rows.dropped,
        weighted=rows.weight is not None,
        clusters=None if rows.cluster is None else rows.clusters,
    )


def _margins(margin: float | Mapping[str, float]) -> dict[str, float]:
    """The margin of every measure; 0 where a mapping names none."""
    given = margin if isinstance(margin, Mapping) else dict.fromkeys(COMPARED, margin)
    strange = [name for name in given if name not in COMPARED]
    if strange:
        known = "" if strange[0] not in CLASS_MEASURES else ", which compare_classes does"
        raise ArgumentError(
            f"models are not compared by {strange[0]!r} here{known}", f"name one of {', '.join(COMPARED)}"
        )
    for each in given.values():
        require_margin(each)
    return dict.fromkeys(COMPARED, 0.0) | dict(given)
