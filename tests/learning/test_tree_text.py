"""Trees as text: every node has its line, deeper ones stand further in."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from thresher.learning.tree_nodes import TreeNodes, own_counts
from thresher.learning.tree_text import tree_text


def test_one_line_per_node_in_reading_order():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    nodes = TreeNodes.of(tree := DecisionTreeClassifier(max_depth=3).fit(X, y), counts=own_counts(tree))
    lines = tree_text(nodes, [f"node {place}" for place in range(nodes.left.size)]).splitlines()
    assert len(lines) == nodes.left.size
    assert [int(line.split("node ")[1]) for line in lines if "node" in line] == nodes.leaves.tolist()
    assert lines[0] == nodes.question(0)
    assert sum("yes:" in line for line in lines) == sum("no:" in line for line in lines) == (nodes.left >= 0).sum()


def test_a_tree_of_one_leaf():
    tree = DecisionTreeClassifier().fit([[0], [0]], [0, 1])
    assert tree_text(TreeNodes.of(tree, counts=own_counts(tree)), ["all"]) == "all"
