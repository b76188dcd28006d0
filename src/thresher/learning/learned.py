"""`Learned`: the model to deploy, its decision, and everything that led there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from thresher._internal.arguments import require_integer
from thresher._internal.results import Result, Tabular
from thresher._internal.text import interval_text, number_text
from thresher.calibration import brier, log_loss
from thresher.cautions import Caution
from thresher.errors import ColumnError
from thresher.evaluation import Decision, LeastCostEvaluation, ThresholdEvaluation
from thresher.evaluation.results import limits_text
from thresher.evaluation.summary import text_table
from thresher.inference import Difference, Interval
from thresher.inference.interval import interval_columns
from thresher.learning.data.column_types import ColumnTypes
from thresher.learning.data.frame import frame
from thresher.learning.data.split import Split
from thresher.learning.models.candidates import MAJORITY, ONE_FEATURE
from thresher.learning.models.reading import model_text
from thresher.learning.models.tuned import Race, Setting, race_fits
from thresher.learning.validation.cross_validate import CrossValidation
from thresher.learning.validation.feature_curve import FeatureCurve
from thresher.learning.validation.learning_curve import LearningCurve
from thresher.plots import ColumnsDisplay
from thresher.plots.rows.correlation import RedundantPair
from thresher.ranking import Floats

_NAMES_SHOWN = 6
# Of several classes: the measures of each model, and where an evaluation has them.
OF_CLASSES = {
    "overall_accuracy": "overall_accuracy",
    "mean_class_accuracy": "macro_recall",
    "macro_f1": "macro_f1",
    "weighted_f1": "weighted_f1",
    "log_loss": "log_loss",
    "brier": "brier",
    "one_vs_one_macro": "one_vs_one_macro",
}
WORDS = {
    "overall_accuracy": "accuracy",
    "macro_f1": "macro F1",
    "log_loss": "log loss",
    "one_vs_one_macro": "AUC 1v1",
}


@dataclass(frozen=True, slots=True, repr=False)
class TunedSettings(Result):
    """Settings tried of each model, those chosen for the winner, and the fits it took.

    `fits` is how many fits the choice of settings added, at most, to those of the comparison.
    """

    tried: Mapping[str, tuple[Setting, ...]]
    chosen: Setting | None
    fits: int

    @classmethod
    def of(cls, tried: Mapping[str, tuple[Setting, ...]], cv: CrossValidation, chosen: Race | None) -> Self:
        """The settings of a comparison, and the race of the winner if it was tuned."""
        fits = sum(race_fits(len(settings)) for settings in tried.values()) * len(cv.splits)
        return cls(dict(tried), None if chosen is None else chosen.setting, fits + (chosen.fits if chosen else 0))

    def words(self, winner: str) -> str:
        """What was chosen, among how many, by how many fits."""
        every = sum(map(len, self.tried.values()))
        budget = f"{every:,} settings of {len(self.tried):,} models took {self.fits:,} fits"
        if self.chosen is None:
            return f"Settings: {budget}; the {winner} has none."
        own = ", ".join(f"{name.rpartition('__')[2]} = {value}" for name, value in self.chosen.items())
        return f"Settings of {winner}: {own or 'the usual ones'}, of {len(self.tried[winner]):,} tried; {budget}."

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        tried = {name: [dict(setting) for setting in settings] for name, settings in self.tried.items()}
        return {"tried": tried, "chosen": None if self.chosen is None else dict(self.chosen), "fits": self.fits}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Learned(Tabular):
    """A model to deploy, its decision, and everything that led there.

    `nested` is each model's expected cost over folds at thresholds chosen on the rows each fold learns from, and
    `nested_choice` that of choosing the model there, too; `against` is the winner's cost minus that of each baseline.
    `test`, `test_cost` and `test_measures` judge the deployed model on unseen rows, costs and measures of a threshold
    at the condition's class mix. `labels` are those of the negative and the positive side, or all classes in order, of
    which none is `positive`. Curves are the winner's expected cost, None where they were not asked for or the rows do
    not allow them; so is `tuning`, the settings tried and chosen. `by_class` has the columns of the rows learnt from
    by class, to `plot`, and `redundant` the pairs that tell almost all of each other.
    """

    model: Any
    decision: Decision
    evaluation: ThresholdEvaluation | LeastCostEvaluation
    validation: CrossValidation
    nested: Mapping[str, Interval]
    nested_choice: Interval
    against: Mapping[str, Difference]
    test: ThresholdEvaluation | LeastCostEvaluation
    test_cost: Interval
    test_measures: Mapping[str, Interval]
    columns: ColumnTypes
    split: Split
    target: str
    positive: Any
    labels: tuple[Any, ...]
    learning_curve: LearningCurve | None
    feature_curve: FeatureCurve | None
    tuning: TunedSettings | None
    by_class: ColumnsDisplay | None
    redundant: tuple[RedundantPair, ...]
    cautions: tuple[Caution, ...]

    @property
    def beats_baselines(self) -> bool:
        """Whether the winner is cheaper than both baselines beyond doubt."""
        return self.decision.model not in (MAJORITY, ONE_FEATURE) and all(
            difference.verdict == "better" for difference in self.against.values()
        )

    def probabilities(self, data: Any) -> Floats:
        """The calibrated probability of the positive class, or of each, of each row."""
        return scores_of_model(self.model, features_of(data, self.columns), positive=self.positive)

    def calls(self, data: Any) -> Any:
        """Which rows the decision calls positive; of several classes, what it says."""
        return self.decision.apply(self.probabilities(data))

    def summary(self) -> str:
        """All models, the decision, the baselines, and the check on rows put aside."""
        head, *lines = self.table()
        sizes = self.split.sizes
        of_test = [f"{words} {number}" for words, number in self.test_words().items()]
        return "\n".join(
            [
                f"{sizes['train']:,} rows to learn {self.target!r} from, {sizes['test']:,} put aside.",
                "",
                text_table([head, *lines]),
                "",
                str(self.decision),
                choice_words(self),
                baseline_words(self),
                *([] if self.tuning is None else [self.tuning.words(self.decision.model)]),
                f"On the rows put aside its calls cost {self.test_cost} per case; {', '.join(of_test)}.",
                *curve_words(self),
                *(f"! {caution}" for caution in self.cautions),
            ]
        )

    def text(self, *, most: int = 30) -> str:
        """The winner as text, in the columns' own units.

        A tree and the one-feature rule are their questions, with calibrated probabilities and the decision's calls at
        the leaves; a linear model is a formula of calibrated log-odds. At most so many lines or terms are shown.
        """
        require_integer(most, name="most", least=1, fix="e.g. most=30")
        several = isinstance(self.evaluation, LeastCostEvaluation)

        def call(probability: Floats) -> list[str]:
            calls = self.decision.apply(probability)
            return [str(each) if several else str(self.labels[int(each)]) for each in calls]

        threshold = None if several else self.decision.threshold
        return model_text(self.model, call, labels=list(map(str, self.labels)), threshold=threshold, most=most)

    def estimates(self, name: str) -> dict[str, float]:
        """Measures of a model on rows that it has not learnt from."""
        if isinstance(self.evaluation, ThresholdEvaluation):
            return {"auc": self.evaluation[name].auc.estimate}
        confusion, segments = self.evaluation[name].confusion, self.evaluation[name].segments
        of_vectors = {"log_loss": float(log_loss(segments)), "brier": brier(segments)}
        of_vectors["one_vs_one_macro"] = segments.areas.one_vs_one_macro
        return {each: of_vectors.get(each, getattr(confusion, each, math.nan)) for each in OF_CLASSES}

    def test_words(self) -> dict[str, Interval]:
        """Measures of the test that the summary shows, by their words."""
        if isinstance(self.test, ThresholdEvaluation):
            return {"AUC": self.test[self.decision.model].auc}
        return {words: self.test_measures[name] for name, words in WORDS.items()}

    def table(self) -> list[list[str]]:
        """Every model's nested cost and measures, as texts below a head."""
        shown = ["auc"] if isinstance(self.evaluation, ThresholdEvaluation) else list(WORDS)
        head = ["model", "nested cost", *(WORDS.get(name, name) for name in shown)]
        rows = []
        for name, cost in self.nested.items():
            estimates = self.estimates(name)
            rows.append([name, limits_text(cost), *(number_text(estimates[each]) for each in shown)])
        return [head, *rows]

    def __str__(self) -> str:
        return self.summary()

    def _brief(self) -> str:
        return f"{self.decision.model} for {self.target!r}, test cost {self.test_cost}"

    def _columns(self) -> Mapping[str, Any]:
        columns = interval_columns(({"model": name}, cost) for name, cost in self.nested.items())
        estimates = [self.estimates(name) for name in self.nested]
        of_models = {each: [of[each] for of in estimates] for each in estimates[0]}
        return columns | of_models | {"chosen": [name == self.decision.model for name in self.nested]}


