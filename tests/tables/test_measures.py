import itertools
import math

import numpy as np
import pytest

import thresher as th
from thresher.tables.measures import MEASURES, Measure, measure

CELLS = ("tp", "fn", "fp", "tn")
SMALL = [th.Contingency(*cells) for cells in itertools.product(range(3), repeat=4)]
SPAM = th.Contingency(tp=30, fn=20, fp=10, tn=40)

NO_CASES = {"accuracy", "error_rate", "predicted_positive_rate", "prevalence", "class_ratio"}
# When each measure has no value, written down again from its definition.
UNDEFINED = {
    **dict.fromkeys(NO_CASES, lambda t: t.total == 0),
    **dict.fromkeys(("tpr", "fnr"), lambda t: t.tp + t.fn == 0),
    **dict.fromkeys(("tnr", "fpr"), lambda t: t.fp + t.tn == 0),
    **dict.fromkeys(("precision", "false_discovery_rate"), lambda t: t.tp + t.fp == 0),
    **dict.fromkeys(("npv", "false_omission_rate"), lambda t: t.fn + t.tn == 0),
    **dict.fromkeys(
        ("average_recall", "balanced_error_rate", "youden_j", "g_mean"),
        lambda t: t.tp + t.fn == 0 or t.fp + t.tn == 0,
    ),
    "markedness": lambda t: t.tp + t.fp == 0 or t.fn + t.tn == 0,
    **dict.fromkeys(("f1", "jaccard"), lambda t: t.tp + t.fp + t.fn == 0),
    "mcc": lambda t: 0 in (t.tp + t.fp, t.fn + t.tn, t.tp + t.fn, t.fp + t.tn),
    "kappa": lambda t: t.fn + t.fp == 0 and (t.tp == 0 or t.tn == 0),
    "lr_plus": lambda t: t.tp + t.fp == 0 or t.tp + t.fn == 0 or t.fp + t.tn == 0,
    "lr_minus": lambda t: t.fn + t.tn == 0 or t.tp + t.fn == 0 or t.fp + t.tn == 0,
    "dor": lambda t: 0 in (t.tp, t.tn) and 0 in (t.fp, t.fn),
    "lift": lambda t: t.tp + t.fp == 0 or t.tp + t.fn == 0,
}


def test_every_measure_has_its_case_here():
    assert set(UNDEFINED) == set(MEASURES)


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_is_undefined_exactly_when_it_says_and_within_its_range_otherwise(name):
    known = MEASURES[name]
    low, high = known.range
    for table in SMALL:
        value = known.of(table)
        assert math.isnan(value) == UNDEFINED[name](table), table
        if not math.isnan(value):
            assert low <= value <= high, table


@pytest.mark.parametrize("name", MEASURES)
def test_undefined_is_put_into_words(name):
    for table in SMALL:
        words = table.describe(name)
        if UNDEFINED[name](table):
            assert words == f"{name} undefined: {MEASURES[name].undefined}"
        else:
            assert words == f"{name} {MEASURES[name].of(table):.4g}"


@pytest.mark.parametrize("name", MEASURES)
def test_arrays_hold_what_each_table_alone_would_give(name):
    stacked = th.Contingency(*(np.array([getattr(table, cell) for table in SMALL]) for cell in CELLS))
    alone = [MEASURES[name].of(table) for table in SMALL]
    np.testing.assert_allclose(MEASURES[name].of(stacked), alone, rtol=1e-15, equal_nan=True)


@pytest.mark.parametrize("name", MEASURES)
def test_better_means_what_it_says(name):
    """Moving one case from wrong to right, either class, never makes a measure worse."""
    known = MEASURES[name]
    sign = {"higher": 1, "lower": -1, "neither": 0}[known.better]
    for tp, fn, fp, tn in itertools.product(range(1, 4), repeat=4):
        before = known.of(th.Contingency(tp, fn, fp, tn))
        for after in (th.Contingency(tp + 1, fn - 1, fp, tn), th.Contingency(tp, fn, fp - 1, tn + 1)):
            value = known.of(after)
            if not math.isnan(value):
                assert sign * (value - before) >= -1e-12, (tp, fn, fp, tn)


