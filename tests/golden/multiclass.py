"""Worked examples with more than two classes: M1 and M2 of the worked examples (`worked-examples.md`, "Multi-class").

M1 prints the right answers and most of the wrong ones; how the 300 wrong negatives were called is
not stated, so every way of calling them must give the printed numbers.
"""

from dataclasses import dataclass

REVIEWS = ["negative", "neutral", "positive"]


@dataclass(frozen=True)
class Golden:
    id: str
    counts: list[list[int]]
    overall_accuracy: float
    mean_class_accuracy: float


M1 = [
    Golden(
        id=f"M1 with {neutral} negatives called neutral",
        counts=[[700, neutral, 300 - neutral], [200, 8300, 100], [0, 100, 300]],
        overall_accuracy=0.93,
        mean_class_accuracy=(0.70 + 8300 / 8600 + 0.75) / 3,  # printed as 0.80504
    )
    for neutral in (0, 200, 300)
]

# Precision Mᵢᵢ/ΣⱼMⱼᵢ and recall Mᵢᵢ/ΣⱼMᵢⱼ by hand for M1 with 200 of them called neutral.
M2_COUNTS = [[700, 200, 100], [200, 8300, 100], [0, 100, 300]]
M2_PRECISION = [700 / 900, 8300 / 8600, 300 / 500]
M2_RECALL = [700 / 1000, 8300 / 8600, 300 / 400]
M2_CASES = [1000, 8600, 400]
