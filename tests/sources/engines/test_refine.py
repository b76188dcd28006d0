import itertools
import sys

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.ranges import bounded as in_ranges
from tests.ranges import ranged
from tests.reachable import CONDITIONS, rows_with_infinities
from thresher.curves.bounds import may_hide_better, may_hide_tie
from thresher.sources.engines import refine as refining
from thresher.sources.engines.connect import EngineTable
from thresher.sources.engines.refine import MOST_PARTS, PIECES, open_share, pieces_around, pieces_for


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=300))
def test_pieces_rise_and_are_few(shares):
    pos, neg = (np.array(side) for side in zip(*shares, strict=True))
    actual = pieces_for(np.arange(len(shares)) + 7, pos, neg, tolerance=1e-4)
    assert len(actual) <= PIECES
    assert all(a.first < b.first for a, b in itertools.pairwise(actual))
    assert all(piece.parts >= 1 for piece in actual)


def test_parts_follow_where_both_classes_are():
    pos = np.r_[np.full(50, 1e-6), np.full(50, 0.02)]
    actual = pieces_for(np.arange(100), pos, pos, tolerance=1e-3)
    assert actual[-1].parts > 10 * actual[0].parts
    assert any(piece.parts > 1 for piece in actual)


def test_the_number_of_parts_is_bounded():
    same = np.full(1000, 1e-3)
    parts = pieces_for(np.arange(1000), same, same, tolerance=1e-12)
    assert sum(piece.parts for piece in parts) <= MOST_PARTS + 1000


def test_nothing_to_divide():
    assert pieces_for(np.arange(3), np.zeros(3), np.ones(3), tolerance=1e-6) == ()


def test_the_open_share_is_the_width_of_the_bounds():
    r = th.Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    assert abs(open_share(r) - th.bounds(r, "auc").width) < 1e-12
    assert open_share(th.Ranking.parse("[1+,1-]")) == 0


@given(st.lists(st.booleans(), min_size=1, max_size=400))
def test_pieces_around_divide_what_is_wanted_and_little_else(flags):
    wanted, bucket = np.array(flags), np.arange(len(flags)) * 3 - 50
    actual = pieces_around(bucket, wanted, parts=10**6)
    assert len(actual) <= PIECES + 1
    assert all(a.first < b.first for a, b in itertools.pairwise(actual))
    if not wanted.any():
        assert actual == ()
        return
    first = np.array([piece.first for piece in actual])
    each = np.array([piece.parts for piece in actual])[np.maximum(np.searchsorted(first, bucket, side="right") - 1, 0)]
    assert (each[wanted] > 1).all()
    runs = np.count_nonzero(np.diff(wanted.astype(int), prepend=0) == 1)
    if runs <= PIECES // 2:
        assert (each[~wanted] == 1).all()


@given(ranged(), st.floats(0.01, 100))
def test_where_no_segment_is_a_rival_the_choice_is_certain(both, cost_ratio):
    _, bounded = both
    condition = th.OperatingCondition(cost_ratio=cost_ratio)
    slope = condition.slope_coverage(bounded)
    if not may_hide_better(bounded, slope).any():
        assert th.bounds(bounded, "expected_cost", condition=condition).width < 1e-12
    if not may_hide_tie(bounded, slope).any():
        assert th.bounds(bounded, "expected_cost", condition=condition).width == 0


@given(rows_with_infinities(), st.lists(st.integers(-5, 5), max_size=4))
def test_where_nothing_as_good_is_hidden_the_choice_is_that_of_the_rows(rows, edges):
    exact, bounded = th.rank(*rows), in_ranges(rows[0], rows[1], edges)
    for condition in CONDITIONS:
        one, other = th.choose(bounded, condition), th.choose(exact, condition)
        hidden = may_hide_tie(bounded, condition.slope_coverage(bounded)).any()
        assert hidden == ("unresolved" in [caution.code for caution in one.cautions])
        assert hidden or repr(one) == repr(other)
        assert other.expected_cost in th.bounds(bounded, "expected_cost", condition=condition)


def test_a_range_of_one_class_up_to_infinity_hides_nothing():
    r = th.Ranking.of_ranges([0.5, 0.0], [np.inf, 0.0], pos=[0, 1], neg=[3, 0])
    assert not may_hide_better(r, 1.0).any()


@pytest.fixture
def passes(monkeypatch):
    """The stages of the queries that an engine was asked."""
    stages = []
    answer = EngineTable.answer

    def watched(self, expression, *, stage, listener):
        stages.append(stage)
        return answer(self, expression, stage=stage, listener=listener)

    monkeypatch.setattr(EngineTable, "answer", watched)
    return stages


def table_of(labels, **scores):
    return ibis.memtable(pa.table({"y": labels, **scores}))


@pytest.fixture
def rows():
    rng = np.random.default_rng(9)
    y = rng.random(3000) < 0.3
    p = 1 / (1 + np.exp(-rng.normal(size=3000) - y))
    return table_of(y, p=p, q=p[::-1].copy()), y, p


def scanned(source, refine, **how):
    return th.scan(source, label="y", score="p", exact=False, refine=refine, **how)


def test_a_second_query_closes_the_auc(passes, rows):
    actual = scanned(rows[0], True, buckets=64)
    assert open_share(actual) <= 10 * refining.TOLERANCE
    assert th.auc(th.rank(rows[1], rows[2])) in th.bounds(actual, "auc")
    assert passes == ["counting", "refining"]


