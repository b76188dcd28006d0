"""Golden vectors of the page: what Python says about tables and curves, for the page's own few formulas to match.

`python -m tests.report.golden_page` writes `golden_page.json`, which pytest and vitest both read.
"""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import thresher as th
from thresher._internal.text import interval_text, number_text, per_thousand_text

FILE = Path(__file__).parent / "golden_page.json"
FORMAT = "thresher/page-golden/1"

# tp, fp, Pos, Neg: an ordinary table, corners of coverage space, one positive, a rare class, weights, many rows.
TABLES = [
    (30, 10, 50, 50),
    (60, 10, 75, 25),
    (600, 100, 900, 9100),
    (0, 0, 50, 50),
    (50, 50, 50, 50),
    (0, 50, 50, 50),
    (50, 0, 50, 50),
    (0, 0, 1, 999),
    (1, 0, 1, 9),
    (0, 1, 1, 1),
    (0.75, 0.5, 2.25, 3.125),
    (1_368_631, 779_011, 1_801_465, 8_198_535),
]
# class_ratio (None: the table's own), cost_fp, cost_fn, cost_tp, cost_tn.
CONDITIONS = [
    (None, 1, 1, 0, 0),
    (None, 1, 5, 0, 0),
    (0.01, 1, 20, 0, 0),
    (3, 0.3, 0.1, 0, 0),
    (0.25, 2, 7, -1, 0.5),
]
CURVES = {
    "spam tree": th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1]),
    "ten e-mails": th.rank(
        [1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13]
    ),
    "all tied": th.Ranking([0.5], pos=[3], neg=[4]),
    "perfect": th.Ranking([0.9, 0.8, 0.3, 0.2], pos=[1, 1, 0, 0], neg=[0, 0, 1, 1]),
    "reversed": th.Ranking([0.9, 0.8, 0.3, 0.2], pos=[0, 0, 1, 1], neg=[1, 1, 0, 0]),
    "one positive": th.Ranking([5, 4, 3, 2], pos=[0, 1, 0, 0], neg=[2, 0, 3, 1]),
    "two cases": th.Ranking([1, 0], pos=[1, 0], neg=[0, 1]),
    "long straight edge": th.Ranking(list(range(9, 0, -1)), pos=[1] * 9, neg=[3] * 9),
}
RATIOS = [None, 1, 0.75, 3, 1 / 3, 0.02, 50]
COSTS = [(1, 1), (1, 2), (2, 1), (1, 3), (0.3, 0.1), (1, 4), (1, 0.5), (1, 2 / 3), (1, 100), (100, 1)]
ISOMETRICS = [
    *itertools.product(["accuracy", "average_recall", "precision", "f1", "jaccard", "kappa"], [0.3, 0.7]),
    ("mcc", 0.4),
    ("g_mean", 0.6),
    ("youden_j", 0.25),
    ("lift", 1.2),
    ("predicted_positive_rate", 0.4),
]
PLANES = ("coverage", "roc", "pr")
# estimate, lower, upper, scale: widths of every size, halves, tiny and large numbers, signs, limits that are none.
INTERVALS = [
    (0.736408, 0.7112, 0.7614, 1),
    (0.9214, 0.9209, 0.9219, 1),
    (0.75, 0.304, 0.9537, 1),
    (0.1963, 0.19401, 0.20018, 1000),
    (-0.00014, -0.0041, 0.0039, 1000),
    (0.125, 0.115, 0.135, 1),
    (1235, 1100, 1370, 1),
    (0.5, 0.5, 0.5, 1),
    (0.5, math.nan, math.nan, 1),
    (math.inf, 2, math.inf, 1),
    (math.nan, math.nan, math.nan, 1),
    (3.1, 1.4, math.inf, 1),
    (2.5e-7, 1e-7, 4.1e-7, 1),
    (1.5e16, 1e16, 2e16, 1),
    (99.95, 99.5, 100.5, 1),
    (-0.04, -0.2, 0.1, 1),
]
NUMBERS = [0.736408, 1 / 3, 12345.6, 1234567, 0.000123456, -0.5, 0.0625, 2.5, 99.95, 1e21, 3e-9, 0, math.inf, math.nan]
SHARES = [0, 0.3274, 0.0827, 0.01, 0.00012, 0.5, 0.9971, 0.99999, 1]
RESTATED = list(itertools.product([0, 0.01, 0.3, 0.97, 1], [1 / 2, 1 / 3], [0.01, 0.5, 0.9]))
PER_THOUSAND = [(0.934, 10), (9.066, 10), (10, 10), (144.6, 990), (0.0312, 990), (0, 990), (0.5, 990), (2.25, 333.3)]


