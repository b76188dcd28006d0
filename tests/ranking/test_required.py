import numpy as np
import pytest

import thresher as th
from thresher.ranking import described, require_ranking

RANKING = th.Ranking.parse("[2+][1-]", score=[2, 1])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "got None"),
        (5, "got the int 5"),
        ([0.9, 0.2], r"got the list \[0.9, 0.2\]"),
        (np.zeros(3), r"got an array of shape \(3,\)"),
        (th.Contingency(1, 2, 3, 4), "got the Contingency "),
    ],
)
def test_what_is_given_is_named(given, said):
    with pytest.raises(th.ArgumentError, match=f"a ranking is needed, {said}"):
        require_ranking(given)


def test_long_things_are_said_in_few_words():
    assert len(described(list(range(10_000)))) < 60


def test_a_ranking_is_asked_no_more_than_the_question_needs():
    require_ranking(RANKING)
    require_ranking(RANKING, both_classes=True)
    with pytest.raises(th.ProbabilityError, match="outside"):
        require_ranking(RANKING, probabilities=True)
    with pytest.raises(th.OneClassError, match="no negatives"):
        require_ranking(th.Ranking.parse("[2+]"), both_classes=True, probabilities=True)
