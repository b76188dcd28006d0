import numpy as np
import pytest

from tests.golden import features as golden
from thresher.learning import principal_components, scatter, selection
from thresher.learning.features.selection import exact_selection


def test_scatter_and_j():
    result = scatter(golden.ROWS, golden.LABELS, matrix=True)
    np.testing.assert_allclose(result.within_matrix, golden.WITHIN, atol=1e-15)
    np.testing.assert_allclose(result.between_matrix, golden.BETWEEN)
    np.testing.assert_allclose(result.total_matrix, golden.TOTAL)
    np.testing.assert_allclose(result.total_matrix, np.cov(np.transpose(golden.ROWS), bias=True))
    assert golden.J == result.J
    assert selection(result, 2, criterion="hotelling_lawley").value == pytest.approx(golden.HOTELLING_LAWLEY)


@pytest.mark.parametrize("size", golden.EXACT)
def test_dinkelbachs_steps(size):
    features, steps = golden.EXACT[size]
    result = exact_selection(np.array(golden.TERMS_B), np.array(golden.TERMS_W), size)
    assert result.features.tolist() == features
    assert result.steps == pytest.approx(steps)


def test_principal_components_of_a_turned_cross():
    result = principal_components(golden.CROSS)
    np.testing.assert_allclose(result.variances, golden.CROSS_VARIANCES)
    np.testing.assert_allclose(result.ratios, golden.CROSS_RATIOS)
    np.testing.assert_allclose(np.abs(result.components), np.sqrt(0.5))
    np.testing.assert_allclose(np.abs(result.project([[2.0, 2.0]])), [[np.sqrt(8), 0]], atol=1e-15)