def measures_of(evaluation: LeastCostEvaluation, name: str) -> dict[str, Interval]:
    """The measures of a model of several classes."""
    numbers = evaluation[name].numbers
    return {measure: numbers[source] for measure, source in OF_CLASSES.items()}


def scores_of_model(model: Any, rows: Any, *, positive: Any) -> Floats:
    """Probabilities of the positive class, or, where none is, of every class."""
    probabilities = np.asarray(model.predict_proba(rows), dtype=np.float64)
    return probabilities if positive is None else probabilities[:, 1]


def choice_words(learned: Learned) -> str:
    """The cost to expect of a decision made this way."""
    costs = limits_text(learned.nested_choice)
    if learned.positive is None:
        return f"With the model chosen without the rows it is judged on, a case costs {costs}."
    return f"With model and threshold chosen without the rows they are judged on, a case costs {costs}."


def baseline_words(learned: Learned) -> str:
    """Whether the winner is worth its trouble."""
    winner = learned.decision.model
    if winner in (MAJORITY, ONE_FEATURE):
        cheaper = [name for name, cost in learned.nested.items() if cost.estimate < learned.nested[winner].estimate]
        verb = "costs" if len(cheaper) == 1 else "cost"
        doubt = f", though {' and '.join(cheaper)} {verb} less with nested choices" if cheaper else ""
        return f"No model beats the baselines beyond doubt: the {winner} itself is cheapest{doubt}."
    unbeaten = {name: difference for name, difference in learned.against.items() if difference.verdict != "better"}
    if not unbeaten:
        return f"{winner} beats both baselines, the {MAJORITY} and the {ONE_FEATURE}."
    names = []
    for name, costs in unbeaten.items():
        doubt = f"cost difference {interval_text(costs.difference, costs.lower, costs.upper)}"
        if np.isnan(costs.lower):
            doubt = f"the same cost difference in every fold, {number_text(costs.difference)}"
        names.append(f"the {name} ({doubt})")
    return f"{winner} does not beat {' and '.join(names)} beyond doubt."


