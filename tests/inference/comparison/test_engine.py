from importlib import import_module
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest

import thresher as th
from tests.sources.test_scan import in_polars, in_postgres, in_sqlite
from thresher.inference.comparison.engine import covariance_of, scanned_auc_intervals
from thresher.inference.intervals.auc import auc_covariance
from thresher.inference.rows import ScoredRows
from thresher.sources.engines.pairs import PlacementSums


def rows(size=400):
    rng = np.random.default_rng(4)
    y = rng.random(size) < 0.4
    return (
        y,
        {"a": rng.normal(size=size) + y, "b": np.round(rng.normal(size=size) + y, 1)},
        rng.integers(1, 9, size) / 8,
    )


def sums_of(y, scores, weight):
    """What an engine would add up, by loops over rows."""
    total, products = np.zeros(6), np.zeros((6, 6))
    for i in range(y.size):
        other = y != y[i]
        unit = np.zeros(6)
        for j, score in enumerate(scores.values()):
            above = weight[other & (score > score[i])].sum() + weight[other & (score == score[i])].sum() / 2
            share = above / weight[other].sum()
            unit[(0 if y[i] else 3) + j] = weight[i] * ((1 - share if y[i] else share) - 0.5)
        unit[2 if y[i] else 5] = weight[i]
        total += unit
        products += np.outer(unit, unit)
    return PlacementSums(total, products, (int(y.sum()), int((~y).sum()), y.size), clustered=False)


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_say_what_rows_say(weighted):
    y, scores, weight = rows()
    weights = weight if weighted else None
    sums = sums_of(y, scores, weight if weighted else np.ones(y.size))
    expected = ScoredRows.of(y, scores, weights=weights)
    result, covariance = covariance_of(sums), auc_covariance(expected)
    np.testing.assert_allclose(result.areas, covariance.areas, rtol=1e-12)
    np.testing.assert_allclose(result.total, covariance.total, rtol=1e-9)
    assert result.cases == pytest.approx(expected.cases)
    one = scanned_auc_intervals(sums, level=0.9, method="delong, weighted" if weighted else "delong")[0]
    other = th.auc_interval(th.inference.ScoredRows.of(y, scores["a"], weights=weights), level=0.9)
    assert (one.estimate, one.lower, one.upper) == pytest.approx((other.estimate, other.lower, other.upper), rel=1e-9)
    assert one.method == other.method


pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # PySpark leaves sockets to the collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:The copy keyword:DeprecationWarning"),  # PySpark to pandas
]
MODELS = ["a", "b", "c"]


def rows_of_scanned_comparison(size=1500):
    rng = np.random.default_rng(11)
    y = (rng.random(size) < 0.3).astype(np.int16)
    a = rng.normal(size=size) + y
    b = np.round(a + rng.normal(size=size), 1) * 0.0 + np.round(rng.normal(size=size) + 0.5 * y, 1)
    c = rng.normal(size=size) + 0.8 * y
    c[:3] = [0.0, -0.0, -0.0]
    return {"y": y, "a": a, "b": b, "c": c, "w": rng.integers(0, 9, size) / 8, "user": rng.integers(0, 90, size)}


@pytest.fixture(params=["duckdb", "postgres", "spark", "sqlite"])
def source(request, tmp_path):
    data = rows_of_scanned_comparison()
    if request.param == "sqlite":
        return in_sqlite(tmp_path / "compared.db", "compared", pa.table(data)), {"table": "compared"}
    if request.param == "duckdb":
        return ibis.memtable(pa.table(data)), {}
    if request.param == "postgres":
        server = request.getfixturevalue("postgres")
        in_postgres(server, "compared", data)
        return server.url, {"table": "compared"}
    return request.getfixturevalue("spark").createDataFrame(pa.table(data)), {}


def test_delong_is_that_of_the_rows(source):
    place, how = source
    data = rows_of_scanned_comparison()
    result = th.inference.compare_scan(place, label="y", score=MODELS, **how)
    expected = th.compare(data["y"], {name: data[name] for name in MODELS})
    assert result.names == expected.names
    assert result.covariance is not None
    assert expected.covariance is not None
    np.testing.assert_allclose(result.covariance, expected.covariance, rtol=1e-9)
    for pair, difference in expected.differences.items():
        assert result[pair].difference == pytest.approx(difference.difference, abs=1e-12)
        assert result[pair].p_adjusted == pytest.approx(difference.p_adjusted, rel=1e-6)
        assert result[pair].verdict == difference.verdict
    assert dict(result.estimates) == pytest.approx(dict(expected.estimates), abs=1e-12)


