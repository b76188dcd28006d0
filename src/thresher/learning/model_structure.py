"""The structure of saved models: indices that compiled code follows unchecked.

Everything is read from the archive as plain values, so that nothing is built before it is known to hold together.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.learning.data.derived import LONGEST, MOST_BINS

Node: TypeAlias = Mapping[str, Any]
_WORDS = r"(?u)\b\w\w+\b"  # scikit-learn's default; another pattern could take for ever
_MOST_JOBS = 64


class StructureError(ValueError):
    """What in a model file does not hold together."""


class _Place(NamedTuple):
    """A node of the schema, and the features of the nearest estimator that holds it."""

    node: Any
    features: int | None


def require_structure(schema: Node, files: Mapping[str, bytes], *, unchecked: Collection[str] = ()) -> None:
    """Check every node of the types below, except the types `unchecked`."""
    rest = [_Place(schema, None)]
    while rest:
        part, features = rest.pop()
        if isinstance(part, list):
            rest += (_Place(item, features) for item in part)
        elif isinstance(part, dict):
            loader = part.get("__loader__")
            if isinstance(loader, str) and f"{part.get('__module__')}.{part.get('__class__')}" not in unchecked:
                if loader in _LOADED:
                    _LOADED[loader](part, files, features)
                if loader == "ObjectNode":
                    features = _check_object(str(part["__class__"]), _State(part, files), features)
            rest += (_Place(item, features) for item in part.values())


def _check_object(name: str, state: _State, features: int | None) -> int | None:
    """Check one object; returns how many features the estimators within it have."""
    jobs = state.get("n_jobs")
    if jobs is not None and not (isinstance(jobs, int) and abs(jobs) <= _MOST_JOBS):
        raise StructureError(f"{name} would run {jobs!r} jobs at once")
    if name in _HOLDERS:
        inside = state.get("n_features_in_")
        if features is not None and inside is not None and inside != features:
            raise StructureError(f"{name} takes {inside!r} features, and what holds it gives {features}")
        features = inside if type(inside) is int else None
    if name in _CHECKS:
        _CHECKS[name](state, features)
    return features


class _State:
    """Attributes of a saved object as plain values, read when asked for."""

    def __init__(self, node: Node, files: Mapping[str, bytes]) -> None:
        content = node.get("content") or {}
        absent = not content or (content["__loader__"] == "JsonNode" and content["content"] == "null")
        self.nodes: Any = {} if absent else content["content"]
        self.files = files
        if not absent and str(node["__module__"]).startswith("sklearn."):
            _require_texts(content)

    def get(self, name: str) -> Any:
        return self[name] if isinstance(self.nodes, dict) and name in self.nodes else None

    def __getitem__(self, name: str | int) -> Any:
        return plain(self.nodes[name], self.files)


def plain(node: Node, files: Mapping[str, bytes]) -> Any:
    """The value of a node of JSON, arrays and containers; any other is itself."""
    loader = node["__loader__"]
    if loader == "JsonNode":
        return json.loads(node["content"])
    if loader == "NdArrayNode":
        if node["type"] == "json":
            return np.array([None] * len(node["content"]), dtype=object)
        array = np.load(io.BytesIO(files[node["file"]]), allow_pickle=False)
        if node["__class__"] != "ndarray" and array.ndim:
            raise StructureError(f"a number of the type {node['__class__']} has {array.ndim} dimensions")
        return array
    if loader in ("ListNode", "TupleNode"):
        return [plain(item, files) for item in node["content"]]
    if loader == "DictNode":
        return {key: plain(item, files) for key, item in node["content"].items()}
    return node


def _require_texts(node: Node) -> None:
    """The keys of a saved mapping: others could be lost, or fall on each other."""
    if node["__loader__"] != "DictNode" or any(kind["__class__"] != "str" for kind in node["key_types"]["content"]):
        raise StructureError("the names of attributes or words are not texts")


def _check_mapping(node: Node, _files: Mapping[str, bytes], _features: int | None) -> None:
    if len(node["key_types"]["content"]) != len(node["content"]):
        raise StructureError("a mapping has another number of keys than of values")


def _check_array(node: Node, _files: Mapping[str, bytes], _features: int | None) -> None:
    if node["type"] == "json" and len(node["shape"]["content"]) != 1:
        raise StructureError("it holds an array of objects with several dimensions")


def _check_loss(node: Node, _files: Mapping[str, bytes], _features: int | None) -> None:
    if node["content"]["content"] or node["__reduce__"]["args"]["content"]:
        raise StructureError(f"the loss {node['__class__']} has a state")


def _check_generator(node: Node, _files: Mapping[str, bytes], _features: int | None) -> None:
    kind = json.loads(node["content"]["bit_generator"]["content"]["bit_generator"]["content"])
    if kind != "PCG64":  # the state of others holds an index
        raise StructureError(f"it holds a random generator of the kind {kind!r}")


def _check_tree(node: Node, files: Mapping[str, bytes], features: int | None) -> None:
    """A tree of scikit-learn: nodes, values and sizes."""
    _require_texts(node["content"])
    size, classes, outputs = plain(node["__reduce__"]["args"], files)
    state = plain(node["content"], files)
    nodes, values = state["nodes"], state["values"]
    if features is None or size != features:
        raise StructureError(f"a tree takes {size!r} features, and its estimator {features!r}")
    if outputs != 1 or np.shape(classes) != (1,) or np.asarray(classes).dtype.kind not in "iu":
        raise StructureError(f"a tree has {outputs!r} outputs with {np.shape(classes)} numbers of classes")
    if np.ndim(nodes) != 1 or values.shape != (len(nodes), 1, int(classes[0])):
        raise StructureError(f"the values of a tree have the shape {values.shape}, for {np.shape(nodes)} nodes")
    left, right = nodes["left_child"], nodes["right_child"]
    depth = require_tree(left, right, left == -1, name="a tree")
    _require_features(nodes["feature"][left != -1], size)
    if state["node_count"] != len(nodes) or state["max_depth"] != depth:
        claim = f"{state['node_count']!r} nodes and depth {state['max_depth']!r}"
        raise StructureError(f"a tree says it has {claim}, and has {len(nodes):,} and {depth}")


def require_tree(left: npt.NDArray[Any], right: npt.NDArray[Any], leaf: npt.NDArray[np.bool_], *, name: str) -> int:
    """Children come after their parents, each node is reached once: the depth."""
    size = len(left)
    if not size:
        raise StructureError(f"{name} has no nodes")
    parents = np.flatnonzero(~leaf)
    for side in (left, right):
        wrong = parents[(side[parents] <= parents) | (side[parents] >= size)]
        if wrong.size:
            what = f"node {wrong[0]:,} of {name} has the child {int(side[wrong[0]])}"
            raise StructureError(f"{what}, which should come after it and before {size:,}")
    children = np.concatenate([left[parents], right[parents]]).astype(np.int64)
    reached = np.bincount(children, minlength=size)
    reached[0] += 1
    if (reached != 1).any():
        node = int((reached != 1).argmax())
        raise StructureError(f"node {node:,} of {name} is reached {reached[node]:,} times, not once")
    depth, level = 0, np.zeros(1, dtype=np.int64)
    while (inside := level[~leaf[level]]).size:
        level = np.concatenate([left[inside], right[inside]]).astype(np.int64)
        depth += 1
    return depth


def _require_features(feature: npt.NDArray[Any], size: int) -> None:
    if ((feature < 0) | (feature >= size)).any():
        worst = int(feature[((feature < 0) | (feature >= size)).argmax()])
        raise StructureError(f"a tree asks for feature {worst}, and there are {size}")


def _check_predictor(state: _State, features: int | None) -> None:
    """A tree of gradient boosting."""
    nodes = state["nodes"]
    leaf = nodes["is_leaf"] != 0
    require_tree(nodes["left"], nodes["right"], leaf, name="a boosted tree")
    if features is None:
        raise StructureError("a boosted tree is outside a model")
    _require_features(nodes["feature_idx"][~leaf].astype(np.int64), features)
    if (nodes["is_categorical"][~leaf] != 0).any():
        raise StructureError("a boosted tree asks for categories, which models of thresher encode")


def _check_boosting(state: _State, _features: int | None) -> None:
    for name in ("_preprocessor", "is_categorical_"):
        if state.get(name) is not None:
            raise StructureError(f"boosting has {name}, and models of thresher encode categories before")
    if state.get("n_trees_per_iteration_") not in (None, 1):
        raise StructureError(f"boosting has {state['n_trees_per_iteration_']!r} trees for two classes, not 1")


def _check_dummy(state: _State, _features: int | None) -> None:
    classes, size = state.get("classes_"), state.get("n_classes_")
    if size is not None and size != len(classes):
        raise StructureError(f"the majority class is one of {size!r}, and there are {len(classes):,}")


def _check_one_hot(state: _State, _features: int | None) -> None:
    """Columns of an encoder: scikit-learn writes ones there unchecked."""
    if (categories := state.get("categories_")) is None:
        return
    if state["_infrequent_enabled"] is not False or state["drop_idx_"] is not None:
        raise StructureError("a one-hot encoder merges or drops categories, which models of thresher do not")
    if state["_n_features_outs"] != [len(one) for one in categories]:
        raise StructureError("a one-hot encoder has other numbers of columns than of categories")
    if any(one.dtype.kind != "O" and not (one[1:] > one[:-1]).all() for one in categories):
        raise StructureError("the categories of a one-hot encoder do not rise")


def _check_words(state: _State, _features: int | None) -> None:
    """Columns of words, and nothing that reads files or takes for ever."""
    usual = {"input": "content", "analyzer": "word", "token_pattern": _WORDS, "ngram_range": [1, 1]}
    for name, value in (usual | dict.fromkeys(("tokenizer", "preprocessor", "vocabulary"))).items():
        if state.get(name) != value:
            raise StructureError(f"the {name} of a vectoriser is {state.get(name)!r}, not {value!r}")
    words = state.get("vocabulary_")
    if words is None:
        return
    _require_texts(state.nodes["vocabulary_"])
    if sorted(words.values()) != list(range(len(words))):
        raise StructureError("the words of a vectoriser have other columns than 0, 1, 2, ...")


def _check_derived(state: _State, _features: int | None) -> None:
    """Features that are read in no time, in as many bins as there may be."""
    if any(len(text) > LONGEST for text in state["features"]):
        raise StructureError(f"a derived feature is written in more than {LONGEST:,} signs")
    if any(edges.size >= MOST_BINS for edges in (state.get("edges_") or {}).values()):
        raise StructureError(f"a derived feature has more than {MOST_BINS} bins")


def _check_isolation(state: _State, features: int | None) -> None:
    if any(np.array_equal(one, range(features or 0)) is False for one in state.get("estimators_features_") or ()):
        raise StructureError("a tree of an isolation forest has other features than its forest")


def _check_drawing(state: _State, _features: int | None) -> None:
    left, right = state[0], state[1]
    require_tree(left, right, left < 0, name="a drawn tree")


# Estimators whose compiled code takes rows of as many features as they say.
_HOLDERS = frozenset(
    {
        *("DecisionTreeClassifier", "ExtraTreeRegressor", "RandomForestClassifier", "IsolationForest"),
        "HistGradientBoostingClassifier",
    }
)
_LOADED: Mapping[str, Callable[[Node, Mapping[str, bytes], int | None], None]] = {
    "DictNode": _check_mapping,
    "LossNode": _check_loss,
    "NdArrayNode": _check_array,
    "RandomGeneratorNode": _check_generator,
    "TreeNode": _check_tree,
}
_CHECKS: Mapping[str, Callable[[_State, int | None], None]] = {
    "DerivedFeatures": _check_derived,
    "DummyClassifier": _check_dummy,
    "CountVectorizer": _check_words,
    "HistGradientBoostingClassifier": _check_boosting,
    "IsolationForest": _check_isolation,
    "OneHotEncoder": _check_one_hot,
    "TfidfVectorizer": _check_words,
    "TreeNodes": _check_drawing,
    "TreePredictor": _check_predictor,
}
