import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import thresher as th
import thresher.inference as ti
from tests.inference import class_examples, oracles
from tests.strategies import labelled_scores, rough_weights, two_class_rankings
from thresher._internal import parallel
from thresher.errors import ArgumentError, LengthError, MissingValueError, OneClassError, PositiveLabelError
from thresher.inference.intervals.auc import auc_covariance, delong_parts
from thresher.inference.rows import ScoredRows, count_above
from thresher.laboratory import Scores, coverage

CT = th.Ranking([5, 4, 3, 2, 1], pos=[33, 11, 2, 2, 3], neg=[2, 11, 6, 6, 33])
METHODS = ["delong", "wald", "hanley-mcneil"]


def test_golden_ct_ratings():
    for method in ("delong", "wald"):
        result = ti.auc_interval(CT, method=method)
        assert result.estimate == pytest.approx(0.893171, abs=1e-6)
        assert math.sqrt(result.variance) == pytest.approx(0.030724, abs=1e-6)
    wald = ti.auc_interval(CT, method="wald")
    assert (wald.lower, wald.upper) == pytest.approx((0.8330, 0.9534), abs=1e-4)


@pytest.mark.parametrize(("Pos", "Neg"), [(5, 5), (10, 40), (3, 100)])
def test_hanley_mcneil_at_chance_is_the_variance_of_mann_whitney(Pos, Neg):
    assert ti.hanley_mcneil_variance(0.5, Pos, Neg) == pytest.approx((Pos + Neg + 1) / (12 * Pos * Neg))


