"""Pictures of things already computed, as scikit-learn does (extra `plot`)."""

from thresher.plots.calibration_map import CalibrationMapDisplay
from thresher.plots.cost import BrierCurveDisplay, CostCurveDisplay, NetBenefitDisplay
from thresher.plots.coverage import CoverageDisplay, ROCDisplay
from thresher.plots.display import Display
from thresher.plots.figures import write_figures
from thresher.plots.forest import ComparisonDisplay, MeasuresDisplay
from thresher.plots.gain import GainDisplay, LiftDisplay
from thresher.plots.joint import JointHullDisplay, WinnersDisplay, WinsDisplay
from thresher.plots.learning import FeatureCurveDisplay, LearningCurveDisplay, ScreeDisplay, StudyDisplay
from thresher.plots.losses import MarginLossDisplay
from thresher.plots.pairs import PairsDisplay
from thresher.plots.precision_recall import PrecisionRecallDisplay, PRGainDisplay
from thresher.plots.reliability import ReliabilityDisplay
from thresher.plots.rows import (
    BoundaryDisplay,
    ColumnsDisplay,
    ComponentsDisplay,
    CorrelationDisplay,
    FoldsDisplay,
    ScatterDisplay,
    redundant_pairs,
)
from thresher.plots.scores import KSDisplay, ScoresDisplay
from thresher.plots.tables import ConfusionDisplay, ContingencyDisplay

__all__ = [
    "BoundaryDisplay",
    "BrierCurveDisplay",
    "CalibrationMapDisplay",
    "ColumnsDisplay",
    "ComparisonDisplay",
    "ComponentsDisplay",
    "ConfusionDisplay",
    "ContingencyDisplay",
    "CorrelationDisplay",
    "CostCurveDisplay",
    "CoverageDisplay",
    "Display",
    "FeatureCurveDisplay",
    "FoldsDisplay",
    "GainDisplay",
    "JointHullDisplay",
    "KSDisplay",
    "LearningCurveDisplay",
    "LiftDisplay",
    "MarginLossDisplay",
    "MeasuresDisplay",
    "NetBenefitDisplay",
    "PRGainDisplay",
    "PairsDisplay",
    "PrecisionRecallDisplay",
    "ROCDisplay",
    "ReliabilityDisplay",
    "ScatterDisplay",
    "ScoresDisplay",
    "ScreeDisplay",
    "StudyDisplay",
    "WinnersDisplay",
    "WinsDisplay",
    "redundant_pairs",
    "write_figures",
]
