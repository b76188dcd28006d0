"""The first screen of an evaluation: one sentence, four tiles per 1,000 cases, and one table of rules."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thresher._internal.text import in_words, interval_decimals, isolated, number_text, per_thousand_text, percent_text
from thresher.cautions import Caution
from thresher.evaluation.rules import Rule, same_rule
from thresher.ranking import Ranking, shortest_between

if TYPE_CHECKING:
    from thresher.evaluation.evaluate import Evaluation
    from thresher.inference import Interval

CASES = 1000
SHORT = {"never": "never", "always": "always", "0.5": "cut at 0.5", "current": "now in use"}
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
_MOST_DIGITS = 4
_AGAINST = {
    "never": "never acting",
    "always": "always acting",
    "0.5": "the usual cut-off of 0.5",
    "current": "the rule in use",
}
_SHORTLY = {"0.5": "the usual cut-off", "current": "the rule in use"}


@dataclass(frozen=True, slots=True)
class Tile:
    """A number per 1,000 cases, what it counts, its limits, and that number of the rules it is measured against."""

    value: str
    what: str
    limits: str
    against: tuple[tuple[str, str], ...]


def headline(evaluation: Evaluation) -> str:
    """The decision in one sentence, with what it saves; where that is nothing, what does as well comes first.

    A decision that is itself never or always acting, the usual cut-off or the rule in use is held against the others.

    >>> from thresher import OperatingCondition, evaluate
    >>> labels, scores = [1, 1, 0, 1, 0, 0] * 5, [.9, .8, .3, .45, .35, .2] * 5
    >>> found = evaluate(labels, scores, condition=OperatingCondition(cost_ratio=2))
    >>> headline(found)
    'Call a case positive when model says 0.4 or more: it saves ...per 1,000 cases.'
    """
    chosen = evaluation.rules[evaluation.decision.model]
    same = [name for name in _AGAINST if name in evaluation.rules and same_rule(chosen, evaluation.rules[name])]
    others = [name for name in _AGAINST if name in evaluation.rules and name not in same]
    best = evaluation.baseline
    if best in same:
        best = min(others, key=lambda name: evaluation.rules[name].cost.estimate)
    saving, base = evaluation.rules[best].saving, evaluation.rules[best].cost.estimate
    calls, because = _calls(evaluation)
    also = [_SHORTLY[name] for name in same if name in _SHORTLY]
    as_well = f", as {in_words(also)} {'does' if len(also) == 1 else 'do'}" if also else ""
    if saving is None or math.isnan(saving.estimate):
        return f"Call {calls}{because}{as_well}."
    places = interval_decimals(*(CASES * value for value in (saving.estimate, saving.lower, saving.upper)))
    known = not math.isnan(saving.lower)
    low, high = (number_text(CASES * value, places) for value in (saving.lower, saving.upper))
    of, against = number_text(CASES * base, places), _AGAINST[best]
    if saving.estimate > 0:
        limits, saves = f" ({low} to {high})" if known else "", "may save" if saving.lower <= 0 else "saves"
        saved = number_text(CASES * saving.estimate, places)
        does = f"{saves} {saved}{limits} of the {of} that {against} costs per 1,000 cases"
        return f"Call {calls}{because}{as_well}: it {does}."
    does = "does as well" if not saving.upper < 0 else "is cheaper"
    more = number_text(-CASES * saving.estimate, places)
    ends = (number_text(-CASES * end, places) for end in (saving.upper, saving.lower))
    limits = f" ({' to '.join(ends)})" if known else ""
    dearer = f"costs {more}{limits} more than" if more.strip("0.,") else f"saves nothing{limits} of"
    return f"{against[0].upper()}{against[1:]} {does}: calling {calls} {dearer} the {of} it costs per 1,000 cases."


def _calls(evaluation: Evaluation) -> tuple[str, str]:
    """What the decision calls positive, and why that is no score where it calls none or all."""
    decision = evaluation.decision
    if decision.threshold == math.inf:
        return "no case positive", ", since no score pays for its false alarms"
    if decision.threshold == -math.inf:
        return "every case positive", ", since no score is low enough to risk a miss"
    says = f"{isolated(decision.model)} says {threshold_text(evaluation, decision.model)} or more"
    return f"a case positive when {says}", ""


def reason(evaluation: Evaluation) -> str:
    """Why this model; of one model alone, over which costs its threshold stays the best.

    >>> from thresher import OperatingCondition, evaluate
    >>> found = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2], condition=OperatingCondition(cost_ratio=2))
    >>> reason(found)
    'This stays its best threshold for cost ratios from 1 to ∞; now it is 2.'
    """
    why, holds = evaluation.decision.why, evaluation.decision.threshold_holds_for
    if len(evaluation.models) > 1:
        return f"{why[:1].upper()}{why[1:]}."
    if holds is None:
        return ""
    now = number_text(evaluation.condition.cost_ratio)
    ends = " to ".join(map(number_text, holds))
    return f"This stays its best threshold for cost ratios from {ends}; now it is {now}."


def asked(evaluation: Evaluation) -> str:
    """The condition as it was asked for.

    >>> from thresher import OperatingCondition, evaluate
    >>> asked(evaluate([1, 1, 0, 0], [.9, .8, .6, .2], condition=OperatingCondition(prevalence=0.01, cost_ratio=20)))
    'asked for a population that is 1 % positive, where a miss costs 20 false alarms'
    """
    condition = evaluation.condition
    if condition.class_ratio is None:
        mix = "classes mixed as in these rows"
    else:
        words = condition.mix
        mix = f"asked for a population {'that is' if words.endswith('positive') else 'of'} {words}"
    return f"{mix}, where {miss_words(condition.cost_ratio)}"


def classes_words(ranking: Ranking) -> str:
    """How many cases of either class there are, or what they weigh.

    >>> classes_words(Ranking.parse("[20+,5-][10+,40-]"))
    '30 positive, 45 negative'
    >>> from thresher import rank
    >>> classes_words(rank([1, 0, 0], [.9, .8, .7], weights=[1 / 7, 1234.5678, 9.25]))
    'weight 0.1429 positive, 1,244 negative'
    """
    weight = "weight " if ranking.weighted else ""
    return f"{weight}{total_text(ranking.Pos)} positive, {total_text(ranking.Neg)} negative"


def total_text(value: float) -> str:
    """A number of cases; a sum of weights to four digits.

    >>> total_text(12345), total_text(0.238222255), total_text(12345.678)
    ('12,345', '0.2382', '12,346')
    """
    if value == int(value):
        return f"{int(value):,}"
    return number_text(value, max(0, 3 - math.floor(math.log10(abs(value)))))


def miss_words(cost_ratio: float) -> str:
    """What a miss costs, in false alarms.

    >>> miss_words(1), miss_words(20)
    ('a miss costs as much as a false alarm', 'a miss costs 20 false alarms')
    """
    much = "as much as a false alarm" if cost_ratio == 1 else f"{number_text(cost_ratio)} false alarms"
    return f"a miss costs {much}"


def mix_words(evaluation: Evaluation) -> str:
    """Which class mix numbers are stated at, named as such.

    >>> from thresher import OperatingCondition, evaluate
    >>> mix_words(evaluate([1, 1, 0, 0], [.9, .8, .6, .2], condition=OperatingCondition(prevalence=0.01)))
    'in production (1 % positive)'
    """
    condition = evaluation.decision.condition
    share = percent_text(condition.prevalence or math.nan)
    return f"{'as in these rows' if evaluation.condition.class_ratio is None else 'in production'} ({share} positive)"


def rows_mix_words(evaluation: Evaluation) -> str:
    """The class mix of the rows, named as such."""
    share = evaluation[evaluation.decision.model].ranking.prevalence
    return f"in these rows ({percent_text(share)} positive)"


def rules_caption(evaluation: Evaluation) -> str:
    """What the numbers of the tiles and of the table of rules are about."""
    among = ", the decision with the choice among models" if len(evaluation.models) > 1 else ""
    priced = f"models cost what they do on rows they were not chosen on{among}, and counts are of the rows chosen on"
    return f"Per {CASES:,} cases {mix_words(evaluation)}; {miss_words(evaluation.condition.cost_ratio)}; {priced}"


def cost_unit(evaluation: Evaluation) -> str:
    """What costs are counted in."""
    condition = evaluation.condition
    in_alarms = condition.cost_fp == 1 and not condition.cost_tp and not condition.cost_tn
    return "cost, in false alarms" if in_alarms else "cost"


def tiles(evaluation: Evaluation) -> tuple[Tile, ...]:
    """Found, missed, false alarms and cost per 1,000 cases at the declared mix.

    >>> from thresher import evaluate
    >>> found = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2], seed=1)
    >>> [(tile.value, tile.what) for tile in tiles(found)][:3]
    [('333', 'of 500 positives found'), ('167', 'missed'), ('0', 'false alarms')]
    >>> tiles(found)[0].against
    (('never', '0'), ('always', '500'), ('cut at 0.5', '500'))
    """
    return tiles_of([*evaluation.rules.values()], evaluation[evaluation.decision.model].measures, evaluation)


def tiles_of(rules: Sequence[Rule], measures: Mapping[str, Interval], evaluation: Evaluation) -> tuple[Tile, ...]:
    """The tiles of the first of these rules, whose `measures` tell its limits, at the condition of an evaluation."""
    condition = evaluation.decision.condition
    chosen, *others = rules
    mine = chosen.per(CASES, condition)
    against = [(SHORT[rule.name], rule.per(CASES, condition)) for rule in others if rule.name in SHORT]
    positives = mine.found + mine.missed
    totals = {"found": positives, "missed": positives, "false_alarms": CASES - positives}
    words = {"found": f"of {per_thousand_text(positives, positives)} positives found", "missed": "missed"}
    counts = []
    for name, rate in (("found", "tpr"), ("missed", "fnr"), ("false_alarms", "fpr")):
        total, value = totals[name], getattr(mine, name)
        low, high = (total * end for end in (measures[rate].lower, measures[rate].upper))
        counts.append(
            Tile(
                per_thousand_text(value, total),
                words.get(name, "false alarms"),
                f"{per_thousand_text(low, total)} to {per_thousand_text(high, total)}" if low <= value <= high else "",
                tuple((short, per_thousand_text(getattr(rule, name), total)) for short, rule in against),
            )
        )
    cost, places = chosen.cost, _places(chosen)
    limits = "" if math.isnan(cost.lower) else f"{_thousand(cost.lower, places)} to {_thousand(cost.upper, places)}"
    prices = tuple((short, number_text(rule.cost, places)) for short, rule in against)
    return (*counts, Tile(_thousand(cost.estimate, places), cost_unit(evaluation), limits, prices))


def rule_heads(evaluation: Evaluation) -> tuple[str, ...]:
    """The heads of the table of rules."""
    condition = evaluation.decision.condition
    total = CASES * (condition.prevalence or 0.0)
    found = f"found of {per_thousand_text(total, total)}"
    return ("rule", found, "false alarms", "precision", "cost", "costs more by")


def rule_cells(evaluation: Evaluation, rule: Rule) -> tuple[tuple[str, str], ...]:
    """One rule per 1,000 cases, as the table's cells: what each says, and its limits or an empty text."""
    per = rule.per(CASES, evaluation.decision.condition)
    positives = per.found + per.missed
    called = per.found + per.false_alarms
    counts = (
        per_thousand_text(per.found, positives),
        per_thousand_text(per.false_alarms, CASES - positives),
        percent_text(per.found / called) if called else "–",
    )
    name = f"{mark(evaluation, rule)}{rule_text(evaluation, rule)}"
    dearer = ("–", "") if rule.saving is None else _with_limits(rule.saving)
    return ((name, ""), *((count, "") for count in counts), _with_limits(rule.cost), dearer)


