"""`thresher compare`: models that scored the same rows, pair by pair."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, Literal

import click

from thresher.cli import options
from thresher.cli.options import PrintOptions, RowOptions, option


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """What is compared, and how."""

    measure: str = option(
        default="auc",
        **options.QUANTITY,
        help="auc, partial_auc[fpr<=0.1], brier, net_benefit@0.05, cost, or a measure at each --threshold.",
    )
    thresholds: tuple[str, ...] = option(metavar="MODEL=NUMBER", help="A model's threshold; one per model.")
    margin: float = option(default=0.0, help="Differences within this margin do not matter.")
    correction: Literal["holm", "none"] = option(default="holm")
    against: str | None = option(**options.AGAINST)
    replicates: int = option(default=2000, **options.REPLICATES)


@options.define(
    "compare",
    examples=[
        "thresher compare predictions.csv --label malignant --score forest --score logistic --margin 0.01",
        "thresher compare predictions.csv --label malignant --score forest --score bayes --measure cost --cost-ratio 9",
        "thresher compare predictions.csv --label malignant --score forest --score bayes --measure 'net_benefit@0.1'",
    ],
)
@options.SOURCE
def command(source: str, data: RowOptions, how: CompareOptions, printed: PrintOptions) -> None:
    """Compare models that scored the same rows, pair by pair.

    AUCs by DeLong's covariance; losses, partial areas, net benefit and calibration by what each row contributes; all
    else by resampling rows (or clusters) jointly. The difference is that of the first model minus the second.
    """
    from thresher.tables import quantity

    wanted = quantity(how.measure)
    if wanted.name == "auc" and data.condition_parts:
        raise click.UsageError("costs and class ratio change no AUC; leave them out, or name another --measure")
    declared = data.condition() if data.condition_parts else None

    from thresher.cli.console.screen import present, working
    from thresher.cli.console.tables import comparison_blocks
    from thresher.cli.inputs import rows_that_fit, scan_arguments
    from thresher.inference import compare, compare_scan

    judged_by: dict[str, Any] = {
        "thresholds": _thresholds(how.thresholds),
        "margin": how.margin,
        "correction": how.correction,
        "against": how.against,
        "level": data.level,
        "seed": data.seed,
        "replicates": how.replicates,
    }
    rows = rows_that_fit(source, data, cluster=data.cluster)
    if rows is None:
        of_cost = wanted.name == "expected_cost" and wanted.bare
        measure = data.condition() if of_cost else how.measure
        with scan_arguments(source, data) as arguments:
            comparison = compare_scan(source, **arguments, clusters=data.cluster, measure=measure, **judged_by)
    else:
        with working("drawing the data again"):
            comparison = compare(
                **rows.columns, measure=how.measure, condition=declared, trained_at=data.trained_at, **judged_by
            )
    mix = "" if declared is None or declared.class_ratio is None else declared.mix
    estimates = comparison.estimates.items()
    plain = {
        "measure": comparison.measure,
        "estimates": {name: value if math.isfinite(value) else None for name, value in estimates},
        "differences": [one.to_dict() for one in comparison.differences.values()],
        "against": comparison.against,
        "condition": None if declared is None else declared.to_dict(),
        "dropped": comparison.dropped,
    }
    text = json.dumps(plain, indent=2)
    present(printed, lambda: text, lambda screen: comparison_blocks(comparison, screen.width, mix=mix))


def _thresholds(texts: tuple[str, ...]) -> dict[str, float] | None:
    by_model: dict[str, float] = {}
    for text in texts:
        model, equals, value = text.rpartition("=")
        try:
            threshold = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise click.UsageError(f"cannot read --threshold {text!r}; write MODEL=NUMBER")
        if model in by_model:
            raise click.UsageError(f"--threshold names the model {model!r} twice")
        by_model[model] = threshold
    return by_model or None
