"""Pictures of trees: nothing overlaps, parents stand above the middle of their children."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from thresher.learning.tree_nodes import TreeNodes, own_counts
from thresher.learning.tree_picture import tree_layout, tree_svg


@given(seed=st.integers(0, 30), leaves=st.integers(2, 15))
def test_nodes_of_one_depth_stand_apart_and_in_order(seed, leaves):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
    nodes = TreeNodes.of(tree, counts=own_counts(tree))
    layout = tree_layout(nodes, [("leaf",)] * nodes.left.size)
    inside = np.flatnonzero(nodes.left >= 0)
    np.testing.assert_allclose(layout.x[inside], (layout.x[nodes.left[inside]] + layout.x[nodes.right[inside]]) / 2)
    for depth in range(layout.depth.max() + 1):
        level = sorted(layout.x[layout.depth == depth].tolist())
        assert all(right - left >= 1 for left, right in itertools.pairwise(level))
    assert tree_svg(layout, nodes.left[inside]).count("<rect") == nodes.left.size
