"""`thresher evaluate`: which model to deploy at which threshold."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from thresher.cli import options
from thresher.cli.options import PrintOptions, RowOptions, column_option, option
from thresher.errors import ArgumentError

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation, ScannedEvaluation
    from thresher.tables import OperatingCondition


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """How rows are judged, and the files to write."""

    predictions: tuple[str, ...] = column_option(
        metavar="[MODEL=]COLUMN", help="Column of a model's own predicted labels, reported with its scores."
    )
    current: str | None = column_option(**options.CURRENT)
    prefer: str | None = option(metavar="MODEL", help="Take it if it may be best: first, current, or a model.")
    margin: float = option(default=0.0, help="Differences in cost per case within this do not matter.")
    against: str | None = option(**options.AGAINST)
    measures: tuple[str, ...] = option(
        **options.QUANTITY,
        help="A further quantity of every model, e.g. partial_auc[fpr<=0.1] or recall@fpr<=0.05. "
        "Repeat it for several.",
    )
    output: str | None = option("-o", metavar="FILE", help="Write the interactive report, one HTML file.")
    title: str | None = option(help="Of the report; the file's name by default.")
    figures: str | None = option("--figures", metavar="FOLDER", help="Write the figures into this folder.")
    format: Literal["pdf", "svg", "png"] | None = option(help="Of the figures; svg by default.")
    decision: str | None = option(metavar="FILE", help="Write the decision as JSON, for thresher apply.")


@options.define(
    "evaluate",
    examples=[
        "thresher evaluate predictions.csv --label malignant --score forest --score logistic --cost-ratio 10",
        "thresher evaluate predictions.csv --label malignant --score forest -o report.html --decision decision.json",
    ],
)
@options.SOURCE
def command(source: str, data: RowOptions, how: EvaluateOptions, printed: PrintOptions) -> None:
    """Say which model to deploy at which threshold, and how sure that is.

    FILE holds one row per case: a true label and the score of each model. CSV, TSV, Parquet, Arrow or JSON lines,
    plain or compressed; - reads from standard input. A database is a URL, or a file of DuckDB or SQLite, with --table.
    More rows than fit in memory are counted where they are, and what needs rows is left out.
    """
    from thresher.cli.outputs import place_of, require_outputs

    if how.format and not how.figures:
        raise click.UsageError("--format is of figures, and --figures FOLDER is not given")
    if how.title is not None and not how.output:
        raise click.UsageError("--title is of the report, and --output FILE is not given")
    require_outputs(source=source, figures=how.figures, output=how.output, decision=how.decision)
    declared = data.condition() if data.condition_parts else None

    from thresher._internal.text import count_text
    from thresher.cli.console.evaluation import scan_blocks, summary
    from thresher.cli.console.screen import present, working, written_text
    from thresher.cli.inputs import rows_that_fit
    from thresher.evaluation import evaluate
    from thresher.inference.comparison.difference import require_margin

    require_margin(how.margin)  # even of one model, which is compared with nobody
    title = data.table or Path(place_of(source)).name if how.title is None else how.title
    rows = rows_that_fit(source, data, cluster=data.cluster, predictions=how.predictions, current=how.current)
    if rows is None:
        scan = _scan(source, data, declared, how)
        written = written_text(_write(scan, how, title=title))
        present(printed, scan.to_json, lambda screen: [*scan_blocks(scan, screen.width, title=title), written])
        return
    models = count_text(len(rows.columns["scores"]), "model")
    with working(f"evaluating {models} on {len(rows.columns['labels']):,} rows"):
        evaluation = evaluate(
            **rows.columns,
            predictions=rows.predictions or None,
            current=rows.current,
            condition=declared,
            **data.arguments(),
            prefer=how.prefer,
            margin=how.margin,
            against=how.against,
            measures=how.measures,
        )
    _compute(evaluation, printed)
    written = written_text(_write(evaluation, how, title=title))
    present(printed, evaluation.to_json, lambda screen: [*summary(evaluation, screen, title=title), written])


def _compute(evaluation: Evaluation, printed: PrintOptions) -> None:
    """Compute what will be printed, and say how far that is."""
    from thresher.cli.console.screen import working

    if printed.quiet and not printed.as_json:
        return
    models = (evaluation if printed.as_json else evaluation.shortlist()).models
    with working("computing intervals") as track:
        for i, model in enumerate(models.values(), 1):
            track(f"computing intervals of model {i:,} of {len(models):,}")
            model.to_dict() if printed.as_json else model.numbers


def _scan(
    source: str, data: RowOptions, condition: OperatingCondition | None, how: EvaluateOptions
) -> ScannedEvaluation:
    """The library's `evaluate_scan`; options that need rows are refused first."""
    from thresher.cli.inputs import scan_arguments
    from thresher.evaluation import evaluate_scan
    from thresher.sources.engines.connect import is_engine_source

    if how.measures:
        raise click.UsageError("--measure needs rows that fit in memory; leave it out, or take a sample")
    need_rows = {
        "output": how.output,
        "figures": how.figures,
        "cluster": data.cluster,
        "current": how.current,
        "prefer": how.prefer,
        "against": how.against,
        "prediction": how.predictions,
    }
    if needing := next((name for name, value in need_rows.items() if value), None):
        fix = "leave it out, or give a sample of the rows"
        raise ArgumentError(f"--{needing} needs rows, and there are more than fit", fix)
    with scan_arguments(source, data) as arguments:
        return evaluate_scan(
            source,
            **arguments,
            condition=condition,
            level=data.level,
            margin=how.margin,
            trained_at=data.trained_at,
            # Models are compared inside an engine; files with more rows than fit are counted alone.
            paired=is_engine_source(source) or data.weight is not None,
        )


def _write(evaluation: Evaluation | ScannedEvaluation, how: EvaluateOptions, *, title: str) -> list[str]:
    """Write the files asked for; returns a line for each."""
    from thresher.cli.console.screen import working
    from thresher.evaluation import Evaluation

    written = []
    if how.output and isinstance(evaluation, Evaluation):
        with working("writing the report"):
            evaluation.to_html(how.output, title=title)
        written.append(f"report    {how.output}")
    if how.figures and isinstance(evaluation, Evaluation):
        from thresher.plots import write_figures

        with working("drawing the figures"):
            write_figures(evaluation, how.figures, format=how.format or "svg")
        written.append(f"figures   {how.figures}")
    if how.decision:
        evaluation.decision.save(how.decision)
        written.append(f"decision  {how.decision}")
    return written
