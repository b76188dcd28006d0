"""Grading models: the worked example, laws of joining segments, and the estimator."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from tests.strategies import ranking as ranking_of
from tests.strategies import two_class_counts
from thresher.learning import GroupedModel, grouped

X, Y = make_classification(n_samples=300, flip_y=0.2, random_state=2)
LINEAR = th.Ranking.parse("[1+][1+][1+][1-][1+][1-][1-][1+][1-][1-]")


@parametrize_with_checks([GroupedModel(LogisticRegression(), boundaries=4, cv=3)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_the_linear_classifier_cut_at_three_boundaries():
    grades = grouped(LINEAR, after=[3, 5, 8])
    assert str(grades) == "[3+][1+,1-][1+,2-][2-]"
    assert th.auc(LINEAR) == 21 / 25
    assert th.auc(grades) == 0.9
    assert grouped(LINEAR, at=[2.5, 5.5, 7.5]) == grades == grouped(LINEAR, at=[3, 6, 8])


@given(segments=two_class_counts, data=st.data())
def test_joining_keeps_cases_and_only_ties_pairs(segments, data):
    fine = ranking_of(segments)
    after = sorted(data.draw(st.sets(st.integers(0, len(fine)))))
    coarse = grouped(fine, after=after)
    assert (coarse.Pos, coarse.Neg) == (fine.Pos, fine.Neg)
    inside = {split for split in after if 0 < split < len(fine)}
    assert len(coarse) == len(inside) + 1
    points = set(zip(*(cells.tolist() for cells in fine.covered()), strict=True))
    assert set(zip(*(cells.tolist() for cells in coarse.covered()), strict=True)) <= points


@given(segments=two_class_counts)
def test_no_boundaries_rank_better_than_the_hull(segments):
    fine = ranking_of(segments)
    best = th.auc(th.hull(fine))
    inside = range(1, min(len(fine), 7))
    for size in range(len(inside) + 1):
        for after in itertools.combinations(inside, size):
            assert th.auc(grouped(fine, after=after)) <= best + 1e-12


def test_the_estimator_gives_each_group_its_proportion():
    model = GroupedModel(LogisticRegression(), boundaries=[0.2, 0.5, 0.8]).fit(X, Y)
    scores = LogisticRegression().fit(X, Y).predict_proba(X)[:, 1]
    group = np.searchsorted([0.2, 0.5, 0.8], scores, side="right")
    np.testing.assert_array_equal(model.grade(X), group)
    share = model.counts_[:, 0] / model.counts_.sum(axis=1)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], share[group])
    assert model.grades_ == grouped(model.ranking_, at=[0.2, 0.5, 0.8])
    assert GroupedModel(LogisticRegression(), boundaries=4).fit(X, Y).boundaries_.size == 3


def test_the_hull_is_isotonic_calibration():
    model = GroupedModel(LogisticRegression()).fit(X, Y)
    pools = th.hull(model.ranking_, pool="ties")
    np.testing.assert_allclose(model.probabilities_[::-1], pools.pos / (pools.pos + pools.neg))
    group = np.searchsorted(model.boundaries_, model.ranking_.score, "right")
    np.testing.assert_allclose(th.calibration_map(model.ranking_)(model.ranking_.score), model.probabilities_[group])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"boundaries": "best"}, "boundaries is 'best'"),
        ({"boundaries": [0.5, 0.2]}, "rising"),
        ({"boundaries": 0}, "bins must be"),
        ({"boundaries": [-5.0, 0.5]}, "no training row scores from -inf up to -5"),
    ],
)
def test_bad_boundaries_are_refused(options, words):
    with pytest.raises(th.errors.ArgumentError, match=words):
        GroupedModel(LogisticRegression(), **options).fit(X, Y)
    smooth = GroupedModel(LogisticRegression(), boundaries=[-5.0, 0.5], smoothing="laplace").fit(X, Y)
    assert smooth.probabilities_[0] == 0.5


@pytest.mark.parametrize(
    "options", [{}, {"after": [1], "at": [2.0]}, {"after": [11]}, {"after": [1.5]}, {"after": [3, 3]}, {"at": [[1]]}]
)
def test_bad_cuts_are_refused(options):
    with pytest.raises(th.errors.ArgumentError):
        grouped(LINEAR, **options)
