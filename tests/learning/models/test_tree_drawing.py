"""Tests of tree drawing."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from thresher.learning.models.leaf_tree import count_rows, training_counts
from thresher.learning.models.tree_drawing import TreeNodes, node_labels, tree_layout, tree_svg, tree_text

X, Y = make_classification(n_samples=200, n_classes=3, n_informative=4, random_state=0)


@pytest.mark.parametrize("weights", [None, np.arange(200) % 5 + 0.5])
@pytest.mark.parametrize("leaves", [None, 7])
def test_training_counts_are_those_of_the_training_rows(weights, leaves):
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(training_counts(tree), count_rows(tree, X, Y, 3, weights), atol=1e-9)
    assert training_counts(tree).dtype.kind == ("i" if weights is None else "f")


def test_the_family_of_nodes():
    tree = DecisionTreeClassifier(max_leaf_nodes=9, random_state=0).fit(X, Y)
    nodes = TreeNodes.of(tree, counts=training_counts(tree))
    assert sorted(nodes.leaves.tolist()) == np.flatnonzero(nodes.left < 0).tolist()
    assert nodes.depth.max() == tree.get_depth()
    inside = np.flatnonzero(nodes.left >= 0)
    np.testing.assert_array_equal(nodes.parent[nodes.left[inside]], inside)
    np.testing.assert_array_equal(
        nodes.counts[inside], nodes.counts[nodes.left[inside]] + nodes.counts[nodes.right[inside]]
    )
    assert nodes.question(0).startswith("x[")


def test_segments_are_in_the_notation_of_rankings():
    counts = np.array([[5, 20], [0, 3], [7, 0]])
    shown = [words[0] for words in node_labels(counts, counts / 25, np.array([0, 1]), column=1)]
    assert shown == ["[20+,5-]", "[3+]", "[7-]"]
    assert str(th.Ranking.parse("".join(shown))) == "".join(shown)


def test_weights_are_shown_short():
    words = node_labels(np.array([[0.123456, 2.0]]), np.array([[0.06, 0.94]]), np.array(["a", "b"]), column=0)
    assert words == [("[0.1235+,2-]", "score -4.018", "p 0.06", "call b")]


def test_one_line_per_node_in_reading_order():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    nodes = TreeNodes.of(tree := DecisionTreeClassifier(max_depth=3).fit(X, y), counts=training_counts(tree))
    lines = tree_text(nodes, [(f"node {place}",) for place in range(nodes.left.size)]).splitlines()
    assert len(lines) == nodes.left.size
    assert [int(line.split("node ")[1]) for line in lines if "node" in line] == nodes.leaves.tolist()
    assert lines[0] == nodes.question(0)
    assert sum("yes:" in line for line in lines) == sum("no:" in line for line in lines) == (nodes.left >= 0).sum()


def test_a_tree_of_one_leaf():
    tree = DecisionTreeClassifier().fit([[0], [0]], [0, 1])
    assert tree_text(TreeNodes.of(tree, counts=training_counts(tree)), [("all",)]) == "all"


@given(seed=st.integers(0, 30), leaves=st.integers(2, 15))
def test_nodes_of_one_depth_are_apart_and_in_order(seed, leaves):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
    nodes = TreeNodes.of(tree, counts=training_counts(tree))
    layout = tree_layout(nodes, [("leaf",)] * nodes.left.size)
    inside = np.flatnonzero(nodes.left >= 0)
    np.testing.assert_allclose(layout.x[inside], (layout.x[nodes.left[inside]] + layout.x[nodes.right[inside]]) / 2)
    for depth in range(layout.depth.max() + 1):
        level = sorted(layout.x[layout.depth == depth].tolist())
        assert all(right - left >= 1 for left, right in itertools.pairwise(level))
    assert tree_svg(layout).count("<rect") == nodes.left.size


def test_control_characters_of_names_and_classes_are_visible():
    tree = th.learning.LeafTree().fit([[0.0], [1.0]], ["a\x1b[31m", "b\n"])
    for drawn in (tree.text(names=["x\x07\x1b[2J"]), tree.svg(names=["x\x07\x1b[2J"])):
        assert "x␇␛[2J" in drawn
        assert "a␛[31m" in drawn
        assert "b␊" in drawn
        assert not {"\x07", "\x1b"} & set(drawn)
    assert tree.text(names=["x"]).count("\n") == 2
