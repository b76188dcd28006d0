"""Choices in a terminal and as plain data: the threshold, what it does, and what ties with it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from thresher.choices import Choice, Point
from thresher.cli.plain_text import plain_text
from thresher.cli.rule_words import calls, over, same_calls, threshold_text
from thresher.cli.screen import FAINT, cautions_text, name_text, number, table
from thresher.cli.summary import contingency_table
from thresher.tables import measure

COST = "expected cost"
_ROUNDING = 1e-9


def choice_blocks(choices: Mapping[str, Choice], *, constrained: bool = False) -> Iterator[Any]:
    """One sentence and one table per model; with several, a line each first.

    `constrained` says that some thresholds were not allowed.
    """
    if len(choices) > 1:
        yield _overview(choices)
    for name, choice in choices.items():
        yield [_sentence(name, choice), contingency_table(choice.table), _rates(choice), *_remarks(choice, constrained)]
    yield cautions_text(dict.fromkeys(caution for choice in choices.values() for caution in choice.cautions))


def choice_data(choice: Choice) -> dict[str, Any]:
    """All numbers as plain data; infinite ones become the texts "inf" and "-inf"."""
    return {
        "objective": choice.objective,
        "value": _plain(choice.value),
        **_point_data(choice.point),
        "measures": {name: _plain(value) for name, value in choice.measures.items()},
        "ties": [_point_data(point) for point in choice.points],
        "undecided": None if choice.undecided is None else [_plain(end) for end in choice.undecided],
        "holds_for": None if choice.holds_for is None else [_plain(end) for end in choice.holds_for],
        "runner_up": None if choice.runner_up is None else _point_data(choice.runner_up),
        "condition": choice.condition.to_dict(),
        "cautions": [{"code": caution.code, "text": caution.text} for caution in choice.cautions],
    }


def _overview(choices: Mapping[str, Choice]) -> Any:
    by = next(iter(choices.values())).objective
    heads = ["model", "threshold", *([] if by == COST else [by]), "expected cost"]
    lines = []
    for name, choice in choices.items():
        value = [] if by == COST else [Text(number(choice.value))]
        cost = Text(number(choice.expected_cost))
        lines.append([name_text(name), Text(threshold_text(choice.threshold)), *value, cost])
    return table(heads, lines)


def _sentence(name: str, choice: Choice) -> Text:
    rule, weighty = calls(choice.threshold)
    text = Text.assemble((plain_text(name), "bold"), f": {rule} ", (weighty, "bold"), ".")
    if choice.objective != COST:
        text.append(f" That gives {choice.objective} {number(choice.value)}")
        return text.append(f" and costs {number(choice.expected_cost)} per case.")
    return text.append(f" That costs {number(choice.expected_cost)} per case.")


def _rates(choice: Choice) -> Text:
    """Recall and precision, at the class mix of the condition where that is not the one counted."""
    recall, precision = (number(choice.measures[name]) for name in ("tpr", "precision"))
    text = Text.assemble("recall ", (recall, "bold"), ", precision ", (precision, "bold"))
    if choice.condition.class_ratio != choice.ranking.class_ratio:
        text.append(f" at {choice.condition.mix}; precision in these rows {number(float(choice.table.precision))}")
    return text


def _remarks(choice: Choice, constrained: bool) -> list[Text]:  # noqa: FBT001
    said = [f"{same_calls(choice.interval).capitalize()} makes the same calls.", _cheapest(choice, constrained)]
    if choice.splits.size > 1:
        shown = ", ".join(threshold_text(point.threshold) for point in choice.points[:8])
        more = f" and {choice.splits.size - 8} more" if choice.splits.size > 8 else ""
        which = "stricter" if choice.splits.size == 2 else "middle"
        said.append(f"{choice.splits.size} thresholds tie for best: {shown}{more}; the {which} one is recommended.")
    if choice.runner_up is not None:
        said.append(f"Next best: {calls(choice.runner_up.threshold)[1]}, {_worth(choice, choice.runner_up)}.")
    return [Text(line, style=FAINT) for line in said]


def _cheapest(choice: Choice, constrained: bool) -> str:  # noqa: FBT001
    """Where the rule is the cheapest of those allowed; one that a measure chose need not be so anywhere."""
    now = choice.condition.cost_ratio
    cheapest = "the cheapest of the thresholds allowed" if constrained else "the cheapest"
    if choice.holds_for is None:
        return f"It is {cheapest} for no cost ratio (now {now:.4g})."
    low, high = choice.holds_for
    stays = low * (1 - _ROUNDING) <= now <= high * (1 + _ROUNDING)
    told = "stays" if stays else "would be"
    return f"It {told} {cheapest} {over(choice.holds_for, 'cost ratios')} (now {now:.4g})."


def _worth(choice: Choice, point: Point) -> str:
    """What another point is worth by what was chosen by, and what it costs."""
    cost = f"{number(point.expected_cost)} per case"
    if choice.objective == COST:
        return f"at {cost}"
    value = measure(choice.objective).of(point.table, class_ratio=choice.condition.class_ratio)
    return f"with {choice.objective} {number(float(value))}, at {cost}"


def _point_data(point: Point) -> dict[str, Any]:
    return {
        "threshold": _plain(point.threshold),
        "interval": [_plain(end) for end in point.interval],
        "table": {cell: _plain(getattr(point.table, cell)) for cell in ("tp", "fn", "fp", "tn")},
        "expected_cost": _plain(point.expected_cost),
    }


def _plain(value: Any) -> Any:
    number_ = value.item() if hasattr(value, "item") else value
    return number_ if not isinstance(number_, float) or math.isfinite(number_) else _word(number_)


def _word(value: float) -> str | None:
    return None if math.isnan(value) else str(value)
