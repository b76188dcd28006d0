"""Features searched by a model's own cost, and the honest value of the search."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.naive_bayes import GaussianNB

import thresher as th
from thresher.learning import cross_validate, feature_search
from thresher.learning.validation.folds import splits_of

RNG = np.random.default_rng(3)
Y = np.arange(120) % 2 == 0
X = RNG.normal(size=(120, 5))
X[:, [1, 4]] += 2 * Y[:, None]


@pytest.mark.parametrize("search", ["forward", "backward"])
def test_the_search_is_that_of_scikit_learn(search):
    chosen = feature_search(GaussianNB(), X, Y, 3, search=search, measure="accuracy", folds=2, seed=5)
    folds = [(split.train, split.test) for split in splits_of(3, Y, seed=5)]
    peer = SequentialFeatureSelector(
        GaussianNB(), n_features_to_select=3, direction=search, cv=folds, scoring="accuracy"
    )
    assert sorted(chosen.features) == [f"x{place}" for place in np.flatnonzero(peer.fit(X, Y).support_)]


def test_the_value_is_that_of_rows_which_no_choice_has_met():
    noise = RNG.normal(size=(60, 12))
    labels = np.arange(60) % 2 == 0
    search = feature_search(GaussianNB(), noise, labels, 2, folds=4)
    chosen = noise[:, [int(name[1:]) for name in search.features]]
    flattered = cross_validate(GaussianNB(), chosen, labels, folds=4).estimate("error_rate")
    assert flattered.estimate < search.value.estimate  # the subset was chosen on these rows
    assert search.value.lower < 0.5 < search.value.upper
    assert sum(search.chosen.values()) == 2 * search.folds == 8


def test_a_condition_searches_by_expected_cost_and_all_subsets_are_counted():
    calls = []
    options: Any = {"search": "exhaustive", "folds": 2, "progress": lambda done, total: calls.append((done, total))}
    search = feature_search(GaussianNB(), X, Y, 2, measure=th.OperatingCondition(cost_ratio=4), **options)
    assert (set(search.features), search.measure) == ({"x1", "x4"}, "expected_cost")
    assert calls[-1] == (search.fits, search.fits) == (10 * 3 * 3 + 2,) * 2


def test_three_classes_and_groups():
    flowers, species = load_iris(return_X_y=True, as_frame=True)
    search = feature_search(GaussianNB(), flowers, species, 1, folds=2, groups=np.arange(150) // 2)
    assert search.features in (("petal length (cm)",), ("petal width (cm)",))
    assert search.value.estimate < 0.1


@pytest.mark.parametrize(
    ("size", "options", "words"),
    [
        (0, {}, "n_features"),
        (6, {}, "n_features"),
        (2, {"search": "exact"}, "there is no search 'exact' by a model"),
        (2, {"measure": "prevalence"}, "neither better nor worse"),
        (2, {"measure": "beauty"}, "beauty"),
    ],
)
def test_searches_that_cannot_be_made_are_refused_in_words(size, options, words):
    with pytest.raises(th.errors.ThresherError, match=words):
        feature_search(GaussianNB(), X, Y, size, **options)


def test_too_many_subsets_are_refused_with_their_number():
    wide = pd.DataFrame(np.zeros((10, 40)))
    wide.columns = wide.columns.astype(str)
    with pytest.raises(th.errors.ThresherError, match="5 of 40 features make 658,008 subsets"):
        feature_search(GaussianNB(), wide, Y[:10], 5, search="exhaustive")
