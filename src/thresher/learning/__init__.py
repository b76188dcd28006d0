"""From a table of raw data to models and their rankings: preparation, features, models, validation."""
# ruff: noqa: E402 - that scikit-learn is installed is asked before the files that need it

from thresher.extras import extra

extra("sklearn", name="learn", where="thresher.learning")

from thresher.learning.category_columns import Categories
from thresher.learning.column_types import ColumnType, ColumnTypes, column_types
from thresher.learning.date_parts import DateParts
from thresher.learning.frames import frame
from thresher.learning.leakage import leakage
from thresher.learning.missing_flags import MissingFlags
from thresher.learning.missing_values import CompleteRows, MissingValues, complete_rows, missing_values
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

__all__ = [
    "Categories",
    "ColumnType",
    "ColumnTypes",
    "CompleteRows",
    "DateParts",
    "MissingFlags",
    "MissingValues",
    "NoisyLabels",
    "NoisyRows",
    "Numbers",
    "OutlierFilter",
    "Outliers",
    "PrincipalComponents",
    "Scatter",
    "ScatterSelector",
    "Selection",
    "Split",
    "Target",
    "TextFeatures",
    "column_types",
    "complete_rows",
    "frame",
    "instance_noise",
    "label_noise",
    "leakage",
    "missing_values",
    "preparation",
    "principal_components",
    "scatter",
    "scatter_of_chunks",
    "selection",
    "split",
    "target_column",
]
