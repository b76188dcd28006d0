import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.reference import costs
from tests.strategies import two_class_rankings

CAREFUL = th.Ranking.parse("[4+][1+,5-]")
EAGER = th.Ranking.parse("[5+,1-][4-]")


def ranking_of(Pos, Neg):
    """Rankings of a fixed number of positives and negatives."""
    cases = st.permutations([True] * Pos + [False] * Neg)
    return cases.flatmap(
        lambda labels: st.lists(st.integers(1, 6), min_size=len(labels), max_size=len(labels)).map(
            lambda scores: th.rank(labels, scores)
        )
    )


models = st.dictionaries(st.sampled_from("abc"), ranking_of(4, 5), min_size=1)


@given(models, st.integers(1, 9), st.integers(1, 9))
def test_the_joint_choice_is_the_cheapest_split_of_any_model(rankings, a, b):
    joint = th.choose(rankings, th.OperatingCondition(cost_ratio=a / b))
    loss = {name: costs(ranking, Fraction(4, 5), Fraction(a, b)) for name, ranking in rankings.items()}
    least = min(min(each) for each in loss.values())
    assert joint.tied == tuple(name for name in rankings if min(loss[name]) == least)
    assert joint.model in joint.tied
    assert loss[joint.model][joint.choice.point.split] == least
    low, high = joint.holds_for
    assert low <= a / b * (1 + 1e-12)
    assert a / b <= high * (1 + 1e-12)


@given(models)
def test_ranges_cover_all_cost_ratios_and_name_the_cheapest(rankings):
    ranges = th.choose(rankings).ranges
    assert ranges[0].low == 0
    assert ranges[-1].high == math.inf
    assert [each.low for each in ranges[1:]] == [each.high for each in ranges[:-1]]
    for each in ranges:
        middle = Fraction(each.low + 1 if each.high == math.inf else (each.low + each.high) / 2)
        loss = {name: min(costs(ranking, Fraction(4, 5), middle)) for name, ranking in rankings.items()}
        assert set(each.models) == {name for name in rankings if loss[name] == min(loss.values())}
        at_point = costs(rankings[each.models[0]], Fraction(4, 5), middle)[each.point.split]
        assert at_point == min(loss.values())


def test_the_winner_changes_with_the_costs():
    dear_alarms = th.choose({"careful": CAREFUL, "eager": EAGER}, th.OperatingCondition(cost_ratio=0.5))
    dear_misses = th.choose({"careful": CAREFUL, "eager": EAGER}, th.OperatingCondition(cost_ratio=5))
    assert (dear_alarms.model, dear_misses.model) == ("careful", "eager")
    assert dear_alarms.runner_up == "eager"
    assert dear_misses.gap == pytest.approx(0.4)
    assert dear_misses.holds_for == (1, math.inf)


@given(two_class_rankings, st.integers(1, 9))
def test_a_single_model_stays_the_best_for_all_cost_ratios(ranking, cost_ratio):
    assert th.choose({"only": ranking}, th.OperatingCondition(cost_ratio=cost_ratio)).holds_for == (0, math.inf)


def test_ties_between_models_are_reported():
    joint = th.choose({"a": CAREFUL, "b": EAGER}, th.OperatingCondition(cost_ratio=1))
    assert joint.tied == ("a", "b")
    assert joint.runner_up is None
    assert joint.gap is None


def test_c8_three_models_of_equal_accuracy_under_costs():
    tables = {"M1": (50, 30), "M2": (20, 0), "M3": (35, 15)}
    rankings = {name: th.Ranking([1, 0], pos=[tp, 50 - tp], neg=[fp, 50 - fp]) for name, (tp, fp) in tables.items()}
    assert th.choose(rankings, th.OperatingCondition(cost_fp=2, cost_fn=1)).model == "M2"
    assert th.choose(rankings, th.OperatingCondition(cost_fp=1, cost_fn=2)).model == "M1"
    assert th.choose(rankings, th.OperatingCondition()).tied == ("M1", "M2", "M3")


def test_different_data_need_a_declared_class_ratio():
    rankings = {"a": th.Ranking.parse("[2+][1-]"), "b": th.Ranking.parse("[2+][3-]")}
    with pytest.raises(th.errors.ConditionError, match="class ratio"):
        th.choose(rankings)
    assert th.choose(rankings, th.OperatingCondition(class_ratio=1)).tied == ("a", "b")


