"""Worked examples C1-C11 and R1-R11: inputs and expected values by id.

Source: the teaching material thresher implements, as collected in `worked-examples.md` of the
specification (tables "Contingency tables" and "Rankings"). Where the print is known to be wrong the
corrected value stands here, with a word on it. Values are exact unless given as rounded text:
`Printed("0.857")` means "equal when rounded to as many digits".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import thresher as th

nan, inf = math.nan, math.inf


@dataclass(frozen=True)
class Printed:
    """A number as printed: right when it rounds to these digits."""

    text: str

    def matches(self, value: float) -> bool:
        return f"{value:.{len(self.text.partition('.')[2])}f}" == self.text


# id -> (table, measure -> value)
TABLES: dict[str, tuple[th.Contingency, dict[str, Any]]] = {
    "C1 spam tree": (
        th.Contingency(tp=30, fn=20, fp=10, tn=40),
        {
            "Pos": 50,
            "Neg": 50,
            "predicted_positive": 40,
            "predicted_negative": 60,
            "accuracy": 0.70,
            "error_rate": 0.30,
            "tpr": 0.60,
            "tnr": 0.80,
            "fnr": 0.40,
            "fpr": 0.20,
            "precision": 0.75,
            "class_ratio": 1,
        },
    ),
    "C2 independent": (
        th.Contingency(tp=20, fn=30, fp=20, tn=30),
        {"predicted_positive": 40, "predicted_negative": 60, "accuracy": 0.50, "tpr": 0.40, "tnr": 0.60},
    ),
    "C3 three to one": (
        th.Contingency(tp=60, fn=15, fp=10, tn=15),
        {
            "tpr": 0.80,
            "tnr": 0.60,
            "fpr": 0.40,
            "accuracy": 0.75,
            "precision": Printed("0.857"),
            "class_ratio": 3,
        },
    ),
    "C4 reluctant search engine": (
        th.Contingency(tp=0, fn=1, fp=0, tn=999),
        {"accuracy": 0.999, "recall": 0, "precision": nan},
    ),
    "C5 always negative": (
        th.Contingency(tp=0, fn=5, fp=0, tn=95),
        {"accuracy": 0.95, "recall": 0, "precision": nan, "average_recall": 0.5},
    ),
    "C6 e-mail validation set": (
        th.Contingency(tp=600, fn=300, fp=100, tn=9000),
        {"accuracy": 0.96, "precision": 600 / 700, "recall": 600 / 900, "f1": 0.75},
    ),
    "C7 M1": (
        th.Contingency(tp=50, fn=0, fp=30, tn=20),
        {"accuracy": 0.70, "tpr": 1, "fpr": 0.6, "precision": 0.625, "predicted_positive_rate": 0.80},
    ),
    "C7 M2": (
        th.Contingency(tp=20, fn=30, fp=0, tn=50),
        {"accuracy": 0.70, "tpr": 0.4, "fpr": 0, "precision": 1, "predicted_positive_rate": 0.20},
    ),
    "C7 M3": (
        th.Contingency(tp=35, fn=15, fp=15, tn=35),
        {"accuracy": 0.70, "tpr": 0.7, "fpr": 0.3, "precision": 0.70, "predicted_positive_rate": 0.50},
    ),
    "C10 MCC with a minus sign": (  # some slides print a plus in the numerator
        th.Contingency(tp=30, fn=20, fp=10, tn=40),
        {"mcc": Printed("0.40825")},
    ),
}


@dataclass(frozen=True)
class RankingExample:
    """What a worked example says about a ranking; what it does not say stays None."""

    ranking: th.Ranking
    points: list[tuple[float, float]] | None = None  # (fp, tp) at split 0..m
    auc: float | None = None
    pairs: tuple[float, float, float] | None = None  # won, tied, lost
    correct: list[int] | None = None  # cases called right at split 0..m
    slopes: list[float] | None = None  # of the segments in coverage space
    at: dict[float, tuple[int, int]] = field(default_factory=dict)  # threshold -> (fp, tp)
    hull: str | None = None
    hull_auc: float | None = None


def _letters(text: str) -> th.Ranking:
    labels = [letter == "p" for letter in text]
    return th.rank(labels, range(len(labels), 0, -1))


EMAILS = th.rank(
    [1, 1, 0, 1, 1, 0, 1, 1, 0, 0],
    [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13],
)
R8_LABELS, R8_SCORES = [0, 0, 1, 1, 0, 0, 1, 1], [0, 0.1, 0.3, 0.3, 0.3, 0.4, 0.7, 0.9]

RANKINGS: dict[str, RankingExample] = {
    "R1 scoring tree": RankingExample(
        th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1]),
        points=[(0, 0), (5, 20), (10, 30), (50, 50)],
        auc=0.71,
        pairs=(1300, 950, 250),
        slopes=[4, 2, 0.5],
        at={0: (10, 30), 1.5: (5, 20)},
        hull="[20+,5-][10+,5-][20+,40-]",
    ),
    "R2 negatives doubled": RankingExample(
        th.Ranking.parse("[20+,10-][10+,10-][20+,80-]"),
        points=[(0, 0), (10, 20), (20, 30), (100, 50)],
        auc=0.71,
    ),
    "R3 linear classifier": RankingExample(
        _letters("pppnpnnpnn"),
        auc=21 / 25,
        pairs=(21, 0, 4),
        correct=[5, 6, 7, 8, 7, 8, 7, 6, 7, 6, 5],
    ),
    "R3 grouped at A, B, C": RankingExample(  # boundary B has fpr 0.20; a printed 0.80 is a misprint
        th.Ranking.parse("[3+][1+,1-][1+,2-][2-]"),
        points=[(0, 0), (0, 3), (1, 4), (3, 5), (5, 5)],
        auc=0.90,
    ),
    "R4 ten e-mails": RankingExample(
        EMAILS,
        correct=[4, 5, 6, 5, 6, 7, 6, 7, 8, 7, 6],
        at={0.28: (2, 6), 0.56: (1, 4)},
        auc=18 / 24,
    ),
    "R5 ten e-mails, hull": RankingExample(EMAILS, hull="[1+][1+][2+,1-][2+,1-][1-][1-]", hull_auc=20 / 24),
    "R7 running counts": RankingExample(  # tn and fn of row 9 are misprinted
        th.rank(
            [letter == "P" for letter in "PPNPPNNNPN"],
            [0.90, 0.80, 0.70, 0.60, 0.55, 0.54, 0.53, 0.51, 0.50, 0.40],
        ),
        points=[(0, 0), (0, 1), (0, 2), (1, 2), (1, 3), (1, 4), (2, 4), (3, 4), (4, 4), (4, 5), (5, 5)],
        auc=19 / 25,
    ),
    "R8 tied scores": RankingExample(th.rank(R8_LABELS, R8_SCORES), auc=13 / 16),
    "R9 perfect": RankingExample(th.rank([0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.2, 0.3, 0.3, 0.7, 0.7, 0.8, 0.9]), auc=1.0),
}

# R8: tpr, fpr and precision at thresholds
R8_AT = [1.0, 0.9, 0.7, 0.4, 0.3, 0.1, 0.0]
R8_TPR = [0, 0.25, 0.5, 0.5, 1, 1, 1]
R8_FPR = [0, 0, 0, 0.25, 0.5, 0.75, 1]
R8_PRECISION = [nan, 1, 1, 2 / 3, 2 / 3, 4 / 7, 0.5]  # printed as .67 .67 .57

R10_NOT_MONOTONE = th.rank([0, 0, 1, 1, 0, 0, 0, 1], [0.1, 0.1, 0.2, 0.3, 0.4, 0.6, 0.9, 1.0])

# R11: R1 with a fair coin at a threshold -> expected (fp, tp)
R11_COIN = {-1: (30, 40), 1: (7.5, 25)}
