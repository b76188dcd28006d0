"""Searches against exact arithmetic and generic ones."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from tests.learning.scatter_oracles import backward, best_by_ratio, forward, scatter_matrices, trace_of, value
from thresher.learning import ScatterSelector, scatter, selection
from thresher.learning.features.selection import (
    backward_by_ratio,
    backward_by_trace,
    exact_selection,
    exhaustive_selection,
    forward_by_ratio,
    forward_by_trace,
    hotelling_lawley,
)


def drawn(seed, features, rows=40):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    return rng.normal(size=(rows, features)) @ rng.normal(size=(features, features)) + y[:, None], y


@given(st.integers(0, 2**32), st.integers(1, 5))
def test_the_trace_is_that_of_the_inverse_times_between(seed, features):
    X, y = drawn(seed, features)
    result = scatter(X, y, matrix=True)
    subset = list(range(features))
    traced = hotelling_lawley(result.within_matrix, result.spread, np.array([subset, subset[::-1]]))
    within, between = scatter_matrices(X, y)
    np.testing.assert_allclose(traced, trace_of(within, between, subset), rtol=1e-6)


def test_a_repeated_feature_adds_nothing_and_a_class_label_is_perfect():
    X, y = drawn(0, 2)
    X = np.column_stack([X, X[:, 0] - 2 * X[:, 1], y, np.ones(len(y))])
    result = scatter(X, y, matrix=True)

    def traced(*subset):
        return hotelling_lawley(result.within_matrix, result.spread, np.array([subset]))[0]

    assert traced(0, 1, 2) == pytest.approx(traced(0, 1))
    assert traced(0, 3) == np.inf
    assert traced(0, 4) == traced(0)


def test_a_perfect_combination_is_seen():
    """x1 differs from x0 by the class alone, so together they separate the classes though neither does."""
    x = np.random.default_rng(0).normal(size=20)
    y = np.arange(20) % 2
    result = scatter(np.column_stack([x, x + y]), y, matrix=True)
    assert hotelling_lawley(result.within_matrix, result.spread, np.array([[0, 1]]))[0] == np.inf


terms = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=8)
rough_terms = st.lists(st.tuples(st.floats(0, 1e3), st.floats(0, 1e3)), min_size=1, max_size=8)


@settings(max_examples=400)
@given(terms, st.data())
def test_no_subset_is_better_in_exact_arithmetic(drawn, data):
    between, within = zip(*drawn, strict=True)
    size = data.draw(st.integers(1, len(drawn)))
    best, _ = best_by_ratio(between, within, size)
    result = exact_selection(np.array(between, float), np.array(within, float), size)
    assert value([between[i] for i in result.features], [within[i] for i in result.features]) == best


@given(rough_terms, st.data())
def test_no_subset_of_any_numbers_is_better_beyond_rounding(drawn, data):
    between, within = zip(*drawn, strict=True)
    size = data.draw(st.integers(1, len(drawn)))
    best, _ = best_by_ratio(between, within, size)
    result = exact_selection(np.array(between), np.array(within), size)
    reached = value([between[i] for i in result.features], [within[i] for i in result.features])
    if isinstance(best, Fraction) and best < Fraction(10) ** 300:
        assert reached >= best * (1 - Fraction(1, 10**12))


@given(terms, st.data())
def test_steps_rise_and_features_are_distinct_and_rising(drawn, data):
    between, within = (np.array(column, float) for column in zip(*drawn, strict=True))
    size = data.draw(st.integers(1, len(drawn)))
    result = exact_selection(between, within, size)
    assert (np.diff(result.steps) > 0).all()
    assert (np.diff(result.features) > 0).all()
    assert result.features.size == size


def test_ratios_so_large_that_products_overflow():
    assert exact_selection(np.array([0.0, 1.0]), np.array([262.0, 1.5e-306]), 1).features.tolist() == [1]


def test_single_scores_and_greedy_search_can_be_wrong_and_this_is_not():
    """Feature 1 alone has the larger ratio, but its terms are too small to lift the sum."""
    between, within = np.array([10.0, 8.0, 0.02]), np.array([10.0, 9.0, 0.01])
    best, subsets = best_by_ratio([1000, 800, 2], [1000, 900, 1], 2)
    result = exact_selection(between, within, 2)
    assert [tuple(result.features.tolist())] == subsets
    assert result.steps[-1] == pytest.approx(float(best))


def test_ties_take_the_earlier_feature():
    assert exact_selection(np.ones(5), np.ones(5), 2).features.tolist() == [0, 1]
    assert selection(scatter([[0, 0, 0], [1, 2, 2]] * 2, [0, 1] * 2), 2).features.tolist() == [0, 1]


def test_features_without_scatter_within_come_first_by_what_lies_between():
    between, within = np.array([1.0, 5.0, 0.0, 2.0, 9.0]), np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    result = exact_selection(between, within, 2)
    assert result.features.tolist() == [1, 3]
    assert result.steps == (math.inf,)


def test_too_few_perfect_features_are_filled_up_with_the_best():
    between, within = np.array([1.0, 4.0, 3.0]), np.array([0.0, 4.0, 2.0])
    assert exact_selection(between, within, 2).features.tolist() == [0, 2]


def test_features_that_separate_nothing():
    assert exact_selection(np.zeros(3), np.array([0.0, 1.0, 2.0]), 2).features.tolist() == [0, 1]


def test_ten_thousand_features_take_a_handful_of_steps():
    rng = np.random.default_rng(0)
    result = exact_selection(rng.exponential(size=10_000) ** 3, rng.exponential(size=10_000), 50)
    assert len(result.steps) < 10


def summed(weights):
    return lambda subsets: weights[subsets].sum(axis=1)


def test_every_subset_is_tried_once():
    seen: list[tuple[int, ...]] = []

    def remembered(subsets):
        seen.extend(map(tuple, subsets.tolist()))
        return np.zeros(len(subsets))

    best, _ = exhaustive_selection(remembered, np.zeros(5), 3, block=3)
    assert len(seen) == len(set(seen)) == 10
    assert best.tolist() == [0, 1, 2]


def test_of_infinite_values_the_one_with_more_between_wins_across_blocks():
    between = np.array([1.0, 2.0, 3.0, 4.0])
    best, value = exhaustive_selection(lambda subsets: np.full(len(subsets), np.inf), between, 2, block=2)
    assert best.tolist() == [2, 3]
    assert value == np.inf


def test_too_many_are_refused_with_their_number():
    with pytest.raises(th.errors.ArgumentError, match="20 of 40 features make 137,846,528,820 subsets"):
        exhaustive_selection(summed(np.ones(40)), np.ones(40), 20)
    with pytest.raises(th.errors.ArgumentError, match=r"50 of 10,000 features make about 10\^135 subsets"):
        exhaustive_selection(summed(np.ones(10_000)), np.ones(10_000), 50)


# Sums of eighths are exact, and so are their ratios' orders for numbers this small.
positive_terms = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40)), min_size=1, max_size=8)


@pytest.mark.parametrize(("search", "generic"), [(forward_by_ratio, forward), (backward_by_ratio, backward)])
@given(drawn=positive_terms, data=st.data())
def test_by_ratio_goes_the_way_of_a_generic_search(search, generic, drawn, data):
    between, within = zip(*drawn, strict=True)
    size = data.draw(st.integers(1, len(drawn)))

    def worth(subset):
        return value([between[i] for i in subset], [within[i] for i in subset])

    result = search(np.array(between, float), np.array(within, float), size)
    assert result.features.tolist() == generic(worth, len(drawn), size)
    if result.steps:
        assert result.steps[-1] == pytest.approx(float(worth(result.features.tolist())))


@pytest.mark.parametrize(("search", "generic"), [(forward_by_trace, forward), (backward_by_trace, backward)])
@given(seed=st.integers(0, 2**32), features=st.integers(1, 6), data=st.data())
def test_by_trace_goes_the_way_of_a_generic_search(search, generic, seed, features, data):
    X, y = drawn(seed, features)
    within, between = scatter_matrices(X, y)
    size = data.draw(st.integers(1, features))
    found_scatter = scatter(X, y, matrix=True)
    result = search(found_scatter.within_matrix, found_scatter.spread, size)
    assert result.features.tolist() == generic(lambda subset: trace_of(within, between, subset), features, size)
    if result.steps:
        assert result.steps[-1] == pytest.approx(trace_of(within, between, result.features.tolist()), rel=1e-5)


def test_forward_takes_perfect_features_first():
    between, within = np.array([1.0, 5.0, 9.0]), np.array([0.0, 0.0, 1.0])
    assert forward_by_ratio(between, within, 3).features.tolist() == [1, 0, 2]
    assert forward_by_trace(np.diag(within), np.sqrt(between)[None, :], 3).features.tolist() == [1, 0, 2]


def test_backward_retains_a_small_feature_next_to_a_huge_one():
    """1e20 - 1e20 + 1 is not 1: sums without a feature are not found by subtracting it."""
    result = backward_by_ratio(np.array([1e20, 1.0, 0.5]), np.array([1e30, 1.0, 1.0]), 1)
    assert result.features.tolist() == [1]
    assert result.steps == (0.75, 1.0)


def test_forward_by_trace_prefers_new_information_to_a_copy():
    X, y = drawn(3, 3)
    X = np.column_stack([X, X[:, 0]])
    result = scatter(X, y, matrix=True)
    assert set(forward_by_trace(result.within_matrix, result.spread, 3).features.tolist()) == {0, 1, 2}


def test_backward_by_trace_needs_an_inverse_and_says_so():
    with pytest.raises(th.errors.ArgumentError, match="has no inverse"):
        backward_by_trace(np.ones((2, 2)), np.ones((1, 2)), 1)
    with pytest.raises(th.errors.ArgumentError, match="has no inverse"):
        backward_by_trace(np.diag([1.0, 0.0]), np.ones((1, 2)), 1)


WINE = scatter(*load_wine(return_X_y=True, as_frame=True), matrix=True)


def test_no_search_beats_exact_and_exact_is_exhaustive():
    for size in (1, 3, 6, 12, 13):
        result = {
            search: selection(WINE, size, search=search)
            for search in ("top", "forward", "backward", "exhaustive", "exact")
        }
        assert set(result["exact"].features.tolist()) == set(result["exhaustive"].features.tolist())
        assert result["exact"].value == max(each.value for each in result.values())


def test_no_search_beats_exhaustive_by_trace():
    for size in (1, 2, 5):
        result = {
            search: selection(WINE, size, search=search, criterion="hotelling_lawley")
            for search in ("top", "forward", "backward", "exhaustive")
        }
        best = result["exhaustive"].value
        assert all(each.value <= best * (1 + 1e-9) for each in result.values())
    assert result["forward"].steps[-1] == pytest.approx(result["forward"].value)


def test_a_selection_says_what_it_is():
    result = selection(WINE, 2, search="forward")
    assert repr(result) == f"Selection(forward: {result.names[0]}, {result.names[1]}; J={result.value:.4g})"
    assert result.names == tuple(WINE.names[i] for i in result.features)
    assert "…" in repr(selection(WINE, 10))
    assert "trace(S_W⁻¹ S_B)=" in repr(selection(WINE, 2, criterion="hotelling_lawley"))


def test_top_takes_the_best_single_scores():
    assert selection(WINE, 3).features.tolist() == np.argsort(-WINE.scores)[:3].tolist()


@pytest.mark.parametrize(
    ("size", "options", "words"),
    [
        (0, {}, "from 1 to 13, got 0"),
        (14, {}, "from 1 to 13, got 14"),
        (2.5, {}, "got 2.5"),
        (True, {}, "got True"),
        (2, {"search": "best"}, "there is no search 'best'"),
        (2, {"search": np.array(["top", "exact"])}, "there is no search"),
        (2, {"criterion": "F"}, "there is no criterion 'F'"),
        (2, {"search": "exact", "criterion": "hotelling_lawley"}, "ratio of sums over features"),
    ],
)
def test_what_cannot_be_selected_is_refused(size, options, words):
    with pytest.raises(th.errors.ArgumentError, match=words):
        selection(WINE, size, **options)


def test_one_class_has_nothing_between():
    with pytest.raises(th.errors.OneClassError, match=r"one class only, 'a' \(2 rows\)"):
        selection(scatter([[1.0], [2.0]], ["a", "a"]), 1)


TUMOURS, BENIGN = load_breast_cancer(return_X_y=True, as_frame=True)


@parametrize_with_checks(
    [
        ScatterSelector(),
        ScatterSelector(1, search="forward", criterion="hotelling_lawley"),
        ScatterSelector(1, search="exhaustive", criterion="hotelling_lawley"),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_names_and_support_are_those_selected():
    selector = ScatterSelector(3, search="exact").set_output(transform="pandas").fit(TUMOURS, BENIGN)
    selected = selector.transform(TUMOURS)
    assert list(selected.columns) == list(selector.get_feature_names_out()) == list(selector.selection_.names)
    assert selector.get_support(indices=True).tolist() == selector.selection_.features.tolist()
    np.testing.assert_array_equal(selected.to_numpy(), TUMOURS.iloc[:, selector.get_support(indices=True)])
    assert selector.inverse_transform(selected.to_numpy()).shape == TUMOURS.shape


def test_it_is_searched_over_in_a_pipeline():
    model = make_pipeline(StandardScaler(), ScatterSelector(), LogisticRegression())
    grid = GridSearchCV(
        model, {"scatterselector__n_features": [1, 5], "scatterselector__search": ["top", "exact", "forward"]}, cv=3
    )
    grid.fit(TUMOURS, BENIGN)
    assert grid.best_params_["scatterselector__n_features"] == 5
    assert grid.best_score_ > 0.93


def test_it_clones_and_pickles():
    selector = ScatterSelector(4, search="forward", criterion="hotelling_lawley").fit(TUMOURS, BENIGN)
    again = pickle.loads(pickle.dumps(selector))  # noqa: S301
    np.testing.assert_array_equal(again.transform(TUMOURS), selector.transform(TUMOURS))
    assert clone(selector).get_params() == selector.get_params()


def test_a_share_of_the_features():
    assert ScatterSelector(0.1).fit(TUMOURS, BENIGN).get_support().sum() == 3


def test_labels_may_be_texts():
    named = np.where(BENIGN == 1, "benign", "malignant")
    assert ScatterSelector(2).fit(TUMOURS, named).scatter_.classes == ("benign", "malignant")


def test_bad_wishes_are_refused():
    with pytest.raises(th.errors.ArgumentError, match="from 1 to 30"):
        ScatterSelector(31).fit(TUMOURS, BENIGN)
    with pytest.raises(th.errors.OneClassError):
        ScatterSelector(1).fit(TUMOURS, np.zeros(len(TUMOURS)))


tiny = st.sampled_from([0.0, 5e-324, 1e-323, 1e-310, 2.2e-308, 1e-300, 1.0, 3.0, 1e300])


@settings(max_examples=300)
@given(st.lists(st.tuples(tiny, tiny), min_size=1, max_size=5), st.data())
def test_no_subset_is_better_however_small_or_large_the_terms(drawn, data):
    between, within = zip(*drawn, strict=True)
    size = data.draw(st.integers(1, len(drawn)))
    best, _ = best_by_ratio(between, within, size)
    result = exact_selection(np.array(between), np.array(within), size)
    assert value([between[i] for i in result.features], [within[i] for i in result.features]) == best
    assert (np.diff(result.steps) > 0).all()
