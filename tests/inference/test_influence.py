""""""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.inference.resampling_oracles import example
from thresher.calibration.cox import calibration_intercept, calibration_slope
from thresher.inference import influence as functions
from thresher.inference.influence import INFLUENCE, row_influence, segment_influence
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
    found = influence(TREE)
    assert found.estimate == pytest.approx(of(TREE))
    for side, slopes in enumerate((found.pos, found.neg)):
        counts = (TREE.pos, TREE.neg)[side]
        for segment in np.flatnonzero(counts):
            assert slopes[segment] == pytest.approx(slope(of, TREE, side, segment), abs=1e-7), (side, segment)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=8))
def test_precision_recall_areas_of_any_ranking(counts):
    pos, neg = (np.array(side, dtype=np.float64) for side in zip(*[(2, 1), *counts, (1, 2)], strict=True))
    seen = pos + neg > 0
    ranking = th.Ranking(np.arange(seen.sum())[::-1], pos[seen], neg[seen])
    for influence in (functions.average_precision_influence, functions.pr_area_influence):
        found = influence(ranking)
        assert found.pos @ ranking.pos + found.neg @ ranking.neg == pytest.approx(0, abs=1e-9)
        for side, slopes in enumerate((found.pos, found.neg)):
            for segment in np.flatnonzero((ranking.pos, ranking.neg)[side]):
                assert slopes[segment] == pytest.approx(slope(NUMBERS[influence], ranking, side, segment), abs=1e-6)


def test_a_difference_has_the_difference_of_slopes():
    found = functions.brier_influence(TREE) - functions.refinement_influence(TREE)
    assert found.estimate == pytest.approx(th.decomposition(TREE).miscalibration)
    assert (
        found.pos.tolist() == (functions.brier_influence(TREE).pos - functions.refinement_influence(TREE).pos).tolist()
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
    found, said = [], []
    rng = np.random.default_rng(0)
    for _ in range(400):
        p = rng.random(300)
        ranking = th.rank(rng.random(300) < p, np.round(p, 2))
        found.append(influence(ranking).estimate)
        said.append(functions.variance_by_cases(ranking)(influence(ranking)))
    assert np.mean(said) == pytest.approx(np.var(found), rel=0.25)


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
    found = segment_influence(ranking, asked)
    assert found.estimate == pytest.approx(value(ranking), abs=1e-12)
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
            assert getattr(found, side)[segment] == pytest.approx((up + down) / 2, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("text", VALUES)
@pytest.mark.parametrize("declared", [None, 0.2])
@pytest.mark.parametrize("kind", ["plain", "weights", "clusters"])
def test_variances_are_those_of_resampling(text, declared, kind):
    """Rows drawn again by a loop: within classes at a declared mix, all together otherwise, clusters whole."""
    rng = np.random.default_rng(3)
    n = 160
    positive = rng.random(n) < 0.4
    score = 1 / (1 + np.exp(-(rng.normal(size=n) * 1.2 + positive - 0.5)))
    weight = rng.uniform(0.5, 2, n) if kind == "weights" else None
    cluster = rng.integers(0, 60, n) if kind == "clusters" else None
    asked = quantity(text)

    def stated(weights):
        rows = ScoredRows.of(positive, {"m": score}, weights=weights, clusters=cluster)
        return rows if declared is None else rows.at_prevalence(declared, trained_at=0.4)

    rows = stated(weight)
    found = row_influence(rows, "m", asked)

    def value(times):
        return VALUES[text](stated(times if weight is None else times * weight).ranking("m"))

    assert found.estimate == pytest.approx(value(np.ones(n)), abs=1e-12)
    values = []
    for _ in range(300):
        if kind == "clusters":
            times = np.bincount(rng.integers(0, 60, 60), minlength=60)[cluster].astype(float)
        elif declared is None:
            times = np.bincount(rng.integers(0, n, n), minlength=n).astype(float)
        else:
            times = np.zeros(n)
            for side in (np.flatnonzero(positive), np.flatnonzero(~positive)):
                np.add.at(times, rng.choice(side, side.size), 1.0)
        values.append(value(times))
    slack = 0.45 if asked.name == "miscalibration" else 0.25  # resamples fit more noise than the data
    expected = 0.0 if (text, declared) == ("uncertainty", 0.2) else float(np.std(values))
    assert math.sqrt(found.variance(rows.cluster)) == pytest.approx(expected, rel=slack, abs=1e-12)


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
