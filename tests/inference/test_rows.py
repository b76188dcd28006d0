import numpy as np
import pytest
from hypothesis import given

import thresher as th
from tests import strategies
from thresher.inference.rows import Rows


@given(strategies.labelled_scores(both_classes=True))
def test_every_model_keeps_its_ranking(rows):
    labels, scores = rows
    other = np.arange(scores.size)[::-1] // 2
    found = Rows.of(labels, {"a": scores, "b": other})
    assert found.ranking("a") == th.rank(labels, scores)
    assert found.ranking("b") == th.rank(labels, other)
    assert len(found) == len(labels)


def test_weights_and_clusters_move_with_their_rows():
    labels, scores = np.array([0, 1, 0, 1, 1]), np.array([0.1, 0.2, 0.9, 0.4, 0.3])
    weights, clusters = np.array([1, 2, 3, 0, 5]), np.array(["x", "y", "x", "z", "y"])
    found = Rows.of(labels, scores, weights=weights, clusters=clusters)
    assert found.ranking("model") == th.rank(labels, scores, weights=weights)
    assert found.clusters == 2
    assert found.cluster is not None
    of_score = dict(zip(found.scores["model"].tolist(), found.cluster.tolist(), strict=True))
    assert of_score[0.1] == of_score[0.9] != of_score[0.2] == of_score[0.3]
    assert repr(found) == "Rows(4 rows, 2 positive, weighted, 2 clusters; models model)"


def test_missing_values():
    with pytest.raises(th.MissingValueError):
        Rows.of([1, 0, 1], {"a": [1, 2, np.nan], "b": [1, 2, 3]})
    assert len(Rows.of([1, 0, 1], {"a": [1, 2, np.nan], "b": [1, 2, 3]}, missing="drop")) == 2


@pytest.mark.parametrize(
    ("labels", "scores", "error"),
    [
        ([1, 1], [1, 2], th.OneClassError),
        ([1, 0], [1, 2, 3], th.LengthError),
        ([1, 0], {}, th.ArgumentError),
        (["a", "b"], [1, 2], th.PositiveLabelError),
        ([1, 0], {"a": th.Ranking.parse("[1+][1-]")}, th.ArgumentError),
    ],
)
def test_bad_rows(labels, scores, error):
    with pytest.raises(error):
        Rows.of(labels, scores)
