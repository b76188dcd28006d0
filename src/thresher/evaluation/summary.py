"""An evaluation in words: headline, tiles, table of rules, plain text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thresher._internal.text import in_words, interval_decimals, isolated, number_text, per_thousand_text, percent_text
from thresher.cautions import Caution
from thresher.evaluation.decision import BASELINE_WORDS
from thresher.evaluation.model import NUMBERS
from thresher.evaluation.results import limits_text
from thresher.evaluation.rules import Rule, same_rule
from thresher.inference import Interval
from thresher.ranking import Ranking, shortest_between
from thresher.tables import OperatingCondition, measure

if TYPE_CHECKING:
    from thresher.evaluation.engine import ScannedEvaluation
    from thresher.evaluation.evaluate import ThresholdEvaluation

CASES = 1000
SHORT_NAMES = {"never": "never", "always": "always", "0.5": "cut at 0.5", "current": "now in use"}
# What would change the decision, then what makes numbers worth less, then what is only good to know.
_FIRST = (
    "feature-equals-target",
    "feature-determines-target",
    "near-perfect-feature",
    "duplicate-rows-across-splits",
    "groups-across-splits",
    "no-better-than-nothing",
    "all-negative",
    "all-positive",
    "auc-below-half",
    "predictions-disagree",
    "winner-uncertain",
    "one-score",
    "certain-and-wrong",
    "few-positives",
    "few-negatives",
    "few-clusters",
    "equal-costs",
    "class-ratio-from-data",
)
_AGAINST = BASELINE_WORDS | {"never": "never acting", "always": "always acting"}
_SAME = {"0.5": "the usual cut-off", "current": "the rule in use"}


class Tile(NamedTuple):
    """A number per 1,000 cases, its limits, and that of other rules."""

    value: str
    what: str
    limits: str
    against: tuple[tuple[str, str], ...]


def headline(evaluation: ThresholdEvaluation) -> str:
    """The decision in one sentence; a rule that does as well comes first.

    A decision that equals never or always acting, the usual cut-off or the rule in use is compared with the others.
    """
    rules = {name: evaluation.rules[name] for name in _AGAINST if name in evaluation.rules}
    same = [name for name, rule in rules.items() if same_rule(evaluation.rules[evaluation.decision.model], rule)]
    best = evaluation.baseline
    if best in same:
        best = min((name for name in rules if name not in same), key=lambda name: rules[name].cost.estimate)
    saving, against = rules[best].saving, _AGAINST[best]
    calls, because = _calls(evaluation)
    also = [_SAME[name] for name in same if name in _SAME]
    as_well = f", as {in_words(also)} {'does' if len(also) == 1 else 'do'}" if also else ""
    if saving is None or math.isnan(saving.estimate):
        return f"Call {calls}{because}{as_well}."
    places, known = _decimals(saving), not math.isnan(saving.lower)
    of = _thousand(rules[best].cost.estimate, places)
    if saving.estimate > 0:
        limits = f" ({_thousand(saving.lower, places)} to {_thousand(saving.upper, places)})" if known else ""
        saves = f"{'may save' if saving.lower <= 0 else 'saves'} {_thousand(saving.estimate, places)}{limits}"
        return f"Call {calls}{because}{as_well}: it {saves} of the {of} that {against} costs per 1,000 cases."
    limits = f" ({_thousand(-saving.upper, places)} to {_thousand(-saving.lower, places)})" if known else ""
    more = _thousand(-saving.estimate, places)
    dearer = f"costs {more}{limits} more than" if more.strip("0.,") else f"saves nothing{limits} of"
    does = "is cheaper" if saving.upper < 0 else "does as well"
    return f"{against[0].upper()}{against[1:]} {does}: calling {calls} {dearer} the {of} it costs per 1,000 cases."


def _calls(evaluation: ThresholdEvaluation) -> tuple[str, str]:
    """What the decision calls positive, and why that is none or all."""
    decision = evaluation.decision
    if decision.threshold == math.inf:
        return "no case positive", ", since no score pays for its false alarms"
    if decision.threshold == -math.inf:
        return "every case positive", ", since no score is low enough to risk a miss"
    says = f"{isolated(decision.model)} says {threshold_text(evaluation, decision.model)} or more"
    return f"a case positive when {says}", ""


def reason(evaluation: ThresholdEvaluation) -> str:
    """Why this model; of a single one, where its threshold stays best."""
    why, holds = evaluation.decision.why, evaluation.decision.threshold_holds_for
    if len(evaluation.models) > 1:
        return f"{why[:1].upper()}{why[1:]}."
    if holds is None:
        return ""
    now, ends = number_text(evaluation.condition.cost_ratio), " to ".join(map(number_text, holds))
    return f"This stays its best threshold for cost ratios from {ends}; now it is {now}."


def condition_words(evaluation: ThresholdEvaluation) -> str:
    """The condition in words."""
    condition, mix = evaluation.condition, "classes mixed as in these rows"
    if condition.class_ratio is not None:
        words = condition.mix_text
        mix = f"asked for a population {'that is' if words.endswith('positive') else 'of'} {words}"
    return f"{mix}, where {_miss_words(condition.cost_ratio)}"


def classes_words(ranking: Ranking) -> str:
    """How many cases of either class there are, or what they weigh."""
    weight = "weight " if ranking.weighted else ""
    return f"{weight}{total_text(ranking.Pos)} positive, {total_text(ranking.Neg)} negative"


def total_text(value: float) -> str:
    """A number of cases; a sum of weights to four digits."""
    if value == int(value):
        return f"{int(value):,}"
    return number_text(value, max(0, 3 - math.floor(math.log10(abs(value)))))


def _miss_words(cost_ratio: float) -> str:
    """What a miss costs, in false alarms."""
    much = "as much as a false alarm" if cost_ratio == 1 else f"{number_text(cost_ratio)} false alarms"
    return f"a miss costs {much}"


def mix_words(evaluation: ThresholdEvaluation) -> str:
    """Which class mix numbers are stated at, named as such."""
    share = percent_text(evaluation.decision.condition.prevalence or math.nan)
    return f"{'as in these rows' if evaluation.condition.class_ratio is None else 'in production'} ({share} positive)"


def rows_mix_words(evaluation: ThresholdEvaluation) -> str:
    """The class mix of the rows, named as such."""
    return f"in these rows ({percent_text(evaluation.decision.data_prevalence)} positive)"


def rules_caption(evaluation: ThresholdEvaluation) -> str:
    """What the numbers of the tiles and of the table of rules are about."""
    among = ", the decision with the choice among models" if len(evaluation.models) > 1 else ""
    priced = f"models cost what they do on rows they were not chosen on{among}, and counts are of the rows chosen on"
    return f"Per {CASES:,} cases {mix_words(evaluation)}; {_miss_words(evaluation.condition.cost_ratio)}; {priced}"


def cost_unit(evaluation: ThresholdEvaluation) -> str:
    """What costs are counted in."""
    condition = evaluation.condition
    in_alarms = condition.cost_fp == 1 and not condition.cost_tp and not condition.cost_tn
    return "cost, in false alarms" if in_alarms else "cost"


def tiles(evaluation: ThresholdEvaluation) -> tuple[Tile, ...]:
    """What the decision finds, misses and costs per 1,000 cases."""
    return tiles_of([*evaluation.rules.values()], evaluation[evaluation.decision.model].measures, evaluation)


def tiles_of(
    rules: Sequence[Rule], measures: Mapping[str, Interval], evaluation: ThresholdEvaluation
) -> tuple[Tile, ...]:
    """The tiles of the first rule, with the limits of its `measures`."""
    condition = evaluation.decision.condition
    chosen, *others = rules
    own = chosen.per(CASES, condition)
    against = [(SHORT_NAMES[rule.name], rule.per(CASES, condition)) for rule in others if rule.name in SHORT_NAMES]
    positives = own.hits + own.misses
    counted = (
        ("hits", "tpr", positives, f"of {per_thousand_text(positives, positives)} positives found"),
        ("misses", "fnr", positives, "missed"),
        ("false_alarms", "fpr", CASES - positives, "false alarms"),
    )
    counts = []
    for name, rate, total, what in counted:
        value, low, high = getattr(own, name), total * measures[rate].lower, total * measures[rate].upper
        limits = f"{per_thousand_text(low, total)} to {per_thousand_text(high, total)}" if low <= value <= high else ""
        others_do = tuple((short, per_thousand_text(getattr(rule, name), total)) for short, rule in against)
        counts.append(Tile(per_thousand_text(value, total), what, limits, others_do))
    cost, places = chosen.cost, _decimals(chosen.cost)
    limits = "" if math.isnan(cost.lower) else f"{_thousand(cost.lower, places)} to {_thousand(cost.upper, places)}"
    others_cost = tuple((short, number_text(rule.cost, places)) for short, rule in against)
    return (*counts, Tile(_thousand(cost.estimate, places), cost_unit(evaluation), limits, others_cost))


def rule_heads(evaluation: ThresholdEvaluation) -> tuple[str, ...]:
    """The heads of the table of rules."""
    total = CASES * (evaluation.decision.condition.prevalence or 0.0)
    return ("rule", f"found of {per_thousand_text(total, total)}", "false alarms", "precision", "cost", "costs more by")


def rule_cells(evaluation: ThresholdEvaluation, rule: Rule) -> tuple[tuple[str, str], ...]:
    """One rule per 1,000 cases: cells of text, each with its limits if any."""
    condition = evaluation.decision.condition
    per = rule.per(CASES, condition)
    positives = per.hits + per.misses
    precision = float(measure("precision").of(rule.table, class_ratio=condition.class_ratio))
    counts = (
        per_thousand_text(per.hits, positives),
        per_thousand_text(per.false_alarms, CASES - positives),
        "–" if math.isnan(precision) else percent_text(precision),
    )
    name = f"{mark(evaluation, rule)}{rule_text(evaluation, rule)}"
    dearer = ("–", "") if rule.saving is None else _with_limits(rule.saving)
    return (name, ""), *((count, "") for count in counts), _with_limits(rule.cost), dearer


def mark(evaluation: ThresholdEvaluation, rule: Rule) -> str:
    """A dot for the rule decided for, a hollow one for models that may be as good."""
    if rule.saving is None:
        return "● "
    return "○ " if rule.name in evaluation.may_be_best and rule.name not in SHORT_NAMES else ""


def rule_text(evaluation: ThresholdEvaluation, rule: Rule) -> str:
    """A rule in a few words: the model and its threshold, or a baseline."""
    if rule.name in ("never", "always"):
        return f"{rule.name} act"
    if rule.name == "current":
        return "the rule in use"
    name = isolated(rule.model or rule.name)
    if rule.name == "0.5":
        return f"{name} ≥ 0.5, the usual cut"
    if rule.threshold is not None and math.isinf(rule.threshold):
        return f"{name}, calling {'none' if rule.threshold > 0 else 'all'}"
    text, exact = _threshold(evaluation, rule.name)
    return f"{name} {'≥' if exact else '≈'} {text}"


def threshold_text(evaluation: ThresholdEvaluation, name: str) -> str:
    """The shortest number that makes the same calls as a model's threshold.

    Where that has more than four digits, because scores lie close: "about", and the digits its interval deserves.
    """
    text, exact = _threshold(evaluation, name)
    return text if exact else f"about {text}"


def _threshold(evaluation: ThresholdEvaluation, name: str) -> tuple[str, bool]:
    """A threshold in few digits, and whether these make the same calls."""
    model = evaluation[name]
    (low, high), threshold = model.choice.interval, model.choice.threshold
    if math.isinf(threshold):
        return number_text(threshold), True
    short = float(shortest_between(*(np.array([value]) for value in (low, threshold, high)))[0])
    decimals = max(0, 3 - math.floor(math.log10(abs(short) or 1)))
    for text in (number_text(short), number_text(short, decimals)):
        if float(text.replace(",", "").replace("−", "-")) == short:
            return text, True
    places = interval_decimals(threshold, model.threshold.lower, model.threshold.upper)
    return number_text(threshold, places), False


def by_importance(cautions: Sequence[Caution]) -> list[Caution]:
    """Cautions, those that matter most first."""
    return sorted(cautions, key=lambda one: _FIRST.index(one.code) if one.code in _FIRST else len(_FIRST))


def _decimals(interval: Interval) -> int | None:
    return interval_decimals(*(CASES * value for value in (interval.estimate, interval.lower, interval.upper)))


def _thousand(value: float, places: int | None) -> str:
    return number_text(CASES * value, places)


def _with_limits(interval: Interval) -> tuple[str, str]:
    places = _decimals(interval)
    limits = f"{_thousand(interval.lower, places)} to {_thousand(interval.upper, places)}"
    return _thousand(interval.estimate, places), limits if interval.lower < interval.upper else ""


def summary_text(evaluation: ThresholdEvaluation) -> str:
    """Headline, rules, models, table, comparison, decision and cautions."""
    ranking, cautions = evaluation[evaluation.decision.model].ranking, by_importance(evaluation.cautions)
    dropped = f"; {evaluation.dropped:,} dropped for missing values" if evaluation.dropped else ""
    cases = f"{evaluation.rows:,} rows{dropped}: {classes_words(ranking)} ({percent_text(ranking.prevalence)} positive)"
    first = [
        headline(evaluation),
        reason(evaluation),
        *(f"Mind: {caution.text} ({caution.code})" for caution in cautions[:1]),
        f"{cases}; {condition_words(evaluation)}.",
    ]
    rules = [
        [f"{cell} [{limits}]" if limits else cell for cell, limits in rule_cells(evaluation, rule)]
        for rule in evaluation.rules.values()
    ]
    parts = [
        "\n".join(line for line in first if line),
        tiles_text(evaluation),
        f"{rules_caption(evaluation)}\n{text_table([rule_heads(evaluation), *rules])}",
        "\n".join(line for line in (_models(evaluation), hidden_words(evaluation)) if line),
        _at_threshold(evaluation),
    ]
    return "\n\n".join([*parts, *closing_parts(evaluation, cautions)])


def closing_parts(evaluation: ThresholdEvaluation | ScannedEvaluation, cautions: Sequence[Caution]) -> list[str]:
    """How the models differ, the decision, and the cautions."""
    parts = [f"Decision\n{evaluation.decision}", *mind(cautions)]
    if evaluation.comparison is None:
        return parts
    return [f"Differences in AUC, paired:\n{evaluation.comparison}", *parts]


def mind(cautions: Sequence[Caution]) -> list[str]:
    """The cautions as the last part of a summary, if there are any."""
    return ["\n".join(["Mind", *(f"  {caution}" for caution in cautions)])] if cautions else []


def tiles_text(evaluation: ThresholdEvaluation) -> str:
    """The four tiles in a line, with their limits."""
    *counts, (cost, unit) = (
        (f"{tile.value} ({tile.limits})" if tile.limits else tile.value, tile.what) for tile in tiles(evaluation)
    )
    return f"Per 1,000 cases: {'; '.join(map(' '.join, counts))}; {unit}: {cost}."


def rules_rows(rules: Mapping[str, Rule], condition: OperatingCondition) -> list[list[str]]:
    """What every rule does per 1,000 cases, as rows of texts, the heads first."""
    rows = [["per 1,000 cases", "found", "missed", "false alarms", "cost", "saved"]]
    for rule in rules.values():
        per = rule.per(1000, condition)
        positives = per.hits + per.misses
        counts = per_thousand_text(per.hits, positives), per_thousand_text(per.misses, positives)
        alarms = per_thousand_text(per.false_alarms, 1000 - positives)
        saved = "" if rule.saving is None else limits_text(rule.saving, scale=1000)
        rows.append([rule.name, *counts, alarms, number_text(per.cost), saved])
    return rows


def hidden_words(evaluation: ThresholdEvaluation) -> str:
    """How many models are left out of tables, if any are."""
    shown, every = len(evaluation.models), len(evaluation.scored.scores)
    return "" if shown == every else f"The {shown} cheapest of {every:,} models are shown; the JSON has all of them."


def _models(evaluation: ThresholdEvaluation) -> str:
    """A row per number and a column per model."""
    models = evaluation.models.values()
    rows = [[f"at level {evaluation.level:g}", *(model.name for model in models)]]
    for name, label in NUMBERS.items():
        if any(name in model.numbers for model in models):
            numbers = (model.numbers.get(name) for model in models)
            rows.append([label, *("" if one is None else limits_text(one) for one in numbers)])
    texts = dict.fromkeys(text for each in evaluation.quantities.values() for text in each)
    rows += [[text, *(limits_text(evaluation.quantities[model.name][text]) for model in models)] for text in texts]
    rows.append(["expected cost", *(limits_text(model.expected_cost) for model in models)])
    rows.append(["expected cost, out of bag", *(limits_text(model.out_of_bag_cost) for model in models)])
    rows.append(["threshold", *(limits_text(model.threshold) for model in models)])
    return text_table(rows)


def _at_threshold(evaluation: ThresholdEvaluation) -> str:
    """The counts in the rows, and measures at the declared mix and that of the rows."""
    winner = evaluation[evaluation.decision.model]
    columns = {mix_words(evaluation): winner.measures}
    if winner.mix_declared:
        columns[rows_mix_words(evaluation)] = winner.data_measures
    shown = ("accuracy", "tpr", "fpr", "precision", "f1", "mcc", "lift")
    rows = [["measure", *columns], *([name, *(limits_text(of[name]) for of in columns.values())] for name in shown)]
    at = f"{winner.name} at {threshold_text(evaluation, winner.name)}: counts in these rows"
    return f"{at}\n{winner.table}\n\n{text_table(rows)}"


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of texts in columns, the first aligned left and the others right."""
    first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = []
    for name, *cells in rows:
        aligned = (cell.rjust(width) for cell, width in zip(cells, others, strict=True))
        lines.append("  ".join([name.ljust(first), *aligned]).rstrip())
    return "\n".join(lines)
