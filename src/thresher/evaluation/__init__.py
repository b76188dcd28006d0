"""The facade people meet first: evaluate, decide, apply."""

from thresher.evaluation.class_model import MulticlassModel
from thresher.evaluation.decision import Decision, apply, contradictions, decision_schema
from thresher.evaluation.evaluation import Evaluation, evaluate
from thresher.evaluation.model import ModelEvaluation
from thresher.evaluation.multiclass import MulticlassEvaluation, evaluate_classes
from thresher.evaluation.rules import Rule
from thresher.evaluation.scanned import evaluate_scan
from thresher.evaluation.scanned_evaluation import ScannedEvaluation, ScannedModel

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