@pytest.mark.parametrize("columns", [["weights"], ["clusters"], ["weights", "clusters"]])
def test_weights_and_clusters_are_those_of_the_rows(source, columns):
    place, how = source
    data = rows_of_scanned_comparison()
    named: dict[str, Any] = {name: {"weights": "w", "clusters": "user"}[name] for name in columns}
    result = th.inference.compare_scan(place, label="y", score=MODELS, **named, **how)
    options = {f"{name.removesuffix('s')}s": data[column] for name, column in named.items()}
    expected = th.compare(data["y"], {name: data[name] for name in MODELS}, **options)
    assert result.covariance is not None
    assert expected.covariance is not None
    np.testing.assert_allclose(result.covariance, expected.covariance, rtol=1e-9)
    assert result.pairs == pytest.approx(expected.pairs)
    for pair, difference in expected.differences.items():
        assert (result[pair].lower, result[pair].upper) == pytest.approx((difference.lower, difference.upper), rel=1e-9)
        assert result[pair].method == difference.method


def test_costs_are_those_of_the_rows(source):
    place, how = source
    data = rows_of_scanned_comparison()
    condition = th.OperatingCondition(cost_ratio=3)
    thresholds = {"a": 0.5, "b": 0.2, "c": 0.4}
    scores = {name: data[name] for name in MODELS}
    asked: dict[str, Any] = {"measure": condition, "thresholds": thresholds}
    result = th.inference.compare_scan(place, label="y", score=MODELS, **asked, **how)
    expected = th.compare(data["y"], scores, measure=condition, thresholds=thresholds)
    assert dict(result.estimates) == pytest.approx(dict(expected.estimates), abs=1e-12)
    for pair, difference in expected.differences.items():
        assert result[pair].difference == pytest.approx(difference.difference, abs=1e-12)
        assert result[pair].lower == pytest.approx(difference.lower, abs=1e-12)  # the same draws of the same table
        assert result[pair].p_value == pytest.approx(difference.p_value)


def test_costs_at_the_best_threshold_of_each():
    data = rows_of_scanned_comparison()
    condition = th.OperatingCondition(cost_ratio=3)
    result = th.inference.compare_scan(ibis.memtable(pa.table(data)), label="y", score=["a", "c"], measure=condition)
    for name in ("a", "c"):
        best = th.choose(th.rank(data["y"], data[name]), condition).expected_cost
        assert result.estimates[name] == pytest.approx(best)


def test_no_row_leaves_the_engine(monkeypatch):
    """Also where the thresholds are to be found: ranges of scores leave it, and then calls."""
    monkeypatch.setattr(import_module("thresher.sources.scan"), "ROWS_TO_STREAM", 0)
    data, condition = rows_of_scanned_comparison(60_000), th.OperatingCondition(cost_ratio=3)
    reports: list[th.sources.Progress] = []
    asked: dict[str, Any] = {"measure": condition, "replicates": 10, "progress": reports.append}
    result = th.inference.compare_scan(ibis.memtable(pa.table(data)), label="y", score=["a", "c"], **asked)
    for name in ("a", "c"):
        best = th.choose(th.rank(data["y"], data[name]), condition).expected_cost
        assert result.estimates[name] == pytest.approx(best)
    stages = list(dict.fromkeys(one.stage for one in reports))
    assert [stage for stage in stages if "refining" not in stage] == ["counting labels", "counting", "counting calls"]


def test_weighted_costs():
    """A weight of 2 is two rows in the estimate; limits are drawn by rows, whose number the weights do not change."""
    data, condition = rows_of_scanned_comparison(), th.OperatingCondition(cost_ratio=3)
    asked: dict[str, Any] = {"measure": condition, "thresholds": {"a": 0.5, "c": 0.4}}
    result = th.inference.compare_scan(ibis.memtable(pa.table(data)), label="y", score=["a", "c"], weights="w", **asked)
    expected = th.compare(data["y"], {name: data[name] for name in ("a", "c")}, weights=data["w"], **asked)
    assert dict(result.estimates) == pytest.approx(dict(expected.estimates), abs=1e-12)
    one, other = result["a", "c"], expected["a", "c"]
    assert one.upper - one.lower == pytest.approx(other.upper - other.lower, rel=0.15)  # drawn, and not alike


