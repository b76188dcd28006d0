"""Hostile input to library calls: containers × bad values × functions, by the rule in `rule`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import thresher as th
from tests.fuzz.answers import Answers
from tests.fuzz.rule import judge

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
SCORES = [0.9, 0.1, 0.8, 0.35, 0.4, 0.2, 0.7, 0.4]
WEIGHTS = [1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 1.0]
LONG = "9" * 5_000
VALUES: dict[str, Any] = {
    "nothing": None,
    "nan": math.nan,
    "NumPy's nan": np.float32("nan"),
    "NA of pandas": pd.NA,
    "NaT": pd.NaT,
    "a moment that is none": np.datetime64("NaT"),
    "a decimal that is none": Decimal("nan"),
    "a signalling decimal": Decimal("sNaN"),
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "minus zero": -0.0,
    "a negative number": -3,
    "two": 2,
    "a truth value": True,
    "the least float": 5e-324,
    "the largest float": 1.7976931348623157e308,
    "beyond 2^53": 2**53 + 1,
    "beyond int64": 2**63,
    "beyond uint64": -(2**64),
    "beyond all floats": 10**400,
    "more digits than Python prints": 10**5_000,
    "a long decimal": Decimal("0." + "3" * 40),
    "a huge decimal": Decimal("1e999"),
    "a fraction": Fraction(1, 3),
    "a complex number": 1 + 2j,
    "a text": "high",
    "a number as text": "0.5",
    "an empty text": "",
    "a NUL": "a\0",
    "half a character": "\ud800",
    "a long text": LONG,
    "bytes": b"\xff\xfe",
    "a list of one": [1],
    "a list of two": [1, 2],
    "a tuple": (1,),
    "a dictionary": {"a": 1},
    "a set": {1},
    "an array": np.array([1.0]),
    "a record": np.array([(1, 2.0)], dtype=[("a", int), ("b", float)])[0],
    "a moment": datetime(2026, 1, 1, tzinfo=UTC),
    "a duration": timedelta(days=1),
    "a type": int,
    "a function": len,
    "an object": object(),
    "a long double": np.longdouble("1e4000"),
    "a half float": np.float16(0.5),
}


def _numpy(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array


def _polars(values: list[Any]) -> Any:
    if isinstance(values[0], Decimal | np.float16):
        raise TypeError("Polars panics at decimals that are none, and takes all numbers for those of the first type")
    return pl.Series(values, strict=False)


CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "objects": _numpy,
    "masked": lambda values: np.ma.MaskedArray(_numpy(values), mask=[True] + [False] * (len(values) - 1)),
    "pandas": lambda values: pd.Series(values, dtype=object),
    "pandas, inferred": pd.Series,
    "categories": lambda values: pd.Series(pd.Categorical(values)),
    "polars": _polars,
    "polars objects": lambda values: pl.Series(values, dtype=pl.Object),
    "pyarrow": pa.array,
    "chunks": lambda values: pa.chunked_array([pa.array(values[:1]), pa.array(values[1:])]),
}
SHAPES: dict[str, Any] = {
    "nothing": None,
    "a number": 3,
    "a text": "abc",
    "bytes": b"abc",
    "empty": [],
    "an empty array": np.zeros(0),
    "no dimension": np.array(0.5),
    "two columns": np.zeros((8, 2)),
    "three dimensions": np.zeros((8, 1, 1)),
    "one row": np.zeros((1, 8)),
    "one more": [*SCORES, 0.5],
    "one only": [0.5],
    "a dictionary": dict(enumerate(SCORES)),
    "a set": set(SCORES),
    "a generator": (score for score in SCORES),
    "a range": range(8),
    "ragged": [[1], [1, 2], 1, 1, 1, 1, 1, 1],
    "records": np.zeros(8, dtype=[("a", int)]),
    "two fields": np.zeros(8, dtype=[("a", int), ("b", float)]),
    "void": np.array([b"a", b"b"] * 4, dtype="V1"),
    "moments": np.arange(8).astype("M8[ns]"),
    "texts": np.array(list("abababab")),
    "a frame": pd.DataFrame({"a": SCORES, "b": SCORES}),
    "a frame of one column": pd.DataFrame({"a": SCORES}),
    "a lazy frame": pl.LazyFrame({"a": SCORES}),
    "a struct": pl.Series([{"a": 1}, {"a": 0}] * 4),
    "a struct of two": pl.Series([{"a": 1, "b": 1}, {"a": 0, "b": 2}] * 4),
    "lists": pl.Series([[1], [0]] * 4),
    "arrays": pl.Series([[1], [0]] * 4, dtype=pl.Array(pl.Int64, 1)),
    "an Arrow struct": pa.array([{"a": 1}, {"a": 0}] * 4),
    "an Arrow map": pa.array([[("a", 1)], []] * 4, pa.map_(pa.string(), pa.int64())),
    "Arrow nulls": pa.nulls(8),
    "an Arrow table": pa.table({"a": SCORES}),
    "a pandas list": pd.Series([[1], [0]] * 4),
    "a struct in pandas": pd.Series(pd.arrays.ArrowExtensionArray(pa.array([{"a": 1}, {"a": 0}] * 4))),
    "sparse": pd.Series(pd.arrays.SparseArray([1, 0] * 4)),
    "periods": pd.Series(pd.period_range("2026", periods=8, freq="D")),
    "intervals": pd.Series(pd.interval_range(0, 8)),
    "long doubles": np.array(SCORES, dtype=np.longdouble),
    "complex": np.array(SCORES, dtype=complex),
    "big-endian": np.array(SCORES, dtype=">f8"),
    "a view of every other": np.repeat(SCORES, 2)[::2],
    "read-only": np.frombuffer(np.array(SCORES).tobytes()),
    "a ranking": th.Ranking.parse("[1+][1-]"),
    "a type": list,
}
RANKING = th.rank(LABELS, SCORES)
TABLE = th.Contingency(tp=3, fn=1, fp=1, tn=3)
OPTIONS: dict[str, list[Callable[[Any], Any]]] = {
    "positive": [
        lambda value: th.rank(LABELS, SCORES, positive=value),
        lambda value: th.rank(list("abababab"), SCORES, positive=value),
        lambda value: th.evaluate(LABELS, SCORES, positive=value, replicates=2),
    ],
    "missing": [lambda value: th.rank(LABELS, SCORES, missing=value)],
    "classes": [lambda value: th.confusion(LABELS, LABELS, classes=[0, 1, value])],
    "replicates": [
        lambda value: th.bootstrap(RANKING, ["auc"], replicates=value),
        lambda value: th.evaluate(LABELS, SCORES, replicates=value),
        lambda value: th.compare(LABELS, {"a": SCORES, "b": SCORES[::-1]}, replicates=value),
        lambda value: th.calibration_test(RANKING, replicates=value),
    ],
    "seed": [lambda value: th.bootstrap(RANKING, ["auc"], replicates=2, seed=value)],
    "level": [lambda value: th.auc_interval(RANKING, level=value)],
    "cells": [lambda value: th.Contingency(tp=value, fn=1, fp=1, tn=1)],
    "counts": [lambda value: th.ConfusionMatrix([[value, 1], [1, 1]], classes=["a", "b"])],
    "costs": [
        lambda value: th.OperatingCondition(cost_ratio=value),
        lambda value: th.OperatingCondition(cost_fp=1, cost_fn=value),
        lambda value: th.OperatingCondition(prevalence=value),
    ],
    "thresholds": [lambda value: th.contingency_at(RANKING, value)] if hasattr(th, "contingency_at") else [],
    "constraints": [lambda value: th.choose(RANKING, subject_to=value)],
    "bins": [lambda value: th.ece(RANKING, count=value), lambda value: th.reliability(RANKING, count=value)],
    "points": [lambda value: th.curves.thin(RANKING, points=value)],
    "notation": [th.Ranking.parse, th.Ranking.from_json, th.Decision.from_json],
    "measures": [TABLE.describe, lambda value: th.bounds(RANKING, value)],
    "fpr": [lambda value: th.partial_auc(RANKING, fpr=(0, value))],
    "where": [lambda value: th.scan({"y": LABELS, "p": SCORES}, label="y", score="p", where={"y": value})],
    "columns": [lambda value: th.scan({"y": LABELS, "p": SCORES}, label=value, score="p")],
    "sources": [lambda value: th.scan(value, label="y", score="p")],
    "folds": [th.learning.Folds, lambda value: th.learning.Folds(2, repeats=value)],
    "buckets": [lambda value: th.RankingBuilder(buckets=value)],
}
# Quantities of weights that differ by hundreds of orders of magnitude.
UNSETTLED = {("evaluate", "weights", "the least float"), ("compare", "weights", "the least float")}
NUMBERS = (bool, int, float, Decimal, Fraction, np.number, np.bool_)


def kinds() -> Iterator[tuple[str, Callable[[], Any], Callable[[Any], bool]]]:
    """Every kind of hostile input: its name, the call, and whether an answer is right."""
    for function, call in CALLS.items():
        for role in ROLES[function]:
            for shape, column in SHAPES.items():
                yield f"{function} of {shape} as {role}", _with(call, role, column), _anything
            for container, make in CONTAINERS.items():
                for name, value in VALUES.items():
                    if (function, role, name) in UNSETTLED:
                        continue
                    yield (
                        f"{function} with {name} in a {container} of {role}",
                        _holding(call, role, make, value),
                        _right(function, role, value),
                    )
    for option, asks in OPTIONS.items():
        for i, ask in enumerate(asks):
            for name, value in (VALUES | {"10**12": 10**12, "a list of texts": ["a", "b"]}).items():
                yield f"{option} {i} is {name}", _asked(ask, value), _anything


def check(seed: int, size: int) -> Answers:
    """Some kinds of hostile input, as many as a case has rows, drawn by the seed."""
    answers, every = Answers(), list(kinds())
    for at in np.random.default_rng(seed).choice(len(every), size=min(size, len(every)), replace=False).tolist():
        judge(answers, *every[at])
    return answers


def _evaluate(labels: Any, scores: Any, weights: Any) -> Any:
    return th.evaluate(labels, {"a": scores, "b": SCORES[::-1]}, weights=weights, replicates=2)


def _compare(labels: Any, scores: Any, weights: Any) -> Any:
    return th.compare(labels, {"a": scores, "b": SCORES[::-1]}, weights=weights)


def _scan(labels: Any, scores: Any, weights: Any) -> Any:
    named = None if weights is None else "w"
    columns = {"y": labels, "p": scores} | ({} if weights is None else {"w": weights})
    return th.scan(columns, label="y", score="p", weights=named)


def _build(labels: Any, scores: Any, weights: Any) -> Any:
    builder = th.RankingBuilder()
    builder.update(labels, scores, weights)
    return builder.ranking()


CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "rank": lambda labels, scores, weights: th.rank(labels, scores, weights=weights),
    "scan": _scan,
    "builder": _build,
    "evaluate": _evaluate,
    "compare": _compare,
    "confusion": lambda labels, _, weights: th.confusion(labels, LABELS, weights=weights),
    "contingency": lambda labels, _, weights: th.contingency(labels, LABELS, weights=weights),
    "brier": lambda labels, scores, weights: th.brier(th.rank(labels, scores, weights=weights)),
}
_ALL = ("labels", "scores", "weights")
ROLES = dict.fromkeys(CALLS, _ALL) | dict.fromkeys(("confusion", "contingency"), ("labels", "weights"))


def _with(call: Callable[..., Any], role: str, column: Any) -> Callable[[], Any]:
    return lambda: call(*(column if role == each else right for each, right in _COLUMNS))


_COLUMNS: tuple[tuple[str, list[Any]], ...] = (("labels", LABELS), ("scores", SCORES), ("weights", WEIGHTS))


def _holding(call: Callable[..., Any], role: str, make: Callable[[list[Any]], Any], value: Any) -> Callable[[], Any]:
    """The call with one entry of a column replaced; what the container itself refuses is no question to thresher."""

    def run() -> Any:
        values = list(dict(_COLUMNS)[role])
        values[0] = value
        try:
            column = make(values)
        except Exception as error:  # noqa: BLE001 - every library has its own
            raise th.ThresherError(f"the container refuses it: {error!r}"[:200], "nothing") from None
        return _with(call, role, column)()

    return run


def _asked(ask: Callable[[Any], Any], value: Any) -> Callable[[], Any]:
    return lambda: ask(value)


def _anything(value: object) -> bool:
    """Any answer: the question may have one."""
    return value is not None


def _right(function: str, role: str, value: Any) -> Callable[[Any], bool]:
    """Whether an answer is that of the rows, counted one by one, with the value as it is."""
    number = isinstance(value, NUMBERS) and not isinstance(value, complex)
    if role == "labels" or not number or function not in ("rank", "scan", "builder"):
        return _anything
    exact = _exact(value)

    def right(ranking: Any) -> bool:
        if exact is None:
            return False  # a missing or infinite weight, or no number, has no answer
        scores = [exact, *map(Fraction, SCORES[1:])] if role == "scores" else list(map(Fraction, SCORES))
        weights = [exact, *map(Fraction, WEIGHTS[1:])] if role == "weights" else list(map(Fraction, WEIGHTS))
        if min(weights) < 0:
            return False
        counts: dict[Any, list[Fraction]] = {}
        for label, score, weight in zip(LABELS, scores, weights, strict=True):
            if weight:
                counts.setdefault(score, [Fraction(0), Fraction(0)])[1 - label] += weight
        expected = [(float(s), float(pos), float(neg)) for s, (pos, neg) in sorted(counts.items(), reverse=True)]
        table = zip(ranking.score.tolist(), ranking.pos.tolist(), ranking.neg.tolist(), strict=True)
        return [tuple(map(float, row)) for row in table] == expected

    return right


def _exact(value: Any) -> Any:
    """A number as a fraction, or infinite; None where it is none."""
    if isinstance(value, Decimal) and value.is_nan():
        return None
    if isinstance(value, float | np.floating | Decimal) and not math.isfinite(value):
        return None if math.isnan(value) else math.copysign(math.inf, value)
    return Fraction(value.item() if isinstance(value, np.generic) else value)
