"""`thresher compare`: models that scored the same rows, pair by pair."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from thresher.cli import options
from thresher.cli.options import ColumnOptions, ConditionOptions, PrintOptions, option, read

if TYPE_CHECKING:
    from thresher.inference import Comparison
    from thresher.tables import OperatingCondition


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """What is compared, and how."""

    cluster: str | None = read(options.CLUSTER)
    measure: str = option(
        "--measure",
        default="auc",
        show_default=True,
        **options.QUANTITY,
        help="auc, partial_auc[fpr<=0.1], brier, net_benefit@0.05, cost, or a measure at each --threshold.",
    )
    thresholds: tuple[str, ...] = option(
        "--threshold", "thresholds", metavar="MODEL=NUMBER", multiple=True, help="A model's threshold; one per model."
    )
    trained_at: float | None = read(options.TRAINED_AT)
    margin: float = option("--margin", type=float, default=0.0, help="Differences within this margin do not matter.")
    correction: Literal["holm", "none"] = option(
        "--correction", type=click.Choice(["holm", "none"]), default="holm", show_default=True
    )
    level: float = read(options.LEVEL)
    seed: int = read(options.SEED)
    replicates: int = options.replicates(2000)


@options.define(
    "compare",
    examples=[
        "thresher compare predictions.csv --label malignant --score forest --score logistic --margin 0.01",
        "thresher compare predictions.csv --label malignant --score forest --score bayes --measure cost --cost-ratio 9",
        "thresher compare predictions.csv --label malignant --score forest --score bayes --measure 'net_benefit@0.1'",
    ],
)
@options.SOURCE
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    source: str,
    columns: ColumnOptions,
    condition: ConditionOptions,
    how: CompareOptions,
    printed: PrintOptions,
) -> None:
    """Compare models that scored the same rows, pair by pair.

    AUCs by DeLong's covariance; losses, partial areas, net benefit and calibration by what each row contributes; all
    else by resampling rows (or clusters) jointly. The difference is that of the first model minus the second.
    """
    from thresher.tables import quantity

    wanted = quantity(how.measure)
    if wanted.name == "auc" and condition.declared:
        raise click.UsageError("costs and class ratio change no AUC; leave them out, or name another --measure", ctx)
    declared = condition.condition() if condition.declared else None

    from thresher.cli.console.screen import present, working
    from thresher.cli.console.tables import comparison_blocks
    from thresher.cli.inputs import rows_that_fit, scan_arguments
    from thresher.inference import compare, compare_scan

    judged_by: dict[str, Any] = {
        "thresholds": _thresholds(how.thresholds, ctx),
        "margin": how.margin,
        "correction": how.correction,
        "level": how.level,
        "seed": how.seed,
        "replicates": how.replicates,
    }
    rows = rows_that_fit(source, columns, cluster=how.cluster)
    if rows is None:
        of_cost = wanted.name == "expected_cost" and wanted.bare
        measure = condition.condition() if of_cost else how.measure
        with scan_arguments(source, columns) as arguments:
            comparison = compare_scan(source, **arguments, cluster=how.cluster, measure=measure, **judged_by)
    else:
        with working("drawing the data again"):
            comparison = compare(
                **rows.columns, measure=how.measure, condition=declared, trained_at=how.trained_at, **judged_by
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
