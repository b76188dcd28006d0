"""One named test per trap of `traps.md` that concerns rankings, tables and the first curves.

The numbers are the trap's; traps of other rooms are tested there.
"""

import ast
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import thresher as th

SOURCE = Path(th.__file__).parent


def test_trap_01_tied_scores_make_one_diagonal_segment_not_a_staircase():
    forwards = th.rank([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5])
    backwards = th.rank([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5])
    assert forwards == backwards
    assert len(th.coverage(forwards)) == 2
    assert th.auc(forwards) == 0.5


def test_trap_02_nearly_equal_scores_are_different_and_float32_is_compared_as_float32():
    close = [0.1, math.nextafter(0.1, 1)]
    assert th.auc(th.rank([0, 1], close)) == 1.0
    assert len(th.rank([0, 1], np.array(close, dtype=np.float32))) == 1  # one float32: the caller made the tie
    apart = np.array([0.1, np.nextafter(np.float32(0.1), np.float32(1))], dtype=np.float32)
    assert th.auc(th.rank([0, 1], apart)) == 1.0
    assert len(th.rank([0, 1], [0.0, -0.0])) == 1
    tiny = [5e-324, 0.0]
    assert th.auc(th.rank([1, 0], tiny)) == 1.0


def test_trap_03_collinear_points_survive_by_exact_arithmetic():
    """0.1 + 0.2 != 0.3 is how a float heuristic loses one of these."""
    r = th.Ranking([3, 2, 1], pos=[1, 2, 3], neg=[10, 20, 30])
    assert len(th.roc(r)[0]) == 4
    assert len(th.hull(r)) == 3
    assert len(th.hull(r, pool="ties")) == 1
    almost = th.Ranking([3, 2, 1], pos=[10**9, 2 * 10**9, 3 * 10**9 + 1], neg=[10**10, 2 * 10**10, 3 * 10**10])
    assert len(th.hull(almost)) == 1


def test_trap_04_positive_is_at_least_the_threshold_and_every_curve_starts_with_nothing():
    r = th.rank([1, 0, 1], [0.9, 0.5, 0.1])
    assert th.tables.contingency_at(r, 0.5).fp == 1
    assert th.tables.contingency_at(r, math.nextafter(0.5, 1)).fp == 0
    curve = th.coverage(r)
    recall, precision, pr_threshold = th.precision_recall(r)
    fpr, tpr, roc_threshold = th.roc(r)
    assert curve.threshold[0] == pr_threshold[0] == roc_threshold[0] == math.inf
    assert (curve.tp[0], curve.fp[0], recall[0], fpr[0], tpr[0]) == (0, 0, 0, 0, 0)
    assert len({len(c) for c in (curve, recall, precision, fpr, tpr, pr_threshold, roc_threshold)}) == 1


def test_trap_05_scores_are_never_flipped():
    assert th.auc(th.rank([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1])) == 0.0
    assert th.auc(th.rank([1, 0, 1, 0, 0], [0.1, 0.2, 0.3, 0.4, 0.5])) == 1 / 6


@pytest.mark.parametrize(
    "labels", [[-1, 1, 1, -1], [1, 2, 2, 1], ["no", "yes", "yes", "no"], pd.Categorical(list("nyyn"))]
)
def test_trap_06_the_positive_class_is_never_guessed_by_sort_order(labels):
    with pytest.raises(th.errors.PositiveLabelError, match="cannot tell which label is positive"):
        th.rank(labels, [0.1, 0.9, 0.3, 0.4])
    positive = labels[1]
    assert th.auc(th.rank(labels, [0.1, 0.9, 0.3, 0.4], positive=positive)) == 0.75
    assert th.auc(th.rank(labels, [0.1, 0.9, 0.3, 0.4], positive=labels[0])) == 0.25


@pytest.mark.parametrize(
    "ask", [th.auc, th.roc, th.pairs, th.hull, th.average_precision, th.pr_area, th.curves.placements]
)
def test_trap_07_one_class_is_one_typed_error(ask):
    """All functions are covered in tests/laws/test_one_class.py."""
    for labels in ([1, 1], [0, 0]):
        with pytest.raises(th.errors.OneClassError):
            ask(th.rank(labels, [0.1, 0.9]))


def test_trap_08_nan_is_refused_and_infinity_ranked():
    with pytest.raises(th.errors.MissingValueError, match=r"2 of 4 scores are missing or NaN \(first at rows 0, 2\)"):
        th.rank([1, 0, 1, 0], [math.nan, 0.1, math.nan, 0.2])
    assert th.auc(th.rank([1, 0, 1, 0], [math.inf, 0.1, 0.3, -math.inf])) == 1.0


def test_trap_09_zero_weights_make_no_threshold_and_negative_ones_are_refused():
    r = th.rank([1, 0, 1], [0.9, 0.5, 0.1], weights=[1, 0, 1])
    assert r.score.tolist() == [0.9, 0.1]
    assert len(th.coverage(r)) == 3
    for bad in (-1, -1e-300):
        with pytest.raises(th.errors.WeightError):
            th.rank([1, 0], [0.9, 0.5], weights=[1, bad])
    with pytest.raises(th.errors.MissingValueError):
        th.rank([1, 0], [0.9, 0.5], weights=[1, math.nan])