def vectors() -> dict[str, Any]:
    """Everything in the file, computed anew."""
    return {
        "format": FORMAT,
        "measures": list(th.MEASURES),
        "tables": [_table(cells, costs) for cells, costs in itertools.product(TABLES, CONDITIONS)],
        "curves": [_curve(name, ranking) for name, ranking in CURVES.items()],
        "isometrics": [
            _isometric(name, value, plane) for (name, value), plane in itertools.product(ISOMETRICS, PLANES)
        ],
        "restated": [
            {"probability": p, "from": source, "to": to, "is": th.adjust_prevalence([p], to, trained_at=source).item()}
            for p, source, to in RESTATED
        ],
        "net_benefit": [_net_benefit(to) for to in (0.01, 0.5, 0.8)],
        "texts": [
            *({"number": real(number), "text": number_text(number)} for number in NUMBERS),
            *(
                {"interval": [*map(real, interval)], "text": interval_text(*interval[:3], scale=interval[3])}
                for interval in INTERVALS
            ),
            *({"count": [*count], "text": per_thousand_text(*count)} for count in PER_THOUSAND),
        ],
    }


def text() -> str:
    """The file's text: one vector per line, so that a change shows where it is."""
    parts = vectors()
    lines = ["{"]
    for name, value in parts.items():
        end = "," if name != list(parts)[-1] else ""
        if name in ("format", "measures"):
            lines.append(f"{json.dumps(name)}: {json.dumps(value)}{end}")
        else:
            inside = ",\n".join(json.dumps(each, allow_nan=False) for each in value)
            lines.append(f"{json.dumps(name)}: [\n{inside}\n]{end}")
    return "\n".join([*lines, "}", ""])


def real(value: Any) -> Any:
    """A number as the page reads it: what JSON lacks becomes the texts "inf", "-inf" and "nan"."""
    number = value.item() if hasattr(value, "item") else value
    return number if isinstance(number, int) or math.isfinite(number) else str(number)


def _table(cells: tuple[float, ...], costs: tuple[Any, ...]) -> dict[str, Any]:
    tp, fp, Pos, Neg = cells
    table = th.Contingency(tp=tp, fn=Pos - tp, fp=fp, tn=Neg - fp)
    class_ratio, cost_fp, cost_fn, cost_tp, cost_tn = costs
    asked = th.OperatingCondition(class_ratio, cost_fp=cost_fp, cost_fn=cost_fn, cost_tp=cost_tp, cost_tn=cost_tn)
    data = th.Ranking([1, 0], pos=[tp, Pos - tp], neg=[fp, Neg - fp])
    condition = asked.for_data(data)
    at = condition.class_ratio
    share = at / (1 + at) if at is not None else math.nan
    return {
        "tp": tp,
        "fp": fp,
        "Pos": Pos,
        "Neg": Neg,
        "condition": {
            "cost_fp": cost_fp - cost_tn,
            "cost_fn": cost_fn - cost_tp,
            "cost_ratio": condition.cost_ratio,
            "class_ratio": at,
            "class_ratio_from_data": class_ratio is None,
            "baseline": share * cost_tp + (1 - share) * cost_tn,
        },
        "sample": {name: real(known.of(table)) for name, known in th.MEASURES.items()},
        "declared": {name: real(known.of(table, class_ratio=at)) for name, known in th.MEASURES.items()},
        "expected_cost": real(condition.expected_cost(table)),
        "slope_roc": real(condition.slope_roc),
        "slope_coverage": real(asked.slope_coverage(data)),
    }


def _curve(name: str, ranking: th.Ranking) -> dict[str, Any]:
    curve = th.coverage(ranking)
    return {
        "name": name,
        "Pos": ranking.Pos,
        "Neg": ranking.Neg,
        "threshold": [real(at) for at in curve.threshold],
        "tp": curve.tp.tolist(),
        "fp": curve.fp.tolist(),
        "hull": [int(split) for split in _corners(ranking)],
        "optima": [_optimum(ranking, ratio, costs) for ratio, costs in itertools.product(RATIOS, COSTS)],
    }


def _corners(ranking: th.Ranking) -> list[int]:
    lowest = th.hull(ranking, pool="ties").score.tolist()
    return [0, *(ranking.score.tolist().index(score) + 1 for score in lowest)]


def _optimum(ranking: th.Ranking, ratio: float | None, costs: tuple[float, float]) -> dict[str, Any]:
    choice = th.choose(ranking, th.OperatingCondition(ratio, cost_fp=costs[0], cost_fn=costs[1]))
    return {
        "class_ratio": choice.condition.class_ratio,
        "cost_fp": costs[0],
        "cost_fn": costs[1],
        "tied": choice.splits.tolist(),
        "optimum": choice.point.split,
        "expected_cost": choice.expected_cost,
    }


def _net_benefit(to: float) -> dict[str, Any]:
    """Net benefit at a declared mix, with probabilities restated for it."""
    ranking = CURVES["ten e-mails"]
    at = [0.05, 0.2, 0.5, 0.9]
    curve = th.net_benefit(th.adjust_prevalence(ranking, to), threshold=at)
    scores = ["inf", *ranking.score.tolist()]
    return {"curve": "ten e-mails", "lowest": scores, "to": to, "threshold": at, "is": curve.model.tolist()}


def _isometric(name: str, value: float, plane: Any) -> dict[str, Any]:
    line = th.isometric(name, value, plane=plane, Pos=50, Neg=150, points=5)
    return {
        "measure": name,
        "value": value,
        "plane": plane,
        "Pos": 50,
        "Neg": 150,
        "x": line.x.tolist(),
        "y": line.y.tolist(),
        "slope": None if line.slope is None else real(line.slope),
    }


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
