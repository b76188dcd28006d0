"""`thresher compare`: models that scored the same rows, pair by pair."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import click

from thresher.cli import options
from thresher.cli.app import Door
from thresher.cli.options import ColumnOptions, CompareOptions, ConditionOptions, PrintOptions

if TYPE_CHECKING:
    from thresher.inference import Comparison
    from thresher.tables import OperatingCondition


@click.command(
    "compare",
    cls=Door,
    examples=[
        "thresher compare predictions.csv --label malignant --score forest --score logistic --margin 0.01",
        "thresher compare predictions.csv --label malignant --score forest --score bayes --measure cost --cost-ratio 9",
        "thresher compare predictions.csv --label malignant --score forest --score bayes --measure 'net_benefit@0.1'",
    ],
)
@options.SOURCE
@options.COLUMNS
@options.CLUSTER
@click.option(
    "--measure",
    default="auc",
    show_default=True,
    **options.QUANTITY,
    help="auc, partial_auc[fpr<=0.1], brier, net_benefit@0.05, cost, or a measure at each --threshold.",
)
@click.option(
    "--threshold", "thresholds", metavar="MODEL=NUMBER", multiple=True, help="A model's threshold; one per model."
)
@options.CONDITION
@options.TRAINED_AT
@click.option("--margin", type=float, default=0.0, help="Differences within this margin do not matter.")
@click.option("--correction", type=click.Choice(["holm", "none"]), default="holm", show_default=True)
@options.LEVEL
@options.SEED
@click.option("--replicates", type=click.IntRange(min=100), default=2000, show_default=True, help="Of the resampling.")
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
    settings: CompareOptions,
    printed: PrintOptions,
    cluster: str | None,
    thresholds: tuple[str, ...],
) -> None:
    """Compare models that scored the same rows, pair by pair.

    AUCs by DeLong's covariance; losses, partial areas, net benefit and calibration by what each row contributes; all
    else by resampling rows (or clusters) jointly. The difference is that of the first model minus the second.
    """
    from thresher.tables import quantity

    wanted = quantity(settings.measure)
    if wanted.name == "auc" and condition.declared:
        raise click.UsageError("costs and class ratio change no AUC; leave them out, or name another --measure", ctx)
    declared = condition.condition() if condition.declared else None
    by_model = _thresholds(thresholds, ctx)

    from thresher.cli.console.screen import present, working
    from thresher.cli.console.tables import comparison_blocks
    from thresher.cli.inputs import rows_that_fit, scan_arguments
    from thresher.inference import compare, compare_scan

    rows = rows_that_fit(source, columns, cluster=cluster)
    if rows is None:
        of_cost = wanted.name == "expected_cost" and wanted.bare
        with scan_arguments(source, columns) as arguments:
            comparison = compare_scan(
                source,
                **arguments,
                cluster=cluster,
                measure=condition.condition() if of_cost else settings.measure,
                thresholds=by_model,
                margin=settings.margin,
                correction=settings.correction,
                level=settings.level,
                seed=settings.seed,
                replicates=settings.replicates,
            )
    else:
        with working("drawing the data again"):
            comparison = compare(
                rows.labels,
                rows.scores,
                positive=rows.positive,
                weights=rows.weights,
                clusters=rows.clusters,
                missing=rows.missing,
                measure=settings.measure,
                condition=declared,
                trained_at=settings.trained_at,
                thresholds=by_model,
                margin=settings.margin,
                correction=settings.correction,
                level=settings.level,
                seed=settings.seed,
                replicates=settings.replicates,
            )
    mix = "" if declared is None or declared.class_ratio is None else declared.mix
    present(
        printed,
        lambda: _plain(comparison, declared),
        lambda screen: comparison_blocks(comparison, screen.width, mix=mix),
    )


def _thresholds(texts: tuple[str, ...], ctx: click.Context) -> dict[str, float] | None:
    by_model: dict[str, float] = {}
    for text in texts:
        model, equals, value = text.rpartition("=")
        try:
            threshold = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise click.UsageError(f"cannot read --threshold {text!r}; write MODEL=NUMBER", ctx)
        if model in by_model:
            raise click.UsageError(f"--threshold names the model {model!r} twice", ctx)
        by_model[model] = threshold
    return by_model or None


def _plain(comparison: Comparison, condition: OperatingCondition | None) -> str:
    plain = {
        "measure": comparison.measure,
        "estimates": {name: value if math.isfinite(value) else None for name, value in comparison.estimates.items()},
        "differences": [one.to_dict() for one in comparison.differences.values()],
        "condition": None if condition is None else condition.to_dict(),
        "dropped": comparison.dropped,
    }
    return json.dumps(plain, indent=2)
