"""The registry of measures: names, meaning, range, when undefined."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from thresher._internal.arguments import short_repr
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

    @property
    def depends_on_mix(self) -> bool:
        """Whether it changes with the class ratio where tpr and fpr stay."""
        return self.name not in _OF_RATES

    def of(self, table: Contingency, *, class_ratio: float | None = None) -> Any:
        """The value on a table, or with the same rates at another class ratio."""
        require_table(table)
        at = table if class_ratio is None or not self.depends_on_mix else table.at_class_ratio(class_ratio)
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
        raise MeasureError(f"a measure is named by text, got {short_repr(name)}", 'give e.g. "accuracy"')
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    if plain in _BY_NAME:
        return _BY_NAME[plain]
    if (beta := re.fullmatch(r"f_?([0-9]+(?:\.[0-9]+)?)", plain)) and 0 < float(beta[1]) ** 2 < math.inf:
        return _BY_NAME.get(f"f{float(beta[1]):g}") or _f_measure(float(beta[1]))
    near = difflib.get_close_matches(plain, set(_BY_NAME) - {UNSAID}, n=3)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise MeasureError(f"there is no measure called {name!r}", f"{hint}Measures are {', '.join(MEASURES)}")


def _f_measure(beta: float) -> Measure:
    formula = f"(1 + β²) tp / ((1 + β²) tp + β² fn + fp) with β = {beta:g}"
    estimates = f"weighted harmonic mean of precision and recall; recall counts {beta:g} times as much"
    undefined = MEASURES["f1"].undefined
    return Measure(f"f{beta:g}", f"F{beta:g}", formula, estimates, _UNIT, "higher", undefined, beta=beta)


_UNIT, _SIGNED, _RATIO = (0.0, 1.0), (-1.0, 1.0), (0.0, math.inf)
_BALANCED = "when both classes are equally frequent"
_UNDEFINED = {
    "there are no cases": "accuracy error_rate predicted_positive_rate prevalence class_ratio",
    "there are no actual positives": "tpr fnr",
    "there are no actual negatives": "tnr fpr",
    "one of the actual classes is absent": "average_recall balanced_error_rate youden_j g_mean",
    "nothing is predicted positive": "precision false_discovery_rate",
    "nothing is predicted negative": "npv false_omission_rate",
    "nothing is predicted positive, or everything is": "markedness",
    "nothing is predicted positive, or there are no actual positives": "lift",
    "nothing is predicted positive, or one of the actual classes is absent": "lr_plus",
    "nothing is predicted negative, or one of the actual classes is absent": "lr_minus",
    "there are no positives and none are predicted": "f1 jaccard",
    "a row or column of the table is empty": "mcc",
    "all cases are of one class and called so": "kappa",
    "both a right and a wrong cell are empty": "dor",
}
_OF_RATES = (
    *("tpr", "tnr", "fpr", "fnr", "average_recall", "balanced_error_rate", "youden_j", "g_mean"),
    *("lr_plus", "lr_minus", "dor"),
)
UNSAID = "for"  # the false omission rate's short name, which no one reads as such in a suggestion
_SYNONYMS = {
    "tpr": "recall sensitivity true_positive_rate hit_rate",
    "tnr": "specificity true_negative_rate negative_recall",
    "fpr": "false_positive_rate false_alarm_rate fall_out",
    "fnr": "false_negative_rate miss_rate",
    "precision": "ppv positive_predictive_value confidence",
    "npv": "negative_predictive_value",
    "false_discovery_rate": "fdr",
    "false_omission_rate": UNSAID,
    "average_recall": "balanced_accuracy macro_recall",
    "balanced_error_rate": "ber balanced_error",
    "youden_j": "informedness youden",
    "f1": "f f_measure f1_score dice",
    "jaccard": "critical_success_index threat_score",
    "mcc": "phi matthews",
    "kappa": "cohen_kappa",
    "lr_plus": "positive_likelihood_ratio",
    "lr_minus": "negative_likelihood_ratio",
    "dor": "diagnostic_odds_ratio odds_ratio",
    "predicted_positive_rate": "selection_rate",
}


def _define(
    name: str, symbol: str, formula: str, estimates: str, *, better: Better = "higher", span: Interval = _UNIT
) -> Measure:
    (undefined,) = (reason for reason, names in _UNDEFINED.items() if name in names.split())
    return Measure(name, symbol, formula, estimates, span, better, undefined, tuple(_SYNONYMS.get(name, "").split()))


_ALL = (
    _define("accuracy", "acc", "(tp + tn) / total", "P(predicted = actual)"),
    _define("error_rate", "err", "(fp + fn) / total", "P(predicted ≠ actual)", better="lower"),
    _define("tpr", "tpr", "tp / Pos", "P(predicted + | actual +)"),
    _define("tnr", "tnr", "tn / Neg", "P(predicted - | actual -)"),
    _define("fpr", "fpr", "fp / Neg", "P(predicted + | actual -)", better="lower"),
    _define("fnr", "fnr", "fn / Pos", "P(predicted - | actual +)", better="lower"),
    _define("precision", "prec", "tp / (tp + fp)", "P(actual + | predicted +)"),
    _define("npv", "npv", "tn / (fn + tn)", "P(actual - | predicted -)"),
    _define("false_discovery_rate", "fdr", "fp / (tp + fp)", "P(actual - | predicted +)", better="lower"),
    _define("false_omission_rate", "for", "fn / (fn + tn)", "P(actual + | predicted -)", better="lower"),
    _define("average_recall", "avg-rec", "(tpr + tnr) / 2", f"P(predicted = actual) {_BALANCED}"),
    _define("balanced_error_rate", "ber", "(fpr + fnr) / 2", f"P(predicted ≠ actual) {_BALANCED}", better="lower"),
    _define("youden_j", "J", "tpr - fpr", "P(informed decision rather than a guess)", span=_SIGNED),
    _define("markedness", "mk", "precision + npv - 1", "how far a call tells the actual class", span=_SIGNED),
    _define("g_mean", "G", "√(tpr · tnr)", "geometric mean of the recalls of both classes"),
    _define("f1", "F1", "2 tp / (2 tp + fp + fn)", "harmonic mean of precision and recall"),
    _define("jaccard", "Jac", "tp / (tp + fp + fn)", "P(actual + and predicted + | actual + or predicted +)"),
    _define(
        "mcc",
        "φ",
        "(tp · tn - fp · fn) / √((tp + fp)(tp + fn)(tn + fp)(tn + fn))",
        "correlation of actual and predicted class",
        span=_SIGNED,
    ),
    _define(
        "kappa",
        "κ",
        "(accuracy - expected accuracy) / (1 - expected accuracy)",
        "agreement beyond what the marginals alone would give",
        span=_SIGNED,
    ),
    _define("lr_plus", "LR+", "tpr / fpr", "how much a positive call multiplies the odds of +", span=_RATIO),
    _define(
        "lr_minus", "LR-", "fnr / tnr", "how much a negative call multiplies the odds of +", better="lower", span=_RATIO
    ),
    _define(
        "dor",
        "DOR",
        "tp · tn / (fp · fn)",
        "odds of + after a positive call relative to after a negative one",
        span=_RATIO,
    ),
    _define("predicted_positive_rate", "ppr", "(tp + fp) / total", "P(predicted +)", better="neither"),
    _define("lift", "lift", "precision / prevalence", "P(actual + | predicted +) / P(actual +)", span=_RATIO),
    _define("prevalence", "π", "Pos / total", "P(actual +)", better="neither"),
    _define("class_ratio", "clr", "Pos / Neg", "odds of actual +", better="neither", span=_RATIO),
)
MEASURES: Mapping[str, Measure] = MappingProxyType({known.name: known for known in _ALL})
_BY_NAME = {name: known for known in _ALL for name in (known.name, *known.synonyms)}
