"""From rows to models: wrappers, trees, folds and curves around scikit-learn."""

from thresher.extras import extra

extra("sklearn", name="learn", where="thresher.learning")

from thresher.learning.calibrated_model import CalibratedModel  # noqa: E402
from thresher.learning.threshold_classifier import ThresholdClassifier  # noqa: E402

__all__ = ["CalibratedModel", "ThresholdClassifier"]
