import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests import reference
from tests.inference import class_examples, oracles
from tests.inference.resampling_oracles import example
from thresher.calibration.cox import calibration_intercept, calibration_slope
from thresher.inference import influence as functions
from thresher.inference.class_rows import classified_rows
from thresher.inference.comparison.classes import CLASS_MEASURES
from thresher.inference.influence import (
    INFLUENCE,
    MATRIX_MEASURES,
    class_influence,
    influence_variance,
    row_influence,
    segment_influence,
)
from thresher.inference.rows import ScoredRows
from thresher.tables import quantity

STEP = 1e-6
TREE = th.Ranking([0.8, 2 / 3, 0.5, 1 / 3], pos=[20.0, 10.0, 0.0, 20.0], neg=[5.0, 5.0, 6.0, 40.0])


def part(name):
    return lambda ranking: getattr(th.decomposition(ranking, bins="hull"), name)


NUMBERS = {
    functions.average_precision_influence: th.average_precision,
    functions.pr_area_influence: th.pr_area,
    functions.ks_influence: lambda ranking: th.ks(ranking).statistic,
    functions.brier_influence: th.brier,
    functions.refinement_influence: part("refinement"),
    functions.uncertainty_influence: part("uncertainty"),
}


def slope(of, ranking, side, segment):
    """How a number changes with the cases of one segment, by adding and taking away a little."""
    ends = []
    for sign in (1, -1):
        counts = [ranking.pos.astype(np.float64), ranking.neg.astype(np.float64)]
        counts[side][segment] += sign * STEP
        ends.append(of(th.Ranking(ranking.score, *counts)))
    return (ends[0] - ends[1]) / (2 * STEP)


@pytest.mark.parametrize(("influence", "of"), NUMBERS.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_slopes_are_those_of_the_number(influence, of):
    result = influence(TREE)
    assert result.estimate == pytest.approx(of(TREE))
    for side, slopes in enumerate((result.pos, result.neg)):
        counts = (TREE.pos, TREE.neg)[side]
        for segment in np.flatnonzero(counts):
            assert slopes[segment] == pytest.approx(slope(of, TREE, side, segment), abs=1e-7), (side, segment)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=8))
def test_precision_recall_areas_of_any_ranking(counts):
    pos, neg = (np.array(side, dtype=np.float64) for side in zip(*[(2, 1), *counts, (1, 2)], strict=True))
    seen = pos + neg > 0
    ranking = th.Ranking(np.arange(seen.sum())[::-1], pos[seen], neg[seen])
    for influence in (functions.average_precision_influence, functions.pr_area_influence):
        result = influence(ranking)
        assert result.pos @ ranking.pos + result.neg @ ranking.neg == pytest.approx(0, abs=1e-9)
        for side, slopes in enumerate((result.pos, result.neg)):
            for segment in np.flatnonzero((ranking.pos, ranking.neg)[side]):
                assert slopes[segment] == pytest.approx(slope(NUMBERS[influence], ranking, side, segment), abs=1e-6)


def test_a_difference_has_the_difference_of_slopes():
    result = functions.brier_influence(TREE) - functions.refinement_influence(TREE)
    assert result.estimate == pytest.approx(th.decomposition(TREE).miscalibration)
    assert (
        result.pos.tolist() == (functions.brier_influence(TREE).pos - functions.refinement_influence(TREE).pos).tolist()
    )


def test_rows_without_weights_or_clusters_vary_as_cases_do():
    labels, scores = example(60, 2, ties=True)
    ranking, influence = th.rank(labels, scores), functions.average_precision_influence(th.rank(labels, scores))
    plain = functions.variance_by_cases(ranking)(influence)
    for weights in (None, np.full(60, 7.0)):
        rows = ScoredRows.of(labels, {"m": scores}, weights=weights)
        weighted = th.rank(labels, scores, weights=weights)
        slopes = functions.average_precision_influence(weighted)
        assert functions.shorten_sample(rows, "m", weighted, 60)[1](slopes) == pytest.approx(plain)
    many = ScoredRows.of(np.repeat(labels, 5), {"m": np.repeat(scores, 5)}, clusters=np.repeat(np.arange(60), 5))
    fivefold = th.rank(np.repeat(labels, 5), np.repeat(scores, 5))
    variance = functions.shorten_sample(many, "m", fivefold, 60)[1]
    clustered = variance(functions.average_precision_influence(fivefold))
    squares = (influence.pos**2 @ ranking.pos + influence.neg**2 @ ranking.neg) * 60 / 59
    assert clustered == pytest.approx(squares)


