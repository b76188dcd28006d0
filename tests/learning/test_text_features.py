import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

import thresher as th
from thresher.learning import TextFeatures

TEXTS = ["cheap pills now", "cheap flights", None, "meeting at ten"]


def test_weights_are_scikit_learns_and_missing_texts_have_none():
    fitted = TextFeatures().fit({"note": TEXTS})
    found = fitted.transform({"note": TEXTS})
    np.testing.assert_allclose(
        found, TfidfVectorizer().fit_transform(["" if t is None else t for t in TEXTS]).toarray()
    )
    assert not found[2].any()


def test_columns_are_told_apart_and_words_limited():
    fitted = TextFeatures(1).fit({"title": ["hello hello", "hello"], "body": ["cheap cheap", "cheap"]})
    assert fitted.get_feature_names_out().tolist() == ["title: hello", "body: cheap"]


def test_texts_without_words_are_refused():
    with pytest.raises(th.ColumnError, match="the texts of column 'note' have no words"):
        TextFeatures().fit({"note": ["!", "?"]})
