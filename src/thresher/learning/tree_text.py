"""Trees as text: questions, and at each leaf its counts and what they are read as."""

from __future__ import annotations

from collections.abc import Sequence

from thresher.learning.tree_nodes import TreeNodes


def tree_text(nodes: TreeNodes, said: Sequence[str]) -> str:
    """The tree line by line; `said` is the text of each node, shown at leaves.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from thresher.learning.tree_nodes import own_counts
    >>> stump = DecisionTreeClassifier(max_depth=1).fit([[0], [1], [2]], [0, 1, 1])
    >>> print(tree_text(TreeNodes.of(stump, counts=own_counts(stump), names=["words"]), ["", "ham", "spam"]))
    words <= 0.5
    ├─ yes: ham
    └─ no:  spam
    """
    lines: list[str] = []
    rest = [(0, "", "")]
    while rest:
        node, before, below = rest.pop()
        if nodes.left[node] < 0:
            lines.append(before + said[node])
            continue
        lines.append(before + nodes.question(node))
        rest.append((int(nodes.right[node]), below + "└─ no:  ", below + "   "))
        rest.append((int(nodes.left[node]), below + "├─ yes: ", below + "│  "))
    return "\n".join(lines)
