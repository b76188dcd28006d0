"""Model files that hold known types with indices that lead elsewhere are refused before anything is built."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, IsolationForest, RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from thresher.learning import DerivedFeatures, LeafTree, Neighbours, TextFeatures, read_model, write_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] + X[:, 1] > 0
WORDS = pd.DataFrame({"note": ["cheap pills", "dear friend", "cheap flights"]})
MODELS = {
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y),
    "forest": RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, Y),
    "isolation": IsolationForest(n_estimators=2, random_state=0).fit(X),
    "boosting": HistGradientBoostingClassifier(max_iter=2, early_stopping=False).fit(X, Y),
    "majority": DummyClassifier().fit(X, Y),
    "leaves": LeafTree().fit(X, Y),
    "encoder": OneHotEncoder(sparse_output=False).fit([[1], [2], [3]]),
    "words": TextFeatures().fit(WORDS),
    "counts": TextFeatures(text="counts").fit(WORDS),
    "derived": DerivedFeatures(["bins(a, 3)"]).fit({"a": X[:, 0]}),
}


@pytest.fixture
def edited(tmp_path):
    """A function that writes a model with nodes of its schema and arrays of its files changed."""

    def edit(model, change):
        path = write_model(MODELS.get(model, model), tmp_path / "model.skops")
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        schema = json.loads(files["schema.json"])
        change(schema, files)
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in (files | {"schema.json": json.dumps(schema).encode()}).items():
                archive.writestr(name, content)
        return path

    return edit


def nodes(schema, name):
    """The nodes of a class, in any depth."""
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    own = [schema] if isinstance(schema, dict) and schema.get("__class__") == name else []
    return own + [node for part in parts for node in nodes(part, name)]


def npy(size):
    """A file of so many numbers."""
    content = io.BytesIO()
    np.save(content, np.arange(float(size)))
    return content.getvalue()


def array(attribute, place, value, *, field=None, owner="Tree"):
    """Change one entry of an array that is an attribute of the first object of a class."""

    def change(schema, files):
        attributes = nodes(schema, owner)[0]["content"]["content"]
        node = attributes[attribute]
        entries = np.load(io.BytesIO(files[node["file"]]))
        (entries if field is None else entries[field])[place] = value
        content = io.BytesIO()
        np.save(content, entries)
        files[node["file"]] = content.getvalue()

    return change


def attribute(owner, name, value):
    """Change an attribute that is JSON of all objects of a class."""

    def change(schema, _):
        for node in nodes(schema, owner):
            parts = node["content"]["content"]
            if name in parts:
                parts[name] = {
                    "__class__": "str",
                    "__module__": "builtins",
                    "__loader__": "JsonNode",
                    "content": json.dumps(value),
                }

    return change


def keys(owner, kind):
    """Give the attributes of a class keys of another type, which lets them fall on each other."""

    def change(schema, _):
        for node in nodes(schema, owner):
            for key in node["content"]["key_types"]["content"][1:]:
                key["__class__"] = kind

    return change


def fewer_keys(schema, _):
    nodes(schema, "DecisionTreeClassifier")[0]["content"]["key_types"]["content"].pop()


BOOSTED = {"owner": "TreePredictor"}
ATTACKS = {
    "child beyond": ("tree", array("nodes", 0, 10**9, field="left_child"), "child 1000000000"),
    "child before": ("tree", array("nodes", 1, 0, field="left_child"), "child 0"),
    "child is itself": ("tree", array("nodes", 0, 0, field="right_child"), "child 0"),
    "child below -1": ("tree", array("nodes", 0, -5, field="left_child"), "child -5"),
    "child shared": ("tree", array("nodes", 0, 1, field="right_child"), "reached 2 times"),
    "feature beyond": ("tree", array("nodes", 0, 3, field="feature"), "feature 3, and there are 3"),
    "feature below": ("tree", array("nodes", 0, -2, field="feature"), "feature -2"),
    "of another width": ("tree", attribute("DecisionTreeClassifier", "n_features_in_", 2), "takes 3 features"),
    "without width": ("tree", attribute("DecisionTreeClassifier", "n_features_in_", None), "takes 3 features"),
    "depth": ("tree", attribute("Tree", "max_depth", 1), "depth 1"),
    "node count": ("tree", attribute("Tree", "node_count", 10**6), "1000000 nodes"),
    "forest of another width": ("forest", attribute("RandomForestClassifier", "n_features_in_", 2), "takes 3"),
    "child in a forest": ("forest", array("nodes", 0, 77, field="right_child"), "child 77"),
    "features of isolation": (
        "isolation",
        lambda schema, _: nodes(schema, "IsolationForest")[0]["content"]["content"]["estimators_features_"][
            "content"
        ].append(nodes(schema, "Tree")[0]["content"]["content"]["nodes"]),
        "other features",
    ),
    "many jobs": ("forest", attribute("RandomForestClassifier", "n_jobs", 10**6), "1000000 jobs"),
    "boosted child beyond": ("boosting", array("nodes", 0, 10**9, field="left", **BOOSTED), "child 1000000000"),
    "boosted cycle": ("boosting", array("nodes", 0, 0, field="right", **BOOSTED), "child 0"),
    "boosted feature": ("boosting", array("nodes", 0, 9, field="feature_idx", **BOOSTED), "feature 9"),
    "boosted category": ("boosting", array("nodes", 0, 1, field="is_categorical", **BOOSTED), "categories"),
    "boosting of another width": (
        "boosting",
        attribute("HistGradientBoostingClassifier", "n_features_in_", 0),
        "there are 0",
    ),
    "drawn cycle": (
        "leaves",
        lambda schema, _: nodes(schema, "TreeNodes")[0]["content"]["content"].__setitem__(
            0, nodes(schema, "TreeNodes")[0]["content"]["content"][1]
        ),
        "drawn tree",
    ),
    "categories fall": ("encoder", attribute("OneHotEncoder", "_n_features_outs", [2]), "numbers of columns"),
    "word beyond": (
        "words",
        lambda schema, _: nodes(schema, "TfidfVectorizer")[0]["content"]["content"]["vocabulary_"]["content"].update(
            cheap={"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": "1000000"}
        ),
        "other columns",
    ),
    "attributes that fall on each other": ("tree", keys("DecisionTreeClassifier", "bool"), "are not texts"),
    "attributes of a tree that do": ("tree", keys("Tree", "bool"), "are not texts"),
    "attributes that get lost": ("tree", fewer_keys, "another number of keys"),
    "many trees at once": (
        "boosting",
        attribute("HistGradientBoostingClassifier", "n_trees_per_iteration_", 10**8),
        "100000000 trees",
    ),
    "many classes": ("majority", attribute("DummyClassifier", "n_classes_", 10**8), "one of 100000000"),
    "long phrases": ("words", attribute("TfidfVectorizer", "ngram_range", [1, 10**6]), "ngram_range"),
    "pattern": ("words", attribute("TfidfVectorizer", "token_pattern", "(a+)+$"), "token_pattern"),
    "pattern of counts": ("counts", attribute("CountVectorizer", "token_pattern", "(a+)+$"), "token_pattern"),
    "derived for ever": (
        "derived",
        attribute("DerivedFeatures", "features", ["*" * 10**6]),
        "in more than 1,000 signs",
    ),
    "bins for ever": (
        "derived",
        lambda _, files: files.update({name: npy(10**4) for name in files if name.endswith(".npy")}),
        "more than 100 bins",
    ),
    "files as input": ("words", attribute("TfidfVectorizer", "input", "filename"), "input of a vectoriser"),
    "another version": ("tree", attribute("DecisionTreeClassifier", "_sklearn_version", "0.1.2"), "scikit-learn 0.1.2"),
    "another protocol": ("tree", lambda schema, _: schema.update(protocol=0), "protocol is 0"),
    "no schema": ("tree", lambda schema, _: schema.clear(), "protocol is None"),
    "numbered": ("tree", lambda schema, _: schema.update(__id__=3), "numbers its objects"),
    "array of nothing": (
        "tree",
        lambda _, files: files.update({"0.npy": files["0.npy"].replace(b"'shape': (", b"'shape': (9999999999, ")}),
        "an array says",
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_indices_that_lead_elsewhere_are_refused(name, edited):
    model, change, words = ATTACKS[name]
    with pytest.raises(th.errors.NotationError, match=words):
        read_model(edited(model, change))


@pytest.mark.parametrize("model", MODELS)
def test_models_that_nobody_touched_are_read(model, edited):
    assert type(read_model(edited(model, lambda *_: None))) is type(MODELS[model])


@pytest.mark.parametrize("model", [SVC().fit(X, Y), KNeighborsClassifier().fit(X, Y)], ids=["svm", "neighbours"])
def test_types_that_thresher_does_not_make_are_trusted_by_name_only(model, tmp_path):
    path = write_model(model, tmp_path / "model.skops")
    with pytest.raises(th.errors.ArgumentError, match="not known to be harmless") as caught:
        read_model(path)
    names = caught.value.fix.partition("trusted=[")[2].partition("]")[0].replace("'", "").split(", ")
    np.testing.assert_array_equal(read_model(path, trusted=names).predict(X), model.predict(X))


def test_neighbours_are_saved_without_their_tree(tmp_path):
    model = Neighbours(5).fit(X, Y)
    path = write_model(model, tmp_path / "model.skops")
    assert b"KDTree" not in path.read_bytes()
    np.testing.assert_array_equal(read_model(path).predict_proba(X), model.predict_proba(X))


def test_a_type_is_loaded_in_one_way_only(edited):
    def change(schema, _):
        nodes(schema, "Tree")[0]["__loader__"] = "ConstructorFromReduceNode"

    with pytest.raises(th.errors.ArgumentError, match=r"not known to be harmless: sklearn\.tree\._tree\.Tree"):
        read_model(edited("tree", change))


def test_a_small_file_cannot_fill_the_memory(tmp_path):
    path = write_model(MODELS["tree"], tmp_path / "model.skops")
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        archive.writestr("zeros.npy", bytes(50_000_000))
    with pytest.raises(th.errors.NotationError, match="compressed"):
        read_model(path)


def test_an_array_may_not_be_named_for_ever(edited):
    def change(schema, files):
        files["zeros.npy"] = files["0.npy"] + b""
        schema["content"]["content"]["more"] = {
            "__class__": "list",
            "__module__": "builtins",
            "__loader__": "ListNode",
            "content": [
                {
                    "__class__": "ndarray",
                    "__module__": "numpy",
                    "__loader__": "NdArrayNode",
                    "type": "numpy",
                    "file": "zeros.npy",
                }
            ],
        }
        content = io.BytesIO()
        np.save(content, np.zeros(1_000_000, dtype=np.int8))
        files["zeros.npy"] = content.getvalue()
        schema["content"]["content"]["more"]["content"] *= 100

    with pytest.raises(th.errors.NotationError, match="would fill 100"):
        read_model(edited("tree", change))


@pytest.mark.parametrize("content", [None, b"", b"spam", b"PK\x05\x06" + bytes(18), b"PK\x03\x04"])
def test_what_is_no_archive_is_refused(tmp_path, content):
    path = tmp_path / "model.skops"
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(th.errors.ThresherError, match=r"is no file|no model"):
        read_model(path)


def test_one_text_does_not_stand_for_types_to_trust(tmp_path):
    path = write_model(DummyClassifier().fit([[0], [1]], [0, 1]), tmp_path / "model.skops")
    with pytest.raises(th.errors.ArgumentError, match="trusted cannot be"):
        read_model(path, trusted="sklearn.svm._classes.SVC")
