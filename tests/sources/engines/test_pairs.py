"""Sums over pairs of columns, made by an engine or in memory, against loops over all pairs of rows."""

import ibis
import numpy as np
import pyarrow as pa
import pytest

import thresher as th
from thresher.inference.comparison.engine import open_rows
from thresher.sources.engines import pairs
from thresher.sources.options import Columns, Options

AT = {"a": 0.5, "b": 1.0}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(4)
    y = rng.random(60) < 0.4
    return {
        "y": y,
        "a": np.round(rng.random(60) * 0.6 + 0.3 * y, 1),  # with ties
        "b": rng.normal(size=60) + y,
        "w": rng.integers(1, 4, 60) / 2,
        "c": rng.integers(0, 20, 60),
    }


@pytest.fixture(params=["engine", "memory"])
def place(request):
    return ibis.memtable if request.param == "engine" else dict


def rows_of(place, data, *, weights=None, cluster=None):
    columns = Columns("y", ("a", "b"), weights)
    return open_rows(place(pa.table(data) if place is not dict else data), columns, Options(), cluster=cluster)


def units(data, *, weighted=False):
    """What each row adds: w·(V - ½) per model and w, of positives first and then of negatives."""
    y, weight = data["y"], data["w"] if weighted else np.ones(60)
    actual = np.zeros((60, 6))
    for i in range(60):
        other = y != y[i]
        side = 0 if y[i] else 3
        for model, name in enumerate("ab"):
            score = data[name][i] if y[i] else -data[name][i]
            theirs = data[name][other] if y[i] else -data[name][other]
            beats = (theirs < score) + 0.5 * (theirs == score)
            actual[i, side + model] = weight[i] * ((beats * weight[other]).sum() / weight[other].sum() - 0.5)
        actual[i, side + 2] = weight[i]
    return actual


@pytest.mark.parametrize("weighted", [False, True])
def test_placements_are_those_of_all_pairs(place, data, weighted):
    with rows_of(place, data, weights="w" if weighted else None) as rows:
        actual = rows.placement_sums(listener=None)
    each = units(data, weighted=weighted)
    assert actual.total == pytest.approx(each.sum(axis=0))
    assert actual.products == pytest.approx(each.T @ each)
    assert actual.units == (data["y"].sum(), (~data["y"]).sum(), 60)
    assert not actual.clustered


def test_clusters_are_added_up_first(place, data):
    with rows_of(place, data, weights="w", cluster="c") as rows:
        actual = rows.placement_sums(listener=None)
    each = units(data, weighted=True)
    clusters = np.array([each[data["c"] == cluster].sum(axis=0) for cluster in np.unique(data["c"])])
    assert actual.total == pytest.approx(clusters.sum(axis=0))
    assert actual.products == pytest.approx(clusters.T @ clusters)
    assert actual.units == ((clusters[:, 2] > 0).sum(), (clusters[:, 5] > 0).sum(), len(clusters))
    assert actual.clustered


def test_calls_are_weighed_cell_by_cell(place, data):
    with rows_of(place, data, weights="w") as rows:
        actual = rows.call_weights(AT, listener=None)
    for name, threshold in AT.items():
        above, y, w = data[name] >= threshold, data["y"], data["w"]
        cells = [y & above, y & ~above, ~y & above, ~y & ~above]
        assert actual[name][0] == pytest.approx([w[cell].sum() for cell in cells])
        assert actual[name][1] == pytest.approx([(w[cell] ** 2).sum() for cell in cells])


@pytest.mark.parametrize("weighted", [False, True])
def test_calls_of_all_models_are_counted_together(place, data, weighted):
    with rows_of(place, data, weights="w" if weighted else None) as rows:
        actual = rows.call_counts(AT, listener=None)
    code = data["y"] + 2 * (data["a"] >= 0.5) + 4 * (data["b"] >= 1.0)
    kinds = list(zip(code.tolist(), (data["w"] if weighted else np.ones(60)).tolist(), strict=True))
    expected = {kind: kinds.count(kind) for kind in set(kinds)}
    got = zip(actual.code.tolist(), actual.weight.tolist(), actual.cases.tolist(), strict=True)
    assert {(code, weight): cases for code, weight, cases in got} == expected


def test_too_many_kinds_of_weights_are_refused(monkeypatch, place, data):
    monkeypatch.setattr(pairs, "MOST_KINDS", 3)
    with (
        rows_of(place, data, weights="w") as rows,
        pytest.raises(th.errors.ArgumentError, match="more than 3 different weights"),
    ):
        rows.call_counts(AT, listener=None)
