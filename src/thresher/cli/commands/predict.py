"""`thresher predict`: new rows scored, calibrated and decided by what `thresher learn` wrote."""

from __future__ import annotations

import json
from typing import Any

import click

from thresher.cli.app import Door
from thresher.cli.options import PRINTED


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
@PRINTED
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Score new rows and decide about them, with what learn wrote.

    The rows of FILE come out in their order with two columns added: the model's score, a probability at the class mix
    of the rows it learnt from, and the label that the decision's threshold gives. --probability adds that at the class
    mix of the decision. Without -o they go to standard output, as CSV.
    """
    from thresher.cli.outputs import STANDARD, require_format, require_outputs

    source, target = given["source"], given["output"]
    if given["as_json"] and target == STANDARD:
        raise click.UsageError("--json tells of the file written, so it needs --output FILE", ctx)
    names = [given["score"], given["prediction"], *(["probability"] if given["probability"] else [])]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise click.UsageError(f"two new columns would be called {twice!r}", ctx)
    if target != STANDARD:
        require_outputs(source=source, output=target)
        require_format(target)

    from thresher.cli.console.screen import working
    from thresher.cli.learning import Judge, write_predicted
    from thresher.learning import read_learned

    judge = Judge(read_learned(given["folder"]), given)
    with working("predicting"):
        rows = write_predicted(source, target, judge)
    if given["as_json"]:
        click.echo(json.dumps({"rows": rows, **judge.to_dict(), "output": target}))
    elif not given["quiet"]:
        for line in judge.told(rows, None if target == STANDARD else target):
            click.echo(line, err=True)
