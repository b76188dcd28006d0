"""Rows of k classes as commands read them: a column of probabilities per class."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher._internal.text import did_you_mean
from thresher.cli.classes import class_names, parse_mix, typed_classes, typed_costs
from thresher.cli.console.screen import working
from thresher.cli.inputs import CLASS, read_artefact
from thresher.cli.options import GroupOptions, ModelOptions, VectorOptions
from thresher.cli.reading import (
    Group,
    filter_texts,
    require_column,
    require_other_columns,
    rows_by_group,
    take_rows,
)
from thresher.errors import ArgumentError, ColumnError
from thresher.inputs.columns import Column
from thresher.inputs.labels import listed
from thresher.sources.scan import columns_that_fit, source_names
from thresher.tables import CostMatrix, OperatingCondition


@dataclass(frozen=True, slots=True, eq=False)
class VectorRows:
    """Rows as `evaluate` and `compare` take those of k classes."""

    arguments: Mapping[str, Any]
    predictions: Mapping[str, Any]
    current: Any


def require_vectors_alone(columns: ModelOptions) -> None:
    """Refuse options of two classes next to those of k, and these without columns."""
    if not columns.probabilities:
        option = next((name for name, value in columns.options().items() if value), None)
        if option is not None:
            what = f"--{option} is of several classes, and no --probability names their columns"
            raise ArgumentError(what, f'pass --probability "{CLASS}", or "MODEL=p_{CLASS}" for each model')
        return
    of_two = {"score": columns.scores, "positive": columns.positive, "trained-at": columns.trained_at}
    of_two |= {name.replace("_", "-"): value for name, value in columns.condition_parts.items()}
    if name := next((name for name, value in of_two.items() if value), None):
        what = f"--{name} is of two classes, and --probability gives those of several"
        raise ArgumentError(what, "declare costs by --costs FILE and the class mix by --mix A=1,B=2")


def read_vectors(
    source: str,
    columns: ModelOptions,
    groups: GroupOptions,
    *,
    predictions: Sequence[str] = (),
    current: str | None = None,
) -> tuple[dict[Group, VectorRows], OperatingCondition | None]:
    """The rows of each group, and the condition that the options declare."""
    label = require_column(source, columns, columns.label, "--label", "true labels")
    known = source_names(source, table=columns.table_name)
    names = _names_of_classes(columns, known)
    models = _models(columns.probabilities, names, known)
    calls = _predictions(predictions, models)
    decision = None if current is None or current in known else read_artefact(current).decision
    in_use = current if decision is None else None
    roles = [("--weight", columns.weight), ("--cluster", columns.cluster), ("--current", in_use)]
    roles += [("--prediction", name) for name in calls.values()]
    roles += [("--probability", name) for each in models.values() for name in each]
    require_other_columns(label, roles)
    texts = filter_texts(groups.where, source, columns)
    others = [name for _, name in roles if name is not None]
    wanted = list(dict.fromkeys([label, *others, *groups.by, *texts]))
    with working("reading rows"):
        values = columns_that_fit(source, wanted, table=columns.table_name)
    if values is None:
        what = "an evaluation of several classes needs rows, and there are more than fit in memory"
        raise ArgumentError(what, "give a sample of the rows")
    values = take_rows(values, texts)
    classes = typed_classes(names, values[label])
    parts = {}
    for group, rows in rows_by_group(values, groups.by).items():
        part = {name: each[rows] for name, each in values.items()}
        parts[group] = VectorRows(
            {
                "labels": part[label],
                "scores": {model: np.stack([part[name] for name in each], axis=1) for model, each in models.items()},
                "classes": classes,
                "weights": None if columns.weight is None else part[columns.weight],
                "clusters": None if columns.cluster is None else part[columns.cluster],
                "missing": columns.missing,
            },
            {model: part[name] for model, name in calls.items()},
            decision if in_use is None else part[in_use],
        )
    return parts, _condition(columns, classes, values[label])


def _names_of_classes(vectors: VectorOptions, known: Sequence[str]) -> list[str]:
    """The classes by name: as given, as the costs have them, or those of columns."""
    if vectors.classes is not None:
        return class_names(vectors.classes)
    if vectors.costs is not None:
        from thresher.tables import read_costs

        return [str(name) for name in read_costs(vectors.costs).classes]
    _, template = _model_and_template(vectors.probabilities[0])
    before, _, after = template.partition(CLASS)
    matches = [re.fullmatch(f"{re.escape(before)}(.+){re.escape(after)}", name) for name in known]
    names = [match[1] for match in matches if match is not None]
    if len(names) < 2 or not (before or after):
        what = f"cannot tell the classes from --probability {template!r}"
        raise ArgumentError(what, "pass --classes A,B,C, or --costs with a file that names them")
    return names


def _model_and_template(text: str) -> tuple[str, str]:
    """MODEL=TEMPLATE, or a template alone of a single model."""
    model, equals, template = text.partition("=")
    if CLASS not in (template if equals else text):
        what = f"--probability {text!r} does not say where the name of a class stands"
        raise ArgumentError(what, f'write "{CLASS}" or "p_{CLASS}", and of several models "MODEL=p_{CLASS}"')
    return (model, template) if equals else ("model", text)


def _models(texts: Sequence[str], names: Sequence[str], known: Sequence[str]) -> dict[str, list[str]]:
    """The columns of each model, in the order of the classes."""
    models: dict[str, list[str]] = {}
    for text in texts:
        model, template = _model_and_template(text)
        if model in models:
            fix = f'write --probability "MODEL={template}" with a name for each model'
            raise ArgumentError(f"the model {model!r} is given twice as --probability", fix)
        models[model] = [template.replace(CLASS, name) for name in names]
        for column, name in zip(models[model], names, strict=True):
            if column not in known:
                what = f"there is no column {column!r} for the class {name!r}"
                near = did_you_mean(column, known)
                raise ColumnError(what, f"{near} the columns are {listed(list(known)[:12])}".strip())
    return models


def _predictions(texts: Sequence[str], models: Mapping[str, Any]) -> dict[str, str]:
    """Columns of predictions by model: MODEL=COLUMN, or COLUMN of the only model."""
    by_model: dict[str, str] = {}
    for text in texts:
        model, equals, name = text.partition("=")
        if not equals:
            model, name = next(iter(models)), text
        if model not in models or (not equals and len(models) > 1):
            what = f"cannot tell which model predicted {text!r}"
            raise ArgumentError(what, f"write --prediction MODEL=COLUMN, e.g. {next(iter(models))}={name}")
        by_model[model] = name
    return by_model


def _condition(vectors: VectorOptions, classes: Sequence[Any], labels: Column) -> OperatingCondition | None:
    """Costs and class mix; None where neither is declared."""
    if vectors.costs is None and vectors.mix is None:
        return None
    costs = CostMatrix.equal(classes) if vectors.costs is None else typed_costs(vectors.costs, labels)
    return OperatingCondition(costs=costs, mix=None if vectors.mix is None else parse_mix(vectors.mix, classes))
