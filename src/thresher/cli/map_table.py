"""A calibration map in a terminal: some scores with their probabilities, and what the map changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rich.text import Text

from thresher.calibration import CalibrationMap, brier, recalibrated
from thresher.cli.plain_text import plain_text
from thresher.cli.screen import cautions_text, heading, interval_text, number, table
from thresher.inference import calibration_report
from thresher.ranking import Ranking

_LINES = 9


def map_blocks(ranking: Ranking, found: CalibrationMap, written: Sequence[str]) -> Iterator[Any]:
    """The map at a few of its scores, losses before and after on the rows it was fitted on, files written."""
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
    probabilities = ranking.score[-1] >= 0 and ranking.score[0] <= 1
    before = number(brier(ranking)) if probabilities else "no probabilities"
    yield [
        heading("On these rows", "which the map has seen"),
        table(
            ("", "before", "after"),
            [
                (Text("AUC"), Text(number(found.auc_before)), Text(number(found.auc_after))),
                (Text("Brier"), Text(before), Text(number(brier(recalibrated(ranking, found.curve))))),
            ],
        ),
    ]
    if probabilities and ranking.Pos and ranking.Neg:
        report = calibration_report(ranking).numbers
        lines = [(Text(name.replace("_", " ")), interval_text(interval)) for name, interval in report.items()]
        yield [heading("Calibration", "of the scores as they are"), table(("", "estimate"), lines)]
    yield cautions_text(found.cautions)
    yield [Text.assemble(("wrote ", "bold"), plain_text(line)) for line in written]
