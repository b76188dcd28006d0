"""What `benchmarks.anytime` has to show: `pytest -m slow tests/inference/anytime`."""

import math

import pytest

from benchmarks import anytime as study

pytestmark = pytest.mark.slow
SCALE = 0.5  # of the runs behind docs/anytime_study.md


def within(share, runs, *, nominal=0.05):
    return share <= nominal + 3 * math.sqrt(nominal * (1 - nominal) / runs)


def test_width_is_at_most_one_point_seven_of_one_look():
    assert all(row["ratio"] <= 1.7 for row in study.widths(SCALE).values())


def test_no_stream_leaves_the_limits_more_often_than_they_say():
    table = study.ever_outside(SCALE)
    assert all(within(row["anytime"], 1000) for row in table.values())
    assert table["share 0.5"]["Wilson"] > 0.4


def test_mean_runs_are_at_least_what_was_asked_for():
    for name, row in study.run_lengths(SCALE).items():
        assert row["mean run"] >= float(name.removeprefix("A = ").partition(",")[0])


def test_a_drop_is_noticed_in_time():
    row = study.detection(SCALE)["to 0.6"]
    assert row["5 days late"] <= 7
    assert row["5 days late, mature at 14"] <= 14 + row["labels at once"] + 2


def test_the_gate_keeps_the_mean_run_where_delay_tells_the_class():
    table = study.informative_delay(SCALE)
    assert table["every label counts"]["alarm within 200 days"] >= 0.9
    assert table["cohorts of 30 days and older"]["mean run"] >= 100


def test_bands_hold_the_precision_of_all_alarms():
    row = study.top_first(SCALE)["highest scores first"]
    assert row["limits hold"] >= 0.95
    assert row["reviewed"] - row["all alarms"] > 0.14


def test_drawn_counts_hold():
    for row in study.drawn_counts(SCALE).values():
        assert within(row["anytime"], 1000)


def test_the_stability_index_alarms_by_size_and_misses_a_doubled_rate():
    table = study.stability(SCALE)
    assert 0.3 < table["100 rows, nothing changed: 0.1 or more"]["deciles"] < 0.42
    row = study.doubled_alarm_rate(SCALE)["alarm rate 1 % to 2 %"]
    assert row["stability index, deciles"] < 0.01
    assert row["log₁₀ evidence after 6,000 rows"] > 4


def test_limits_of_class_ratios_hold_and_label_shift_is_refuted():
    for row in study.class_ratios(SCALE).values():
        for method in ("bbse", "mlls"):
            assert 0.93 - 3 * math.sqrt(0.05 * 0.95 / 150) <= row[method] <= 0.97 + 3 * math.sqrt(0.05 * 0.95 / 150)
        assert row["feasible"] >= 0.95
        assert row["feasible, empty"] <= 0.05
    fails = study.label_shift_fails(SCALE)
    assert fails["negatives with deviation 1.5"]["feasible set empty"] >= 0.9
    assert fails["label shift holds"]["refuted"] <= 0.15
    assert fails["40 % of positives score as negatives do"]["refuted"] <= 0.15
    assert fails["40 % of positives score as negatives do"]["mlls says"] < 0.15


def test_calibration_is_refuted_when_it_is_wrong():
    table = study.calibration(SCALE)
    assert within(table["calibrated"]["ever refuted"], 250)
    for sign in "+-":
        assert table[f"intercept {sign}0.5"]["median label"] <= 400


def test_neyman_saves_labels():
    assert study.saved_labels(SCALE)["rare positives"]["labels saved"] >= 0.4
