"""From raw data to models: preparation, features, models, validation."""
# ruff: noqa: E402 - that scikit-learn is installed is asked before the files that need it

from thresher._internal.optional import extra

extra("sklearn", name="learn")

from thresher._internal.optional import publish
from thresher.learning.artefacts import Deployed, read_learned, write_learned
from thresher.learning.data.column_types import ColumnType, ColumnTypes, column_types
from thresher.learning.data.frame import (
    MissingValues,
    RemainingRows,
    complete_rows,
    distinct_rows,
    frame,
    missing_values,
)
from thresher.learning.data.leakage import leakage
from thresher.learning.data.noise import NoisyLabels, NoisyRows, instance_noise, label_noise
from thresher.learning.data.outliers import OutlierFilter, Outliers
from thresher.learning.data.shift import ColumnShift, CovariateShift, covariate_shift
from thresher.learning.data.split import Split, split
from thresher.learning.data.target import Target, target_column
from thresher.learning.feature_gain import FeatureGain, feature_gain
from thresher.learning.features.pca import PrincipalComponents, principal_components
from thresher.learning.features.scatter import Scatter, scatter, scatter_of_chunks
from thresher.learning.features.search import FeatureSearch, feature_search
from thresher.learning.features.selection import ScatterSelector, Selection, selection
from thresher.learning.learn import learn
from thresher.learning.learned import Learned
from thresher.learning.model_file import SAVED, read_model, write_model
from thresher.learning.models.calibrated import CalibratedModel
from thresher.learning.models.candidates import Neighbours, OneFeatureRule, baselines, candidate_models
from thresher.learning.models.cost_sensitive import CostSensitiveClassifier
from thresher.learning.models.grouped import GroupedModel, grouped
from thresher.learning.models.leaf_tree import LeafTree
from thresher.learning.models.linear import DistanceClassifier
from thresher.learning.models.reading import free_parameters
from thresher.learning.models.tree_drawing import TreeNodes
from thresher.learning.preprocessing.encoders import (
    Categories,
    DateParts,
    DerivedFeatures,
    MissingFlags,
    Numbers,
    TextFeatures,
    named_category,
)
from thresher.learning.preprocessing.preparation import preparation
from thresher.learning.validation.cross_validate import CrossValidation, cross_validate, nested_costs, nested_interval
from thresher.learning.validation.feature_curve import FeatureCurve, feature_curve
from thresher.learning.validation.folds import Folds
from thresher.learning.validation.learning_curve import LearningCurve, learning_curve
from thresher.learning.validation.scoring import cost_scorer
from thresher.learning.validation.study import Study, study

__all__ = ["Deployed", "Learned", "learn", "read_learned", "read_model", "write_learned", "write_model"]
# data
__all__ += ["ColumnShift", "ColumnType", "ColumnTypes", "CovariateShift", "MissingValues", "NoisyLabels", "NoisyRows"]
__all__ += ["OutlierFilter", "Outliers", "RemainingRows", "Split", "Target", "column_types", "complete_rows"]
__all__ += ["covariate_shift", "distinct_rows", "frame", "instance_noise", "label_noise"]
__all__ += ["leakage", "missing_values", "split", "target_column"]
# preprocessing and features
__all__ += ["Categories", "DateParts", "DerivedFeatures", "MissingFlags", "Numbers", "TextFeatures"]
__all__ += ["named_category", "preparation"]
__all__ += ["PrincipalComponents", "Scatter", "ScatterSelector", "Selection", "principal_components", "scatter"]
__all__ += ["scatter_of_chunks", "selection"]
__all__ += ["FeatureGain", "FeatureSearch", "feature_gain", "feature_search"]
# models
__all__ += ["CalibratedModel", "DistanceClassifier", "GroupedModel", "LeafTree", "Neighbours", "OneFeatureRule"]
__all__ += ["CostSensitiveClassifier", "TreeNodes", "baselines", "candidate_models", "free_parameters"]
__all__ += ["grouped"]
# validation
__all__ += ["CrossValidation", "FeatureCurve", "Folds", "LearningCurve", "cost_scorer", "cross_validate"]
__all__ += ["Study", "feature_curve", "learning_curve", "nested_costs", "nested_interval", "study"]

publish(__name__, *(globals()[name] for name in SAVED))
