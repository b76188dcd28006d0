"""Candidate models: a small sensible set of classifiers to try on any table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from thresher.errors import ArgumentError
from thresher.learning.arguments import is_one_of, require_classifier, require_kind, require_seed
from thresher.learning.models.baselines import MAJORITY, ONE_FEATURE, baselines
from thresher.learning.models.calibrated import CalibratedModel
from thresher.learning.models.neighbours import Neighbours

# From the least to explain to the most: no feature, one, a weight each, a small tree, the data themselves, many trees.
SIMPLEST_FIRST = (
    MAJORITY,
    ONE_FEATURE,
    "logistic",
    "naive bayes",
    "linear svm",
    "tree",
    "neighbours",
    "forest",
    "boosting",
    "xgboost",
    "lightgbm",
)


def candidate_models(*, seed: int = 0) -> dict[str, Any]:
    """Classifiers by name: a tree, logistic regression, naive Bayes, neighbours, a forest, boosting and a linear SVM.

    Each is meant for prepared, scaled numbers. The linear SVM has no probabilities of its own and gets them by
    Platt's map. XGBoost and LightGBM join where they are installed.

    >>> list(candidate_models())[:7]
    ['tree', 'logistic', 'naive bayes', 'neighbours', 'forest', 'boosting', 'linear svm']
    """
    found: dict[str, Any] = {
        "tree": DecisionTreeClassifier(max_leaf_nodes=16, min_samples_leaf=5, random_state=seed),
        "logistic": LogisticRegression(max_iter=2000),
        "naive bayes": GaussianNB(),
        "neighbours": Neighbours(15),
        "forest": RandomForestClassifier(n_estimators=200, min_samples_leaf=2, random_state=seed),
        "boosting": HistGradientBoostingClassifier(early_stopping=False, max_iter=100, random_state=seed),
        "linear svm": CalibratedModel(LinearSVC(random_state=seed, max_iter=5000), method="platt", cv=3),
    }
    # How many fits run at once is for learn to say, not for each of them.
    if find_spec("xgboost") is not None:
        found["xgboost"] = _nameless(import_module("xgboost").XGBClassifier(random_state=seed, n_jobs=1))
    if find_spec("lightgbm") is not None:
        boosted = import_module("lightgbm").LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)
        found["lightgbm"] = _nameless(boosted)
    return found


def chosen_models(wanted: Sequence[str] | Mapping[str, Any] | None, *, seed: int = 0) -> dict[str, Any]:
    """Models to compare: all candidates, some of them by name, or a mapping that adds to them; baselines always come along.

    In a mapping, None stands for the candidate of that name.

    >>> list(chosen_models(["tree", "logistic"]))
    ['tree', 'logistic', 'majority class', 'one-feature rule']
    """
    known = candidate_models(seed=require_seed(seed))
    if wanted is not None:
        fix = f"name some of {', '.join(known)}, or give a mapping of names to classifiers"
        require_kind(wanted, (str, Sequence, Mapping), name="models", fix=fix)
    if wanted is None:
        found = known
    elif isinstance(wanted, Mapping):
        found = {name: _known(known, name) if model is None else model for name, model in wanted.items()}
    else:
        names = [wanted] if isinstance(wanted, str) else list(wanted)
        found = {name: _known(known, name) for name in names}
    always = baselines(seed=seed)
    if taken := [name for name in found if name in always]:
        raise ArgumentError(f"{taken[0]!r} is the name of a baseline", "call the model something else")
    for name, model in found.items():
        require_kind(name, str, name="the name of a model", fix="name it by text")
        require_classifier(model)
    if not found:
        raise ArgumentError("there are no models to try", f"name some of {', '.join(known)}")
    return found | always


def preferred_models(prefer: str | None, names: Sequence[str]) -> list[str] | None:
    """Models in order of preference: a name, "first" as given, or "simplest" first, other models last.

    >>> preferred_models("simplest", ["forest", "mine", "logistic", "majority class"])
    ['majority class', 'logistic', 'forest', 'mine']
    """
    if prefer is None:
        return None
    if is_one_of(prefer, names):
        return [prefer]
    if prefer == "first":
        return list(names)
    if prefer == "simplest":
        return [*(name for name in SIMPLEST_FIRST if name in names), *(n for n in names if n not in SIMPLEST_FIRST)]
    fix = f'give "simplest", "first" or a model: {", ".join(names)}'
    raise ArgumentError(f"prefer={prefer!r} names no model", fix)


def _nameless(model: Any) -> Pipeline:
    """A model that is given bare numbers, since it refuses some names of columns, such as "age: missing"."""
    return make_pipeline(FunctionTransformer(validate=True), model)


def _known(known: Mapping[str, Any], name: str) -> Any:
    if not is_one_of(name, known):
        raise ArgumentError(f"there is no model {name!r} among the candidates", f"there are {', '.join(known)}")
    return known[name]
