"""The page of classifiers as points: its data, picture and table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thresher._internal.text import count_text, in_words, isolated, letters, range_text, visible
from thresher.choices.points import TableChoice
from thresher.evaluation.rows import cells
from thresher.report.numbers import heading, json_number, json_numbers, value_text
from thresher.report.static.svg import Panel, Plot
from thresher.report.static.tables import Table
from thresher.tables import Contingency, OperatingCondition
from thresher.version import __version__

FORMAT = "thresher/page/1"
_COSTS = ("cost_fp", "cost_fn", "cost_tp", "cost_tn")
_RATE = (0.0, 1.0)


def points_payload(choice: TableChoice, *, title: str | None = None) -> dict[str, Any]:
    """Everything on the page as data that JSON can carry.

    >>> from thresher.choices.points import choose_table
    >>> M1, M2 = Contingency(tp=50, fn=0, fp=30, tn=20), Contingency(tp=20, fn=30, fp=0, tn=50)
    >>> [point["best"] for point in points_payload(choose_table({"M1": M1, "M2": M2}))["points"]]
    [True, True]
    """
    names = list(choice.tables)
    return {
        "format": FORMAT,
        "kind": "points",
        "title": heading(title, count_text(len(names), "classifier")),
        "version": __version__,
        "cautions": [{"code": caution.code, "text": visible(caution.text)} for caution in choice.cautions],
        "answer": _paragraphs(choice),
        "condition": {name: json_number(getattr(choice.condition, name)) for name in ("class_ratio", *_COSTS)},
        "points": [
            {
                "name": visible(name),
                "letter": mark,
                "cells": cells(choice.tables[name]),
                "corners": [cells(corner) for corner in choice.corners[name]],
                "cost": json_number(choice.costs[name]),
                "best": name in choice.best,
                "front": name in choice.front,
                "range": json_numbers(choice.ranges[name]) if name in choice.ranges else None,
                "dominated": [visible(other) for other in choice.dominated.get(name, ())],
            }
            for name, mark in zip(names, letters(names), strict=True)
        ],
    }


def points_panels(payload: Mapping[str, Any]) -> list[Panel]:
    """The points in ROC space, their hull, and the equal-cost line of the best."""
    plot = Plot(_RATE, _RATE, "false positive rate", "true positive rate")
    plot.line(_RATE, _RATE)
    tables = {place: Contingency(**point["cells"]) for place, point in enumerate(payload["points"])}
    corners = (Contingency(**corner) for point in payload["points"] for corner in point["corners"])
    hull = _hull([(0.0, 0.0), (1.0, 1.0), *((table.fpr, table.tpr) for table in corners)])
    plot.line([x for x, _ in hull], [y for _, y in hull], dashes="1 2.5")
    best = next(table for table, point in zip(tables.values(), payload["points"], strict=True) if point["best"])
    slope = OperatingCondition(**payload["condition"]).slope_roc
    plot.line(*_across(best.fpr, best.tpr, slope), dashes="")
    for place, table in tables.items():
        plot.letter(table.fpr, table.tpr, payload["points"][place]["letter"], place=place)
    caption = "The dotted line is the hull; the solid one joins all points as cheap as the best classifier."
    return [plot.panel("Classifiers in ROC space", caption)]


def points_tables(payload: Mapping[str, Any]) -> list[Table]:
    """Rates, cost, range and who dominates, a row per classifier."""
    rows = []
    for point in payload["points"]:
        table = Contingency(**point["cells"])
        ends = point["range"]
        rows.append(
            (
                point["name"] if point["letter"] == point["name"] else f"{point['letter']} {point['name']}",
                value_text(table.fpr),
                value_text(table.tpr),
                value_text(point["cost"]),
                "none" if ends is None else _range(float(ends[0]), float(ends[1])),
                ", ".join(point["dominated"]) or "–",
            )
        )
    rates = ("false positive rate", "true positive rate")
    heads = ("classifier", *rates, "cost per case", "cheapest for cost ratios", "dominated by")
    return [Table("What each classifier costs", heads, rows)]


def _paragraphs(choice: TableChoice) -> list[str]:
    best = in_words([isolated(name) for name in choice.best])
    cost = value_text(choice.costs[choice.best[0]])
    lead = f"Use {best}: {cost} per case." if len(choice.best) == 1 else f"{best} cost the same: {cost} per case each."
    condition = choice.condition
    priced = f"A false positive costs {value_text(condition.cost_fp)}, a false negative {value_text(condition.cost_fn)}"
    sentences = [f"{priced}, at class ratio {value_text(condition.class_ratio)}."]
    for name, ends in choice.ranges.items():
        if ends[0] < ends[1]:
            sentences.append(f"{isolated(name)} is the cheapest {range_text(ends, 'cost ratios')}.")
    for name, by in choice.dominated.items():
        sentences.append(f"{isolated(name)} is dominated by {in_words([isolated(each) for each in by])}.")
    between = [name for name in choice.front if name not in choice.hull]
    if between:
        names = in_words([isolated(name) for name in between])
        are = "is" if len(between) == 1 else "are"
        sentences.append(f"{names}, which nobody dominates, {are} the cheapest for no costs.")
    return [lead, " ".join(sentences)]


def _range(low: float, high: float) -> str:
    return " ".join(range_text((low, high), "").removeprefix("for").split())


def _hull(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The upper convex hull, by rising false positive rate."""
    corners: list[tuple[float, float]] = []
    for x, y in sorted(set(points)):
        while len(corners) > 1 and (corners[-1][1] - corners[-2][1]) * (x - corners[-2][0]) <= (y - corners[-2][1]) * (
            corners[-1][0] - corners[-2][0]
        ):
            corners.pop()
        corners.append((x, y))
    return corners


def _across(x: float, y: float, slope: float) -> tuple[list[float], list[float]]:
    """The part of a rising line through a point that lies in the unit square."""
    left = max(0.0, x - y / slope) if slope else 0.0
    right = min(1.0, x + (1 - y) / slope) if slope else 1.0
    return [left, right], [y + slope * (end - x) for end in (left, right)]
