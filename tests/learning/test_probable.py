"""Wrappers that give probabilities give them in the order of labels, whichever of these is positive."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from thresher.learning import CalibratedModel, GroupedModel
from thresher.learning.probable import ProbableClassifier

RNG = np.random.default_rng(0)
FLAGS = RNG.random(120) < 0.4
X = RNG.normal(size=(120, 2)) + 2 * FLAGS[:, None]
Y = np.where(FLAGS, "ill", "well")
MODELS = [CalibratedModel(GaussianNB(), method="platt"), GroupedModel(GaussianNB(), boundaries=4)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("positive", ["ill", "well"])
def test_columns_follow_the_labels(model, positive):
    model = model.set_params(positive=positive).fit(X, Y)
    assert isinstance(model, ProbableClassifier)
    found = model.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert found[FLAGS, 0].mean() > 0.7 > found[~FLAGS, 0].mean()
    np.testing.assert_array_equal(model.predict(X), model.classes_[found.argmax(axis=1)])


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_nothing_is_said_before_fitting(model):
    with pytest.raises(NotFittedError):
        type(model)(GaussianNB()).predict_proba(X)
    with pytest.raises(NotImplementedError):
        ProbableClassifier()._probability(X)
