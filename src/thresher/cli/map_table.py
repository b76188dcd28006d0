"""A calibration map in a terminal: some scores with their probabilities, and what the map changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rich.text import Text

from thresher.calibration import CalibrationMap, brier, recalibrated
from thresher.choices import OperatingCondition
from thresher.cli.plain_text import plain_text
from thresher.cli.screen import cautions_text, heading, interval_text, number, table
from thresher.evaluation.model import are_probabilities, at_prevalence
from thresher.inference import calibration_report
from thresher.ranking import Ranking

_LINES = 9
_LABELS = {"observed_expected": "observed : expected", "ici": "ICI", "e50": "E50", "e90": "E90"}


def map_blocks(
    ranking: Ranking,
    found: CalibrationMap,
    written: Sequence[str],
    *,
    condition: OperatingCondition,
    trained_at: float | None,
) -> Iterator[Any]:
    """The map at a few of its scores, losses before and after on the rows it was fitted on, files written.

    Losses and the calibration of the scores are stated at the class mix of the condition.
    """
    article = "An" if found.method[0] in "aeiou" else "A"
    yield Text(
        f"{article} {found.method} map, fitted on {ranking.total:,.10g} cases with {len(ranking):,} distinct scores."
    )
    shown = np.linspace(0, len(ranking) - 1, min(_LINES, len(ranking))).astype(int)
    lines = [
        (Text(f"{score:.6g}"), Text(number(probability)))
        for score, probability in zip(ranking.score[shown], found(ranking.score[shown]), strict=True)
    ]
    yield table(("score", "probability"), lines)
    probabilities = are_probabilities(ranking)
    both = bool(ranking.Pos and ranking.Neg)
    at_mix = at_prevalence(ranking, condition.prevalence, trained_at) if both else ranking
    weighted = ranking if condition.class_ratio is None else ranking.at_class_ratio(condition.class_ratio)
    before = number(brier(at_mix)) if probabilities else "no probabilities"
    mix = "" if condition.class_ratio is None else f", at {condition.mix}"
    yield [
        heading("On these rows", f"which the map has seen{mix}"),
        table(
            ("", "before", "after"),
            [
                (Text("AUC"), Text(number(found.auc_before)), Text(number(found.auc_after))),
                (Text("Brier"), Text(before), Text(number(brier(recalibrated(weighted, found.curve))))),
            ],
        ),
    ]
    if probabilities and both:
        report = calibration_report(ranking, condition=condition, trained_at=trained_at).numbers
        lines = [
            (Text(_LABELS.get(name, name.replace("_", " "))), interval_text(each)) for name, each in report.items()
        ]
        yield [heading("Calibration", f"of the scores as they are{mix}"), table(("", "estimate"), lines)]
    yield cautions_text(found.cautions)
    yield [Text.assemble(("wrote ", "bold"), plain_text(line)) for line in written]
