"""Decision trees drawn as text and as pictures: nodes, labels, layout, SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.text import visible
from thresher.errors import ArgumentError, argument
from thresher.ranking import Counts, Flags, Floats, Indices

TreeKind: TypeAlias = Literal["feature", "decision", "scoring", "probability"]
_WIDTH, _HEIGHT, _LINE = 150, 92, 16


@dataclass(frozen=True, slots=True, eq=False)
class TreeNodes:
    """A tree of questions `feature <= threshold`, children after parents.

    `left` holds the child of yes, `right` that of no; both are -1 at leaves. `counts` has one column per class.
    Features that are `binary` are 0 or 1 in every row, so that a question is which of the two.
    """

    left: Indices
    right: Indices
    feature: Indices
    threshold: npt.NDArray[np.float64]
    counts: Counts
    names: tuple[str, ...]
    binary: Flags

    @classmethod
    def of(cls, tree: Any, *, counts: Counts, names: Sequence[str] | None = None, binary: Flags | None = None) -> Self:
        """The nodes of a fitted scikit-learn tree; features are x[0] unless named."""
        inner = tree.tree_
        if names is None:
            names = getattr(tree, "feature_names_in_", [f"x[{place}]" for place in range(tree.n_features_in_)])
        arrays = (inner.children_left, inner.children_right, inner.feature, inner.threshold)
        left, right, feature, threshold = (array.copy() for array in arrays)
        known = np.zeros(tree.n_features_in_, dtype=np.bool_) if binary is None else binary.copy()
        # Rows that a fitted tree is read with may hold 0 and 1 only, and its questions show that others did not.
        known[feature[(left >= 0) & ((threshold < 0) | (threshold >= 1))]] = False
        return cls(left, right, feature, threshold, counts, tuple(map(str, names)), known)

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
        feature = self.feature[node]
        return self.names[feature] if self.binary[feature] else f"{self.names[feature]} <= {self.threshold[node]:.4g}"

    def answers(self, node: int) -> tuple[str, str]:
        """What leads to the left and the right child of a node."""
        return ("= 0", "= 1") if self.binary[self.feature[node]] else ("yes", "no")


def node_labels(
    counts: Counts,
    probability: Floats,
    classes: npt.NDArray[Any],
    *,
    column: int | None,
    kind: TreeKind | None = None,
    calls: Sequence[str] | None = None,
) -> list[tuple[str, ...]]:
    """Lines of text for each node; `column` is the positive class, if one is.

    A kind of tree shows its own line alone. `calls` are the majority classes unless given.

    >>> node_labels(np.array([[5, 20, 0]]), np.array([[0.2, 0.8, 0]]), np.array(["a", "b", "c"]), column=None)
    [('a 5, b 20, c 0', 'call b')]
    """
    majority = [str(classes[place]) for place in counts.argmax(axis=1)] if calls is None else calls
    decisions = [f"call {call}" for call in majority]
    if column is None:
        listed = [", ".join(f"{name} {_count(n)}" for name, n in zip(classes, row, strict=True)) for row in counts]
        if kind in ("scoring", "probability"):
            what = f"a {kind} tree is of two classes, and there are {len(classes)}"
            raise ArgumentError(what, f"pass {argument('positive')} one of {', '.join(map(str, classes))}")
        return _of_kind({"feature": listed, "decision": decisions}, kind)
    pos, rest = counts[:, column], counts.sum(axis=1) - counts[:, column]
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.log2(pos / rest)
    segments = [
        ",".join(f"{_count(number)}{sign}" for number, sign in ((p, "+"), (n, "-")) if number)
        for p, n in zip(pos, rest, strict=True)
    ]
    lines = {
        "feature": [f"[{segment}]" for segment in segments],
        "scoring": [f"score {s:.4g}" for s in score],
        "probability": [f"p {p:.4g}" for p in probability[:, column]],
        "decision": decisions,
    }
    return _of_kind(lines, kind)


def _of_kind(lines: Mapping[str, Sequence[str]], kind: TreeKind | None) -> list[tuple[str, ...]]:
    """The lines of one kind of tree, or of all, node by node."""
    return list(zip(*(lines.values() if kind is None else [lines[kind]]), strict=True))


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
        left, right = (f"{answer}:".ljust(5) for answer in nodes.answers(node))
        rest.append((int(nodes.right[node]), f"{below}└─ {right}", below + "   "))
        rest.append((int(nodes.left[node]), f"{below}├─ {left}", below + "│  "))
    return "\n".join(map(visible, lines))


@dataclass(frozen=True, slots=True, eq=False)
class TreeLayout:
    """Places of nodes in a picture: leaves at 0, 1, ..., parents in between.

    `x` counts leaves from the left and `depth` questions from the root; `parent` is -1 for the root.
    `text` has the lines to be shown at each node, and `answer` what leads to it from its parent.
    """

    x: Floats
    depth: Indices
    parent: Indices
    text: tuple[tuple[str, ...], ...]
    answer: tuple[str, ...]


def tree_layout(nodes: TreeNodes, labels: Sequence[Sequence[str]]) -> TreeLayout:
    """Where to draw each node: leaves with their `labels`, others with their question."""
    x, text = np.zeros(nodes.left.size), [tuple(lines) for lines in labels]
    x[nodes.leaves] = np.arange(nodes.leaves.size)
    answer = [""] * nodes.left.size
    for node in np.flatnonzero(nodes.left >= 0)[::-1]:  # children come after their parents
        x[node] = (x[nodes.left[node]] + x[nodes.right[node]]) / 2
        text[node] = (nodes.question(node),)
        answer[nodes.left[node]], answer[nodes.right[node]] = nodes.answers(node)
    return TreeLayout(x, nodes.depth, nodes.parent, tuple(text), tuple(answer))


def tree_svg(layout: TreeLayout) -> str:
    """One SVG element in the current colour."""
    longest = max(len(line) for lines in layout.text for line in lines)
    wide = max(_WIDTH, 7.2 * longest + 24)
    tall = _HEIGHT + _LINE * max(len(lines) - 1 for lines in layout.text)
    across = (layout.x + 0.5) * wide
    down = 12 + layout.depth * tall
    height = [8 + _LINE * len(lines) for lines in layout.text]
    parts = []
    for node, parent in enumerate(layout.parent.tolist()):
        if parent >= 0:
            x1, y1, x2, y2 = across[parent], down[parent] + height[parent], across[node], down[node]
            parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor"/>')
            side, away = ("end", -12) if x2 < x1 else ("start", 12)
            at = (x1 + x2) / 2 + away
            parts.append(
                f'<text x="{at:.1f}" y="{(y1 + y2) / 2:.1f}" text-anchor="{side}">{layout.answer[node]}</text>'
            )
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
