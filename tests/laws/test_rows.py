"""Laws of counting: pieces add up, order is irrelevant, a weight is so many rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import reference
from tests.strategies import few_scores, labelled_scores, rough_weights, rows_of, segments_of, two_class_rankings


@given(labelled_scores(), st.data())
def test_counting_pieces_and_adding_is_counting_all(rows, data):
    labels, scores = rows
    cuts = sorted(data.draw(st.sets(st.integers(1, labels.size - 1), max_size=4)) if labels.size > 1 else [])
    pieces = [
        th.rank(part, of_part) for part, of_part in zip(np.split(labels, cuts), np.split(scores, cuts), strict=True)
    ]
    ranking = th.rank(labels, scores)
    assert sum(pieces) == ranking
    assert sum(reversed(pieces)) == ranking
    assert segments_of(ranking) == reference.segments(rows_of(labels, scores))


@given(two_class_rankings, two_class_rankings, two_class_rankings)
def test_addition_is_associative_and_commutative(a, b, c):
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)


@given(labelled_scores(), st.randoms(use_true_random=False))
def test_row_order_is_irrelevant(rows, random):
    labels, scores = rows
    order = list(range(labels.size))
    random.shuffle(order)
    assert th.rank(labels[order], scores[order]) == th.rank(labels, scores)


@given(labelled_scores(max_size=25), st.randoms(use_true_random=False), st.data())
def test_to_the_last_digit_of_added_weights(rows, random, data):
    labels, scores = rows
    weight = np.array(data.draw(st.lists(rough_weights, min_size=labels.size, max_size=labels.size)))
    order = list(range(labels.size))
    random.shuffle(order)
    assert th.rank(labels[order], scores[order], weights=weight[order]) == th.rank(labels, scores, weights=weight)


@given(labelled_scores(max_size=15), st.data())
def test_an_integer_weight_is_the_row_so_many_times(rows, data):
    labels, scores = rows
    times = data.draw(st.lists(st.integers(0, 4), min_size=labels.size, max_size=labels.size).filter(any))
    weighted = th.rank(labels, scores, weights=times)
    repeated = th.rank(np.repeat(labels, times), np.repeat(scores, times))
    assert weighted == repeated
    assert th.coverage(weighted).tp.tolist() == th.coverage(repeated).tp.tolist()
    if repeated.Pos and repeated.Neg:
        assert th.auc(weighted) == th.auc(repeated)
        assert th.hull(weighted) == th.hull(repeated)
        assert th.average_precision(weighted) == th.average_precision(repeated)
        assert th.pr_area(weighted) == th.pr_area(repeated)


@given(st.lists(st.tuples(st.booleans(), few_scores), min_size=1, max_size=30), st.integers(2, 5))
def test_weighing_all_rows_alike_changes_no_rate(rows, weight):
    labels, scores = map(np.array, zip(*rows, strict=True))
    plain, weighted = th.rank(labels, scores), th.rank(labels, scores, weights=np.full(len(rows), weight))
    np.testing.assert_array_equal(th.coverage(plain).tpr, th.coverage(weighted).tpr)
    np.testing.assert_array_equal(th.coverage(plain).fpr, th.coverage(weighted).fpr)


@given(labelled_scores())
def test_json_to_ranking_to_json_is_the_identity(rows):
    for r in (th.rank(*rows), th.rank(*rows, weights=np.full(rows[0].size, 0.1))):
        again = th.Ranking.from_json(r.to_json())
        assert again == r
        assert again.weighted == r.weighted
        assert again.to_json() == r.to_json()
