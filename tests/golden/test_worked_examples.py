import math

import numpy as np
import pytest

import thresher as th
from tests.golden.worked_examples import (
    EMAILS,
    R8_AT,
    R8_FPR,
    R8_LABELS,
    R8_PRECISION,
    R8_SCORES,
    R8_TPR,
    R10_NOT_MONOTONE,
    R11_COIN,
    RANKINGS,
    TABLES,
    Printed,
)

MEASURED = [(id_, name) for id_, (_, values) in TABLES.items() for name in values]


def stating(what):
    return [id_ for id_, example in RANKINGS.items() if getattr(example, what)]


@pytest.mark.parametrize(("id_", "name"), MEASURED)
def test_measures_of_tables(id_, name):
    table, values = TABLES[id_]
    value, expected = getattr(table, name), values[name]
    if isinstance(expected, Printed):
        assert expected.matches(value)
    else:
        assert value == pytest.approx(expected, rel=1e-15, nan_ok=True)


def test_c2_is_the_independent_table_of_c1():
    c1, c2 = TABLES["C1 spam tree"][0], TABLES["C2 independent"][0]
    assert c1.independent() == c2


def test_c3_accuracy_is_the_mean_of_the_recalls_weighted_by_class():
    c3 = TABLES["C3 three to one"][0]
    assert c3.prevalence * c3.tpr + (1 - c3.prevalence) * c3.tnr == pytest.approx(c3.accuracy)
    assert c3.prevalence == 0.75


@pytest.mark.parametrize("id_", ["C4 reluctant search engine", "C5 always negative"])
def test_c4_and_c5_say_why_precision_is_undefined(id_):
    assert TABLES[id_][0].describe("precision") == "precision undefined: nothing is predicted positive"


@pytest.mark.parametrize(
    ("cost_fp", "cost_fn", "best"), [(2, 1, {"C7 M2"}), (1, 2, {"C7 M1"}), (1, 1, {"C7 M1", "C7 M2", "C7 M3"})]
)
def test_c8_costs_decide_between_equally_accurate_models(cost_fp, cost_fn, best):
    costs = {id_: cost_fp * table.fp + cost_fn * table.fn for id_, (table, _) in TABLES.items() if id_.startswith("C7")}
    assert {id_ for id_, cost in costs.items() if cost == min(costs.values())} == best


def test_c9_dominance_needs_more_tp_and_fewer_fp():
    c1, c2 = TABLES["C1 spam tree"][0], TABLES["C2 independent"][0]
    more_of_both = th.Contingency(tp=40, fn=10, fp=20, tn=30)
    assert c1.dominates(c2)
    assert not c2.dominates(c1)
    assert not c1.dominates(more_of_both)
    assert not more_of_both.dominates(c1)
    assert c1.accuracy == more_of_both.accuracy  # joined by a line of slope 1 in coverage space


def test_c9_equal_average_recall_is_a_line_of_slope_one_in_roc_space():
    one, other = th.Contingency(tp=60, fn=15, fp=10, tn=15), th.Contingency(tp=45, fn=30, fp=5, tn=20)
    assert (one.tpr - other.tpr) / (one.fpr - other.fpr) == pytest.approx(1)
    assert one.average_recall == other.average_recall


@pytest.mark.parametrize("beta", [0.5, 1, 2, 3])
def test_c11_f_measures_are_weighted_harmonic_means(beta):
    table = TABLES["C6 e-mail validation set"][0]
    P, R = table.precision, table.recall
    assert table.f_beta(beta) == pytest.approx((1 + beta**2) * P * R / (beta**2 * P + R))
    assert table.f1 == pytest.approx(2 * P * R / (P + R))


@pytest.mark.parametrize("id_", stating("points"))
def test_points_of_the_coverage_curve(id_):
    curve = th.coverage(RANKINGS[id_].ranking)
    assert list(zip(curve.fp.tolist(), curve.tp.tolist(), strict=True)) == RANKINGS[id_].points
    assert (curve.fn == curve.tp[-1] - curve.tp).all()
    assert (curve.tn == curve.fp[-1] - curve.fp).all()


@pytest.mark.parametrize("id_", stating("auc"))
def test_auc(id_):
    assert th.auc(RANKINGS[id_].ranking) == RANKINGS[id_].auc


@pytest.mark.parametrize("id_", stating("pairs"))
def test_pairs(id_):
    result = th.pairs(RANKINGS[id_].ranking)
    assert (result.won, result.tied, result.lost) == RANKINGS[id_].pairs


