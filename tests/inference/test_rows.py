""""""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import thresher as th
from tests import strategies
from thresher.errors import ArgumentError, LengthError
from thresher.inference.rows import ScoredRows


def test_cases_are_rows_effective_rows_or_clusters():
    labels, scores = [1, 1, 1, 0, 0], {"a": [5, 4, 3, 2, 1]}
    assert ScoredRows.of(labels, scores).cases == (3, 2)
    assert ScoredRows.of(labels, scores, weights=[1, 1, 2, 3, 3]).cases == (16 / 6, 2)
    assert ScoredRows.of(labels, scores, clusters=["x", "x", "y", "y", "y"]).cases == (2, 1)


def test_clusters_are_any_labels():
    rows = ScoredRows.of([1, 0, 1], {"a": [1, 2, 3]}, clusters=["p9", 4, "p9"])
    assert rows.cluster is not None
    assert rows.cluster.tolist() == [0, 1, 0]
    assert rows.clusters == 2


@pytest.mark.parametrize("clusters", [[7, 3, 7, 12], [-5, 2**62, -5, 0], np.array([200, 3, 200, 9], dtype=np.uint8)])
def test_integers_are_clusters_near_or_far(clusters):
    rows = ScoredRows.of([1, 0, 1, 0], {"a": [1, 2, 3, 4]}, clusters=clusters)
    assert rows.cluster is not None
    assert rows.clusters == len(set(rows.cluster.tolist())) == 3
    assert rows.cluster[0] == rows.cluster[2]


def test_a_ranking_is_no_column_of_rows():
    with pytest.raises(ArgumentError, match=r"scores of 'a' is a Ranking[\s\S]*compare_unpaired"):
        ScoredRows.of([1, 0], {"a": th.Ranking.parse("[1+][1-]")})


def test_row_ids_that_differ_are_not_paired():
    labels = pd.Series([1, 0, 1], index=["x", "y", "z"])
    shuffled = pd.Series([0.1, 0.2, 0.3], index=["x", "z", "y"])
    with pytest.raises(LengthError, match=r"different row ids \(first at row 1: y and z\)"):
        ScoredRows.of(labels, {"a": shuffled})
    rows = ScoredRows.of(labels, {"a": shuffled.to_numpy(), "b": pd.Series([1, 2, 3], index=list("xyz"))})
    assert rows.scores["a"].tolist() == [0.1, 0.2, 0.3]


def test_ids_of_different_lengths_are_reported_as_lengths():
    with pytest.raises(LengthError, match="differ in length"):
        ScoredRows.of(pd.Series([1, 0, 1]), {"a": pd.Series([1, 2])})


def test_lists_have_no_ids():
    rows = ScoredRows.of(np.array([1, 0]), {"a": [1, 2], "b": (2, 1)})
    assert list(rows.scores) == ["a", "b"]


@given(strategies.labelled_scores(both_classes=True))
def test_every_model_keeps_its_ranking(rows):
    labels, scores = rows
    other = np.arange(scores.size)[::-1] // 2
    result = ScoredRows.of(labels, {"a": scores, "b": other})
    assert result.ranking("a") == th.rank(labels, scores)
    assert result.ranking("b") == th.rank(labels, other)
    assert len(result) == len(labels)


def test_weights_and_clusters_move_with_their_rows():
    labels, scores = np.array([0, 1, 0, 1, 1]), np.array([0.1, 0.2, 0.9, 0.4, 0.3])
    weights, clusters = np.array([1, 2, 3, 0, 5]), np.array(["x", "y", "x", "z", "y"])
    result = ScoredRows.of(labels, scores, weights=weights, clusters=clusters)
    assert result.ranking("model") == th.rank(labels, scores, weights=weights)
    assert result.clusters == 2
    assert result.cluster is not None
    of_score = dict(zip(result.scores["model"].tolist(), result.cluster.tolist(), strict=True))
    assert of_score[0.1] == of_score[0.9] != of_score[0.2] == of_score[0.3]
    assert repr(result) == "ScoredRows(4 rows, 2 positive, weighted, 2 clusters; models model)"


def test_missing_values():
    with pytest.raises(th.errors.MissingValueError):
        ScoredRows.of([1, 0, 1], {"a": [1, 2, np.nan], "b": [1, 2, 3]})
    assert len(ScoredRows.of([1, 0, 1], {"a": [1, 2, np.nan], "b": [1, 2, 3]}, missing="drop")) == 2


@pytest.mark.parametrize(
    ("labels", "scores", "error"),
    [
        ([1, 1], [1, 2], th.errors.OneClassError),
        ([1, 0], [1, 2, 3], th.errors.LengthError),
        ([1, 0], {}, th.errors.ArgumentError),
        (["a", "b"], [1, 2], th.errors.PositiveLabelError),
        ([1, 0], {"a": th.Ranking.parse("[1+][1-]")}, th.errors.ArgumentError),
    ],
)
def test_bad_rows(labels, scores, error):
    with pytest.raises(error):
        ScoredRows.of(labels, scores)
