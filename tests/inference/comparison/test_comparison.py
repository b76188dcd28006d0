import copy
import pickle

import numpy as np
import pytest

import thresher as th
import thresher.inference as ti
from tests.inference import oracles
from tests.inference.comparison.test_paired import correlated
from thresher.errors import ArgumentError


def test_contrasts():
    labels, scores = correlated()
    scores["c"] = scores["b"] + np.sin(np.arange(labels.size))
    result = ti.compare(labels, scores)
    pair = result.contrast({"a": 1, "b": -1})
    for name in ("difference", "lower", "upper", "variance", "p_value"):
        assert getattr(pair, name) == pytest.approx(getattr(result["a", "b"], name), abs=1e-12)
    mean = result.contrast({"a": 1, "b": -0.5, "c": -0.5})
    of = np.array([1, -0.5, -0.5])
    assert result.covariance is not None
    assert mean.variance == pytest.approx(of @ result.covariance @ of)
    assert mean.difference == pytest.approx(of @ list(result.estimates.values()))
    with pytest.raises(ArgumentError, match="sum to 0"):
        result.contrast({"a": 1})
    with pytest.raises(ArgumentError, match="the models are a, b, c"):
        result.contrast({"a": 1, "z": -1})


def test_holm_over_all_pairs():
    labels, scores = correlated(n=500, shift=0.3)
    rng = np.random.default_rng(0)
    scores |= {"c": scores["b"] + 0.2 * rng.normal(size=500), "d": rng.normal(size=500)}
    result = ti.compare(labels, scores)
    assert len(result.differences) == 6
    raw = [one.p_value for one in result.differences.values()]
    assert [one.p_adjusted for one in result.differences.values()] == pytest.approx(oracles.holm(raw), abs=1e-15)
    alone = ti.compare(labels, scores, correction="none")
    assert [one.p_adjusted for one in alone.differences.values()] == raw


def test_a_margin_decides_between_equal_and_undecided():
    labels, scores = correlated(n=2000, shift=0.0)
    assert ti.compare(labels, scores)["a", "b"].verdict == "undecided"
    assert ti.compare(labels, scores, margin=0.05)["a", "b"].verdict == "practically equal"


def test_a_table_for_people():
    labels, scores = correlated()
    text = str(ti.compare(labels, scores))
    assert "a - b" in text
    assert "verdict on the first" in text
    assert len({line.index("[") for line in text.splitlines() if "[" in line}) == 1


@pytest.mark.parametrize("scores", ["apart", "perfect"])
def test_a_doubled_contrast_has_doubled_limits(scores):
    rng = np.random.default_rng(2)
    labels = rng.random(60) < 0.5
    good = labels + (0.0 if scores == "perfect" else 0.5) * rng.normal(size=60)
    result = ti.compare(labels, {"a": good, "b": (0 if scores == "perfect" else 1) * rng.normal(size=60) - labels})
    single, double = result["a", "b"], result.contrast({"a": 2, "b": -2})
    assert double.difference == pytest.approx(2 * single.difference)
    assert (double.lower, double.upper) == pytest.approx((2 * single.lower, 2 * single.upper))
    assert double.lower <= double.difference <= double.upper


@pytest.mark.parametrize("renew", [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy, copy.copy])  # noqa: S301
def test_a_comparison_can_be_pickled_and_copied(renew):
    labels, scores = correlated()
    result = ti.compare(labels, scores | {"c": scores["a"] + scores["b"]}, margin=0.01)
    again = renew(result)
    assert str(again) == str(result)
    assert dict(again.differences) == dict(result.differences)
    assert again.contrast({"a": 1, "b": -1}) == result.contrast({"a": 1, "b": -1})
    for mapping in (again.estimates, again.differences):
        with pytest.raises(TypeError, match="a result does not change"):
            mapping["a"] = 1


def test_rankings_are_compared_as_independent_samples():
    """Pair by pair as `compare_unpaired`, p-values adjusted; ranges of scores move limits apart."""
    rng = np.random.default_rng(2)
    labels = rng.random(400) < 0.4
    scores = {name: rng.normal(size=400) + worth * labels for name, worth in (("a", 2), ("b", 1), ("c", 0))}
    rankings = {name: th.rank(labels, each) for name, each in scores.items()}
    comparison = th.inference.compare_rankings(rankings, margin=0.01)
    assert not comparison.paired
    for (a, b), one in comparison.differences.items():
        alone = th.inference.compare_unpaired(rankings[a], rankings[b], margin=0.01)
        assert (one.a, one.b, one.lower, one.upper, one.margin) == (a, b, alone.lower, alone.upper, 0.01)
    p_values = [one.p_value for one in comparison.differences.values()]
    assert [one.p_adjusted for one in comparison.differences.values()] == th.inference.holm(p_values)
    rows = {"y": labels.astype(int), **scores}
    ranges = th.scan(rows, label="y", score=["a", "b", "c"], exact=False, buckets=64)
    openly = th.inference.compare_rankings(ranges)["a", "b"]
    width = sum(th.bounds(ranges[name], "auc").width for name in ("a", "b"))
    exactly = comparison["a", "b"]
    assert openly.upper - openly.lower >= exactly.upper - exactly.lower + 0.9 * width
    assert "ranges of scores" in openly.note


def test_the_best_of_many_models_is_adjusted_for_every_pair():
    rng = np.random.default_rng(0)
    labels = rng.random(120) < 0.5
    scores = {f"m{i}": rng.normal(size=120) + labels for i in range(25)}
    best = th.compare(labels, scores)
    assert best.against is not None
    for one in best.differences.values():
        assert one.p_adjusted >= min(1.0, 277 * one.p_value) - 1e-12
    named = th.compare(labels, {name: scores[name] for name in list(scores)[:20]}, against="m3")
    assert min(one.p_adjusted for one in named.differences.values()) <= 19 * min(
        one.p_value for one in named.differences.values()
    )


def test_p_agrees_with_limits_that_ranges_move_apart():
    rng = np.random.default_rng(1)
    for _ in range(30):
        labels = rng.random(400) < 0.5
        pair = [
            th.sources.condense(th.rank(labels, rng.normal(size=400) + each * labels), most=30) for each in (1, 0.7)
        ]
        difference = th.inference.compare_unpaired(*pair)
        assert -1 <= difference.lower <= difference.upper <= 1
        assert (difference.p_value < 0.05) == (not difference.lower <= 0 <= difference.upper)
