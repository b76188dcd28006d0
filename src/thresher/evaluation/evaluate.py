"""`evaluate`: from labels and scores to the decision, everything computed once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np

from thresher._internal.arguments import require_level
from thresher._internal.text import visible_lines
from thresher.choices import JointChoice, choose
from thresher.errors import ArgumentError, argument
from thresher.evaluation.cautions import data_cautions, equal_costs, no_saving, uncertain_winner
from thresher.evaluation.decision import decide
from thresher.evaluation.least_cost.evaluation import LeastCostEvaluation, evaluate_vectors
from thresher.evaluation.model import ModelEvaluation, require_prevalence
from thresher.evaluation.quantities import answer, parse_quantities
from thresher.evaluation.results import Evaluation
from thresher.evaluation.rows import Asked, EvaluatedRows, evaluated_rows
from thresher.evaluation.rules import FixedRule, Pick, Rule, fixed_rules, parse_prefer, pick, price_rules, rule_in_use
from thresher.evaluation.summary import summary_text
from thresher.inference import Comparison, compare
from thresher.inference.bootstrap.draws import require_replicates
from thresher.inference.class_rows import holds_matrices, positive_columns, require_of_vectors
from thresher.inference.comparison.comparison import MOST_IN_PAIRS, Pairing
from thresher.inference.comparison.difference import require_margin
from thresher.inference.decision.stability import Stability, decision_stability, least_cost, out_of_bag_interval
from thresher.inference.rows import ScoredRows
from thresher.inputs.columns import Missing
from thresher.tables import OperatingCondition, contingency

MOST_SHOWN = 20  # models in tables and on the page


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ThresholdEvaluation(Evaluation[ModelEvaluation]):
    """An evaluation of two classes, which decides for a threshold on scores.

    Beyond what every `Evaluation` has, `joint` is the choice among models, `stability` what resampling does to it,
    `scored` are the rows behind it all, and `positive` and `negative` their two labels. Rules that need no decision are
    "never", "always", "0.5" and "current".

    It keeps a copy of the rows, because most numbers are computed from them when they are first read.
    """

    joint: JointChoice
    stability: Stability
    rules: Mapping[str, Rule]
    scored: ScoredRows
    positive: Any
    negative: Any

    @cached_property
    def comparison(self) -> Comparison | None:
        """The paired differences in AUC; None for one model.

        Beyond 20 models, those between the model of the decision and each of the others, unless `against=` asked.
        """
        rows, against = self.scored, self.against
        if len(rows.scores) == 1:
            return None
        if against is None and len(rows.scores) > MOST_IN_PAIRS:
            against = self.decision.model
        sampled: Any = {"weights": rows.weight, "clusters": rows.cluster}
        return compare(rows.positive, rows.scores, **sampled, level=self.level, against=against)

    def shortlist(self) -> ThresholdEvaluation:
        """The same with the 20 cheapest models, which is what text and page show.

        It has all models where there are no more; the model of the decision and the one in use are always there.
        """
        if len(self.models) <= MOST_SHOWN:
            return self
        in_use = [rule.model for rule in self.rules.values() if rule.model is not None and rule.name not in self.models]
        first = [name for name in (self.decision.model, *in_use) if name in self.models]
        by_cost = sorted(self.models, key=lambda name: self.models[name].expected_cost.estimate)
        names = sorted(list(dict.fromkeys([*first, *by_cost]))[:MOST_SHOWN], key=by_cost.index)
        short = replace(
            self,
            models={name: self.models[name] for name in names},
            rules={name: rule for name, rule in self.rules.items() if name in names or name not in self.models},
            savings={name: self.savings[name] for name in names},
            quantities={name: each for name, each in self.quantities.items() if name in names},
        )
        comparison = self.comparison
        short.__dict__["comparison"] = None if comparison is None else comparison.among(names)
        return short

    @property
    def classes(self) -> tuple[Any, ...]:
        """The two labels, the positive one last."""
        return self.negative, self.positive

    @property
    def comparisons(self) -> Mapping[str, Comparison]:
        """The paired differences in AUC, under "auc"; none for one model."""
        return {} if self.comparison is None else {"auc": self.comparison}

    def summary(self) -> str:
        """All models with their intervals, the decision, and the cautions."""
        return visible_lines(summary_text(self.shortlist()))

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain data."""
        differences = () if self.comparison is None else self.comparison.differences.values()
        return super().to_dict() | {
            "comparison": [one.to_dict() for one in differences],
            "against": None if self.comparison is None else self.comparison.against,
            "ranges": [
                {"low": each.low, "high": "inf" if math.isinf(each.high) else each.high}
                | {"models": list(each.models), "rule": each.rule}
                for each in self.joint.ranges
            ],
            "stability": {
                "replicates": self.stability.replicates,
                "wins": dict(self.stability.wins),
                "cost_ratio": self.stability.cost_ratio.tolist(),
                "wins_at": {name: shares.tolist() for name, shares in self.stability.wins_at.items()},
            },
        }

    def widget(self) -> Any:
        """The page as a live notebook widget; needs the extra `widget`."""
        from thresher.report.widget import widget

        return widget(self)

    def _brief(self) -> str:
        several, decision = f"{len(self.models):,} models", self.decision
        names = ", ".join(self.models) if len(self.models) <= MOST_SHOWN else several
        return f"{names}; {self.rows:,} rows; use {decision.model} at {decision.threshold:g}"


