"""Maps of k classes: laws of each method, two classes as the ranking's, peers, bad input."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import thresher as th
from thresher.calibration import CalibrationMap
from thresher.calibration.maps.crossfit import Settings, fit_curve, partition
from thresher.calibration.maps.dirichlet import fit_vectors

METHODS: Any = ["temperature", "vector", "dirichlet", "isotonic"]
LEAVES = [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]]
THREE = th.Segments.parse("[8,1,1][1,6,3][0,2,8]", probability=LEAVES, classes="abc")
COSTS = th.CostMatrix.ordinal("abc")


def drawn(seed: int, n: int = 300, k: int = 3, sharper: float = 1.0) -> tuple[Any, Any]:
    """Labels, and probabilities that are calibrated unless they are made sharper."""
    rng = np.random.default_rng(seed)
    true = rng.dirichlet(np.ones(k), n)
    label = (true.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    power = true**sharper
    return label, power / power.sum(axis=1, keepdims=True)


@st.composite
def pairs(draw):
    """Two classes: counts of both in every segment, whole or weighted."""
    place = draw(st.lists(st.integers(1, 39), min_size=3, max_size=9, unique=True))
    count = st.lists(st.integers(1, 9), min_size=len(place), max_size=len(place))
    p, unit = np.array(place) / 40, draw(st.sampled_from([1, 0.37]))
    counts = np.array([draw(count), draw(count)]).T * unit
    return th.Segments(np.column_stack([p, 1 - p]), counts, classes=["yes", "no"])


GRID = np.column_stack([np.linspace(0.02, 0.98, 25), 1 - np.linspace(0.02, 0.98, 25)])


@settings(max_examples=40)
@given(pairs())
def test_two_classes_are_mapped_as_the_ranking_is(segments):
    ranking = segments.ranking("yes")

    def both(method: Any, other: Any, **options: Any) -> tuple[Any, Any]:
        of_vectors = th.calibration_map(segments, method=method, **options)
        return of_vectors(GRID)[:, 0], th.calibration_map(ranking, method=other)(GRID[:, 0])

    one, other = both("temperature", "temperature")
    assert one == pytest.approx(other, abs=1e-12)
    vector: Any = th.calibration_map(segments, method="vector", floor=1e-6)
    full = th.calibration_map(segments, method="dirichlet", penalty=0, floor=1e-6)
    assert full(GRID) == pytest.approx(vector(GRID), abs=1e-9)
    if min(vector.curve.weights.diagonal()) > 0:
        assert vector(GRID)[:, 0] == pytest.approx(both("vector", "beta", floor=1e-6)[1], abs=1e-9)
    for smoothing in (None, "laplace"):
        own = th.calibration_map(segments, smoothing=smoothing)(segments.probability)[:, 0]
        hull = th.calibration_map(ranking, smoothing=smoothing)(segments.probability[:, 0])
        assert own == pytest.approx(hull, abs=1e-12)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(3, 5))
def test_rows_sum_to_one_and_json_reads_back(seed, k):
    labels, matrix = drawn(seed, n=60, k=k, sharper=2.0)
    assume(len(set(labels.tolist())) == k)
    coarse = (matrix * 9).round() + 1  # ties, and no entry far below a case
    segments = th.segment(labels, coarse / coarse.sum(axis=1, keepdims=True))
    new = drawn(seed + 1, n=40, k=k)[1]
    new[0] = np.eye(k)[0]
    for method in METHODS:
        fitted = th.calibration_map(segments, method=method)
        assert fitted(new).sum(axis=1) == pytest.approx(np.ones(40))
        assert fitted(new).min() >= 0
        assert CalibrationMap.from_json(fitted.to_json()) == fitted
        assert (CalibrationMap.from_dict(fitted.to_dict())(new) == fitted(new)).all()
        assert fitted.before is not None
        assert fitted.before.brier == th.brier(segments)
    hot = th.calibration_map(segments, method="temperature")
    assert (hot(new).argmax(axis=1) == new.argmax(axis=1)).all()
    curve: Any = th.calibration_map(segments).curve
    for i in range(k):
        order = np.argsort(new[:, i])
        assert (np.diff(curve.by_class(new)[order, i]) >= 0).all()


def test_temperature_keeps_zeros_and_says_what_it_cannot_mend():
    rows = [[0.5, 0.5, 0], [0.2, 0.8, 0], [0.7, 0.2, 0.1]]
    segments = th.Segments(rows, [[3, 4, 0], [1, 2, 1], [5, 2, 2]], classes="abc")
    fitted = th.calibration_map(segments, method="temperature")
    assert (fitted(rows)[:2, 2] == 0).all()
    assert [each.code for each in fitted.cautions] == ["certain-and-wrong"]
    assert "1 of 20" in fitted.cautions[0].text
    assert math.isinf(fitted.after.log_loss)  # type: ignore[union-attr]
    assert CalibrationMap.from_json(fitted.to_json()) == fitted


def test_temperature_is_infinite_where_probabilities_say_nothing():
    turned = th.Segments([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]], [[1, 9, 2], [9, 1, 2]], classes="abc")
    fitted = th.calibration_map(turned, method="temperature")
    assert fitted(turned.probability) == pytest.approx(np.full((2, 3), 1 / 3))
    assert [each.code for each in fitted.cautions] == ["not-rising"]
    assert "temperature infinite" in str(fitted)
    alike = th.Segments([[1 / 3, 1 / 3, 1 / 3]], [[1, 2, 3]], classes="abc")
    assert th.calibration_map(alike, method="temperature").curve.weights[0, 0] == 1  # type: ignore[union-attr]


def test_the_temperature_is_the_truth_and_that_of_a_peer():
    labels, matrix = drawn(3, n=2000, k=4, sharper=2.0)
    segments = th.segment(labels, matrix)
    fitted: Any = th.calibration_map(segments, method="temperature")
    assert 1 / fitted.curve.weights[0, 0] == pytest.approx(2, abs=0.15)

    class Given(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        def fit(self, _: Any, y: Any) -> Any:
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, X: Any) -> Any:
            return X

        def predict(self, X: Any) -> Any:
            return self.classes_[X.argmax(axis=1)]

    model = FrozenEstimator(Given().fit(matrix, labels))
    warm = CalibratedClassifierCV(model, method="temperature").fit(matrix, labels)
    assert fitted(matrix) == pytest.approx(warm.predict_proba(matrix), abs=1e-4)
    steps = CalibratedClassifierCV(model, method="isotonic").fit(matrix, labels)
    assert th.calibration_map(segments)(matrix) == pytest.approx(steps.predict_proba(matrix), abs=1e-9)


def test_the_full_map_is_a_logistic_regression_on_logarithms():
    labels, matrix = drawn(5, n=400, k=3, sharper=1.5)
    fitted = th.calibration_map(th.segment(labels, matrix), method="dirichlet", penalty=0, floor=1e-9)
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=5000).fit(np.log(matrix), labels)
    assert fitted(matrix) == pytest.approx(peer.predict_proba(np.log(matrix)), abs=1e-5)


def test_penalties_draw_the_full_map_to_the_diagonal():
    labels, matrix = drawn(7, n=300, k=3, sharper=1.5)
    segments = th.segment(labels, matrix)
    off = []
    for penalty in (0, 0.01, 1, 1e6):
        curve: Any = th.calibration_map(segments, method="dirichlet", penalty=penalty).curve
        off.append(float(np.abs(curve.weights - np.diag(curve.weights.diagonal())).max()))
        assert curve.penalty == penalty
    assert off == sorted(off, reverse=True)
    assert off[-1] < 1e-4
    chosen = th.calibration_map(segments, method="dirichlet")
    assert f"penalty {chosen.curve.penalty:g}" in str(chosen)  # type: ignore[union-attr]
    with pytest.MonkeyPatch.context() as patch:  # first derivatives alone lead to the same place
        newton: Any = th.calibration_map(segments, method="dirichlet", penalty=0.01)
        patch.setattr("thresher.calibration.maps.dirichlet.MOST_PARAMETERS", 1)
        slow: Any = th.calibration_map(segments, method="dirichlet", penalty=0.01)
    assert slow(matrix) == pytest.approx(newton(matrix), abs=1e-4)


def test_no_neighbour_has_a_lower_penalised_loss():
    labels, matrix = drawn(9, n=120, k=3)
    counts = np.eye(3, dtype=int)[labels]
    for method, penalty in (("vector", 0.0), ("dirichlet", 0.1)):
        curve = fit_vectors(matrix, counts, method, floor=1e-6, penalty=penalty).curve  # type: ignore[arg-type]

        def loss(weights: Any, intercept: Any, strength: float = penalty) -> float:
            z = np.log(matrix) @ weights.T + intercept
            log_q = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
            off = weights - np.diag(weights.diagonal())
            return float(-(counts * log_q).sum() / 120 + strength * ((off**2).sum() / 6 + (intercept**2).sum() / 3))

        best = loss(curve.weights, curve.intercept)
        for i in range(3):
            for j in range(3) if method == "dirichlet" else [i]:
                for step in (-1e-3, 1e-3):
                    moved = curve.weights.copy()
                    moved[i, j] += step
                    assert loss(moved, curve.intercept) > best
            assert loss(curve.weights, curve.intercept + 1e-3 * np.eye(3)[i]) > best


def test_maps_of_calibrated_large_data_are_near_the_identity():
    rng = np.random.default_rng(1)
    vectors = rng.dirichlet(np.ones(3), 25)
    segments = th.Segments(vectors, rng.multinomial(40_000, vectors), classes="abc")
    for method in METHODS:
        assert th.calibration_map(segments, method=method)(vectors) == pytest.approx(vectors, abs=0.01)


def test_small_entries_are_raised_and_counted():
    segments = th.Segments([[0.7, 0.3, 0], [0.2, 0.3, 0.5]], [[4, 2, 1], [1, 1, 1]], classes="abc")
    fitted: Any = th.calibration_map(segments, method="vector")
    assert fitted.curve.floor == 1 / 20
    assert fitted.curve.raised == 7
    assert "7 entries raised to 0.05" in str(fitted)
    assert fitted([[1, 0, 0]]) == pytest.approx(fitted.curve(np.array([[1, 0.05, 0.05]])))
    assert th.calibration_map(segments, method="vector", floor=0.01).curve.floor == 0.01  # type: ignore[union-attr]


def test_separable_classes_have_finite_maps():
    sure = th.Segments([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]], np.diag([5, 6, 7]), classes="abc")
    for method in ("temperature", "vector", "dirichlet"):
        fitted: Any = th.calibration_map(sure, method=method)
        assert [each.code for each in fitted.cautions] == ["separable"]
        assert (fitted(sure.probability).diagonal() > 0.6).all()
        assert (fitted(sure.probability).max(axis=1) < 1).all()
        again = th.calibration_map(sure, method=method, targets="platt")
        assert again(sure.probability) == pytest.approx(fitted(sure.probability))
        assert not again.cautions


def test_rows_for_which_no_class_is_possible_get_the_class_shares():
    rows = [[0.34, 0.33, 0.33], [0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]]
    counts = [[0, 0, 0], [5, 0, 0], [0, 6, 0], [0, 0, 7]]
    unseen: Any = th.calibration_map(th.Segments(rows, counts, classes="abc"))
    assert unseen.curve.impossible == 0
    assert unseen(rows[:1])[0] == pytest.approx([5 / 18, 6 / 18, 7 / 18])
    counts[0] = [1, 0, 0]  # held out, no other case tells its class
    odd = th.Segments(rows, counts, classes="abc")
    fitted: Any = th.calibration_map(odd)
    assert fitted.curve.impossible == 1
    assert [str(each) for each in fitted.cautions] == [
        "no-class-possible: for 1 of 19 cases held out of a fit every map says 0; such rows get the class shares"
    ]
    assert not th.calibration_map(odd, smoothing="laplace").cautions
    none = th.calibration_map(odd, smoothing=th.calibration.MEstimate(m=0, prior=0.5))
    assert none.cautions == fitted.cautions


def test_auto_is_the_best_of_all_on_cases_it_was_not_fitted_on():
    labels, matrix = drawn(11, n=500, k=3, sharper=3.0)
    segments = th.segment(np.array(list("abc"))[labels], matrix)
    plain = th.calibration_map(segments, method="auto")
    assert [each.log_loss for each in plain.candidates] == sorted(each.log_loss for each in plain.candidates)
    assert {each.method for each in plain.candidates} == {*METHODS, "identity"}
    assert plain.method == plain.candidates[0].method == "temperature"
    assert all(each.cost is None for each in plain.candidates)
    assert f"{plain.method} is best by cross-fitted log loss" in str(plain)
    assert plain(matrix) == pytest.approx(th.calibration_map(segments, method="temperature")(matrix))
    costly = th.calibration_map(segments, method="auto", condition=COSTS, smoothing="laplace", folds=3, seed=1)
    paid = [each.cost or 0 for each in costly.candidates]
    assert paid == sorted(paid)
    assert "best by cross-fitted cost" in str(costly)
    assert CalibrationMap.from_json(costly.to_json()) == costly
    for each in costly.candidates:  # against an obvious loop over the folds
        total = losses = 0.0
        for train, test in partition(segments, 3, 1):
            curve, _ = fit_curve(train, each.method, Settings(smoothing="laplace", seed=1))
            new = curve(test.probability)
            actions = COSTS.decide(new)
            for counts, row, action in zip(test.counts, new, actions, strict=True):
                total += float(counts @ COSTS.costs[:, action])
                losses -= float(counts @ np.log(row))
        assert each.cost == pytest.approx(total / 500)
        assert each.log_loss == pytest.approx(losses / 500)
    best, other = costly.candidates[0], costly.candidates[-1]
    assert (best.behind, best.half_width) == (0, 0)
    apart = []  # what each case pays under the two methods
    for train, test in partition(segments, 3, 1):
        paid_by = [
            COSTS.costs[
                :,
                COSTS.decide(fit_curve(train, each.method, Settings(smoothing="laplace", seed=1))[0](test.probability)),
            ].T
            for each in (other, best)
        ]
        apart += np.repeat((paid_by[0] - paid_by[1]).ravel(), test.counts.ravel()).tolist()
    assert other.behind == pytest.approx(np.mean(apart))
    assert other.half_width == pytest.approx(1.96 * np.std(apart) / np.sqrt(500), rel=1e-4)
    second = costly.candidates[1]
    assert f"less than {second.method} (± {second.half_width:.4f}" in str(costly)


def test_at_a_declared_mix_the_distance_is_stratified_by_class():
    labels, matrix = drawn(17, n=300, k=3, sharper=3.0)
    segments = th.segment(np.array(list("abc"))[labels], matrix)
    mix = {"a": 0.7, "b": 0.2, "c": 0.1}
    condition = th.OperatingCondition(costs=COSTS, mix=mix)
    fitted = th.calibration_map(segments, method="auto", condition=condition, smoothing="laplace")
    own = dict(zip("abc", segments.mix.tolist(), strict=True))
    at_own = th.OperatingCondition(costs=COSTS, mix=own)
    plain = th.calibration_map(segments, method="auto", condition=COSTS, smoothing="laplace")
    same = th.calibration_map(segments, method="auto", condition=at_own, smoothing="laplace")
    assert [each.method for each in same.candidates] == [each.method for each in plain.candidates]
    for each in fitted.candidates[1:]:
        assert each.cost == pytest.approx((fitted.candidates[0].cost or 0) + each.behind)
        assert each.half_width is not None
    hard = th.calibration_map(segments, method="auto", seed=3).candidates[-1]
    assert (hard.method, hard.behind, hard.half_width) == ("isotonic", math.inf, None)


def test_costs_are_read_by_name():
    labels, matrix = drawn(13, n=200, k=3)
    segments = th.segment(np.array(list("abc"))[labels], matrix)
    by_name = {"c": {"a": 9, "b": 2}, "a": {"b": 1, "c": 3}, "b": {"a": 4, "c": 1}}
    shuffled, ordered = th.CostMatrix(by_name), th.CostMatrix({name: by_name[name] for name in "abc"})
    first, second = (th.calibration_map(segments, method="auto", condition=each) for each in (shuffled, ordered))
    assert first == second


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "platt"}, "method must be"),
        ({"method": "temperature", "floor": 0.1}, "temperature has no option floor"),
        ({"method": "isotonic", "bins": 3}, "isotonic has no option bins"),
        ({"method": "vector", "floor": 0.5}, "floor must lie strictly between 0 and 1/3"),
        ({"method": "dirichlet", "penalty": -1}, "penalty must be 0 or more"),
        ({"method": "temperature", "condition": COSTS}, "temperature has no option condition"),
        ({"method": "auto", "condition": th.OperatingCondition(cost_ratio=2)}, "no cost matrix"),
        ({"method": "auto", "condition": th.CostMatrix.equal("abd")}, "costs of 'a', 'b' and 'd'"),
        ({"method": "auto", "folds": 1}, "folds must be at least 2"),
        ({"method": "vector", "targets": "hinge"}, "targets must be"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(th.ThresherError, match=message):
        th.calibration_map(THREE, **options)


def test_refused_rows_and_classes():
    fitted = th.calibration_map(THREE)
    with pytest.raises(th.errors.LengthError, match="3 classes"):
        fitted([0.2, 0.5, 0.3])
    with pytest.raises(th.errors.LengthError, match="shape"):
        fitted([[0.5, 0.5]])
    with pytest.raises(th.errors.ProbabilityError, match="sum to 1"):
        fitted([[0.5, 0.5, 0.5]])
    with pytest.raises(th.errors.MissingValueError):
        fitted([[0.5, 0.5, np.nan]])
    two = th.Segments(LEAVES, [[3, 1, 0], [1, 3, 0], [2, 2, 0]], classes="abc")
    with pytest.raises(th.errors.OneClassError, match="class 'c' has no cases among 12"):
        th.calibration_map(two, method="vector")
    assert th.calibration_map(two, method="temperature").classes == tuple("abc")
    with pytest.raises(th.errors.ArgumentError, match="map of vectors"):
        th.calibration_map(THREE.ranking("a"), method="dirichlet")  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": ["a", "b"]}, "is not of 2 classes"),
        ({"classes": 3}, "must be a list"),
        ({"method": "platt"}, "must be"),
        ({"before": {}}, "is missing"),
        ({"curve": {}}, "is missing"),
        ({"candidates": [1]}, "must be an object"),
    ],
)
def test_json_that_is_not_a_map(change, message):
    for method in METHODS:
        plain = th.calibration_map(THREE, method=method).to_dict() | change
        with pytest.raises(th.errors.NotationError, match=message):
            CalibrationMap.from_dict(plain)
