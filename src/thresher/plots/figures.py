"""`write_figures`: every picture of an evaluation as a file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from thresher._internal.arguments import require_one_of, require_path
from thresher._internal.atomic import replace_file
from thresher._internal.optional import extra
from thresher.errors import ArgumentError
from thresher.evaluation import LeastCostEvaluation, ModelEvaluation, ThresholdEvaluation
from thresher.evaluation.bands import MOST_BANDS, ModelBands, class_bands, model_bands
from thresher.inference import Band, Interval
from thresher.plots.calibration_map import CalibrationMapDisplay
from thresher.plots.cost import BrierCurveDisplay, CostCurveDisplay, NetBenefitDisplay
from thresher.plots.coverage import CoverageDisplay, ROCDisplay
from thresher.plots.display import Display, name_text
from thresher.plots.forest import ComparisonDisplay, MeasuresDisplay
from thresher.plots.gain import GainDisplay, LiftDisplay
from thresher.plots.joint import JointHullDisplay, WinnersDisplay, WinsDisplay
from thresher.plots.losses import MarginLossDisplay
from thresher.plots.models import ModelsDisplay
from thresher.plots.pairs import PairsDisplay
from thresher.plots.precision_recall import PrecisionRecallDisplay, PRGainDisplay
from thresher.plots.reliability import ReliabilityDisplay
from thresher.plots.scores import KSDisplay, ScoresDisplay
from thresher.plots.tables import ConfusionDisplay, ContingencyDisplay

Format: TypeAlias = Literal["pdf", "svg", "png"]
FORMATS = ("pdf", "svg", "png")
MOST_PAIRS = 60
# Without a date or a random salt the same evaluation gives the same bytes.
_METADATA: Mapping[str, Any] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}


def write_figures(
    evaluation: ThresholdEvaluation | LeastCostEvaluation,
    folder: str | os.PathLike[str],
    *,
    format: Format = "pdf",  # noqa: A002
) -> list[Path]:
    """Write all pictures of an evaluation into a folder, and return their paths.

    The folder is made if need be, and files of the same names are replaced. Pictures of calibration are left
    out for scores that are no probabilities. Of more than 20 models the cheapest 20 are drawn. Up to three models have
    bands around their curves, of more models only the one that was chosen. The user's pyplot, backend and style are
    left alone.

    >>> import tempfile
    >>> from thresher import evaluate
    >>> result = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_figures(result, folder, format="svg")][:3]
    ['coverage.svg', 'roc.svg', 'precision-recall.svg']
    """
    require_one_of(format, FORMATS, name="format")
    if not isinstance(evaluation, ThresholdEvaluation | LeastCostEvaluation):
        what = f"this is a {type(evaluation).__name__}, not an evaluation"
        raise ArgumentError(what, "give what evaluate(...) returned")
    extra("matplotlib", name="plot")
    require_path(folder)
    place = Path(folder)
    made = not place.exists()
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(
            f"the folder {str(place)!r} cannot be made: {error.strerror}", "give a folder that can be written to"
        ) from None
    pictures = (
        _of_vectors(evaluation) if isinstance(evaluation, LeastCostEvaluation) else _two_classes(evaluation.shortlist())
    )
    try:
        return [_write(display, place / f"{name}.{format}", format) for name, display in pictures]
    except BaseException:
        if made:
            with suppress(OSError):  # it holds pictures that were finished
                place.rmdir()
        raise


def _two_classes(evaluation: ThresholdEvaluation) -> Iterator[tuple[str, Display]]:
    models = evaluation.models
    probabilities = all(model.brier is not None for model in models.values())
    banded = models if len(models) <= MOST_BANDS else [evaluation.decision.model]
    drawn = {name: model_bands(evaluation, name) for name in banded}
    yield "coverage", CoverageDisplay.from_evaluation(evaluation)
    yield "roc", ROCDisplay.from_evaluation(evaluation, bands=_bands(drawn, "roc"))
    bands = _bands(drawn, "precision_recall")
    yield "precision-recall", PrecisionRecallDisplay.from_evaluation(evaluation, bands=bands)
    yield "precision-recall-gain", PRGainDisplay.from_evaluation(evaluation)
    yield "cost-curve", CostCurveDisplay.from_evaluation(evaluation)
    yield "gain", GainDisplay.from_evaluation(evaluation)
    yield "lift", LiftDisplay.from_evaluation(evaluation)
    if probabilities:
        yield "net-benefit", NetBenefitDisplay.from_evaluation(evaluation, bands=_bands(drawn, "net_benefit"))
        yield "brier-curve", BrierCurveDisplay.from_evaluation(evaluation)
        yield "reliability", ReliabilityDisplay.from_evaluation(evaluation, bands=_bands(drawn, "reliability"))
    yield "measures", MeasuresDisplay.from_evaluation(evaluation)
    if evaluation.comparison is not None:
        yield "comparison", ComparisonDisplay.from_evaluation(evaluation)
        yield "joint-hull", JointHullDisplay.from_evaluation(evaluation)
    yield "winners", WinnersDisplay.from_evaluation(evaluation)
    if len(models) > 1:
        yield "wins", WinsDisplay.from_evaluation(evaluation)
    for ending, model in zip(_endings(list(models)), models.values(), strict=True):
        yield from _of_model(model, ending)


def _of_model(model: ModelEvaluation, ending: str) -> Iterator[tuple[str, Display]]:
    """What shows one model at a time."""
    ranking = model.ranking
    yield f"scores{ending}", ScoresDisplay.from_evaluation(model)
    yield f"ks{ending}", KSDisplay.from_ranking(ranking, name=model.name)
    at = f"{model.name} at {model.choice.threshold:.4g}"
    yield f"table{ending}", ContingencyDisplay.from_table(model.table, name=at)
    maps = {f"{model.name}, isotonic": model.calibration}
    yield f"calibration-map{ending}", CalibrationMapDisplay.from_map(maps, ranking=ranking)
    with np.errstate(over="ignore", invalid="ignore"):
        measurable = bool(np.isfinite(ranking.score[[0, -1]] - model.choice.threshold).all())
    if measurable:
        yield f"margin-losses{ending}", MarginLossDisplay.from_ranking(ranking, boundary=model.choice.threshold)
    if not ranking.weighted and max(ranking.Pos, ranking.Neg) <= MOST_PAIRS:
        yield f"pairs{ending}", PairsDisplay.from_ranking(ranking)


def _of_vectors(evaluation: LeastCostEvaluation) -> Iterator[tuple[str, Display]]:
    endings = _endings(list(evaluation.models))
    for ending, (name, model) in zip(endings, evaluation.models.items(), strict=True):
        yield f"confusion{ending}", ConfusionDisplay.from_matrix(model.confusion, name=name)
    for key in ("recall", "precision"):
        rates = {name: _named(getattr(model.rates, key)) for name, model in evaluation.models.items()}
        yield key, MeasuresDisplay.from_intervals(rates, of=f"{key.capitalize()} by class")
    areas = {name: _named(model.auc.one_vs_rest) for name, model in evaluation.models.items()}
    yield "auc-one-vs-rest", MeasuresDisplay.from_intervals(areas, of="One-vs-rest AUC")
    for measure, comparison in evaluation.comparisons.items():
        yield f"comparison-{measure.replace('_', '-')}", ComparisonDisplay.from_comparison(comparison)
    for ending, name in zip(endings, evaluation.models, strict=True):
        yield from _one_vs_rest(evaluation, name, ending)


def _one_vs_rest(evaluation: LeastCostEvaluation, name: str, ending: str) -> Iterator[tuple[str, Display]]:
    """Each class of one model against the rest, up to three of them with bands."""
    rankings = {str(label): each for label, each in evaluation[name].rankings.items()}
    banded = evaluation.classes if len(rankings) <= MOST_BANDS else ()
    every = {str(label): class_bands(evaluation, name, label) for label in banded}
    drawn = {label: bands for label, bands in every.items() if bands is not None}
    kinds: dict[str, type[ModelsDisplay]] = {"roc": ROCDisplay, "precision_recall": PrecisionRecallDisplay}
    for curve, kind in kinds.items():
        display = kind.from_ranking(rankings, bands=_bands(drawn, curve) or None)
        display.of = f"{name_text(name, longest=20)}, one-vs-rest"
        yield f"{curve.replace('_', '-')}-one-vs-rest{ending}", display


def _named(intervals: Mapping[Any, Interval]) -> dict[str, Interval]:
    return {str(name): interval for name, interval in intervals.items()}


def _bands(drawn: Mapping[str, ModelBands], curve: str) -> dict[str, Band]:
    """The bands of one kind of curve, of the models that have one."""
    every: dict[str, Band | None] = {name: getattr(bands, curve) for name, bands in drawn.items()}
    return {name: band for name, band in every.items() if band is not None}


def _endings(names: list[str]) -> list[str]:
    """What tells the files of models apart: a number and the plain part of the name."""
    if len(names) == 1:
        return [""]
    plain = [re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] for name in names]
    return [f"-{number}-{name}".rstrip("-") for number, name in enumerate(plain, start=1)]


def _write(display: Display, path: Path, kind: Format) -> Path:
    """Draw on a new figure, write a temporary file, and replace the target."""
    import matplotlib.style
    from matplotlib.figure import Figure

    options: dict[str, Any] = {"svg.hashsalt": "thresher", "savefig.dpi": 150, "pdf.fonttype": 42}
    with replace_file(path) as temporary, matplotlib.style.context(["default", options]):
        figure = Figure(figsize=display.size, layout="constrained")
        display.plot(figure.add_subplot())
        figure.savefig(temporary, format=kind, metadata=_METADATA[kind])
    return path
