"""From rows to models: wrappers, trees, folds and curves around scikit-learn."""

from thresher.extras import extra

extra("sklearn", name="learn", where="thresher.learning")

from thresher.learning.calibrated_model import CalibratedModel  # noqa: E402
from thresher.learning.cross_validation import CrossValidation, cross_validate  # noqa: E402
from thresher.learning.feature_curve import FeatureCurve, feature_curve  # noqa: E402
from thresher.learning.folds import Folds  # noqa: E402
from thresher.learning.grouping import GroupedModel, grouped  # noqa: E402
from thresher.learning.learning_curve import LearningCurve, learning_curve  # noqa: E402
from thresher.learning.leaves import LeafTree  # noqa: E402
from thresher.learning.linear import DistanceClassifier  # noqa: E402
from thresher.learning.threshold_classifier import ThresholdClassifier  # noqa: E402

__all__ = [
    "CalibratedModel",
    "CrossValidation",
    "DistanceClassifier",
    "FeatureCurve",
    "Folds",
    "GroupedModel",
    "LeafTree",
    "LearningCurve",
    "ThresholdClassifier",
    "cross_validate",
    "feature_curve",
    "grouped",
    "learning_curve",
]
