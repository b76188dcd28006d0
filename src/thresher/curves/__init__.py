"""Every threshold: coverage, ROC, precision-recall, cost, gain and lift curves, the hull, areas and pairs."""

from thresher.curves.area import Pairs, auc, pairs, pairs_grid, partial_auc, placements, ranking_error
from thresher.curves.cost import BrierCurve, CostCurve, NetBenefit, brier_curve, cost_curve, net_benefit
from thresher.curves.coverage import Coverage, coverage, roc
from thresher.curves.gain import KolmogorovSmirnov, gain, ks, lift
from thresher.curves.hull import hull, hull_splits
from thresher.curves.interpolation import CoinRule, coin_at, point_at
from thresher.curves.multiclass import MulticlassAUC, multiclass_auc, one_vs_rest_rankings
from thresher.curves.precision_recall import PRGain, average_precision, pr_area, pr_gain, precision_at, precision_recall
from thresher.curves.thinning import Thinned, thinned

__all__ = [
    "BrierCurve",
    "CoinRule",
    "CostCurve",
    "Coverage",
    "KolmogorovSmirnov",
    "MulticlassAUC",
    "NetBenefit",
    "PRGain",
    "Pairs",
    "Thinned",
    "auc",
    "average_precision",
    "brier_curve",
    "coin_at",
    "cost_curve",
    "coverage",
    "gain",
    "hull",
    "hull_splits",
    "ks",
    "lift",
    "multiclass_auc",
    "net_benefit",
    "one_vs_rest_rankings",
    "pairs",
    "pairs_grid",
    "partial_auc",
    "placements",
    "point_at",
    "pr_area",
    "pr_gain",
    "precision_at",
    "precision_recall",
    "ranking_error",
    "roc",
    "thinned",
]