@pytest.mark.parametrize(
    "influence", [functions.average_precision_influence, functions.pr_area_influence, functions.refinement_influence]
)
def test_variances_are_what_simulation_finds(influence):
    result, claimed = [], []
    rng = np.random.default_rng(0)
    for _ in range(400):
        p = rng.random(300)
        ranking = th.rank(rng.random(300) < p, np.round(p, 2))
        result.append(influence(ranking).estimate)
        claimed.append(functions.variance_by_cases(ranking)(influence(ranking)))
    assert np.mean(claimed) == pytest.approx(np.var(result), rel=0.25)


def test_one_case_of_a_class_shows_no_spread():
    ranking = th.Ranking.parse("[1+][3-]")
    assert np.isnan(functions.variance_by_cases(ranking)(functions.average_precision_influence(ranking)))


VALUES = {
    "auc": th.auc,
    "partial_auc[fpr<=0.37]": lambda r: th.partial_auc(r, fpr=(0, 0.37)),
    "partial_auc[0.13<=fpr<=0.61]": lambda r: th.partial_auc(r, fpr=(0.13, 0.61)),
    "partial_auc[tpr>=0.53]": lambda r: th.partial_auc(r, tpr=(0.53, 1)),
    "standardised_partial_auc[fpr<=0.37]": lambda r: th.partial_auc(r, fpr=(0, 0.37), standardised=True),
    "standardised_partial_auc[tpr>=0.53]": lambda r: th.partial_auc(r, tpr=(0.53, 1), standardised=True),
    "average_precision": th.average_precision,
    "pr_area": th.pr_area,
    "brier": th.brier,
    "log_loss": lambda r: float(th.log_loss(r)),
    "miscalibration": lambda r: th.decomposition(r, bins="hull").miscalibration,
    "refinement": lambda r: th.decomposition(r, bins="hull").refinement,
    "discrimination": lambda r: th.decomposition(r, bins="hull").discrimination,
    "uncertainty": lambda r: th.decomposition(r, bins="hull").uncertainty,
    "net_benefit@0.35": lambda r: float(th.net_benefit(r, threshold=[0.35]).model[0]),
    "calibration_intercept": calibration_intercept,
    "calibration_slope": calibration_slope,
    "calibration_in_the_large": lambda r: r.prevalence - float((r.pos + r.neg) @ r.score) / r.total,
    "observed_expected": lambda r: r.Pos / float((r.pos + r.neg) @ r.score),
}


def test_every_influence_is_tried():
    assert {quantity(text).name for text in VALUES} == set(INFLUENCE)


def rankings():
    sizes = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=4, max_size=8)
    return sizes.map(
        lambda counts: th.Ranking(
            np.linspace(0.93, 0.06, len(counts)), [pos for pos, _ in counts], [neg for _, neg in counts]
        )
    )


