"""The tables of the page as rows of texts, for readers without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from thresher._internal.text import score_text
from thresher.report.numbers import ci_text, value_text
from thresher.tables import MEASURES, Contingency, OperatingCondition

ABREAST = 5
FEW_PAIRS = 6  # more are folded


class Table(NamedTuple):
    """A table: its caption, its heads, and rows whose first cell names them.

    Small ones lie side by side, folded ones open on request, and rows named in `grey` are baselines.
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    small: bool = False
    folded: bool = False
    grey: Sequence[str] = ()


def tables(payload: Mapping[str, Any]) -> list[Table]:
    """Every table of a page, in the order they are shown."""
    if payload["kind"] == "classes":
        return _class_tables(payload)
    models = payload["models"]
    own = [model for model in models if model["predictions"] is not None]
    every = [_contingency(model) for model in models]
    for table, those in ((_costs, models), (_numbers, models), (_measures, models), (_predictions, own)):
        # Paper cannot be scrolled: of many models, as many are in a table as fit on it.
        every += [table(payload, those[first : first + ABREAST]) for first in range(0, len(those), ABREAST)]
    return [*every, *_comparison(payload), _data(payload)]


def _contingency(model: Mapping[str, Any]) -> Table:
    tp, fn, fp, tn = (model["optimum"]["cells"][cell] for cell in ("tp", "fn", "fp", "tn"))
    rows = [("actual +", tp, fn, tp + fn), ("actual −", fp, tn, fp + tn)]
    rows.append(("total", tp + fp, fn + tn, tp + fn + fp + tn))
    return Table(
        f"{model['name']} at threshold {score_text(model['optimum']['threshold'])}",
        ("", "predicted +", "predicted −", "total"),
        [(name, *map(value_text, counts)) for name, *counts in rows],
        small=True,
    )


def _costs(payload: Mapping[str, Any], models: Sequence[Mapping[str, Any]]) -> Table:
    rows = [
        ("expected cost per case", *(ci_text(model["expected_cost"]) for model in models)),
        ("on rows not chosen on", *(ci_text(model["out_of_bag_cost"]) for model in models)),
        ("best threshold", *(ci_text(model["threshold"]) for model in models)),
        ("best for cost ratios", *(_range(model["optimum"]["holds_for"]) for model in models)),
    ]
    return Table(f"Costs and thresholds, with limits at level {payload['level']:g}", _heads("", models), rows)


def _range(ends: Sequence[Any]) -> str:
    return "–" if "nan" in ends else f"{value_text(ends[0])} to {value_text(ends[1])}"


def _numbers(payload: Mapping[str, Any], models: Sequence[Mapping[str, Any]]) -> Table:
    labels = {number["name"]: number["label"] for model in models for number in model["numbers"]}
    by_name = [{number["name"]: number for number in model["numbers"]} for model in models]
    rows = [(label, *(_number(numbers.get(name)) for numbers in by_name)) for name, label in labels.items()]
    return Table(f"Whole models, with limits at level {payload['level']:g}", _heads("", models), rows)


def _number(number: Mapping[str, Any] | None) -> str:
    if number is None:
        return "–"
    return value_text(number["value"]) if number["interval"] is None else ci_text(number["interval"])


def _measures(payload: Mapping[str, Any], models: Sequence[Mapping[str, Any]]) -> Table:
    rows = [
        (measure["label"], *(ci_text(model["measures"][place]["interval"]) for model in models), measure["formula"])
        for place, measure in enumerate(payload["measures"])
    ]
    return Table("Measures at each model's best threshold", (*_heads("measure", models), "formula"), rows)


def _predictions(payload: Mapping[str, Any], models: Sequence[Mapping[str, Any]]) -> Table:
    counted = [Contingency(**model["predictions"]) for model in models]
    rows = [(cell, *(value_text(getattr(each, cell)) for each in counted)) for cell in ("tp", "fn", "fp", "tn")]
    rows += [
        (measure["label"], *(value_text(MEASURES[measure["name"]].of(each)) for each in counted))
        for measure in payload["measures"]
    ]
    return Table("Predictions given", _heads("measure", models), rows)


