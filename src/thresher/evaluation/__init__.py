"""The facade people meet first: evaluate, decide, apply."""

from thresher.evaluation.decision import Decision, apply, decision_schema
from thresher.evaluation.evaluation import Evaluation, evaluate
from thresher.evaluation.model import ModelEvaluation

__all__ = ["Decision", "Evaluation", "ModelEvaluation", "apply", "decision_schema", "evaluate"]
