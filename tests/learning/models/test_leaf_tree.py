"""The spam tree of the worked examples, and laws of reading leaves."""

import math
import pickle
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from thresher.learning import LeafTree

WORDS = pd.DataFrame(np.repeat([[1, 0], [0, 1], [0, 0]], [25, 15, 60], axis=0), columns=["Viagra", "lottery"])
SPAM = np.repeat([1, 0, 1, 0, 1, 0], [20, 5, 10, 5, 20, 40])
X, Y = make_classification(n_samples=300, flip_y=0.2, random_state=4)


@parametrize_with_checks([LeafTree(DecisionTreeClassifier(max_depth=3, random_state=0), smoothing="laplace")])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


class TestTheSpamTree:
    tree = LeafTree().fit(WORDS, SPAM)

    def test_its_coverage_curve(self):
        ranking = self.tree.ranking()
        assert ranking == th.Ranking([2, 1, -1], pos=[20, 10, 20], neg=[5, 5, 40])
        assert th.auc(ranking) == 0.71
        tp, fp = ranking.covered()
        assert list(zip(fp.tolist(), tp.tolist(), strict=True)) == [(0, 0), (5, 20), (10, 30), (50, 50)]

    def test_decision_tree(self):
        table = th.contingency(SPAM, self.tree.predict(WORDS))
        assert (table.tp, table.fn, table.fp, table.tn) == (30, 20, 10, 40)

    def test_scoring_tree(self):
        assert set(self.tree.decision_function(WORDS).tolist()) == {2.0, 1.0, -1.0}
        assert th.contingency(SPAM, self.tree.decision_function(WORDS) >= 1.5).tp == 20

    def test_probability_tree(self):
        ranking = th.rank(SPAM, self.tree.predict_proba(WORDS)[:, 1])
        np.testing.assert_allclose(ranking.score, [4 / 5, 2 / 3, 1 / 3])
        assert th.brier(ranking) == pytest.approx((13.333333333333334 + 3.3333333333333335 + 4) / 100)
        smooth = LeafTree(smoothing="laplace").fit(WORDS, SPAM).predict_proba(WORDS)[:, 1]
        np.testing.assert_allclose(th.rank(SPAM, smooth).score, [21 / 27, 11 / 17, 21 / 62])
        estimate = (
            LeafTree(smoothing=th.calibration.MEstimate(m=10, prior=0.1)).fit(WORDS, SPAM).predict_proba(WORDS)[:, 1]
        )
        np.testing.assert_allclose(th.rank(SPAM, estimate).score, [21 / 35, 11 / 25, 21 / 70])

    def test_as_text(self):
        assert self.tree.text() == (
            "Viagra\n"
            "├─ = 0: lottery\n"
            "│  ├─ = 0: [20+,40-]  score -1  p 0.3333  call 0\n"
            "│  └─ = 1: [10+,5-]  score 1  p 0.6667  call 1\n"
            "└─ = 1: [20+,5-]  score 2  p 0.8  call 1"
        )
        assert "[40+,20-]" in self.tree.text(positive=0)

    @pytest.mark.parametrize(
        ("kind", "leaves"),
        [
            ("feature", ["[20+,40-]", "[10+,5-]", "[20+,5-]"]),
            ("decision", ["call 0", "call 1", "call 1"]),
            ("scoring", ["score -1", "score 1", "score 2"]),
            ("probability", ["p 0.3333", "p 0.6667", "p 0.8"]),
        ],
    )
    def test_each_kind_of_tree_alone(self, kind, leaves):
        lines = self.tree.text(kind=kind).splitlines()
        assert [line.split(": ")[1] for line in lines if line.split(": ")[-1] in leaves] == leaves
        assert [self.tree.layout(kind=kind).text[node] for node in self.tree.nodes_.leaves] == [
            (leaf,) for leaf in leaves
        ]
        for leaf in leaves:
            assert leaf in self.tree.svg(kind=kind)

    def test_as_picture(self):
        layout = self.tree.layout()
        assert layout.x.tolist() == [1.25, 0.5, 2.0, 0.0, 1.0]
        assert layout.depth.tolist() == [0, 1, 1, 2, 2]
        assert layout.parent.tolist() == [-1, 0, 0, 1, 1]
        assert layout.text[2] == ("[20+,5-]", "score 2", "p 0.8", "call 1")
        picture = ET.fromstring(self.tree.svg())  # noqa: S314
        assert len(picture.findall("{*}rect")) == 5
        assert [label.text for label in picture.findall("{*}text")].count("= 0") == 2


