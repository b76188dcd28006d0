"""Feature curves: selection happens inside folds, so noise cannot look good."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from thresher.learning import feature_curve

RNG = np.random.default_rng(0)
Y = np.arange(200) % 2 == 0
NOISE = RNG.normal(size=(200, 300))
USEFUL = np.hstack([RNG.normal(size=(200, 4)) + Y[:, None], NOISE[:, :40]])


def test_selecting_among_noise_does_not_help():
    unseen = feature_curve(GaussianNB(), NOISE, Y, sizes=[10, 100])
    assert (unseen.validation.estimate > 0.4).all()
    selected = SelectKBest(f_classif, k=10).fit_transform(NOISE, Y)  # all rows seen: the mistake
    assert feature_curve(GaussianNB(), selected, Y, sizes=[10]).validation.estimate[0] < 0.38


def test_the_useful_features_are_the_best():
    curve = feature_curve(GaussianNB(), pd.DataFrame(USEFUL), Y, sizes=[1, 4, 12, 44])
    assert curve.best in (4, 12)
    assert curve.simplest == 4
    assert curve.validation.estimate[list(curve.sizes).index(curve.best)] == curve.validation.estimate.min()
    assert curve.apparent.estimate[3] < curve.validation.estimate[3]
    assert curve.parameter == "features"
    assert curve.to_dict()["simplest"] == 4
    assert repr(curve).endswith(f"at features = {curve.best})")
    assert feature_curve(GaussianNB(), USEFUL, Y).sizes[-1] == 44


def test_any_selector_may_order_features():
    asked = []

    def selector(size):
        asked.append(size)
        return SelectKBest(f_classif, k=size)

    own = feature_curve(GaussianNB(), USEFUL, Y, sizes=[2, 5], selector=selector)
    plain = feature_curve(GaussianNB(), USEFUL, Y, sizes=[2, 5])
    assert asked == [2, 5]
    np.testing.assert_array_equal(own.validation.per_fold, plain.validation.per_fold)


def test_any_parameter_may_be_the_complexity():
    tree = DecisionTreeClassifier(random_state=0)
    curve = feature_curve(tree, USEFUL, Y, parameter="max_depth", sizes=[1, 2, 4, 8])
    assert (np.diff(curve.apparent.estimate) <= 0).all()
    assert curve.apparent.estimate[-1] < 0.02
    assert curve.best in (1, 2, 4)
    higher = feature_curve(KNeighborsClassifier(), USEFUL, Y, parameter="n_neighbors", sizes=[1, 15], measure="auc")
    assert higher.best == 15


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sizes": [0, 3]}, "from 1 to 44"),
        ({"sizes": [3, 45]}, "from 1 to 44"),
        ({"sizes": [1.5]}, "whole numbers"),
        ({"parameter": "var_smoothing"}, "go to sizes="),
        ({"parameter": "depth", "sizes": [1]}, "no parameter 'depth'"),
    ],
)
def test_bad_input_is_refused_in_words(options, words):
    with pytest.raises(th.errors.ArgumentError, match=words):
        feature_curve(GaussianNB(), USEFUL, Y, **options)
    with pytest.raises(th.errors.MeasureError):
        feature_curve(GaussianNB(), USEFUL, Y, measure="acuracy")
