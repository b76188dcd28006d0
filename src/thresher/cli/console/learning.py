"""What was learnt, in a terminal and as plain data: the decision, the models, the baselines, the untouched rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from thresher._internal.text import plain_text
from thresher.cli.console.evaluation import contingency_table, decision_panel, rules_block
from thresher.cli.console.screen import BAD, FAINT, GOOD, MIND, cautions_text, heading, interval_text, name_text, table
from thresher.evaluation.summary import mark
from thresher.learning import Learned
from thresher.learning.learn import baseline_words, choice_words, curve_words, kind_words

_CELLS = ("tp", "fn", "fp", "tn")
_RATES = {"tpr": "recall", "tnr": "specificity", "precision": "precision", "accuracy": "accuracy"}


def learned_summary(
    found: Learned, *, width: int, dropped: int, remarks: Sequence[str], written: Sequence[str]
) -> Iterator[Any]:
    """Blocks to show: data, decision, models, baselines, untouched rows, curves, cautions, files."""
    yield _data(found, dropped)
    yield decision_panel(found.evaluation)
    yield rules_block(found.evaluation, width)
    yield [
        heading("Models", "cost per case at thresholds chosen without the rows judged"),
        _models(found),
        *_verdict(found),
    ]
    yield _untouched(found)
    if told := curve_words(found):
        yield [heading("Curves", "cost per case"), *(Text(words) for words in told)]
    yield cautions_text(found.cautions)
    yield [Text.assemble(("! ", MIND), "scikit-learn: ", remark) for remark in remarks]
    yield [Text.assemble(("wrote ", "bold"), plain_text(path)) for path in written]


def plain_learned(found: Learned) -> dict[str, Any]:
    """The same as plain data."""
    winner, sizes = found.decision.model, found.split.sizes
    test = found.test[winner]
    return {
        "target": found.target,
        "positive": found.positive.item() if hasattr(found.positive, "item") else found.positive,
        "rows": dict(sizes),
        "columns": found.columns.to_dict()["columns"],
        "decision": found.decision.to_dict(),
        "models": {
            name: {"nested_cost": cost.to_dict(), "auc": found.evaluation[name].auc.to_dict()}
            for name, cost in found.nested.items()
        },
        "nested_choice": found.nested_choice.to_dict(),
        "against": {
            name: {
                "difference": _plain(one.difference),
                "lower": _plain(one.lower),
                "upper": _plain(one.upper),
                "p_value": _plain(one.p_value),
                "verdict": one.verdict,
            }
            for name, one in found.against.items()
        },
        "beats_baselines": found.beats_baselines,
        "verdict": baseline_words(found),
        "test": {
            "cost": found.test_cost.to_dict(),
            "auc": test.auc.to_dict(),
            "measures": {name: found.test_measures[name].to_dict() for name in _RATES},
            "table": None if test.given is None else {cell: int(getattr(test.given, cell)) for cell in _CELLS},
        },
        "learning_curve": None if found.learning_curve is None else found.learning_curve.to_dict(),
        "feature_curve": None if found.feature_curve is None else found.feature_curve.to_dict(),
        "cautions": [{"code": caution.code, "text": caution.text} for caution in found.cautions],
    }


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _data(found: Learned, dropped: int) -> Text:
    sizes = found.split.sizes
    text = Text.assemble((f"{plain_text(found.target)} = {plain_text(found.positive)}", "bold"), "\n")
    text.append(f"{sizes['train']:,} rows to learn from, {sizes['test']:,} put aside ({found.split.how})")
    if dropped:
        text.append(f"; {dropped:,} dropped for missing values", style="bold")
    for line in kind_words(found):
        kind, _, names = line.partition(": ")
        text.append(f"\n{kind}: ", style="").append(plain_text(names), style=FAINT)
    return text


def _models(found: Learned) -> Table:
    lines = []
    for name, cost in found.nested.items():
        dot = mark(found.evaluation, found.evaluation.rules[name]) or "  "
        against = found.against.get(name)
        said = Text("") if against is None else interval_text(against.interval)
        named, area = Text(dot).append(name_text(name)), interval_text(found.evaluation[name].auc)
        lines.append((named, interval_text(cost), area, said))
    return table(("", "nested cost", "AUC", "winner minus baseline"), lines)


def _verdict(found: Learned) -> tuple[Text, Text]:
    words = baseline_words(found)
    return Text(choice_words(found)), Text(plain_text(words), style=GOOD if found.beats_baselines else BAD)


def _untouched(found: Learned) -> list[Any]:
    """The honest figures: what the deployed model did on rows that nothing had seen."""
    test = found.test[found.decision.model]
    lines = [("cost per case", interval_text(found.test_cost)), ("AUC", interval_text(test.auc))]
    blocks: list[Any] = [heading("On the rows put aside", f"{found.split.sizes['test']:,} rows that nothing had seen")]
    if test.given is not None:
        blocks += [contingency_table(test.given), Text()]
        lines += [(words, interval_text(found.test_measures[name])) for name, words in _RATES.items()]
    return [*blocks, table(("measure", "estimate"), lines)]
