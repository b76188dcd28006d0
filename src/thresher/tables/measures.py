"""The registry of measures: what each is called, means, ranges over, and when it has no value."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from thresher.errors import MeasureError
from thresher.tables.contingency import Contingency, require_table

Better: TypeAlias = Literal["higher", "lower", "neither"]
Interval: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of a contingency table, an attribute of `Contingency`.

    `undefined` says when it has no value.

    >>> precision = measure("ppv")
    >>> precision.name, precision.formula, precision.estimates
    ('precision', 'tp / (tp + fp)', 'P(actual + | predicted +)')
    >>> precision.of(Contingency(tp=30, fn=20, fp=10, tn=40))
    0.75
    """

    name: str
    symbol: str
    formula: str
    estimates: str
    range: Interval
    better: Better
    undefined: str
    synonyms: tuple[str, ...] = ()
    beta: float | None = None

    def of(self, table: Contingency, *, class_ratio: float | None = None) -> Any:
        """The value on a table, or with the same rates at another class ratio."""
        require_table(table)
        at = table if class_ratio is None else table.at_class_ratio(class_ratio)
        return at.f_beta(self.beta) if self.beta is not None else getattr(at, self.name)


def measure(name: str | Measure) -> Measure:
    """Look a measure up by name or synonym, any F measure by its beta: "f0.5".

    >>> measure("sensitivity").name
    'tpr'
    >>> measure("acuracy")
    Traceback (most recent call last):
    thresher.errors.MeasureError: there is no measure called 'acuracy'
      where: measure(name)
      fix:   did you mean accuracy? Measures are accuracy, error_rate, ...
    """
    if isinstance(name, Measure):
        return name
    if not isinstance(name, str):
        raise MeasureError(f"a measure is named by text, got {name!r}", 'give e.g. "accuracy"')
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    if plain in _BY_NAME:
        return _BY_NAME[plain]
    if (beta := re.fullmatch(r"f_?([0-9]+(?:\.[0-9]+)?)", plain)) and 0 < float(beta[1]) ** 2 < math.inf:
        return _BY_NAME.get(f"f{float(beta[1]):g}") or _f_measure(float(beta[1]))
    near = difflib.get_close_matches(plain, _BY_NAME, n=3)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise MeasureError(f"there is no measure called {name!r}", f"{hint}Measures are {', '.join(MEASURES)}")


def _f_measure(beta: float) -> Measure:
    return Measure(
        name=f"f{beta:g}",
        symbol=f"F{beta:g}",
        formula=f"(1 + β²) tp / ((1 + β²) tp + β² fn + fp) with β = {beta:g}",
        estimates=f"weighted harmonic mean of precision and recall; recall counts {beta:g} times as much",
        range=_UNIT,
        better="higher",
        undefined=_NO_BOTH,
        beta=beta,
    )


_NO_CASES = "there are no cases"
_NO_POS = "there are no actual positives"
_NO_NEG = "there are no actual negatives"
_ONE_CLASS = "one of the actual classes is absent"
_NO_YES = "nothing is predicted positive"
_NO_NO = "nothing is predicted negative"
_NO_BOTH = "there are no positives and none are predicted"
_UNIT = (0.0, 1.0)
_SIGNED = (-1.0, 1.0)
_RATIO = (0.0, math.inf)
_BALANCED = "when both classes are equally frequent"

_SYNONYMS = {
    "tpr": "recall sensitivity true_positive_rate hit_rate",
    "tnr": "specificity true_negative_rate negative_recall",
    "fpr": "false_positive_rate false_alarm_rate fall_out",
    "fnr": "false_negative_rate miss_rate",
    "precision": "ppv positive_predictive_value confidence",
    "npv": "negative_predictive_value",
    "false_discovery_rate": "fdr",
    "false_omission_rate": "for",
    "average_recall": "balanced_accuracy macro_recall",
    "balanced_error_rate": "ber balanced_error",
    "youden_j": "informedness youden",
    "f1": "f f_measure dice",
    "jaccard": "critical_success_index threat_score",
    "mcc": "phi matthews",
    "kappa": "cohen_kappa",
    "lr_plus": "positive_likelihood_ratio",
    "lr_minus": "negative_likelihood_ratio",
    "dor": "diagnostic_odds_ratio odds_ratio",
    "predicted_positive_rate": "selection_rate",
}