@overload
def evaluate(
    labels: Any,
    scores: Any,
    *,
    positive: None = ...,
    classes: Sequence[Any],
    other: Any = ...,
    fit: Literal["weights"] | None = ...,
    condition: OperatingCondition | None = ...,
    predictions: Any = ...,
    weights: Any = ...,
    clusters: Any = ...,
    trained_at: Mapping[Any, float] | None = ...,
    measures: Sequence[str] = ...,
    level: float = ...,
    current: Any = ...,
    prefer: Any = ...,
    margin: float = ...,
    against: str | None = ...,
    replicates: int = ...,
    seed: int = ...,
    missing: Missing = ...,
) -> LeastCostEvaluation: ...
@overload
def evaluate(
    labels: Any,
    scores: Any,
    *,
    positive: Any = ...,
    classes: Sequence[Any] | None = ...,
    condition: OperatingCondition | None = ...,
    predictions: Any = ...,
    weights: Any = ...,
    clusters: Any = ...,
    trained_at: float | None = ...,
    measures: Sequence[str] = ...,
    level: float = ...,
    current: Any = ...,
    prefer: Any = ...,
    margin: float = ...,
    against: str | None = ...,
    replicates: int = ...,
    seed: int = ...,
    missing: Missing = ...,
) -> ThresholdEvaluation: ...
def evaluate(
    labels: Any,
    scores: Any,
    *,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    other: Any = None,
    fit: Literal["weights"] | None = None,
    condition: OperatingCondition | None = None,
    predictions: Any = None,
    weights: Any = None,
    clusters: Any = None,
    trained_at: float | Mapping[Any, float] | None = None,
    measures: Sequence[str] = (),
    level: float = 0.95,
    current: Any = None,
    prefer: Any = None,
    margin: float = 0.0,
    against: str | None = None,
    replicates: int = 500,
    seed: int = 0,
    missing: Missing = "raise",
) -> ThresholdEvaluation | LeastCostEvaluation:
    """Evaluate models on the same rows and decide which to deploy, and how.

    Columns of scores are of two classes, and the decision is a threshold. Matrices of probabilities, with `classes`,
    are of k classes, and the decision is the action of least expected cost. A matrix of two columns with `positive`
    is read as the column of that class.

    Parameters
    ----------
    labels
        Booleans, 0/1, or any two labels together with `positive`; of k classes, one of `classes` per row.
    scores
        One column of scores, a mapping of model names to columns, or a frame with a column per model. Of k classes, a
        matrix with a column per class, or a mapping of model names to matrices.
    positive
        The positive label; needed unless labels are bool or 0/1.
    classes
        The class of each column of a matrix, in their order, such as `model.classes_`; a frame's columns are found
        by these names.
    other
        The class that labels not among `classes` count as; without it they are refused.
    fit
        Of k classes, "weights" also fits a weight per class for the model decided for, and prices that on rows not
        fitted on, in ten folds (fewer where a class has fewer cases). The decision takes them where they are surely
        cheaper there, by more than `margin`. Without it nothing is fitted.
    condition
        Costs and class mix at deployment; without it errors cost the same and the class mix is the data's.
    measures
        Further quantities of every model, such as "partial_auc[fpr<=0.1]", "net_benefit@0.05" or
        "specificity@recall>=0.9" (of k classes "macro_f1" or 'recall["cat"]'), each with its limits under `quantities`.
    predictions
        The models' own predicted labels, one column, a mapping or a frame; they are reported as well, never instead.
    weights, clusters
        Sampling weights, and what rows belong together (patients, users); intervals and resampling respect them.
    trained_at
        The prevalence (of k classes, the share of each) that probabilities were made for, where it is not that of the
        rows. They are restated from it, to the declared class mix or that of the rows, before they are read as
        probabilities.
    level
        Of all intervals.
    current
        The rule in use, priced as the others are: a column of its calls (labels or booleans), a `Decision`, or of two
        classes {model: threshold}, or a threshold when there is one model.
    prefer
        Which of the models that may be best is taken: "first" (as given), "current" (the model in use), a model's name
        or names in order. Without it the cheapest is.
    margin
        Differences in cost per case within this margin are practically none.
    against
        "all" compares every pair of models, a model's name that model with each of the others. Without it every pair
        of up to 20 models is compared, and beyond that the model of the decision with each.
    replicates, seed
        Of the resampling that says how sure the choice among models is.
    missing
        "raise" refuses missing values; "drop" leaves those rows out and counts them.

    Examples
    --------
    >>> labels = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]
    >>> tree = [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13]
    >>> result = evaluate(labels, {"tree": tree}, condition=OperatingCondition(cost_ratio=2))
    >>> result
    Evaluation(tree; 10 rows; use tree at 0.28)
    >>> print(result["tree"].auc)
    0.7500 [0.2748, 0.9596]
    >>> animals = ["cat", "dog", "cow", "cat", "dog", "cow"]
    >>> matrix = [[.7, .1, .2], [.1, .7, .2], [.2, .2, .6], [.4, .1, .5], [.2, .6, .2], [.3, .3, .4]]
    >>> several = evaluate(animals, {"forest": matrix}, classes=["cat", "dog", "cow"])
    >>> several
    Evaluation(forest; 6 rows; use forest, least expected cost of 'cat', 'dog' and 'cow')
    >>> several.decision.apply([[.5, .3, .2]])
    array(['cat'], dtype='<U3')
    """
    require_level(level)
    require_replicates(replicates, seed, None)
    require_margin(margin)
    asked = Asked(
        condition=condition,
        predictions=predictions,
        weights=weights,
        clusters=clusters,
        trained_at=trained_at,
        measures=measures,
        level=level,
        current=current,
        prefer=prefer,
        margin=margin,
        against=against,
        replicates=replicates,
        seed=seed,
        missing=missing,
    )
    if classes is not None and positive is None:
        return evaluate_vectors(labels, scores, asked, classes=classes, other=other, fit=fit)
    if classes is None and holds_matrices(scores):
        what = "scores are matrices of probabilities, and nothing says which class each column is of"
        fix = f"pass {argument('classes', ...)} with the class of each column, such as model.classes_"
        raise ArgumentError(what, fix, parameter="classes")
    if classes is not None and getattr(condition, "costs", None) is not None:
        what = f"both {argument('positive')} and costs of named classes are given"
        raise ArgumentError(what, "give costs of a miss and a false alarm, or leave positive out", parameter="positive")
    require_of_vectors({"other": other, "fit": fit})
    return _evaluate_scores(
        labels, scores if classes is None else positive_columns(scores, classes, positive), asked, positive=positive
    )