@pytest.mark.parametrize("id_", stating("correct"))
def test_cases_called_right_at_each_split(id_):
    curve = th.coverage(RANKINGS[id_].ranking)
    assert (curve.tp + curve.tn).tolist() == RANKINGS[id_].correct


@pytest.mark.parametrize("id_", stating("slopes"))
def test_slopes_of_segments(id_):
    r = RANKINGS[id_].ranking
    assert (r.pos / r.neg).tolist() == RANKINGS[id_].slopes
    assert np.log2(r.pos / r.neg).tolist() == r.score.tolist()


@pytest.mark.parametrize("id_", stating("at"))
def test_tables_at_thresholds(id_):
    for threshold, (fp, tp) in RANKINGS[id_].at.items():
        table = th.tables.contingency_at(RANKINGS[id_].ranking, threshold)
        assert (table.fp, table.tp) == (fp, tp)


@pytest.mark.parametrize("id_", stating("hull"))
def test_hulls(id_):
    pooled = th.hull(RANKINGS[id_].ranking)
    assert str(pooled) == RANKINGS[id_].hull
    if RANKINGS[id_].hull_auc:
        assert th.auc(pooled) == RANKINGS[id_].hull_auc


def test_r1_ranking_errors():
    result = th.pairs(RANKINGS["R1 scoring tree"].ranking)
    assert result.lost == 150 + 100
    assert result.tied == 800 + 50 + 100
    assert result.lost + result.tied / 2 == 725
    assert th.curves.ranking_error(RANKINGS["R1 scoring tree"].ranking) == 0.29


def test_r2_doubling_negatives_leaves_roc_alone():
    r1, r2 = (th.roc(RANKINGS[id_].ranking) for id_ in ("R1 scoring tree", "R2 negatives doubled"))
    assert r1[0].tolist() == r2[0].tolist()
    assert r1[1].tolist() == r2[1].tolist()


def test_r3_best_accuracy_is_reached_twice():
    curve = th.coverage(RANKINGS["R3 linear classifier"].ranking)
    best = np.flatnonzero(curve.accuracy == curve.accuracy.max())
    assert curve.accuracy.max() == 0.80
    assert [(curve.fp[k], curve.tp[k]) for k in best] == [(0, 3), (1, 4)]
    assert th.coverage(RANKINGS["R3 grouped at A, B, C"].ranking).fpr[2] == 0.20


def test_r4_thresholds_lie_midway():
    thresholds = th.coverage(EMAILS).threshold
    assert thresholds[8] == pytest.approx(0.28)
    assert thresholds[5] == pytest.approx(0.56)


def test_r5_empirical_probabilities_of_the_hull():
    pooled = th.hull(EMAILS)
    cases = pooled.pos + pooled.neg
    assert np.repeat(pooled.pos / cases, cases).tolist() == [1, 1, *[2 / 3] * 6, 0, 0]
    assert pooled.score.tolist() == [0.89, 0.80, 0.63, 0.32, 0.24, 0.13]


def test_r8_rates_and_precision_at_thresholds():
    table = th.tables.contingency_at(th.rank(R8_LABELS, R8_SCORES), R8_AT)
    assert table.tpr.tolist() == R8_TPR
    assert table.fpr.tolist() == R8_FPR
    np.testing.assert_array_equal(table.precision, R8_PRECISION)


def test_r9_a_perfect_ranking_has_all_the_area():
    r = RANKINGS["R9 perfect"].ranking
    assert th.auc(r) == th.pr_area(r) == th.average_precision(r) == 1.0


def test_r10_precision_is_not_monotone():
    precision = th.coverage(R10_NOT_MONOTONE).precision
    assert math.isnan(precision[0])
    steps = np.diff(precision[1:])
    assert (steps > 0).any()
    assert (steps < 0).any()


@pytest.mark.parametrize("threshold", R11_COIN)
def test_r11_a_fair_coin_reaches_the_middle_of_a_segment(threshold):
    coin = th.curves.randomized_rule(RANKINGS["R1 scoring tree"].ranking, threshold)
    assert (coin.table.fp, coin.table.tp) == R11_COIN[threshold]


@pytest.mark.parametrize("probability", [0, 0.1, 0.25, 1])
def test_r11_a_biased_coin_reaches_any_point_of_the_line(probability):
    coin = th.curves.randomized_rule(RANKINGS["R1 scoring tree"].ranking, -1, probability=probability)
    assert (coin.table.fp, coin.table.tp) == pytest.approx((10 + 40 * probability, 30 + 20 * probability))
