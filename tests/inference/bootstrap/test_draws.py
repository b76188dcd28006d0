import numpy as np
import pytest
from scipy.stats import poisson

import thresher as th
from tests.inference.resampling_oracles import example
from thresher.inference.bootstrap import draws as multiplicity
from thresher.inference.bootstrap import draws as resampling
from thresher.inference.bootstrap.bootstrap import bootstrap
from thresher.inference.bootstrap.draws import (
    FEWEST_ITEMS,
    GROUPS_OF_DELETIONS,
    Resampling,
    _mixture,
    multiplicities,
)
from thresher.inference.bootstrap.sample import MOST_CASES_DRAWN_SINGLY, sample_of, sort_rows
from thresher.inference.rows import ScoredRows


@pytest.mark.parametrize("items", [1, 5, FEWEST_ITEMS - 1, FEWEST_ITEMS, FEWEST_ITEMS + 3, 50_001])
def test_as_many_are_drawn_as_there_are(items):
    drawn = multiplicities(items, 3, np.random.default_rng(items))
    assert drawn.shape == (3, items)
    assert drawn.sum(axis=1).tolist() == [items] * 3
    assert drawn.dtype.kind == "i"


def test_counts_are_multinomial():
    """Marginals are binomial, items vary alike and against each other, whatever their place."""
    items, times = FEWEST_ITEMS, 3000
    rng = np.random.default_rng(1)
    drawn = multiplicities(items, times, rng)
    by_number = np.array([np.bincount(rng.integers(0, items, items), minlength=items) for _ in range(times)])
    assert drawn.var() == pytest.approx(1 - 1 / items, abs=0.003)
    for count in range(7):
        share, same = (drawn == count).mean(), (by_number == count).mean()
        assert share == pytest.approx(same, rel=0.05, abs=2e-5)
    halves = drawn[:, : items // 2].sum(axis=1)  # Binomial(n, 1/2)
    assert halves.mean() == pytest.approx(items / 2, abs=4 * np.sqrt(items / 4 / times))
    assert halves.var() == pytest.approx(items / 4, rel=0.12)


def test_the_mixture_is_the_poisson_distribution():
    items = 10_000
    limits, rest = _mixture(items)
    by_byte = np.diff(limits.astype(int), prepend=0) / 256
    left = 1 - limits[-1] / 256
    assert 0 < left < 1 / 50
    result = left * np.diff(rest, prepend=0)
    result[: by_byte.size] += by_byte
    assert result == pytest.approx(poisson.pmf(np.arange(rest.size), 1 - 4 / np.sqrt(items)), abs=1e-15)
    assert rest[-1] == 1


def test_replicates_that_draw_too_many_are_drawn_again(monkeypatch):
    """At a rate of 1 half of them do."""
    monkeypatch.setattr(multiplicity, "_rate", lambda _: 1.0)
    _mixture.cache_clear()
    drawn = multiplicities(FEWEST_ITEMS, 40, np.random.default_rng(2))
    _mixture.cache_clear()
    assert drawn.sum(axis=1).tolist() == [FEWEST_ITEMS] * 40


TREE = th.Ranking.parse("[20+,5-][10+][20+,40-]")


def clustered(seed=0, clusters=12, rows=60):
    labels, scores = example(rows, seed)
    return ScoredRows.of(labels, scores, clusters=np.arange(rows) % clusters)


def plan_of(source, *, stratified=None):
    return Resampling.of(sample_of(source), stratified=stratified)


def test_stratified_draws_keep_the_class_totals_and_others_the_total():
    rng = np.random.default_rng(0)
    for _ in range(20):
        (pos,), (neg,) = plan_of(TREE).times(rng, 1)
        assert (pos.sum(), neg.sum()) == (50, 45)
    totals = [[side.sum() for side in times] for times in plan_of(TREE, stratified=False).each(rng, 200)]
    assert {pos + neg for pos, neg in totals} == {95}
    assert len({pos for pos, _ in totals}) > 10


def test_clusters_are_drawn_entirely():
    rows = sort_rows(clustered())
    assert rows.cluster is not None
    plan = plan_of(rows)
    rng = np.random.default_rng(1)
    totals = []
    for _ in range(30):
        times = np.concatenate(plan.times(rng, 1), axis=1)[0]
        cluster = np.concatenate([rows.cluster[rows.positive], rows.cluster[~rows.positive]])
        of_cluster = [set(times[cluster == number].tolist()) for number in range(12)]
        assert all(len(different) == 1 for different in of_cluster)
        totals.append(sum(different.pop() for different in of_cluster))
    assert set(totals) == {12}


def test_clustered_rows_vary_more_than_single_ones():
    rng = np.random.default_rng(2)
    labels = np.repeat(rng.random(60) < 0.5, 10)
    scores = np.repeat(rng.normal(size=60), 10) + labels
    alone = bootstrap(ScoredRows.of(labels, scores), "auc", replicates=400).values("auc").std()
    together = bootstrap(ScoredRows.of(labels, scores, clusters=np.repeat(np.arange(60), 10)), "auc", replicates=400)
    assert together.values("auc").std() > 2 * alone


def test_a_draw_without_one_class_is_left_out_with_a_note():
    labels = np.array([True] + [False] * 11)
    rows = ScoredRows.of(labels, np.arange(12), clusters=np.arange(12))
    result = bootstrap(rows, "auc", replicates=300)
    assert 0.2 < np.isnan(result.values("auc")).mean() < 0.5  # (11/12)^12 = 0.35
    assert "of 300 replicates" in result.interval("auc").note


def test_clusters_cannot_be_stratified():
    with pytest.raises(th.errors.ArgumentError, match="clusters are drawn whole"):
        plan_of(clustered(), stratified=True)


def test_single_deletions_leave_out_one_case_each():
    result = list(plan_of(TREE).deletions())
    assert [(stratum, alike) for stratum, alike, _ in result] == [(0, 20), (0, 10), (0, 20), (1, 5), (1, 40)]
    for stratum, _, times in result:
        sums = times[0].sum(), times[1].sum()
        assert sums == ((49, 45) if stratum == 0 else (50, 44))
    together = list(plan_of(TREE, stratified=False).deletions())
    assert [times[0].sum() + times[1].sum() for _, _, times in together] == [94] * 5


def test_clusters_are_left_out_entirely():
    rows = clustered()
    result = list(plan_of(rows).deletions())
    assert len(result) == 12
    assert all(times[0].sum() + times[1].sum() == 55 for _, _, times in result)


def test_many_items_are_left_out_in_groups_that_cover_all():
    labels, scores = example(3000, 4)
    plan = plan_of(th.rank(labels, scores), stratified=False)
    result = list(plan.deletions())
    assert len(result) == GROUPS_OF_DELETIONS
    gone = sum(np.concatenate(times) == 0 for _, _, times in result)
    assert (gone == 1).all()


def test_too_many_cases_to_remember_one_by_one():
    big = th.Ranking([2, 1], [MOST_CASES_DRAWN_SINGLY, 0], [0, 5])
    with pytest.raises(th.errors.ArgumentError, match="too many to remember"):
        sample_of(big, singly=True)


@pytest.mark.parametrize("stratified", [True, False])
@pytest.mark.parametrize("at_once", [1, 150, 10**6])
def test_stacks_hold_the_replicates_that_come_one_by_one(monkeypatch, stratified, at_once):
    monkeypatch.setattr(resampling, "ITEMS_AT_ONCE", at_once)
    plan = plan_of(th.rank(np.arange(60) % 3 == 0, np.arange(60.0)), stratified=stratified)
    stacks = list(plan.stacks(np.random.default_rng(5), 25))
    assert {len(pos) for pos, _ in stacks[:-1]} <= {plan.together}
    one_by_one = list(plan.each(np.random.default_rng(5), 25))
    assert len(one_by_one) == 25
    for side in (0, 1):
        assert np.array_equal(np.concatenate([times[side] for times in stacks]), [times[side] for times in one_by_one])


@pytest.mark.parametrize("stratified", ["yes", 1, 0.0])
def test_stratified_is_a_truth_value(stratified):
    with pytest.raises(th.errors.ArgumentError, match="stratified must be True, False or None"):
        th.bootstrap(TREE, "auc", stratified=stratified, replicates=2)


@pytest.mark.parametrize("how", [{"replicates": True}, {"threads": True}])
def test_a_truth_value_is_no_number(how):
    with pytest.raises(th.errors.ArgumentError, match="must be 1, 2, 3"):
        th.bootstrap(TREE, "auc", **how)
