"""Words about baselines: said for the winner, for a doubtful one, and when a baseline wins."""

from types import SimpleNamespace
from typing import Any

from thresher.inference import Difference
from thresher.learning.workflow_words import baseline_words


def found(model, **against) -> Any:
    names = {"majority": "majority class", "rule": "one-feature rule"}
    differences = {
        names[name]: Difference(
            model, names[name], -0.1, low, high, 0.001, 0.01, level=0.95, method="corrected t", better="lower"
        )
        for name, (low, high) in against.items()
    }
    return SimpleNamespace(decision=SimpleNamespace(model=model), against=differences)


def test_a_clear_winner():
    words = baseline_words(found("tree", majority=(-0.2, -0.05), rule=(-0.2, -0.01)))
    assert words == "tree beats both baselines, the majority class and the one-feature rule."


def test_a_doubtful_winner_names_what_it_does_not_beat():
    words = baseline_words(found("tree", majority=(-0.2, -0.05), rule=(-0.2, 0.01)))
    assert words.startswith("tree does not beat the one-feature rule (cost difference −0.10 [−0.20, 0.01])")


def test_a_baseline_that_wins():
    assert "No model beats the baselines" in baseline_words(found("majority class", rule=(-0.2, 0.1)))


def test_costs_that_are_equal_in_every_fold():
    words = baseline_words(found("tree", majority=(float("nan"), float("nan")), rule=(-0.2, -0.05)))
    assert words == "tree does not beat the majority class (the same cost difference in every fold, −0.1) beyond doubt."
