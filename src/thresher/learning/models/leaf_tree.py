"""`LeafTree`: a tree as decision, scoring and probability tree."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from thresher._internal.arguments import require_classifier, require_one_of
from thresher.calibration import MEstimate, laplace, m_estimate, smooth
from thresher.calibration.smoothing import Smoothing
from thresher.errors import ArgumentError, OneClassError, argument
from thresher.inputs.labels import classes_of, same
from thresher.learning.data.target import class_labels
from thresher.learning.models.tree_drawing import (
    TreeKind,
    TreeLayout,
    TreeNodes,
    node_labels,
    tree_layout,
    tree_svg,
    tree_text,
)
from thresher.ranking import Counts, Flags, Floats, Indices, Ranking


@dataclass(eq=False, repr=False)
class LeafTree(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A tree whose leaves are read three ways.

    `predict` takes the majority class of a row's leaf (decision tree), `decision_function` the log2 of its class
    ratio (scoring tree), `predict_proba` the proportion of each class, smoothed on request (probability tree).
    Scores of pure leaves are ±inf. Smoothing changes probabilities alone; where it reorders leaves, `cautions_`
    says so. A leaf that no row reaches is read as its nearest ancestor that has rows.

    The estimator is a `DecisionTreeClassifier`; None stops at ten leaves. Of a fitted tree in a `FrozenEstimator`,
    `fit` counts the leaves again on its rows; for training counts, use `LeafTree.of(tree)`. The prior of a `MEstimate`
    is that of the last class.

    >>> import numpy as np
    >>> words = np.repeat([[1, 0], [0, 1], [0, 0]], [25, 15, 60], axis=0)  # Viagra, lottery
    >>> spam = np.repeat([1, 0, 1, 0, 1, 0], [20, 5, 10, 5, 20, 40])
    >>> tree = LeafTree().fit(words, spam)
    >>> tree.ranking()
    Ranking([20+,5-][10+,5-][20+,40-] at scores 2, 1, -1)
    >>> print(tree.text(names=["Viagra", "lottery"]))
    Viagra
    ├─ = 0: lottery
    │  ├─ = 0: [20+,40-]  score -1  p 0.3333  call 0
    │  └─ = 1: [10+,5-]  score 1  p 0.6667  call 1
    └─ = 1: [20+,5-]  score 2  p 0.8  call 1
    >>> print(tree.text(names=["Viagra", "lottery"], kind="decision"))
    Viagra
    ├─ = 0: lottery
    │  ├─ = 0: call 0
    │  └─ = 1: call 1
    └─ = 1: call 1
    """

    estimator: Any = None
    _: KW_ONLY
    smoothing: Smoothing = None

    @classmethod
    def of(cls, tree: Any, *, X: Any = None, smoothing: Smoothing = None) -> Self:
        """Read a fitted scikit-learn tree by the counts of its training rows.

        With these rows, `X`, columns of 0 and 1 are drawn as such.

        >>> from sklearn.tree import DecisionTreeClassifier
        >>> fitted = DecisionTreeClassifier(max_depth=1).fit([[0], [1], [2]], [0, 1, 1])
        >>> LeafTree.of(fitted, smoothing="laplace").predict_proba([[0]]).round(3)
        array([[0.667, 0.333]])
        """
        check_is_fitted(tree)
        read = cls(FrozenEstimator(tree), smoothing=smoothing)
        return read._read(tree, training_counts(tree), X)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, or count the leaves of a fitted one on these rows."""
        labels = class_labels(y)
        if isinstance(self.estimator, FrozenEstimator):
            tree = self.estimator.estimator
            check_is_fitted(tree)
            classes = tree.classes_.tolist()
            _, place = classes_of(labels, classes=classes)
            return self._read(tree, count_rows(tree, X, place, len(classes), sample_weight), X)
        if self.estimator is not None:
            require_classifier(self.estimator)
        tree = clone(self._grower()).fit(X, labels, sample_weight=sample_weight)
        return self._read(tree, training_counts(tree), X)

    def ranking(self, *, positive: Any = None) -> Ranking:
        """The rows counted, ranked by the class ratio of their leaves.

        For more than two classes say which one is `positive`; the others together are negative.
        """
        column = self._column(positive)
        counts = self.nodes_.counts[self.nodes_.leaves]
        pos, neg = counts[:, column], counts.sum(axis=1) - counts[:, column]
        return Ranking(_log_ratio(self._filled[self.nodes_.leaves])[:, column], pos, neg)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The majority class of each row's leaf; of equal ones the first."""
        leaf = self._leaf(X)
        return self.classes_[self._filled[leaf].argmax(axis=1)]

    def decision_function(self, X: Any) -> Floats:
        """The log2 class ratio of each row's leaf; of several classes, one column each."""
        leaf = self._leaf(X)
        score = _log_ratio(self._filled[leaf])
        return score[:, 1] if score.shape[1] == 2 else score

    def predict_proba(self, X: Any) -> Floats:
        """The (smoothed) proportion of each class in the row's leaf."""
        leaf = self._leaf(X)
        return self.probability_[leaf]

    def text(self, *, names: Any = None, positive: Any = None, kind: TreeKind | None = None) -> str:
        """The tree line by line, with counts, score, probability and call at each leaf.

        `kind` shows one of them: "feature" the counts, "decision" the call, "scoring", or "probability".
        """
        return tree_text(*self._drawn(names, positive, kind))

    def layout(self, *, names: Any = None, positive: Any = None, kind: TreeKind | None = None) -> TreeLayout:
        """The place of each node in a picture, and its text."""
        return tree_layout(*self._drawn(names, positive, kind))

    def svg(self, *, names: Any = None, positive: Any = None, kind: TreeKind | None = None) -> str:
        """The picture as an SVG element."""
        return tree_svg(self.layout(names=names, positive=positive, kind=kind))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "nodes_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._grower()).input_tags
        return tags

    def _grower(self) -> Any:
        return DecisionTreeClassifier(max_leaf_nodes=10, random_state=0) if self.estimator is None else self.estimator

    def _read(self, tree: Any, counts: Counts, X: Any) -> Self:
        if not hasattr(tree, "tree_") or counts.ndim != 2:
            what = f"{type(tree).__name__} is not a tree of scikit-learn"
            raise ArgumentError(what, "give a DecisionTreeClassifier()")
        if tree.classes_.size < 2:
            what = f"the target holds one class only, {tree.classes_[0]!r}"
            raise OneClassError(what, "give rows of two classes or more")
        self.tree_, self.classes_, self.n_features_in_ = tree, tree.classes_, tree.n_features_in_
        if hasattr(tree, "feature_names_in_"):
            self.feature_names_in_ = tree.feature_names_in_
        self.nodes_ = TreeNodes.of(tree, counts=counts, binary=None if X is None else binary_columns(X))
        # A node without rows gets the counts of its nearest ancestor with some; parents come before their children.
        self._filled, parent = counts.copy(), self.nodes_.parent
        for node in np.flatnonzero(~counts[1:].any(axis=1)) + 1:
            self._filled[node] = self._filled[parent[node]]
        self.probability_ = _probability(self._filled, self.smoothing)
        self.cautions_ = smooth(self.ranking(), smoothing=self.smoothing).cautions if self.classes_.size == 2 else ()
        return self

    def _leaf(self, X: Any) -> npt.NDArray[np.intp]:
        check_is_fitted(self)
        return np.asarray(self.tree_.apply(X))

    def _drawn(self, names: Any, positive: Any, kind: TreeKind | None) -> tuple[TreeNodes, list[tuple[str, ...]]]:
        check_is_fitted(self)
        if kind is not None:
            require_one_of(kind, get_args(TreeKind), name="kind")
        column = None if self.classes_.size != 2 and positive is None else self._column(positive)
        nodes = self.nodes_
        if names is not None:
            nodes = TreeNodes.of(self.tree_, counts=nodes.counts, names=names, binary=nodes.binary)
        return nodes, node_labels(self._filled, self.probability_, self.classes_, column=column, kind=kind)

    def _column(self, positive: Any) -> int:
        check_is_fitted(self)
        if positive is None:
            if self.classes_.size == 2:
                return 1
            what = f"there are {self.classes_.size} classes and one of them is to be positive"
            raise ArgumentError(what, f"pass {argument('positive')} one of {', '.join(map(str, self.classes_))}")
        place = next((place for place, label in enumerate(self.classes_.tolist()) if same(label, positive)), None)
        if place is None:
            raise ArgumentError(f"the class {positive!r} is not among {', '.join(map(str, self.classes_))}", "pick one")
        return place


