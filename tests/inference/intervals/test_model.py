""""""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import thresher as th
from tests.inference import oracles
from tests.inference.oracles import apparent
from thresher.inference.intervals.calibration import MOST_SEGMENTS
from thresher.inference.intervals.model import ModelSample, model_intervals
from thresher.inference.rows import ScoredRows
from thresher.laboratory import Scores, coverage

RNG = np.random.default_rng(3)
SCORES = RNG.random(150)
LABELS = RNG.random(150) < SCORES**0.7
NAMES = (
    "average_precision",
    "pr_area",
    "ks",
    "log_loss",
    "miscalibration",
    "refinement",
    "discrimination",
    "uncertainty",
)


def intervals(labels=LABELS, scores=SCORES, *, level=0.95, ks_gain=0.0, most=MOST_SEGMENTS, **more):
    rows = ScoredRows.of(labels, {"m": scores}, **more)
    ranking = th.rank(rows.positive, rows.scores["m"], weights=rows.weight)
    parts = th.decomposition(ranking, bins="hull")
    estimates = {
        "average_precision": th.average_precision(ranking),
        "pr_area": th.pr_area(ranking),
        "log_loss": float(th.log_loss(ranking)),
    } | {name: getattr(parts, name) for name in NAMES[4:]}
    model = ModelSample.of(rows, "m", ranking, level, most=most)
    return model_intervals(model, estimates, th.ks(ranking), ks_gain=ks_gain)


def same(one, other, **close):
    for name, interval in one.items():
        for field in ("estimate", "lower", "upper"):
            ours, theirs = getattr(interval, field), getattr(other[name], field)
            assert ours == pytest.approx(theirs, **close), (name, field)


def test_every_number_lies_between_its_limits_which_widen_with_the_level():
    narrow, wide = intervals(level=0.6), intervals(level=0.99)
    assert tuple(narrow) == NAMES
    for name in NAMES:
        assert narrow[name].lower <= narrow[name].estimate <= narrow[name].upper
        assert 0 < narrow[name].width < wide[name].width, name
        assert narrow[name].level == 0.6


