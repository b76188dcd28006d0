"""Covariate shift: p-values of SciPy, few false alarms, and differences in words."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, fisher_exact, ks_2samp

import thresher as th
from thresher.learning import covariate_shift

RNG = np.random.default_rng(0)


def test_p_values_are_those_of_scipy_times_their_number():
    x, later = RNG.normal(size=80), RNG.normal(size=60) + 0.5
    towns, there = RNG.choice(["Oslo", "Rome", "Bern"], 80), RNG.choice(["Oslo", "Rome", "Bern"], 60, p=[0.6, 0.2, 0.2])
    flags, other = np.arange(80) < 30, np.arange(60) < 12
    shift = covariate_shift({"x": x, "town": towns, "flag": flags}, {"x": later, "town": there, "flag": other})
    of_x, of_town, of_flag = shift.columns
    counts = [[(side == each).sum() for each in ("Oslo", "Rome", "Bern")] for side in (towns, there)]
    expected = sorted(
        [
            ks_2samp(x, later).pvalue,
            chi2_contingency(counts, correction=False).pvalue,
            2 * fisher_exact([[30, 50], [12, 48]], alternative="greater").pvalue,
        ]
    )
    adjusted = np.maximum.accumulate(np.multiply(expected, [3, 2, 1]))
    assert sorted(each.p_value for each in shift.columns) == pytest.approx(np.minimum(adjusted, 1), rel=1e-9)
    assert of_x.gap == pytest.approx(ks_2samp(x, later).statistic)
    limit = float(of_x.value.removeprefix("at most "))
    assert (of_x.share, of_x.share_at_deployment) == pytest.approx(
        ((x <= limit + 1e-5).mean(), (later <= limit + 1e-5).mean())
    )
    assert (of_town.kind, of_flag.kind) == ("category", "category")


def test_equal_worlds_rarely_seem_to_differ():
    rng = np.random.default_rng(1)
    shares = np.array([50, 20, 15, 8, 4, 2, 1]) / 100

    def table(rows):
        gappy = np.where(rng.random(rows) < 0.3, np.nan, rng.exponential(size=rows))
        kinds = {"kind": rng.choice([*"abcdefg"], rows, p=shares), "flag": rng.random(rows) < 0.1}
        return pd.DataFrame({"size": rng.normal(size=rows), "score": rng.integers(0, 5, rows), "gappy": gappy, **kinds})

    alarms = sum(bool(covariate_shift(table(90), table(70), tolerance=0).differ) for _ in range(200))
    assert alarms <= 18  # 5 per cent are 10; more than 18 have a probability of 0.5 per cent


def test_differences_are_named_largest_first():
    days = pd.date_range("2024-01-01", periods=60, tz="UTC")
    here = pd.DataFrame({"day": days, "town": ["Oslo", "Rome"] * 30, "paid": [1.0, None] * 30, "same": range(60)})
    there = pd.DataFrame(
        {"day": days + pd.Timedelta("30D"), "town": ["Bern", "Rome"] * 30, "paid": 1.0, "same": range(60)}
    )
    shift = covariate_shift(here, there.assign(new=1))
    assert [each.name for each in shift.differ] == ["day", "town", "paid"]
    assert [each.value for each in shift.differ] == ["at most 2024-01-30", "Bern", "missing"]
    assert shift.absent == ("new",)
    (caution,) = shift.cautions
    assert caution.code == "unrepresentative-test"
    assert "3 of 4 columns differ from deployment: 'day' (at most 2024-01-30: 50% here, 0% there)" in caution.text
    assert str(shift).endswith("Surely different by more than 5%: 'day', 'town' and 'paid'.\nIn one table only: 'new'.")
    assert shift.to_frame("pandas")["gap"].tolist() == pytest.approx([0.5, 0.5, 0.5, 0.0])


def test_times_within_a_day_are_compared_in_any_zone():
    here = pd.date_range("2024-01-01 12:00", periods=60, freq="min")
    later = (here + pd.Timedelta("30min")).tz_localize("UTC").tz_convert("Asia/Tokyo")
    (shift,) = covariate_shift({"at": here}, {"at": later}).columns
    assert (shift.value, shift.gap) == ("at most 2024-01-01 12:29:00", 0.5)


def test_a_category_that_is_called_missing_is_no_gap():
    (shift,) = covariate_shift({"x": ["missing", "x"] * 40}, {"x": [None, "x"] * 40}).columns
    assert (shift.value, shift.gap) == ("(missing)", 0.5)
    assert shift.p_value < 1e-9


def test_trifles_and_lucky_columns_are_not_named():
    many = np.arange(100_000)
    shift = covariate_shift({"x": many}, {"x": many + 2_000})
    assert shift.columns[0].p_value < 1e-6
    assert not shift.differ
    assert covariate_shift({"x": many}, {"x": many + 2_000}, tolerance=0.01).differ
    noise = {f"x{i}": RNG.normal(size=40) for i in range(60)}
    again = {name: RNG.normal(size=40) for name in noise}
    least = min(ks_2samp(noise[name], again[name]).pvalue for name in noise)
    assert least < 0.05  # one of sixty, by luck
    assert not covariate_shift(noise, again).differ


@pytest.mark.parametrize(
    ("deployment", "options", "words"),
    [
        ({"y": [1]}, {}, "no column in common: 'x' and 'y'"),
        ({"x": []}, {}, "no rows"),
        ({"x": [1]}, {"columns": ["z"]}, "there is no column 'z'"),
        ({"x": [1]}, {"tolerance": 1}, "tolerance must lie from 0 to below 1"),
        ({"x": [1]}, {"tolerance": "5%"}, "tolerance"),
        ({"x": [1]}, {"level": 95}, "did you mean level=0.95"),
        (3, {}, "int is no table"),
    ],
)
def test_questions_without_an_answer_are_refused_in_words(deployment, options, words):
    with pytest.raises(th.ThresherError, match=words):
        covariate_shift({"x": [1, 2, 3]}, deployment, **options)