def training_counts(tree: Any) -> Counts:
    """Training rows per node and class: integers where rows had no weights."""
    inner = tree.tree_
    # The tree stores proportions; times the number of rows they are counts again, up to rounding.
    counts = inner.value[:, 0, :] * inner.weighted_n_node_samples[:, None]
    rounded = np.rint(counts)
    unweighted = np.array_equal(inner.weighted_n_node_samples, inner.n_node_samples)
    return rounded.astype(np.int64) if unweighted and np.allclose(counts, rounded, atol=1e-6) else counts


def binary_columns(X: Any) -> Flags:
    """Which columns hold 0 and 1 only."""
    if not issparse(X):
        return np.asarray(np.isin(np.asarray(X), (0, 1)).all(axis=0))
    stored = X.tocoo()
    return np.bincount(stored.col, weights=~np.isin(stored.data, (0, 1)), minlength=X.shape[1]) == 0


def count_rows(tree: Any, X: Any, place: Indices, classes: int, weights: Any = None) -> Counts:
    """Rows of `X` per node and class; `place` is each row's class."""
    row, node = tree.decision_path(X).nonzero()
    weight = np.ones(place.size, dtype=np.int64) if weights is None else np.asarray(weights, dtype=np.float64)
    counts = np.zeros((tree.tree_.node_count, classes), dtype=weight.dtype)
    np.add.at(counts, (node, place[row]), weight[row])
    return counts


def _log_ratio(counts: Counts) -> Floats:
    """The log2 ratio of each class to the rest: ±inf where one of them is absent."""
    rest = counts.sum(axis=1, keepdims=True) - counts
    with np.errstate(divide="ignore"):
        return np.asarray(np.log2(counts / rest))  # equal ratios round alike, so they tie


def _probability(counts: Counts, smoothing: Smoothing) -> Floats:
    if smoothing is None:
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))
    if isinstance(smoothing, MEstimate):
        if counts.shape[1] != 2:
            what = f"a MEstimate has one prior, and there are {counts.shape[1]} classes"
            raise ArgumentError(what, 'pass smoothing="laplace"')
        return m_estimate(counts, smoothing.m, [1 - smoothing.prior, smoothing.prior])
    if smoothing != "laplace":
        raise ArgumentError(f"smoothing is {smoothing!r}", 'pass "laplace", a MEstimate or None')
    return laplace(counts)