@pytest.mark.parametrize("text", VALUES)
@settings(max_examples=15)
@given(ranking=rankings())
def test_slopes_are_derivatives(text, ranking):
    """Adding a little to a count moves the value by the slope; kinks, where the pools change, are left out."""
    asked, value, step = quantity(text), VALUES[text], 1e-4
    result = segment_influence(ranking, asked)
    assert result.estimate == pytest.approx(value(ranking), abs=1e-12)
    for side in ("pos", "neg"):
        for segment in range(len(ranking)):

            def moved(by, side=side, segment=segment):
                counts = {"pos": ranking.pos.astype(float), "neg": ranking.neg.astype(float)}
                counts[side] = counts[side].copy()
                counts[side][segment] += by
                return value(th.Ranking(ranking.score, counts["pos"], counts["neg"]))

            up, down = (moved(step) - value(ranking)) / step, (value(ranking) - moved(-step)) / step
            if abs(up - down) > 1e-3 * max(abs(up), abs(down), 1e-3):
                continue  # a kink
            assert getattr(result, side)[segment] == pytest.approx((up + down) / 2, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("declared", [None, 0.2])
@pytest.mark.parametrize("kind", ["plain", "weights", "clusters"])
def test_variances_are_those_of_resampling(declared, kind):
    """Rows drawn again by a loop: within classes at a declared mix, all together otherwise, entire clusters."""
    rng = np.random.default_rng(3)
    n = 160
    positive = rng.random(n) < 0.4
    score = 1 / (1 + np.exp(-(rng.normal(size=n) * 1.2 + positive - 0.5)))
    weight = rng.uniform(0.5, 2, n) if kind == "weights" else None
    cluster = rng.integers(0, 60, n) if kind == "clusters" else None

    def stated(weights):
        rows = ScoredRows.of(positive, {"m": score}, weights=weights, clusters=cluster)
        return rows if declared is None else rows.at_prevalence(declared, trained_at=0.4)

    def values_of(times):
        ranking = stated(times if weight is None else times * weight).ranking("m")
        return [value(ranking) for value in VALUES.values()]

    drawn = []
    for _ in range(300):
        if kind == "clusters":
            times = np.bincount(rng.integers(0, 60, 60), minlength=60)[cluster].astype(float)
        elif declared is None:
            times = np.bincount(rng.integers(0, n, n), minlength=n).astype(float)
        else:
            times = np.zeros(n)
            for side in (np.flatnonzero(positive), np.flatnonzero(~positive)):
                np.add.at(times, rng.choice(side, side.size), 1.0)
        drawn.append(values_of(times))
    rows = stated(weight)
    for text, estimate, spread in zip(VALUES, values_of(np.ones(n)), np.std(drawn, axis=0), strict=True):
        result = row_influence(rows, "m", quantity(text))
        assert result.estimate == pytest.approx(estimate, abs=1e-12), text
        slack = 0.45 if text == "miscalibration" else 0.25  # resamples fit more noise than the data
        expected = 0.0 if (text, declared) == ("uncertainty", 0.2) else spread
        assert math.sqrt(result.variance(rows.cluster)) == pytest.approx(expected, rel=slack, abs=1e-12), text


def test_brier_and_log_loss_differences_are_paired_means():
    rng = np.random.default_rng(1)
    positive = rng.random(200) < 0.3
    a, b = rng.uniform(0.05, 0.95, 200), rng.uniform(0.05, 0.95, 200)
    rows = ScoredRows.of(positive, {"a": a, "b": b})
    for text, loss in (
        ("brier", lambda p: (positive - p) ** 2),
        ("log_loss", lambda p: -np.log(np.where(positive, p, 1 - p))),
    ):
        one, other = (row_influence(rows, name, quantity(text)) for name in "ab")
        apart = loss(a) - loss(b)
        assert one.estimate - other.estimate == pytest.approx(apart.mean())
        spread = float(((one.values - other.values) ** 2).sum())
        assert spread == pytest.approx(apart.var(ddof=1) / 200, rel=0.01)


full = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(1, 40), min_size=k, max_size=k), min_size=k, max_size=k)
)


def matrix_value(name, counts):
    return MATRIX_MEASURES[name].value(th.ConfusionMatrix(counts, classes=range(len(counts))))


@pytest.mark.parametrize("name", MATRIX_MEASURES)
@given(full)
def test_slopes_are_what_a_little_more_of_a_cell_adds(name, counts):
    counts = np.array(counts, dtype=np.float64)
    slopes = MATRIX_MEASURES[name].slopes(counts)[1]
    for cell in np.ndindex(counts.shape):
        step = np.zeros_like(counts)
        step[cell] = 1e-5 * counts[cell]
        numeric = (matrix_value(name, counts + step) - matrix_value(name, counts - step)) / (2 * step[cell])
        assert slopes[cell] == pytest.approx(numeric, rel=1e-4, abs=1e-9)
    assert float((slopes * counts).sum()) == pytest.approx(0, abs=1e-12)  # the unit of counts does not matter


