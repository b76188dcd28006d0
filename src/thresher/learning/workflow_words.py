"""What `learn` found, in words and one table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from thresher.evaluation.summary import text_table
from thresher.inference import Difference
from thresher.learning.baselines import MAJORITY, ONE_FEATURE

if TYPE_CHECKING:
    from thresher.learning.workflow import Learned


def summary_text(found: Learned) -> str:
    """A table of all models, the decision, the baselines, and the check on untouched rows."""
    head = ["model", "nested cost", "limits", "auc"]
    lines = [
        [
            name,
            f"{cost.estimate:.4f}",
            f"[{cost.lower:.4f}, {cost.upper:.4f}]",
            f"{found.evaluation[name].auc.estimate:.4f}",
        ]
        for name, cost in found.nested.items()
    ]
    sizes = found.split.sizes
    return "\n".join(
        [
            f"{sizes['train']:,} rows to learn {found.target!r} from, {sizes['test']:,} put aside.",
            "",
            text_table([head, *lines]),
            "",
            str(found.decision),
            baseline_words(found),
            (
                f"On the rows put aside its calls cost {found.test_cost} per case; "
                f"AUC {found.test[found.decision.model].auc}."
            ),
            *(f"! {caution}" for caution in found.cautions),
        ]
    )


def baseline_words(found: Learned) -> str:
    """Whether the winner is worth its trouble."""
    winner = found.decision.model
    if winner in (MAJORITY, ONE_FEATURE):
        return f"No model beats the baselines: the {winner} itself is cheapest."
    unbeaten = [name for name, difference in found.against.items() if difference.verdict != "better"]
    if not unbeaten:
        return f"{winner} beats both baselines, the {MAJORITY} and the {ONE_FEATURE}."
    told = " and ".join(f"the {name} ({_difference_words(found.against[name])})" for name in unbeaten)
    return f"{winner} does not beat {told} beyond doubt."


def _difference_words(found: Difference) -> str:
    if math.isnan(found.lower):
        return f"the same cost difference in every fold, {found.difference:.4f}"
    return f"cost difference {found.difference:.4f} [{found.lower:.4f}, {found.upper:.4f}]"