def test_trap_10_auc_is_exact_at_four_billion_of_each_class():
    """4e9 · 4e9 = 1.6e19 passes 2**63 = 9.2e18."""
    n = 4 * 10**9
    r = th.Ranking([3, 2, 1], pos=[n - 1, 1, 0], neg=[1, 1, n - 2])
    won = (n - 1) * (n - 1) + (n - 2)
    tied = (n - 1) + 1
    assert th.auc(r) == float(Fraction(2 * won + tied, 2 * n * n))
    assert th.pairs(r).total == n * n
    assert 0 <= th.curves.ranking_error(r) <= 1
    assert th.coverage(r).mcc[1] == pytest.approx(1, abs=1e-9)
    assert len(th.hull(r)) == 3


def test_trap_10_float32_scores_are_not_float32_sums():
    score = np.full(2**24 + 2, 0.5, dtype=np.float32)
    r = th.rank(np.arange(score.size) > 0, score)
    assert (r.Pos, r.Neg) == (2**24 + 1, 1)


def test_trap_12_precision_without_positive_calls_is_undefined_with_a_reason():
    nothing = th.tables.contingency_at(th.rank([1, 0], [0.9, 0.1]), math.inf)
    assert math.isnan(nothing.precision)
    assert nothing.describe("precision") == "precision undefined: nothing is predicted positive"
    assert math.isnan(th.coverage(th.rank([1, 0], [0.9, 0.1])).precision[0])
    assert math.isnan(th.precision_recall(th.rank([1, 0], [0.9, 0.1]))[1][0])


@pytest.mark.parametrize("cells", [(0, 0, 3, 4), (3, 4, 0, 0), (3, 0, 4, 0), (0, 3, 0, 4), (5, 0, 0, 0)])
def test_trap_13_mcc_with_an_empty_row_or_column_is_undefined_with_a_reason(cells):
    table = th.Contingency(*cells)
    assert math.isnan(table.mcc)
    assert table.describe("mcc") == "mcc undefined: a row or column of the table is empty"
    assert math.isnan(th.Contingency(*([cell] for cell in cells)).mcc[0])


def test_trap_26_partial_auc_by_either_rate_raw_and_standardised():
    r = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    assert th.partial_auc(r, fpr=(0, 0.1)) == pytest.approx(0.1 * 0.4 / 2)
    assert th.partial_auc(r, tpr=(0.6, 1)) == pytest.approx(0.4 * 0.8 / 2)
    chance = 0.1**2 / 2
    standardised = 0.5 * (1 + (0.02 - chance) / (0.1 - chance))
    assert th.partial_auc(r, fpr=(0, 0.1), standardised=True) == pytest.approx(standardised)
    assert th.partial_auc(r, fpr=(0, 0.1), standardised=True) != th.partial_auc(r, tpr=(0, 0.1), standardised=True)


def test_trap_31_scores_are_never_squashed():
    r = th.rank([1, 0], [1e6, -40.0])
    assert r.score.tolist() == [1e6, -40.0]
    with pytest.raises(th.errors.ProbabilityError, match="2 of 2 distinct scores lie outside"):
        r.require_probabilities()


def test_trap_32_scores_do_not_pass_for_predictions():
    with pytest.raises(th.errors.LabelError):
        th.contingency([1, 0, 1], [0.7, 0.2, 0.4])
    table = th.contingency([1, 0, 1], [0, 0, 1])  # whatever a score would say, the user's labels count
    assert (table.tp, table.fn) == (1, 1)


def test_trap_33_nothing_is_binned_on_the_way():
    """Ten thousand scores within one percent of each other keep their order."""
    score = 0.5 + np.arange(10_000) / 1e6
    r = th.rank(np.arange(10_000) >= 5_000, score)
    assert len(r) == 10_000
    assert th.auc(r) == 1.0


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_trap_34_a_missing_label_is_not_a_negative(missing):
    labels = pd.Series([1, 0, missing], dtype=object)
    with pytest.raises(th.errors.MissingValueError, match="1 of 3 labels"):
        th.rank(labels, [0.9, 0.5, 0.1])
    r = th.rank(labels, [0.9, 0.5, 0.1], missing="drop")
    assert (r.Pos, r.Neg, r.dropped) == (1, 1, 1)
    assert json.loads(r.to_json())["dropped"] == 1


def test_trap_36_no_private_import_from_a_dependency():
    private = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = []
            if isinstance(node, ast.ImportFrom):
                modules = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            private += [
                f"{path.name}: {module}"
                for module in modules
                if not module.startswith(("thresher", "__future__"))
                and any(part.startswith("_") for part in module.split("."))
            ]
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                root = node.value
                while isinstance(root, ast.Attribute):
                    root = root.value
                if isinstance(root, ast.Name) and root.id in {"np", "numpy", "scipy", "npt"}:
                    private.append(f"{path.name}: {ast.unparse(node)}")
    assert private == []