def _evaluate_scores(labels: Any, scores: Any, asked: Asked, *, positive: Any) -> ThresholdEvaluation:
    """Evaluate scores of two classes."""
    require_prevalence(asked.trained_at)
    wanted = parse_quantities(asked.measures)
    rows = evaluated_rows(labels, scores, asked, positive=positive)
    rows.scored.require_two_clusters()
    Pairing.of(asked.against, tuple(rows.scored.models), "higher")  # refuses what is no model
    in_use = rule_in_use(asked.current, rows.current, rows.scored.scores)
    preference = parse_prefer(asked.prefer, rows.scored.models, None if in_use is None else in_use.model)
    fixed = fixed_rules(rows, in_use)
    joint = choose(rows.rankings, rows.condition)
    stability = _resample(rows, joint, fixed, replicates=asked.replicates, seed=asked.seed)
    on_data = {name: choice.expected_cost for name, choice in joint.choices.items()}
    drawn, level, margin = stability.resamples, asked.level, asked.margin
    picked = pick(on_data, joint.tied, drawn, level=level, margin=margin, preference=preference)
    evaluation = _assemble(rows, asked, joint, stability, picked, fixed=fixed)
    quantities = {
        name: {text: answer(evaluation, name, one, asked.replicates).interval for text, one in wanted.items()}
        for name in (joint.choices if wanted else ())
    }
    return replace(evaluation, quantities=quantities)