def test_nothing_is_read_again_where_nothing_is_open(passes):
    y = np.arange(1000) % 2
    for refine in (True, th.OperatingCondition(cost_ratio=3)):
        passes.clear()
        scanned(table_of(y, p=y / 2 + 0.1), refine)
        assert passes == ["counting"]


@pytest.mark.parametrize("cost_ratio", [0.2, 1.0, 8.0])
def test_a_condition_refines_near_its_split_alone(passes, rows, cost_ratio):
    condition = th.OperatingCondition(cost_ratio=cost_ratio)
    actual = scanned(rows[0], condition, buckets=64)
    assert th.bounds(actual, "expected_cost", condition=condition).width < 1e-12
    assert th.choose(actual, condition).table == th.choose(th.rank(rows[1], rows[2]), condition).table
    assert passes == ["counting", "refining"]
    assert actual.unresolved.any()


def test_several_models_are_refined_together(passes, rows):
    actual = th.scan(rows[0], label="y", score=["p", "q"], exact=False, buckets=64)
    assert all(open_share(ranking) <= 10 * refining.TOLERANCE for ranking in actual.values())
    assert passes == ["counting", "refining"]


def test_one_class_leaves_nothing_to_refine(passes):
    actual = scanned(table_of(np.ones(500, dtype=int), p=np.linspace(0, 1, 500)), True, buckets=16)
    assert (actual.Pos, actual.Neg) == (500, 0)
    assert passes == ["counting"]


def test_ranges_meet_where_they_share_a_score():
    low, high = np.array([0.0, 0.2, 0.5, 0.8]), np.array([0.1, 0.4, 0.6, 0.9])
    starts, ends = np.array([0.1, 0.65]), np.array([0.2, 0.7])
    assert refining._meet(low, high, starts, ends).tolist() == [True, True, False, False]
    assert refining._meet(low, high, starts[:0], ends[:0]).tolist() == [False] * 4


def certain(ranking, condition):
    codes = [caution.code for caution in th.choose(ranking, condition).cautions]
    return "unresolved" not in codes and not may_hide_tie(ranking, condition.slope_coverage(ranking)).any()


def ties(ranking, condition):
    """Every threshold that is best, and its table."""
    return [(point.threshold, point.table) for point in th.choose(ranking, condition).points]


CROWDS = {
    "scores of one bucket": lambda rng, y: 1e9 + rng.integers(-5, 6, y.size) + y,
    "neighbouring floats": lambda rng, y: 0.5 + (rng.integers(0, 40, y.size) + 4 * y) * 2.0**-53,
    "no order at all": lambda rng, y: rng.random(y.size),
    "a straight curve": lambda rng, y: np.repeat(rng.random(y.size // 2), 2),
    "zeros of both signs": lambda rng, y: rng.integers(-2, 3, y.size) * 1e-300 * rng.choice([1, 0.0, -0.0], y.size),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("crowd", CROWDS)
def test_a_condition_closes_wherever_scores_crowd(crowd, weighted):
    rng = np.random.default_rng(5)
    y = np.tile([True, False], 2000)
    rows = {"p": CROWDS[crowd](rng, y), "w": rng.integers(1, 4, y.size).astype(float)}
    how = {"weights": "w"} if weighted else {}
    for cost_ratio in (0.3, 1.0, 2.5):
        condition = th.OperatingCondition(cost_ratio=cost_ratio)
        actual = scanned(table_of(y, **rows), condition, buckets=64, **how)
        exact = th.rank(y, rows["p"], weights=rows["w"] if weighted else None)
        assert certain(actual, condition)
        assert ties(actual, condition) == ties(exact, condition)


def test_a_condition_closes_for_every_model_and_group(passes):
    rng = np.random.default_rng(7)
    y, group = rng.random(6000) < 0.4, rng.integers(0, 3, 6000)
    rows = {"p": rng.normal(y, 3).round(2), "q": rng.normal(y, 1), "g": group}
    condition = th.OperatingCondition(cost_ratio=1.5)
    table = table_of(y, **rows)
    scans = th.scan(table, label="y", score=["p", "q"], by="g", exact=False, refine=condition, buckets=32)
    assert passes == ["counting", "refining"]
    for number in range(3):
        for name in ("p", "q"):
            here = group == number
            actual, exact = scans[number][name], th.rank(y[here], rows[name][here])
            assert certain(actual, condition)
            assert ties(actual, condition) == ties(exact, condition)


def test_many_rows_near_the_best_split_are_divided_and_then_closed(passes):
    # Seven scores that no bucket tells apart hold all of 3.5 million rows.
    rows = ibis.range(7 * 500_000).unnest().name("i").as_table()
    rows = rows.mutate(p=(rows.i % 7).cast("float64") * 1e-14 + 0.5, y=(rows.i * 7919 % 1000) < 300 + 50 * (rows.i % 7))
    condition = th.OperatingCondition(cost_ratio=1)
    actual = th.scan(rows, label="y", score="p", exact=False, refine=condition)
    assert passes == ["counting", "refining", "refining"]
    assert certain(actual, condition)
    assert len(actual) == 7


def test_what_takes_too_many_groups_stays_open_and_says_so(monkeypatch, rows):
    monkeypatch.setattr(sys.modules["thresher.sources.scan"], "MOST_BY_SCORE", 100)
    condition = th.OperatingCondition(cost_ratio=1)
    actual = scanned(rows[0], condition, buckets=64)
    assert "unresolved" in [caution.code for caution in th.choose(actual, condition).cautions]
    least = th.choose(th.rank(rows[1], rows[2]), condition).expected_cost
    assert least in th.bounds(actual, "expected_cost", condition=condition)
