import numpy as np
import pytest
from hypothesis import given
from sklearn.calibration import calibration_curve

from tests.calibration import oracles
from tests.golden import probabilities as golden
from thresher import rank
from thresher.calibration import reliability
from thresher.errors import ArgumentError, OneClassError, ProbabilityError
from thresher.ranking import Ranking

EMAILS = rank(golden.EMAIL_LABELS, golden.EMAIL_SCORES)
TREE = Ranking([0.9, 0.6, 0.3], [20, 10, 20], [5, 5, 40])


def test_exact_rows_are_the_segments():
    table = reliability(TREE)
    assert table.score.tolist() == [0.9, 0.6, 0.3]
    assert table.observed == pytest.approx([4 / 5, 2 / 3, 1 / 3])
    assert (table.pos.tolist(), table.neg.tolist()) == ([20, 10, 20], [5, 5, 40])
    assert table.lowest.tolist() == table.highest.tolist() == table.score.tolist()


def test_hull_rows_are_its_pools():
    table = reliability(EMAILS, segments="hull")
    assert table.observed == pytest.approx([1, 1, 2 / 3, 2 / 3, 0, 0])
    assert table.score == pytest.approx([0.89, 0.80, 2.08 / 3, 1.23 / 3, 0.24, 0.13])
    assert table.lowest.tolist() == [0.89, 0.80, 0.63, 0.32, 0.24, 0.13]
    assert table.highest.tolist() == [0.89, 0.80, 0.74, 0.49, 0.24, 0.13]


def test_quantile_and_uniform_rows():
    fifths = reliability(EMAILS, segments="quantile", bins=5)
    assert (fifths.pos + fifths.neg).tolist() == [2] * 5
    halves = reliability(TREE, segments="uniform", bins=2)
    assert halves.score == pytest.approx([(25 * 0.9 + 15 * 0.6) / 40, 0.3])
    assert len(reliability(TREE, segments="uniform", bins=100)) == 3, "bins without cases have no row"


@given(oracles.probability_rankings())
def test_every_table_holds_every_case_once(ranking):
    for segments in ("exact", "hull", "quantile", "uniform"):
        table = reliability(ranking, segments=segments, bins=4)
        assert (table.pos.sum(), table.neg.sum()) == (ranking.Pos, ranking.Neg)
        assert table.score @ (table.pos + table.neg) == pytest.approx(ranking.score @ (ranking.pos + ranking.neg))
        assert all(oracles.rising(table.score[::-1].tolist()))


@pytest.mark.parametrize("segments", ["uniform", "quantile"])
def test_peer_scikit_learn(segments):
    rng = np.random.default_rng(5)
    score = rng.random(1000)  # no score on an edge, where scikit-learn closes bins on the other side
    label = rng.random(1000) < score
    observed, mean = calibration_curve(label, score, n_bins=10, strategy=segments)
    table = reliability(rank(label, score), segments=segments, bins=10)
    assert table.observed[::-1] == pytest.approx(observed)
    assert table.score[::-1] == pytest.approx(mean)


def test_the_table_as_plain_data_and_as_text():
    plain = reliability(TREE).to_dict()
    assert plain["segments"] == "exact"
    assert plain["pos"] == [20, 10, 20]
    assert str(reliability(TREE)).splitlines()[1].split() == ["0.9000", "0.8000", "20", "5"]
    assert repr(reliability(TREE)) == "Reliability(3 rows, segments='exact')"
    with pytest.raises(ValueError, match="read-only"):
        reliability(TREE).observed[0] = 1


def test_one_class_has_a_table_but_no_hull():
    sure = Ranking([0.9, 0.2], [1, 1], [0, 0])
    assert reliability(sure).observed.tolist() == [1, 1]
    with pytest.raises(OneClassError):
        reliability(sure, segments="hull")


def test_bad_input():
    with pytest.raises(ProbabilityError):
        reliability(Ranking([2, 1], [1, 0], [0, 1]))
    with pytest.raises(ArgumentError):
        reliability(TREE, segments="quantile", bins=0)
