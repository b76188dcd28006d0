"""`thresher predict`: new rows scored, calibrated and decided by what `thresher learn` wrote."""

from __future__ import annotations

import json

import click

from thresher.cli import options
from thresher.cli.app import Door
from thresher.cli.options import PredictOptions, PrintOptions


@click.command(
    "predict",
    cls=Door,
    examples=[
        "thresher predict out/ tumours.csv -o scored.csv",
        "thresher predict out/ tumours.csv --score p --prediction call --unseen raise -o scored.parquet",
    ],
)
@click.argument("folder", metavar="FOLDER", type=str)
@click.argument("source", metavar="FILE", type=str)
@click.option("--output", "-o", default="-", metavar="FILE", help="Where to (.csv, .csv.gz, .tsv, .parquet, .arrow).")
@click.option("--score", default="score", show_default=True, metavar="NAME", help="Of the new column of scores.")
@click.option("--prediction", default="prediction", show_default=True, metavar="NAME", help="Of that of labels.")
@click.option(
    "--unseen",
    type=click.Choice(["tell", "raise"]),
    default="tell",
    show_default=True,
    help="Score rows with categories that training had not and tell, or refuse them.",
)
@click.option("--probability", is_flag=True, help="Add the probability at the decision's class mix, too.")
@options.PRINTED
@click.pass_context
@options.typed
def command(
    ctx: click.Context, /, *, folder: str, source: str, settings: PredictOptions, printed: PrintOptions, output: str
) -> None:
    """Score new rows and decide about them, with what learn wrote.

    The rows of FILE come out in their order with two columns added: the model's score, a probability at the class mix
    of the rows it learnt from, and the label that the decision's threshold gives. --probability adds that at the class
    mix of the decision. Without -o they go to standard output, as CSV.
    """
    from thresher.cli.outputs import STANDARD, require_format, require_outputs, write_with_columns

    if printed.as_json and output == STANDARD:
        raise click.UsageError("--json tells of the file written, so it needs --output FILE", ctx)
    names = [settings.score, settings.prediction, *(["probability"] if settings.probability else [])]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise click.UsageError(f"two new columns would be called {twice!r}", ctx)
    if output != STANDARD:
        require_outputs(source=source, output=output)
        require_format(output)

    from thresher.cli.console.screen import working
    from thresher.cli.learning import Predictor
    from thresher.learning import read_learned

    predictor = Predictor(read_learned(folder), source, settings)
    with working("predicting"):
        rows = write_with_columns(source, output, predictor.columns())
    if printed.as_json:
        click.echo(json.dumps({"rows": rows, **predictor.to_dict(), "output": output}))
    elif not printed.quiet:
        for line in predictor.lines(rows, output):
            click.echo(line, err=True)