def curve_words(learned: Learned) -> list[str]:
    """What more rows and what more features would bring, a sentence for each curve."""
    words = []
    if (rows := learned.learning_curve) is not None:
        more = "too little is known to say what more rows would bring"
        if rows.asymptote is not None:
            more = f"with ever more rows {limits_text(rows.asymptote)}"
        now = number_text(float(rows.validation.estimate[-1]))
        words.append(f"Learning curve: cost {now} with {rows.sizes[-1]:,} rows; {more}.")
    if (features := learned.feature_curve) is not None:
        best, simplest, sizes = features.best, features.simplest, features.sizes
        costs = dict(zip(sizes, map(number_text, features.validation.estimate.tolist()), strict=True))
        few = f"; {simplest:,} will do (cost {costs[simplest]})" if simplest < best else ""
        words.append(
            f"Feature curve: cost {costs[best]} with the best {best:,} of {sizes[-1]:,} prepared features{few}."
        )
    return words


def kind_words(learned: Learned) -> list[str]:
    """Which columns are of which kind, the first few by name."""
    kinds: dict[str, list[str]] = {}
    for each in learned.columns:
        kinds.setdefault(each.kind, []).append(each.name)
    return [
        f"{len(names):,} {kind}: {', '.join(names[:_NAMES_SHOWN])}"
        + (f" and {len(names) - _NAMES_SHOWN:,} more" if names[_NAMES_SHOWN:] else "")
        for kind, names in kinds.items()
    ]


def features_of(data: Any, columns: ColumnTypes) -> Any:
    """The columns that the model learns from, refused where some are not there."""
    table = frame(data)
    if absent := [name for name in columns.needed if name not in table.columns]:
        what = f"{len(absent)} of {len(columns.needed)} columns are not there: {', '.join(map(repr, absent[:8]))}"
        raise ColumnError(what, "give a table with the columns the model learnt from")
    return table[columns.needed]
