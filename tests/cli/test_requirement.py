"""The grammar of requirements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.cli.requirement import NUMBERS, of_model, requirement


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("auc >= 0.85", (None, "auc", "lower", ">=", 0.85, [], None)),
        ("auc.lower >= 0.85", (None, "auc", "lower", ">=", 0.85, [], None)),
        ("auc.upper>=.85", (None, "auc", "upper", ">=", 0.85, [], None)),
        ("brier<0.1", (None, "brier", "upper", "<", 0.1, [], None)),
        ("recall@fpr<=0.01 >= 0.6", (None, "tpr", "lower", ">=", 0.6, ["fpr <= 0.01"], None)),
        ("recall.estimate@fpr<=0.01>=0.6", (None, "tpr", "estimate", ">=", 0.6, ["fpr <= 0.01"], None)),
        ("npv@recall>=0.9 and fpr<0.5 > 1e-1", (None, "npv", "lower", ">", 0.1, ["tpr >= 0.9", "fpr < 0.5"], None)),
        ("precision@threshold=0.5 >= 0.9", (None, "precision", "lower", ">=", 0.9, [], 0.5)),
        ("precision@threshold = -1.5 >= 0.9", (None, "precision", "lower", ">=", 0.9, [], -1.5)),
        (
            "random forest:Average precision >= 0.9",
            ("random forest", "average_precision", "lower", ">=", 0.9, [], None),
        ),
        ("a:b:f0.5 >= 0.9", ("a:b", "f0.5", "lower", ">=", 0.9, [], None)),
        ("f2.lower >= 0.9", (None, "f2", "lower", ">=", 0.9, [], None)),
        ("f0.5.estimate >= 0.9", (None, "f0.5", "estimate", ">=", 0.9, [], None)),
        ("fpr <= 0.1", (None, "fpr", "upper", "<=", 0.1, [], None)),
    ],
)
def test_what_is_read(text, expected):
    one = requirement(text)
    limits = [str(limit) for limit in one.limits]
    assert (one.model, one.name, one.bound, one.relation, one.value, limits, one.threshold) == expected
    assert one.text == text


@pytest.mark.parametrize("text", ["", "auc", ">= 0.5", "auc >= ", "auc = 0.5", "auc >= high", "auc >= 0.5 maybe"])
def test_what_cannot_be_read(text):
    with pytest.raises(th.MeasureError, match="cannot read the requirement"):
        requirement(text)


@given(
    st.sampled_from([*NUMBERS, *th.MEASURES]),
    st.sampled_from(["", ".lower", ".upper", ".estimate"]),
    st.sampled_from([">=", "<=", ">", "<"]),
    st.floats(-1e6, 1e6),
    st.sampled_from(["", "m:", "a model: "]),
)
def test_every_name_bound_and_relation_is_read(name, bound, relation, value, model):
    one = requirement(f"{model}{name}{bound} {relation} {value}")
    assert (one.name, one.relation, one.value) == (name, relation, value)
    assert one.bound == (bound[1:] or ("lower" if ">" in relation else "upper"))
    assert one.model == (model.strip(": ") or None)


def test_undefined_meets_nothing():
    assert not any(requirement(f"auc {relation} 0").holds(float("nan")) for relation in (">=", "<=", ">", "<"))


def test_the_model_is_the_one_decided_for_unless_named():
    assert of_model(requirement("auc > 0"), ("a", "b"), "b") == "b"
    assert of_model(requirement("a:auc > 0"), ("a", "b"), "b") == "a"