def test_a_class_without_cases_weighs_nothing():
    """It may still be called, and have no recall; what is weighted by cases knows nothing of it."""
    counts = np.array([[8.0, 2.0, 1.0], [1.0, 9.0, 2.0], [0.0, 0.0, 0.0]])
    for name in ("weighted_precision", "weighted_f1"):
        slopes = MATRIX_MEASURES[name].slopes(counts)[1]
        assert np.isfinite(slopes).all()
        for cell in ((0, 0), (0, 2), (1, 1), (1, 2)):
            step = np.zeros_like(counts)
            step[cell] = 1e-5
            numeric = (matrix_value(name, counts + step) - matrix_value(name, counts - step)) / 2e-5
            assert slopes[cell] == pytest.approx(numeric, rel=1e-5), (name, cell)


def test_kappa_has_the_variance_of_fleiss_cohen_and_everitt():
    """Their large-sample standard error (1969), written out term by term."""
    counts = np.array([[53.0, 5.0, 2.0], [11.0, 14.0, 5.0], [1.0, 6.0, 3.0]])
    share = counts / counts.sum()
    row, column = share.sum(axis=1), share.sum(axis=0)
    seen, chance = float(np.trace(share)), float(row @ column)
    kappa = (seen - chance) / (1 - chance)
    first = sum(share[i, i] * (1 - (row[i] + column[i]) * (1 - kappa)) ** 2 for i in range(3))
    second = sum(share[i, j] * (column[i] + row[j]) ** 2 for i in range(3) for j in range(3) if i != j)
    third = (kappa - chance * (1 - kappa)) ** 2
    expected = (first + (1 - kappa) ** 2 * second - third) / (1 - chance) ** 2 / counts.sum()
    assert float((MATRIX_MEASURES["kappa"].slopes(counts)[1] ** 2 * counts).sum()) == pytest.approx(expected)


def test_two_classes_are_one_table():
    counts = np.array([[30.0, 20.0], [10.0, 40.0]])
    table = th.Contingency(tp=30, fn=20, fp=10, tn=40)
    for name in ("mcc", "kappa"):
        expected = th.interval(table, name).variance
        assert float((MATRIX_MEASURES[name].slopes(counts)[1] ** 2 * counts).sum()) == pytest.approx(expected, rel=1e-6)


def test_correlations_may_be_below_0_and_averages_may_not():
    assert [name for name, known in MATRIX_MEASURES.items() if known.ends == (-1.0, 1.0)] == ["mcc", "kappa"]
    assert {known.ends for known in MATRIX_MEASURES.values()} == {(-1.0, 1.0), (0.0, 1.0)}


def influences(labels, matrix, **more):
    rows = classified_rows(labels, matrix, **more)
    return rows, class_influence(rows, "model")


@pytest.mark.parametrize(("classes", "ties"), [(3, True), (3, False), (4, True), (2, True)])
def test_they_are_what_a_little_more_of_a_row_adds(classes, ties):
    labels, models = class_examples.rows(16, 3, classes=classes, ties=ties)
    matrix, weights = models["poor"], np.random.default_rng(1).exponential(size=16) + 0.2
    # A cluster per row: nothing is corrected for in the influences themselves.
    _, result = influences(labels, matrix, weights=weights, clusters=range(16))
    columns = labels.tolist(), matrix.argmax(axis=1).tolist(), matrix.tolist(), weights.tolist()
    measures, added = reference.class_measures(*columns), reference.class_influence(*columns)
    assert set(result) == set(measures) == set(CLASS_MEASURES) - {"expected_cost"}
    for name, each in result.items():
        assert each.estimate == pytest.approx(measures[name], abs=1e-12), name
        assert each.values == pytest.approx(np.array(added[name]), abs=1e-8), name
        assert each.values.sum() == pytest.approx(0, abs=1e-12), name


