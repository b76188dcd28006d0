import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.strategies import ranking as drawn_ranking
from tests.strategies import two_class_counts, two_class_rankings
from thresher._internal import parallel

ratios = st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(97, 100)])


def best_in_fractions(ranking, class_ratio, cost_ratio):
    """All best splits and the best of the others, in fractions."""
    tp, fp = ranking.covered()
    odds = cost_ratio * class_ratio * Fraction(ranking.Neg) / Fraction(ranking.Pos)
    costs = [int(b) + (ranking.Pos - int(a)) * odds for a, b in zip(tp, fp, strict=True)]
    least = min(costs)
    dearer = [(cost, split) for split, cost in enumerate(costs) if cost > least]
    return [split for split, cost in enumerate(costs) if cost == least], min(dearer)[1] if dearer else None


def choice_of(ranking, class_ratio, cost_ratio):
    choice = th.choose(ranking, th.OperatingCondition(class_ratio=float(class_ratio), cost_ratio=float(cost_ratio)))
    return choice.splits.tolist(), None if choice.runner_up is None else choice.runner_up.split


@pytest.mark.parametrize("piece", [1, 3, 7])
@given(two_class_rankings, ratios, ratios)
def test_pieces_of_any_length_give_the_same_choice(piece, ranking, class_ratio, cost_ratio):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "CHUNK", piece)
        assert choice_of(ranking, class_ratio, cost_ratio) == best_in_fractions(ranking, class_ratio, cost_ratio)


@pytest.mark.parametrize("seed", range(30))
def test_the_runner_up_is_exact_where_floats_are_not(seed):
    rng = np.random.default_rng(seed)
    rest = 96076792050570581
    pos = [2**58, *rng.integers(1, 40, 6).tolist(), rest]
    neg = [rest, *rng.integers(1, 40, 6).tolist(), 2**58]
    ranking = th.Ranking(range(8, 0, -1), pos, neg)
    assert choice_of(ranking, Fraction(97, 100), Fraction(1)) == best_in_fractions(
        ranking, Fraction(97, 100), Fraction(1)
    )


def test_many_near_ties_beyond_int64_are_settled():
    middle = np.ones(3000, dtype=np.int64)
    pos = np.concatenate([[2**50], middle, [2**49]])
    neg = np.concatenate([[2**49], middle, [2**50]])
    ranking = th.Ranking(np.arange(pos.size, 0, -1), pos, neg)
    assert choice_of(ranking, Fraction(987, 1000), Fraction(1)) == best_in_fractions(
        ranking, Fraction(987, 1000), Fraction(1)
    )


@pytest.mark.parametrize(("apart", "ties"), [(1e-14, 2), (1e-9, 1)])
def test_rough_weights_tie_when_rounding_alone_parts_them(apart, ties):
    weight = np.sqrt(2)
    ranking = th.Ranking([3, 2, 1], pos=[weight, weight * (1 + apart), 0], neg=[0, weight, weight])
    assert th.choose(ranking).splits.size == ties


def ratio_in_fractions(above, below):
    """A quotient as a fraction: infinite for x/0, None for 0/0."""
    if below:
        return Fraction(above, below)
    return math.inf if above else None


RATIOS = {  # all measures that can be infinite
    "lr_plus": lambda tp, fn, fp, tn: ratio_in_fractions(tp * (fp + tn), fp * (tp + fn)),
    "lr_minus": lambda tp, fn, fp, tn: ratio_in_fractions(fn * (fp + tn), tn * (tp + fn)),
    "dor": lambda tp, fn, fp, tn: ratio_in_fractions(tp * tn, fp * fn),
}


late_positives = two_class_counts.map(lambda counts: drawn_ranking([*counts, (1, 0), (2, 0)]))


@given(
    st.one_of(two_class_rankings, late_positives),
    st.sampled_from(sorted(RATIOS)),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_an_infinite_measure_is_a_value_and_only_0_over_0_is_undefined(ranking, name, least, as_function):
    wanted = th.tables.measure(name)
    how = "minimise" if wanted.better == "lower" else "maximise"
    options: dict[str, Any] = {how: wanted.of if as_function else name} | (
        {} if least is None else {"subject_to": f"fpr >= {least}"}
    )
    tables = list(zip(*(map(int, cells) for cells in table_cells(ranking)), strict=True))
    allowed = [i for i, (_, _, fp, tn) in enumerate(tables) if least is None or fp >= least * (fp + tn)]
    defined = {i: value for i in allowed if (value := RATIOS[name](*tables[i])) is not None}
    if not defined:
        with pytest.raises(th.errors.MeasureError, match="undefined at every threshold allowed"):
            th.choose(ranking, **options)
        return
    best = min(defined.values()) if how == "minimise" else max(defined.values())
    worse = {i: value for i, value in defined.items() if value != best}
    choice = th.choose(ranking, **options)
    assert choice.splits.tolist() == [i for i, value in defined.items() if value == best]
    assert choice.value == pytest.approx(float(best))
    next_best = min(worse.values(), default=None) if how == "minimise" else max(worse.values(), default=None)
    assert (choice.runner_up is None) == (next_best is None)
    if choice.runner_up is not None:
        assert worse[choice.runner_up.split] == next_best


def table_cells(ranking):
    curve = th.coverage(ranking)
    return curve.tp, curve.fn, curve.fp, curve.tn


def test_where_every_value_is_infinite_all_tie_and_none_is_next():
    ranking = th.Ranking.parse("[1+,2-][1+][1+]")
    choice = th.choose(ranking, minimise="lr_minus", subject_to="fpr >= 1")
    assert (choice.value, choice.splits.tolist(), choice.runner_up) == (np.inf, [1, 2], None)
