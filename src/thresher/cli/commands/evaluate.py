"""`thresher evaluate`: which model to deploy at which threshold, on the terminal and as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from thresher.cli import options
from thresher.cli.app import Door
from thresher.cli.options import ColumnOptions, ConditionOptions, EvaluateOptions, EvaluationFiles, PrintOptions
from thresher.errors import ArgumentError

if TYPE_CHECKING:
    from thresher.cli.inputs import LabelledScores
    from thresher.evaluation import Evaluation, ScannedEvaluation
    from thresher.tables import OperatingCondition


@click.command(
    "evaluate",
    cls=Door,
    examples=[
        "thresher evaluate predictions.csv --label malignant --score forest --score logistic --cost-ratio 10",
        "thresher evaluate predictions.csv --label malignant --score forest -o report.html --decision decision.json",
    ],
)
@options.SOURCE
@options.COLUMNS
@options.CLUSTER
@options.PREDICTION
@options.CONDITION
@options.TRAINED_AT
@options.LEVEL
@options.SEED
@options.CURRENT
@options.PREFER
@click.option("--margin", type=float, default=0.0, help="Differences in cost per case within this do not matter.")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    **options.QUANTITY,
    help="A further quantity of every model, e.g. partial_auc[fpr<=0.1] or recall@fpr<=0.05. Repeat it for several.",
)
@click.option("--output", "-o", metavar="FILE", help="Write the interactive report, one HTML file.")
@click.option("--title", help="Of the report; the file's name unless told.")
@click.option("--figures", metavar="FOLDER", help="Write the figures into this folder.")
@click.option("--format", type=click.Choice(["pdf", "svg", "png"]), help="Of the figures; svg unless told.")
@click.option("--decision", metavar="FILE", help="Write the decision as JSON, for thresher apply.")
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
    settings: EvaluateOptions,
    files: EvaluationFiles,
    printed: PrintOptions,
    cluster: str | None,
    predictions: tuple[str, ...],
    current: str | None,
) -> None:
    """Say which model to deploy at which threshold, and how sure that is.

    FILE holds one row per case: a true label and the score of each model. CSV, TSV, Parquet, Arrow or JSON lines,
    plain or compressed; - reads from standard input. A database is a URL, or a file of DuckDB or SQLite, with --table.
    More rows than fit in memory are counted where they are, and what needs rows is left out.
    """
    from thresher.cli.outputs import place_of, require_outputs

    if files.format and not files.figures:
        raise click.UsageError("--format is of figures, and --figures FOLDER is not given", ctx)
    if files.title is not None and not files.output:
        raise click.UsageError("--title is of the report, and --output FILE is not given", ctx)
    require_outputs(source=source, figures=files.figures, output=files.output, decision=files.decision)
    declared = condition.condition() if condition.declared else None

    from thresher.cli.console.evaluation import scan_blocks, summary
    from thresher.cli.console.screen import present, written_text
    from thresher.cli.inputs import rows_that_fit
    from thresher.inference.comparison.difference import require_margin

    require_margin(settings.margin)  # even of one model, which is compared with nobody
    title = columns.table or Path(place_of(source)).name if files.title is None else files.title
    rows = rows_that_fit(source, columns, cluster=cluster, predictions=predictions, current=current)
    if rows is not None:
        evaluation = evaluate_rows(rows, declared, settings)
        written = write_files(evaluation, files, title=title)
        present(
            printed,
            evaluation.to_json,
            lambda screen: [*summary(evaluation, screen, title=title), written_text(written)],
        )
        return
    if settings.measures:
        raise click.UsageError("--measure needs rows that fit in memory; leave it out, or take a sample", ctx)
    need_rows = {
        "output": files.output,
        "figures": files.figures,
        "cluster": cluster,
        "current": current,
        "prefer": settings.prefer,
        "prediction": predictions,
    }
    for option, value in need_rows.items():
        if value:
            fix = "leave it out, or give a sample of the rows"
            raise ArgumentError(f"--{option} needs rows, and there are more than fit", fix)
    scan = _scan(source, columns, declared, settings)
    written = [f"decision  {files.decision}"] if files.decision else []
    if files.decision:
        scan.decision.save(files.decision)
    present(
        printed,
        scan.to_json,
        lambda screen: [*scan_blocks(scan, screen.width, title=title), written_text(written)],
    )


def evaluate_rows(rows: LabelledScores, condition: OperatingCondition | None, options: EvaluateOptions) -> Evaluation:
    """The library's `evaluate`, as the options say."""
    from thresher.cli.console.screen import working
    from thresher.evaluation import evaluate

    with working(f"evaluating {len(rows.labels):,} rows"):
        return evaluate(
            rows.labels,
            rows.scores,
            positive=rows.positive,
            condition=condition,
            predictions=rows.predictions or None,
            weights=rows.weights,
            clusters=rows.clusters,
            trained_at=options.trained_at,
            measures=options.measures,
            level=options.level,
            current=rows.current,
            prefer=options.prefer,
            margin=options.margin,
            seed=options.seed,
            missing=rows.missing,
        )


def write_files(evaluation: Evaluation, files: EvaluationFiles, *, title: str) -> list[str]:
    """Write the files asked for, each completely or not at all; returns a line for each."""
    from thresher.cli.console.screen import working

    written = []
    if files.output:
        with working("writing the report"):
            evaluation.to_html(files.output, title=title)
        written.append(f"report    {files.output}")
    if files.figures:
        from thresher.plots import write_figures

        with working("drawing the figures"):
            write_figures(evaluation, files.figures, format=files.format or "svg")
        written.append(f"figures   {files.figures}")
    if files.decision:
        evaluation.decision.save(files.decision)
        written.append(f"decision  {files.decision}")
    return written


def _scan(
    source: str, columns: ColumnOptions, condition: OperatingCondition | None, options: EvaluateOptions
) -> ScannedEvaluation:
    from thresher.cli.inputs import scan_arguments
    from thresher.evaluation import evaluate_scan

    with scan_arguments(source, columns) as arguments:
        return evaluate_scan(
            source,
            **arguments,
            condition=condition,
            level=options.level,
            margin=options.margin,
            trained_at=options.trained_at,
        )
