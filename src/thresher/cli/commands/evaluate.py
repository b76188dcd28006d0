"""`thresher evaluate`: which model to deploy at which threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

from thresher.cli import options
from thresher.cli.options import GroupOptions, ModelOptions, PrintOptions, RowOptions, column_option, option
from thresher.errors import ArgumentError, ThresherError

if TYPE_CHECKING:
    from rich.console import Console

    from thresher.cli.reading import Group, LabelledScores
    from thresher.evaluation import LeastCostEvaluation, ScannedEvaluation, ThresholdEvaluation
    from thresher.tables import OperatingCondition

    Answer: TypeAlias = ThresholdEvaluation | LeastCostEvaluation | ScannedEvaluation | ThresherError
    Answers: TypeAlias = dict[Group, Answer]

_TOO_MANY = "there are more than fit"


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """How rows are judged, and the files to write."""

    predictions: tuple[str, ...] = column_option(
        metavar="[MODEL=]COLUMN", help="Column of a model's own predicted labels, reported with its scores."
    )
    current: str | None = column_option(**options.CURRENT)
    prefer: str | None = option(metavar="MODEL", help="Take it if it may be best: first, current, or a model.")
    fit: Literal["weights"] | None = option(
        help="Of k classes: fit weights too, and decide by them where they are surely cheaper on rows not fitted on."
    )
    margin: float = option(default=0.0, help="Differences in cost per case within this do not matter.")
    against: str | None = option(**options.AGAINST)
    measures: tuple[str, ...] = option(
        **options.QUANTITY,
        help="A further quantity of every model, e.g. partial_auc[fpr<=0.1] or recall@fpr<=0.05. "
        "Repeat it for several.",
    )
    paired: bool | None = option(
        "--paired/--no-paired",
        default=None,
        help="Compare models row by row. Without either, rows that fit in memory are; more are only counted.",
    )
    exact: bool = option(**options.EXACT)
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
        "thresher evaluate predictions.csv --label malignant --score forest --by said --no-paired",
        'thresher evaluate animals.csv --label animal --probability "tree_{class}" --decision decision.json',
    ],
)
@options.SOURCES
def command(
    sources: tuple[str, ...],
    data: ModelOptions,
    groups: GroupOptions,
    how: EvaluateOptions,
    printed: PrintOptions,
) -> None:
    """Say which model to deploy at which threshold, and how sure that is.

    FILE holds one row per case: a true label and the score of each model. CSV, TSV, Parquet, Arrow or JSON lines,
    plain or compressed; - reads from standard input. A database is a URL, or a file of DuckDB or SQLite, with --table.
    More rows than fit in memory are counted where they are, and what needs rows is left out; so are rankings that
    thresher merge wrote, each of which is a model.

    Of more than two classes, each has a column of probabilities, which --probability names; costs and class mix are
    declared by --costs and --mix. The decision is then the action of least expected cost.
    """
    from thresher.cli.outputs import place_of

    _require_consistent(sources, data, groups, how)
    condition = data.condition() if data.condition_parts else None

    from thresher.cli.console.evaluation import scan_blocks, summary
    from thresher.cli.console.groups import present_groups
    from thresher.cli.console.least_cost import least_cost_blocks
    from thresher.cli.console.screen import written_text
    from thresher.evaluation import LeastCostEvaluation, ThresholdEvaluation
    from thresher.inference.comparison.difference import require_margin

    require_margin(how.margin)  # even of one model, which is compared with nobody
    names = ", ".join(Path(place_of(source)).name for source in sources)
    title = data.table or names if how.title is None else how.title
    answers: Answers | None
    if data.probabilities:
        answers = _evaluate_vectors(sources, data, groups, how)
    else:
        answers = _evaluate_rows(sources, data, groups, condition, how, printed=printed)
    if answers is None:
        answers = _evaluate_counts(sources, data, groups, condition, how)
    written = [] if groups.by else [written_text(_write(each, how, title=title)) for each in answers.values()]

    def blocks(each: Any, screen: Console) -> Iterator[Any]:
        if isinstance(each, ThresholdEvaluation):
            yield from summary(each, screen, title=title)
        elif isinstance(each, LeastCostEvaluation):
            yield from least_cost_blocks(each, title=title)
        else:
            yield from scan_blocks(each, screen.width, title=title)
        yield from written

    def plain(each: Any) -> dict[str, Any]:
        return dict(each.to_dict())

    present_groups(printed, groups.by, answers, plain=plain, blocks=blocks)


def _require_consistent(sources: Sequence[str], data: ModelOptions, groups: GroupOptions, how: EvaluateOptions) -> None:
    """Refuse options without their own, and files that cannot be written."""
    from thresher.cli.outputs import require_outputs

    if how.format and not how.figures:
        raise click.UsageError("--format is of figures, and --figures FOLDER is not given")
    if how.title is not None and not how.output:
        raise click.UsageError("--title is of the report, and --output FILE is not given")
    for source in sources:
        require_outputs(source=source, figures=how.figures, output=how.output, decision=how.decision)
    written_to = {"output": how.output, "figures": how.figures, "decision": how.decision}
    if groups.by and (name := next((name for name, path in written_to.items() if path), None)):
        what = f"--{name} is of one evaluation, and --by makes one for each group"
        raise ArgumentError(what, "take one group at a time with --where, or leave it out")
    from thresher.cli.vectors import require_vectors_alone

    require_vectors_alone(data)
    if how.fit and not data.probabilities:
        what = "--fit is of several classes, and no --probability names their columns"
        raise ArgumentError(what, "leave it out: of two classes the threshold is always fitted")


def _evaluate_vectors(
    sources: Sequence[str], data: ModelOptions, groups: GroupOptions, how: EvaluateOptions
) -> Answers:
    """Evaluate probabilities of k classes, group by group."""
    from thresher.cli.console.screen import working
    from thresher.cli.reading import answer_groups, single_source
    from thresher.cli.vectors import VectorRows, read_vectors
    from thresher.evaluation import evaluate

    rows, condition = read_vectors(
        single_source(sources), data, groups, predictions=how.predictions, current=how.current
    )

    def answer(part: VectorRows) -> LeastCostEvaluation:
        with working(f"evaluating {len(part.arguments['labels']):,} rows"):
            evaluation: LeastCostEvaluation = evaluate(
                **part.arguments,
                other=data.other,
                fit=how.fit,
                predictions=part.predictions or None,
                current=part.current,
                condition=condition,
                level=data.level,
                seed=data.seed,
                prefer=how.prefer,
                margin=how.margin,
                against=how.against,
                measures=how.measures,
            )
        return evaluation

    return dict(answer_groups(rows, answer))


def _evaluate_rows(
    sources: Sequence[str],
    data: RowOptions,
    groups: GroupOptions,
    condition: OperatingCondition | None,
    how: EvaluateOptions,
    *,
    printed: PrintOptions,
) -> Answers | None:
    """Evaluate the rows of each group; None for counts and too many rows."""
    from thresher._internal.text import count_text
    from thresher.cli.console.screen import working
    from thresher.cli.reading import answer_groups, is_ranking, read_rows, single_source
    from thresher.evaluation import evaluate

    if how.paired is False or all(map(is_ranking, sources)):
        return None
    source = single_source(sources)
    rows = read_rows(source, data, groups, cluster=data.cluster, predictions=how.predictions, current=how.current)
    if rows is None:
        return None

    def answer(part: LabelledScores) -> ThresholdEvaluation:
        models = count_text(len(part.columns["scores"]), "model")
        with working(f"evaluating {models} on {len(part.columns['labels']):,} rows"):
            evaluation = evaluate(
                **part.columns,
                predictions=part.predictions or None,
                current=part.current,
                condition=condition,
                **data.arguments(),
                prefer=how.prefer,
                margin=how.margin,
                against=how.against,
                measures=how.measures,
            )
        _compute(evaluation, printed)
        return evaluation

    return dict(answer_groups(rows, answer))


def _compute(evaluation: ThresholdEvaluation, printed: PrintOptions) -> None:
    """Compute what will be printed, and say how far that is."""
    from thresher.cli.console.screen import working

    if printed.quiet and not printed.as_json:
        return
    models = (evaluation if printed.as_json else evaluation.shortlist()).models
    with working("computing intervals") as track:
        for i, model in enumerate(models.values(), 1):
            track(f"computing intervals of model {i:,} of {len(models):,}")
            model.to_dict() if printed.as_json else model.numbers


def _evaluate_counts(
    sources: Sequence[str],
    data: RowOptions,
    groups: GroupOptions,
    condition: OperatingCondition | None,
    how: EvaluateOptions,
) -> Answers:
    """Evaluate the counts of each group; refuses options that need rows."""
    from thresher.cli.console.screen import working
    from thresher.cli.reading import answer_groups, is_ranking, read_rankings, scan_arguments, scan_keywords
    from thresher.evaluation import evaluate_rankings, evaluate_scan

    on_file = all(map(is_ranking, sources))
    why = "there are only counts" if on_file else "--no-paired counts them" if how.paired is False else _TOO_MANY
    needs_rows = {
        "measure": how.measures,
        "output": how.output,
        "figures": how.figures,
        "cluster": data.cluster,
        "current": how.current,
        "prefer": how.prefer,
        "against": how.against,
        "prediction": how.predictions,
        "paired": on_file and how.paired,
        "weight": data.weight and (on_file or how.paired is False),
    }
    if needing := next((name for name, value in needs_rows.items() if value), None):
        fix = "leave it out, or give a sample of the rows" if why == _TOO_MANY else "leave it out, or give rows"
        raise ArgumentError(f"--{needing} needs rows, and {why}", fix)
    judged: dict[str, Any] = {
        "condition": condition,
        "trained_at": data.trained_at,
        "level": data.level,
        "margin": how.margin,
    }
    if how.paired or data.weight is not None:  # rows are sorted in their engine
        if groups.by:
            what = f"{'--paired' if how.paired else '--weight'} sorts rows where they are, and not group by group"
            raise ArgumentError(what, "leave --by out, or take one group at a time with --where")
        with scan_arguments(sources[0], data, groups) as scanned:
            return {(): evaluate_scan(sources[0], **scan_keywords(*scanned), exact=how.exact or None, **judged)}
    counts = read_rankings(sources, data, groups, together=True, exact=how.exact, condition=condition)
    with working("evaluating counts"):
        return dict(answer_groups(counts, lambda models: evaluate_rankings(models, **judged)))


def _write(evaluation: Answer, how: EvaluateOptions, *, title: str) -> list[str]:
    """Write the files asked for; returns a line for each."""
    from thresher.cli.console.screen import working
    from thresher.evaluation import Evaluation, LeastCostEvaluation, ThresholdEvaluation

    written: list[str] = []
    if isinstance(evaluation, ThresherError):
        return written
    if how.output and isinstance(evaluation, Evaluation):
        with working("writing the report"):
            evaluation.to_html(how.output, title=title)
        written.append(f"report    {how.output}")
    if how.figures and isinstance(evaluation, ThresholdEvaluation | LeastCostEvaluation):
        from thresher.plots import write_figures

        with working("drawing the figures"):
            write_figures(evaluation, how.figures, format=how.format or "svg")
        written.append(f"figures   {how.figures}")
    if how.decision:
        evaluation.decision.save(how.decision)
        written.append(f"decision  {how.decision}")
    return written
