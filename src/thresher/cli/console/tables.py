"""Tables in a terminal: choices, comparisons, gates, maps and rankings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from rich.text import Text

from thresher._internal.text import plain_text
from thresher.calibration import CalibrationMap, brier, recalibrate
from thresher.choices import Choice, Point
from thresher.cli.console.evaluation import calls, contingency_table, over, same_calls, threshold_number, told_apart
from thresher.cli.console.screen import (
    BAD,
    FAINT,
    GOOD,
    cautions_text,
    heading,
    interval_text,
    name_text,
    number,
    table,
)
from thresher.evaluation.model import are_probabilities, at_prevalence
from thresher.evaluation.requirements import Judgement
from thresher.inference import bounds, calibration_report
from thresher.ranking import Ranking
from thresher.tables import OperatingCondition, measure

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
        lines.append([name_text(name), Text(threshold_number(choice.threshold)), *value, cost])
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
        shown = ", ".join(threshold_number(point.threshold) for point in choice.points[:8])
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


_WIDE = 96


def gate_blocks(found: Sequence[Judgement], width: int, *, condition: OperatingCondition) -> Iterator[Any]:
    """The class mix that is declared, the table, reasons for what is undefined, and the verdict."""
    if condition.class_ratio is not None:
        yield Text(f"Stated at {condition.mix}.", style=FAINT)
    heads = ["", "requirement", "found", "judged by", "model", "threshold"]
    shown = len(heads) if width >= _WIDE else 4
    yield table(heads[:shown], [_line(one)[:shown] for one in found], left=2)
    yield [
        Text.assemble((plain_text(one.requirement.text), "bold"), f": {plain_text(one.interval.note)}")
        for one in found
        if math.isnan(one.found)
    ]
    failed = sum(not one.passed for one in found)
    if failed:
        yield Text(f"{failed} of {len(found)} requirement{'s' * (len(found) > 1)} failed", style=f"bold {BAD}")
    else:
        yield Text(f"all {len(found)} requirements hold" if len(found) > 1 else "it holds", style=f"bold {GOOD}")


def _line(one: Judgement) -> list[Text]:
    style = GOOD if one.passed else BAD
    by = one.requirement.bound
    return [
        Text("pass" if one.passed else "FAIL", style=f"bold {style}"),
        name_text(one.requirement.text),
        interval_text(one.interval) if by != "estimate" else Text(number(one.interval.estimate)),
        Text.assemble((f"{by} ", FAINT), (number(one.found), style)),
        name_text(one.model),
        Text("–" if one.threshold is None else threshold_number(one.threshold, 4)),
    ]


_LINES = 9
_LABELS = {"observed_expected": "observed : expected", "ici": "ICI", "e50": "E50", "e90": "E90"}


def map_blocks(
    ranking: Ranking,
    found: CalibrationMap,
    written: Sequence[str],
    *,
    condition: OperatingCondition,
    trained_at: float | None,
) -> Iterator[Any]:
    """The map at a few of its scores, losses before and after on the rows it was fitted on, files written.

    Losses and the calibration of the scores are stated at the class mix of the condition.
    """
    article = "An" if found.method[0] in "aeiou" else "A"
    yield Text(
        f"{article} {found.method} map, fitted on {ranking.total:,.10g} cases with {len(ranking):,} distinct scores."
    )
    shown = np.linspace(0, len(ranking) - 1, min(_LINES, len(ranking))).astype(int)
    lines = [
        (Text(f"{score:.6g}"), Text(number(probability)))
        for score, probability in zip(ranking.score[shown], found(ranking.score[shown]), strict=True)
    ]
    yield table(("score", "probability"), lines)
    probabilities = are_probabilities(ranking)
    both = bool(ranking.Pos and ranking.Neg)
    at_mix = at_prevalence(ranking, condition.prevalence, trained_at) if both else ranking
    weighted = ranking if condition.class_ratio is None else ranking.at_class_ratio(condition.class_ratio)
    before = number(brier(at_mix)) if probabilities else "no probabilities"
    mix = "" if condition.class_ratio is None else f", at {condition.mix}"
    yield [
        heading("On these rows", f"which the map has seen{mix}"),
        table(
            ("", "before", "after"),
            [
                (Text("AUC"), Text(number(found.auc_before)), Text(number(found.auc_after))),
                (Text("Brier"), Text(before), Text(number(brier(recalibrate(weighted, found.curve))))),
            ],
        ),
    ]
    if probabilities and both:
        report = calibration_report(ranking, condition=condition, trained_at=trained_at).numbers
        lines = [
            (Text(_LABELS.get(name, name.replace("_", " "))), interval_text(each)) for name, each in report.items()
        ]
        yield [heading("Calibration", f"of the scores as they are{mix}"), table(("", "estimate"), lines)]
    yield cautions_text(found.cautions)
    yield [Text.assemble(("wrote ", "bold"), plain_text(line)) for line in written]


def ranking_blocks(parts: Sequence[tuple[str, Ranking]], whole: Ranking, written: str | None) -> Iterator[Any]:
    """One line per part and one for the sum."""
    lines = [_line_of_ranking_table(name_text(source), ranking) for source, ranking in parts]
    if len(parts) > 1:
        lines.append(_line_of_ranking_table(Text("all", style="bold"), whole))
    yield table(("", "positive", "negative", "segments", "AUC"), lines)
    if written is not None:
        yield Text.assemble(("wrote ", "bold"), f"ranking  {plain_text(written)}")


def _line_of_ranking_table(name: Text, ranking: Ranking) -> tuple[Text, ...]:
    both = ranking.Pos > 0 and ranking.Neg > 0
    area = _area(ranking) if both else "undefined"
    counts = (f"{ranking.Pos:,.10g}", f"{ranking.Neg:,.10g}", f"{len(ranking):,}", area)
    return (name, *(Text(count) for count in counts))


def _area(ranking: Ranking) -> str:
    """The AUC; where ranges of scores were counted instead of scores, the limits between which it lies."""
    area = bounds(ranking, "auc")
    exact = area.lower == area.upper
    return number(area.lower) if exact else " to ".join(told_apart(*area, digits=4, kind="f"))
