"""Tables from what reports print: any four independent numbers, arrays either way round, and texts."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

import thresher as th
from thresher.tables.reconstruction import COUNTS, RATES

WORDS = (*COUNTS, *RATES)
EXAMPLE = th.Contingency(tp=60, fn=15, fp=10, tn=15)
ANY: Any = None


def determinant(rows):
    """By permutations, in exact arithmetic."""
    return sum(
        math.prod((rows[i][j] for i, j in enumerate(order)), start=Fraction(sign(order)))
        for order in itertools.permutations(range(4))
    )


def sign(order):
    return (-1) ** sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])


def row_of(word, cells):
    """What a word says of the cells of a table, linearly; None where it is 0/0."""
    if word in COUNTS:
        return list(map(Fraction, COUNTS[word]))
    above, below = RATES[word]
    number, total = (sum(a * c for a, c in zip(each, cells, strict=True)) for each in (above, below))
    return None if not total else [a - Fraction(number, total) * b for a, b in zip(above, below, strict=True)]


@pytest.mark.parametrize("seed", range(10))
def test_every_independent_four_rebuild_the_table(seed):
    rng = np.random.default_rng(seed)
    for cells in rng.integers(0, 40, size=(10, 4)).tolist():
        table = th.Contingency(*cells)
        words = [word for word in WORDS if row_of(word, cells) is not None]
        fours = list(itertools.combinations(words, 4))
        for four in (fours[i] for i in rng.choice(len(fours), 40, replace=False)):
            values = {word: getattr(table, word) for word in four}
            if determinant([row_of(word, cells) for word in four]):
                assert th.Contingency.of(**values) == table
            else:
                with pytest.raises(th.ThresherError, match="leave the table open"):
                    th.Contingency.of(**values)


@pytest.mark.parametrize(
    "words",
    [
        {"Pos": 75, "Neg": 25, "tp": 60, "fp": 10},
        {"tp": 60, "tn": 15, "Pos": 75, "total": 100},
        {"tpr": 0.8, "fpr": 0.4, "Pos": 75, "Neg": 25},
        {"precision": 6 / 7, "tpr": 0.8, "prevalence": 0.75, "total": 100},
        {"tpr": 0.8, "tnr": 0.6, "accuracy": 0.75, "total": 100},
        {"tpr": 0.8, "tnr": 0.6, "accuracy": 0.75, "total": 100, "fn": 15, "f1": 120 / 145},
    ],
)
def test_one_table_in_many_words(words):
    assert th.Contingency.of(**words) == EXAMPLE


@pytest.mark.parametrize(
    "words", [("tpr", "fpr", "Pos", "Neg"), ("accuracy", "precision", "total"), ("f1", "npv", "total")]
)
def test_rounded_rates_list_every_table_that_prints_them(words):
    rng = np.random.default_rng(3)
    for cells in rng.integers(1, 9, size=(5, 4)).tolist():
        table = th.Contingency(*cells)
        printed = {word: getattr(table, word) if word in COUNTS else round(getattr(table, word), 2) for word in words}
        every = [
            th.Contingency(*each)
            for each in itertools.product(range(table.total + 1), repeat=4)
            if sum(each) == table.total
        ]
        slowly = [
            each
            for each in every
            if all(
                getattr(each, word) == printed[word] if word in COUNTS else prints(getattr(each, word), printed[word])
                for word in words
            )
        ]
        listed = th.Contingency.of(**printed, decimals=2)
        assert table in listed
        key = lambda one: (one.tp, one.fn, one.fp, one.tn)  # noqa: E731
        assert sorted(map(key, listed)) == sorted(map(key, slowly))


def prints(rate, printed):
    return not math.isnan(rate) and abs(rate - printed) <= 0.005 + 1e-12


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({}, "no numbers leave the table open"),
        ({"tp": 1, "fn": 2, "fp": 3}, "one more would settle it: tn, Neg, total"),
        ({"tpr": 0.7, "tnr": 0.7, "accuracy": 0.7, "total": 9}, "leave the table open"),
        ({"tpr": 0.7, "fnr": 0.3, "total": 10}, "give four independent ones"),
        ({"tp": 1, "fn": 2, "Pos": 4, "Neg": 1}, "Pos=4 contradicts tp=1 and fn=2"),
        ({"tp": 9, "Pos": 5, "fp": 1, "Neg": 4}, "would need fn=-4"),
        ({"tpr": 1.5, "Pos": 2, "fp": 1, "Neg": 4}, r"tpr must be a rate in \[0, 1\], got 1.5"),
        ({"tpr": ANY, "Pos": 2}, "tpr must be a number"),
        ({"tp": -1}, "tp must be 0 or more cases"),
        ({"recal": 0.5}, "no number called 'recal'"),
        ({"tpr": 0.5, "decimals": 2}, "the size of the table is open"),
        ({"tpr": 0.5, "total": 10**5, "decimals": 2}, "tables would have to be tried"),
        ({"tpr": 0.5, "total": 10.5, "decimals": 2}, "total is no whole number"),
        ({"tpr": 0.5, "total": 10, "decimals": -1}, "decimals must be at least 0"),
    ],
)
def test_what_is_refused_names_the_words_at_fault(words, message):
    with pytest.raises(th.ThresherError, match=message):
        th.Contingency.of(**words)


def test_suggestions_leave_out_what_is_known_already():
    with pytest.raises(th.ThresherError) as refused:
        th.Contingency.of(tpr=0.8, Pos=75, fpr=0.4)
    suggested = refused.value.fix.partition(": ")[2].split(", ")
    assert "Neg" in suggested
    assert {"tp", "fn", "fnr", "tnr"}.isdisjoint(suggested)
    for word in suggested:
        assert th.Contingency.of(tpr=0.8, Pos=75, fpr=0.4, **{word: getattr(EXAMPLE, word)}) == EXAMPLE


def test_arrays_say_which_way_round_they_are():
    labels, calls = np.array([1, 1, 1, 0, 0, 0, 0]), np.array([1, 0, 1, 0, 1, 0, 0])
    table = th.contingency(labels, calls)
    assert th.Contingency.from_array(confusion_matrix(labels, calls), rows="actual", order=("-", "+")) == table
    turned = [[table.tp, table.fp], [table.fn, table.tn]]
    assert th.Contingency.from_array(turned, rows="predicted", order=("+", "-")) == table
    counts = np.array([[7, 2, 1], [2, 83, 1], [0, 1, 3]])
    matrix = th.ConfusionMatrix(counts, classes="abc")
    assert th.ConfusionMatrix.from_array(counts, "abc", rows="actual") == matrix
    assert th.ConfusionMatrix.from_array(counts.T, "abc", rows="predicted") == matrix


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: th.Contingency.from_array([[1, 2], [3, 4]], order=("+", "-")), 'rows must be "actual"'),
        (lambda: th.Contingency.from_array([[1, 2], [3, 4]], rows="actual"), 'order must be "[+]-"'),
        (lambda: th.Contingency.from_array([[1, 2]], rows="actual", order=("+", "-")), r"shape \(1, 2\)"),
        (lambda: th.Contingency.from_array([[1, -2], [3, 4]], rows="actual", order=("+", "-")), "fn is -2"),
        (lambda: th.ConfusionMatrix.from_array([[1, 2], [3, 4]], "ab"), "rows must be"),
        (lambda: EXAMPLE.text(rows=ANY), "rows must be"),
    ],
)
def test_arrays_that_do_not_say_it_are_refused(call, message):
    with pytest.raises(th.ThresherError, match=message):
        call()


def test_texts_turn_round():
    assert EXAMPLE.text() == str(EXAMPLE)
    turned = EXAMPLE.text(rows="predicted").splitlines()
    assert turned[0].split() == ["actual", "+", "actual", "-", "total"]
    assert turned[1].split() == ["pred.", "+", "60", "10", "70"]
    matrix = th.ConfusionMatrix([[7, 2], [1, 90]], classes="ab")
    assert matrix.text() == str(matrix)
    assert matrix.text(rows="predicted").splitlines()[1].split() == ["a", "7", "1", "8", "0.8750"]
