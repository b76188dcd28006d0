"""`thresher choose`: the best threshold, exactly, with all its ties."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from thresher.cli import options
from thresher.cli.options import ColumnOptions, ConditionOptions, PrintOptions, option


@dataclass(frozen=True, slots=True)
class ChooseOptions:
    """What is best, and what is allowed."""

    maximise: str | None = option(**options.MEASURE, help="Choose by this measure instead of the expected cost.")
    minimise: str | None = option(**options.MEASURE, help="Choose by this measure, the lower the better.")
    subject_to: tuple[str, ...] = option(
        metavar="TEXT", help='A constraint, e.g. "recall >= 0.9". Repeat it for several.'
    )
    at_most: float | None = option(metavar="CASES", help="Call at most so many cases of the data positive.")


@options.define(
    "choose",
    examples=[
        "thresher choose predictions.csv --label malignant --score forest --cost-ratio 10",
        'thresher choose predictions.csv --label malignant --score forest --maximise f1 --subject-to "fpr <= 0.05"',
    ],
)
@options.SOURCE
def command(
    source: str, columns: ColumnOptions, condition: ConditionOptions, goal: ChooseOptions, printed: PrintOptions
) -> None:
    """Choose the best threshold of a model, exactly.

    Every distinct score is tried and all ties are listed. Without a measure the expected cost is minimised. FILE holds
    rows, or a ranking that thresher merge wrote.
    """
    declared = condition.condition()

    from thresher.choices import choose
    from thresher.cli.console.screen import present, working
    from thresher.cli.console.tables import choice_blocks, choice_data
    from thresher.cli.inputs import rankings

    free = not (goal.maximise or goal.minimise or goal.subject_to or goal.at_most)
    models = rankings(source, columns, condition=declared if free else None)
    with working("trying every threshold"):
        best = asdict(goal) | {"subject_to": list(goal.subject_to) or None}
        choices = {name: choose(ranking, declared, **best) for name, ranking in models.items()}
    constrained = bool(goal.subject_to) or goal.at_most is not None
    present(
        printed,
        lambda: json.dumps({name: choice_data(choice) for name, choice in choices.items()}, indent=2),
        lambda _: choice_blocks(choices, constrained=constrained),
    )
