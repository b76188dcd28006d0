import numpy as np
from hypothesis import given

import thresher as th
from tests.strategies import labelled_scores
from thresher.report.distribution import BARS, distribution


@given(labelled_scores())
def test_every_case_is_in_one_bar(rows):
    labels, scores = rows
    ranking = th.rank(labels, scores)
    found = distribution(ranking)
    assert sum(found["pos"]) == ranking.Pos
    assert sum(found["neg"]) == ranking.Neg
    assert len(found["pos"]) == len(found["neg"]) == BARS
    assert len(found["edges"]) == BARS + 1


def test_bars_are_those_of_numpy():
    rng = np.random.default_rng(2)
    labels, scores = rng.random(500) < 0.5, rng.normal(size=500)
    found = distribution(th.rank(labels, scores))
    ends = scores.min(), scores.max()
    assert found["pos"] == np.histogram(scores[labels], BARS, ends)[0].tolist()
    assert found["neg"] == np.histogram(scores[~labels], BARS, ends)[0].tolist()


def test_probabilities_are_shown_over_the_unit():
    assert distribution(th.Ranking([0.4, 0.3], pos=[1, 0], neg=[0, 1]))["edges"][::BARS] == [0.0, 1.0]


def test_one_score_and_infinite_scores_have_a_width():
    for score in ([7.0], [np.inf], [-np.inf], [0.0]):
        edges = distribution(th.Ranking(score, pos=[1], neg=[1]))["edges"]
        assert edges[0] < edges[-1]
