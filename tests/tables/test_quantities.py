"""The grammar of quantities."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.tables import MODEL_NUMBERS, Quantity, limits_of, quantity
from thresher.tables.quantities import RateRange

RATES = st.floats(0.001, 0.999).map(lambda x: float(f"{x:.6g}"))
MEASURES = st.sampled_from(sorted(th.MEASURES))
BETTER = st.sampled_from(sorted(name for name, known in th.MEASURES.items() if known.better != "neither"))
PLAIN = st.sampled_from(sorted(set(MODEL_NUMBERS) - {"partial_auc", "standardised_partial_auc", "net_benefit"}))
CONSTRAINTS = st.lists(
    st.builds("{}{}{}".format, MEASURES, st.sampled_from([">=", "<=", ">", "<"]), RATES), min_size=1, max_size=3
).map(" and ".join)
TEXTS = st.one_of(
    PLAIN,
    MEASURES,
    st.builds("net_benefit@{}".format, RATES),
    st.builds("{}@threshold={}".format, st.one_of(MEASURES, st.just("expected_cost")), st.floats(-1e6, 1e6)),
    st.builds("{}@{}".format, BETTER, CONSTRAINTS),
    st.builds("{}[{}<={}]".format, st.sampled_from(["partial_auc", "standardised_partial_auc"]), st.just("fpr"), RATES),
    st.builds("partial_auc[{}>={}]".format, st.sampled_from(["tpr", "fpr"]), RATES),
    st.builds('{}["{}"]'.format, MEASURES, st.text("abc ]:@", min_size=1)),
)


@given(TEXTS)
def test_the_text_of_a_quantity_reads_back_as_the_same_quantity(text):
    asked = quantity(text)
    again = quantity(str(asked))
    assert str(again) == str(asked)
    assert (again.name, again.within, again.of_class) == (asked.name, asked.within, asked.of_class)
    assert (again.probability, len(again.limits)) == (asked.probability, len(asked.limits))
    assert (asked.measure is None) == (asked.name in MODEL_NUMBERS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AUC", Quantity("auc")),
        (" average precision ", Quantity("average_precision")),
        ("sensitivity", Quantity("tpr")),
        ("f0.5@threshold = -1.5", Quantity("f0.5", threshold=-1.5)),
        ("partial_auc[fpr<=0.1]", Quantity("partial_auc", RateRange("fpr", 0, 0.1))),
        ("partial_auc[ recall >= 0.8 ]", Quantity("partial_auc", RateRange("tpr", 0.8, 1))),
        ("partial_auc[0.1<=fpr<=0.2]", Quantity("partial_auc", RateRange("fpr", 0.1, 0.2))),
        ("net_benefit@5e-2", Quantity("net_benefit", probability=0.05)),
        ("cost@threshold=0.5", Quantity("expected_cost", threshold=0.5)),
        ('recall["L: @] x"]', Quantity("tpr", of_class="L: @] x")),
        ("recall[ham]", Quantity("tpr", of_class="ham")),
        ("macro_f1", Quantity("macro_f1")),
        (
            'macro_f1@recall["a, b and c"]>=0.5 and f1[L]>0.1',
            Quantity("macro_f1", limits=limits_of(['recall["a, b and c"] >= .5', 'f1["L"] > .1'])),
        ),
    ],
)
def test_what_is_read(text, expected):
    assert quantity(text) == expected


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "cannot read"),
        ("auc]", "cannot read"),
        ("auc >= 0.5", "cannot read"),
        ("auc@fpr<=0.1", "belongs to no threshold"),
        ("brier@threshold=0.5", "belongs to no threshold"),
        ("auc[fpr<=0.1]", "has no range"),
        ("partial_auc", "needs a range"),
        ("partial_auc[fpr<=1.5]", "no part of 0 to 1"),
        ("partial_auc[0.3<=fpr<=0.2]", "no part of 0 to 1"),
        ("partial_auc[precision<=0.1]", "fpr or tpr"),
        ("partial_auc[0.1<=fpr]", "cannot read the range"),
        ("net_benefit", "threshold probability"),
        ("net_benefit@1", "between 0 and 1"),
        ("net_benefit@fpr<=0.1", "between 0 and 1"),
        ("prevalence@fpr<=0.1", "no better side"),
        ("recall@fpr=0.1", "cannot read the constraint"),
        ("recall@auc>=0.1", "auc is no measure of a table"),
        ('brier["L"]', "not of one class"),
        ("macro_f1[L]", "not of one class"),
    ],
)
def test_what_is_refused(text, what):
    with pytest.raises(th.errors.MeasureError, match=what) as refused:
        quantity(text)
    assert refused.value.fix


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(th.errors.MeasureError, match="there is no quantity called 'partal_auc'") as refused:
        quantity("partal_auc[fpr<=0.1]")
    assert "did you mean partial_auc" in refused.value.fix
    assert refused.value.where == "quantity(text)"
    assert all(name in refused.value.fix for name in MODEL_NUMBERS)


def test_choose_takes_a_measure_within_constraints_and_the_cost():
    mails = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])
    within = th.choose(mails, maximise="specificity@recall>=0.6", subject_to="fpr <= 0.5")
    both = th.choose(mails, maximise="tnr", subject_to=["recall >= 0.6", "fpr <= 0.5"])
    assert within.splits.tolist() == both.splits.tolist()
    assert th.choose(mails, minimise="expected_cost").splits.tolist() == th.choose(mails).splits.tolist()


@pytest.mark.parametrize("text", ["auc", "net_benefit@0.1", "recall@threshold=0.5", 'recall["L"]'])
def test_choose_refuses_what_no_threshold_is_best_by(text):
    with pytest.raises(th.errors.MeasureError, match="no threshold is best by it") as refused:
        th.choose(th.Ranking.parse("[3+][1-]"), maximise=text)
    assert all(name in refused.value.fix for name in th.MEASURES)


CURVE = th.coverage(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]"))


def test_constraints_are_read_by_synonyms_and_several_at_once():
    read = limits_of(["sensitivity >= .9", "fpr<=1e-2 and Precision > 0.5"])
    assert [str(each) for each in read] == ["tpr >= 0.9", "fpr <= 0.01", "precision > 0.5"]


def test_undefined_meets_no_bound():
    (bound,) = limits_of("precision >= 0")
    assert bound.holds(CURVE).tolist() == [False, True, True, True]


def test_bounds_are_inclusive_only_when_they_say_so():
    at_least, above = limits_of("recall >= 0.6, recall > 0.6")
    assert at_least.holds(CURVE).tolist() == [False, False, True, True]
    assert above.holds(CURVE).tolist() == [False, False, False, True]


@pytest.mark.parametrize(
    "text", ["", "recall", "recall >= ", "recall => 0.9", ">= 0.9", "recall >= 0.9 0.8", "recall = 1"]
)
def test_malformed_constraints_are_refused(text):
    with pytest.raises(th.errors.MeasureError, match="constraint"):
        limits_of(text)


def test_unknown_measure_comes_with_a_suggestion():
    with pytest.raises(th.errors.MeasureError, match="did you mean recall"):
        limits_of("recal >= 0.9")
