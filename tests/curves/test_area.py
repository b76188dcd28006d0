import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import reference
from tests.strategies import labelled_scores, ranking, rough_weights, rows_of, two_class_counts, two_class_rankings
from thresher._internal import parallel

SPAM_TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")


class TestPairs:
    @given(labelled_scores(both_classes=True))
    def test_each_positive_meets_each_negative(self, rows):
        labels, scores = rows
        counts = th.pairs(th.rank(labels, scores))
        assert (counts.won, counts.tied, counts.lost) == reference.pairs(rows_of(labels, scores))
        assert counts.total == int(labels.sum()) * int((~labels).sum())
        assert type(counts.won) is int

    @given(labelled_scores(both_classes=True, max_size=15), st.data())
    def test_with_weights_each_meeting_weighs_both(self, rows, data):
        labels, scores = rows
        weight = data.draw(st.lists(rough_weights, min_size=labels.size, max_size=labels.size))
        counts = th.pairs(th.rank(labels, scores, weights=weight))
        won, tied, lost = (float(part) for part in reference.pairs(rows_of(labels, scores, weight)))
        total = won + tied + lost
        assert (counts.won, counts.tied, counts.lost) == pytest.approx((won, tied, lost), rel=1e-12, abs=1e-12 * total)

    def test_counts_beyond_int64_are_exact(self):
        big = 4 * 10**9
        counts = th.pairs(th.Ranking([2, 1], pos=[big, 1], neg=[1, big]))
        assert (counts.won, counts.tied, counts.lost) == (big * big, 2 * big, 1)
        counts = th.pairs(th.Ranking([2, 1], pos=[1, big], neg=[big, 1]))
        assert (counts.won, counts.tied, counts.lost) == (1, 2 * big, big * big)
        assert th.pairs(th.Ranking([1], pos=[big], neg=[big])).tied == big * big


class TestAuc:
    @given(labelled_scores(both_classes=True))
    def test_it_is_the_nearest_float_to_the_exact_fraction(self, rows):
        labels, scores = rows
        exact = reference.auc(rows_of(labels, scores))
        r = th.rank(labels, scores)
        assert th.auc(r) == float(exact)
        assert th.curves.ranking_error(r) == float(1 - exact)

    @pytest.mark.parametrize(("text", "value"), [("[5+][3-]", 1.0), ("[3-][5+]", 0.0), ("[5+,3-]", 0.5)])
    def test_the_ends_and_the_middle_are_exact(self, text, value):
        assert th.auc(th.Ranking.parse(text)) == value
        assert th.curves.ranking_error(th.Ranking.parse(text)) == 1 - value

    @given(st.lists(st.tuples(rough_weights, rough_weights), min_size=1, max_size=30))
    def test_weights_never_carry_it_out_of_bounds(self, segments):
        apart = [(p, 0.0) for p, _ in segments] + [(0.0, n) for _, n in segments]
        for order in (segments, apart, apart[::-1]):
            assert 0 <= th.auc(ranking(order)) <= 1
            assert 0 <= th.curves.ranking_error(ranking(order)) <= 1
        assert th.auc(ranking(apart)) == pytest.approx(1, abs=1e-12)
        assert th.auc(ranking(apart[::-1])) == pytest.approx(0, abs=1e-12)

    @pytest.mark.parametrize("scale", [1e-17, 1e-12, 1e12, 1e17])
    def test_the_scale_of_weights_does_not_matter(self, scale):
        weighted = th.Ranking([3, 2, 1], np.array([2, 1, 2]) * scale, np.array([1, 1, 8]) * scale)
        assert th.auc(weighted) == pytest.approx(th.auc(th.Ranking([3, 2, 1], [2, 1, 2], [1, 1, 8])), rel=1e-12)


class TestGrid:
    @given(two_class_rankings)
    def test_its_mean_is_the_auc(self, r):
        grid = th.curves.pairs_grid(r)
        assert grid.shape == (r.Pos, r.Neg)
        counts = th.pairs(r)
        assert ((grid == 1).sum(), (grid == 0.5).sum(), (grid == 0).sum()) == (counts.won, counts.tied, counts.lost)

    def test_rows_and_columns_go_by_falling_score(self):
        grid = th.curves.pairs_grid(th.Ranking.parse("[1+][1-][1+,1-][1-]"))
        assert grid.tolist() == [[1, 1, 1], [0, 0.5, 1]]

    def test_large_and_weighted_rankings_have_none(self):
        with pytest.raises(th.errors.ArgumentError, match="4,004,001 cells"):
            th.curves.pairs_grid(th.Ranking.parse("[2001+,2001-]"))
        assert th.curves.pairs_grid(th.Ranking.parse("[2000+,2000-]")).shape == (2000, 2000)
        with pytest.raises(th.errors.ArgumentError, match="weights have no grid"):
            th.curves.pairs_grid(th.Ranking.parse("[1.5+,2-]"))


