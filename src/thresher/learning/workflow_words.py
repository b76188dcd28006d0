"""What `learn` found, in words and one table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from thresher.evaluation.summary import text_table
from thresher.inference import Difference
from thresher.learning.baselines import MAJORITY, ONE_FEATURE
from thresher.visible import interval_text, number_text

if TYPE_CHECKING:
    from thresher.learning.workflow import Learned

_NAMES_SHOWN = 6


def summary_text(found: Learned) -> str:
    """A table of all models, the decision, the baselines, and the check on untouched rows."""
    head = ["model", "nested cost", "auc"]
    lines = [
        [
            name,
            interval_text(cost.estimate, cost.lower, cost.upper),
            number_text(found.evaluation[name].auc.estimate),
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
            choice_words(found),
            baseline_words(found),
            (
                f"On the rows put aside its calls cost {found.test_cost} per case; "
                f"AUC {found.test[found.decision.model].auc}."
            ),
            *curve_words(found),
            *(f"! {caution}" for caution in found.cautions),
        ]
    )


def choice_words(found: Learned) -> str:
    """What to expect of a decision that is made so."""
    cost = found.nested_choice
    costs = interval_text(cost.estimate, cost.lower, cost.upper)
    return f"With model and threshold chosen without the rows they are judged on, a case costs {costs}."


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


def curve_words(found: Learned) -> list[str]:
    """What more rows and what more features would bring, a sentence for each curve there is."""
    words = []
    if found.learning_curve is not None:
        curve = found.learning_curve
        rest = "too little is known to say what more rows would bring"
        if curve.asymptote is not None:
            far = curve.asymptote
            rest = f"with ever more rows {interval_text(far.estimate, far.lower, far.upper)}"
        now = number_text(float(curve.validation.estimate[-1]))
        words.append(f"Learning curve: cost {now} with {curve.sizes[-1]:,} rows; {rest}.")
    if found.feature_curve is not None:
        best, simplest = found.feature_curve.best, found.feature_curve.simplest
        costs = dict(zip(found.feature_curve.sizes, found.feature_curve.validation.estimate.tolist(), strict=True))
        few = f"; {simplest:,} will do (cost {number_text(costs[simplest])})" if simplest < best else ""
        of = f"{best:,} of {found.feature_curve.sizes[-1]:,} prepared features"
        words.append(f"Feature curve: cost {number_text(costs[best])} with the best {of}{few}.")
    return words


def kind_words(found: Learned) -> list[str]:
    """Which columns are of which kind, the first few by name."""
    kinds: dict[str, list[str]] = {}
    for column in found.columns:
        kinds.setdefault(column.kind, []).append(column.name)
    return [
        f"{len(names):,} {kind}: {', '.join(names[:_NAMES_SHOWN])}"
        + (f" and {len(names) - _NAMES_SHOWN:,} more" if names[_NAMES_SHOWN:] else "")
        for kind, names in kinds.items()
    ]


def _difference_words(found: Difference) -> str:
    if math.isnan(found.lower):
        return f"the same cost difference in every fold, {number_text(found.difference)}"
    return f"cost difference {interval_text(found.difference, found.lower, found.upper)}"
