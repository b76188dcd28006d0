"""Two real models, one decision: which to deploy, at which threshold, when a miss costs ten false alarms."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thresher as th

CONDITION = th.OperatingCondition(cost_fp=1, cost_fn=10)


def main() -> None:
    """Fit, rank, and say what to do."""
    rankings = scored()
    joint = th.joint_choice(rankings, CONDITION)
    Pos, Neg = next((r.Pos, r.Neg) for r in rankings.values())
    print("Breast tumours (scikit-learn's data): is this one malignant?")
    print(f"{Pos + Neg} tumours the models have not seen: {Pos} malignant (+), {Neg} benign (-).")
    print(f"Condition: {CONDITION}\n")
    print(summary(rankings, joint))
    print(f"\nThe answer: use {joint.model}, and call a tumour malignant when its score is >= {joint.threshold:.4g}.\n")
    print(joint.choice.table)
    cost = joint.expected_cost
    print(f"\nIt costs {cost:.4f} false alarms per tumour; any threshold in ({interval(joint.choice)}] does the same.")
    always = CONDITION.expected_cost(th.Contingency(tp=Pos, fn=0, fp=Neg, tn=0))
    print(f"Calling everything malignant would cost {always:.4f}, the cut-off 0.5 {half(rankings[joint.model]):.4f}.")
    if joint.runner_up is not None:
        print(f"Runner-up: {joint.runner_up}, {joint.gap:.4f} more per tumour.")
    print("\nWho wins when a miss costs c false alarms:")
    for model, low, high in winners(joint):
        print(f"  c from {low:>6.3g} to {high:<6.3g} {model}")
    print("\nWhat a careful analyst would add:")
    for caution in joint.cautions:
        print(f"  {caution}")


def scored() -> dict[str, th.Ranking]:
    """Both models' scores for the test half, as rankings."""
    data = load_breast_cancer()
    malignant = data.target == 0
    train_x, test_x, train_y, test_y = train_test_split(
        data.data, malignant, test_size=0.5, random_state=0, stratify=malignant
    )
    models = {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
        "random forest": RandomForestClassifier(200, random_state=0),
    }
    return {
        name: th.rank(test_y, model.fit(train_x, train_y).predict_proba(test_x)[:, 1]) for name, model in models.items()
    }


def summary(rankings: Mapping[str, th.Ranking], joint: th.JointChoice) -> str:
    """A line per model: how it ranks, how well its probabilities are calibrated, and its best threshold."""
    lines = [f"{'':22}{'AUC':>8}{'avg.prec.':>11}{'Brier':>8}{'miscal.':>9}{'threshold':>12}{'cost':>8}"]
    for name, ranking in rankings.items():
        parts, choice = th.decomposition(ranking, segments="hull"), joint.choices[name]
        lines.append(
            f"{name:22}{th.auc(ranking):8.4f}{th.average_precision(ranking):11.4f}{parts.brier:8.4f}"
            f"{parts.miscalibration:9.4f}{choice.threshold:12.4g}{choice.expected_cost:8.4f}"
        )
    return "\n".join(lines)


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


def interval(choice: th.Choice) -> str:
    """The thresholds equivalent to the chosen one."""
    return ", ".join(f"{end:.4g}" if math.isfinite(end) else str(end) for end in choice.interval)


def half(ranking: th.Ranking) -> float:
    """What the usual cut-off at 0.5 costs."""
    return float(CONDITION.expected_cost(th.contingency_at(ranking, 0.5)))


if __name__ == "__main__":
    main()