@given(labelled_scores(both_classes=True, max_size=20))
def test_delong_is_its_definition(rows):
    labels, scores = rows
    result = ti.auc_variance(th.rank(labels, scores))
    if min(labels.sum(), (~labels).sum()) < 2:
        assert math.isnan(result)
    else:
        assert result == pytest.approx(oracles.delong_covariance(labels, [scores])[0, 0], abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(ranking=two_class_rankings, level=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_limits_hold_the_auc_and_stay_in_range(method, ranking, level):
    result = ti.auc_interval(ranking, method=method, level=level)
    assert 0 <= result.lower <= result.estimate <= result.upper <= 1
    assert result.estimate == th.auc(ranking)
    if method != "wald":  # the textbook interval keeps its fault, under its name
        assert result.width > 0


@pytest.mark.parametrize("method", ["delong", "hanley-mcneil"])
@pytest.mark.parametrize(
    "text", ["[20+][20-]", "[1+][1-]", "[1+,1-]", "[3-][2+]", "[5+,5-]", "[1+][30-]", "[2+][1+,1-]"]
)
def test_trap_27_no_zero_width_and_nothing_beyond_the_ends(method, text):
    result = ti.auc_interval(th.Ranking.parse(text), method=method)
    assert 0 <= result.lower < result.upper <= 1
    if result.method == "exact pairs":
        assert "conservative" in result.note


def test_a_perfect_ranking_has_the_exact_limits_of_as_many_pairs():
    result = ti.auc_interval(th.Ranking.parse("[20+][30-]"))
    assert (result.lower, result.upper) == pytest.approx((0.025 ** (1 / 20), 1), abs=1e-12)
    assert result.method == "exact pairs"


@given(two_class_rankings)
def test_integer_weights_are_numbers_of_cases(ranking):
    weighted = th.Ranking(ranking.score, ranking.pos.astype(float), ranking.neg.astype(float))
    rows = np.repeat(ranking.score, ranking.pos), np.repeat(ranking.score, ranking.neg)
    labels = np.repeat([1, 0], [rows[0].size, rows[1].size])
    replicated = ti.auc_interval(th.rank(labels, np.concatenate(rows)))
    result = ti.auc_interval(weighted)
    for name in ("estimate", "lower", "upper", "variance"):
        assert getattr(result, name) == pytest.approx(getattr(replicated, name), abs=1e-10, nan_ok=True)


@given(two_class_rankings)
def test_swapping_the_classes_mirrors_the_limits(ranking):
    turned = th.Ranking(ranking.score, ranking.neg, ranking.pos)
    result, mirrored = ti.auc_interval(ranking), ti.auc_interval(turned)
    assert (mirrored.lower, mirrored.upper) == pytest.approx((1 - result.upper, 1 - result.lower), abs=1e-9)


@given(two_class_rankings, st.sampled_from([0.5, 0.95]))
def test_limits_are_delongs_moderated_by_twelve_degrees_of_freedom(ranking, level):
    if ranking.weighted or min(ranking.Pos, ranking.Neg) < 2:
        return
    labels = np.repeat([True, False], [ranking.Pos, ranking.Neg])
    scores = np.concatenate([np.repeat(ranking.score, ranking.pos), np.repeat(ranking.score, ranking.neg)])
    v10, v01, area = oracles.placements(labels, scores)
    parts = float(np.var(v10, ddof=1)) / len(v10), float(np.var(v01, ddof=1)) / len(v01)
    result = ti.auc_interval(ranking, level=level)
    if sum(parts) > 1e-12:
        expected = oracles.moderated_limits(area, parts, (ranking.Pos, ranking.Neg), level)
        assert (result.lower, result.upper) == pytest.approx(expected, abs=1e-9)
    else:
        assert result.method == "exact pairs"


def test_moderation_fades_with_cases():
    big = th.Ranking(CT.score, CT.pos * 1000, CT.neg * 1000)
    result, wald = ti.auc_interval(big), ti.auc_interval(big, method="wald")
    assert result.width == pytest.approx(wald.width, rel=1e-3)


def test_bad_input():
    with pytest.raises(OneClassError):
        ti.auc_interval(th.Ranking.parse("[3+]"))
    with pytest.raises(ArgumentError, match="level"):
        ti.auc_interval(CT, level=95)
    with pytest.raises(ArgumentError, match="method must be"):
        ti.auc_interval(CT, method="bootstrap")  # type: ignore[arg-type]


def test_wald_has_width_where_all_pairs_are_won():
    for text in ("[20+][20-]", "[20-][20+]"):
        result = th.auc_interval(th.Ranking.parse(text), method="wald")
        assert result.width > 0.1
        assert result.note


@given(labelled_scores(both_classes=True), st.integers(1, 5))
def test_cases_that_stand_alone_are_added_up_exactly(rows, piece):
    """Fractions give DeLong's variance without rounding; pieces of any length give the same."""
    labels, _ = rows
    if min(labels.sum(), (~labels).sum()) < 2:
        return
    ranking = th.rank(labels, np.arange(float(labels.size)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "CHUNK", piece)
        result = delong_parts(ranking)
    for part, (own, other) in zip(result, ((labels, ~labels), (~labels, labels)), strict=True):
        places, against = np.flatnonzero(own).tolist(), np.flatnonzero(other).tolist()
        share = [Fraction(sum(place < one for place in against), len(against)) for one in places]
        mean = sum(share) / len(share)
        exact = sum((each - mean) ** 2 for each in share) / ((len(share) - 1) * len(share))
        assert part == pytest.approx(float(exact), rel=1e-14, abs=1e-300)


@st.composite
def modelled_rows(draw, models=3, max_size=16):
    """Labels with two of each class, and tied scores of several models."""
    size = draw(st.integers(4, max_size))
    labels = np.array([True, True, False, False, *draw(st.lists(st.booleans(), min_size=size - 4, max_size=size - 4))])
    scores = [
        np.array(draw(st.lists(st.integers(0, 6), min_size=size, max_size=size)), dtype=float) for _ in range(models)
    ]
    return labels, scores


def covariance(labels, scores, **more):
    rows = ScoredRows.of(labels, {f"m{i}": each for i, each in enumerate(scores)}, **more)
    return auc_covariance(rows)


def same(one, other, **close):
    for name in ("estimate", "lower", "upper", "variance"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), nan_ok=True, **close), name


@given(modelled_rows())
def test_the_covariance_is_delongs(rows):
    labels, scores = rows
    result = covariance(labels, scores)
    assert result.total == pytest.approx(oracles.delong_covariance(labels, scores), abs=1e-12)
    assert result.areas.tolist() == pytest.approx([th.auc(th.rank(labels, each)) for each in scores], abs=1e-12)
    assert np.linalg.eigvalsh(result.total).min() > -1e-12


@given(modelled_rows(), st.data())
def test_the_covariance_of_clusters_is_obuchowskis(rows, data):
    labels, scores = rows
    clusters = data.draw(st.lists(st.sampled_from("abcd"), min_size=labels.size, max_size=labels.size))
    with_pos = {c for c, y in zip(clusters, labels, strict=True) if y}
    with_neg = {c for c, y in zip(clusters, labels, strict=True) if not y}
    assume(min(len(with_pos), len(with_neg)) > 1)
    result = covariance(labels, scores, clusters=clusters).total
    assert result == pytest.approx(oracles.obuchowski_covariance(labels, scores, clusters), abs=1e-12)
    assert np.linalg.eigvalsh(result).min() > -1e-12


@given(modelled_rows(models=1), st.data())
def test_weights_count_by_their_influence(rows, data):
    labels, (scores,) = rows
    weights = data.draw(st.lists(rough_weights, min_size=labels.size, max_size=labels.size))
    result = covariance(labels, [scores], weights=weights)
    area, of_pos, of_neg = oracles.weighted_auc(labels, scores, weights)
    assert result.areas[0] == pytest.approx(area, abs=1e-10)
    assert result.areas[0] == pytest.approx(th.auc(th.rank(labels, scores, weights=weights)), abs=1e-10)
    assert (result.of_pos[0, 0], result.of_neg[0, 0]) == pytest.approx((of_pos, of_neg), abs=1e-10)


@given(labelled_scores(both_classes=True), st.sampled_from([0.5, 3.0, 7.0]))
def test_equal_weights_are_no_weights_and_no_weights_are_the_ranking(rows, weight):
    labels, scores = rows
    plain = ti.auc_interval(th.inference.ScoredRows.of(labels, scores))
    same(plain, ti.auc_interval(th.rank(labels, scores)), abs=1e-9)
    same(
        ti.auc_interval(th.inference.ScoredRows.of(labels, scores, weights=np.full(labels.size, weight))),
        plain,
        abs=1e-9,
    )


@given(modelled_rows(models=1))
def test_one_row_per_cluster_is_no_clusters(rows):
    """In variance; the limits, for which clusters less one are degrees of freedom, are never narrower."""
    labels, (scores,) = rows
    result = ti.auc_interval(th.inference.ScoredRows.of(labels, scores, clusters=range(labels.size)))
    plain = ti.auc_interval(th.inference.ScoredRows.of(labels, scores))
    assert (result.estimate, result.variance) == pytest.approx((plain.estimate, plain.variance), abs=1e-12)
    assert result.lower <= plain.lower + 1e-9
    assert result.upper >= plain.upper - 1e-9


@given(modelled_rows(models=1), st.data())
def test_limits_hold_the_auc_and_have_width(rows, data):
    labels, (scores,) = rows
    weights = data.draw(st.lists(rough_weights, min_size=labels.size, max_size=labels.size))
    for more in ({"weights": weights}, {"clusters": np.arange(labels.size) // 2}, {}):
        try:
            result = ti.auc_interval(th.inference.ScoredRows.of(labels, scores, **more))
        except ArgumentError as error:
            assert "cluster" in str(error)  # noqa: PT017
            continue
        assert 0 <= result.lower <= result.estimate <= result.upper <= 1
        assert result.width > 0


def test_rows_of_weight_0_vanish():
    labels, scores = [1, 1, 0, 0, 1, 0], [5, 3, 4, 1, 2, 9]
    result = ti.auc_interval(th.inference.ScoredRows.of(labels, scores, weights=[1, 1, 1, 1, 1, 0]))
    same(result, ti.auc_interval(th.inference.ScoredRows.of(labels[:5], scores[:5])), abs=1e-12)


def test_weights_say_whom_a_row_stands_for_and_not_how_many_there_are():
    labels, scores = [1, 1, 1, 0, 0, 0], [6, 4, 2, 5, 3, 1]
    one, two = (ti.auc_interval(th.inference.ScoredRows.of(labels, scores, weights=[w] * 6)) for w in (1, 2))
    same(one, two, abs=1e-12)
    assert ti.auc_interval(th.rank(labels, scores, weights=[2] * 6)).variance < 0.7 * two.variance


def test_the_weighted_reference_value():
    scores, labels = [0.1, 0.1, 0.4, 0.6, 0.6, 0.6, 0.8], [0, 1, 0, 0, 1, 1, 1]
    result = ti.auc_interval(th.inference.ScoredRows.of(labels, scores, weights=[1, 0.4, 0.2, 0.6, 0.9, 0.5, 0.7]))
    assert result.estimate == pytest.approx(0.7911111, abs=1e-7)


def test_copies_of_a_row_in_a_cluster_add_nothing():
    """Every row ten times over is the same knowledge when clusters are named, and far more when not."""
    rng = np.random.default_rng(2)
    labels = rng.random(60) < 0.4
    scores = rng.normal(size=60) + labels
    plain = ti.auc_interval(th.inference.ScoredRows.of(labels, scores))
    many = np.repeat(labels, 10), np.repeat(scores, 10)
    clustered = ti.auc_interval(th.inference.ScoredRows.of(*many, clusters=np.repeat(np.arange(60), 10)))
    assert (clustered.estimate, clustered.variance) == pytest.approx(
        (plain.estimate, oracles.obuchowski_covariance(labels, [scores], range(60))[0, 0])
    )
    expected = oracles.clustered_auc_limits(*many, np.repeat(np.arange(60), 10), 0.95)
    assert (clustered.lower, clustered.upper) == pytest.approx(expected)
    assert ti.auc_interval(th.inference.ScoredRows.of(*many)).width < 0.5 * plain.width


def test_many_independent_rows_in_few_clusters_are_not_taken_for_few_cases():
    rng = np.random.default_rng(3)
    labels = rng.random(4000) < 0.5
    scores = rng.normal(size=4000) + labels
    result = ti.auc_interval(th.inference.ScoredRows.of(labels, scores, clusters=rng.integers(40, size=4000)))
    assert result.width < 1.6 * ti.auc_interval(th.inference.ScoredRows.of(labels, scores)).width


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("seed", range(6))
def test_clustered_limits_are_those_written_out(seed, level):
    """Clusters that widen, clusters that say less than rows would, and AUCs near 1, where the prior matters."""
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(25), 4)
    shared = rng.normal(size=25)[clusters] * (seed % 3)
    labels = rng.random(100) < (0.5 if seed < 3 else 0.2)
    scores = shared + rng.normal(size=100) + (1 + seed / 3) * labels
    result = ti.auc_interval(th.inference.ScoredRows.of(labels, scores, clusters=clusters), level=level)
    assert result.method == "obuchowski"
    assert (result.lower, result.upper) == pytest.approx(
        oracles.clustered_auc_limits(labels, scores, clusters, level), abs=1e-9
    )


def test_rows_that_vary_against_each_other_are_not_taken_for_more_than_rows():
    """Clusters may shrink the variance seen, never what is expected beforehand."""
    labels = np.tile([True, True, False, False], 12)
    rng = np.random.default_rng(1)
    high, low = 3 + rng.random(12), 2 + rng.random(12)
    scores = np.ravel(np.column_stack([high + 2, 5.5 - high, low, 5.2 - low]))  # one up, the other down
    clusters = np.repeat(np.arange(12), 4)
    result = ti.auc_interval(th.inference.ScoredRows.of(labels, scores, clusters=clusters))
    assert result.variance < ti.auc_variance(th.rank(labels, scores))
    assert (result.lower, result.upper) == pytest.approx(oracles.clustered_auc_limits(labels, scores, clusters, 0.95))


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_weighted_limits_are_moderated_by_effective_cases(level):
    rng = np.random.default_rng(4)
    labels = rng.random(40) < 0.4
    scores, weights = rng.normal(size=40) + 2 * labels, rng.exponential(size=40)
    area, *parts = oracles.weighted_auc(labels, scores, weights)
    cases = [weights[side].sum() ** 2 / (weights[side] ** 2).sum() for side in (labels, ~labels)]
    result = ti.auc_interval(th.inference.ScoredRows.of(labels, scores, weights=weights), level=level)
    assert (result.lower, result.upper) == pytest.approx(
        oracles.moderated_limits(area, (parts[0], parts[1]), (cases[0], cases[1]), level)
    )


class TestBadInput:
    def test_one_class(self):
        with pytest.raises(OneClassError, match="there are no negatives among 2 cases"):
            ti.auc_interval(th.inference.ScoredRows.of([1, 1], [0.1, 0.2]))

    def test_lengths(self):
        with pytest.raises(LengthError, match="labels 2"):
            ti.auc_interval(th.inference.ScoredRows.of([1, 0], [0.1, 0.2, 0.3]))
        with pytest.raises(LengthError, match="clusters 1"):
            ti.auc_interval(th.inference.ScoredRows.of([1, 0], [0.1, 0.2], clusters=["a"]))

    @pytest.mark.parametrize("level", [0, 1, 95, math.nan])
    def test_level(self, level):
        with pytest.raises(ArgumentError, match="level"):
            ti.auc_interval(th.inference.ScoredRows.of([1, 0], [0.1, 0.2]), level=level)

    def test_one_cluster_of_a_class(self):
        with pytest.raises(ArgumentError, match="1 of 2 clusters holds positives"):
            ti.auc_interval(th.inference.ScoredRows.of([1, 1, 0, 0], [4, 3, 2, 1], clusters=["a", "a", "a", "b"]))
        with pytest.raises(ArgumentError, match="1 of 3 clusters holds negatives"):
            ti.auc_interval(th.inference.ScoredRows.of([1, 1, 0, 0], [4, 3, 2, 1], clusters=["a", "b", "c", "c"]))

    def test_missing(self):
        with pytest.raises(MissingValueError, match="clusters are missing"):
            ti.auc_interval(th.inference.ScoredRows.of([1, 0, 1, 0], [4, 3, 2, 1], clusters=["a", "b", None, "c"]))
        labels, scores = [1, 0, 1, 0, 1, 0], [4, 3, 2, 1, np.nan, 5]
        result = ti.auc_interval(
            th.inference.ScoredRows.of(labels, scores, missing="drop", clusters=[1, 2, 3, 4, 5, np.nan])
        )
        same(result, ti.auc_interval(th.inference.ScoredRows.of(labels[:4], scores[:4], clusters=range(4))), abs=1e-12)

    def test_which_is_positive(self):
        with pytest.raises(PositiveLabelError):
            ti.auc_interval(th.inference.ScoredRows.of(["a", "b"], [1, 2]))
        result = ti.auc_interval(th.inference.ScoredRows.of(["a", "b"], [1, 2], positive="a"))
        assert result.estimate == 0


@given(labelled_scores(), st.booleans())
def test_rows_above_are_those_of_the_other_class(rows, weighted):
    labels, scores = rows
    weight = np.arange(1, labels.size + 1) / 8 if weighted else None
    above = count_above(labels, scores, weight)
    each = np.ones(labels.size) if weight is None else weight
    for i in range(labels.size):
        other = labels != labels[i]
        expected = each[other & (scores > scores[i])].sum() + each[other & (scores == scores[i])].sum() / 2
        assert abs(above[i] - expected) < 1e-12 * each.sum()


def test_rows_above_many_rows():
    rng = np.random.default_rng(2)
    score, positive = rng.integers(0, 1000, 300_000) / 7, rng.random(300_000) < 0.5
    above = count_above(positive, score)
    of_pos, of_neg = np.sort(score[positive]), np.sort(score[~positive])
    other = np.where(
        positive, of_neg.size - np.searchsorted(of_neg, score), of_pos.size - np.searchsorted(of_pos, score)
    )
    tied = np.where(
        positive,
        np.searchsorted(of_neg, score, "right") - np.searchsorted(of_neg, score),
        np.searchsorted(of_pos, score, "right") - np.searchsorted(of_pos, score),
    )
    assert np.array_equal(above, other - tied / 2)


AVERAGES = ["one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro", "one_vs_one_weighted"]


def rows(n, rng, share=(0.5, 0.3, 0.2), strength=1.0):
    labels = rng.choice(3, size=n, p=share)
    logits = rng.normal(size=(n, 3)) + strength * np.eye(3)[labels]
    weights = np.exp(logits)
    return labels, weights / weights.sum(axis=1, keepdims=True)


@st.composite
def small(draw):
    labels = np.array([0, 1, 2, *draw(st.lists(st.integers(0, 2), max_size=12))])
    grid = draw(st.lists(st.integers(0, 5), min_size=3 * labels.size, max_size=3 * labels.size))
    shares = np.array(grid).reshape(-1, 3) + 1
    return labels, shares / shares.sum(axis=1, keepdims=True)


@given(small(), st.sampled_from([0.8, 0.95]))
def test_estimates_are_those_of_the_areas_and_lie_between_their_limits(data, level):
    labels, probabilities = data
    result, plain = (
        class_examples.areas(labels, probabilities, level=level),
        th.segment(labels, probabilities).areas,
    )
    for name in AVERAGES:
        interval = getattr(result, name)
        assert interval.estimate == pytest.approx(getattr(plain, name), abs=1e-12)
        assert -1e-12 <= interval.lower <= interval.estimate + 1e-12
        assert interval.estimate - 1e-12 <= interval.upper <= 1
        assert interval.width > 0
    for name, ranking in th.segment(labels, probabilities).rankings.items():
        assert str(result.one_vs_rest[name]) == str(ti.auc_interval(ranking, level=level))


def test_for_two_classes_all_are_the_auc():
    rng = np.random.default_rng(4)
    labels = rng.integers(2, size=200)
    p = 1 / (1 + np.exp(-rng.normal(size=200) - labels))
    result = class_examples.areas(labels, np.column_stack([1 - p, p]))
    variance = ti.auc_variance(th.rank(labels, p))
    for name in AVERAGES:
        assert getattr(result, name).estimate == pytest.approx(th.auc(th.rank(labels, p)))
        assert getattr(result, name).variance == pytest.approx(variance, rel=1e-9)


@pytest.mark.parametrize("share", [(0.4, 0.3, 0.3), (0.7, 0.2, 0.1)])
def test_the_variances_are_what_simulation_finds(share):
    rng = np.random.default_rng(8)
    result: dict[str, list[float]] = {name: [] for name in AVERAGES}
    stated: dict[str, list[float]] = {name: [] for name in AVERAGES}
    for i in range(500):
        labels, probabilities = rows(200, rng, share)
        plain = th.segment(labels, probabilities).areas
        for name in AVERAGES:
            result[name].append(getattr(plain, name))
        if i < 60:
            intervals = class_examples.areas(labels, probabilities)
            for name in AVERAGES:
                stated[name].append(getattr(intervals, name).variance)
    for name in AVERAGES:
        assert np.mean(stated[name]) == pytest.approx(np.var(result[name]), rel=0.2), name


def test_perfect_columns_still_have_width():
    labels = [0, 0, 1, 1, 2, 2]
    result = class_examples.areas(labels, np.eye(3)[labels])
    for name in AVERAGES:
        assert getattr(result, name).upper == 1
        assert getattr(result, name).lower < 0.5


def test_a_class_of_one_row_has_limits_and_no_variance():
    labels, probabilities = [0, 0, 0, 1, 1, 2], np.random.default_rng(0).dirichlet(np.ones(3), 6)
    result = class_examples.areas(labels, probabilities)
    assert math.isnan(result.one_vs_rest_macro.variance)
    assert result.one_vs_rest_macro.method == "exact pairs"


def test_segments_and_rows_have_an_auc_by_the_name_of_its_average():
    labels, models = class_examples.rows(60, 3, ties=True)
    every = class_examples.areas(labels, models["poor"])
    segments, sample = th.segment(labels, models["poor"]), ti.classified_rows(labels, models)
    for name in AVERAGES:
        assert ti.auc_interval(sample, model="poor", average=name) == getattr(every, name)
        of_segments = ti.auc_interval(segments, average=name)
        for field in ("estimate", "lower", "upper", "variance"):
            assert getattr(of_segments, field) == pytest.approx(getattr(getattr(every, name), field))
    clustered = ti.classified_rows(labels, models["poor"], clusters=np.arange(60) // 3)
    assert ti.auc_interval(clustered, average=AVERAGES[0]) != getattr(every, AVERAGES[0])


def test_bad_input_of_several_classes():
    leaves = th.Segments.parse("[3,1][1,3]", probability=[[0.7, 0.3], [0.2, 0.8]], classes="ab")
    for wrong, match in ((None, "an average, of which there are four"), ("macro", "no average 'macro'")):
        with pytest.raises(ArgumentError, match=match):
            ti.auc_interval(leaves, average=wrong)
    with pytest.raises(ArgumentError, match="level"):
        ti.auc_interval(leaves, average="one_vs_rest_macro", level=0)
    with pytest.raises(ArgumentError, match="weights do not say how many cases"):
        ti.auc_interval(leaves.at_mix({"a": 0.1, "b": 0.9}), average="one_vs_rest_macro")
    with pytest.raises(ArgumentError, match="two classes have one AUC"):
        ti.auc_interval(leaves.ranking("a"), average="one_vs_rest_macro")
    with pytest.raises(ArgumentError, match="there are several models"):
        ti.auc_interval(ti.classified_rows([0, 1], {"a": np.eye(2), "b": np.eye(2)}), average="one_vs_rest_macro")


def test_printed_lines_of_several_classes_are_aligned():
    labels = ["cat"] * 4 + ["cow"] * 4 + ["dog"] * 4
    cats = [[0.7, 0.2, 0.1], [0.4, 0.1, 0.5], [0.6, 0.3, 0.1], [0.5, 0.4, 0.1]]
    cows = [[0.3, 0.6, 0.1], [0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.3, 0.4, 0.3]]
    dogs = [[0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.2, 0.2, 0.6], [0.4, 0.2, 0.4]]
    assert str(class_examples.areas(labels, cats + cows + dogs)).splitlines() == [
        "cat against the rest    0.9375 [0.5073, 0.9954]",
        "cow against the rest    0.8750 [0.4568, 0.9831]",
        "dog against the rest    0.9219 [0.4980, 0.9929]",
        "one-vs-rest, macro      0.9115 [0.4892, 0.9910]",
        "one-vs-rest, weighted   0.9115 [0.4880, 0.9911]",
        "one-vs-one, macro       0.9115 [0.4696, 0.9917]",
        "one-vs-one, weighted    0.9115 [0.4693, 0.9917]",
    ]


def carriers(ranking):
    """Kish's effective number of cases that carry the variance, of the class that contributes more; slowly."""
    pos, neg = (np.repeat(ranking.score, counts) for counts in (ranking.pos, ranking.neg))
    beats = (pos[:, np.newaxis] > neg) + (pos[:, np.newaxis] == neg) / 2
    sides = [beats.mean(axis=axis) - beats.mean() for axis in (1, 0)]
    variances = [side.var(ddof=1) / side.size for side in sides]
    larger = sides[int(variances[1] > variances[0])]
    return (larger**2).sum() ** 2 / (larger**4).sum(), larger.size


@pytest.mark.parametrize("seed", range(40))
def test_few_cases_that_carry_the_variance_are_named(seed):
    rng = np.random.default_rng(seed)
    labels = np.arange(60) < rng.choice([6, 30, 54])
    ranking = th.rank(labels, (rng.normal(size=60) + labels * rng.choice([0.5, 2, 4])).round(int(rng.choice([0, 3]))))
    note = th.auc_interval(ranking).note
    if "exact" in note:
        return
    number, cases = carriers(ranking)
    if number >= 3:
        assert note == ""
    else:
        assert note.startswith(f"as few as {max(1, round(number))} of {cases} ")


def test_limits_hold_where_few_positives_spread_widely():
    """15 positives that spread three times as widely as negatives; Newcombe's variance alone would cover 90 %."""
    world = Scores(stats.norm(4.05, 3), stats.norm(), prevalence=0.015)
    share = coverage(world, 1000, lambda sample: th.auc_interval(sample.ranking), world.auc, replicates=600)
    assert share.estimate > 0.92


def test_moderation_never_makes_limits_narrower():
    spread = th.rank([1] * 12 + [0] * 40, [9] * 10 + [-1] * 2 + [0, 1] * 20)
    interval, area = th.auc_interval(spread), 10 / 12
    half = stats.norm.ppf(0.975) * math.sqrt(interval.variance) / (area * (1 - area))
    logit = math.log(area / (1 - area))
    assert interval.lower < 1 / (1 + math.exp(half - logit))
    assert interval.upper > 1 / (1 + math.exp(-half - logit))