def test_weighted_models_may_compete():
    weighted = th.Ranking([2, 1], pos=[4.5, 0.5], neg=[0.5, 4.5])
    joint = th.choose({"weighted": weighted, "worse": th.Ranking([2, 1], pos=[3.0, 2.0], neg=[1.0, 4.0])})
    assert joint.model == "weighted"


def test_bad_input():
    with pytest.raises(th.errors.ArgumentError, match="no models"):
        th.choose({})
    with pytest.raises(th.errors.OneClassError):
        th.choose({"a": th.Ranking.parse("[2+]")})
    assert "careful" in repr(th.choose({"careful": CAREFUL}))


def test_weighted_models_on_the_same_rows_share_their_class_ratio():
    weights, labels = [0.1, 0.2, 0.3, 0.4, 0.5], [1, 0, 1, 1, 0]
    rankings = {
        "a": th.rank(labels, [5, 4, 3, 2, 1], weights=weights),
        "b": th.rank(labels, [1, 5, 2, 3, 4], weights=weights),
    }
    assert th.choose(rankings).model == "a"


def test_models_are_rankings_by_name():
    with pytest.raises(th.errors.ArgumentError, match="a ranking is needed, got the list"):
        th.choose([CAREFUL])  # type: ignore[call-overload]
    with pytest.raises(th.errors.ArgumentError, match=r"a ranking is needed, got the int 3\n.*model 'a'"):
        th.choose({"a": 3})  # type: ignore[dict-item]


@st.composite
def weighted_rows(draw):
    size = draw(st.integers(2, 9))
    labels = [1, 0, *draw(st.lists(st.integers(0, 1), min_size=size - 2, max_size=size - 2))]
    columns = {name: draw(st.lists(st.integers(1, 5), min_size=size, max_size=size)) for name in "abc"}
    weights = draw(st.lists(st.sampled_from([1, 2, 3, 0.1, 0.7]), min_size=size, max_size=size))
    return labels, columns, weights


@given(
    weighted_rows(),
    st.sampled_from([0.1, 1 / 3, 7e-5, 1e6, math.pi, 1e-12]),
    st.integers(1, 9),
    st.integers(1, 9),
    st.sampled_from([None, 0.25, 2]),
)
def test_the_unit_of_the_weights_changes_nothing(rows, factor, a, b, class_ratio):
    labels, columns, weights = rows
    condition = th.OperatingCondition(cost_ratio=a / b, class_ratio=class_ratio)

    def choices(by):
        rankings = {name: th.rank(labels, each, weights=[w * by for w in weights]) for name, each in columns.items()}
        joint = th.choose(rankings, condition)
        return joint, {name: th.choose(ranking, condition) for name, ranking in rankings.items()}

    (joint, single), (scaled, scaled_single) = choices(1), choices(factor)
    assert (joint.model, joint.tied, joint.runner_up) == (scaled.model, scaled.tied, scaled.runner_up)
    assert joint.holds_for == pytest.approx(scaled.holds_for, rel=1e-9)
    assert [(one.models, one.rule, one.point.split) for one in joint.ranges] == [
        (one.models, one.rule, one.point.split) for one in scaled.ranges
    ]
    ends = [[end for one in each.ranges for end in (one.low, one.high)] for each in (joint, scaled)]
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)
    for name, one in single.items():
        other = scaled_single[name]
        assert one.splits.tolist() == other.splits.tolist()
        assert one.holds_for == pytest.approx(other.holds_for, rel=1e-9)
        assert (one.runner_up is None) == (other.runner_up is None)
        assert one.runner_up is None or other.runner_up is None or one.runner_up.split == other.runner_up.split


def test_equal_models_stay_equal_in_any_unit():
    """The same table reached in another order: its sums round differently, its ranges do not."""
    labels, weights = [1, 0, 1, 1, 0, 0, 1], [0.1, 0.2, 0.3, 0.3, 0.1, 0.3, 0.2]
    scores = {"a": [7, 6, 5, 4, 3, 2, 1], "b": [5, 6, 7, 4, 3, 2, 1]}
    for factor in (1, 0.1, 1 / 3, 7e-5, 1e6):
        rankings = {name: th.rank(labels, each, weights=[w * factor for w in weights]) for name, each in scores.items()}
        joint = th.choose(rankings, th.OperatingCondition(cost_ratio=3))
        of_counts = th.choose(
            {name: th.rank(labels, each, weights=[round(10 * w) for w in weights]) for name, each in scores.items()},
            th.OperatingCondition(cost_ratio=3),
        )
        assert joint.holds_for == pytest.approx(of_counts.holds_for, rel=1e-9)
        assert [one.models for one in joint.ranges] == [one.models for one in of_counts.ranges]
