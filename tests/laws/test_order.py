"""Laws of ranking: AUC counts pairs, only the order of scores matters, the mirror keeps AUC."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import reference
from tests.strategies import labelled_scores, ranking, rows_of, two_class_counts, two_class_rankings

MAPS = {
    "shift and stretch": lambda s: 8 * s + 1024,
    "cube": lambda s: s**3,
    "exponential": np.exp2,
    "ranks": lambda s: np.unique(s, return_inverse=True)[1],
}


@given(labelled_scores(both_classes=True))
def test_auc_is_the_pairs_won_plus_half_the_ties(rows):
    labels, scores = rows
    assert th.auc(th.rank(labels, scores)) == float(reference.auc(rows_of(labels, scores)))


@pytest.mark.parametrize("increasing", MAPS.values(), ids=MAPS)
@given(rows=st.lists(st.tuples(st.booleans(), st.integers(-40, 40)), min_size=2, max_size=40))
def test_a_strictly_increasing_map_of_scores_changes_thresholds_only(increasing, rows):
    labels, scores = map(np.array, zip(*rows, strict=True))
    labels[:2] = True, False
    before, after = th.rank(labels, scores), th.rank(labels, increasing(scores.astype(float)))
    assert str(after) == str(before)
    assert th.auc(after) == th.auc(before)
    assert str(th.hull(after)) == str(th.hull(before))
    curves = th.coverage(before), th.coverage(after)
    for cell in ("tp", "fn", "fp", "tn"):
        assert getattr(curves[0], cell).tolist() == getattr(curves[1], cell).tolist()
    expected = increasing(before.score) if increasing is not MAPS["ranks"] else np.arange(len(before))[::-1]
    assert after.score.tolist() == expected.tolist()


@given(labelled_scores(both_classes=True))
def test_swapping_labels_and_negating_scores_mirrors_roc_and_keeps_auc(rows):
    labels, scores = rows
    r, mirrored = th.rank(labels, scores), th.rank(~labels, -scores)
    fpr, tpr, _ = th.roc(r)
    mirrored_fpr, mirrored_tpr, _ = th.roc(mirrored)
    np.testing.assert_allclose(mirrored_fpr, 1 - tpr[::-1], atol=1e-15)
    np.testing.assert_allclose(mirrored_tpr, 1 - fpr[::-1], atol=1e-15)
    assert th.auc(mirrored) == th.auc(r)


@given(labelled_scores(both_classes=True))
def test_either_alone_turns_auc_round(rows):
    labels, scores = rows
    r = th.rank(labels, scores)
    assert th.auc(th.rank(~labels, scores)) == th.curves.ranking_error(r)
    assert th.auc(th.rank(labels, -scores)) == th.curves.ranking_error(r)


@given(two_class_rankings)
def test_every_case_is_counted_once_at_every_split_and_curves_never_step_back(r):
    curve = th.coverage(r)
    assert len(curve) == len(r) + 1
    assert set((curve.tp + curve.fn).tolist()) == {r.Pos}
    assert set((curve.fp + curve.tn).tolist()) == {r.Neg}
    for rising in (curve.tp, curve.fp, curve.tpr, curve.fpr):
        assert (np.diff(rising) >= 0).all()
    assert (np.diff(curve.tp + curve.fp) > 0).all()
    assert (curve.threshold[1:] < curve.threshold[:-1]).all()


@given(two_class_counts)
def test_areas_under_precision_and_recall_are_what_they_are_called(segments):
    r = ranking(segments)
    assert th.average_precision(r) == pytest.approx(float(reference.average_precision(segments)), rel=1e-12)
    assert th.pr_area(r) == pytest.approx(reference.pr_area(segments, steps=200), abs=1e-6)
