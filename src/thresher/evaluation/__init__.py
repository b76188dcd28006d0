"""The facade people meet first: evaluate models, and decide for one."""

from thresher.evaluation.decision import Decision, contradictions
from thresher.evaluation.decision_rule import BestConstant, LeastCostRule, ThresholdRule
from thresher.evaluation.engine import ScannedEvaluation, ScannedModel, evaluate_rankings, evaluate_scan
from thresher.evaluation.evaluate import ThresholdEvaluation, evaluate
from thresher.evaluation.least_cost.evaluation import LeastCostEvaluation
from thresher.evaluation.least_cost.model import LeastCostModel
from thresher.evaluation.least_cost.rules import ActionRule
from thresher.evaluation.least_cost.sensitivity import CostSensitivity, OtherCost
from thresher.evaluation.model import ModelEvaluation
from thresher.evaluation.results import Evaluation
from thresher.evaluation.rules import Rule

__all__ = [
    "ActionRule",
    "BestConstant",
    "CostSensitivity",
    "Decision",
    "Evaluation",
    "LeastCostEvaluation",
    "LeastCostModel",
    "LeastCostRule",
    "ModelEvaluation",
    "OtherCost",
    "Rule",
    "ScannedEvaluation",
    "ScannedModel",
    "ThresholdEvaluation",
    "ThresholdRule",
    "contradictions",
    "evaluate",
    "evaluate_rankings",
    "evaluate_scan",
]
