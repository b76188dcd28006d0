"""Trees as pictures: where each node stands, and an SVG drawn from that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from thresher.learning.tree_nodes import TreeNodes
from thresher.ranking import Floats, Indices

_WIDTH, _HEIGHT, _LINE = 150, 92, 16


@dataclass(frozen=True, slots=True, eq=False)
class TreeLayout:
    """Places of nodes in a picture: leaves stand side by side at 0, 1, 2, ..., parents above their middle.

    `x` counts leaves from the left and `depth` questions from the root; `parent` is -1 for the root, and
    `text` has the lines to be shown at each node.
    """

    x: Floats
    depth: Indices
    parent: Indices
    text: tuple[tuple[str, ...], ...]


def tree_layout(nodes: TreeNodes, said: Sequence[Sequence[str]]) -> TreeLayout:
    """Where to draw each node; `said` has the lines of each leaf, inner nodes show their question.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from thresher.learning.tree_nodes import own_counts
    >>> stump = DecisionTreeClassifier(max_depth=1).fit([[0], [1], [2]], [0, 1, 1])
    >>> layout = tree_layout(TreeNodes.of(stump, counts=own_counts(stump)), [(), ("ham",), ("spam",)])
    >>> layout.x, layout.text
    (array([0.5, 0. , 1. ]), (('x[0] <= 0.5',), ('ham',), ('spam',)))
    """
    x = np.zeros(nodes.left.size)
    leaves = nodes.leaves
    x[leaves] = np.arange(leaves.size)
    for node in range(x.size - 1, -1, -1):  # children come after their parents
        if nodes.left[node] >= 0:
            x[node] = (x[nodes.left[node]] + x[nodes.right[node]]) / 2
    text = tuple(
        tuple(said[node]) if nodes.left[node] < 0 else (nodes.question(node),) for node in range(nodes.left.size)
    )
    return TreeLayout(x, nodes.depth, nodes.parent, text)


def tree_svg(layout: TreeLayout, yes: Indices) -> str:
    """The tree as one SVG element that needs nothing from elsewhere; `yes` lists the nodes reached by yes.

    It carries no colours of its own but the current one, so it follows a page's light or dark theme.
    """
    longest = max(len(line) for lines in layout.text for line in lines)
    wide = max(_WIDTH, 7.2 * longest + 24)
    tall = _HEIGHT + _LINE * max(len(lines) - 1 for lines in layout.text)
    across = (layout.x + 0.5) * wide
    down = 12 + layout.depth * tall
    height = [8 + _LINE * len(lines) for lines in layout.text]
    reached_by_yes = set(yes.tolist())
    parts = []
    for node, parent in enumerate(layout.parent.tolist()):
        if parent >= 0:
            x1, y1, x2, y2 = across[parent], down[parent] + height[parent], across[node], down[node]
            parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor"/>')
            yes_here = node in reached_by_yes
            side, word = ("end", "yes") if yes_here else ("start", "no")
            at = (x1 + x2) / 2 + (-12 if yes_here else 12)
            parts.append(f'<text x="{at:.1f}" y="{(y1 + y2) / 2:.1f}" text-anchor="{side}">{word}</text>')
    for node, lines in enumerate(layout.text):
        left = across[node] - wide / 2 + 6
        leaf = node not in layout.parent
        parts.append(
            f'<rect x="{left:.1f}" y="{down[node]:.1f}" width="{wide - 12:.1f}" height="{height[node]}"'
            f' rx="{8 if leaf else 2}" fill="none" stroke="currentColor" stroke-width="{1.6 if leaf else 1}"/>'
        )
        parts += [
            f'<text x="{across[node]:.1f}" y="{down[node] + _LINE * (number + 1):.1f}" text-anchor="middle">'
            f"{escape(line)}</text>"
            for number, line in enumerate(lines)
        ]
    size = f"{(layout.x.max() + 1) * wide:.0f} {down.max() + max(height) + 12:.0f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" role="img" aria-label="decision tree"'
        f' font-family="ui-monospace, monospace" font-size="12" fill="currentColor">{"".join(parts)}</svg>'
    )