def test_only_columns_of_0_and_1_are_asked_which():
    fitted = DecisionTreeClassifier().fit(WORDS, SPAM)
    assert "Viagra <= 0.5" in LeafTree.of(fitted).text()  # the rows are unknown
    assert "├─ = 0: lottery" in LeafTree.of(fitted, X=WORDS).text()
    assert LeafTree.of(fitted, X=sparse.csr_array(WORDS)).text() == LeafTree.of(fitted, X=WORDS).text()
    halves = LeafTree().fit([[0.0], [0.25], [1.0]], [0, 0, 1])
    assert halves.text().startswith("x[0] <= 0.625")
    wide = DecisionTreeClassifier().fit([[0], [1], [5]], [0, 0, 1])
    again = LeafTree(FrozenEstimator(wide)).fit([[0], [1]], [0, 1])  # 0 and 1 here, and 5 where it was grown
    assert again.text().startswith("x[0] <= 3")
    with pytest.raises(th.errors.ArgumentError, match="kind must be"):
        halves.text(kind="score")  # type: ignore[arg-type]
    data, labels = load_iris(return_X_y=True)
    with pytest.raises(th.errors.ArgumentError, match="scoring tree is of two classes"):
        LeafTree().fit(data, labels).text(kind="scoring")


def test_names_of_users_are_escaped():
    tree = LeafTree().fit(WORDS.rename(columns={"Viagra": "<script>&"}), SPAM)
    ET.fromstring(tree.svg())  # noqa: S314
    assert "<script>" not in tree.svg()
    assert tree.text().startswith("<script>&\n")


@given(seed=st.integers(0, 50), leaves=st.integers(2, 12))
def test_the_ranking_is_that_of_the_scored_rows(seed, leaves):
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 4, size=(80, 3))
    labels = np.append(rng.integers(0, 2, 78), [0, 1])
    tree = LeafTree(DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)).fit(data, labels)
    ranking = tree.ranking()
    assert ranking == th.rank(labels, tree.decision_function(data))
    assert str(ranking) == str(th.rank(labels, tree.predict_proba(data)[:, 1]))
    # Leaves in order of their proportions are their own hull.
    assert str(th.hull(ranking)) == str(ranking)
    np.testing.assert_array_equal(tree.predict(data), tree.tree_.predict(data))
    np.testing.assert_allclose(tree.predict_proba(data), tree.tree_.predict_proba(data))


def test_a_fitted_tree_is_read_by_its_own_counts_or_counted_again():
    fitted = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(X[:150], Y[:150])
    own = LeafTree.of(fitted)
    assert own.ranking() == th.rank(Y[:150], own.decision_function(X[:150]))
    again = LeafTree(FrozenEstimator(fitted)).fit(X[150:], Y[150:])
    assert again.ranking() == th.rank(Y[150:], again.decision_function(X[150:]))
    assert again.ranking() != own.ranking()
    assert th.auc(again.ranking()) < th.auc(own.ranking())
    same = LeafTree(FrozenEstimator(fitted)).fit(X[:150], Y[:150])
    np.testing.assert_array_equal(same.nodes_.counts, own.nodes_.counts)


