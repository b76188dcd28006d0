"""`thresher compare`: models that scored the same rows, pair by pair."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from thresher.cli import options
from thresher.cli.options import ModelOptions, PrintOptions, option
from thresher.errors import ArgumentError

if TYPE_CHECKING:
    from thresher.inference import Comparison
    from thresher.tables import OperatingCondition


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """What is compared, and how."""

    measure: str | None = option(
        default=None,
        **options.QUANTITY,
        help="auc (the default), partial_auc[fpr<=0.1], brier, net_benefit@0.05, cost, a measure at each --threshold.",
    )
    thresholds: tuple[str, ...] = option(metavar="MODEL=NUMBER", help="A model's threshold; one per model.")
    margin: float = option(default=0.0, help="Differences within this margin do not matter.")
    correction: Literal["holm", "none"] = option(default="holm", help="Of p-values, for the number of pairs.")
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
@options.SOURCES
def command(sources: tuple[str, ...], data: ModelOptions, how: CompareOptions, printed: PrintOptions) -> None:
    """Compare models that scored the same rows, pair by pair.

    AUCs by DeLong's covariance; losses, partial areas, net benefit and calibration by what each row contributes; all
    else by resampling rows (or clusters) jointly. The difference is that of the first model minus the second. FILE
    holds rows; rankings that thresher merge wrote are compared by AUC as if their rows had nothing in common.
    Of k classes (--probability) models are compared by overall_accuracy, macro_f1, expected_cost, brier, log_loss or
    one of four averages of the AUC.
    """
    from thresher.cli.vectors import require_vectors_alone
    from thresher.tables import quantity

    require_vectors_alone(data)
    if data.probabilities:
        _compare_vectors(sources, data, how, printed)
        return
    asked = how.measure or "auc"
    wanted = quantity(asked)
    if wanted.name == "auc" and data.condition_parts:
        raise click.UsageError("costs and class ratio change no AUC; leave them out, or name another --measure")
    declared = data.condition() if data.condition_parts else None

    from thresher.cli.console.screen import working
    from thresher.cli.reading import (
        is_ranking,
        read_rankings,
        read_rows,
        scan_arguments,
        scan_keywords,
        single_source,
    )
    from thresher.inference import compare, compare_rankings, compare_scan

    judged: dict[str, Any] = {"margin": how.margin, "correction": how.correction, "level": data.level}
    judged["against"] = how.against
    drawn: dict[str, Any] = {"thresholds": _thresholds(how.thresholds), "seed": data.seed, "replicates": how.replicates}
    if all(map(is_ranking, sources)):
        if wanted.name != "auc" or not wanted.bare or how.thresholds or data.cluster or data.weight:
            what = "rankings are compared by AUC alone, and everything else needs rows"
            raise ArgumentError(what, "leave --measure, --threshold, --cluster and --weight out, or give rows")
        (models,) = read_rankings(sources, data).values()
        comparison = compare_rankings(models, **judged)
    elif (rows := read_rows(source := single_source(sources), data, cluster=data.cluster)) is not None:
        with working("drawing the data again"):
            (part,) = rows.values()
            comparison = compare(
                **part.columns, measure=asked, condition=declared, trained_at=data.trained_at, **judged, **drawn
            )
    else:
        of_cost = wanted.name == "expected_cost" and wanted.bare
        measure = data.condition() if of_cost else asked
        with scan_arguments(source, data) as scanned:
            comparison = compare_scan(
                source, **scan_keywords(*scanned), clusters=data.cluster, measure=measure, **judged, **drawn
            )
    _print(comparison, declared, printed)


def _compare_vectors(sources: tuple[str, ...], data: ModelOptions, how: CompareOptions, printed: PrintOptions) -> None:
    """Compare models of k classes."""
    from thresher.cli.reading import single_source
    from thresher.cli.vectors import read_vectors
    from thresher.inference import compare

    if how.thresholds:
        raise ArgumentError("--threshold is of two classes", "leave it out")
    rows, condition = read_vectors(single_source(sources), data, options.EVERY_ROW)
    (part,) = rows.values()
    of_cost = how.measure == "expected_cost" or (how.measure is None and data.costs is not None)
    comparison = compare(
        **part.arguments,
        other=data.other,
        measure="expected_cost" if of_cost else how.measure,
        condition=condition if of_cost else None,
        margin=how.margin,
        correction=how.correction,
        against=how.against,
        level=data.level,
    )
    _print(comparison, condition if of_cost else None, printed)


def _print(comparison: Comparison, declared: OperatingCondition | None, printed: PrintOptions) -> None:
    from thresher.cli.console.screen import present
    from thresher.cli.console.tables import comparison_blocks

    mix = "" if declared is None or declared.class_ratio is None else declared.mix_text
    estimates = comparison.estimates.items()
    plain = {
        "measure": comparison.measure,
        "estimates": {name: value if math.isfinite(value) else None for name, value in estimates},
        "paired": comparison.paired,
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
