import pytest

import thresher as th
from tests.golden.references import (
    FAWCETT,
    INTERPOLATED,
    INTERPOLATED_PRECISION,
    INTERPOLATED_RECALL,
    MCC,
    MCC_TABLE,
    REFERENCES,
)
from tests.public import OFFERED


@pytest.mark.parametrize(
    ("id_", "name"),
    [
        (id_, name)
        for id_, reference in REFERENCES.items()
        for name in ("auc", "average_precision", "pr_area")
        if getattr(reference, name) is not None
    ],
)
def test_areas(id_, name):
    reference = REFERENCES[id_]
    assert OFFERED[name](reference.ranking) == pytest.approx(getattr(reference, name), rel=reference.digits)


def test_the_table_of_the_20_instances_at_054():
    table = th.tables.contingency_at(FAWCETT, 0.54)
    assert (table.fpr, table.tpr, table.accuracy) == (0.1, 0.5, 0.70)
    assert th.coverage(FAWCETT).accuracy.max() == 0.70


def test_precision_between_splits_is_a_hyperbola():
    result = th.curves.precision_at(INTERPOLATED, INTERPOLATED_RECALL)
    assert [f"{value:.4f}" for value in result] == INTERPOLATED_PRECISION


def test_mcc():
    assert MCC_TABLE.mcc == pytest.approx(MCC, rel=1e-15)
