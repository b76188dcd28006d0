"""`--current`: the rule in use, as a column of its calls, a model's threshold, or a decision file."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from thresher.errors import ArgumentError
from thresher.evaluation import Decision

_FORMS = "write a column of its calls, MODEL=NUMBER, or the file of a decision"


def current_option(
    text: str | None, *, models: Sequence[str], columns: Collection[str] | None
) -> str | Mapping[str, float] | Decision | None:
    """What `--current` names: a column's name, {model: threshold}, or the decision in a file.

    `columns` are those of the source, None where they are not known yet. What could mean two things is refused.

    >>> current_option("forest=0.3", models=["forest"], columns=["label", "forest"])
    {'forest': 0.3}
    >>> current_option("0.3", models=["forest"], columns=["label", "forest"])
    {'forest': 0.3}
    >>> current_option("called", models=["forest"], columns=["label", "forest", "called"])
    'called'
    """
    if text is None:
        return None
    threshold = _threshold(text, models)
    is_file = Path(text).is_file()
    is_column = columns is not None and text in columns
    meanings = {"a column": is_column, "a file": is_file, "a threshold": threshold is not None}
    several = [meaning for meaning, meant in meanings.items() if meant]
    if len(several) > 1:
        what = f"--current {text} could mean {' or '.join(several)}"
        raise ArgumentError(what, "rename the column, or write the file as ./NAME")
    if threshold is not None:
        return threshold
    if is_file:
        from thresher.cli.artefact import read_artefact

        decision = read_artefact(text).decision
        if decision is None:
            raise ArgumentError(f"the file {text!r} holds a calibration map and no decision", _FORMS)
        return decision
    if columns is not None and not is_column:
        raise ArgumentError(f"--current {text} is no column, no file, and no model's threshold", _FORMS)
    return text


def _threshold(text: str, models: Sequence[str]) -> dict[str, float] | None:
    """MODEL=NUMBER, or a number alone where there is one model; None for anything else."""
    model, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        return None
    if math.isnan(value):
        return None
    if equals and model in models:
        return {model: value}
    if equals:
        fix = f"write --current MODEL={number} with one of {', '.join(models)}"
        raise ArgumentError(f"there is no model {model!r}", fix)
    if len(models) > 1:
        what = f"--current {text} is a threshold, and it could be one of {len(models)} models"
        raise ArgumentError(what, f"write e.g. --current {models[0]}={text}")
    return {models[0]: value}
