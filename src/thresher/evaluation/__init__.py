"""The facade people meet first: evaluate models, and decide for one."""

from thresher.evaluation.classes import MulticlassEvaluation, MulticlassModel, evaluate_classes
from thresher.evaluation.decision import Decision, contradictions
from thresher.evaluation.decision_rule import LeastCostRule, ThresholdRule
from thresher.evaluation.engine import ScannedEvaluation, ScannedModel, evaluate_rankings, evaluate_scan
from thresher.evaluation.evaluate import Evaluation, evaluate
from thresher.evaluation.model import ModelEvaluation
from thresher.evaluation.rules import Rule

__all__ = [
    "Decision",
    "Evaluation",
    "LeastCostRule",
    "ModelEvaluation",
    "MulticlassEvaluation",
    "MulticlassModel",
    "Rule",
    "ScannedEvaluation",
    "ScannedModel",
    "ThresholdRule",
    "contradictions",
    "evaluate",
    "evaluate_classes",
    "evaluate_rankings",
    "evaluate_scan",
]
