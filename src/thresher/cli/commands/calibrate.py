"""`thresher calibrate`: a map from scores to probabilities, as JSON and a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import click

from thresher.cli import options
from thresher.cli.options import ColumnOptions, MixOptions, PrintOptions, option

if TYPE_CHECKING:
    from thresher.calibration import MEstimate


@dataclass(frozen=True, slots=True)
class CalibrateOptions:
    """The map to fit, and what is written."""

    trained_at: float | None = option(**options.TRAINED_AT)
    method: Literal["isotonic", "platt", "beta", "temperature", "histogram"] = option(
        default="isotonic", help="How scores become probabilities."
    )
    smoothing: str = option(
        default="none",
        metavar="none|laplace|M:PRIOR",
        help="Of the pools or bins; 10:0.2 adds ten cases of which a fifth is positive.",
    )
    bins: int | None = option(type=click.IntRange(min=1), help="Of a histogram; 10 by default.")
    interpolate: bool = option(help="Straight ramps between pools instead of steps.")
    output: str | None = option("-o", metavar="FILE", help="Write the map as JSON, for thresher apply.")
    write: str | None = option(
        metavar="FILE", help="Write the rows with a column of probabilities (.csv, .parquet, ...)."
    )
    column: str = option(default="probability", help="Name of that column.")


@options.define(
    "calibrate",
    examples=[
        "thresher calibrate predictions.csv --label malignant --score forest -o map.json",
        "thresher calibrate predictions.csv --label malignant --score bayes --method beta --write calibrated.csv",
    ],
)
@options.SOURCE
def command(source: str, columns: ColumnOptions, mix: MixOptions, how: CalibrateOptions, printed: PrintOptions) -> None:
    """Fit a map from scores to probabilities, and use it.

    Fit it on rows the model has not learnt from. Probabilities are those at the class mix of the rows, or at the one
    declared, to which rows are then re-weighted. FILE holds rows, or a ranking that thresher merge wrote.
    """
    from thresher.cli import outputs

    outputs.require_outputs(source=source, output=how.output, write=how.write)

    from thresher._internal.atomic import write_file
    from thresher.calibration import calibration_map
    from thresher.cli.console.screen import present, working
    from thresher.cli.console.tables import map_blocks
    from thresher.cli.reading import is_ranking, read_rankings

    if how.write is not None:
        if source == outputs.STANDARD or is_ranking(source):
            raise click.UsageError("--write needs rows in a file, which can be read twice")
        outputs.require_format(how.write)
    (models,) = read_rankings([source], columns).values()
    if len(models) > 1:
        raise click.UsageError("a map is of one model; give --score once")
    (ranking,) = models.values()
    condition = mix.condition()
    at_mix = ranking if condition.class_ratio is None else ranking.at_class_ratio(condition.class_ratio)
    smoothing = _smoothing(how.smoothing)
    with working("fitting"):
        fitted = calibration_map(
            at_mix, method=how.method, smoothing=smoothing, interpolate=how.interpolate, bins=how.bins
        )
    written = []
    if how.write is not None:
        new = outputs.score_columns(source, columns.scores[0], lambda scores: {how.column: fitted(scores)})
        with working("writing"):
            outputs.write_with_columns(source, how.write, new)
        written.append(f"rows  {how.write}")
    if how.output is not None:
        write_file(how.output, f"{fitted.to_json()}\n".encode())
        written.append(f"map   {how.output}")
    present(
        printed,
        fitted.to_json,
        lambda _: map_blocks(ranking, fitted, written, condition=condition, trained_at=how.trained_at),
    )


def _smoothing(text: str) -> MEstimate | Literal["laplace"] | None:
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
        raise click.UsageError(getattr(error, "what", form)) from None
