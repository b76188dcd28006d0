"""Whether the best model is among those that may be best, and decisions cost and save what they say, by simulation.

`python -m benchmarks.doubt [RUNS]` draws normal scores of correlated models, whose true costs are known, and prints
per design: how often the best model is in the set and how large that is; the bias of the decision's cost out of bag,
also with the model taken as given; how often the limits of the decision's cost and saving hold. The tables in
docs/evaluation.md are those of 1,000 runs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from scipy.stats import norm

import thresher as th

PREVALENCE, COST_RATIO, CORRELATION = 0.3, 3, 0.5
DESIGNS: tuple[tuple[int, Sequence[float]], ...] = (
    (60, (1.5, 1.4)),
    (60, (1.5, 1.4, 1.4)),
    (60, (1.5,) + (1.4,) * 9),
    (200, (1.5,) * 3),
    (200, (1.5,) * 10),
    (500, (1.5,) * 3),
    (500, (1.5,) * 10),
)


def true_cost(shift: float, threshold: float) -> float:
    """Expected cost of calling normal scores positive from a threshold on; positives score `shift` higher."""
    return float(PREVALENCE * COST_RATIO * norm.cdf(threshold - shift) + (1 - PREVALENCE) * norm.sf(threshold))


def study(rows: int, shifts: Sequence[float], runs: int) -> str:
    """One line of the study; the first model is the best, or one of equals."""
    rng = np.random.default_rng(7)
    condition = th.OperatingCondition(cost_ratio=COST_RATIO)
    without = {"never": PREVALENCE * COST_RATIO, "always": 1 - PREVALENCE}
    results = []
    for seed in range(runs):
        labels = rng.random(rows) < PREVALENCE
        if not 2 <= labels.sum() <= rows - 2:
            continue
        common = np.sqrt(CORRELATION) * rng.normal(size=rows)
        scores = {
            f"m{i}": common + np.sqrt(1 - CORRELATION) * rng.normal(size=rows) + shift * labels
            for i, shift in enumerate(shifts)
        }
        evaluation = th.evaluate(labels, scores, condition=condition, replicates=200, seed=seed)
        decision = evaluation.decision
        truth = true_cost(shifts[int(decision.model[1:])], decision.threshold)
        results.append(
            (
                "m0" in evaluation.may_be_best,
                len(evaluation.may_be_best),
                truth,
                decision.out_of_bag_cost.estimate,
                evaluation[decision.model].out_of_bag_cost.estimate,
                truth in decision.out_of_bag_cost,
                without[decision.baseline] - truth in decision.saving,
            )
        )
    held, size, truth, out_of_bag, of_model, covered, saved = np.mean(results, axis=0)
    return (
        f"{rows:5} rows, {len(shifts):2} models: best in set {held:.3f} of {size:.1f};"
        f" bias {out_of_bag / truth - 1:+.3f} (of the model {of_model / truth - 1:+.3f});"
        f" limits hold {covered:.3f}, of the saving {saved:.3f}"
    )


if __name__ == "__main__":
    for design in DESIGNS:
        print(study(*design, runs=int(sys.argv[1]) if len(sys.argv) > 1 else 1000), flush=True)
