import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import labelled_scores
from thresher.ranking import beating, falling
from thresher.ranking import order as rows_in_order


@given(labelled_scores())
def test_falling_puts_segments_one_after_another(rows):
    _, scores = rows
    order, ends = falling(scores)
    assert sorted(order.tolist()) == list(range(scores.size))
    starts = [0, *ends.tolist()[:-1]]
    segments = [set(scores[order[a:b]].tolist()) for a, b in zip(starts, ends.tolist(), strict=True)]
    assert all(len(segment) == 1 for segment in segments)
    distinct = [segment.pop() for segment in segments]
    assert distinct == sorted(set(scores.tolist()), reverse=True)


@given(labelled_scores(), st.booleans())
def test_beating_meets_every_row_of_the_other_class(rows, weighted):
    labels, scores = rows
    weight = np.arange(1, labels.size + 1) / 8 if weighted else None
    found = beating(labels, scores, weight)
    each = np.ones(labels.size) if weight is None else weight
    for i in range(labels.size):
        other = labels != labels[i]
        expected = each[other & (scores > scores[i])].sum() + each[other & (scores == scores[i])].sum() / 2
        assert abs(found[i] - expected) < 1e-12 * each.sum()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dealt_rows_stand_in_the_order_of_their_scores(monkeypatch, dtype):
    rng = np.random.default_rng(2)
    score = np.concatenate([rng.normal(size=3000), rng.integers(-2, 3, 900), [np.inf, -np.inf, 0.0, -0.0]]).astype(
        dtype
    )
    positive = rng.random(score.size) < 0.5
    plain = falling(score)[1].tolist(), beating(positive, score).tolist()
    monkeypatch.setattr(rows_in_order, "ROWS_WORTH_DEALING", 0)
    monkeypatch.setattr(rows_in_order, "ROWS_PER_RANGE", 500)
    monkeypatch.setattr(rows_in_order, "partitioning_is_slow", lambda: True)
    rows, ends = falling(score)
    assert sorted(rows.tolist()) == list(range(score.size))
    assert score[rows].tolist() == np.sort(score)[::-1].tolist()
    assert (ends.tolist(), beating(positive, score).tolist()) == plain