def test_bad_weights_texts_and_lonely_clusters_are_refused():
    data = rows_of_scanned_comparison(100)
    data["w"][:2] = [-1, np.inf]
    data["user"][:] = 1
    data["word"] = np.array(["x"] * 100)
    data["huge"] = np.arange(100) + 2**53
    table = ibis.memtable(pa.table(data))
    with pytest.raises(th.errors.WeightError, match="2 of 100 weights are negative or infinite"):
        th.inference.compare_scan(table, label="y", score=["a", "c"], weights="w")
    with pytest.raises(th.errors.ScoreError, match="scores must be numbers"):
        th.inference.compare_scan(table, label="y", score=["a", "word"])
    with pytest.raises(th.errors.ScoreError, match="50 of 100 scores do not fit a float64 exactly"):
        th.inference.compare_scan(table, label="y", score=["a", "huge"])
    with pytest.raises(th.errors.ArgumentError, match="one cluster"):
        th.inference.compare_scan(table, label="y", score=["a", "c"], clusters="user")
    with pytest.raises(th.errors.ArgumentError, match="cannot be drawn again"):
        th.inference.compare_scan(table, label="y", score=["a", "c"], clusters="user", measure=th.OperatingCondition())


def test_what_is_missing_is_refused_or_dropped():
    data = rows_of_scanned_comparison(100)
    data["a"][:2] = np.nan
    table = ibis.memtable(pa.table(data))
    with pytest.raises(th.errors.MissingValueError, match="2 of 100 rows"):
        th.inference.compare_scan(table, label="y", score=["a", "c"])
    result = th.inference.compare_scan(table, label="y", score=["a", "c"], missing="drop")
    expected = th.compare(data["y"][2:], {"a": data["a"][2:], "c": data["c"][2:]})
    assert result.dropped == 2
    assert result["a", "c"].difference == pytest.approx(expected["a", "c"].difference)


@pytest.mark.parametrize(
    "change",
    [{"score": ["a"]}, {"score": "ab"}, {"measure": "accuracy"}, {"thresholds": {"a": 1}, "measure": "cost"}],
)
def test_questions_that_are_none(change):
    asked: dict[str, Any] = {"score": ["a", "c"], **change}
    if asked.get("measure") == "cost":
        asked["measure"] = th.OperatingCondition()
    with pytest.raises((th.errors.ArgumentError, th.errors.MeasureError)):
        th.inference.compare_scan(ibis.memtable(pa.table(rows_of_scanned_comparison(50))), label="y", **asked)


def test_one_class():
    data = rows_of_scanned_comparison(50)
    data["y"][:] = 0
    with pytest.raises(th.errors.OneClassError):
        th.inference.compare_scan(ibis.memtable(pa.table(data)), label="y", score=["a", "c"])


def test_rows_of_engines_that_are_not_asked_are_compared_in_memory():
    data = rows_of_scanned_comparison()
    result = th.inference.compare_scan(in_polars("rows", pa.table(data)), label="y", score=MODELS, clusters="user")
    expected = th.compare(data["y"], {name: data[name] for name in MODELS}, clusters=data["user"])
    for pair, difference in expected.differences.items():
        assert (result[pair].lower, result[pair].upper) == pytest.approx((difference.lower, difference.upper), rel=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_weights_that_round_make_no_difference_where_there_is_none(seed):
    """Ties add up in another order under another column, and what that leaves is no variance."""
    rng = np.random.default_rng(seed)
    data = {"y": np.arange(40) % 2, "a": np.full(40, 0.5), "b": np.full(40, 0.25), "w": 10.0 ** rng.uniform(-6, 6, 40)}
    result = th.inference.compare_scan(ibis.memtable(pa.table(data)), label="y", score=["a", "b"], weights="w")[
        "a", "b"
    ]
    expected = th.compare(data["y"], {name: data[name] for name in "ab"}, weights=data["w"])["a", "b"]
    assert (result.difference, result.p_value, result.verdict) == (0.0, 1.0, "undecided")
    assert (result.lower, result.upper) == pytest.approx((expected.lower, expected.upper))
