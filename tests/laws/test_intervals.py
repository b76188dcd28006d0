"""No interval excludes its estimate, whatever function it comes from: each of them is asked."""

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.public import OFFERED
from thresher.errors import ArgumentError
from thresher.inference.bands.curves import Band
from thresher.inference.comparison.difference import Difference

QUICK: dict[str, Any] = {"replicates": 12}
COSTS = th.OperatingCondition(cost_ratio=3), th.OperatingCondition(prevalence=0.1, cost_tp=-2)
ASKED_OF_TABLES: list[Any] = [*th.MEASURES, *COSTS]
LEVELS = st.sampled_from([0.1, 0.5, 0.95, 0.999])
MEASURES: list[Any] = [
    "auc",
    "brier",
    "decomposition",
    th.inference.BestCost(),
    th.inference.CostAt(0.4),
    th.inference.MeasureAt("precision", 0.4),
]


@st.composite
def drawn_rows(draw: st.DrawFn) -> dict[str, Any]:
    """A few rows of both classes, scored by two models, with weights and clusters."""
    size = draw(st.integers(4, 14))
    few: dict[str, Any] = {"min_size": size - 4, "max_size": size - 4}
    scores = st.lists(st.sampled_from([0, 0.1, 0.3, 0.4, 0.6, 0.9, 1]), min_size=size, max_size=size)
    return {
        "labels": np.array([1, 1, 0, 0, *draw(st.lists(st.integers(0, 1), **few))]),
        "a": np.array(draw(scores), dtype=float),
        "b": np.array(draw(scores), dtype=float),
        "weights": np.array(draw(st.lists(st.sampled_from([0.5, 1, 3]), min_size=size, max_size=size))),
        "clusters": np.array([0, 1, 0, 1, *draw(st.lists(st.integers(0, 5), **few))]),
        "level": draw(LEVELS),
        "seed": draw(st.integers(0, 99)),
    }


def both(rows: Any) -> dict[str, Any]:
    return {"a": rows["a"], "b": rows["b"]}


def ranked(rows: Any, model: str = "a") -> th.Ranking:
    return th.rank(rows["labels"], rows[model])


def table(rows: Any) -> th.Contingency:
    return th.tables.contingency_at(ranked(rows), 0.4)


def matrices(rows: Any) -> dict[str, Any]:
    return {name: np.stack([(1 - each) / 2, (1 - each) / 2, each], axis=1) for name, each in both(rows).items()}


def classes(rows: Any) -> Any:
    return np.where(rows["labels"] == 1, "z", np.where(np.arange(rows["a"].size) % 4 < 3, "x", "y"))


def resampled(rows: Any) -> Iterator[Any]:
    replicates = th.bootstrap(
        th.inference.ScoredRows.of(rows["labels"], both(rows)), MEASURES, seed=rows["seed"], **QUICK
    )
    for name in replicates.names:
        for method in ("percentile", "basic", "bca"):
            if method != "bca" or not name.startswith("best"):
                yield replicates.interval(name, "a", level=rows["level"], method=method)
                yield replicates.difference(name, "a", "b", level=rows["level"], method=method)


def compared(rows: Any) -> Iterator[Any]:
    options: dict[str, Any] = {"level": rows["level"], "seed": rows["seed"], "replicates": 100}
    at = {"a": 0.4, "b": 0.3}
    measures: tuple[tuple[Any, dict[str, Any]], ...] = (
        ("auc", {}),
        ("f1", {"thresholds": at}),
        (th.OperatingCondition(cost_ratio=3), {}),
    )
    for measure, more in measures:
        comparison = th.compare(rows["labels"], both(rows), measure=measure, **options, **more)
        yield comparison["a", "b"], comparison["b", "a"]
    yield th.compare(rows["labels"], both(rows), weights=rows["weights"], level=rows["level"])["a", "b"]
    yield th.compare(rows["labels"], both(rows), clusters=rows["clusters"], level=rows["level"])["a", "b"]


def evaluated(rows: Any) -> Iterator[Any]:
    for more in ({}, {"weights": rows["weights"]}, {"clusters": rows["clusters"]}):
        evaluation = th.evaluate(rows["labels"], both(rows), level=rows["level"], seed=rows["seed"], **QUICK, **more)
        yield evaluation.models, evaluation.decision
        assert th.Decision.from_json(evaluation.decision.to_json()) == evaluation.decision


def both_kinds(band, rows, **more):
    """A pointwise band and a simultaneous one."""
    return [band(ranked(rows), level=rows["level"], simultaneous=each, **more) for each in (False, True)]


