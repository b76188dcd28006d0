import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.reference import costs
from tests.strategies import rough_weights, two_class_rankings, weights

EMAILS = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])
LINEAR = th.rank([1, 1, 1, 0, 1, 0, 0, 1, 0, 0], range(10, 0, -1))
TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])


@st.composite
def long_rankings(draw):
    """Hundreds of small segments along a concave or a straight curve, so that edges hide many splits."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size, steep = draw(st.integers(2, 400)), draw(st.sampled_from([0.0, 1.0, 3.0]))
    pos = rng.random(size) < 1 / (1 + np.exp(steep * np.linspace(-1, 1, size)))
    pos[0], pos[-1] = True, False
    times = rng.integers(1, draw(st.sampled_from([2, 5])), size)
    return th.Ranking(np.arange(size, 0, -1), pos * times, ~pos * times)


def weighted(of):
    heavy = st.lists(st.tuples(of, of).filter(any), min_size=2, max_size=12)
    both = heavy.filter(lambda segments: all(any(side) for side in zip(*segments, strict=True)))
    return both.map(lambda segments: th.Ranking(range(len(segments), 0, -1), *zip(*segments, strict=True)))


weighted_two_class_rankings = st.one_of(weighted(weights), weighted(rough_weights))
ratios = st.tuples(st.integers(1, 12), st.integers(1, 12))


@given(two_class_rankings, ratios, ratios)
def test_chosen_split_is_cheapest_and_all_ties_are_returned(ranking, class_ratio, cost_ratio):
    choice = th.choose(ranking, th.OperatingCondition(class_ratio[0] / class_ratio[1], cost_ratio[0] / cost_ratio[1]))
    loss = costs(ranking, Fraction(*class_ratio), Fraction(*cost_ratio))
    assert choice.splits.tolist() == [split for split, cost in enumerate(loss) if cost == min(loss)]
    worse = [cost for cost in loss if cost > min(loss)]
    if worse:
        assert choice.runner_up is not None
        assert loss[choice.runner_up.split] == min(worse)
    else:
        assert choice.runner_up is None


@given(two_class_rankings, ratios, ratios)
def test_expected_cost_is_the_lowest_of_all_tables(ranking, class_ratio, cost_ratio):
    condition = th.OperatingCondition(class_ratio[0] / class_ratio[1], cost_ratio[0] / cost_ratio[1])
    choice = th.choose(ranking, condition)
    assert choice.expected_cost == pytest.approx(np.min(condition.expected_cost(th.coverage(ranking))))


@given(two_class_rankings, ratios)
def test_the_choice_holds_inside_its_range_and_not_outside(ranking, cost_ratio):
    ratio = cost_ratio[0] / cost_ratio[1]
    choice = th.choose(ranking, th.OperatingCondition(cost_ratio=ratio))
    assert choice.holds_for is not None
    low, high = choice.holds_for
    assert low <= ratio * (1 + 1e-9)
    assert ratio <= high * (1 + 1e-9)
    chosen = choice.point.split
    own_class_ratio = Fraction(ranking.Pos, ranking.Neg)
    for inside in (low * 1.001 + 1e-9, high * 0.999):
        if low < inside < high and math.isfinite(inside):
            loss = costs(ranking, own_class_ratio, Fraction(inside))
            assert loss[chosen] == min(loss)
    for outside in (low * 0.999, high * 1.001):
        if 0 < outside < math.inf and not low <= outside <= high:
            loss = costs(ranking, own_class_ratio, Fraction(outside))
            assert loss[chosen] > min(loss)


@given(
    two_class_rankings,
    st.sampled_from(["accuracy", "f1", "average_recall", "kappa", "precision", "mcc", "youden_j", "lift", "f2"]),
)
def test_no_split_beats_the_one_chosen_for_a_measure(ranking, name):
    values = np.asarray(th.tables.measure(name).of(th.coverage(ranking)))
    if np.isnan(values).all():
        with pytest.raises(th.errors.MeasureError, match="undefined"):
            th.choose(ranking, maximise=name)
        return
    choice = th.choose(ranking, maximise=name)
    best = np.nanmax(values)
    assert choice.value == pytest.approx(best)
    assert choice.splits.tolist() == np.flatnonzero(np.isclose(values, best, rtol=1e-14, atol=0)).tolist()


STRAIGHT = [
    *("accuracy", "error_rate", "tpr", "fnr", "fpr", "tnr", "precision", "false_discovery_rate", "npv", "f1", "f0.3"),
    *("false_omission_rate", "average_recall", "balanced_error_rate", "youden_j", "jaccard", "kappa", "lr_plus"),
    *("lr_minus", "lift"),
]


@given(
    st.one_of(two_class_rankings, weighted_two_class_rankings, long_rankings()),
    st.sampled_from(STRAIGHT),
    st.one_of(st.none(), st.fractions(Fraction(1, 50), 50, max_denominator=60)),
)
def test_a_search_of_the_hull_finds_what_a_search_of_every_split_finds(ranking, name, class_ratio):
    condition = None if class_ratio is None else th.OperatingCondition(class_ratio=float(class_ratio))
    how = "maximise" if th.tables.measure(name).better == "higher" else "minimise"
    try:
        options: dict[str, Any] = {how: name, "at_most": ranking.total}  # a constraint that all splits meet
        everywhere = th.choose(ranking, condition, **options)
    except th.errors.MeasureError:
        with pytest.raises(th.errors.MeasureError, match="undefined"):
            th.choose(ranking, condition, **{how: name})
        return
    options = {how: name}
    choice = th.choose(ranking, condition, **options)
    assert choice.splits.tolist() == everywhere.splits.tolist()
    assert choice.value == everywhere.value
    assert choice.runner_up == everywhere.runner_up
    assert choice.holds_for == pytest.approx(everywhere.holds_for, rel=1e-12)  # slopes of weights round


@given(two_class_rankings, st.floats(0, 1), st.integers(0, 30))
def test_constraints_and_capacity_against_brute_force(ranking, least, capacity):
    curve = th.coverage(ranking)
    fits = (curve.tpr >= least) & (curve.tp + curve.fp <= capacity)
    if not fits.any():
        with pytest.raises(th.errors.InfeasibleError):
            th.choose(ranking, subject_to=f"recall >= {least!r}", at_most=capacity)
        return
    choice = th.choose(ranking, subject_to=f"recall >= {least!r}", at_most=capacity)
    errors = np.where(fits, curve.fp + curve.fn, np.inf)
    assert choice.splits.tolist() == np.flatnonzero(errors == errors.min()).tolist()


@given(two_class_rankings, st.integers(2, 5))
def test_weights_choose_as_replicated_rows_do(ranking, times):
    weighted = th.Ranking(ranking.score, ranking.pos * float(times), ranking.neg * float(times))
    condition = th.OperatingCondition(cost_ratio=3)
    assert th.choose(weighted, condition).splits.tolist() == th.choose(ranking, condition).splits.tolist()


def test_every_point_carries_its_interval_of_equivalent_thresholds():
    tied = th.choose(EMAILS, th.OperatingCondition(class_ratio=3 / 4))
    assert [point.interval for point in tied.points] == [(0.74, 0.80), (0.49, 0.63), (0.24, 0.32)]
    for point in tied.points:
        low, high = point.interval
        for threshold in (np.nextafter(low, high), point.threshold, high):
            assert th.tables.contingency_at(EMAILS, threshold) == point.table


def test_of_two_middles_the_stricter_is_recommended():
    choice = th.choose(LINEAR, maximise="accuracy")
    assert [(point.table.fp, point.table.tp) for point in choice.points] == [(0, 3), (1, 4)]
    assert choice.table.tp == 3


def test_average_recall_is_slope_one_in_roc_space():
    by_measure = th.choose(TREE, maximise="average_recall")
    by_condition = th.choose(TREE, th.OperatingCondition(class_ratio=1, cost_ratio=1))
    assert by_measure.splits.tolist() == by_condition.splits.tolist()


def test_measures_follow_the_declared_class_ratio():
    rare = th.OperatingCondition(class_ratio=0.01)
    ranking = th.Ranking.parse("[3+][5+,1-][2+,9-]")
    assert th.choose(ranking, maximise="f1").table.tp == 8
    assert th.choose(ranking, rare, maximise="f1").table.tp == 3
    with pytest.raises(th.errors.InfeasibleError, match="precision"):
        th.choose(th.Ranking.parse("[3+,1-][5-]"), rare, subject_to="precision >= 0.5")


def test_a_function_of_the_table_may_be_the_objective():
    choice = th.choose(TREE, maximise=lambda table: table.tp - 3 * table.fp)
    assert choice.table == th.Contingency(tp=20, fn=30, fp=5, tn=45)
    with pytest.raises(th.errors.MeasureError, match="shape"):
        th.choose(TREE, maximise=lambda _: 1.0)


def test_measures_are_taken_in_their_own_direction_only():
    assert th.choose(TREE, minimise="error_rate").table == th.choose(TREE, maximise="accuracy").table
    with pytest.raises(th.errors.MeasureError, match="better when lower"):
        th.choose(TREE, maximise="error_rate")
    with pytest.raises(th.errors.MeasureError, match="better when higher"):
        th.choose(TREE, minimise="recall")
    assert th.choose(TREE, maximise="predicted_positive_rate").point.split == 3


def test_infeasible_says_how_close_one_can_get():
    with pytest.raises(th.errors.InfeasibleError, match=r"precision >= 0.9.*precision = 0.8"):
        th.choose(TREE, subject_to="precision >= 0.9")
    with pytest.raises(th.errors.InfeasibleError, match="other constraints"):
        th.choose(TREE, subject_to=["fpr <= 0.05", "recall >= 0.1"])


def test_bad_arguments():
    with pytest.raises(th.errors.MeasureError, match="acuracy"):
        th.choose(TREE, maximise="acuracy")
    with pytest.raises(th.errors.ArgumentError, match="both"):
        th.choose(TREE, maximise="f1", minimise="fpr")
    with pytest.raises(th.errors.ArgumentError, match="at_most"):
        th.choose(TREE, at_most=-1)
    with pytest.raises(th.errors.OneClassError):
        th.choose(th.Ranking.parse("[3+][1+]"))


def test_to_call_nothing_positive_refuses_a_score_of_plus_infinity():
    ranking = th.Ranking([math.inf, 0], pos=[0, 1], neg=[9, 1])
    for nothing in (th.choose(ranking), th.choose(ranking, at_most=3)):
        assert (nothing.point.split, nothing.threshold, nothing.table.predicted_positive) == (0, math.inf, 0)
        assert th.tables.contingency_at(ranking, nothing.threshold) == nothing.table
    only = th.choose(turned := th.Ranking([math.inf, 0], pos=[9, 1], neg=[0, 9]))
    assert (only.point.split, only.threshold) == (1, sys.float_info.max)
    assert th.tables.contingency_at(turned, only.threshold) == only.table


def test_undefined_everywhere_is_an_error_and_not_a_number():
    with pytest.raises(th.errors.MeasureError, match="undefined"):
        th.choose(TREE, maximise="precision", at_most=0)


def test_counts_beyond_int64_products_are_still_exact():
    big = th.Ranking([3, 2, 1], pos=[2 * 10**9, 10**9, 10**9], neg=[10**9, 10**9, 2 * 10**9])
    choice = th.choose(big, th.OperatingCondition(class_ratio=1, cost_ratio=1))
    assert choice.splits.tolist() == [1, 2]  # tpr - fpr is exactly 1/4 at both


def test_choice_reads_well():
    assert repr(th.choose(EMAILS)) == "Choice(threshold=0.28, expected cost 0.2)"
    assert "3 tied" in repr(th.choose(EMAILS, th.OperatingCondition(class_ratio=3 / 4)))


def test_trap_19_every_distinct_score_is_a_candidate():
    rng = np.random.default_rng(0)
    labels = rng.random(20_000) < 0.002
    scores = rng.beta(1, 200, 20_000) + labels * rng.beta(1, 30, 20_000)
    condition = th.OperatingCondition(cost_ratio=50)
    ranking = th.rank(labels, scores)
    on_grid = condition.expected_cost(th.tables.contingency_at(ranking, np.linspace(0, 1, 100))).min()
    assert th.choose(ranking, condition).expected_cost < 0.98 * on_grid


def test_trap_20_costs_are_asymmetric():
    dear_alarm = th.choose(TREE, th.OperatingCondition(cost_fp=3, cost_fn=1))
    dear_miss = th.choose(TREE, th.OperatingCondition(cost_fp=1, cost_fn=3))
    assert (dear_alarm.table.fp, dear_alarm.table.tp) == (5, 20)
    assert (dear_miss.table.fp, dear_miss.table.tp) == (50, 50)


def test_trap_21_a_class_ratio_taken_from_the_data_is_reported():
    assert "class-ratio-from-data" in [caution.code for caution in th.choose(TREE).cautions]
    assert not th.choose(TREE, th.OperatingCondition(class_ratio=1)).cautions


def test_trap_22_all_negative_and_all_positive_are_real_options():
    never = th.choose(TREE, th.OperatingCondition(cost_ratio=0.01))
    always = th.choose(TREE, th.OperatingCondition(cost_ratio=100))
    assert never.threshold == math.inf
    assert always.threshold == -math.inf
    assert "all-negative" in [caution.code for caution in never.cautions]
    assert "all-positive" in [caution.code for caution in always.cautions]


def test_trap_23_all_ties_come_with_their_intervals():
    tied = th.choose(EMAILS, th.OperatingCondition(class_ratio=3 / 4))
    assert len(tied.points) == 3
    assert tied.undecided == (0.28, 0.77)
    assert th.choose(EMAILS).undecided is None


def test_trap_25_youden_is_never_the_default():
    ranking = th.Ranking.parse("[1+][1+,4-][20-]")
    assert th.choose(ranking).table != th.choose(ranking, maximise="youden_j").table


tenths = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any), min_size=2, max_size=8).filter(
    lambda counts: any(p for p, _ in counts) and any(n for _, n in counts)
)


@given(tenths, st.sampled_from(["recall >= 1", "recall >= 0.9", "fpr <= 0.3", "precision >= 0.5"]))
def test_weights_in_tenths_choose_as_replicated_rows_do(counts, limit):
    score = list(range(len(counts), 0, -1))
    rows = th.Ranking(score, [p for p, _ in counts], [n for _, n in counts])
    labels = [True] * rows.Pos + [False] * rows.Neg
    scores = np.concatenate([np.repeat(rows.score, rows.pos), np.repeat(rows.score, rows.neg)])
    weighted = th.rank(labels, scores, weights=np.full(len(labels), 0.1))
    for options in ({}, {"maximise": "f1"}, {"maximise": "youden_j"}, {"maximise": "dor"}, {"subject_to": limit}):
        try:
            expected = th.choose(rows, **options)
        except th.ThresherError as error:
            with pytest.raises(type(error)):
                th.choose(weighted, **options)
            continue
        choice = th.choose(weighted, **options)
        assert choice.splits.tolist() == expected.splits.tolist()
        assert choice.holds_for == expected.holds_for
        assert choice.expected_cost == pytest.approx(expected.expected_cost)


@given(two_class_rankings, ratios, ratios)
def test_holds_for_at_a_declared_class_ratio(ranking, class_ratio, cost_ratio):
    declared, ratio = Fraction(*class_ratio), Fraction(*cost_ratio)
    choice = th.choose(ranking, th.OperatingCondition(float(declared), float(ratio)))
    assert choice.holds_for is not None
    low, high = choice.holds_for
    for inside in (low + (high - low) / 3 if math.isfinite(high) else low * 2 + 1,):
        loss = costs(ranking, declared, Fraction(inside))
        assert loss[choice.point.split] <= min(loss) * (1 + Fraction(1, 10**9))
    if math.isfinite(high):
        loss = costs(ranking, declared, Fraction(high * 1.001))
        assert loss[choice.point.split] > min(loss)


@given(two_class_rankings, st.integers(0, 20))
def test_holds_for_among_the_splits_allowed(ranking, capacity):
    choice = th.choose(ranking, th.OperatingCondition(cost_ratio=2), at_most=capacity)
    assert choice.holds_for is not None
    curve = th.coverage(ranking)
    allowed = np.flatnonzero(curve.tp + curve.fp <= capacity)
    low, high = choice.holds_for
    for ratio in (low * 1.0001 + 1e-9, high * 0.9999 if math.isfinite(high) else low * 3 + 1):
        if low < ratio < high:
            loss = costs(ranking, Fraction(ranking.Pos, ranking.Neg), Fraction(ratio))
            assert loss[choice.point.split] == min(loss[split] for split in allowed)


@pytest.mark.parametrize(
    "condition", [{"cost_ratio": 1e-100}, {"class_ratio": 1e100, "cost_ratio": 1e10}, {"cost_fp": 1e-100}]
)
def test_extreme_conditions_have_an_answer(condition):
    choice = th.choose(TREE, th.OperatingCondition(**condition))
    assert choice.point.split in (0, len(TREE))
    assert th.choose(TREE, th.OperatingCondition(**condition), maximise="f1").splits.size


def test_a_near_tie_beyond_int64_is_no_tie():
    huge = th.Ranking([2, 1], pos=[10**9 + 1, 10**9], neg=[10**9, 10**9 + 1])
    # At this cost ratio split 1 beats split 0 by one part in 10^18.
    choice = th.choose(huge, th.OperatingCondition(class_ratio=1, cost_fp=1_000_001, cost_fn=1_000_000))
    loss = costs(huge, Fraction(1), Fraction(1_000_000, 1_000_001))
    assert choice.splits.tolist() == [split for split, cost in enumerate(loss) if cost == min(loss)]


@pytest.mark.parametrize("wrong", ["accuracy", 5, {"cost_ratio": 2}])
def test_a_condition_is_an_operating_condition(wrong):
    with pytest.raises(th.errors.ArgumentError, match="an operating condition is needed"):
        th.choose(TREE, wrong)
    with pytest.raises(th.errors.ArgumentError, match="an operating condition is needed"):
        th.choose({"tree": TREE}, wrong)


def test_what_cannot_be_met_comes_with_the_closest_value():
    tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    with pytest.raises(th.errors.InfeasibleError, match=r"meets precision >= 0\.9; the closest is precision = 0\.8"):
        th.choose(tree, subject_to="precision >= 0.9")
    with pytest.raises(th.errors.InfeasibleError, match="the closest is precision = nan"):
        th.choose(tree, subject_to=["tpr <= 0", "precision >= 0.9"])


def test_weights_and_extreme_costs_are_compared_beyond_floats():
    ranking = th.rank([1, 0], [2, 1], weights=[0.7, math.pi])
    for cost_ratio, tied in ((1e-100, [0, 1]), (1e100, [1, 2])):  # one kind of error costs next to nothing
        choice = th.choose(ranking, th.OperatingCondition(class_ratio=0.5, cost_ratio=cost_ratio))
        assert choice.splits.tolist() == tied


def test_a_capacity_is_met_by_weights_whose_sum_rounds_past_it():
    ranking = th.rank([1, 1, 0], [3, 2, 1], weights=[0.1, 0.2, 1.0])
    assert 0.1 + 0.2 > 0.3
    assert th.choose(ranking, at_most=0.3).splits.tolist() == [2]
    assert th.choose(ranking, at_most=0.29).splits.tolist() == [1]


@pytest.mark.parametrize("class_ratio", [0.1, 1 / 3, 3.4747712345, 1e-7])
def test_measures_of_rates_alone_know_no_class_ratio(class_ratio):
    """So splits tie, and bounds are met, as counts say: weighed by a class ratio, 0.3 may come out below 0.3."""
    condition = th.OperatingCondition(class_ratio=class_ratio)
    ranking = th.Ranking.parse("[3+,2-][3+,4-][4+,2-][10-]")
    for tpr in (0.3, 0.6):
        choice = th.choose(ranking, condition, minimise="fpr", subject_to=f"tpr >= {tpr}")
        assert choice.table.tpr == tpr
    tied = th.Ranking.parse("[1+][3+,3-][3+,3-][1-]")
    assert th.choose(tied, condition, maximise="youden_j").splits.tolist() == [1, 2, 3]
    for name, known in th.MEASURES.items():
        table = th.Contingency(tp=3, fn=4, fp=2, tn=9)
        if not known.depends_on_mix:
            assert known.of(table, class_ratio=class_ratio) == known.of(table), name
        elif class_ratio != table.class_ratio:
            assert known.of(table, class_ratio=class_ratio) != known.of(table), name


@given(two_class_rankings, st.floats(1e-6, 1e6))
def test_ties_of_rates_are_those_of_counts_at_any_class_ratio(ranking, class_ratio):
    for name in ("youden_j", "average_recall", "g_mean"):
        declared = th.choose(ranking, th.OperatingCondition(class_ratio=class_ratio), maximise=name)
        assert declared.splits.tolist() == th.choose(ranking, maximise=name).splits.tolist()


@pytest.mark.parametrize(
    ("text", "name", "class_ratio", "best"),
    [
        ("[7+,3-][1+,2-][5+,1-][4+,5-][6+][5+,1-]", "kappa", 1e-9, [0, 1, 6]),
        ("[3+,3-][4-][6+,2-][5+,5-]", "mcc", math.e, [1, 3]),
        ("[3+,3-][4-][6+,2-][5+,5-]", "markedness", math.e, [1, 3]),
        ("[1+,2-][3+,6-][8+]", "f0.7", math.pi, [3]),
    ],
)
def test_ties_at_a_declared_mix_are_settled_in_fractions(text, name, class_ratio, best):
    choice = th.choose(th.Ranking.parse(text), th.OperatingCondition(class_ratio=class_ratio), maximise=name)
    assert choice.splits.tolist() == best
