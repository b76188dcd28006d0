"""Counting pieces and adding is counting all, whatever the kinds of columns, in memory, by buckets and on disk."""

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.sources.counter import Counter
from thresher.sources.options import Columns, Options

STORES: dict[str, dict[str, Any]] = {
    "memory": {"most_rows": 10**6},
    "disk": {"most_rows": 0, "exact": True},
    "late disk": {"most_rows": 500, "exact": True},
}
BUCKETS: dict[str, dict[str, Any]] = {"buckets": {"most_rows": 0}, "late buckets": {"most_rows": 500}}
SIZE = 1500
RNG = np.random.default_rng(8)
Y = RNG.random(SIZE) < 0.4
P = 1 / (1 + np.exp(-RNG.normal(size=SIZE) - Y))
WILD = RNG.normal(size=SIZE) * 10.0 ** RNG.integers(-9, 9, SIZE)
WILD[:6] = [np.inf, -np.inf, 0.0, -0.0, 5e-324, 1.0]
LABELS: dict[str, Any] = {
    "int": pa.array(Y.astype(np.int8)),
    "bool": pa.array(Y),
    "sign": pa.array(np.where(Y, 1, -1)),
    "far": pa.array(np.where(Y, 10**12, 5)),
    "word": pa.array(np.where(Y, "spam", "ham")),
    "view": pa.array(np.where(Y, "spam", "ham")).cast(pa.string_view()),
    "category": pa.array(np.where(Y, "spam", "ham")).dictionary_encode(),
    "float": pa.array(Y.astype(float)),
    "objects": np.array([None if y is None else "spam" if y else "ham" for y in Y.tolist()], dtype=object),
}
SCORES: dict[str, Any] = {
    "p": P,
    "half": P.astype(np.float32),
    "wild": WILD,
    "whole": RNG.integers(-50, 50, SIZE),
    "small": RNG.integers(-50, 50, SIZE).astype(np.int8),
    "near": 1e9 + np.arange(SIZE) * 1e-6,
}


def count(columns, batches, *, most_rows, slices=7, together=False, **how):
    """The rankings of rows that come in so many batches."""
    counter = Counter(columns, Options(**how), most_rows=most_rows, together=together)
    rows = len(next(iter(batches.values())))
    edges = np.linspace(0, rows, slices + 1).astype(int)
    for start, end in pairwise(edges):
        counter.add({name: values[start:end] for name, values in batches.items()})
    try:
        return counter.rankings()
    finally:
        counter.close()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("label", LABELS)
def test_labels_of_every_kind(store, label):
    positive = {"sign": 1, "far": 10**12}.get(
        label, "spam" if label in ("word", "view", "category", "objects") else None
    )
    actual = count(Columns("y", ("p",)), {"y": LABELS[label], "p": pa.array(P)}, positive=positive, **STORES[store])
    assert actual == {("p", ()): th.rank(Y, P)}


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("arrow", [True, False])
def test_scores_of_every_kind(store, score, arrow):
    values = pa.array(SCORES[score]) if arrow else SCORES[score]
    assert count(Columns("y", ("p",)), {"y": Y, "p": values}, **STORES[store])["p", ()] == th.rank(Y, SCORES[score])


@pytest.mark.parametrize("store", BUCKETS)
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("weighted", [False, True])
def test_buckets_bound_the_truth(store, score, weighted):
    columns = Columns("y", ("p",), "w" if weighted else None)
    weights = RNG.integers(0, 5, SIZE) / 4
    actual = count(columns, {"y": Y, "p": SCORES[score], "w": weights}, buckets=64, **BUCKETS[store])["p", ()]
    exact = th.rank(Y, SCORES[score], weights=weights if weighted else None)
    assert (actual.Pos, actual.Neg) == (exact.Pos, exact.Neg)
    assert th.auc(exact) in th.bounds(actual, "auc")
    assert th.ks(exact).statistic in th.bounds(actual, "ks")
    assert th.average_precision(exact) in th.bounds(actual, "average_precision")
    assert th.choose(exact).expected_cost in th.bounds(actual, "expected_cost")
    threshold = float(np.median(SCORES[score]))
    between, table = th.curves.table_bounds(actual, threshold), th.contingency(Y, SCORES[score] >= threshold)
    if not weighted:
        assert between.least.tp <= table.tp <= between.most.tp
        assert between.least.fp <= table.fp <= between.most.fp


@pytest.mark.parametrize("store", [*STORES, *BUCKETS])
def test_few_scores_are_exact_everywhere(store):
    scores = RNG.integers(0, 20, SIZE) / 16
    assert count(Columns("y", ("p",)), {"y": Y, "p": scores}, **(STORES | BUCKETS)[store])["p", ()] == th.rank(
        Y, scores
    )


