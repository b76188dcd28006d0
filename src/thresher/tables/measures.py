"""The registry of measures: what each is called, means, ranges over, and when it has no value."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
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
    formula = f"(1 + β²) tp / ((1 + β²) tp + β² fn + fp) with β = {beta:g}"
    estimates = f"weighted harmonic mean of precision and recall; recall counts {beta:g} times as much"
    return Measure(f"f{beta:g}", f"F{beta:g}", formula, estimates, _UNIT, "higher", _NO_BOTH, beta=beta)


_UNIT, _SIGNED, _RATIO = (0.0, 1.0), (-1.0, 1.0), (0.0, math.inf)
_NO_CASES = "there are no cases"
_NO_POS = "there are no actual positives"
_NO_NEG = "there are no actual negatives"
_ONE_CLASS = "one of the actual classes is absent"
_NO_YES = "nothing is predicted positive"
_NO_NO = "nothing is predicted negative"
_NO_BOTH = "there are no positives and none are predicted"
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


def _define(
    name: str,
    symbol: str,
    formula: str,
    means: str,
    undefined: str,
    *,
    better: Better = "higher",
    span: Interval = _UNIT,
) -> Measure:
    return Measure(name, symbol, formula, means, span, better, undefined, tuple(_SYNONYMS.get(name, "").split()))


_ALL = (
    _define("accuracy", "acc", "(tp + tn) / total", "P(predicted = actual)", _NO_CASES),
    _define("error_rate", "err", "(fp + fn) / total", "P(predicted ≠ actual)", _NO_CASES, better="lower"),
    _define("tpr", "tpr", "tp / Pos", "P(predicted + | actual +)", _NO_POS),
    _define("tnr", "tnr", "tn / Neg", "P(predicted - | actual -)", _NO_NEG),
    _define("fpr", "fpr", "fp / Neg", "P(predicted + | actual -)", _NO_NEG, better="lower"),
    _define("fnr", "fnr", "fn / Pos", "P(predicted - | actual +)", _NO_POS, better="lower"),
    _define("precision", "prec", "tp / (tp + fp)", "P(actual + | predicted +)", _NO_YES),
    _define("npv", "npv", "tn / (fn + tn)", "P(actual - | predicted -)", _NO_NO),
    _define("false_discovery_rate", "fdr", "fp / (tp + fp)", "P(actual - | predicted +)", _NO_YES, better="lower"),
    _define("false_omission_rate", "for", "fn / (fn + tn)", "P(actual + | predicted -)", _NO_NO, better="lower"),
    _define("average_recall", "avg-rec", "(tpr + tnr) / 2", f"P(predicted = actual) {_BALANCED}", _ONE_CLASS),
    _define(
        "balanced_error_rate",
        "ber",
        "(fpr + fnr) / 2",
        f"P(predicted ≠ actual) {_BALANCED}",
        _ONE_CLASS,
        better="lower",
    ),
    _define("youden_j", "J", "tpr - fpr", "P(informed decision rather than a guess)", _ONE_CLASS, span=_SIGNED),
    _define(
        "markedness",
        "mk",
        "precision + npv - 1",
        "how far a call tells the actual class",
        f"{_NO_YES}, or everything is",
        span=_SIGNED,
    ),
    _define("g_mean", "G", "√(tpr · tnr)", "geometric mean of the recalls of both classes", _ONE_CLASS),
    _define("f1", "F1", "2 tp / (2 tp + fp + fn)", "harmonic mean of precision and recall", _NO_BOTH),
    _define("jaccard", "Jac", "tp / (tp + fp + fn)", "P(actual + and predicted + | actual + or predicted +)", _NO_BOTH),
    _define(
        "mcc",
        "φ",
        "(tp · tn - fp · fn) / √((tp + fp)(tp + fn)(tn + fp)(tn + fn))",
        "correlation of actual and predicted class",
        "a row or column of the table is empty",
        span=_SIGNED,
    ),
    _define(
        "kappa",
        "κ",
        "(accuracy - expected accuracy) / (1 - expected accuracy)",
        "agreement beyond what the marginals alone would give",
        "all cases are of one class and called so",
        span=_SIGNED,
    ),
    _define(
        "lr_plus",
        "LR+",
        "tpr / fpr",
        "how much a positive call multiplies the odds of +",
        f"{_NO_YES}, or {_ONE_CLASS}",
        span=_RATIO,
    ),
    _define(
        "lr_minus",
        "LR-",
        "fnr / tnr",
        "how much a negative call multiplies the odds of +",
        f"{_NO_NO}, or {_ONE_CLASS}",
        better="lower",
        span=_RATIO,
    ),
    _define(
        "dor",
        "DOR",
        "tp · tn / (fp · fn)",
        "odds of + after a positive call relative to after a negative one",
        "both a right and a wrong cell are empty",
        span=_RATIO,
    ),
    _define("predicted_positive_rate", "ppr", "(tp + fp) / total", "P(predicted +)", _NO_CASES, better="neither"),
    _define(
        "lift",
        "lift",
        "precision / prevalence",
        "P(actual + | predicted +) / P(actual +)",
        f"{_NO_YES}, or {_NO_POS}",
        span=_RATIO,
    ),
    _define("prevalence", "π", "Pos / total", "P(actual +)", _NO_CASES, better="neither"),
    _define("class_ratio", "clr", "Pos / Neg", "odds of actual +", _NO_CASES, better="neither", span=_RATIO),
)
MEASURES: Mapping[str, Measure] = MappingProxyType({known.name: known for known in _ALL})
_BY_NAME = {name: known for known in _ALL for name in (known.name, *known.synonyms)}
