"""What is read is what the model does: rules and formulas, followed by hand on the columns' own values."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from thresher.learning import CalibratedModel, CostSensitiveClassifier, OneFeatureRule, free_parameters
from thresher.learning.models.reading import Feature, Formula, _features, _parts, formulas_of

RNG = np.random.default_rng(0)
N = 240
IRIS = load_iris(return_X_y=True)
VIAGRA, LOTTERY, AGE = RNG.random(N) < 0.3, RNG.random(N) < 0.3, RNG.integers(18, 80, N)
TABLE = pd.DataFrame(
    {
        "Viagra": VIAGRA.astype(int),
        "lottery": LOTTERY,
        "age": AGE,
        "town": RNG.choice(["Oslo", "Rome"], N),
        "size": RNG.choice(["S", "M", "L"], N),
        "mail": np.where(RNG.random(N) < expit(-2.5 + 3 * VIAGRA + 1.5 * LOTTERY + 0.05 * (AGE - 40)), "spam", "ham"),
    }
)
ORDERS = {"size": ["S", "M", "L"]}


@pytest.mark.parametrize(
    ("model", "number"),
    [
        (LogisticRegression(max_iter=1000), 10),  # of three classes two have weights of their own
        (LinearSVC(), 10),
        (GaussianNB(), 3 * 8 + 2),
        (DecisionTreeClassifier(max_leaf_nodes=4), 3 + 4 * 2),
        (OneFeatureRule(leaves=3), 2 + 3 * 2 + 1),
        (DummyClassifier(), 2),
        (CalibratedModel(make_pipeline(StandardScaler(), GaussianNB()), method="temperature"), 26),
        (CostSensitiveClassifier(GaussianNB(), th.OperatingCondition(costs=th.CostMatrix.equal([0, 1, 2]))), 26),
        (RandomForestClassifier(5), None),
        (KNeighborsClassifier(), None),
    ],
    ids=lambda each: type(each).__name__,
)
def test_free_parameters_are_counted(model, number):
    assert free_parameters(model.fit(*IRIS)) == number
    with pytest.raises(NotFittedError):
        free_parameters(clone(model))


def learnt(model, **options):
    """The model learned as the winner, whatever it costs."""
    return th.learn(
        TABLE, "mail", models=model, prefer=next(iter(model)), folds=2, curves=False, orders=ORDERS, **options
    )


def parts(pattern, text):
    """The groups of a pattern that the text must match."""
    match = re.fullmatch(pattern, text)
    assert match is not None
    return match.groups()


def leaves(text):
    """Each leaf of a tree in lines: the answers that lead there, and what it shows."""
    asked: list[str] = []
    path: list[tuple[str, str]] = []
    for line in text.splitlines():
        before, answer, rest = parts(r"((?:│  |   )*)(?:[├└]─ (yes|no|= 0|= 1): +)?(.*)", line)
        depth = len(before) // 3 + (answer is not None)
        del path[max(depth - 1, 0) :]
        if answer is not None:
            path.append((asked[depth - 1], answer))
        if rest.startswith("["):
            yield list(path), rest
        else:
            asked[depth:] = [rest]


def follows(rows, question, answer):
    """Which rows give this answer."""
    if answer in ("yes", "no"):
        name, limit = question.split(" <= ")
        values = rows[name].map({"S": 0, "M": 1, "L": 2}) if name == "size" else rows[name]
        return (values <= float(limit)) == (answer == "yes")
    name, _, value = question.partition("=")
    return (rows[name] == value if value else rows[name].astype(bool)) == (answer == "= 1")


@pytest.mark.parametrize("model", ["tree", "one-feature rule"])
def test_rules_of_a_tree_lead_its_rows_to_its_leaves(model):
    tree = DecisionTreeClassifier(max_leaf_nodes=6, min_samples_leaf=5, random_state=0)
    learned = th.learn(
        TABLE, "mail", positive="spam", models={"tree": tree}, prefer=model, folds=2, curves=False, orders=ORDERS
    )
    text = learned.text()
    assert learned.decision.model == model
    train = TABLE.iloc[learned.split["train"]]
    probability = learned.probabilities(train)
    reached = 0
    for way, shown in leaves(text):
        inside = np.logical_and.reduce([follows(train, *step) for step in way])
        spam = int((train["mail"][inside] == "spam").sum())
        counts, p, call = parts(r"\[(.+)\]  p (\S+)  call (\w+)", shown)
        assert counts == ",".join(f"{k}{sign}" for k, sign in ((spam, "+"), (int(inside.sum()) - spam, "-")) if k)
        assert np.allclose(probability[inside], float(p), atol=5e-5)
        assert {call} == {"spam" if each else "ham" for each in learned.calls(train)[inside].tolist()}
        reached += int(inside.sum())
    assert reached == len(train)
    assert "Viagra\n├─ = 0" in text


@pytest.mark.parametrize("name", ["logistic", "linear svm"])
def test_a_formula_gives_the_calibrated_probabilities_of_raw_values(name):
    learned = learnt({name: None}, positive="spam")
    values = TABLE.assign(lottery=TABLE["lottery"].astype(float), size=TABLE["size"].map({"S": 0, "M": 1, "L": 2}))
    for town in ("Oslo", "Rome"):
        values[f"town={town}"] = TABLE["town"] == town
    features = _features(_parts(learned.model.estimator_)[0])
    assert features is not None
    (formula,) = formulas_of(learned.model, features, ["ham", "spam"])
    np.testing.assert_allclose(expit(formula(values)), learned.probabilities(TABLE), rtol=1e-9)
    text = learned.text()
    age = formula.weights[[each.name for each in formula.features].index("age")]
    assert f"+ {age:.4g} · age\n" in text
    assert text.startswith(f"log-odds of spam = {formula.intercept:.4g}\n")
    assert f"call spam from log-odds {logit(learned.decision.threshold):.4g}" in text
    assert "size: 0 is S, 1 is M, 2 is L" in text
    assert re.search(r"\+ \S+ · \[Viagra\]", text)
    assert f"and {len(formula.order) - 2} terms of less effect" in learned.text(most=2)


def test_several_classes_have_a_formula_or_counts_each():
    table = TABLE.assign(mail=np.where(TABLE["age"] > 60, "old", TABLE["mail"]))
    options: dict[str, Any] = {"folds": 2, "curves": False, "orders": ORDERS, "calibration": "temperature"}
    learned = th.learn(table, "mail", models=["logistic"], prefer="logistic", **options)
    text = learned.text()
    assert [text.count(f"score of {name}, before calibration") for name in ("ham", "old", "spam")] == [1, 1, 1]
    tree = th.learn(table, "mail", models=["tree"], prefer="tree", **options)
    assert re.search(r"ham \d+, old \d+, spam \d+  p [\d.]+, [\d.]+, [\d.]+  call (ham|old|spam)", tree.text())
    assert re.search(r"and \d+ lines more", tree.text(most=3))


def test_what_has_no_short_text_says_so():
    learned = learnt({"bayes": GaussianNB()}, positive="spam")
    assert learned.text() == "GaussianNB is no tree, rule or formula, and has no short text."
    with pytest.raises(th.errors.ArgumentError, match="most"):
        learned.text(most=0)
    with pytest.raises(th.errors.ArgumentError, match="no classifier"):
        free_parameters(None)


def test_names_of_users_cannot_move_the_cursor():
    formula = Formula.of("log-odds", 1.0, np.array([2.0]), [Feature("a\x1b[2J", slope=0.5, offset=3.0)])
    assert formula.text(1) == "log-odds = 7\n  + 1 · a␛[2J"