@pytest.mark.parametrize("store", [*STORES, *BUCKETS])
def test_groups_scores_and_weights_in_one_pass(store):
    town = np.array(["Oslo", "Rome", None], dtype=object)[np.arange(SIZE) % 3]
    day, weights, scores = RNG.integers(0, 4, SIZE), RNG.integers(0, 3, SIZE), RNG.integers(0, 30, SIZE) / 32
    columns = Columns("y", ("p", "q"), "w", ("town", "day"))
    rows = {"y": Y, "p": scores, "q": scores[::-1], "w": weights, "town": town, "day": pa.array(day)}
    actual = count(columns, rows, **(STORES | BUCKETS)[store])
    assert len(actual) == 24
    for (name, (of_town, of_day)), ranking in actual.items():
        chosen = (town == of_town) & (day == of_day)
        assert ranking == th.rank(Y[chosen], rows[name][chosen], weights=weights[chosen])


@pytest.mark.parametrize("store", [*STORES, *BUCKETS])
def test_what_is_missing_is_counted_with_its_rows(store):
    scores = np.where(np.arange(SIZE) % 50 == 3, np.nan, RNG.integers(0, 30, SIZE) / 32)
    labels = pa.array([None if i in (7, 900) else bool(y) for i, y in enumerate(Y)])
    rows = {"y": labels, "p": pa.array(scores)}
    with pytest.raises(
        th.errors.MissingValueError,
        match=r"2 of 1,500 labels .* rows 7, 900\); 30 of 1,500 scores .* rows 3, 53, 103, 153, 203\)",
    ):
        count(Columns("y", ("p",)), rows, **(STORES | BUCKETS)[store])
    actual = count(Columns("y", ("p",)), rows, missing="drop", **(STORES | BUCKETS)[store])["p", ()]
    left = ~np.isnan(scores) & ~np.isin(np.arange(SIZE), (7, 900))
    assert actual == th.rank(Y[left], scores[left])
    assert actual.dropped == 32


@pytest.mark.parametrize("store", [*STORES, *BUCKETS])
def test_rows_that_miss_any_score_may_be_left_out_of_all(store):
    p, q = RNG.integers(0, 9, SIZE) / 8, RNG.integers(0, 9, SIZE) / 8
    p[::10], q[::15] = np.nan, np.nan
    columns, both = Columns("y", ("p", "q")), ~np.isnan(p) & ~np.isnan(q)
    how = (STORES | BUCKETS)[store]
    actual = count(columns, {"y": Y, "p": p, "q": q}, missing="drop", together=True, **how)
    assert {name: ranking.total for (name, _), ranking in actual.items()} == dict.fromkeys("pq", both.sum())
    apart = count(columns, {"y": Y, "p": p, "q": q}, missing="drop", **how)
    assert apart["p", ()] == th.rank(Y[~np.isnan(p)], p[~np.isnan(p)])


@pytest.mark.parametrize("store", [*STORES, *BUCKETS])
def test_more_than_two_labels_are_counted(store):
    labels = pa.array(np.where(Y, "a", np.where(P > 0.5, "b", "c")))
    with pytest.raises(th.errors.LabelError, match=r"more than two labels: .* × 'b'"):
        count(Columns("y", ("p",)), {"y": labels, "p": pa.array(P)}, positive="a", **(STORES | BUCKETS)[store])
    with pytest.raises(th.errors.LabelError, match=r"more than two labels: .*…"):
        count(Columns("y", ("p",)), {"y": pa.array(P.astype(str)), "p": pa.array(P)}, **(STORES | BUCKETS)[store])


rows_of = st.lists(
    st.tuples(
        st.booleans(), st.one_of(st.floats(allow_nan=False), st.sampled_from([0.0, 0.5, 1.0])), st.integers(0, 3)
    ),
    min_size=1,
    max_size=60,
)


@given(rows_of, st.integers(1, 5), st.randoms(use_true_random=False))
def test_pieces_orders_and_weights(rows, slices, random):
    """Pieces add up, their order is irrelevant, and a weight of w is the row w times."""
    rows = [row for row in rows if row[2]] or [(True, 0.5, 1)]
    shuffled = random.sample(rows, len(rows))
    many = [row for row in rows for _ in range(row[2])]

    def columns(of, *names):
        each = dict(zip("ypw", map(np.array, zip(*of, strict=True)), strict=True))
        return {name: each[name] for name in names}

    exact = th.rank(*columns(many, "y", "p").values())
    for how in (STORES | BUCKETS).values():
        weighted = count(Columns("y", ("p",), "w"), columns(shuffled, "y", "p", "w"), slices=slices, buckets=16, **how)
        plain = count(Columns("y", ("p",)), columns(many, "y", "p"), slices=slices, buckets=16, **how)["p", ()]
        for actual in (weighted["p", ()], plain):
            assert (actual.Pos, actual.Neg) == (exact.Pos, exact.Neg)
            if how.get("exact") or how["most_rows"]:
                assert actual == exact
            if exact.Pos and exact.Neg:
                assert th.auc(exact) in th.bounds(actual, "auc")
