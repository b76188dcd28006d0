"""The tables of the page as rows of texts, for readers without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.report.numbers import said, said_limits, said_score
from thresher.tables import MEASURES, Contingency, OperatingCondition

ABREAST = 5
FEW_PAIRS = 6  # more are folded


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: its caption, its heads, and rows whose first cell names them.

    Small ones stand side by side, folded ones open on request, and rows named in `grey` are only there to compare with.
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    small: bool = False
    folded: bool = False
    grey: Sequence[str] = ()


def grids(contents: Mapping[str, Any]) -> list[Grid]:
    """Every table of a page, in the order they are shown.

    >>> from thresher import evaluate
    >>> from thresher.report.payload import contents
    >>> shown = grids(contents(evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2])))
    >>> [grid.caption for grid in shown][:2]
    ['model at threshold 0.7', 'Costs and thresholds, with limits at level 0.95']
    """
    if contents["kind"] == "classes":
        return _of_classes(contents)
    models = contents["models"]
    found = [_contingency(model) for model in models]
    # Paper cannot be scrolled: of many models, as many stand in a table as fit on it.
    groups = [models[first : first + ABREAST] for first in range(0, len(models), ABREAST)]
    for table in (_costs, _numbers, _measures):
        found += [table(contents, group) for group in groups]
    given = [model for model in models if model["given"] is not None]
    found += [_given(contents, given[first : first + ABREAST]) for first in range(0, len(given), ABREAST)]
    if contents["comparison"]:
        found.append(_comparison(contents))
    return [*found, _data(contents)]


def _contingency(model: Mapping[str, Any]) -> Grid:
    tp, fn, fp, tn = (model["optimum"]["cells"][cell] for cell in ("tp", "fn", "fp", "tn"))
    rows = [
        ("actual +", tp, fn, tp + fn),
        ("actual −", fp, tn, fp + tn),
        ("total", tp + fp, fn + tn, tp + fn + fp + tn),
    ]
    return Grid(
        f"{model['name']} at threshold {said_score(model['optimum']['threshold'])}",
        ("", "predicted +", "predicted −", "total"),
        [(name, *(said(cell) for cell in cells)) for name, *cells in rows],
        small=True,
    )


def _costs(contents: Mapping[str, Any], models: Sequence[Mapping[str, Any]]) -> Grid:
    rows = [
        ("expected cost per case", *(said_limits(model["expected_cost"]) for model in models)),
        ("on rows not chosen on", *(said_limits(model["out_of_bag_cost"]) for model in models)),
        ("best threshold", *(said_limits(model["threshold"]) for model in models)),
        ("best for cost ratios", *(_range(model["optimum"]["holds_for"]) for model in models)),
    ]
    return Grid(f"Costs and thresholds, with limits at level {contents['level']:g}", _heads("", models), rows)


def _range(ends: Sequence[Any]) -> str:
    return "–" if "nan" in ends else f"{said(ends[0])} to {said(ends[1])}"


def _numbers(contents: Mapping[str, Any], models: Sequence[Mapping[str, Any]]) -> Grid:
    labels: dict[str, str] = {}
    for model in models:
        labels |= {number["name"]: number["label"] for number in model["numbers"]}
    by_name = [{number["name"]: number for number in model["numbers"]} for model in models]
    rows = [(label, *(_number(numbers.get(name)) for numbers in by_name)) for name, label in labels.items()]
    return Grid(f"Whole models, with limits at level {contents['level']:g}", _heads("", models), rows)


def _number(number: Mapping[str, Any] | None) -> str:
    if number is None:
        return "–"
    return said(number["value"]) if number["interval"] is None else said_limits(number["interval"])


def _measures(contents: Mapping[str, Any], models: Sequence[Mapping[str, Any]]) -> Grid:
    rows = [
        (measure["label"], *(said_limits(model["measures"][place]["interval"]) for model in models), measure["formula"])
        for place, measure in enumerate(contents["measures"])
    ]
    return Grid("Measures at each model's best threshold", (*_heads("measure", models), "formula"), rows)


def _given(contents: Mapping[str, Any], models: Sequence[Mapping[str, Any]]) -> Grid:
    tables = [Contingency(**model["given"]) for model in models]
    cells = ("tp", "fn", "fp", "tn")
    rows = [(cell, *(said(getattr(table, cell)) for table in tables)) for cell in cells]
    for measure in contents["measures"]:
        known = MEASURES[measure["name"]]
        rows.append((measure["label"], *(said(known.of(table)) for table in tables)))
    return Grid("Predictions given", _heads("measure", models), rows)


def _comparison(contents: Mapping[str, Any]) -> Grid:
    several = len({pair["measure"] for pair in contents["comparison"]}) > 1
    rows = [
        (
            f"{pair['a']} − {pair['b']}" + (f", {pair['measure']}" if several else ""),
            said_limits({"estimate": pair["difference"], "lower": pair["lower"], "upper": pair["upper"]}),
            _p(pair["p_value"]),
            _p(pair["adjusted"]),
            pair["verdict"],
        )
        for pair in contents["comparison"]
    ]
    caption = "Differences, paired" if several else "Differences in AUC, paired"
    folded = contents["folded"] or len(rows) > FEW_PAIRS
    return Grid(caption, ("pair", "difference", "p", "adjusted", "verdict on the first"), rows, folded=folded)


def _p(value: Any) -> str:
    return "< 0.0001" if float(value) < 0.0001 else said(value)


def _data(contents: Mapping[str, Any]) -> Grid:
    data, condition = contents["data"], contents["condition"]
    declared = "as in the data" if condition["class_ratio_from_data"] else said(condition["class_ratio"])
    if condition["in_percent"]:
        declared = OperatingCondition(prevalence=condition["class_ratio"] / (1 + condition["class_ratio"])).mix
    told = [
        *_rows_read(data),
        (f"positives ({data['positive']})", said(data["Pos"])),
        (f"negatives ({data['negative']})", said(data["Neg"])),
        ("class ratio in the data", said(data["Pos"] / data["Neg"])),
        ("class mix declared", declared),
        ("cost ratio, false negative to false positive", said(condition["cost_ratio"])),
        *((f"distinct scores of {model['name']}", _ties(model["ties"])) for model in contents["models"]),
        ("fingerprint of the data", data["fingerprint"]),
        ("seed", said(data["seed"])),
        ("thresher", contents["version"]),
    ]
    return Grid("Data", ("", "value"), told)


def _rows_read(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        ("rows", said(data["rows"])),
        ("rows dropped for missing values", said(data["dropped"])),
        ("weights", "yes" if data["weighted"] else "no"),
        ("clusters", "no" if data["clusters"] is None else said(data["clusters"])),
    ]


def _ties(ties: Mapping[str, int]) -> str:
    return f"{said(ties['segments'])}; {said(ties['cases'])} cases share theirs with another"


def _of_classes(contents: Mapping[str, Any]) -> list[Grid]:
    models, classes = contents["class_models"], contents["classes"]
    found = [
        Grid(
            f"{model['name']}: actual classes in rows, predicted in columns",
            ("", *classes, "total"),
            [
                (label, *(said(cell) for cell in row), said(sum(row)))
                for label, row in zip(classes, model["matrix"], strict=True)
            ],
        )
        for model in models
    ]
    found += [
        Grid(
            f"{model['name']}: each class, with limits at level {contents['level']:g}",
            ("class", "cases", "precision", "recall", "F1", "AUC against the rest"),
            [
                (
                    row["label"],
                    said(row["count"]),
                    *(said_limits(row[name]) for name in ("precision", "recall", "f1", "auc")),
                )
                for row in model["classes"]
            ],
        )
        for model in models
    ]
    found.append(_numbers(contents, models))
    if contents["comparison"]:
        found.append(_comparison(contents))
    return [*found, Grid("Data", ("", "value"), [*_rows_read(contents["data"]), ("thresher", contents["version"])])]


def _heads(first: str, models: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return (first, *(model["name"] for model in models))
