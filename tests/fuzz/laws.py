"""Metamorphic laws: what a change of the rows must do to the answers, and what it must leave alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import thresher as th
from tests.fuzz.answers import Answers, chance
from tests.fuzz.cases import Case, Rng, pick, two_classes
from thresher.errors import MissingValueError
from thresher.inference import auc_interval

CONTAINERS: Mapping[str, Callable[[Any], Any]] = {
    "list": lambda values: values.tolist(),
    "tuple": lambda values: tuple(values.tolist()),
    "objects": lambda values: values.astype(object),
    "pandas": pd.Series,
    "polars": pl.Series,
    "arrow": pa.array,
    "chunked arrow": lambda values: pa.chunked_array([pa.array(values[:1]), pa.array(values[1:])]),
    "big-endian": lambda values: values.astype(values.dtype.newbyteorder(">")),
    "strided": lambda values: np.repeat(values, 2)[::2],
    "read-only": lambda values: np.frombuffer(values.tobytes(), dtype=values.dtype),
    "categories": lambda values: pd.Series(values, dtype="object"),
}


def check(seed: int, size: int) -> Answers:
    """Order, units, labels, containers, maps of scores, mirrors, copies and sums of rankings."""
    rng, answers = np.random.default_rng([10, seed]), Answers()
    case = two_classes(rng, size)
    ranking = case.ranking()
    numbers = _numbers(ranking)
    order = rng.permutation(case.labels.size)
    _like(answers, "rows in another order", _numbers(_ranked(case, order)), numbers, case)
    _like(answers, "rows ranked in parts", _numbers(_in_parts(rng, case)), numbers, case)
    _like(
        answers, "a ranking from JSON", _numbers(th.Ranking.from_json(ranking.to_json())), numbers, case, exactly=True
    )
    unit = pick(rng, [2.0, 0.5, 3.0, 0.1, 1024.0, 1e6, 1e-6])
    weights = np.ones(case.labels.size) if case.weights is None else np.asarray(case.weights, dtype=np.float64)
    scaled = th.rank(case.labels, case.scores, weights=weights * unit)
    _like(answers, f"weights times {unit!r}", _numbers(scaled), numbers, case, leave=("won", "delong"))
    names = rng.permutation(["spam", "ham"]) if chance(rng, 0.5) else np.array([7, -1])
    renamed = th.rank(names[case.labels.astype(int)], case.scores, weights=case.weights, positive=names[1].item())
    _like(answers, f"labels called {names.tolist()}", _numbers(renamed), numbers, case, exactly=True)
    ranks = np.unique(case.scores.astype(np.float64), return_inverse=True)[1]
    for what, scores in (("ranks for scores", ranks), ("cubed ranks for scores", ranks.astype(np.float64) ** 3 - 5)):
        mapped = th.rank(case.labels, scores, weights=case.weights)
        reachable = ranking.threshold(1) < np.inf
        _like(answers, what, _numbers(mapped), numbers, case, exactly=True, leave=() if reachable else ("choice", "f1"))
    _containers(answers, rng, case, ranking)
    _missing(answers, rng, case, ranking)
    _mirror(answers, case, ranking)
    _copies(answers, case, ranking)
    return answers


def _numbers(ranking: th.Ranking) -> dict[str, Any]:
    """Many numbers of a ranking that do not depend on the scores themselves."""
    pairs = th.pairs(ranking)
    return {
        "auc": th.auc(ranking),
        "won": pairs.won,
        "average precision": th.average_precision(ranking),
        "pr_area": th.pr_area(ranking),
        "ks": th.ks(ranking).statistic,
        "hull": th.hull(ranking, pool="ties").total / ranking.total,
        "choice": th.choose(ranking).expected_cost,
        "f1": th.choose(ranking, maximise="f1").value,
        "partial": th.partial_auc(ranking, fpr=(0.1, 0.6)),
        "delong": auc_interval(ranking).lower,
    }


def _like(
    answers: Answers,
    what: str,
    got: Mapping[str, Any],
    expected: Mapping[str, Any],
    case: Case,
    *,
    exactly: bool = False,
    leave: tuple[str, ...] = (),
) -> None:
    for name, value in got.items():
        if name in leave:
            continue
        if exactly:
            answers.same(value, expected[name], f"{name} of {what}, {case}")
        else:
            answers.near(value, expected[name], f"{name} of {what}, {case}", relative=1e-9, absolute=1e-9)


def _ranked(case: Case, order: Any) -> th.Ranking:
    weights = None if case.weights is None else case.weights[order]
    return th.rank(case.labels[order], case.scores[order], weights=weights)


def _in_parts(rng: Rng, case: Case) -> th.Ranking:
    """Rankings of parts of the rows, added up."""
    parts = np.array_split(rng.permutation(case.labels.size), int(rng.integers(1, 5)))
    heavy = np.array([float(weight) for weight in case.exact])
    return sum(_ranked(case, part) for part in parts if part.size and heavy[part].any())  # type: ignore[return-value]


def _containers(answers: Answers, rng: Rng, case: Case, ranking: th.Ranking) -> None:
    """The same columns in other containers."""
    columns = [case.labels, case.scores] + ([] if case.weights is None else [case.weights])
    for name in rng.choice(list(CONTAINERS), size=3, replace=False).tolist():
        if "arrow" in name and case.scores.dtype == np.float16 and case.scores.size < 2:
            continue
        labels, scores, *weights = (CONTAINERS[name](values) for values in columns)
        other = th.rank(labels, scores, weights=weights[0] if weights else None)
        answers.check(other == ranking, f"{name} give {other!r}, expected {ranking!r}, {case}")
    frame = pick(rng, [pd.DataFrame, pl.DataFrame, pa.table])({"y": case.labels, "p": case.scores})
    scanned = th.scan(frame, label="y", score="p")
    plain = th.rank(case.labels, case.scores)
    answers.check(scanned == plain, f"{type(frame)} gives {scanned!r}, expected {plain!r}, {case}")


def _missing(answers: Answers, rng: Rng, case: Case, ranking: th.Ranking) -> None:
    """Rows without a label, a score or a weight are left out on request, and counted."""
    n, gaps = case.labels.size, int(rng.integers(1, 5))
    weights = np.ones(n) if case.weights is None else np.asarray(case.weights, dtype=np.float64)
    labels = np.concatenate([case.labels.astype(object), rng.random(gaps) < 0.5])
    columns = [labels, np.append(case.scores.astype(np.float64), rng.random(gaps)), np.append(weights, np.ones(gaps))]
    for row in range(n, n + gaps):
        column = columns[int(rng.integers(3))]
        column[row] = None if column is labels else np.nan
    order = rng.permutation(n + gaps)
    labels, scores, weights = (column[order] for column in columns)
    other = th.rank(labels, scores, weights=weights, missing="drop")
    answers.same(other.dropped, gaps, f"rows left out, {case}")
    answers.near_all(other.pos, ranking.pos, f"positives without gaps, {case}", relative=1e-9)
    answers.near_all(other.neg, ranking.neg, f"negatives without gaps, {case}", relative=1e-9)
    answers.raises(MissingValueError, partial(th.rank, labels, scores, weights=weights), f"gaps, {case}")
    builder = th.RankingBuilder(missing="drop")
    for part in np.array_split(np.arange(n + gaps), 3):
        builder.update(labels[part], scores[part], weights[part])
    answers.same(builder.ranking().score.tolist(), ranking.score.tolist(), f"scores of a builder, {case}")
    answers.near_all(builder.ranking().pos, ranking.pos, f"positives of a builder, {case}", relative=1e-9)


def _mirror(answers: Answers, case: Case, ranking: th.Ranking) -> None:
    """Labels swapped and scores negated: the ROC curve mirrored."""
    scores = case.scores.astype(np.float64)
    other = th.rank(~case.labels, -scores, weights=case.weights)
    answers.near(th.auc(other), th.auc(ranking), f"auc of the mirror, {case}", relative=1e-9, absolute=1e-12)
    answers.near(
        th.ks(other).statistic, th.ks(ranking).statistic, f"ks of the mirror, {case}", relative=1e-9, absolute=1e-12
    )
    answers.near_all(other.pos, ranking.neg[::-1], f"positives of the mirror, {case}")
    answers.near_all(other.score, -ranking.score[::-1], f"scores of the mirror, {case}")
    swapped, curve = th.coverage(other), th.coverage(ranking)
    answers.near_all(swapped.tpr, curve.tnr[::-1], f"tpr of the mirror, {case}", relative=1e-9, absolute=1e-12)
    answers.near_all(swapped.mcc, curve.mcc[::-1], f"mcc of the mirror, {case}", relative=1e-7, absolute=1e-9)


def _copies(answers: Answers, case: Case, ranking: th.Ranking) -> None:
    """Integer weights count rows that many times."""
    times = [int(weight) for weight in case.exact]
    if any(weight.denominator != 1 for weight in case.exact) or sum(times) > 2000:
        return
    copied = th.rank(np.repeat(case.labels, times), np.repeat(case.scores, times))
    answers.near_all(copied.pos, ranking.pos, f"positives of copied rows, {case}", relative=0)
    answers.near_all(copied.neg, ranking.neg, f"negatives of copied rows, {case}", relative=0)
    _like(answers, "copied rows", _numbers(copied), _numbers(ranking), case)
    answers.same(th.choose(copied).splits.tolist(), th.choose(ranking).splits.tolist(), f"ties of copied rows, {case}")
