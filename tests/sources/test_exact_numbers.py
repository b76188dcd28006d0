import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.ranges import ranged
from thresher.sources.exact_numbers import RunningNumbers
from thresher.sources.untied import untied


@given(ranged(probabilities=True), st.integers(1, 7))
def test_pieces_add_up_to_the_numbers_of_the_whole(both, size):
    exact, _ = both
    tp, fp = exact.covered()
    running = RunningNumbers()
    for start in reversed(range(0, len(exact), size)):
        piece = slice(start, start + size)
        running.add(exact.score[piece], exact.pos[piece], exact.neg[piece], before=(tp[:-1][piece], fp[:-1][piece]))
    found = running.numbers()
    assert found["average_precision"] == pytest.approx(th.average_precision(exact), abs=1e-14)
    assert found["pr_area"] == pytest.approx(th.pr_area(exact), abs=1e-12)
    assert found["brier"] == pytest.approx(th.brier(exact), abs=1e-14)
    loss = th.log_loss(exact)
    assert found["log_loss"] == pytest.approx(float(loss), rel=1e-12)
    assert found["certain_and_wrong"] == loss.certain_and_wrong


def test_scores_that_are_no_probabilities_have_no_losses():
    running = RunningNumbers()
    running.add(np.array([0.5]), np.array([1]), np.array([1]), before=(0, 0))
    running.add(np.array([-3.0]), np.array([1]), np.array([0]), before=(1, 1))
    assert set(running.numbers()) == {"average_precision", "pr_area"}


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(0, 40), st.booleans())
def test_scores_that_all_differ_are_taken_without_counts(flags, cut, probabilities):
    score = np.linspace(1.0, 0.0 if probabilities else -3.0, len(flags))
    pos = np.array(flags, dtype=np.int64)
    exact = th.Ranking(score, pos, 1 - pos)
    tp, fp = exact.covered()
    plain, parts = RunningNumbers(), [RunningNumbers(), RunningNumbers()]
    plain.add(score, pos, 1 - pos, before=(tp[:-1], fp[:-1]))
    for part, piece in zip(parts, (slice(cut), slice(cut, None)), strict=True):
        before = (int(pos[: piece.start].sum()), int((1 - pos)[: piece.start].sum())) if piece.start else (0, 0)
        part.add_untied(untied(score[piece], pos[piece] > 0), before=before)
    together = RunningNumbers()
    together.add_all(parts)
    found, expected = together.numbers(), plain.numbers()
    assert set(found) == set(expected)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-12, abs=1e-14)
