"""The page as a notebook widget that shares its state with Python."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from thresher._internal.optional import extra
from thresher.evaluation import ThresholdEvaluation
from thresher.report.numbers import json_number
from thresher.report.page import asset, embedded
from thresher.report.payload import payload
from thresher.tables import OperatingCondition


def widget(evaluation: ThresholdEvaluation) -> Any:
    """A live page of an evaluation for notebooks; needs the extra `widget`.

    `threshold` is the threshold shown (None follows the optimum) and `condition` the operating condition; both change
    with the page's controls, and the page follows when Python sets them. `observe` works as on any widget.
    """
    kind, data = _kind(), payload(evaluation)
    return kind(contents=embedded(data), condition=evaluation.decision.condition, threshold=None)


@cache
def _kind() -> type[Any]:
    anywidget = extra("anywidget", name="widget")
    traitlets = extra("traitlets", name="widget")

    class PageWidget(anywidget.AnyWidget):  # type: ignore[misc, name-defined]
        """The page; its script is that of the HTML file."""

        _esm = asset("page.js")
        _css = asset("page.css")
        contents = traitlets.Unicode().tag(sync=True)
        threshold = traitlets.Float(allow_none=True, default_value=None).tag(
            sync=True,
            to_json=lambda value, _: None if value is None or math.isnan(value) else json_number(value),
            from_json=lambda value, _: None if value is None else float(value),
        )
        condition = traitlets.Instance(OperatingCondition).tag(
            sync=True,
            to_json=lambda value, _: {"class_ratio": value.class_ratio, "cost_ratio": value.cost_ratio},
            from_json=_condition_in,
        )

    return PageWidget


def _condition_in(value: dict[str, Any], owner: Any) -> OperatingCondition:
    """The condition that the page sets, in the unit of cost declared."""
    before: OperatingCondition = owner.condition
    costs = {name: getattr(before, name) for name in ("cost_fp", "cost_fn", "cost_tp", "cost_tn")}
    ratio = value["cost_ratio"]
    if ratio != before.cost_ratio:
        costs["cost_fn"] = before.cost_tp + ratio * (before.cost_fp - before.cost_tn)
    return OperatingCondition(value["class_ratio"], **costs)