def mark(evaluation: Evaluation, rule: Rule) -> str:
    """A dot for the rule decided for, a hollow one for models that may be as good."""
    if rule.saving is None:
        return "● "
    return "○ " if rule.name in evaluation.may_be_best and rule.name not in SHORT else ""


def rule_text(evaluation: Evaluation, rule: Rule) -> str:
    """A rule in a few words: the model and its threshold, or what it is measured against."""
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


def threshold_text(evaluation: Evaluation, name: str) -> str:
    """A model's threshold as people may write it: the shortest number that makes the same calls.

    Where that has more than four digits, because scores lie close, "about" and the digits that the threshold's own
    interval deserves.

    >>> from thresher import evaluate
    >>> threshold_text(evaluate([1, 1, 0, 0], [.9, .8123, .6011, .2]), "model")
    '0.7'
    >>> threshold_text(evaluate([1, 1, 0, 0], [.9, .812345, .812342, .2]), "model")
    'about 0.812'
    """
    text, exact = _threshold(evaluation, name)
    return text if exact else f"about {text}"


def _threshold(evaluation: Evaluation, name: str) -> tuple[str, bool]:
    """A threshold in few digits, and whether the number that these write makes the same calls."""
    model = evaluation[name]
    (low, high), threshold = model.choice.interval, model.choice.threshold
    if math.isinf(threshold):
        return number_text(threshold), True
    short = float(shortest_between(*(np.array([value]) for value in (low, threshold, high)))[0])
    decimals = max(0, _MOST_DIGITS - 1 - math.floor(math.log10(abs(short) or 1)))
    for text in (number_text(short), number_text(short, decimals)):
        if float(text.replace(",", "").replace("−", "-")) == short:
            return text, True
    places = interval_decimals(threshold, model.threshold.lower, model.threshold.upper)
    return number_text(threshold, places), False


def by_weight(cautions: Sequence[Caution]) -> list[Caution]:
    """Cautions, those that matter most first.

    >>> by_weight([Caution("equal-costs", "..."), Caution("no-better-than-nothing", "...")])[0].code
    'no-better-than-nothing'
    """
    heavy = [caution for code in _FIRST for caution in cautions if caution.code == code]
    return heavy + [caution for caution in cautions if caution.code not in _FIRST]


def _places(rule: Rule) -> int | None:
    return interval_decimals(*(CASES * value for value in (rule.cost.estimate, rule.cost.lower, rule.cost.upper)))


def _thousand(value: float, places: int | None) -> str:
    return number_text(CASES * value, places)


def _with_limits(interval: Interval) -> tuple[str, str]:
    ends = interval.lower, interval.upper
    places = interval_decimals(*(CASES * value for value in (interval.estimate, *ends)))
    known = not math.isnan(interval.lower) and interval.lower < interval.upper
    limits = " to ".join(_thousand(end, places) for end in ends) if known else ""
    return _thousand(interval.estimate, places), limits
