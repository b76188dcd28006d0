"""Tables in a terminal: contingencies, choices, comparisons, gates, maps and rankings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from thresher._internal.text import count_text, plain_text
from thresher.calibration import CalibrationMap, brier, recalibrate
from thresher.choices import Choice, Point
from thresher.cli.console.screen import (
    BAD,
    FAINT,
    GOOD,
    calls,
    cautions_text,
    distinct_texts,
    heading,
    interval_text,
    name_text,
    number,
    over,
    same_calls,
    table,
    threshold_number,
    written_text,
)
from thresher.curves import auc_bounds
from thresher.evaluation.model import are_probabilities, at_prevalence
from thresher.evaluation.requirements import Judgement
from thresher.evaluation.summary import total_text
from thresher.inference import Comparison, Difference, calibration_report
from thresher.inference.comparison.difference import shown_p
from thresher.ranking import Ranking
from thresher.tables import Contingency, OperatingCondition, measure

CELLS = ("tp", "fn", "fp", "tn")
_COST = "expected cost"
_ROUNDING = 1e-9
_TIES = 8  # shown at most
_VERDICTS = {
    "better": GOOD,
    "worse": BAD,
    "higher": "bold",
    "lower": "bold",
    "practically equal": "bold",
    "undecided": FAINT,
}
_DIFFERENCE_HEADS = ("first - second", "difference", "p", "adjusted p", "the first is")
_GATE_HEADS = ("", "requirement", "found", "judged by", "model", "threshold")
_WITH_P, _WITH_ADJUSTED, _WITH_MODEL = 92, 80, 96  # columns that a terminal needs to show these, too
_MAP_LINES = 9
_MAP_LABELS = {"observed_expected": "observed : expected", "ici": "ICI", "e50": "E50", "e90": "E90"}


def contingency_table(cells: Contingency) -> Table:
    """Actual against called, with totals."""
    rows = {
        "actual +": (cells.tp, cells.fn, cells.Pos),
        "actual -": (cells.fp, cells.tn, cells.Neg),
        "total": (cells.tp + cells.fp, cells.fn + cells.tn, cells.Pos + cells.Neg),
    }
    lines = [
        (Text(name, style=FAINT if name == "total" else ""), *(Text(total_text(count)) for count in counts))
        for name, counts in rows.items()
    ]
    return table(("", "called +", "called -", "total"), lines)


def choice_blocks(choices: Mapping[str, Choice], *, constrained: bool = False) -> Iterator[Any]:
    """One sentence and one table per model; with several, a line each first.

    `constrained` says that some thresholds were not allowed.
    """
    if len(choices) > 1:
        yield _overview(choices)
    for name, choice in choices.items():
        yield [
            _sentence(name, choice),
            contingency_table(choice.table),
            _rates(choice),
            *_remarks(choice, constrained=constrained),
        ]
    yield cautions_text(dict.fromkeys(caution for choice in choices.values() for caution in choice.cautions))


def choice_data(choice: Choice) -> dict[str, Any]:
    """All numbers as plain data; infinite ones become the texts "inf" and "-inf"."""
    return {
        "objective": choice.objective,
        "value": plain_number(choice.value),
        **_point_data(choice.point),
        "measures": {name: plain_number(value) for name, value in choice.measures.items()},
        "ties": [_point_data(point) for point in choice.points],
        "undecided": None if choice.undecided is None else [plain_number(end) for end in choice.undecided],
        "holds_for": None if choice.holds_for is None else [plain_number(end) for end in choice.holds_for],
        "runner_up": None if choice.runner_up is None else _point_data(choice.runner_up),
        "condition": choice.condition.to_dict(),
        "cautions": [{"code": caution.code, "text": caution.text} for caution in choice.cautions],
    }


def _overview(choices: Mapping[str, Choice]) -> Any:
    by = next(iter(choices.values())).objective
    heads = ["model", "threshold", *([] if by == _COST else [by]), "expected cost"]
    lines = []
    for name, choice in choices.items():
        value = [] if by == _COST else [Text(number(choice.value))]
        cost = Text(number(choice.expected_cost))
        lines.append([name_text(name), Text(threshold_number(choice.threshold)), *value, cost])
    return table(heads, lines)


def _sentence(name: str, choice: Choice) -> Text:
    rule, weighty = calls(choice.threshold)
    text = Text.assemble((plain_text(name), "bold"), f": {rule} ", (weighty, "bold"), ".")
    if choice.objective != _COST:
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


def _remarks(choice: Choice, *, constrained: bool) -> list[Text]:
    same = f"{same_calls(choice.interval).capitalize()} makes the same calls."
    lines = [same, _cheapest(choice, constrained=constrained)]
    ties = choice.splits.size
    if ties > 1:
        shown = ", ".join(threshold_number(point.threshold) for point in choice.points[:_TIES])
        more = f" and {ties - _TIES} more" if ties > _TIES else ""
        which = "stricter" if ties == 2 else "middle"
        lines.append(f"{ties} thresholds tie for best: {shown}{more}; the {which} one is recommended.")
    if choice.runner_up is not None:
        lines.append(f"Next best: {calls(choice.runner_up.threshold)[1]}, {_worth(choice, choice.runner_up)}.")
    return [Text(line, style=FAINT) for line in lines]


def _cheapest(choice: Choice, *, constrained: bool) -> str:
    """Where the rule is the cheapest of those allowed; one that a measure chose need not be so anywhere."""
    now = choice.condition.cost_ratio
    cheapest = "the cheapest of the thresholds allowed" if constrained else "the cheapest"
    if choice.holds_for is None:
        return f"It is {cheapest} for no cost ratio (now {now:.4g})."
    low, high = choice.holds_for
    stays = low * (1 - _ROUNDING) <= now <= high * (1 + _ROUNDING)
    verb = "stays" if stays else "would be"
    return f"It {verb} {cheapest} {over(choice.holds_for, 'cost ratios')} (now {now:.4g})."


def _worth(choice: Choice, point: Point) -> str:
    """The objective at another point, and its cost."""
    cost = f"{number(point.expected_cost)} per case"
    if choice.objective == _COST:
        return f"at {cost}"
    value = measure(choice.objective).of(point.table, class_ratio=choice.condition.class_ratio)
    return f"with {choice.objective} {number(float(value))}, at {cost}"


def plain_number(value: Any) -> Any:
    """A number as JSON has it: None for NaN, a text for what is infinite.

    >>> plain_number(np.float64(0.5)), plain_number(math.nan), plain_number(-math.inf)
    (0.5, None, '-inf')
    """
    plain = value.item() if hasattr(value, "item") else value
    if not isinstance(plain, float) or math.isfinite(plain):
        return plain
    return None if math.isnan(plain) else str(plain)


def _point_data(point: Point) -> dict[str, Any]:
    return {
        "threshold": plain_number(point.threshold),
        "interval": [plain_number(end) for end in point.interval],
        "table": {cell: plain_number(getattr(point.table, cell)) for cell in CELLS},
        "expected_cost": plain_number(point.expected_cost),
    }


def comparison_blocks(comparison: Comparison, width: int, *, mix: str = "") -> Iterator[Any]:
    """The measure of every model, every pair, and what the verdicts mean; `mix` is the class mix declared."""
    if mix:
        yield Text(f"Stated at {mix}.", style=FAINT)
    lines = [(name_text(name), Text(number(comparison.estimates[name]))) for name in comparison.names]
    yield table(("model", comparison.measure), lines)
    side = "neither side" if comparison.better == "neither" else comparison.better
    aside = f"paired, {side} is better, limits at level {comparison.level:g}"
    yield [heading("Differences", aside), differences_table(comparison, width)]
    remarks = [one.note for one in comparison.differences.values() if one.note]
    if comparison.margin:
        remarks.insert(0, f"Differences within {comparison.margin:g} count as practically none.")
    if comparison.dropped:
        remarks.append(f"{count_text(comparison.dropped, 'row')} dropped for missing values.")
    yield [Text(plain_text(remark), style=FAINT) for remark in dict.fromkeys(remarks)]


def differences_table(comparison: Comparison, width: int) -> Table:
    """One line per pair; a narrow terminal leaves p-values out, which the verdict takes account of anyway."""
    omitted = {2, 3} if width < _WITH_ADJUSTED else {2} if width < _WITH_P else set()
    shown = [i for i in range(len(_DIFFERENCE_HEADS)) if i not in omitted]
    lines = [_difference_line(one) for one in comparison.differences.values()]
    return table([_DIFFERENCE_HEADS[i] for i in shown], [[line[i] for i in shown] for line in lines])


def _difference_line(one: Difference) -> tuple[Text, ...]:
    p, adjusted = (Text("–" if math.isnan(p) else shown_p(p)) for p in (one.p_value, one.p_adjusted))
    verdict = Text(one.verdict, style=_VERDICTS[one.verdict])
    pair = Text.assemble(plain_text(one.a), (" - ", FAINT), plain_text(one.b), overflow="fold")
    return pair, interval_text(one.interval), p, adjusted, verdict


def gate_blocks(verdicts: Sequence[Judgement], width: int, *, condition: OperatingCondition) -> Iterator[Any]:
    """The class mix that is declared, the table, reasons for what is undefined, and the verdict."""
    if condition.class_ratio is not None:
        yield Text(f"Stated at {condition.mix}.", style=FAINT)
    shown = len(_GATE_HEADS) if width >= _WITH_MODEL else 4
    yield table(_GATE_HEADS[:shown], [_gate_line(one)[:shown] for one in verdicts], left=2)
    yield [
        Text.assemble((plain_text(one.requirement.text), "bold"), f": {plain_text(one.interval.note)}")
        for one in verdicts
        if math.isnan(one.observed)
    ]
    failed = sum(not one.passed for one in verdicts)
    if failed:
        yield Text(f"{failed} of {count_text(len(verdicts), 'requirement')} failed", style=f"bold {BAD}")
    else:
        holds = f"all {len(verdicts)} requirements hold" if len(verdicts) > 1 else "it holds"
        yield Text(holds, style=f"bold {GOOD}")


def _gate_line(one: Judgement) -> list[Text]:
    style = GOOD if one.passed else BAD
    by = one.requirement.bound
    return [
        Text("pass" if one.passed else "FAIL", style=f"bold {style}"),
        name_text(one.requirement.text),
        interval_text(one.interval) if by != "estimate" else Text(number(one.interval.estimate)),
        Text.assemble((f"{by} ", FAINT), (number(one.observed), style)),
        name_text(one.model),
        Text("–" if one.threshold is None else threshold_number(one.threshold, 4)),
    ]


def map_blocks(
    ranking: Ranking,
    fitted: CalibrationMap,
    written: Sequence[str],
    *,
    condition: OperatingCondition,
    trained_at: float | None,
) -> Iterator[Any]:
    """The map at a few of its scores, losses before and after on the rows it was fitted on, files written.

    Losses and the calibration of the scores are stated at the class mix of the condition.
    """
    article = "An" if fitted.method[0] in "aeiou" else "A"
    cases = f"{ranking.total:,.10g} case{'s' * (ranking.total != 1)}"
    distinct = count_text(len(ranking), "distinct score")
    yield Text(f"{article} {fitted.method} map, fitted on {cases} with {distinct}.")
    shown = np.linspace(0, len(ranking) - 1, min(_MAP_LINES, len(ranking))).astype(int)
    lines = [
        (Text(f"{score:.6g}"), Text(number(probability)))
        for score, probability in zip(ranking.score[shown], fitted(ranking.score[shown]), strict=True)
    ]
    some = Text(f"{shown.size} of the {len(ranking):,} scores are shown.", style=FAINT)
    yield [table(("score", "probability"), lines), *([some] if shown.size < len(ranking) else [])]
    probabilities = are_probabilities(ranking)
    both = bool(ranking.Pos and ranking.Neg)
    at_mix = at_prevalence(ranking, condition.prevalence, trained_at) if both else ranking
    weighted = ranking if condition.class_ratio is None else ranking.at_class_ratio(condition.class_ratio)
    before = number(brier(at_mix)) if probabilities else "no probabilities"
    mix = "" if condition.class_ratio is None else f", at {condition.mix}"
    losses = [
        (Text("AUC"), Text(number(fitted.auc_before)), Text(number(fitted.auc_after))),
        (Text("Brier"), Text(before), Text(number(brier(recalibrate(weighted, fitted.curve))))),
    ]
    yield [heading("On these rows", f"which the map has seen{mix}"), table(("", "before", "after"), losses)]
    if probabilities and both:
        report = calibration_report(ranking, condition=condition, trained_at=trained_at).numbers
        lines = [
            (Text(_MAP_LABELS.get(name, name.replace("_", " "))), interval_text(each)) for name, each in report.items()
        ]
        yield [heading("Calibration", f"of the scores as they are{mix}"), table(("", "estimate"), lines)]
    yield cautions_text(fitted.cautions)
    yield written_text(written)


def ranking_blocks(parts: Sequence[tuple[str, Ranking]], total: Ranking, written: str | None) -> Iterator[Any]:
    """One line per part and one for the sum."""
    lines = [_ranking_line(name_text(source), ranking) for source, ranking in parts]
    if len(parts) > 1:
        lines.append(_ranking_line(Text("all", style="bold"), total))
    yield table(("", "positive", "negative", "segments", "AUC"), lines)
    if written is not None:
        yield written_text([f"ranking  {written}"])


def _ranking_line(name: Text, ranking: Ranking) -> tuple[Text, ...]:
    """Counts and the AUC; where ranges of scores were counted instead of scores, the limits between which it lies."""
    area = "undefined"
    if ranking.Pos > 0 and ranking.Neg > 0:
        bounds = auc_bounds(ranking)
        exact = bounds.lower == bounds.upper
        area = number(bounds.lower) if exact else " to ".join(distinct_texts(*bounds, digits=4, kind="f"))
    counts = (f"{ranking.Pos:,.10g}", f"{ranking.Neg:,.10g}", f"{len(ranking):,}", area)
    return (name, *(Text(count) for count in counts))
