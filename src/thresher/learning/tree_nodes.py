"""Nodes of a fitted tree with the rows that reach them, by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.ranking import Counts, Indices


@dataclass(frozen=True, slots=True, eq=False)
class TreeNodes:
    """A tree of questions `feature <= threshold`, in the order of scikit-learn: the root first, children after parents.

    `left` holds the child of yes, `right` that of no; both are -1 at leaves. `counts` has one column per class.
    """

    left: Indices
    right: Indices
    feature: Indices
    threshold: npt.NDArray[np.float64]
    counts: Counts
    names: tuple[str, ...]

    @classmethod
    def of(cls, tree: Any, *, counts: Counts, names: Sequence[str] | None = None) -> Self:
        """The nodes of a fitted scikit-learn tree; without names, features are called x[0], x[1], ..."""
        inner = tree.tree_
        given = getattr(tree, "feature_names_in_", None) if names is None else names
        told = [f"x[{place}]" for place in range(tree.n_features_in_)] if given is None else given
        return cls(
            left=inner.children_left.copy(),
            right=inner.children_right.copy(),
            feature=inner.feature.copy(),
            threshold=inner.threshold.copy(),
            counts=counts,
            names=tuple(str(name) for name in told),
        )

    @property
    def leaves(self) -> Indices:
        """The places of the leaves, from yes to no."""
        order, rest = [], [0]
        while rest:
            node = rest.pop()
            if self.left[node] < 0:
                order.append(node)
            else:
                rest += [int(self.right[node]), int(self.left[node])]
        return np.array(order, dtype=np.intp)

    @property
    def parent(self) -> Indices:
        """The place of each node's parent; -1 for the root."""
        parent = np.full(self.left.size, -1, dtype=np.intp)
        inside = np.flatnonzero(self.left >= 0)
        parent[self.left[inside]] = inside
        parent[self.right[inside]] = inside
        return parent

    @property
    def depth(self) -> Indices:
        """How many questions lead to each node."""
        depth, parent = np.zeros(self.left.size, dtype=np.intp), self.parent
        for node in range(1, depth.size):  # parents come before their children
            depth[node] = depth[parent[node]] + 1
        return depth

    def question(self, node: int) -> str:
        """What a node asks."""
        return f"{self.names[self.feature[node]]} <= {self.threshold[node]:.4g}"


def own_counts(tree: Any) -> Counts:
    """Rows per node and class that a fitted scikit-learn tree remembers: whole where rows had no weights.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> own_counts(DecisionTreeClassifier(max_depth=1).fit([[0], [1], [2]], [0, 1, 1])).tolist()
    [[1, 2], [1, 0], [0, 2]]
    """
    inner = tree.tree_
    # The tree keeps proportions; times the number of rows they are counts again, up to rounding.
    counts = inner.value[:, 0, :] * inner.weighted_n_node_samples[:, None]
    whole = np.rint(counts)
    unweighted = np.array_equal(inner.weighted_n_node_samples, inner.n_node_samples)
    return whole.astype(np.int64) if unweighted and np.allclose(counts, whole, atol=1e-6) else counts


def counted_anew(tree: Any, X: Any, place: Indices, classes: int, weights: Any = None) -> Counts:
    """Rows per node and class among the rows given; `place` is each row's class."""
    path = tree.decision_path(X)
    row, node = path.nonzero()
    weight = np.ones(place.size, dtype=np.int64) if weights is None else np.asarray(weights, dtype=np.float64)
    counts = np.zeros((tree.tree_.node_count, classes), dtype=weight.dtype)
    np.add.at(counts, (node, place[row]), weight[row])
    return counts
