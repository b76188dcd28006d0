from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import reference
from thresher.ranking.weights import adds_exactly, in_units, running_total, total_of


@given(st.lists(st.integers(0, 1000), min_size=1), st.sampled_from([1, 8, 10, 100, 1000]))
def test_decimal_and_binary_weights_are_integers_in_their_unit(counts, unit):
    units = in_units(np.array(counts) / unit, np.array(counts) / unit, most=2**60)
    assert units is not None
    largest = max(counts) or 1
    assert (units[0] * max(1, largest) == np.array(counts) * max(1, int(units[0].max()))).all()


def test_weights_without_a_unit_stay_weights():
    assert in_units(np.array([np.pi]), np.array([1.0]), most=2**60) is None
    assert in_units(np.array([1e9 + np.pi]), np.array([1.0]), most=2**60) is None
    assert in_units(np.array([1e9 + 0.5]), np.array([1.0]), most=10**9) is None
    rough = th.Ranking([2, 1], pos=[np.pi, 0], neg=[0, np.e])
    assert rough.in_units() is rough


@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=30), st.sampled_from([1, 8, 1024]), st.randoms())
def test_sums_that_no_order_changes(counts, unit, random):
    weights = [count / unit for count in counts]
    total = np.array([sum(weights)])
    random.shuffle(weights)
    assert adds_exactly(total, total) == (2 * total[0] * (unit if total[0] % 1 else 1) < 2**53)
    assert total[0] == sum(weights)


def test_sums_that_depend_on_their_order():
    for rough in (0.1, 0.1 + 0.2, np.pi, 2.0**53, 1 / 4096):
        assert not adds_exactly(np.array([rough]), np.array([1.0]))


@given(st.lists(st.integers(0, 3)), st.sampled_from(["u1", "u2", "i8", "f8"]))
def test_counts_of_any_width_are_added_up(counts, dtype):
    total = total_of(np.array(counts, dtype))
    assert total == sum(counts)
    assert type(total) is (float if dtype == "f8" else int)


@given(st.lists(st.floats(0, 10), min_size=1))
def test_running_sums_never_step_back_and_end_at_the_total(weights):
    total = float(np.sum(weights))
    running = running_total(np.array(weights), total)
    assert (np.diff(running) >= 0).all()
    assert running[-1] == total
    last = max((i for i, weight in enumerate(weights) if weight > 0), default=-1)
    assert (running[last + 1 :] == total).all()


def test_the_recall_of_all_positives_is_one():
    ranking = th.rank([1] * 10 + [0] * 3, range(13, 0, -1), weights=[0.1] * 13)
    assert th.coverage(ranking).recall[10] == 1
    assert th.choose(ranking, subject_to="recall >= 1").table.fp == pytest.approx(0)


def test_running_sums_that_round_above_the_total_are_held_at_it():
    weights = np.append(np.random.default_rng(2).random(1000), 1e-30)
    total = float(weights.sum())
    assert weights[:1000].cumsum()[-1] > total  # added up in another order
    running = running_total(weights, total)
    assert running.max() == total
    assert (np.diff(running) >= 0).all()


orders_of_magnitude = st.tuples(st.floats(1, 10), st.integers(-16, 15)).map(lambda parts: parts[0] * 10.0 ** parts[1])
rows_of_any_weight = st.lists(
    st.tuples(st.booleans(), st.integers(0, 8), orders_of_magnitude), min_size=2, max_size=30
).filter(lambda rows: len({positive for positive, *_ in rows}) == 2)


@given(rows_of_any_weight)
def test_no_cell_is_lost_to_weights_many_orders_larger(rows):
    labels, scores, weights = zip(*rows, strict=True)
    ranking = th.rank(list(labels), list(scores), weights=list(weights))
    in_fractions = [(positive, score, Fraction(weight)) for positive, score, weight in rows]
    curve = th.coverage(ranking)
    for split, threshold in enumerate(curve.threshold.tolist()):
        cells = [float(cell) for cell in reference.table(in_fractions, threshold)]
        for table in (curve.at(split), th.tables.contingency_at(ranking, threshold)):
            assert [table.tp, table.fn, table.fp, table.tn] == pytest.approx(cells, rel=1e-13, abs=0)


@given(rows_of_any_weight, st.sampled_from([None, 0.25, 1e-9, 1e9]))
def test_costs_of_weights_of_any_size_agree_with_fractions(rows, class_ratio):
    labels, scores, weights = zip(*rows, strict=True)
    ranking = th.rank(list(labels), list(scores), weights=list(weights))
    condition = th.OperatingCondition(class_ratio=class_ratio, cost_fp=3, cost_fn=7)
    Pos, Neg = (sum(Fraction(w) for y, _, w in rows if y == side) for side in (True, False))
    odds = Fraction(Pos, Neg) if class_ratio is None else Fraction(class_ratio)
    for threshold in th.coverage(ranking).threshold.tolist():
        _, fn, fp, _ = reference.table([(y, s, Fraction(w)) for y, s, w in rows], threshold)
        exact = (odds * 7 * fn / Pos + 3 * fp / Neg) / (1 + odds)
        cost = condition.expected_cost(th.tables.contingency_at(ranking, threshold))
        assert cost == pytest.approx(float(exact), rel=1e-13, abs=0)
