"""Choices, comparisons, gates, maps and rankings in a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from thresher._internal.text import count_text, plain_text, range_text
from thresher.calibration import CalibrationMap, brier, recalibrate
from thresher.choices import Choice, Point
from thresher.cli.console.screen import (
    BAD,
    FAINT,
    GOOD,
    MIND,
    Cell,
    cautions_text,
    heading,
    number,
    table,
    written_text,
)
from thresher.cli.verdicts import observed_text
from thresher.curves import auc_bounds
from thresher.evaluation.model import are_probabilities, at_prevalence
from thresher.evaluation.requirements import Judgement
from thresher.evaluation.summary import total_text
from thresher.inference import Comparison, calibration_report
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
_GATE_HEADS = ("", "requirement", "estimate", "judged by", "model", "threshold")
_WITH_P, _WITH_ADJUSTED, _WITH_MODEL = 92, 80, 96  # columns that a terminal needs to show these, too
_MAP_LINES = 9
_MAP_LABELS = {"observed_expected": "observed : expected", "ici": "ICI", "e50": "E50", "e90": "E90"}


def contingency_table(cells: Contingency) -> Table:
    """Actual against called, with totals."""
    called_pos, called_neg = cells.tp + cells.fp, cells.fn + cells.tn
    rows: list[tuple[Cell, tuple[float, ...]]] = [
        ("actual +", (cells.tp, cells.fn, cells.Pos)),
        ("actual -", (cells.fp, cells.tn, cells.Neg)),
        (Text("total", style=FAINT), (called_pos, called_neg, cells.Pos + cells.Neg)),
    ]
    lines = [(name, *map(total_text, counts)) for name, counts in rows]
    return table(("", "called +", "called -", "total"), lines)


def choice_blocks(choices: Mapping[str, Choice], *, constrained: bool = False) -> Iterator[Any]:
    """A sentence and a table per model; `constrained` if some thresholds are out."""
    if len(choices) > 1:
        by = next(iter(choices.values())).objective
        lines: list[list[Cell]] = []
        for name, each in choices.items():
            value = [] if by == _COST else [each.value]
            lines.append([name, threshold_number(each.threshold), *value, each.expected_cost])
        yield table(["model", "threshold", *([] if by == _COST else [by]), _COST], lines)
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
        "undecided": None if choice.undecided is None else [*map(plain_number, choice.undecided)],
        "holds_for": None if choice.holds_for is None else [*map(plain_number, choice.holds_for)],
        "runner_up": None if choice.runner_up is None else _point_data(choice.runner_up),
        "condition": choice.condition.to_dict(),
        "cautions": [caution.to_dict() for caution in choice.cautions],
    }


def _sentence(name: str, choice: Choice) -> Text:
    rule, weighty = calls(choice.threshold)
    gives = "" if choice.objective == _COST else f"gives {choice.objective} {number(choice.value)} and "
    that = f". That {gives}costs {number(choice.expected_cost)} per case."
    return Text.assemble((plain_text(name), "bold"), f": {rule} ", (weighty, "bold"), that)


def _rates(choice: Choice) -> Text:
    """Recall and precision, at the class mix of the condition."""
    recall, precision = (number(choice.measures[name]) for name in ("tpr", "precision"))
    text = Text.assemble("recall ", (recall, "bold"), ", precision ", (precision, "bold"))
    if choice.condition.class_ratio != choice.ranking.class_ratio:
        text.append(f" at {choice.condition.mix_text}; precision in these rows {number(float(choice.table.precision))}")
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
    if (next_best := choice.runner_up) is not None:
        worth = "at"
        if choice.objective != _COST:
            value = measure(choice.objective).of(next_best.table, class_ratio=choice.condition.class_ratio)
            worth = f"with {choice.objective} {number(float(value))}, at"
        cost = f"{number(next_best.expected_cost)} per case"
        lines.append(f"Next best: {calls(next_best.threshold)[1]}, {worth} {cost}.")
    return [Text(line, style=FAINT) for line in lines]


def _cheapest(choice: Choice, *, constrained: bool) -> str:
    """Where the rule is the cheapest of those allowed, which may be nowhere."""
    now = choice.condition.cost_ratio
    cheapest = "the cheapest of the thresholds allowed" if constrained else "the cheapest"
    if choice.holds_for is None:
        return f"It is {cheapest} for no cost ratio (now {now:.4g})."
    low, high = choice.holds_for
    stays = low * (1 - _ROUNDING) <= now <= high * (1 + _ROUNDING)
    verb = "stays" if stays else "would be"
    return f"It {verb} {cheapest} {ratio_range(choice.holds_for)} (now {now:.4g})."


def plain_number(value: Any) -> Any:
    """A number as JSON has it: None for NaN, a text for what is infinite."""
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
    """The measure of every model, every pair, and remarks; `mix` is the one declared."""
    if mix:
        yield Text(f"Stated at {mix}.", style=FAINT)
    yield table(("model", comparison.measure), [(name, comparison.estimates[name]) for name in comparison.names])
    side = "neither side" if comparison.better == "neither" else comparison.better
    pairing = "paired" if comparison.paired else "unpaired"
    aside = f"{pairing}, {side} is better, limits at level {comparison.level:g}"
    yield [heading("Differences", aside), differences_table(comparison, width)]
    remarks = [*comparison.remarks, *(one.note for one in comparison.differences.values() if one.note)]
    if not comparison.paired:
        remarks.insert(0, "Counts do not say which rows the models share; rows could tell smaller differences apart.")
    if comparison.margin:
        remarks.insert(0, f"Differences within {comparison.margin:g} count as practically none.")
    if comparison.dropped:
        remarks.append(f"{count_text(comparison.dropped, 'row')} dropped for missing values.")
    yield [Text(plain_text(remark), style=FAINT) for remark in dict.fromkeys(remarks)]


def differences_table(comparison: Comparison, width: int) -> Table:
    """One line per pair; a narrow terminal leaves p-values out."""
    lines = []
    for one in comparison.differences.values():
        p, adjusted = ("–" if math.isnan(p) else shown_p(p) for p in (one.p_value, one.p_adjusted))
        verdict = Text(one.verdict, style=_VERDICTS[one.verdict])
        pair = Text.assemble(plain_text(one.a), (" - ", FAINT), plain_text(one.b), overflow="fold")
        lines.append((pair, one.interval, p, adjusted, verdict))
    omitted = {2, 3} if width < _WITH_ADJUSTED else {2} if width < _WITH_P else set()
    shown = [i for i in range(len(_DIFFERENCE_HEADS)) if i not in omitted]
    return table([_DIFFERENCE_HEADS[i] for i in shown], [[line[i] for i in shown] for line in lines])


def gate_blocks(verdicts: Sequence[Judgement], width: int, *, condition: OperatingCondition) -> Iterator[Any]:
    """The declared class mix, the table, why numbers are undefined, and the verdict."""
    if condition.class_ratio is not None:
        yield Text(f"Stated at {condition.mix_text}.", style=FAINT)
    shown = len(_GATE_HEADS) if width >= _WITH_MODEL else 4
    yield table(_GATE_HEADS[:shown], [_gate_line(one)[:shown] for one in verdicts], left=2)
    yield [
        Text.assemble((plain_text(one.requirement.text), "bold"), f": {plain_text(one.interval.note)}")
        for one in verdicts
        if math.isnan(one.observed)
    ]
    open_ones = sum(one.undecided for one in verdicts)
    failed = sum(not one.passed for one in verdicts) - open_ones
    if failed or open_ones:
        of = f"of {count_text(len(verdicts), 'requirement')}"
        parts = [f"{failed} {of} failed"] * bool(failed) + [f"{open_ones} {of} undecided"] * bool(open_ones)
        yield Text(", ".join(parts), style=f"bold {BAD if failed else MIND}")
    else:
        holds = f"all {len(verdicts)} requirements hold" if len(verdicts) > 1 else "it holds"
        yield Text(holds, style=f"bold {GOOD}")


def _gate_line(one: Judgement) -> list[Cell]:
    verdict, style = ("pass", GOOD) if one.passed else ("open", MIND) if one.undecided else ("FAIL", BAD)
    by = one.requirement.bound
    return [
        Text(verdict, style=f"bold {style}"),
        one.requirement.text,
        one.interval if by != "estimate" else one.interval.estimate,
        Text.assemble((f"{by} ", FAINT), ("–" if math.isnan(one.observed) else observed_text(one), style)),
        plain_text(one.model),
        "–" if one.threshold is None else threshold_number(one.threshold, 4),
    ]


def map_blocks(
    ranking: Ranking,
    fitted: CalibrationMap,
    written: Sequence[str],
    *,
    condition: OperatingCondition,
    trained_at: float | None,
) -> Iterator[Any]:
    """The map at some scores, and losses and calibration at the declared class mix."""
    article = "An" if fitted.method[0] in "aeiou" else "A"
    cases = f"{ranking.total:,.10g} case{'s' * (ranking.total != 1)}"
    distinct = count_text(len(ranking), "distinct score")
    yield Text(f"{article} {fitted.method} map, fitted on {cases} with {distinct}.")
    shown = np.linspace(0, len(ranking) - 1, min(_MAP_LINES, len(ranking))).astype(int)
    scores = ranking.score[shown].tolist()
    lines = [(f"{score:.6g}", each) for score, each in zip(scores, fitted(scores).tolist(), strict=True)]
    some = Text(f"{shown.size} of the {len(ranking):,} scores are shown.", style=FAINT)
    yield [table(("score", "probability"), lines), *([some] if shown.size < len(ranking) else [])]
    probabilities = are_probabilities(ranking)
    both = bool(ranking.Pos and ranking.Neg)
    at_mix = at_prevalence(ranking, condition.prevalence, trained_at) if both else ranking
    weighted = ranking if condition.class_ratio is None else ranking.at_class_ratio(condition.class_ratio)
    before = brier(at_mix) if probabilities else "no probabilities"
    mix = "" if condition.class_ratio is None else f", at {condition.mix_text}"
    losses = [
        ("AUC", fitted.auc_before, fitted.auc_after),
        ("Brier", before, brier(recalibrate(weighted, fitted.curve))),
    ]
    yield [heading("On these rows", f"which the map has seen{mix}"), table(("", "before", "after"), losses)]
    if probabilities and both:
        report = calibration_report(ranking, condition=condition, trained_at=trained_at).numbers
        numbers = [(_MAP_LABELS.get(name, name.replace("_", " ")), each) for name, each in report.items()]
        yield [heading("Calibration", f"of the scores as they are{mix}"), table(("", "estimate"), numbers)]
    yield cautions_text(fitted.cautions)
    yield written_text(written)


def ranking_blocks(parts: Sequence[tuple[str, Ranking]], total: Ranking, written: str | None) -> Iterator[Any]:
    """One line per part and one for the sum."""
    rankings: list[tuple[Cell, Ranking]] = [*parts]
    if len(parts) > 1:
        rankings.append((Text("all", style="bold"), total))
    lines = [(name, f"{each.Pos:,.10g}", f"{each.Neg:,.10g}", f"{len(each):,}", _area(each)) for name, each in rankings]
    yield table(("", "positive", "negative", "segments", "AUC"), lines)
    if written is not None:
        yield written_text([f"ranking  {written}"])


def _area(ranking: Ranking) -> str:
    """The AUC; its bounds where ranges of scores were counted instead of scores."""
    if not (ranking.Pos > 0 and ranking.Neg > 0):
        return "undefined"
    bounds = auc_bounds(ranking)
    exact = bounds.lower == bounds.upper
    return number(bounds.lower) if exact else " to ".join(distinct_texts(*bounds, digits=4, kind="f"))


def calls(threshold: float) -> tuple[str, str]:
    """What a threshold calls positive, in two parts of which the second weighs more."""
    if math.isinf(threshold):
        return "call", f"{'no' if threshold > 0 else 'every'} case positive"
    return "call a case positive when its score is", f">= {threshold:.6g}"


def threshold_number(threshold: float, digits: int = 6) -> str:
    """A threshold as a number alone, for lists and tables."""
    return f"{threshold:.{digits}g}".replace("inf", "∞")


def same_calls(interval: tuple[float, float]) -> str:
    """Which thresholds make the same calls: above the lower end and up to the upper."""
    low, high = distinct_texts(*interval, digits=6)
    ends = [f"above {low}"] * (interval[0] > -math.inf) + [f"up to {high}"] * (interval[1] < math.inf)
    return f"every threshold {' and '.join(ends)}".rstrip()


def ratio_range(ratios: tuple[float, float]) -> str:
    """A range of cost ratios, to four digits."""
    return range_text(ratios, "cost ratios", "{:.4g}".format)


def distinct_texts(low: float, high: float, *, digits: int, kind: str = "g") -> tuple[str, str]:
    """Two numbers with so many digits, or as many more as make their texts differ.

    >>> distinct_texts(0.25, 1 / 3, digits=4), distinct_texts(0.123456, 0.123457, digits=4)
    (('0.25', '0.3333'), ('0.123456', '0.123457'))
    """
    while f"{low:.{digits}{kind}}" == f"{high:.{digits}{kind}}" and low != high:
        digits += 1
    return f"{low:.{digits}{kind}}", f"{high:.{digits}{kind}}"
