"""Any quantity of a model of k classes, such as `macro_f1` or `recall["cat"]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thresher.errors import ArgumentError, LabelError, MeasureError
from thresher.evaluation.least_cost.model import LABELS
from thresher.inference import Interval
from thresher.inference.class_rows import ClassifiedRows
from thresher.inference.intervals.table import Table, count_calls, table_interval
from thresher.inputs.labels import listed
from thresher.tables import Quantity, quantity, refusal

if TYPE_CHECKING:
    from thresher.evaluation.least_cost.evaluation import LeastCostEvaluation

MEAN_CLASS_ACCURACY = "mean_class_accuracy"
NUMBERS = (*LABELS, "saving")


def parse_class_quantity(text: str) -> Quantity:
    """A quantity of k classes: a number of all classes, or one of the grammar.

    >>> parse_class_quantity("macro_f1").name, parse_class_quantity("recall[cat]").of_class
    ('macro_f1', 'cat')
    """
    name = text.strip().lower().replace("-", "_").replace(" ", "_")
    name = "macro_recall" if name == MEAN_CLASS_ACCURACY else name
    return Quantity(name) if name in NUMBERS else quantity(text)


def parse_class_quantities(measures: Any) -> dict[str, Quantity]:
    """The quantities that a list of texts asks for, by text."""
    if isinstance(measures, str) or not isinstance(measures, Sequence):
        raise ArgumentError(f"measures are a list of texts, and this is {measures!r}", 'give e.g. ["macro_f1"]')
    asked = {str(text).strip(): parse_class_quantity(str(text)) for text in measures}
    for one in asked.values():
        if one.name not in NUMBERS and one.of_class is None:
            raise _refusal(one)
    return asked


def class_answer(evaluation: LeastCostEvaluation, name: str, asked: Quantity) -> Interval:
    """One quantity of one model, with its limits."""
    model = evaluation[name]
    if asked.name == "saving":
        return evaluation.savings[name]
    if asked.name in NUMBERS and asked.bare:
        interval: Interval = model.numbers[asked.name]
        return interval
    if asked.of_class is None or asked != Quantity(asked.name, of_class=asked.of_class):
        raise _refusal(asked)
    label = next((each for each in evaluation.classes if str(each) == asked.of_class), None)
    if label is None:
        what = f"there is no class {asked.of_class!r}"
        raise LabelError(what, f"the classes are {listed(evaluation.classes)}")
    if asked.name == "auc":
        return model.auc.one_vs_rest[label]
    known: Mapping[str, Mapping[Any, Interval]] = {
        "tpr": model.rates.recall,
        "precision": model.rates.precision,
        "f1": model.rates.f1,
    }
    if asked.name in known:
        return known[asked.name][label]
    if asked.measure is None:
        raise _refusal(asked)
    return table_interval(_table(model.sample, name, evaluation.classes.index(label)), asked.name, level=model.level)


def _table(rows: ClassifiedRows, name: str, i: int) -> Table:
    """The table of one class against the rest, with what weights and clusters say."""
    return count_calls(rows.index == i, rows.calls[name] == i, weight=rows.weight, cluster=rows.cluster)


def _refusal(asked: Quantity) -> MeasureError:
    examples = ['recall["cat"]', 'auc["cat"] or any measure of one class']
    return refusal(f"{asked} is of two classes, and there are more here", [*NUMBERS, *examples])
