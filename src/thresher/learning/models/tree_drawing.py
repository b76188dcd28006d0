"""Decision trees drawn as text and as pictures: nodes, labels, layout, SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher._internal.text import visible
from thresher.ranking import Counts, Floats, Indices

_WIDTH, _HEIGHT, _LINE = 150, 92, 16


@dataclass(frozen=True, slots=True, eq=False)
class TreeNodes:
    """A tree of questions `feature <= threshold`, children after parents.

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
        """The nodes of a fitted scikit-learn tree; features are x[0] unless named."""
        inner = tree.tree_
        if names is None:
            names = getattr(tree, "feature_names_in_", [f"x[{place}]" for place in range(tree.n_features_in_)])
        arrays = (inner.children_left, inner.children_right, inner.feature, inner.threshold)
        left, right, feature, threshold = (array.copy() for array in arrays)
        return cls(left, right, feature, threshold, counts, tuple(map(str, names)))

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


def node_labels(
    counts: Counts, probability: Floats, classes: npt.NDArray[Any], *, column: int | None
) -> list[tuple[str, ...]]:
    """Lines of text for each node; `column` is the positive class, if one is.

    >>> node_labels(np.array([[5, 20, 0]]), np.array([[0.2, 0.8, 0]]), np.array(["a", "b", "c"]), column=None)
    [('a 5, b 20, c 0', 'call b')]
    """
    calls = [f"call {classes[place]}" for place in counts.argmax(axis=1)]
    if column is None:
        listed = [", ".join(f"{name} {_count(n)}" for name, n in zip(classes, row, strict=True)) for row in counts]
        return list(zip(listed, calls, strict=True))
    pos, rest = counts[:, column], counts.sum(axis=1) - counts[:, column]
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.log2(pos / rest)
    segments = [
        ",".join(f"{_count(number)}{sign}" for number, sign in ((p, "+"), (n, "-")) if number)
        for p, n in zip(pos, rest, strict=True)
    ]
    return [
        (f"[{segment}]", f"score {s:.4g}", f"p {q:.4g}", call)
        for segment, s, q, call in zip(segments, score, probability[:, column], calls, strict=True)
    ]


def _count(number: Any) -> str:
    return f"{number:,.4g}" if isinstance(number, float | np.floating) else f"{number}"


def tree_text(nodes: TreeNodes, labels: Sequence[Sequence[str]]) -> str:
    """The tree line by line; `labels` are the texts of each node, shown at leaves."""
    lines: list[str] = []
    rest = [(0, "", "")]
    while rest:
        node, before, below = rest.pop()
        if nodes.left[node] < 0:
            lines.append(before + "  ".join(labels[node]))
            continue
        lines.append(before + nodes.question(node))
        rest.append((int(nodes.right[node]), below + "└─ no:  ", below + "   "))
        rest.append((int(nodes.left[node]), below + "├─ yes: ", below + "│  "))
    return "\n".join(map(visible, lines))


@dataclass(frozen=True, slots=True, eq=False)
class TreeLayout:
    """Places of nodes in a picture: leaves at 0, 1, ..., parents in between.

    `x` counts leaves from the left and `depth` questions from the root; `parent` is -1 for the root, and
    `text` has the lines to be shown at each node.
    """

    x: Floats
    depth: Indices
    parent: Indices
    text: tuple[tuple[str, ...], ...]


def tree_layout(nodes: TreeNodes, labels: Sequence[Sequence[str]]) -> TreeLayout:
    """Where to draw each node: leaves with their `labels`, others with their question."""
    x, text = np.zeros(nodes.left.size), [tuple(lines) for lines in labels]
    x[nodes.leaves] = np.arange(nodes.leaves.size)
    for node in np.flatnonzero(nodes.left >= 0)[::-1]:  # children come after their parents
        x[node] = (x[nodes.left[node]] + x[nodes.right[node]]) / 2
        text[node] = (nodes.question(node),)
    return TreeLayout(x, nodes.depth, nodes.parent, tuple(text))


def tree_svg(layout: TreeLayout, yes: Indices) -> str:
    """One SVG element in the current colour; `yes` lists the nodes reached by yes."""
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
            f"{escape(visible(line))}</text>"
            for number, line in enumerate(lines)
        ]
    size = f"{(layout.x.max() + 1) * wide:.0f} {down.max() + max(height) + 12:.0f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" role="img" aria-label="decision tree"'
        f' font-family="ui-monospace, monospace" font-size="12" fill="currentColor">{"".join(parts)}</svg>'
    )