def test_pairs_of_many_classes_are_not_held_at_once():
    labels, models = class_examples.rows(1500, 2, classes=60)
    rows = classified_rows(labels, models["poor"])
    tracemalloc.start()
    class_influence(rows, "model")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 60 * 59 * 1500  # bytes of a mask of rows for each pair


def test_squares_of_plain_rows_are_the_textbook_variances():
    labels, models = class_examples.rows(40, 5)
    matrix = models["poor"]
    _, result = influences(labels, matrix)
    right = matrix.argmax(axis=1) == labels
    squares = ((matrix - np.eye(3)[labels]) ** 2).sum(axis=1) / 2
    assert result["overall_accuracy"].variance(None) == pytest.approx(right.var(ddof=1) / 40)
    assert result["brier"].variance(None) == pytest.approx(squares.var(ddof=1) / 40)
    of_classes = [right[labels == c].var(ddof=1) / (labels == c).sum() for c in range(3)]
    assert result["macro_recall"].variance(None) == pytest.approx(sum(of_classes) / 9)


def test_two_classes_are_delongs():
    labels, models = class_examples.rows(30, 6, classes=2, ties=True)
    scores = [matrix[:, 1] for matrix in models.values()]
    a, b = (influences(labels, matrix)[1] for matrix in models.values())
    covariance = oracles.delong_covariance(labels == 1, scores)
    for name in ("one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro", "one_vs_one_weighted"):
        assert a[name].values @ b[name].values == pytest.approx(covariance[0, 1], abs=1e-12)
        assert a[name].variance(None) == pytest.approx(covariance[0, 0], abs=1e-12)


def test_influences_of_a_cluster_add_up():
    labels, models = class_examples.rows(24, 7)
    single, one = influences(labels, models["good"], clusters=range(24))
    tenfold, many = influences(
        np.repeat(labels, 10), np.repeat(models["good"], 10, axis=0), clusters=np.repeat(np.arange(24), 10)
    )
    for name, each in one.items():
        assert many[name].variance(tenfold.cluster) == pytest.approx(each.variance(single.cluster)), name


def test_the_unit_of_weights_does_not_matter():
    labels, models = class_examples.rows(24, 8)
    weights = np.random.default_rng(0).exponential(size=24)
    (_, one), (_, million) = (influences(labels, models["good"], weights=weights * unit) for unit in (1, 1e6))
    for name, each in one.items():
        assert million[name].estimate == pytest.approx(each.estimate)
        assert million[name].values == pytest.approx(each.values)


def test_variances_of_differences_are_what_simulation_finds():
    measures = [name for name in CLASS_MEASURES if name != "expected_cost"]
    claimed: dict[str, list[float]] = {name: [] for name in measures}
    result: dict[str, list[float]] = {name: [] for name in measures}
    for seed in range(300):
        labels, models = class_examples.rows(120, 100 + seed)
        a, b = (influences(labels, matrix)[1] for matrix in models.values())
        for name in measures:
            result[name].append(a[name].estimate - b[name].estimate)
            claimed[name].append(influence_variance(a[name].values - b[name].values, None))
    for name in measures:
        assert np.mean(claimed[name]) == pytest.approx(np.var(result[name]), rel=0.2), name


def test_losses_that_are_undefined():
    labels, models = class_examples.rows(12, 1)
    _, result = influences(labels, models["good"])
    assert result["one_vs_rest_macro"].estimate == th.segment(labels, models["good"]).areas.one_vs_rest_macro
    certain = np.eye(3)[(labels + 1) % 3]
    _, wrong = influences(labels, certain)
    assert wrong["log_loss"].estimate == math.inf
    assert np.isnan(wrong["log_loss"].values).all()


def test_one_case_of_one_of_several_classes_shows_no_spread():
    _, result = influences([0, 0, 1, 1, 2], [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1]] * 2 + [[0.1, 0.1, 0.8]])
    assert math.isnan(result["macro_recall"].variance(None))
    assert math.isnan(result["one_vs_one_macro"].variance(None))
    assert result["overall_accuracy"].variance(None) > 0