@pytest.mark.parametrize("known", MEASURES.values(), ids=MEASURES)
def test_every_entry_is_complete(known):
    assert known.symbol
    assert known.formula
    assert known.estimates
    assert known.undefined
    assert known.range[0] < known.range[1]
    assert isinstance(getattr(th.Contingency, known.name), property)


def test_no_two_measures_answer_to_the_same_name():
    names = [name for known in MEASURES.values() for name in (known.name, *known.synonyms)]
    assert len(names) == len(set(names))


def test_every_name_and_synonym_finds_its_measure():
    for known in MEASURES.values():
        for name in (known.name, *known.synonyms):
            assert measure(name) is known
            assert measure(f" {name.upper().replace('_', '-')} ") is known
    assert measure(MEASURES["mcc"]) is MEASURES["mcc"]


def test_synonyms_on_the_table_are_the_measures_they_name():
    for known in MEASURES.values():
        for name in known.synonyms:
            if hasattr(SPAM, name):
                assert getattr(SPAM, name) == known.of(SPAM)


def test_the_registry_cannot_be_written():
    with pytest.raises(TypeError):
        MEASURES["new"] = MEASURES["mcc"]  # type: ignore[index]


@pytest.mark.parametrize(("name", "beta"), [("f2", 2), ("F0.5", 0.5), ("f_3", 3), ("f 10", 10)])
def test_f_measures_are_known_by_their_beta(name, beta):
    known = measure(name)
    assert known.beta == beta
    precision, recall = 0.75, 0.6
    expected = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    assert known.of(SPAM) == pytest.approx(expected, rel=1e-14)
    assert measure(known.name) == known


def test_f1_is_one_measure_however_it_is_written():
    assert measure("f1") is measure("F1.0") is measure("F-1") is MEASURES["f1"]


@pytest.mark.parametrize("name", ["", "f0", "f0.0", "f" + "9" * 400, "fb", "tp", "total", "auc", "\uff46\uff12"])
def test_unknown_names_are_refused(name):
    with pytest.raises(th.errors.MeasureError, match="there is no measure called"):
        measure(name)


def test_near_misses_are_suggested():
    with pytest.raises(th.errors.MeasureError) as caught:
        measure("precison")
    assert "did you mean precision" in caught.value.fix
    with pytest.raises(th.errors.MeasureError) as caught:
        measure("foo")
    assert "did you mean" not in caught.value.fix, "for, which stands for false_omission_rate, is not like it"


@pytest.mark.parametrize("name", [None, 3, ["mcc"]])
def test_a_measure_is_named_by_text(name):
    with pytest.raises(th.errors.MeasureError, match="named by text"):
        measure(name)


@pytest.mark.parametrize("name", ["tpr", "tnr", "fpr", "fnr", "average_recall", "youden_j", "g_mean", "lr_plus", "dor"])
def test_measures_made_of_rates_do_not_move_with_the_class_ratio(name):
    assert MEASURES[name].of(SPAM, class_ratio=0.01) == pytest.approx(MEASURES[name].of(SPAM))


@pytest.mark.parametrize("ratio", [0.01, 1, 3, 200])
def test_others_follow_from_the_rates_at_the_declared_ratio(ratio):
    prevalence = ratio / (1 + ratio)
    accuracy = prevalence * SPAM.tpr + (1 - prevalence) * SPAM.tnr
    precision = prevalence * SPAM.tpr / (prevalence * SPAM.tpr + (1 - prevalence) * SPAM.fpr)
    assert MEASURES["accuracy"].of(SPAM, class_ratio=ratio) == pytest.approx(accuracy)
    assert MEASURES["precision"].of(SPAM, class_ratio=ratio) == pytest.approx(precision)
    assert MEASURES["prevalence"].of(SPAM, class_ratio=ratio) == pytest.approx(prevalence)


def test_a_measure_is_a_value():
    assert measure("f2") == measure("f2.0")
    assert isinstance(hash(measure("f2")), int)
    assert measure("f2") != Measure("f2", "", "", "", (0.0, 1.0), "higher", "")
