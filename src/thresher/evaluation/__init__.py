"""The facade people meet first: evaluate, decide, apply."""

from thresher.evaluation.classes import MulticlassEvaluation, MulticlassModel, evaluate_classes
from thresher.evaluation.decision import Decision, apply, contradictions, decision_schema
from thresher.evaluation.engine import ScannedEvaluation, ScannedModel, evaluate_scan
from thresher.evaluation.evaluate import Evaluation, evaluate
from thresher.evaluation.model import ModelEvaluation
from thresher.evaluation.rules import Rule

__all__ = [
    "Decision",
    "Evaluation",
    "ModelEvaluation",
    "MulticlassEvaluation",
    "MulticlassModel",
    "Rule",
    "ScannedEvaluation",
    "ScannedModel",
    "apply",
    "contradictions",
    "decision_schema",
    "evaluate",
    "evaluate_classes",
    "evaluate_scan",
]
