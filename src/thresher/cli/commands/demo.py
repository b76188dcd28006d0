"""`thresher demo`: three real models, one decision and one report, without any input."""

from __future__ import annotations

from typing import Any

import click

from thresher.cli.app import Door
from thresher.cli.options import PRINTED, ratio

TITLE = "Is this tumour malignant?"
COST_RATIO = "10"


@click.command("demo", cls=Door, examples=["thresher demo", "thresher demo --predictions predictions.csv"])
@click.option("--output", "-o", default="thresher-demo.html", show_default=True, metavar="FILE", help="The report.")
@click.option("--predictions", metavar="FILE", help="Also write the scored rows as CSV, to try the other commands on.")
@click.option("--measurements", metavar="FILE", help="Also write the tumours themselves as CSV, to try learn on.")
@click.option(
    "--cost-ratio",
    type=ratio,
    metavar="RATIO",
    default=COST_RATIO,
    show_default=True,
    help="False alarms that a missed tumour costs: 10 or 10:1.",
)
@PRINTED
def command(**given: Any) -> None:
    """Evaluate three real models and write a report; needs no input.

    569 breast tumours that come with scikit-learn, each scored by models that have not seen it (five-fold
    cross-validation): which model should be used, and from which score on is a tumour called malignant?
    """
    from thresher.cli.outputs import require_outputs

    require_outputs(
        source=None, output=given["output"], predictions=given["predictions"], measurements=given["measurements"]
    )

    from thresher.cli.console.evaluation import present, write
    from thresher.cli.console.screen import working
    from thresher.cli.demo import scored_tumours, write_measurements, write_predictions
    from thresher.evaluation import evaluate
    from thresher.tables import OperatingCondition

    with working("fitting three models five times"):
        malignant, scores = scored_tumours()
    condition = OperatingCondition(cost_ratio=given["cost_ratio"])
    with working("evaluating"):
        found = evaluate(malignant, scores, condition=condition)
    written = write(found, given, title=TITLE)
    if given["predictions"] is not None:
        write_predictions(given["predictions"], malignant, scores)
        written.append(f"rows      {given['predictions']}")
    if given["measurements"] is not None:
        write_measurements(given["measurements"])
        written.append(f"tumours   {given['measurements']}")
    present(found, given, title=TITLE, written=written)
