"""The facade people meet first: evaluate, decide, apply."""

from thresher.evaluation.class_model import MulticlassModel
from thresher.evaluation.decision import Decision, apply, decision_schema
from thresher.evaluation.evaluation import Evaluation, evaluate
from thresher.evaluation.model import ModelEvaluation
from thresher.evaluation.multiclass import MulticlassEvaluation, evaluate_classes

__all__ = [
    "Decision",
    "Evaluation",
    "ModelEvaluation",
    "MulticlassEvaluation",
    "MulticlassModel",
    "apply",
    "decision_schema",
    "evaluate",
    "evaluate_classes",
]
