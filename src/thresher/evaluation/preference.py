"""Decide under doubt: which models may be best, and which of them is taken, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from thresher.choices import JointChoice
from thresher.errors import ArgumentError
from thresher.inference import Stability
from thresher.inference.best import allowances, decided_costs, may_be_best
from thresher.inference.stability import mean_of

FIRST, CURRENT = "first", "current"


class Preference(NamedTuple):
    """Models in order of preference, and the word that asked for it."""

    models: tuple[str, ...] = ()
    word: str = ""


class Pick(NamedTuple):
    """The model taken, those that may be best, why, and the mean cost out of bag of deciding so."""

    model: str
    may_be_best: tuple[str, ...]
    why: str
    honest: float


def preference_of(prefer: Any, names: Sequence[str], in_use: str | None) -> Preference:
    """Read `prefer=`: a model's name, names in order, "first" (as given), or "current" (the model in use).

    >>> preference_of("first", ["a", "b"], None)
    Preference(models=('a', 'b'), word='first')
    >>> preference_of(["b", "a"], ["a", "b"], None).models
    ('b', 'a')
    """
    if prefer is None:
        return Preference()
    fix = f'give "first", "current" or a model: {", ".join(names)}'
    if isinstance(prefer, str) and prefer not in names:
        if prefer == FIRST:
            return Preference(tuple(names), FIRST)
        if prefer == CURRENT:
            if in_use is None:
                what = "the current model is preferred, and it is not known which model is in use"
                raise ArgumentError(what, "give current={model: threshold} or a Decision")
            return Preference((in_use,), CURRENT)
    wanted = [prefer] if isinstance(prefer, str) else prefer
    if not isinstance(wanted, Sequence) or not wanted:
        raise ArgumentError(f"prefer={prefer!r} names no model", fix)
    for name in wanted:
        if name not in names:
            raise ArgumentError(f"the model {name!r} is preferred, and there is none of that name", fix)
    return Preference(tuple(wanted), ", ".join(wanted))


def pick(
    joint: JointChoice, stability: Stability, *, level: float, margin: float = 0.0, preference: Preference
) -> Pick:
    """Take the preferred one of the models that may be best, or the cheapest where none is preferred."""
    drawn = stability.resamples
    allowance = allowances(drawn.at_choice, level)
    costs = {name: choice.expected_cost for name, choice in joint.choices.items()}
    contenders = may_be_best(costs, allowance, margin=margin)
    taken = next((name for name in preference.models if name in contenders), joint.model)
    honest = mean_of(decided_costs(drawn, allowance, margin=margin, preference=preference.models))
    doubt = doubt_text(contenders, level, margin) if len(contenders) > 1 else ""
    return Pick(taken, contenders, _why(taken, joint, doubt, level, preference), honest)


def doubt_text(contenders: Sequence[str], level: float, margin: float) -> str:
    """The models that may be best, with the level.

    >>> doubt_text(["forest", "tree"], 0.95, 0.0)
    'practically equal: at level 0.95 forest or tree may be the best'
    """
    within = f", or cost at most {margin:g} more per case" if margin else ""
    return f"practically equal: at level {level:g} {either(contenders)} may be the best{within}"


def either(names: Sequence[str]) -> str:
    """Names joined by "or".

    >>> either(["a", "b", "c"])
    'a, b or c'
    """
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _why(taken: str, joint: JointChoice, doubt: str, level: float, preference: Preference) -> str:
    if len(joint.choices) == 1:
        return "it is the only model"
    unmet = f"; {either(preference.models)} was preferred, but costs more" if preference.models else ""
    if not doubt:
        what = "" if taken in preference.models else unmet
        return f"it is the cheapest, and at level {level:g} no other model may be the best{what}"
    if taken in preference.models:
        cheapest = "it is the cheapest and preferred" if taken in joint.tied else "it is preferred"
        return f"{cheapest} ({preference.word}) among models that are {doubt}"
    others = [name for name in joint.tied if name != taken]
    same = f", with {', '.join(others)} at the same cost and given later," if others else ""
    return f"it is the cheapest on these rows{same} among models that are {doubt}{unmet}"
