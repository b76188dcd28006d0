"""`thresher choose`: the best threshold, exactly, with all its ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thresher.cli import options
from thresher.cli.options import CountOptions, GroupOptions, PrintOptions, option


@dataclass(frozen=True, slots=True)
class ChooseOptions:
    """What is best, and what is allowed."""

    maximise: str | None = option(**options.MEASURE, help="Choose by this measure instead of the expected cost.")
    minimise: str | None = option(**options.MEASURE, help="Choose by this measure, the lower the better.")
    subject_to: tuple[str, ...] = option(
        metavar="TEXT", help='A constraint, e.g. "recall >= 0.9". Repeat it for several.'
    )
    at_most: float | None = option(metavar="CASES", help="Call at most so many cases of the data positive.")
    exact: bool = option(**options.EXACT)


@options.define(
    "choose",
    examples=[
        "thresher choose predictions.csv --label malignant --score forest --cost-ratio 10",
        'thresher choose predictions.csv --label malignant --score forest --maximise f1 --subject-to "fpr <= 0.05"',
    ],
)
@options.SOURCES
def command(
    sources: tuple[str, ...],
    data: CountOptions,
    groups: GroupOptions,
    goal: ChooseOptions,
    printed: PrintOptions,
) -> None:
    """Choose the best threshold of a model, exactly.

    Every distinct score is tried and all ties are listed. Without a measure the expected cost is minimised. FILE holds
    rows, or a ranking that thresher merge wrote; several rankings are several models.
    """
    declared = data.condition()

    from thresher.choices import choose
    from thresher.cli.console.groups import present_groups
    from thresher.cli.console.screen import working
    from thresher.cli.console.tables import choice_blocks, choice_data
    from thresher.cli.reading import answer_groups, read_rankings

    constrained = bool(goal.subject_to) or goal.at_most is not None
    free = not (goal.maximise or goal.minimise or constrained)
    models = read_rankings(sources, data, groups, exact=goal.exact or None, condition=declared if free else None)
    best: dict[str, Any] = {
        "maximise": goal.maximise,
        "minimise": goal.minimise,
        "subject_to": list(goal.subject_to) or None,
        "at_most": goal.at_most,
    }
    with working("trying every threshold"):
        choices = answer_groups(
            models, lambda each: {name: choose(ranking, declared, **best) for name, ranking in each.items()}
        )
    present_groups(
        printed,
        groups.by,
        choices,
        plain=lambda each: {name: choice_data(choice) for name, choice in each.items()},
        blocks=lambda each, _: choice_blocks(each, constrained=constrained),
    )