def _resample(
    rows: EvaluatedRows, joint: JointChoice, fixed: Mapping[str, FixedRule], *, replicates: int, seed: int
) -> Stability:
    """What resampling does to the choice, and what fixed rules cost there."""
    scored = rows.scored
    return decision_stability(
        scored.positive,
        {name: score.astype(np.float64) for name, score in scored.scores.items()},
        rows.rankings,
        rows.condition,
        weights=scored.weight,
        clusters=scored.cluster,
        level=rows.level,
        replicates=replicates,
        seed=seed,
        choices=joint.choices,
        calls={name: rule.calls for name, rule in fixed.items()},
    )


def _models(rows: EvaluatedRows, joint: JointChoice, stability: Stability) -> dict[str, ModelEvaluation]:
    """Each model's part, whose numbers are computed when they are asked for."""
    scored, predicted = rows.scored, rows.predictions.items()
    tables = {name: contingency(scored.positive, calls, weights=scored.weight) for name, calls in predicted}
    return {
        name: ModelEvaluation(
            name=name,
            ranking=rows.rankings[name],
            choice=choice,
            out_of_bag_cost=stability.out_of_bag_cost[name],
            threshold=stability.threshold[name],
            predictions=tables.get(name),
            ks_gain=stability.ks_gain[name],
            rows=rows,
        )
        for name, choice in joint.choices.items()
    }


def _assemble(
    rows: EvaluatedRows,
    asked: Asked,
    joint: JointChoice,
    stability: Stability,
    picked: Pick,
    *,
    fixed: Mapping[str, FixedRule],
) -> ThresholdEvaluation:
    """Price the rules, and put the models, the decision and the cautions together."""
    models, scored, drawn = _models(rows, joint, stability), rows.scored, stability.resamples
    winner = models[picked.model]
    least = least_cost(rows.condition)
    cost = out_of_bag_interval(picked.out_of_bag, winner.expected_cost, least, drawn.at_choice[winner.name])
    costs = {**stability.out_of_bag_cost, winner.name: cost}
    priced = price_rules(rows, joint.choices, costs, drawn, model=winner.name, fixed=fixed)
    label = scored.columns["labels"]
    return ThresholdEvaluation(
        models=models,
        condition=rows.condition,
        joint=joint,
        stability=stability,
        decision=decide(
            joint,
            winner.name,
            condition=rows.condition,
            trained_at=rows.made_at,
            expected_cost=winner.expected_cost,
            out_of_bag_cost=priced.rules[winner.name].cost,
            interval=winner.threshold,
            baseline=priced.baseline,
            saving=priced.savings[winner.name],
            why=picked.why,
            may_be_best=picked.may_be_best,
            wins=stability.wins[winner.name],
            calibration=winner.calibration.to_dict(),
            fingerprint=rows.fingerprint(),
        ),
        cautions=(
            *winner.choice.cautions,
            *(caution for caution in joint.cautions if caution.code == "tied-models"),
            *equal_costs(asked.condition),
            *data_cautions(rows),
            *uncertain_winner(picked.may_be_best, stability.wins, rows.level),
            *no_saving(priced.rules),
        ),
        rows=len(scored),
        dropped=scored.dropped,
        level=rows.level,
        seed=asked.seed,
        scored=scored,
        positive=label[np.argmax(scored.positive)],
        negative=label[np.argmin(scored.positive)],
        rules=priced.rules,
        baseline=priced.baseline,
        savings=priced.savings,
        may_be_best=picked.may_be_best,
        against=asked.against,
    )
