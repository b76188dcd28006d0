"""How often nominal 95 % intervals hold the truth, by simulation; writes `docs/coverage.md`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

import thresher as th
from thresher.inference.intervals.loss import brier_interval
from thresher.inference.intervals.table import table_interval

SIZES = (30, 100, 1000)
PREVALENCES = (0.5, 0.1, 0.02)
AUCS = (0.6, 0.8, 0.95, 0.99)
REPLICATES = 5_000
KINDS = (
    "AUC",
    "recall",
    "fpr",
    "Brier",
    "expected cost",
    "AUC difference",
    "AUCs equal",
    "AUC difference, other rows",
)
WORSE = 0.8  # of the shift that makes the first model's AUC is the second model's
CORRELATION = 0.5  # of two models' scores on the same rows, within a class
OTHERS = 500  # of each class in the rows that only the second model scored
GOOD = (0.93, 0.97)
PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"


def main() -> None:
    text = page(list(studied()))
    PAGE.write_text(text, encoding="utf-8")
    print(text)


def page(rows: list[tuple[int, int, float, list[float]]]) -> str:
    """The table, and what lies outside in it."""
    lines = [
        INTRODUCTION,
        "",
        "| n | positives | true AUC | " + " | ".join(KINDS) + " |",
        "|--:|--:|--:|" + "--:|" * len(KINDS),
    ]
    for size, Pos, area, shares in rows:
        cells = [f"{100 * share:.1f}" if _side(share) == 0 else f"**{100 * share:.1f}**" for share in shares]
        lines.append(f"| {size:,} | {Pos} | {area} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *_sentences(rows)]) + "\n"


def _sentences(rows: list[tuple[int, int, float, list[float]]]) -> Iterator[str]:
    """Where coverage lies outside, kind by kind, among the rows with at least 10 positives expected."""
    enough = [row for row in rows if row[1] >= 10]
    inside = sum(_side(share) == 0 for row in enough for share in row[3])
    yield f"With at least 10 positives expected, {inside} of {len(enough) * len(KINDS)} entries lie within 93-97 %:"
    yield ""
    for i, kind in enumerate(KINDS):
        shares = [row[3][i] for row in enough]
        above, below = (sum(_side(share) == side for share in shares) for side in (1, -1))
        yield f"- {kind}: {above} above, {below} below; from {100 * min(shares):.1f} to {100 * max(shares):.1f} %."


def _side(share: float) -> int:
    """Whether coverage, as it is shown, lies below (-1), within (0) or above (1) what is good."""
    shown = round(share, 3)
    return int(shown > GOOD[1]) - int(shown < GOOD[0])


def studied() -> Iterator[tuple[int, int, float, list[float]]]:
    settings = list(itertools.product(SIZES, PREVALENCES, AUCS))
    with ProcessPoolExecutor() as pool:
        yield from pool.map(_row, range(len(settings)), settings)


def _row(number: int, setting: tuple[int, float, float]) -> tuple[int, int, float, list[float]]:
    """One row of the table, whose draws depend on its number alone."""
    size, prevalence, area = setting
    Pos = max(1, round(size * prevalence))
    return size, Pos, area, covered(Pos, size - Pos, area, np.random.default_rng([20, number]))


def covered(Pos: int, Neg: int, area: float, rng: np.random.Generator) -> list[float]:
    """The share of samples whose interval holds the truth: normal classes, scores their true probabilities."""
    shift = float(np.sqrt(2) * ndtri(area))
    prevalence = Pos / (Pos + Neg)
    cost_ratio = Neg / Pos  # both classes' errors matter alike
    condition = th.OperatingCondition(prevalence=prevalence, cost_ratio=cost_ratio)

    def probability(x: Any) -> Any:
        return 1 / (1 + np.exp(-(shift * x - shift**2 / 2 + np.log(prevalence / (1 - prevalence)))))

    best = shift / 2
    threshold = float(probability(best))
    recall, fpr = float(ndtr(shift - best)), float(ndtr(-best))
    cost = prevalence * cost_ratio * (1 - recall) + (1 - prevalence) * fpr
    grid = np.linspace(-9, 9 + shift, 200_001)
    density = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    shifted = np.exp(-((grid - shift) ** 2) / 2) / np.sqrt(2 * np.pi)
    p = probability(grid)
    brier = prevalence * np.trapezoid((1 - p) ** 2 * shifted, grid) + (1 - prevalence) * np.trapezoid(
        p**2 * density, grid
    )
    lost = area - float(ndtr(WORSE * shift / np.sqrt(2)))
    truth = (area, recall, fpr, float(brier), cost, lost, 0.0, lost)
    held = np.zeros(len(KINDS))
    for _ in range(REPLICATES):
        labels = _labels(Pos + Neg, prevalence, rng)
        noise = rng.normal(size=Pos + Neg)
        ranking = th.rank(labels, probability(noise + shift * labels))
        table = th.tables.contingency_at(ranking, threshold)
        intervals = (
            th.auc_interval(ranking),
            th.interval(table, "recall"),
            th.interval(table, "fpr"),
            brier_interval(ranking),
            table_interval(table, condition),
            *_differences(labels, noise, ranking, shift, rng),
        )
        held += [true in interval for true, interval in zip(truth, intervals, strict=True)]
    return (held / REPLICATES).tolist()


def _differences(
    labels: Any, noise: Any, ranking: th.Ranking, shift: float, rng: np.random.Generator
) -> Iterator[th.Interval]:
    """The first model less a worse and less an equal one on the same rows, and less the worse one on other rows."""
    shared = CORRELATION * noise + np.sqrt(1 - CORRELATION**2) * rng.normal(size=labels.size)
    models = {"a": noise + shift * labels, "worse": shared + WORSE * shift * labels, "equal": shared + shift * labels}
    paired = th.compare(labels, models, correction="none")
    yield paired["a", "worse"].interval
    yield paired["a", "equal"].interval
    elsewhere = np.arange(2 * OTHERS) < OTHERS
    others = th.rank(elsewhere, rng.normal(size=elsewhere.size) + WORSE * shift * elsewhere)
    yield th.inference.compare_unpaired(ranking, others).interval


def _labels(size: int, prevalence: float, rng: np.random.Generator) -> Any:
    """Cases drawn at random; samples of one class are drawn again."""
    while True:
        labels = rng.random(size) < prevalence
        if labels.any() and not labels.all():
            return labels


INTRODUCTION = f"""# Do the intervals cover?

