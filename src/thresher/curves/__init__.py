"""Every threshold: curves, the hull, areas and pairs."""

from thresher.curves.area import Pairs, Placements, auc, pairs, pairs_grid, partial_auc, placements, ranking_error
from thresher.curves.bounds import (
    Bounds,
    CurveBounds,
    TableBounds,
    auc_bounds,
    average_precision_bounds,
    hull_bounds,
    ks_bounds,
    pr_area_bounds,
    roc_bounds,
    table_bounds,
)
from thresher.curves.class_areas import ClassAreas
from thresher.curves.cost import BrierCurve, CostCurve, NetBenefit, brier_curve, cost_curve, net_benefit
from thresher.curves.coverage import Coverage, ROCCurve, coverage, roc
from thresher.curves.gain import GainCurve, KolmogorovSmirnov, LiftCurve, gain, ks, lift
from thresher.curves.hull import hull, hull_splits
from thresher.curves.interpolation import RandomizedRule, point_at, randomized_rule
from thresher.curves.precision_recall import (
    PrecisionRecallCurve,
    PRGain,
    average_precision,
    pr_area,
    pr_gain,
    precision_at,
    precision_recall,
    precision_sum,
    segment_areas,
)
from thresher.curves.thinning import Thinned, thin

__all__ = [
    "Bounds",
    "BrierCurve",
    "ClassAreas",
    "CostCurve",
    "Coverage",
    "CurveBounds",
    "GainCurve",
    "KolmogorovSmirnov",
    "LiftCurve",
    "NetBenefit",
    "PRGain",
    "Pairs",
    "Placements",
    "PrecisionRecallCurve",
    "ROCCurve",
    "RandomizedRule",
    "TableBounds",
    "Thinned",
    "auc",
    "auc_bounds",
    "average_precision",
    "average_precision_bounds",
    "brier_curve",
    "cost_curve",
    "coverage",
    "gain",
    "hull",
    "hull_bounds",
    "hull_splits",
    "ks",
    "ks_bounds",
    "lift",
    "net_benefit",
    "pairs",
    "pairs_grid",
    "partial_auc",
    "placements",
    "point_at",
    "pr_area",
    "pr_area_bounds",
    "pr_gain",
    "precision_at",
    "precision_recall",
    "precision_sum",
    "randomized_rule",
    "ranking_error",
    "roc",
    "roc_bounds",
    "segment_areas",
    "table_bounds",
    "thin",
]