class TestPlacements:
    def test_they_are_known_by_their_names(self):
        shares = th.curves.placements(th.Ranking.parse("[1+][1+,1-][1-]"))
        assert (shares.positive.tolist(), shares.negative.tolist()) == ([1, 0.75, 0.25], [0.25, 0.75, 1])
        for array in shares:
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1

    @given(two_class_rankings)
    def test_their_means_are_both_the_auc(self, r):
        of_positives, of_negatives = th.curves.placements(r)
        assert np.dot(of_positives, r.pos) / r.Pos == pytest.approx(th.auc(r))
        assert np.dot(of_negatives, r.neg) / r.Neg == pytest.approx(th.auc(r))

    @given(two_class_rankings)
    def test_they_are_shares_of_the_other_class(self, r):
        of_positives, of_negatives = th.curves.placements(r)
        for k in range(len(r)):
            beaten = sum(r.neg[k + 1 :].tolist()) + r.neg[k] / 2
            beating = sum(r.pos[:k].tolist()) + r.pos[k] / 2
            assert of_positives[k] == pytest.approx(beaten / r.Neg, abs=1e-15)
            assert of_negatives[k] == pytest.approx(beating / r.Pos, abs=1e-15)


def partial(r: th.Ranking, by: str, span: Any, **more: Any) -> float:
    return th.partial_auc(r, **{by: span}, **more)


rates = st.integers(0, 20).map(lambda twentieths: Fraction(twentieths, 20))
ranges = st.tuples(rates, rates).filter(lambda ends: ends[0] != ends[1]).map(lambda ends: tuple(sorted(ends)))


class TestPartial:
    @pytest.mark.parametrize("by", ["fpr", "tpr"])
    @given(segments=two_class_counts, ends=ranges)
    def test_it_is_the_area_of_the_polyline(self, by, segments, ends):
        low, high = ends
        area = partial(ranking(segments), by, (float(low), float(high)))
        assert area == pytest.approx(float(reference.partial_auc(segments, low, high, by=by)), abs=1e-12)

    @given(two_class_rankings)
    def test_the_full_range_of_either_is_the_auc(self, r):
        assert th.partial_auc(r, fpr=(0, 1)) == pytest.approx(th.auc(r))
        assert th.partial_auc(r, tpr=(0, 1)) == pytest.approx(th.auc(r))

    @given(two_class_rankings, st.sets(rates, min_size=3, max_size=3))
    def test_neighbouring_ranges_add_up(self, r, ends):
        low, middle, high = map(float, sorted(ends))
        for by in ("fpr", "tpr"):
            parts = [partial(r, by, part) for part in ((low, middle), (middle, high))]
            assert sum(parts) == pytest.approx(partial(r, by, (low, high)), abs=1e-12)

    @given(ranges)
    def test_standardised_a_coin_has_half_and_a_perfect_ranking_all(self, ends):
        span = tuple(map(float, ends))
        for by in ("fpr", "tpr"):
            coin = partial(th.Ranking.parse("[3+,5-]"), by, span, standardised=True)
            perfect = partial(th.Ranking.parse("[3+][5-]"), by, span, standardised=True)
            assert (coin, perfect) == pytest.approx((0.5, 1))

    @pytest.mark.parametrize(
        "span", [(0.5, 0.5), (0.5, 0.1), (-0.1, 0.5), (0, 1.1), (math.nan, 1), (0.1,), (0, 0.1, 1)]
    )
    def test_a_range_is_two_rates(self, span):
        with pytest.raises(th.errors.ArgumentError, match="the range must be two rates"):
            th.partial_auc(SPAM_TREE, fpr=span)

    def test_by_one_of_them(self):
        with pytest.raises(th.errors.ArgumentError, match="one of them"):
            th.partial_auc(SPAM_TREE)
        with pytest.raises(th.errors.ArgumentError, match="one of them"):
            th.partial_auc(SPAM_TREE, fpr=(0, 0.1), tpr=(0.9, 1))


@pytest.mark.parametrize("piece", [1, 2, 7])
@given(two_class_rankings)
def test_pairs_are_counted_across_pieces(piece, ranking):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "CHUNK", piece)
        counts = th.pairs(ranking)
    won, tied = np.tril(np.ones((len(ranking), len(ranking))), -1).T, np.eye(len(ranking))
    assert counts.won == ranking.pos @ won @ ranking.neg
    assert counts.tied == ranking.pos @ tied @ ranking.neg
    assert counts.total == ranking.Pos * ranking.Neg


def test_weights_whose_sums_round_still_give_exactly_0_and_1():
    neg, pos = [0.0] + [1.0] * 6, [1.01] + [0.0] * 6
    above = th.Ranking(np.arange(7)[::-1], pos, neg)
    below = th.Ranking(np.arange(7), pos, neg)
    assert (th.auc(above), th.curves.ranking_error(above)) == (1, 0)
    assert (th.auc(below), th.curves.ranking_error(below)) == (0, 1)
