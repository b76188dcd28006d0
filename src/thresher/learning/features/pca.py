"""Principal components: centre, covariance, eigenvectors, projection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.decomposition import PCA

from thresher._internal.arguments import require_integer, require_seed, short_repr
from thresher._internal.results import Tabular
from thresher.errors import ArgumentError, LengthError, MissingValueError
from thresher.learning.data.frame import LARGEST
from thresher.learning.features.scatter import Matrix, feature_names, number_table
from thresher.ranking import Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrincipalComponents(Tabular):
    """The classical steps and their results; `project` applies them to other rows.

    `components` has one row per component, longest first; `variances` are the eigenvalues of the covariance matrix
    (divisor N - 1, as in scikit-learn). `ratios` and `cumulative` are the heights of a scree plot. The sign of a
    component is arbitrary; its largest entry is made positive.
    """

    names: tuple[str, ...]
    rows: int
    mean: Floats
    scale: Floats
    covariance: Matrix
    variances: Floats
    components: Matrix
    ratios: Floats

    @property
    def cumulative(self) -> Floats:
        """The share of the variance that the first components explain together."""
        return np.cumsum(self.ratios)

    def explaining(self, share: float) -> int:
        """How many components explain at least this share of the variance.

        >>> principal_components([[1, 2], [2, 4], [3, 6.5], [4, 7]]).explaining(0.9)
        1
        """
        if not 0 < share <= 1:
            raise ArgumentError(f"share must lie above 0 and up to 1, got {share}", "e.g. 0.95")
        # The shares add up to 1 only to the last digits.
        enough = self.cumulative >= share - 1e-12
        if not enough.any():
            what = f"the {self.ratios.size:,} components kept explain {self.cumulative[-1]:.4f} of the variance"
            raise ArgumentError(what, "keep more of them with n_components=")
        return int(np.argmax(enough)) + 1

    def project(self, X: Any) -> Matrix:
        """Rows as coordinates along the components."""
        rows = _rows(X)
        if rows.shape[1] != self.mean.size:
            names = ", ".join(self.names[:6]) + (", …" if len(self.names) > 6 else "")
            what = f"X has {rows.shape[1]:,} columns, and the components were found in {self.mean.size:,}"
            raise LengthError(what, f"give the columns {names}")
        return (rows - self.mean) / self.scale @ self.components.T

    def restored(self, projected: Any) -> Matrix:
        """Rows from their coordinates: as far as the components determine them."""
        return np.asarray(projected, dtype=np.float64) @ self.components * self.scale + self.mean

    def _brief(self) -> str:
        explained = f"{self.cumulative[-1]:.1%} of the variance"
        return f"{self.ratios.size:,} of {self.mean.size:,} components, {explained}"

    def _columns(self) -> Mapping[str, Any]:
        return {
            "component": np.arange(1, self.ratios.size + 1),
            "variance": self.variances,
            "ratio": self.ratios,
            "cumulative": self.cumulative,
        }

    def __str__(self) -> str:
        scaled = bool((self.scale != 1).any())
        lines = [
            f"Principal components of {self.rows:,} rows and {self.mean.size:,} features",
            f"1. centred{' and divided by their standard deviations' if scaled else ''}",
            f"2. covariance matrix {self.mean.size:,} x {self.mean.size:,}, trace {np.trace(self.covariance):.4g}",
            f"3. eigenvectors by falling eigenvalue: {self.ratios.size:,} of them",
            f"4. projection onto them explains {self.cumulative[-1]:.1%} of the variance",
            "",
            "component  variance   ratio  cumulative",
        ]
        shown = zip(self.variances[:10], self.ratios, self.cumulative, strict=False)
        lines += [f"{i:9}  {v:8.4g}  {r:6.4f}      {c:6.4f}" for i, (v, r, c) in enumerate(shown, start=1)]
        return "\n".join([*lines, "        …"] if self.ratios.size > 10 else lines)


def principal_components(
    X: Any, *, n_components: int | None = None, standardise: bool = False, seed: int = 0
) -> PrincipalComponents:
    """The directions in which rows vary most, with every classical step in view.

    Features on different scales need `standardise=True`, or the largest scale is the first component; a constant
    feature is then only centred. `seed` matters where scikit-learn solves a large table by random projection.

    >>> from sklearn.datasets import load_iris
    >>> print(principal_components(load_iris().data, standardise=True))
    Principal components of 150 rows and 4 features
    1. centred and divided by their standard deviations
    2. covariance matrix 4 x 4, trace 4
    3. eigenvectors by falling eigenvalue: 4 of them
    4. projection onto them explains 100.0% of the variance
    <BLANKLINE>
    component  variance   ratio  cumulative
            1     2.918  0.7296      0.7296
            2     0.914  0.2285      0.9581
            3    0.1468  0.0367      0.9948
            4   0.02071  0.0052      1.0000
    """
    rows = _rows(X, least=2)
    most = min(len(rows) - 1, rows.shape[1])
    seed = require_seed(seed)
    if n_components is not None:
        fix = "there are no more components than features, nor than rows less one"
        n_components = require_integer(n_components, name="n_components", least=1, most=most, fix=fix)
    if not isinstance(standardise, bool | np.bool_):
        what = f"standardise must be True or False, got {short_repr(standardise)}"
        raise ArgumentError(
            what, "it divides features by their standard deviations; for another scale, scale them first"
        )
    mean = rows.mean(axis=0)
    scale = np.ones(mean.size)
    if standardise:
        # What is left of a constant after centring is rounding, which must not be blown up to variance 1.
        scale = np.where(np.ptp(rows - mean, axis=0) == 0, 1.0, (rows - mean).std(axis=0, ddof=1))
    scaled = (rows - mean) / scale
    covariance = scaled.T @ scaled / (len(rows) - 1)
    if not np.trace(covariance) > 0:
        raise ArgumentError("every feature is constant, so rows vary in no direction", "check the columns")
    pca = PCA(most if n_components is None else n_components, random_state=seed).fit(scaled)
    largest = np.take_along_axis(pca.components_, np.argmax(np.abs(pca.components_), axis=1)[:, None], axis=1)
    components = pca.components_ * np.sign(largest)
    arrays = (mean, scale, covariance, pca.explained_variance_, components, pca.explained_variance_ratio_)
    for array in arrays:
        array.setflags(write=False)
    return PrincipalComponents(feature_names(X, mean.size), len(rows), *arrays)


def _rows(X: Any, *, least: int = 0) -> Matrix:
    rows = number_table(X, least=least)
    if bad := int((~np.isfinite(rows)).sum()):
        what = f"{bad:,} of {rows.size:,} entries are NaN or infinite, and they are never guessed"
        raise MissingValueError(what, "fill them first, or leave out those rows")
    if rows.size and np.abs(rows).max() > LARGEST:
        what = f"the largest entry is {np.abs(rows).max():g}, whose square overflows"
        raise ArgumentError(what, "divide the columns")
    return rows.astype(np.float64)
