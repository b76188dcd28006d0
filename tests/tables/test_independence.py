import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from thresher.curves import coverage
from thresher.errors import ArgumentError, OneClassError, WeightError
from thresher.ranking import Ranking
from thresher.tables import ConfusionMatrix, Contingency
from thresher.tables.independence import chi_squared, fisher

C1 = Contingency(tp=30, fn=20, fp=10, tn=40)
C2 = Contingency(tp=20, fn=30, fp=20, tn=30)
ALTERNATIVES: Any = ["two-sided", "greater", "less"]


def square(table):
    return [[table.tp, table.fn], [table.fp, table.tn]]


def has_marginals(table):
    return all((table.Pos, table.Neg, table.predicted_positive, table.predicted_negative))


small = st.builds(Contingency, *[st.integers(0, 8)] * 4).filter(has_marginals)
large = st.builds(Contingency, *[st.integers(0, 5000)] * 4).filter(has_marginals)


class TestGolden:
    def test_c1_depends_and_expects_c2(self):
        for test in (chi_squared(C1), fisher(C1)):
            assert test.expected == C2
            assert test.p_value < 1e-4
        assert chi_squared(C1).statistic == pytest.approx(100 * C1.mcc**2)  # χ² = n φ²

    def test_c2_is_independent(self):
        assert (chi_squared(C2).statistic, chi_squared(C2).p_value) == (0, 1)
        assert (fisher(C2).odds_ratio, fisher(C2).p_value) == pytest.approx((1, 1))


class TestChiSquared:
    @given(st.one_of(small, large), st.booleans())
    def test_scipy_agrees(self, table, correction):
        test = chi_squared(table, correction=correction)
        statistic, p_value, freedom, expected = stats.chi2_contingency(square(table), correction=correction)
        assert test.statistic == pytest.approx(statistic, abs=1e-9)
        assert test.p_value == pytest.approx(p_value, abs=1e-9)
        assert test.degrees_of_freedom == freedom
        assert square(test.expected) == pytest.approx(expected)

    @given(st.lists(st.integers(1, 9), min_size=9, max_size=9))
    def test_scipy_agrees_on_three_classes(self, cells):
        test = chi_squared(ConfusionMatrix(np.reshape(cells, (3, 3)), ["a", "b", "c"]))
        statistic, p_value, freedom, expected = stats.chi2_contingency(np.reshape(cells, (3, 3)))
        assert (test.statistic, test.p_value) == pytest.approx((statistic, p_value), abs=1e-12)
        assert test.degrees_of_freedom == freedom == 4
        assert test.expected.counts == pytest.approx(expected)

    def test_two_classes_are_a_contingency_table(self):
        matrix = ConfusionMatrix([[30, 20], [10, 40]], ["spam", "ham"])
        assert str(chi_squared(matrix, correction=True)) == str(chi_squared(C1, correction=True))

    def test_correction_is_for_two_classes(self):
        with pytest.raises(ArgumentError, match="Yates' correction is for 2×2 tables, and this one is 3×3"):
            chi_squared(ConfusionMatrix(np.ones((3, 3)), [1, 2, 3]), correction=True)

    def test_words(self):
        matrix = ConfusionMatrix([[3, 1, 1], [1, 3, 1], [1, 1, 3]], [1, 2, 3])
        assert str(chi_squared(matrix)) == "χ² 4.8 on 4 degrees of freedom, p 0.308"


class TestFisher:
    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @given(table=st.one_of(small, large))
    def test_scipy_agrees(self, alternative, table):
        test = fisher(table, alternative=alternative)
        odds_ratio, p_value = stats.fisher_exact(square(table), alternative=alternative)
        assert test.p_value == pytest.approx(p_value, abs=1e-12)
        assert test.odds_ratio == test.statistic == pytest.approx(odds_ratio)

    @given(small)
    def test_slow_oracle(self, table):
        """Every table with these marginals, one by one, by its hypergeometric probability."""
        yes, Pos, total = table.predicted_positive, table.Pos, table.total
        chance = {
            tp: math.comb(Pos, tp) * math.comb(total - Pos, yes - tp)
            for tp in range(max(0, yes - (total - Pos)), min(Pos, yes) + 1)
        }
        expected = {
            "greater": sum(n for tp, n in chance.items() if tp >= table.tp),
            "less": sum(n for tp, n in chance.items() if tp <= table.tp),
            "two-sided": sum(n for n in chance.values() if n <= chance[table.tp]),
        }
        for alternative in ALTERNATIVES:
            p_value = fisher(table, alternative=alternative).p_value
            assert p_value == pytest.approx(expected[alternative] / math.comb(total, yes))

    def test_the_sides_are_not_swapped(self):
        good = Contingency(tp=9, fn=1, fp=2, tn=8)
        assert fisher(good, alternative="greater").p_value < 0.01
        assert fisher(good, alternative="less").p_value > 0.99

    def test_unknown_alternative(self):
        with pytest.raises(ArgumentError, match="got 'both'"):
            fisher(C1, alternative="both")  # type: ignore[arg-type]

    def test_weights_are_not_cases_unless_integers(self):
        with pytest.raises(WeightError, match="counts whole cases"):
            fisher(Contingency(tp=0.5, fn=1, fp=1, tn=2))
        assert fisher(Contingency(tp=30.0, fn=20.0, fp=10.0, tn=40.0)).p_value == fisher(C1).p_value

    def test_a_matrix_is_pointed_to_its_tables(self):
        with pytest.raises(ArgumentError, match=r"one_vs_rest\(c\)"):
            fisher(ConfusionMatrix([[1, 2], [3, 4]], [0, 1]))  # type: ignore[arg-type]


class TestBadInput:
    @pytest.mark.parametrize("test", [chi_squared, fisher])
    @pytest.mark.parametrize(
        ("table", "what"),
        [
            (Contingency(tp=0, fn=0, fp=1, tn=2), "no case is actually positive"),
            (Contingency(tp=1, fn=2, fp=0, tn=0), "no case is actually negative"),
            (Contingency(tp=0, fn=1, fp=0, tn=999), "no case is predicted positive"),
            (Contingency(tp=1, fn=0, fp=2, tn=0), "no case is predicted negative"),
            (Contingency(tp=0, fn=0, fp=0, tn=0), "no case is actually positive or negative"),
        ],
    )
    def test_trap_7_a_marginal_of_zero(self, test, table, what):
        with pytest.raises(OneClassError, match=what):
            test(table)

    @pytest.mark.parametrize("test", [chi_squared, fisher])
    def test_an_entire_curve(self, test):
        with pytest.raises(ArgumentError, match="cells of this one are arrays"):
            test(coverage(Ranking.parse("[20+,5-][10+,5-][20+,40-]")))
        with pytest.raises(ArgumentError, match="cells of this one are arrays"):
            test(Contingency(tp=[1, 2], fn=1, fp=1, tn=1))

    @pytest.mark.parametrize("test", [chi_squared, fisher])
    def test_a_cell_that_is_no_number(self, test):
        with pytest.raises(ArgumentError, match="a cell is not a number"):
            test(Contingency(tp=0, fn=0, fp=0, tn=0).proportions)

    def test_a_matrix_with_an_absent_class(self):
        with pytest.raises(OneClassError, match="no case is predicted dog"):
            chi_squared(ConfusionMatrix([[3, 0], [1, 0]], ["cat", "dog"]))
        with pytest.raises(OneClassError, match="only one class, 'cat'"):
            chi_squared(ConfusionMatrix([[3]], ["cat"]))