def test_an_empty_leaf_is_read_as_its_nearest_ancestor():
    fitted = DecisionTreeClassifier().fit([[0], [1], [2], [3]], [0, 1, 0, 1])
    tree = LeafTree(FrozenEstimator(fitted)).fit([[0], [0], [3]], [0, 1, 1])
    assert not np.isnan(tree.predict_proba([[0], [1], [2], [3]])).any()
    assert tree.predict_proba([[0]])[0, 1] == 0.5
    assert tree.ranking().total == 3


def test_weights_count_as_rows():
    weights = np.arange(100) % 4
    again = np.repeat(np.arange(100), weights)
    for base in (None, FrozenEstimator(DecisionTreeClassifier(max_leaf_nodes=3).fit(WORDS, SPAM))):
        weighted = LeafTree(base).fit(WORDS, SPAM, sample_weight=weights).ranking()
        repeated = LeafTree(base).fit(WORDS.iloc[again], SPAM[again]).ranking()
        np.testing.assert_allclose(weighted.score, repeated.score)
        np.testing.assert_allclose([weighted.pos, weighted.neg], [repeated.pos, repeated.neg])


def test_pure_leaves_have_infinite_scores():
    tree = LeafTree().fit([[0], [1]], ["ham", "spam"])
    assert tree.decision_function([[0], [1]]).tolist() == [-math.inf, math.inf]
    assert "[1+]  score inf  p 1  call spam" in tree.text()


def test_reordering_by_smoothing_is_a_caution():
    data = np.repeat([0, 1, 2], [1, 100, 9])[:, None]
    labels = np.r_[1, np.ones(99, int), 0, np.zeros(9, int)]
    tree = LeafTree(DecisionTreeClassifier(min_samples_leaf=1), smoothing="laplace").fit(data, labels)
    assert [caution.code for caution in tree.cautions_] == ["reordered"]


def test_several_classes():
    data, labels = load_iris(return_X_y=True)
    tree = LeafTree(DecisionTreeClassifier(max_leaf_nodes=4, random_state=0)).fit(data, labels)
    assert tree.decision_function(data).shape == (150, 3)
    ranking = tree.ranking(positive=2)
    assert ranking == th.rank(labels == 2, tree.decision_function(data)[:, 2])
    assert "0 50, 1 0, 2 0  call 0" in tree.text()
    assert "[50+]" in tree.text(positive=0)
    with pytest.raises(th.errors.ArgumentError, match="3 classes and one of them is to be positive"):
        tree.ranking()
    with pytest.raises(th.errors.ArgumentError, match="'rose' is not among"):
        tree.ranking(positive="rose")
    with pytest.raises(th.errors.ArgumentError, match="one prior"):
        LeafTree(smoothing=th.calibration.MEstimate(m=1, prior=0.5)).fit(data, labels)


def test_it_clones_pickles_and_searches():
    grid = GridSearchCV(LeafTree(DecisionTreeClassifier(random_state=0)), {"estimator__max_leaf_nodes": [2, 6]}).fit(
        X, Y
    )
    again = pickle.loads(pickle.dumps(grid.best_estimator_))  # noqa: S301
    np.testing.assert_array_equal(again.predict(X), grid.predict(X))
    assert clone(grid.best_estimator_).estimator.max_leaf_nodes == grid.best_params_["estimator__max_leaf_nodes"]
    assert list(LeafTree().fit(WORDS, SPAM).feature_names_in_) == ["Viagra", "lottery"]


def test_what_is_no_tree_is_refused():
    with pytest.raises((th.errors.ArgumentError, AttributeError)):
        LeafTree(LogisticRegression()).fit(X, Y)
    with pytest.raises(th.errors.ArgumentError, match="smoothing is 'lots'"):
        LeafTree(smoothing="lots").fit(X, Y)  # type: ignore[arg-type]
    with pytest.raises(th.errors.LabelError, match="not among the classes"):
        LeafTree(FrozenEstimator(DecisionTreeClassifier().fit(X, Y))).fit(X, Y + 1)