_MEASURES = (
    Measure("accuracy", "acc", "(tp + tn) / total", "P(predicted = actual)", _UNIT, "higher", _NO_CASES),
    Measure("error_rate", "err", "(fp + fn) / total", "P(predicted ≠ actual)", _UNIT, "lower", _NO_CASES),
    Measure("tpr", "tpr", "tp / Pos", "P(predicted + | actual +)", _UNIT, "higher", _NO_POS),
    Measure("tnr", "tnr", "tn / Neg", "P(predicted - | actual -)", _UNIT, "higher", _NO_NEG),
    Measure("fpr", "fpr", "fp / Neg", "P(predicted + | actual -)", _UNIT, "lower", _NO_NEG),
    Measure("fnr", "fnr", "fn / Pos", "P(predicted - | actual +)", _UNIT, "lower", _NO_POS),
    Measure("precision", "prec", "tp / (tp + fp)", "P(actual + | predicted +)", _UNIT, "higher", _NO_YES),
    Measure("npv", "npv", "tn / (fn + tn)", "P(actual - | predicted -)", _UNIT, "higher", _NO_NO),
    Measure("false_discovery_rate", "fdr", "fp / (tp + fp)", "P(actual - | predicted +)", _UNIT, "lower", _NO_YES),
    Measure("false_omission_rate", "for", "fn / (fn + tn)", "P(actual + | predicted -)", _UNIT, "lower", _NO_NO),
    Measure(
        "average_recall",
        "avg-rec",
        "(tpr + tnr) / 2",
        f"P(predicted = actual) {_BALANCED}",
        _UNIT,
        "higher",
        _ONE_CLASS,
    ),
    Measure(
        "balanced_error_rate",
        "ber",
        "(fpr + fnr) / 2",
        f"P(predicted ≠ actual) {_BALANCED}",
        _UNIT,
        "lower",
        _ONE_CLASS,
    ),
    Measure("youden_j", "J", "tpr - fpr", "P(informed decision rather than a guess)", _SIGNED, "higher", _ONE_CLASS),
    Measure(
        "markedness",
        "mk",
        "precision + npv - 1",
        "how far a call tells the actual class",
        _SIGNED,
        "higher",
        "nothing is predicted positive, or everything is",
    ),
    Measure(
        "g_mean", "G", "√(tpr · tnr)", "geometric mean of the recalls of both classes", _UNIT, "higher", _ONE_CLASS
    ),
    Measure("f1", "F1", "2 tp / (2 tp + fp + fn)", "harmonic mean of precision and recall", _UNIT, "higher", _NO_BOTH),
    Measure(
        "jaccard",
        "Jac",
        "tp / (tp + fp + fn)",
        "P(actual + and predicted + | actual + or predicted +)",
        _UNIT,
        "higher",
        _NO_BOTH,
    ),
    Measure(
        "mcc",
        "φ",
        "(tp · tn - fp · fn) / √((tp + fp)(tp + fn)(tn + fp)(tn + fn))",
        "correlation of actual and predicted class",
        _SIGNED,
        "higher",
        "a row or column of the table is empty",
    ),
    Measure(
        "kappa",
        "κ",
        "(accuracy - expected accuracy) / (1 - expected accuracy)",
        "agreement beyond what the marginals alone would give",
        _SIGNED,
        "higher",
        "all cases are of one class and called so",
    ),
    Measure(
        "lr_plus",
        "LR+",
        "tpr / fpr",
        "how much a positive call multiplies the odds of +",
        _RATIO,
        "higher",
        f"{_NO_YES}, or {_ONE_CLASS}",
    ),
    Measure(
        "lr_minus",
        "LR-",
        "fnr / tnr",
        "how much a negative call multiplies the odds of +",
        _RATIO,
        "lower",
        f"{_NO_NO}, or {_ONE_CLASS}",
    ),
    Measure(
        "dor",
        "DOR",
        "tp · tn / (fp · fn)",
        "odds of + after a positive call relative to after a negative one",
        _RATIO,
        "higher",
        "both a right and a wrong cell are empty",
    ),
    Measure("predicted_positive_rate", "ppr", "(tp + fp) / total", "P(predicted +)", _UNIT, "neither", _NO_CASES),
    Measure(
        "lift",
        "lift",
        "precision / prevalence",
        "P(actual + | predicted +) / P(actual +)",
        _RATIO,
        "higher",
        f"{_NO_YES}, or {_NO_POS}",
    ),
    Measure("prevalence", "π", "Pos / total", "P(actual +)", _UNIT, "neither", _NO_CASES),
    Measure("class_ratio", "clr", "Pos / Neg", "odds of actual +", _RATIO, "neither", _NO_CASES),
)
_ALL = tuple(replace(each, synonyms=tuple(_SYNONYMS.get(each.name, "").split())) for each in _MEASURES)

MEASURES: Mapping[str, Measure] = MappingProxyType({known.name: known for known in _ALL})
_BY_NAME = {name: known for known in _ALL for name in (known.name, *known.synonyms)}
