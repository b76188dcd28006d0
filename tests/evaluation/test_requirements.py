"""The grammar of requirements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.evaluation.requirements import model_of, requirement
from thresher.tables import MODEL_NUMBERS, quantity

EXAMPLES = {
    "partial_auc": "partial_auc[fpr<=0.1]",
    "standardised_partial_auc": "standardised_partial_auc[tpr>=0.8]",
    "net_benefit": "net_benefit@0.05",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("auc >= 0.85", (None, "auc", "lower", ">=", 0.85)),
        ("auc.lower >= 0.85", (None, "auc", "lower", ">=", 0.85)),
        ("auc.upper>=.85", (None, "auc", "upper", ">=", 0.85)),
        ("brier<0.1", (None, "brier", "upper", "<", 0.1)),
        ("recall@fpr<=0.01 >= 0.6", (None, "tpr@fpr<=0.01", "lower", ">=", 0.6)),
        ("recall.estimate@fpr<=0.01>=0.6", (None, "tpr@fpr<=0.01", "estimate", ">=", 0.6)),
        ("recall@fpr<=0.01.estimate>=0.6", (None, "tpr@fpr<=0.01", "estimate", ">=", 0.6)),
        ("npv@recall>=0.9 and fpr<0.5 > 1e-1", (None, "npv@tpr>=0.9 and fpr<0.5", "lower", ">", 0.1)),
        ("precision@threshold=0.5 >= 0.9", (None, "precision@threshold=0.5", "lower", ">=", 0.9)),
        ("precision@threshold = -1.5 >= 0.9", (None, "precision@threshold=-1.5", "lower", ">=", 0.9)),
        ("random forest:Average precision >= 0.9", ("random forest", "average_precision", "lower", ">=", 0.9)),
        ("a:b:f0.5 >= 0.9", ("a:b", "f0.5", "lower", ">=", 0.9)),
        ("f2.lower >= 0.9", (None, "f2", "lower", ">=", 0.9)),
        ("f0.5.estimate >= 0.9", (None, "f0.5", "estimate", ">=", 0.9)),
        ("fpr <= 0.1", (None, "fpr", "upper", "<=", 0.1)),
        ("m: partial_auc[0.1<=fpr<=0.2] > 0.05", ("m", "partial_auc[0.1<=fpr<=0.2]", "lower", ">", 0.05)),
        ("partial_auc[fpr<=0.1].upper > -.5", (None, "partial_auc[fpr<=0.1]", "upper", ">", -0.5)),
        ("net_benefit@0.05 >= 0", (None, "net_benefit@0.05", "lower", ">=", 0)),
        ("net_benefit@0.05.estimate >= 0", (None, "net_benefit@0.05", "estimate", ">=", 0)),
    ],
)
def test_what_is_read(text, expected):
    one = requirement(text)
    assert (one.model, str(one.quantity), one.bound, one.relation, one.value) == expected
    assert one.text == text


@pytest.mark.parametrize("text", ["", "auc", ">= 0.5", "auc >= ", "auc = 0.5", "auc >= high", "auc >= 0.5 maybe"])
def test_what_cannot_be_read(text):
    with pytest.raises(th.errors.MeasureError, match="cannot read the requirement"):
        requirement(text)


@given(
    st.sampled_from([EXAMPLES.get(name, name) for name in (*MODEL_NUMBERS, *th.MEASURES)]),
    st.sampled_from(["", ".lower", ".upper", ".estimate"]),
    st.sampled_from([">=", "<=", ">", "<"]),
    st.floats(-1e6, 1e6),
    st.sampled_from(["", "m:", "a model: "]),
)
def test_every_name_bound_and_relation_is_read(name, bound, relation, value, model):
    one = requirement(f"{model}{name}{bound} {relation} {value}")
    assert (one.quantity, one.relation, one.value) == (quantity(name), relation, value)
    assert one.bound == (bound[1:] or ("lower" if ">" in relation else "upper"))
    assert one.model == (model.strip(": ") or None)


def test_undefined_meets_nothing():
    assert not any(requirement(f"auc {relation} 0").holds(float("nan")) for relation in (">=", "<=", ">", "<"))


def test_the_model_is_the_one_decided_for_unless_named():
    assert model_of(requirement("auc > 0"), ("a", "b"), "b") == "b"
    assert model_of(requirement("a:auc > 0"), ("a", "b"), "b") == "a"
