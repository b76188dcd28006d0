"""What was learnt, and the features selected, in a terminal and as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from thresher._internal.text import plain_text
from thresher.cli.console.evaluation import decision_panel, rules_block
from thresher.cli.console.least_cost import decision_and_rules
from thresher.cli.console.screen import (
    BAD,
    FAINT,
    GOOD,
    MIND,
    cautions_text,
    heading,
    lines_text,
    number,
    table,
    written_text,
)
from thresher.cli.console.tables import CELLS, contingency_table, plain_number
from thresher.cli.learning import FeatureSelection, LeftOut
from thresher.evaluation import ThresholdEvaluation
from thresher.evaluation.least_cost.summary import mark as class_mark
from thresher.evaluation.summary import mark
from thresher.inputs.labels import listed
from thresher.learning import FeatureGain, Learned
from thresher.learning.learned import WORDS, baseline_words, choice_words, curve_words, kind_words

_CRITERIA = {"trace_ratio": "J = trace(S_B) / trace(S_W)", "hotelling_lawley": "trace(S_W⁻¹ S_B)"}
_RATES = {"tpr": "recall", "tnr": "specificity", "precision": "precision", "accuracy": "accuracy"}


def learned_summary(
    learnt: Learned, *, width: int, left_out: LeftOut, remarks: Sequence[str], written: Sequence[str]
) -> Iterator[Any]:
    """Blocks to show: the decision, models, baselines, untouched rows and curves."""
    yield _data(learnt, left_out)
    if isinstance(learnt.evaluation, ThresholdEvaluation):
        yield decision_panel(learnt.evaluation)
        yield rules_block(learnt.evaluation, width)
    else:
        yield from decision_and_rules(learnt.evaluation)
    yield _models(learnt)
    yield _untouched(learnt)
    if learnt.tuning is not None:
        yield [heading("Settings", ""), Text(plain_text(learnt.tuning.words(learnt.decision.model)))]
    if curves := curve_words(learnt):
        yield [heading("Curves", "cost per case"), *(Text(words) for words in curves)]
    yield [heading("Model", learnt.decision.model), *(Text(line) for line in learnt.text(most=20).split("\n"))]
    yield cautions_text(learnt.cautions)
    yield [Text.assemble(("! ", MIND), "scikit-learn: ", remark) for remark in remarks]
    yield written_text(written)


def plain_learned(
    learnt: Learned, *, left_out: LeftOut, remarks: Sequence[str], written: Sequence[str]
) -> dict[str, Any]:
    """The same as plain data."""
    sizes = learnt.split.sizes
    return {
        "target": learnt.target,
        "positive": _plain(learnt.positive),
        "labels": [_plain(label) for label in learnt.labels],
        "rows": dict(sizes),
        "columns": learnt.columns.to_dict()["columns"],
        "decision": learnt.decision.to_dict(),
        "models": {
            name: {"nested_cost": cost.to_dict(), **_model_measures(learnt, name)}
            for name, cost in learnt.nested.items()
        },
        "nested_choice": learnt.nested_choice.to_dict(),
        "against": {
            name: {
                **{each: _finite(getattr(one, each)) for each in ("difference", "lower", "upper", "p_value")},
                "verdict": one.verdict,
            }
            for name, one in learnt.against.items()
        },
        "beats_baselines": learnt.beats_baselines,
        "verdict": baseline_words(learnt),
        "text": learnt.text(),
        "test": {"cost": learnt.test_cost.to_dict(), **_test_data(learnt)},
        "learning_curve": None if learnt.learning_curve is None else learnt.learning_curve.to_dict(),
        "feature_curve": None if learnt.feature_curve is None else learnt.feature_curve.to_dict(),
        "tuning": None if learnt.tuning is None else learnt.tuning.to_dict(),
        "cautions": [caution.to_dict() for caution in learnt.cautions],
        "dropped": left_out.incomplete,
        "duplicates": left_out.duplicates,
        "warnings": remarks,
        "written": written,
    }


def _model_measures(learnt: Learned, name: str) -> dict[str, Any]:
    if isinstance(learnt.evaluation, ThresholdEvaluation):
        return {"auc": learnt.evaluation[name].auc.to_dict()}
    return {measure: _finite(value) for measure, value in learnt.estimates(name).items()}


def _test_data(learnt: Learned) -> dict[str, Any]:
    winner = learnt.decision.model
    if not isinstance(learnt.test, ThresholdEvaluation):
        measures = {name: number.to_dict() for name, number in learnt.test_measures.items()}
        return {"measures": measures, "confusion": learnt.test[winner].confusion.to_dict()}
    test = learnt.test[winner]
    cells = None if test.predictions is None else {cell: int(getattr(test.predictions, cell)) for cell in CELLS}
    measures = {name: learnt.test_measures[name].to_dict() for name in _RATES}
    return {"auc": test.auc.to_dict(), "measures": measures, "table": cells}


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _data(learnt: Learned, left_out: LeftOut) -> Text:
    sizes = learnt.split.sizes
    goal = f" = {plain_text(learnt.positive)}"
    if learnt.positive is None:
        goal = f": {plain_text(listed(learnt.labels))}"
    text = Text.assemble((f"{plain_text(learnt.target)}{goal}", "bold"), "\n")
    text.append(f"{sizes['train']:,} rows to learn from, {sizes['test']:,} put aside ({learnt.split.how})")
    if left_out.incomplete:
        text.append(f"; {left_out.incomplete:,} dropped for missing values", style="bold")
    if left_out.duplicates:
        text.append(f"; {left_out.duplicates:,} equal to an earlier one dropped", style="bold")
    for line in kind_words(learnt):
        kind, _, names = line.partition(": ")
        text.append(f"\n{kind}: ", style="").append(plain_text(names), style=FAINT)
    return text


def _models(learnt: Learned) -> list[Any]:
    lines: list[tuple[Any, ...]] = []
    evaluation, heads, way = learnt.evaluation, ["AUC"], "at thresholds chosen without the rows judged"
    for name, cost in learnt.nested.items():
        if isinstance(evaluation, ThresholdEvaluation):
            dot = mark(evaluation, evaluation.rules[name]) or "  "
            measures: list[Any] = [evaluation[name].auc]
        else:
            dot, estimates = class_mark(evaluation, evaluation.rules[name]), learnt.estimates(name)
            heads, way = list(WORDS.values()), "of the actions of least expected cost"
            measures = [number(estimates[each]) for each in WORDS]
        difference = learnt.against[name].interval if name in learnt.against else ""
        lines.append((Text(dot + plain_text(name)), cost, *measures, difference))
    return [
        heading("Models", f"cost per case {way}"),
        table(("", "nested cost", *heads, "winner minus baseline"), lines),
        Text(choice_words(learnt)),
        Text(plain_text(baseline_words(learnt)), style=GOOD if learnt.beats_baselines else BAD),
    ]


def _untouched(learnt: Learned) -> list[Any]:
    """What the deployed model did on rows that nothing had seen."""
    if not isinstance(learnt.test, ThresholdEvaluation):
        measures = [(name.replace("_", " "), number) for name, number in learnt.test_measures.items()]
        return [
            _untouched_heading(learnt),
            lines_text(str(learnt.test[learnt.decision.model].confusion)),
            Text(),
            table(("", "estimate"), [("cost per case", learnt.test_cost), *measures]),
        ]
    test = learnt.test[learnt.decision.model]
    lines = [("cost per case", learnt.test_cost), ("AUC", test.auc)]
    blocks: list[Any] = [_untouched_heading(learnt)]
    if test.predictions is not None:
        blocks += [contingency_table(test.predictions), Text()]
        lines += [(words, learnt.test_measures[name]) for name, words in _RATES.items()]
    return [*blocks, table(("measure", "estimate"), lines)]


def _untouched_heading(learnt: Learned) -> Any:
    return heading("On the rows put aside", f"{learnt.split.sizes['test']:,} rows that nothing had seen")


def feature_blocks(features: FeatureSelection) -> Iterator[Any]:
    """Blocks to show: the features selected, the criterion, and columns left out."""
    chosen, scatter = features.selection, features.scatter
    sizes = [f"{count:,} {plain_text(name)}" for name, count in zip(scatter.classes, scatter.counts, strict=True)]
    rows = Text(f"{scatter.N:,} rows: {', '.join(sizes)}")
    if features.dropped:
        rows.append(f"; {features.dropped:,} dropped for missing values", style="bold")
    yield rows
    columns = (each[chosen.features].tolist() for each in (scatter.between, scatter.within, scatter.scores))
    lines = list(zip(chosen.names, *columns, strict=True))
    size, of = len(chosen.names), len(scatter.names)
    some = heading(f"{size:,} of {of:,} features", f"{chosen.search} search")
    yield [some, table(("", "between", "within", "J alone"), lines)]
    together = Text.assemble(f"{_CRITERIA[chosen.criterion]} of these together: ", (number(chosen.value), "bold"))
    if chosen.criterion == "trace_ratio":
        together.append(f"; of all {of:,} features: {number(scatter.J)}", style=FAINT)
    yield together
    if features.left_out:
        others = ", ".join(f"{plain_text(name)} ({kind})" for name, kind in features.left_out.items())
        yield Text(f"Not looked at: {others}", style=FAINT)


def gain_blocks(gain: FeatureGain) -> Iterator[Any]:
    """Blocks to show: the measure with and without, and their difference."""
    lines = [("with", gain.with_features), ("without", gain.without), ("difference", gain.difference.interval)]
    title = heading(f"Does {plain_text(listed(gain.features))} help?", f"{gain.model}, {gain.folds:,} folds")
    yield [title, table(("", gain.measure.replace("_", " ")), lines)]
    yield Text(plain_text(str(gain)), style=GOOD if gain.helps else "")


def plain_features(features: FeatureSelection) -> dict[str, Any]:
    """The same as plain data."""
    chosen, scatter = features.selection, features.scatter
    return {
        "rows": scatter.N,
        "dropped": features.dropped,
        "classes": {str(name): int(count) for name, count in zip(scatter.classes, scatter.counts, strict=True)},
        "search": chosen.search,
        "criterion": chosen.criterion,
        "value": plain_number(chosen.value),
        "features": list(chosen.names),
        "scores": {name: plain_number(score) for name, score in zip(scatter.names, scatter.scores, strict=True)},
        "steps": [plain_number(step) for step in chosen.steps],
        "left_out": dict(features.left_out),
    }