ASKED: dict[str, Callable[[Any], Any]] = {
    "auc_interval": lambda rows: (
        [
            th.auc_interval(ranked(rows), level=rows["level"], method=method)
            for method in ("delong", "wald", "hanley-mcneil")
        ]
        + [
            th.auc_interval(th.inference.ScoredRows.of(rows["labels"], rows["a"], **more), level=rows["level"])
            for more in ({}, {"weights": rows["weights"]}, {"clusters": rows["clusters"]})
        ]
    ),
    "bootstrap": lambda rows: list(resampled(rows)),
    "brier_interval": lambda rows: th.inference.brier_interval(ranked(rows), level=rows["level"]),
    "calibration_intervals": lambda rows: th.inference.calibration_intervals(
        ranked(rows), level=rows["level"], **QUICK
    ),
    "compare": lambda rows: [
        *compared(rows),
        *(
            th.compare(classes(rows), matrices(rows), measure=measure, level=rows["level"], classes=["x", "y", "z"])
            for measure in ("overall_accuracy", "brier", "expected_cost")
        ),
    ],
    "compare_rankings": lambda rows: list(
        th.inference.compare_rankings(
            {"a": ranked(rows), "b": ranked(rows, "b")}, level=rows["level"]
        ).differences.values()
    ),
    "compare_unpaired": lambda rows: th.inference.compare_unpaired(
        ranked(rows), ranked(rows, "b"), level=rows["level"]
    ),
    "corrected_t": lambda rows: th.inference.corrected_t(rows["a"], rows["b"], test_share=0.1, level=rows["level"]),
    "evaluate": lambda rows: [
        *evaluated(rows),
        th.evaluate(
            np.resize(["x", "y", "z"], rows["a"].size),
            matrices(rows),
            level=rows["level"],
            classes=["x", "y", "z"],
            **QUICK,
        ).models,
    ],
    "out_of_bag_choice": lambda rows: th.inference.out_of_bag_choice(
        ranked(rows), level=rows["level"], seed=rows["seed"], **QUICK
    ),
    "mcnemar": lambda rows: th.inference.mcnemar(rows["labels"], rows["a"] > 0.3, rows["b"] > 0.3, level=rows["level"]),
    "interval": lambda rows: [th.interval(table(rows), of, level=rows["level"]) for of in ASKED_OF_TABLES],
    "net_benefit_band": lambda rows: both_kinds(th.inference.net_benefit_band, rows),
    "precision_recall_band": lambda rows: both_kinds(th.inference.precision_recall_band, rows),
    "rate_interval": lambda rows: [
        th.rate_interval(int(rows["labels"].sum()), rows["a"].size, level=rows["level"], method=method)
        for method in ("wilson", "exact", "agresti-coull", "jeffreys")
    ],
    "reliability_band": lambda rows: both_kinds(th.inference.reliability_band, rows, **QUICK),
    "roc_band": lambda rows: both_kinds(th.inference.roc_band, rows, **QUICK),
    "intervals": lambda rows: [
        th.intervals(table(rows), level=rows["level"]),
        th.intervals(th.confusion(classes(rows), np.roll(classes(rows), 1)), level=rows["level"]),
    ],
}


def at_every_look(rows: Any) -> dict[str, Any]:
    """What functions of counts say of a table, by name."""
    one, level, ti = table(rows), rows["level"], th.inference
    k, n = float(one.fn), float(one.fn + one.tn)
    missed = ti.drawn_count_interval(k, n, 3 * n + 1, level=level)
    of_counts: dict[str, Any] = {
        "tp": float(one.tp),
        "alarms": float(one.tp + one.fp),
        "missed": missed,
        "others": 3 * n + 1,
    }
    f: dict[str, Any] = {"sum_f": [1.5], "sum_f_squares": [0.9], "sum_f_positives": [0.7]}
    ratio = ti.class_ratio_interval(ranked(rows), rows["b"], level=level, replicates=20)
    return {
        "mean_interval": ti.mean_interval(k, n + 2, unlabelled=2, level=level),
        "portfolio_interval": ti.portfolio_interval(rows["a"], level=level),
        "drawn_count_interval": missed,
        "stream_count_interval": ti.stream_count_interval(k, 9 * n + 9, propensity=0.3, unlabelled=1, level=level),
        "recall_interval": ti.recall_interval(of_counts["tp"], missed),
        "measure_interval": ti.measure_interval("npv", **of_counts),
        "expected_cost_interval": ti.expected_cost_interval(COSTS[0], **of_counts),
        "stratified_precision": ti.stratified_precision([k, 1], [n + 1, 2], [3, 0], level=level),
        "difference_count_interval": ti.difference_count_interval(
            rows=[40], predicted=[9], n=[n + 4], k=[k], **f, level=level
        ),
        "weighted_share_interval": ti.weighted_share_interval(
            weights=9, positive_weights=2, squares=12, positive_squares=3, n=9, level=level
        ),
        "class_ratio_interval": ratio,
        "regret_interval": ti.regret_interval(ranked(rows), 0.4, COSTS[0], ratio),
        "alarm_band": ti.alarm_band(k, n + 1, COSTS[0], level=level),
    }


