"""`thresher predict`: new rows scored and decided by what `thresher learn` wrote."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

import click

from thresher.cli import options
from thresher.cli.options import PrintOptions, option


@dataclass(frozen=True, slots=True)
class PredictOptions:
    """The columns that are added, and what becomes of unseen categories."""

    output: str = option("-o", **options.WRITTEN)
    score: str = option(default="score", metavar="NAME", help="Of the new column of scores.")
    prediction: str = option(default="prediction", metavar="NAME", help="Of that of labels.")
    unseen: Literal["tell", "raise"] = option(
        default="tell", help="Score rows with categories that training had not and tell, or refuse them."
    )
    trusted: str | None = option(
        metavar="TYPES", help="Types of a model of another package, if you made the folder yourself: A,B."
    )
    probability: bool = option(help="Add the probability at the decision's class mix, too.")


@options.define(
    "predict",
    examples=[
        "thresher predict out/ tumours.csv -o scored.csv",
        "thresher predict out/ tumours.csv --score p --prediction call --unseen raise -o scored.parquet",
    ],
)
@click.argument("folder", metavar="FOLDER", type=str)
@options.SOURCE
def command(folder: str, source: str, how: PredictOptions, printed: PrintOptions) -> None:
    """Score new rows and decide about them, with what learn wrote.

    The rows of FILE come out in their order with two columns added: the model's score, a probability at the class mix
    of the rows it learnt from, and the label that the decision gives. --probability adds that at the class mix of the
    decision. Of several classes there is a column of probabilities for each, "score_" and its name. Without -o rows go
    to standard output, as CSV.
    """
    from thresher._internal.text import log_json, log_line
    from thresher.cli.outputs import STANDARD, require_format, require_outputs, write_with_columns

    if printed.as_json and how.output == STANDARD:
        raise click.UsageError("--json tells of the file written, so it needs --output FILE")
    names = [how.score, how.prediction, *(["probability"] if how.probability else [])]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise click.UsageError(f"two new columns would be called {twice!r}")
    if how.output != STANDARD:
        require_outputs(source=source, output=how.output)
        require_format(how.output)

    from thresher.cli.console.screen import working
    from thresher.cli.learning import Predictor
    from thresher.learning import read_learned

    predictor = Predictor(read_learned(folder, trusted=(how.trusted or "").split(",")), source, how)
    with working("predicting"):
        rows = write_with_columns(source, how.output, predictor.columns())
    if printed.as_json:
        click.echo(log_json(json.dumps({"rows": rows, **predictor.to_dict(), "output": how.output})))
    elif not printed.quiet:
        for line in predictor.lines(rows, how.output):
            click.echo(log_line(line), err=True)
