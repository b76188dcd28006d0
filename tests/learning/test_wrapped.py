"""What all wrappers share: one fit on all rows, one ranking out of fold, names and tags of the inner model."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags

from thresher.learning import CalibratedModel, GroupedModel, ThresholdClassifier

X, Y = make_classification(n_samples=120, random_state=0)
WRAPPERS = [ThresholdClassifier, CalibratedModel, GroupedModel]


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_the_inner_model_is_fitted_on_all_rows_and_the_given_one_untouched(wrapper):
    inner = LogisticRegression()
    model = wrapper(inner, cv=3).fit(X, Y)
    np.testing.assert_array_equal(model.estimator_.coef_, LogisticRegression().fit(X, Y).coef_)
    assert not hasattr(inner, "coef_")
    assert model.ranking_.total == 120
    assert model.n_features_in_ == 20
    np.testing.assert_array_equal(model.scores(X), model.estimator_.predict_proba(X)[:, 1])


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_wrappers_share_one_out_of_fold_ranking(wrapper):
    first = ThresholdClassifier(LogisticRegression(), cv=4).fit(X, Y).ranking_
    assert wrapper(LogisticRegression(), cv=4, n_jobs=2).fit(X, Y).ranking_ == first


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_tags_are_the_inner_models_and_two_classes(wrapper):
    tags = get_tags(wrapper(HistGradientBoostingClassifier()))
    assert tags.input_tags.allow_nan
    assert not tags.classifier_tags.multi_class
    with pytest.raises(NotFittedError):
        wrapper(LogisticRegression()).predict(X)
