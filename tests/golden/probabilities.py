"""Worked examples on probabilities: R5, R6, P1-P5, the margin losses and the Brier references.

Sources: `worked-examples.md` ("Rankings", "Probabilities", "Losses") and the reference values at the end of `traps.md`.
Fractions are written out where the source prints a rounded number.
"""

from dataclasses import dataclass

# R4: ten e-mails, by falling score.
EMAIL_SCORES = [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13]
EMAIL_LABELS = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]

# R5: R4's hull and its empirical probability, case by case; R6: the same with Laplace per segment.
R5_HULL = "[1+][1+][2+,1-][2+,1-][1-][1-]"
R5_PROBABILITIES = [1, 1, *[2 / 3] * 6, 0, 0]
R5_AUC = (18 / 24, 20 / 24)
R5_BRIER = (0.193, 0.133)  # as printed: raw scores, calibrated ones
R6_PROBABILITIES = [2 / 3, 2 / 3, *[3 / 5] * 6, 1 / 3, 1 / 3]


@dataclass(frozen=True)
class SquaredError:
    id: str
    prediction: list[float]
    true_class: int
    expected: float  # as printed


P1 = [
    SquaredError("P1 hedged, class 1", [0.70, 0.10, 0.20], 1, 0.07),
    SquaredError("P1 bold, class 1", [0.99, 0, 0.01], 1, 0.0001),
    SquaredError("P1 hedged, class 3", [0.70, 0.10, 0.20], 3, 0.57),
    SquaredError("P1 bold, class 3", [0.99, 0, 0.01], 3, 0.98),
]


@dataclass(frozen=True)
class Leaf:
    id: str
    pos: int
    neg: int
    predicted: float
    squared_errors: float  # their sum, as printed


P2 = [
    Leaf("P2 first leaf, empirical", 20, 40, 1 / 3, 13.33),
    Leaf("P2 second leaf, empirical", 10, 5, 2 / 3, 3.33),
    Leaf("P2 third leaf, empirical", 20, 5, 4 / 5, 4.00),
    Leaf("P2 first leaf with 0.40", 20, 40, 0.40, 13.6),
    Leaf("P2 first leaf with 0.20", 20, 40, 0.20, 14.4),
]
P2_MEAN = 0.21

# P4: counts, Laplace (nᵢ+1)/(n+k), and the m-estimate with m = 4 and the prior below.
P4_COUNTS = [5, 3, 0]
P4_LAPLACE = [6 / 11, 4 / 11, 1 / 11]
P4_PRIOR = [0.5, 0.25, 0.25]
P4_M_ESTIMATE = [7 / 12, 4 / 12, 1 / 12]


@dataclass(frozen=True)
class BrierReference:
    id: str
    labels: list[int]
    scores: list[float]
    brier: float
    calibration: float
    refinement: float


_Y = [0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1]
_A = [0, 0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 0.75, 0.75, 1]
_B = [0, 0.25, 0.25, 0.25, 0.75, 0.5, 0.5, 0.25, 0.75, 0.75, 0.75, 1]
BRIER = [
    BrierReference("forecaster A", _Y, _A, 1 / 6, 0, 1 / 6),
    BrierReference("forecaster B", _Y, _B, 1 / 12, 1 / 24, 1 / 24),
]

# Margin losses at these margins; base-2 logistic so that every loss is 1 at 0.
MARGINS = [-2.0, -1.0, 0.0, 0.5, 1.0, 2.0]
LOSSES = {
    "zero_one": [1, 1, 1, 0, 0, 0],
    "hinge": [3, 2, 1, 0.5, 0, 0],
    "logistic": [3.0685, 1.8946, 1, 0.6839, 0.4519, 0.1831],
    "exponential": [7.3891, 2.7183, 1, 0.6065, 0.3679, 0.1353],
    "squared": [9, 4, 1, 0.25, 0, 1],
}
