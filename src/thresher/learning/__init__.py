"""From a table of raw data to models and their rankings: preparation, features, models, validation."""
# ruff: noqa: E402 - that scikit-learn is installed is asked before the files that need it

from thresher.extras import extra

extra("sklearn", name="learn")

from thresher.learning.baselines import OneFeatureRule, baselines
from thresher.learning.calibrated_model import CalibratedModel
from thresher.learning.category_columns import Categories
from thresher.learning.column_types import ColumnType, ColumnTypes, column_types
from thresher.learning.cost_scorer import cost_scorer
from thresher.learning.cross_validation import CrossValidation, cross_validate
from thresher.learning.date_parts import DateParts
from thresher.learning.feature_curve import FeatureCurve, feature_curve
from thresher.learning.folder import Deployed, read_learned, write_learned
from thresher.learning.folds import Folds
from thresher.learning.frames import frame
from thresher.learning.grouping import GroupedModel, grouped
from thresher.learning.leakage import leakage
from thresher.learning.learning_curve import LearningCurve, learning_curve
from thresher.learning.leaves import LeafTree
from thresher.learning.linear import DistanceClassifier
from thresher.learning.missing_flags import MissingFlags
from thresher.learning.missing_values import CompleteRows, MissingValues, complete_rows, missing_values
from thresher.learning.model_file import read_model, write_model
from thresher.learning.nested import nested_costs, nested_interval
from thresher.learning.noise import NoisyLabels, NoisyRows, instance_noise, label_noise
from thresher.learning.number_columns import Numbers
from thresher.learning.outlier_filter import OutlierFilter
from thresher.learning.outliers import Outliers
from thresher.learning.preparation import preparation
from thresher.learning.principal_components import PrincipalComponents, principal_components
from thresher.learning.scatter import Scatter, scatter, scatter_of_chunks
from thresher.learning.scatter_selector import ScatterSelector
from thresher.learning.selection import Selection, selection
from thresher.learning.splits import Split, split
from thresher.learning.target_column import Target, target_column
from thresher.learning.text_features import TextFeatures
from thresher.learning.threshold_classifier import ThresholdClassifier
from thresher.learning.workflow import Learned, learn
from thresher.learning.zoo import zoo

__all__ = [
    "CalibratedModel",
    "Categories",
    "ColumnType",
    "ColumnTypes",
    "CompleteRows",
    "CrossValidation",
    "DateParts",
    "Deployed",
    "DistanceClassifier",
    "FeatureCurve",
    "Folds",
    "GroupedModel",
    "LeafTree",
    "Learned",
    "LearningCurve",
    "MissingFlags",
    "MissingValues",
    "NoisyLabels",
    "NoisyRows",
    "Numbers",
    "OneFeatureRule",
    "OutlierFilter",
    "Outliers",
    "PrincipalComponents",
    "Scatter",
    "ScatterSelector",
    "Selection",
    "Split",
    "Target",
    "TextFeatures",
    "ThresholdClassifier",
    "baselines",
    "column_types",
    "complete_rows",
    "cost_scorer",
    "cross_validate",
    "feature_curve",
    "frame",
    "grouped",
    "instance_noise",
    "label_noise",
    "leakage",
    "learn",
    "learning_curve",
    "missing_values",
    "nested_costs",
    "nested_interval",
    "preparation",
    "principal_components",
    "read_learned",
    "read_model",
    "scatter",
    "scatter_of_chunks",
    "selection",
    "split",
    "target_column",
    "write_learned",
    "write_model",
    "zoo",
]
