"""`thresher calibrate`: a map from scores to probabilities, as JSON and as a column."""

from __future__ import annotations

from typing import Any

import click

from thresher.cli.app import Door
from thresher.cli.options import MIX, PRINTED, ROWS, SOURCE, TRAINED_AT, operating_condition

METHODS = ("isotonic", "platt", "beta", "temperature", "histogram")
_NO_SMOOTHING = "none"


@click.command(
    "calibrate",
    cls=Door,
    examples=[
        "thresher calibrate predictions.csv --label malignant --score forest -o map.json",
        "thresher calibrate predictions.csv --label malignant --score bayes --method beta --write calibrated.csv",
    ],
)
@SOURCE
@ROWS
@MIX
@TRAINED_AT
@click.option("--method", type=click.Choice(METHODS), default="isotonic", show_default=True)
@click.option(
    "--smoothing",
    default=_NO_SMOOTHING,
    metavar="none|laplace|M:PRIOR",
    show_default=True,
    help="Of the pools or bins; 10:0.2 adds ten cases of which a fifth is positive.",
)
@click.option("--bins", type=click.IntRange(min=1), help="Of a histogram; 10 unless told.")
@click.option("--interpolate", is_flag=True, help="Straight ramps between pools instead of steps.")
@click.option("--output", "-o", metavar="FILE", help="Write the map as JSON, for thresher apply.")
@click.option("--write", metavar="FILE", help="Write the rows with a column of probabilities (.csv, .parquet, ...).")
@click.option("--column", default="probability", show_default=True, help="Name of that column.")
@PRINTED
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Fit a map from scores to probabilities, and use it.

    Fit it on rows the model has not learnt from. Probabilities are those at the class mix of the rows, or at the one
    declared, to which rows are then re-weighted. FILE holds rows, or a ranking that thresher merge kept.
    """
    from thresher.cli.outputs import require_outputs, write_text

    source = given["source"]
    require_outputs(source=source, output=given["output"], write=given["write"])

    from thresher.calibration import calibration_map
    from thresher.cli.console.screen import working
    from thresher.cli.inputs import is_ranking, rankings_of
    from thresher.cli.outputs import STANDARD, require_format, write_with_columns

    if given["write"] is not None:
        if source == STANDARD or is_ranking(source):
            raise click.UsageError("--write needs rows in a file, which can be read twice", ctx)
        require_format(given["write"])
    rankings = rankings_of(given)
    if len(rankings) > 1:
        raise click.UsageError("a map is of one model; give --score once", ctx)
    (rows,) = rankings.values()
    condition = operating_condition(given)
    ranking = rows if condition.class_ratio is None else rows.at_class_ratio(condition.class_ratio)
    smoothing = _smoothing(given["smoothing"], ctx)
    with working("fitting"):
        found = calibration_map(
            ranking,
            method=given["method"],
            smoothing=smoothing,
            interpolate=given["interpolate"],
            bins=given["bins"],
        )
    written = []
    if given["write"] is not None:
        column = given["column"]
        with working("writing"):
            write_with_columns(
                source, given["write"], score=given["scores"][0], added=lambda scores: {column: found(scores)}
            )
        written.append(f"rows  {given['write']}")
    if given["output"] is not None:
        write_text(given["output"], found.to_json() + "\n")
        written.append(f"map   {given['output']}")
    if given["as_json"]:
        click.echo(found.to_json())
    elif not given["quiet"]:
        from thresher.cli.console.screen import console, show
        from thresher.cli.console.tables import map_blocks

        show(console(), map_blocks(rows, found, written, condition=condition, trained_at=given["trained_at"]))


def _smoothing(text: str, ctx: click.Context) -> Any:
    from thresher.calibration import MEstimate

    if text == _NO_SMOOTHING:
        return None
    if text == "laplace":
        return "laplace"
    m, _, prior = text.partition(":")
    try:
        return MEstimate(float(m), float(prior))
    except ValueError as error:
        said = getattr(error, "what", f"cannot read --smoothing {text!r}; write none, laplace or M:PRIOR, e.g. 10:0.2")
        raise click.UsageError(said, ctx) from None