How often nominal 95 % intervals hold the true value, in percent of {REPLICATES:,} samples each, so that an entry
is itself uncertain by half a point or so. Written by `python -m benchmarks.coverage`. Cases are drawn at
random; scores of the negatives are standard normal, those of the positives shifted to the AUC given, and both are
turned into their true probabilities. The threshold is the cheapest when errors of both classes matter alike. Entries
outside 93-97 % are set in bold.

Read it so: with fewer than ten positives no interval can be trusted to the percent. Rates near 0 or 1 in few cases take
only a handful of values, so that coverage jumps (Brown, Cai & DasGupta 2001). Good models separate most small samples
perfectly, and the limits of their AUC err on the wide side. So do those of a Brier score, which allow for rare large
errors that the sample has not seen: too wide is the price of not being too narrow.

Differences are those to a second model, whose scores are correlated by {CORRELATION} with the first's within a class:
one with {WORSE:.0%} of the shift ("AUC difference"), one as good ("AUCs equal"; 100 less the entry is how often a
test at 5 % finds a difference that is not there), and the worse one on {OTHERS} other positives and {OTHERS} other
negatives (`compare_unpaired`). Where few cases tell models apart, limits that hold for unequal models are wide for
equal ones: such a test misses differences rather than inventing them.

Rates and expected cost are judged at that threshold, fixed beforehand. At a threshold that was chosen on the same rows
they flatter it, and their limits cover less: look at the out-of-bag cost, which allows for the choice."""

if __name__ == "__main__":
    main()
