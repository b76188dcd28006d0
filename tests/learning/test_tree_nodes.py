"""Nodes of a tree: counts that it remembers equal counts taken anew."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from thresher.learning.tree_nodes import TreeNodes, counted_anew, own_counts

X, Y = make_classification(n_samples=200, n_classes=3, n_informative=4, random_state=0)


@pytest.mark.parametrize("weights", [None, np.arange(200) % 5 + 0.5])
@pytest.mark.parametrize("leaves", [None, 7])
def test_own_counts_are_those_of_the_training_rows(weights, leaves):
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, Y, sample_weight=weights)
    anew = counted_anew(tree, X, Y, 3, weights)
    np.testing.assert_allclose(own_counts(tree), anew, atol=1e-9)
    assert own_counts(tree).dtype.kind == ("i" if weights is None else "f")


def test_the_family_of_nodes():
    tree = DecisionTreeClassifier(max_leaf_nodes=9, random_state=0).fit(X, Y)
    nodes = TreeNodes.of(tree, counts=own_counts(tree))
    assert sorted(nodes.leaves.tolist()) == np.flatnonzero(nodes.left < 0).tolist()
    assert nodes.depth.max() == tree.get_depth()
    inside = np.flatnonzero(nodes.left >= 0)
    np.testing.assert_array_equal(nodes.parent[nodes.left[inside]], inside)
    np.testing.assert_array_equal(
        nodes.counts[inside], nodes.counts[nodes.left[inside]] + nodes.counts[nodes.right[inside]]
    )
    assert nodes.question(0).startswith("x[")
