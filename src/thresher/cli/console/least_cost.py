"""An evaluation of k classes in a terminal: the decision first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.panel import Panel
from rich.text import Text

from thresher._internal.text import plain_text
from thresher.cli.console.screen import Cell, cautions_text, heading, lines_text, name_text, table
from thresher.evaluation import LeastCostEvaluation, LeastCostModel
from thresher.evaluation.least_cost.model import LABELS
from thresher.evaluation.least_cost.rules import action_words
from thresher.evaluation.least_cost.summary import headline_lines, mark
from thresher.evaluation.summary import by_importance


def least_cost_blocks(evaluation: LeastCostEvaluation, *, title: str) -> Iterator[Any]:
    """Blocks to show: the decision, rules, models, classes, differences, cautions."""
    yield Text(plain_text(title), style="bold")
    yield from decision_and_rules(evaluation)
    yield [heading("Models", f"intervals at level {evaluation.level:g}"), _models(evaluation)]
    for name, model in evaluation.models.items():
        yield [heading("Classes", name), _classes(model), lines_text(str(model.confusion))]
    if evaluation.comparisons:
        yield [heading("Differences", "paired"), _differences(evaluation)]
        yield lines_text(str(evaluation.sensitivity))
    yield cautions_text(by_importance(evaluation.cautions))


def decision_and_rules(evaluation: LeastCostEvaluation) -> Iterator[Any]:
    """The headline, and every way to act with its cost."""
    first, *others = map(plain_text, headline_lines(evaluation))
    yield Panel(Text.assemble((first, "bold"), "\n", "\n".join(others)))
    yield [heading("Rules", "cost per case, on rows not chosen on"), _rules(evaluation)]


def _rules(evaluation: LeastCostEvaluation) -> Any:
    rows: list[list[Cell]] = [
        [plain_text(mark(evaluation, rule) + action_words(rule)), rule.cost, rule.saving or "–"]
        for rule in evaluation.rules.values()
    ]
    return table(["", "cost", "costs more by"], rows)


def _models(evaluation: LeastCostEvaluation) -> Any:
    numbers = {name: model.numbers for name, model in evaluation.models.items()}
    texts = dict.fromkeys(text for each in evaluation.quantities.values() for text in each)
    rows: list[list[Cell]] = [[label, *(each[key] for each in numbers.values())] for key, label in LABELS.items()]
    rows += [[plain_text(text), *(each[text] for each in evaluation.quantities.values())] for text in texts]
    return table(["", *map(plain_text, evaluation.models)], rows)


def _classes(model: LeastCostModel) -> Any:
    columns = model.rates.recall, model.rates.precision, model.rates.f1, model.auc.one_vs_rest
    rows: list[list[Cell]] = [[name_text(str(name)), *(of[name] for of in columns)] for name in model.classes]
    return table(["class", "recall", "precision", "F1", "AUC against the rest"], rows)


def _differences(evaluation: LeastCostEvaluation) -> Any:
    rows: list[list[Cell]] = [
        [plain_text(" - ".join(pair)), measure, one.interval, one.verdict]
        for measure, comparison in evaluation.comparisons.items()
        for pair, one in comparison.differences.items()
    ]
    return table(["pair", "measure", "difference", "verdict on the first"], rows, left=2)