def test_equal_weights_are_no_weights_and_their_unit_does_not_matter():
    same(intervals(weights=np.full(150, 7.0)), intervals(), rel=1e-6, abs=1e-9)
    weights = RNG.exponential(size=150)
    for more in ({}, {"clusters": np.arange(150) // 3}):
        one, million = (intervals(weights=weights * unit, **more) for unit in (1, 1e6))
        same(one, million, rel=1e-6, abs=1e-9)


def test_copies_of_a_row_in_a_cluster_add_nothing():
    many = np.repeat(LABELS, 10), np.repeat(SCORES, 10)
    plain, clustered = intervals(), intervals(*many, clusters=np.repeat(np.arange(150), 10))
    ignored = intervals(*many)
    for name in NAMES:
        assert apparent(clustered[name]) == pytest.approx(apparent(plain[name]))
        if name == "miscalibration":  # mostly noise here, and its limits end at 0
            continue
        # The rates of the distance have Student's quantiles each, and so has their difference.
        assert clustered[name].width == pytest.approx(plain[name].width, rel=0.12 if name == "ks" else 0.02), name
        assert ignored[name].width < 0.6 * plain[name].width, name


def test_uneven_weights_widen():
    plain, uneven = intervals(), intervals(weights=RNG.exponential(size=150) ** 2)
    for name in ("average_precision", "pr_area", "ks", "log_loss", "refinement"):
        assert uneven[name].width > 1.2 * plain[name].width, name


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("name", ["average_precision", "pr_area"])
def test_areas_have_students_limits_on_the_logit_scale(name, level):
    result = intervals(level=level)[name]
    few = min(LABELS.sum(), (~LABELS).sum())
    half = stats.t.ppf((1 + level) / 2, few - 1) * math.sqrt(result.variance)
    assert (result.lower, result.upper) == pytest.approx(oracles.logit_limits(result.estimate, half))


def test_noise_is_that_of_independent_cases():
    """Copies of rows in clusters leave the hull as much noise to fit as the rows themselves."""
    many = np.repeat(LABELS, 10), np.repeat(SCORES, 10)
    plain, clustered = intervals()["refinement"], intervals(*many, clusters=np.repeat(np.arange(150), 10))["refinement"]
    assert (clustered.lower, clustered.upper) == pytest.approx((plain.lower, plain.upper), rel=0.01)
    apart = intervals(clusters=np.random.default_rng(5).permutation(150) // 5)[
        "refinement"
    ]  # no more alike than others
    noise = [each.estimate - apparent(each) for each in (plain, apart)]
    assert noise[1] == pytest.approx(noise[0], rel=0.3)


def test_a_perfect_ranking_is_not_sure_to_stay_perfect():
    labels = np.arange(40) < 15
    result = intervals(labels, np.where(labels, 0.9, 0.1))
    for name in ("average_precision", "pr_area"):
        assert (result[name].estimate, result[name].upper) == (1, 1)
        assert result[name].lower == pytest.approx(0.025 ** (1 / 15))
        assert "15 cases" in result[name].note
    assert (result["ks"].estimate, result["ks"].upper) == (1, 1)
    pos, neg = th.rate_interval(15, 15), th.rate_interval(0, 25)
    assert result["ks"].lower == pytest.approx(1 - math.hypot(1 - pos.lower, neg.upper))


def test_one_case_of_a_class():
    result = intervals(np.arange(6) == 2, np.linspace(0.9, 0.1, 6))
    assert result["average_precision"].lower < 0.05
    assert result["average_precision"].upper > 0.95
    assert np.isnan(result["average_precision"].variance)


def test_what_choosing_the_split_gains_is_taken_off():
    plain, chosen = intervals()["ks"], intervals(ks_gain=0.03)["ks"]
    assert (chosen.estimate, chosen.apparent) == (pytest.approx(plain.estimate - 0.03), plain.estimate)
    assert plain.apparent is None
    assert chosen.lower == pytest.approx(plain.lower - 0.03)
    assert chosen.upper == plain.upper
    assert "0.0300" in chosen.note


def test_scores_turned_round_have_the_same_distance():
    plain, turned = intervals()["ks"], intervals(LABELS, 1 - SCORES)["ks"]
    assert (plain.estimate, plain.lower, plain.upper) == pytest.approx((turned.estimate, turned.lower, turned.upper))


@pytest.mark.parametrize("names", [(), ("weights",), ("clusters",)])
def test_joining_a_long_ranking_changes_nothing_to_speak_of(names):
    rng = np.random.default_rng(1)
    scores = rng.random(3000)
    labels = rng.random(3000) < scores
    every = {"weights": rng.exponential(size=3000), "clusters": rng.integers(500, size=3000)}
    more = {name: every[name] for name in names}
    every_segment, few = intervals(labels, scores, **more), intervals(labels, scores, most=300, **more)
    for name in NAMES:
        assert apparent(few[name]) == apparent(every_segment[name])
        assert few[name].width == pytest.approx(every_segment[name].width, rel=0.02, abs=2e-4), name


@pytest.mark.parametrize("names", [("weights",), ("weights", "clusters")])
def test_rows_and_a_ranking_whose_scores_differ_by_rounding_belong_together(names):
    """Probabilities restated for a prevalence that sums of weights give in another order."""
    more: dict[str, Any] = {"weights": RNG.exponential(size=LABELS.size), "clusters": np.arange(LABELS.size) // 3}
    rows = ScoredRows.of(LABELS, {"m": np.round(SCORES, 1)}, **{name: more[name] for name in names})
    ranking = rows.ranking("m")
    for direction in (0.0, 1.0):
        near = th.Ranking(np.nextafter(ranking.score, direction), ranking.pos, ranking.neg)
        numbers = {"average_precision": th.average_precision(ranking), "pr_area": th.pr_area(ranking)}
        exact, other = (
            model_intervals(ModelSample.of(rows, "m", each, 0.95), numbers, th.ks(ranking)) for each in (ranking, near)
        )
        same(exact, other, rel=1e-9)


def test_an_infinite_loss_is_infinite_for_sure():
    result = intervals(np.append(LABELS, True), np.append(SCORES, 0.0))
    assert (result["log_loss"].lower, result["log_loss"].upper) == (math.inf, math.inf)
    weighted = intervals(np.append(LABELS, True), np.append(SCORES, 0.0), weights=np.ones(151))
    assert weighted["log_loss"].lower == math.inf


def test_clusters_of_both_classes_move_both_rates():
    """A cluster that is called alike moves tpr and fpr alike, and their difference hardly."""
    cluster = np.repeat(np.arange(40), 6)
    labels = np.tile([True, False], 120)
    scores = np.where(RNG.random(240) < 0.15, 0.2 + 0.6 * labels, np.repeat(RNG.random(40).round(), 6))
    together, alone = intervals(labels, scores, clusters=cluster)["ks"], intervals(labels, scores)["ks"]
    assert together.variance < 0.6 * alone.variance
    assert together.width < 0.8 * alone.width


@pytest.mark.parametrize("n", [60, 400])
@pytest.mark.slow
def test_limits_hold_as_often_as_stated(n):
    """Scores that are true probabilities of a known world."""
    world = Scores.of_auc(0.8).as_probabilities()
    truth: dict[str, Any] = {name: getattr(world, name) for name in ("ks", "log_loss", "average_precision")}
    unsure = float(world.refinement_loss)
    truth |= {"miscalibration": 0.0, "refinement": unsure, "discrimination": 0.25 - unsure, "uncertainty": 0.25}
    truth["pr_area"] = truth["average_precision"]
    assert set(truth) == set(NAMES)
    shares = coverage(
        world, n, lambda sample: intervals(sample.labels, sample.scores, ks_gain=0.0), truth, replicates=200
    )
    rates = {name: share.estimate for name, share in shares.items()}
    assert all(rate >= 0.9 for rate in rates.values()), rates
    assert all(rates[name] <= 0.985 for name in ("average_precision", "pr_area", "log_loss", "refinement")), rates


def test_parts_without_noise_add_up_and_differ_from_their_limits():
    """Calibration and refinement loss still make the Brier score; the estimate is no longer the end of its limits."""
    result = intervals()
    parts = th.decomposition(th.rank(LABELS, SCORES), bins="hull")
    total = result["miscalibration"].estimate + result["refinement"].estimate
    assert total == pytest.approx(parts.brier)
    assert result["discrimination"].estimate == pytest.approx(parts.uncertainty - result["refinement"].estimate)
    assert result["miscalibration"].estimate < parts.miscalibration == result["miscalibration"].apparent
    assert result["refinement"].lower < result["refinement"].estimate < result["refinement"].upper
