"""From a table of raw data to models and their rankings: preparation, features, models, validation."""
# ruff: noqa: E402 - that scikit-learn is installed is asked before the files that need it

from thresher.extras import extra

extra("sklearn", name="learn", where="thresher.learning")

from thresher.learning.principal_components import PrincipalComponents, principal_components
from thresher.learning.scatter import Scatter, scatter, scatter_of_chunks
from thresher.learning.scatter_selector import ScatterSelector
from thresher.learning.selection import Selection, selection

__all__ = [
    "PrincipalComponents",
    "Scatter",
    "ScatterSelector",
    "Selection",
    "principal_components",
    "scatter",
    "scatter_of_chunks",
    "selection",
]
