"""`thresher calibrate`: a map from scores to probabilities, as JSON and as a column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import click

from thresher.cli import options
from thresher.cli.app import Door
from thresher.cli.options import ColumnOptions, ConditionOptions, PrintOptions

if TYPE_CHECKING:
    from thresher.calibration import MEstimate

Method: TypeAlias = Literal["isotonic", "platt", "beta", "temperature", "histogram"]


@click.command(
    "calibrate",
    cls=Door,
    examples=[
        "thresher calibrate predictions.csv --label malignant --score forest -o map.json",
        "thresher calibrate predictions.csv --label malignant --score bayes --method beta --write calibrated.csv",
    ],
)
@options.SOURCE
@options.COLUMNS
@options.MIX
@options.TRAINED_AT
@click.option("--method", type=click.Choice(get_args(Method)), default="isotonic", show_default=True)
@click.option(
    "--smoothing",
    default="none",
    metavar="none|laplace|M:PRIOR",
    show_default=True,
    help="Of the pools or bins; 10:0.2 adds ten cases of which a fifth is positive.",
)
@click.option("--bins", type=click.IntRange(min=1), help="Of a histogram; 10 unless told.")
@click.option("--interpolate", is_flag=True, help="Straight ramps between pools instead of steps.")
@click.option("--output", "-o", metavar="FILE", help="Write the map as JSON, for thresher apply.")
@click.option("--write", metavar="FILE", help="Write the rows with a column of probabilities (.csv, .parquet, ...).")
@click.option("--column", default="probability", show_default=True, help="Name of that column.")
@options.PRINTED
@click.pass_context
@options.typed
def command(
    ctx: click.Context,
    /,
    *,
    source: str,
    columns: ColumnOptions,
    condition: ConditionOptions,
    printed: PrintOptions,
    trained_at: float | None,
    method: Method,
    smoothing: str,
    bins: int | None,
    interpolate: bool,
    output: str | None,
    write: str | None,
    column: str,
) -> None:
    """Fit a map from scores to probabilities, and use it.

    Fit it on rows the model has not learnt from. Probabilities are those at the class mix of the rows, or at the one
    declared, to which rows are then re-weighted. FILE holds rows, or a ranking that thresher merge kept.
    """
    from thresher.cli.outputs import (
        STANDARD,
        require_format,
        require_outputs,
        score_columns,
        write_text,
        write_with_columns,
    )

    require_outputs(source=source, output=output, write=write)

    from thresher.calibration import calibration_map
    from thresher.cli.console.screen import present, working
    from thresher.cli.console.tables import map_blocks
    from thresher.cli.inputs import is_ranking, rankings

    if write is not None:
        if source == STANDARD or is_ranking(source):
            raise click.UsageError("--write needs rows in a file, which can be read twice", ctx)
        require_format(write)
    models = rankings(source, columns)
    if len(models) > 1:
        raise click.UsageError("a map is of one model; give --score once", ctx)
    (ranking,) = models.values()
    declared = condition.condition()
    at_mix = ranking if declared.class_ratio is None else ranking.at_class_ratio(declared.class_ratio)
    with working("fitting"):
        fitted = calibration_map(
            at_mix, method=method, smoothing=_smoothing(smoothing, ctx), interpolate=interpolate, bins=bins
        )
    written = []
    if write is not None:
        probabilities = score_columns(source, columns.scores[0], lambda scores: {column: fitted(scores)})
        with working("writing"):
            write_with_columns(source, write, probabilities)
        written.append(f"rows  {write}")
    if output is not None:
        write_text(output, fitted.to_json() + "\n")
        written.append(f"map   {output}")
    present(
        printed,
        fitted.to_json,
        lambda _: map_blocks(ranking, fitted, written, condition=declared, trained_at=trained_at),
    )


def _smoothing(text: str, ctx: click.Context) -> MEstimate | Literal["laplace"] | None:
    from thresher.calibration import MEstimate

    if text == "none":
        return None
    if text == "laplace":
        return "laplace"
    m, _, prior = text.partition(":")
    try:
        return MEstimate(float(m), float(prior))
    except ValueError as error:
        form = f"cannot read --smoothing {text!r}; write none, laplace or M:PRIOR, e.g. 10:0.2"
        raise click.UsageError(getattr(error, "what", form), ctx) from None
