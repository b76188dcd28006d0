import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.inference.resampling_oracles import example
from thresher.inference import segment_pulls as room
from thresher.inference.scored_rows import scored_rows

STEP = 1e-6
TREE = th.Ranking([0.8, 2 / 3, 0.5, 1 / 3], pos=[20.0, 10.0, 0.0, 20.0], neg=[5.0, 5.0, 6.0, 40.0])


def part(name):
    return lambda ranking: getattr(th.decomposition(ranking, segments="hull"), name)


NUMBERS = {
    room.average_precision_pulls: th.average_precision,
    room.pr_area_pulls: th.pr_area,
    room.ks_pulls: lambda ranking: th.ks(ranking).statistic,
    room.brier_pulls: th.brier,
    room.refinement_pulls: part("refinement"),
    room.uncertainty_pulls: part("uncertainty"),
}


def slope(of, ranking, side, segment):
    """How a number changes with the cases of one segment, by adding and taking away a little."""
    ends = []
    for sign in (1, -1):
        counts = [ranking.pos.astype(np.float64), ranking.neg.astype(np.float64)]
        counts[side][segment] += sign * STEP
        ends.append(of(th.Ranking(ranking.score, *counts)))
    return (ends[0] - ends[1]) / (2 * STEP)


@pytest.mark.parametrize(("pulls", "of"), NUMBERS.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_slopes_are_those_of_the_number(pulls, of):
    found = pulls(TREE)
    assert found.estimate == pytest.approx(of(TREE))
    for side, slopes in enumerate((found.pos, found.neg)):
        counts = (TREE.pos, TREE.neg)[side]
        for segment in np.flatnonzero(counts):
            assert slopes[segment] == pytest.approx(slope(of, TREE, side, segment), abs=1e-7), (side, segment)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=8))
def test_precision_recall_areas_of_any_ranking(counts):
    pos, neg = (np.array(side, dtype=np.float64) for side in zip(*[(2, 1), *counts, (1, 2)], strict=True))
    seen = pos + neg > 0
    ranking = th.Ranking(np.arange(seen.sum())[::-1], pos[seen], neg[seen])
    for pulls in (room.average_precision_pulls, room.pr_area_pulls):
        found = pulls(ranking)
        assert found.pos @ ranking.pos + found.neg @ ranking.neg == pytest.approx(0, abs=1e-9)
        for side, slopes in enumerate((found.pos, found.neg)):
            for segment in np.flatnonzero((ranking.pos, ranking.neg)[side]):
                assert slopes[segment] == pytest.approx(slope(NUMBERS[pulls], ranking, side, segment), abs=1e-6)


def test_a_difference_has_the_difference_of_slopes():
    found = room.brier_pulls(TREE) - room.refinement_pulls(TREE)
    assert found.estimate == pytest.approx(th.decomposition(TREE).miscalibration)
    assert found.pos.tolist() == (room.brier_pulls(TREE).pos - room.refinement_pulls(TREE).pos).tolist()


def test_rows_without_weights_or_clusters_vary_as_cases_do():
    labels, scores = example(60, 2, ties=True)
    ranking, pulls = th.rank(labels, scores), room.average_precision_pulls(th.rank(labels, scores))
    plain = room.variance_by_cases(ranking)(pulls)
    for weights in (None, np.full(60, 7.0)):
        rows = scored_rows(labels, {"m": scores}, weights=weights)
        weighted = th.rank(labels, scores, weights=weights)
        slopes = room.average_precision_pulls(weighted)
        assert room.variance_by_rows(weighted.score, rows, "m")(slopes) == pytest.approx(plain)
    many = scored_rows(np.repeat(labels, 5), {"m": np.repeat(scores, 5)}, clusters=np.repeat(np.arange(60), 5))
    fivefold = th.rank(np.repeat(labels, 5), np.repeat(scores, 5))
    clustered = room.variance_by_rows(fivefold.score, many, "m")(room.average_precision_pulls(fivefold))
    squares = (pulls.pos**2 @ ranking.pos + pulls.neg**2 @ ranking.neg) * 60 / 59
    assert clustered == pytest.approx(squares)


@pytest.mark.parametrize("pulls", [room.average_precision_pulls, room.pr_area_pulls, room.refinement_pulls])
def test_variances_are_what_simulation_finds(pulls):
    found, said = [], []
    rng = np.random.default_rng(0)
    for _ in range(400):
        p = rng.random(300)
        ranking = th.rank(rng.random(300) < p, np.round(p, 2))
        found.append(pulls(ranking).estimate)
        said.append(room.variance_by_cases(ranking)(pulls(ranking)))
    assert np.mean(said) == pytest.approx(np.var(found), rel=0.25)


def test_one_case_of_a_class_shows_no_spread():
    ranking = th.Ranking.parse("[1+][3-]")
    assert np.isnan(room.variance_by_cases(ranking)(room.average_precision_pulls(ranking)))
