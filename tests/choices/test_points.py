"""Tables as points: ties, front, hull and ranges against brute force; the descending diagonal."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.choices import read_accuracy

M = {
    "M1": th.Contingency(tp=50, fn=0, fp=30, tn=20),
    "M2": th.Contingency(tp=20, fn=30, fp=0, tn=50),
    "M3": th.Contingency(tp=35, fn=15, fp=15, tn=35),
}


@pytest.mark.parametrize(
    ("alarm", "miss", "costs", "best"),
    [(2, 1, (0.6, 0.3, 0.45), ("M2",)), (1, 1, (0.3, 0.3, 0.3), ("M1", "M2", "M3")), (1, 2, (0.3, 0.6, 0.45), ("M1",))],
)
def test_three_classifiers_under_costs(alarm, miss, costs, best):
    choice = th.choose(M, th.OperatingCondition(cost_fp=alarm, cost_fn=miss))
    assert tuple(choice.costs.values()) == costs
    assert choice.best == best
    assert choice.hull == choice.front == ("M1", "M2", "M3")
    assert choice.ranges == {"M1": (1, math.inf), "M2": (0, 1), "M3": (1, 1)}


def test_the_front_is_not_the_hull():
    tables = {
        "A": th.Contingency.of(fpr=0, tpr=0.5, Pos=100, Neg=100),
        "B": th.Contingency.of(fpr=0.2, tpr=0.6, Pos=100, Neg=100),
        "C": th.Contingency.of(fpr=0.4, tpr=0.95, Pos=100, Neg=100),
        "D": th.Contingency.of(fpr=0.4, tpr=0.5, Pos=100, Neg=100),
    }
    choice = th.choose(tables)
    assert choice.front == ("A", "B", "C")
    assert choice.hull == ("A", "C")
    assert choice.dominated == {"D": ("A", "B", "C")}


def random_candidates(rng, mixed):
    Pos, Neg = rng.integers(1, 8, size=2).tolist()
    candidates: dict[str, Any] = {}
    for i in range(int(rng.integers(1, 6))):
        if mixed and rng.random() < 0.4:
            split = rng.integers(0, 2, size=Pos + Neg)
            labels = np.arange(Pos + Neg) < Pos
            candidates[f"m{i}"] = th.rank(labels, split + rng.integers(0, 3, size=Pos + Neg))
        else:
            tp, fp = int(rng.integers(0, Pos + 1)), int(rng.integers(0, Neg + 1))
            candidates[f"m{i}"] = th.Contingency(tp=tp, fn=Pos - tp, fp=fp, tn=Neg - fp)
    return candidates


def spots(candidate):
    """All points that a candidate can be at: one table, or every split."""
    tables = [candidate]
    if isinstance(candidate, th.Ranking):
        curve = th.coverage(candidate)
        tables = [curve.at(split) for split in range(len(candidate) + 1)]
    return [(Fraction(int(t.fp), int(t.Neg)), Fraction(int(t.tp), int(t.Pos))) for t in tables]


@pytest.mark.parametrize("seed", range(50))
def test_against_brute_force(seed):
    rng = np.random.default_rng(seed)
    for mixed in (False,) * 5 + (True,) * 5:
        candidates = random_candidates(rng, mixed)
        if not any(isinstance(each, th.Contingency) for each in candidates.values()):
            continue
        ratio = Fraction(int(rng.integers(1, 9)), int(rng.integers(1, 9)))
        choice = th.choose(candidates, th.OperatingCondition(cost_fp=ratio.denominator, cost_fn=ratio.numerator))
        points = {name: spots(each) for name, each in candidates.items()}
        first = next(iter(candidates.values()))
        odds = Fraction(int(first.Pos), int(first.Neg))

        def least(name, ratio, points=points, odds=odds):
            return min(x + ratio * odds * (1 - y) for x, y in points[name])

        every = {name: least(name, ratio) for name in candidates}
        assert choice.best == tuple(name for name, cost in every.items() if cost == min(every.values()))
        share = float(ratio.denominator * Fraction(int(first.Neg), int(first.Pos + first.Neg)))
        for name, cost in every.items():
            assert choice.costs[name] == pytest.approx(float(cost) * share)
        flat = [point for each in points.values() for point in each]
        # A ranking may have undominated points below its hull; tables have one point each.
        if all(isinstance(each, th.Contingency) for each in candidates.values()):
            assert choice.front == tuple(
                name for name, (point,) in points.items() if not any(dominates(other, point) for other in flat)
            )
        # Between the cost ratios where two points cost the same, and at them, the cheapest do not change.
        crossings = {
            (x1 - x0) / ((y1 - y0) * odds)
            for (x0, y0), (x1, y1) in itertools.combinations(sorted(set(flat)), 2)
            if y1 > y0 and x1 > x0
        }
        tried = sorted(crossings)
        tried = [*tried, *((a + b) / 2 for a, b in itertools.pairwise([Fraction(0), *tried])), (tried or [1])[-1] + 1]
        hull = {
            name
            for each in tried
            for name in candidates
            if least(name, each) == min(least(other, each) for other in candidates)
        }
        assert set(choice.hull) == hull


def dominates(one, other):
    return one[0] <= other[0] and one[1] >= other[1] and one != other


def test_a_ranking_stands_for_its_best_threshold():
    emails = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])
    choice = th.choose({"tree": emails, "rule": th.Contingency(tp=1, fn=5, fp=1, tn=3)})
    assert choice.best == ("tree",)
    assert choice.costs["tree"] == th.choose(emails).expected_cost
    assert choice.tables["tree"] == th.choose(emails).table
    assert choice.dominated == {"rule": ("tree",)}


def test_a_constant_may_beat_all():
    choice = th.choose({"M": th.Contingency(tp=6, fn=4, fp=5, tn=5)}, th.OperatingCondition(cost_ratio=9))
    assert [each.code for each in choice.cautions] == ["beaten-by-constant"]
    assert choice.to_frame("pandas").columns.tolist() == [
        "name",
        "fpr",
        "tpr",
        "expected_cost",
        "dominated_by",
        "low",
        "high",
    ]


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"a": th.Contingency(tp=0, fn=0, fp=1, tn=2)}, "no place in ROC space"),
        ({"a": th.coverage(th.Ranking.parse("[2+][1-]"))}, "several splits"),
        ({"a": M["M1"], "b": th.Contingency(tp=1, fn=1, fp=1, tn=5)}, "the tables differ: a 1, b 0.3333"),
        ({"a": M["M1"], "b": None}, "a contingency table is needed"),
    ],
)
def test_what_is_refused(tables, message):
    with pytest.raises(th.ThresherError, match=message):
        th.choose(tables)


def test_different_mixes_are_compared_at_a_declared_one():
    tables = {"a": M["M1"], "b": th.Contingency(tp=1, fn=1, fp=1, tn=5)}
    choice = th.choose(tables, th.OperatingCondition(class_ratio=1, cost_ratio=1))
    assert choice.costs == pytest.approx({"a": 0.3, "b": (0.5 + 1 / 6) / 2})


@pytest.mark.parametrize(
    ("fpr", "tpr", "slope", "accuracy"),
    [(0.5, 1, 2 / 3, 0.8), (0.5, 1, 4 / 3, 5 / 7), (0.2, 0.6, 3, 0.75)],
)
def test_accuracy_is_read_off_the_descending_diagonal(fpr, tpr, slope, accuracy):
    assert read_accuracy(fpr, tpr, slope) == pytest.approx(accuracy, abs=1e-12)


def test_it_is_the_accuracy_of_any_table():
    rng = np.random.default_rng(1)
    for tp, fn, fp, tn in rng.integers(1, 50, size=(100, 4)).tolist():
        table = th.Contingency(tp=tp, fn=fn, fp=fp, tn=tn)
        assert read_accuracy(table.fpr, table.tpr, table.Neg / table.Pos) == pytest.approx(table.accuracy, abs=1e-12)


@pytest.mark.parametrize("wrong", [(1.2, 0.5, 1), (0.2, -0.5, 1), (0.2, 0.5, 0), (0.2, 0.5, math.inf)])
def test_no_accuracy_of_what_is_no_point(wrong):
    with pytest.raises(th.ThresherError):
        read_accuracy(*wrong)
