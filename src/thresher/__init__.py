"""Thresher turns classifier scores into decisions."""

from thresher.cautions import Caution
from thresher.curves import (
    Coverage,
    Pairs,
    auc,
    coverage,
    hull,
    pairs,
    pairs_grid,
    partial_auc,
    placements,
    ranking_error,
    roc,
)
from thresher.errors import (
    ArgumentError,
    ConditionError,
    EmptyError,
    InfeasibleError,
    LabelError,
    LengthError,
    MeasureError,
    MissingExtraError,
    MissingValueError,
    NotationError,
    OneClassError,
    PositiveLabelError,
    ProbabilityError,
    ScoreError,
    ThresherError,
    WeightError,
)
from thresher.ranking import Ranking
from thresher.sources import rank
from thresher.tables import MEASURES, Contingency, Measure, contingency, contingency_at, measure

__version__ = "0.1.0"

__all__ = [
    "MEASURES",
    "ArgumentError",
    "Caution",
    "ConditionError",
    "Contingency",
    "Coverage",
    "EmptyError",
    "InfeasibleError",
    "LabelError",
    "LengthError",
    "Measure",
    "MeasureError",
    "MissingExtraError",
    "MissingValueError",
    "NotationError",
    "OneClassError",
    "Pairs",
    "PositiveLabelError",
    "ProbabilityError",
    "Ranking",
    "ScoreError",
    "ThresherError",
    "WeightError",
    "auc",
    "contingency",
    "contingency_at",
    "coverage",
    "hull",
    "measure",
    "pairs",
    "pairs_grid",
    "partial_auc",
    "placements",
    "rank",
    "ranking_error",
    "roc",
]
