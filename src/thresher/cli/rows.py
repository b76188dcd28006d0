"""Rows that a command reads: the columns its options name, and which label is positive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from thresher.errors import ArgumentError
from thresher.ranking import Ranking
from thresher.sources import rank
from thresher.sources.columns import column
from thresher.sources.fetched import fetched_columns, source_names

_SHOWN = 12
_MOST_DIGITS = 400


@dataclass(frozen=True, slots=True, eq=False)
class LabelledScores:
    """Columns by what they mean; `positive` is the label in the labels' own type, `current` the rule in use."""

    labels: Any
    scores: dict[str, Any]
    predictions: dict[str, Any]
    weights: Any
    clusters: Any
    positive: Any
    current: Any = None

    def ranking(self, model: str, *, missing: Any) -> Ranking:
        """The ranking of one model."""
        return rank(self.labels, self.scores[model], positive=self.positive, weights=self.weights, missing=missing)


def labelled_scores(given: Mapping[str, Any]) -> LabelledScores:
    """Read the columns that the options name; nothing is guessed when one is not named."""
    found = rows_that_fit(given)
    if found is None:
        what = "there are more rows than fit, and this command needs them all at once"
        raise ArgumentError(what, "give a sample of them; evaluate, compare, choose and merge take any number")
    return found


def rows_that_fit(given: Mapping[str, Any]) -> LabelledScores | None:
    """The same, or None where there are too many rows to be read at once."""
    label, scores = named_columns(given)
    called = _predictions(given, scores)
    current = _current(given, scores)
    in_use = current if isinstance(current, str) else None
    _require_labels_alone(label, {**given, "current": in_use}, called)
    beside = [name for name in (given.get("weight"), given.get("cluster"), in_use) if name is not None]
    wanted = list(dict.fromkeys([label, *scores, *called.values(), *beside]))
    found = fetched_columns(given["source"], wanted, table=table_name(given))
    if found is None:
        return None
    labels = column(found[label], name=f"the column {label!r}")
    return LabelledScores(
        labels=labels,
        scores={name: found[name] for name in scores},
        predictions={model: found[name] for model, name in called.items()},
        weights=None if given.get("weight") is None else found[given["weight"]],
        clusters=None if given.get("cluster") is None else found[given["cluster"]],
        positive=positive_label(given.get("positive"), labels),
        current=current if in_use is None else found[in_use],
    )


def named_columns(given: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The columns of labels and scores that the options name."""
    label, scores = given["label"], tuple(given["scores"])
    if label is None or not scores:
        raise _not_named(given, "--label" if label is None else "--score")
    if len(set(scores)) < len(scores):
        raise ArgumentError(f"a column is given twice as --score: {', '.join(scores)}", "give each model once")
    if label in scores:
        raise _labels_again(label, "--score")
    return label, scores


def table_name(given: Mapping[str, Any]) -> str | tuple[str, ...] | None:
    """The table that --table names; a dot stands between schema and table.

    >>> table_name({"table": "mails"}), table_name({"table": "june.mails"}), table_name({})
    ('mails', ('june', 'mails'), None)
    """
    text = given.get("table")
    return tuple(text.split(".")) if text is not None and "." in text else text


def positive_label(text: str | None, labels: Any) -> Any:
    """The positive label in the type of the labels: a number among numbers, a truth value among those.

    Whole numbers are read exactly, of any size.

    >>> import numpy as np
    >>> positive_label("2", np.array([1, 2])), positive_label("yes", np.array(["yes", "no"]))
    (2, 'yes')
    >>> positive_label("9007199254740993.0", np.array([1, 2])), positive_label("0.1", np.array([0.1, 2]))
    (9007199254740993, 0.1)
    """
    if text is None:
        return None
    kind, objects = labels.dtype.kind, labels.dtype.kind == "O"
    if kind not in "biufO" or (objects and any(isinstance(label, str) for label in labels)):
        return text
    word = text.strip().lower()
    if word in ("true", "false") and kind in "bO":
        return word == "true"
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return text
    if exact.is_finite() and exact.adjusted() <= _MOST_DIGITS and exact == int(exact):
        return int(exact)
    return exact if objects and any(isinstance(label, Decimal) for label in labels) else float(exact)


def _not_named(given: Mapping[str, Any], option: str) -> ArgumentError:
    names = source_names(given["source"], table=table_name(given))
    shown = ", ".join(map(repr, names[:_SHOWN])) + (f" and {len(names) - _SHOWN} more" if names[_SHOWN:] else "")
    kind = "true labels" if option == "--label" else "scores"
    return ArgumentError(
        f"it is not said which column holds the {kind}", f"pass {option} with one of its columns: {shown}"
    )


def _require_labels_alone(label: str, given: Mapping[str, Any], called: Mapping[str, str]) -> None:
    """The column of labels has no second meaning: judged by itself, everything is perfect."""
    others = {f"--{name}": [given.get(name)] for name in ("weight", "cluster", "current")}
    others["--prediction"] = list(called.values())
    for option, names in others.items():
        if label in names:
            raise _labels_again(label, option)


def _labels_again(label: str, option: str) -> ArgumentError:
    return ArgumentError(f"the column {label!r} is given as --label and as {option}", "name two columns")


def _predictions(given: Mapping[str, Any], scores: tuple[str, ...]) -> dict[str, str]:
    """Columns of predictions by model, from "column" for the only model or "model=column"."""
    found: dict[str, str] = {}
    for text in given.get("predictions") or ():
        model, equals, name = text.rpartition("=")
        if model not in scores:
            # A column may hold a "=" of its own when there is only one model that it can belong to.
            if len(scores) > 1 or (equals and not _is_column(text, given)):
                what = f"there is no model {model!r}" if equals else f"it is not said which model predicted {text!r}"
                raise ArgumentError(what, f"write --prediction MODEL=COLUMN, e.g. {scores[0]}={name}")
            model, name = scores[0], text
        if model in found:
            raise ArgumentError(f"the model {model!r} has two columns of predictions", "give one")
        found[model] = name
    return found


def _current(given: Mapping[str, Any], scores: tuple[str, ...]) -> Any:
    """What --current names: a column, a model's threshold, or a decision."""
    text, source = given.get("current"), given["source"]
    if text is None:
        return None
    from thresher.cli.current import current_option

    columns = None if source == "-" else source_names(source, table=table_name(given))
    return current_option(text, models=scores, columns=columns)


def _is_column(name: str, given: Mapping[str, Any]) -> bool:
    """Whether the source has this column; standard input can be read only once, and gets the benefit of the doubt."""
    source = given["source"]
    return source == "-" or name in source_names(source, table=table_name(given))
