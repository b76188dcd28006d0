"""Two real models, one decision: which to deploy, at which threshold, when a miss costs ten false alarms."""

from __future__ import annotations

from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thresher as th

CONDITION = th.OperatingCondition(cost_fp=1, cost_fn=10)


def main() -> None:
    """Fit, evaluate, and say what to do."""
    malignant, scores = scored()
    evaluation = th.evaluate(malignant, scores, condition=CONDITION)
    print("Breast tumours (scikit-learn's data), half of them unseen by the models: is this one malignant?\n")
    print(evaluation)
    print("\nWho would win if a miss cost c false alarms:")
    for model, low, high in winners(evaluation.joint):
        print(f"  c from {low:>6.3g} to {high:<6.3g} {model}")
    ranking = evaluation[evaluation.decision.model].ranking
    half = CONDITION.expected_cost(th.contingency_at(ranking, 0.5))
    print(f"\nThe usual cut-off of 0.5 would cost {half:.4f} false alarms per tumour.")


def scored() -> tuple[Any, dict[str, Any]]:
    """The true classes of the test half, and both models' scores for it."""
    data = load_breast_cancer()
    malignant = data.target == 0
    train_x, test_x, train_y, test_y = train_test_split(
        data.data, malignant, test_size=0.5, random_state=0, stratify=malignant
    )
    models = {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
        "random forest": RandomForestClassifier(200, random_state=0),
    }
    return test_y, {name: model.fit(train_x, train_y).predict_proba(test_x)[:, 1] for name, model in models.items()}


def winners(joint: th.JointChoice) -> list[tuple[str, float, float]]:
    """Neighbouring ranges of cost ratios with the same winner, joined."""
    found: list[tuple[str, float, float]] = []
    for each in joint.ranges:
        name = each.rule if each.rule != "threshold" else " or ".join(each.models)
        low = each.low
        if found and found[-1][0] == name:
            low = found.pop()[1]
        found.append((name, low, each.high))
    return found


if __name__ == "__main__":
    main()
