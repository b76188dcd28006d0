"""Which model is cheapest at which cost ratio, in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from thresher.choices import JointChoice
from thresher.cli.plain_text import plain_text
from thresher.cli.screen import FAINT, table

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation

_NOW = "◂ now"


def winners(joint: JointChoice) -> list[tuple[str, float, float]]:
    """Ranges of cost ratios with who is cheapest there, neighbours with the same winner joined.

    >>> from thresher import Ranking, joint_choice
    >>> both = joint_choice({"careful": Ranking.parse("[4+][1+,5-]"), "eager": Ranking.parse("[5+,1-][4-]")})
    >>> winners(both)
    [('careful', 0.0, 1.0), ('eager', 1.0, inf)]
    """
    found: list[tuple[str, float, float]] = []
    for each in joint.ranges:
        name = each.rule if each.rule != "threshold" else " or ".join(each.models)
        low = each.low
        if found and found[-1][0] == name:
            low = found.pop()[1]
        found.append((name, low, each.high))
    return found


def winners_table(evaluation: Evaluation) -> Table:
    """One line per range, the one that holds the condition's cost ratio marked."""
    now = evaluation.condition.cost_ratio
    lines = []
    for name, low, high in winners(evaluation.joint):
        mark = Text(_NOW if low <= now <= high else "", style=FAINT)
        lines.append((Text(plain_text(name)), Text(f"{low:.4g}"), Text(f"{high:.4g}"), mark))
    return table(("", "from", "to", ""), lines)