def _comparison(payload: Mapping[str, Any]) -> list[Table]:
    if not payload["comparison"]:
        return []
    several = len({pair["measure"] for pair in payload["comparison"]}) > 1
    rows = [
        (
            f"{pair['a']} − {pair['b']}" + (f", {pair['measure']}" if several else ""),
            ci_text(pair | {"estimate": pair["difference"]}),
            _p(pair["p_value"]),
            _p(pair["adjusted"]),
            pair["verdict"],
        )
        for pair in payload["comparison"]
    ]
    caption = "Differences, paired" if several else "Differences in AUC, paired"
    folded = payload["folded"] or len(rows) > FEW_PAIRS
    return [Table(caption, ("pair", "difference", "p", "adjusted", "verdict on the first"), rows, folded=folded)]


def _p(value: Any) -> str:
    return "< 0.0001" if float(value) < 0.0001 else value_text(value)


def _data(payload: Mapping[str, Any]) -> Table:
    data, condition = payload["data"], payload["condition"]
    declared = "as in the data" if condition["class_ratio_from_data"] else value_text(condition["class_ratio"])
    if condition["in_percent"]:
        declared = OperatingCondition(prevalence=condition["class_ratio"] / (1 + condition["class_ratio"])).mix_text
    shared = "{segments:,}; {cases:,} cases share theirs with another"
    rows = [
        *_rows_read(data),
        (f"positives ({data['positive']})", value_text(data["Pos"])),
        (f"negatives ({data['negative']})", value_text(data["Neg"])),
        ("class ratio in the data", value_text(data["Pos"] / data["Neg"])),
        ("class mix declared", declared),
        ("cost ratio, false negative to false positive", value_text(condition["cost_ratio"])),
        *((f"distinct scores of {model['name']}", shared.format(**model["ties"])) for model in payload["models"]),
        ("fingerprint of the data", data["fingerprint"]),
        ("seed", value_text(data["seed"])),
        ("thresher", payload["version"]),
    ]
    return Table("Data", ("", "value"), rows)


def _rows_read(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        ("rows", value_text(data["rows"])),
        ("rows dropped for missing values", value_text(data["dropped"])),
        ("weights", "yes" if data["weighted"] else "no"),
        ("clusters", "no" if data["clusters"] is None else value_text(data["clusters"])),
    ]


def _class_tables(payload: Mapping[str, Any]) -> list[Table]:
    models, classes, decided = payload["class_models"], payload["classes"], payload["least_cost"]
    level, actions = f"with limits at level {payload['level']:g}", decided["actions"]
    shown = [_ways(decided, level), _class_costs(classes, decided)]
    for model in decided["models"]:
        rows = zip(classes, model["confusion"], strict=True)
        counts = [(label, *map(value_text, row), value_text(sum(row))) for label, row in rows]
        caption = f"{model['shown']}: actual classes in rows, actions in columns"
        shown.append(Table(caption, ("", *actions, "total"), counts))
    for model in models:
        measured = [
            (
                row["label"],
                value_text(row["count"]),
                *(ci_text(row[name]) for name in ("precision", "recall", "f1", "auc")),
            )
            for row in model["classes"]
        ]
        heads = ("class", "cases", "precision", "recall", "F1", "AUC against the rest")
        shown.append(Table(f"{model['name']}: each class, {level}", heads, measured))
    data = Table("Data", ("", "value"), [*_rows_read(payload["data"]), ("thresher", payload["version"])])
    return [*shown, _numbers(payload, models), *_comparison(payload), data]


def _ways(decided: Mapping[str, Any], level: str) -> Table:
    """What every way to act costs, the decision first, and what models foretold."""
    foretold = {model["shown"]: model for model in decided["models"]}
    rows = []
    for rule in decided["rules"]:
        model = foretold.get(rule["name"])
        apart = ("–", "–")
        if model is not None:
            apart = (value_text(model["foretold_cost"]["estimate"]), ci_text(model["foretold_minus_paid"]))
        saving = "–" if rule["saving"] is None else ci_text(rule["saving"])
        rows.append((rule["said"], ci_text(rule["cost"]), saving, *apart))
    heads = ("way to act", "cost per case", "more than the first", "foretold", "foretold − paid")
    return Table(f"What each way to act costs, {level}", heads, rows)


def _class_costs(classes: Sequence[str], decided: Mapping[str, Any]) -> Table:
    rows = [(label, *map(value_text, row)) for label, row in zip(classes, decided["costs"], strict=True)]
    return Table("Costs per case: actual classes in rows, actions in columns", ("", *decided["actions"]), rows)


def _heads(first: str, models: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return (first, *(model["name"] for model in models))