AT_EVERY_LOOK = (
    "mean_interval portfolio_interval drawn_count_interval stream_count_interval recall_interval measure_interval"
)
AT_EVERY_LOOK += " expected_cost_interval stratified_precision difference_count_interval weighted_share_interval"
AT_EVERY_LOOK += " class_ratio_interval regret_interval alarm_band"
ASKED["functions at every look"] = at_every_look
ELSEWHERE = {
    **dict.fromkeys(AT_EVERY_LOOK.split(), "asked together"),
    "compare_scan": "the same differences, in an engine",
    "classified_rows": "makes no interval",
    "evaluate_rankings": "its intervals are those of the functions above",
    "evaluate_scan": "its intervals are those of the functions above",
}
HOLDING = ("Interval", "Difference", "Comparison", "Band", "Replicates", "OutOfBagChoice", "McNemarTest", "Evaluation")


def held(value: Any) -> Iterator[tuple[float, float, float]]:
    """(lower, estimate, upper) of everything in a value that has limits."""
    if isinstance(value, th.Interval | Difference):
        yield value.lower, value.estimate if isinstance(value, th.Interval) else value.difference, value.upper
    elif isinstance(value, Band):
        yield from zip(value.lower.tolist(), value.estimate.tolist(), value.upper.tolist(), strict=True)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from held(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from held(each)
    elif is_dataclass(value) and not isinstance(value, th.Ranking):
        for each in fields(value):
            yield from held(getattr(value, each.name))


@pytest.mark.parametrize("name", ASKED)
@settings(max_examples=15)
@given(rows=drawn_rows())
def test_no_interval_excludes_its_estimate(name, rows):
    limits = list(held(ASKED[name](rows)))
    assert limits
    for lower, estimate, upper in limits:
        assert not lower > estimate, (lower, estimate)
        assert not estimate > upper, (estimate, upper)


def test_every_function_with_limits_is_asked():
    public = {name: thing for name, thing in OFFERED.items() if inspect.isfunction(thing)}
    returns = {name: str(inspect.signature(each).return_annotation) for name, each in public.items()}
    with_limits = {name for name, annotation in returns.items() if any(kind in annotation for kind in HOLDING)}
    assert with_limits <= {*ASKED, *ELSEWHERE}, with_limits - {*ASKED, *ELSEWHERE}


def test_limits_that_exclude_the_estimate_are_refused():
    good = th.Interval(0.5, 0.4, 0.6, variance=0.1, level=0.95, method="wilson")
    wrongs: tuple[dict[str, Any], ...] = (
        {"lower": 0.51},
        {"upper": 0.49},
        {"estimate": math.inf},
        {"estimate": math.nan, "lower": 0.7},
    )
    for wrong in wrongs:
        with pytest.raises(ArgumentError, match="exclude the estimate"):
            replace(good, **wrong)
    assert replace(good, lower=0.5 + 1e-13).lower == 0.5  # which is rounding
    fines: tuple[dict[str, Any], ...] = ({"estimate": math.nan}, {"lower": math.nan, "upper": math.nan})
    for fine in (*fines, {"lower": -math.inf}):
        replace(good, **fine)
    with pytest.raises(ArgumentError, match="exclude the estimate"):
        Difference("a", "b", 0.1, 0.2, 0.3, variance=0.1, p_value=0.1, level=0.95, method="delong")


def test_what_was_corrected_travels_with_the_interval():
    plain = th.Interval(0.5, 0.4, 0.6, variance=0.1, level=0.95, method="wilson")
    corrected = replace(plain, apparent=0.7)
    assert (plain.to_dict()["apparent"], corrected.to_dict()["apparent"]) == (None, 0.7)
    assert "apparent=0.7" in repr(corrected)
