"""Model files: skops archives, checked before anything is made of them.

skops refuses unknown types, yet objects of known types can crash a process: trees hold raw indices that scikit-learn
follows unchecked. So a file may hold the types that thresher's models are made of, each loaded in the one way that
skops writes it, and `model_structure` checks their indices. See docs/decisions/0023.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path, PurePath
from typing import Any, TypeAlias
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
import sklearn

from thresher._internal.arguments import require_instance
from thresher._internal.atomic import read_bytes, write_file
from thresher._internal.json import require_nesting
from thresher._internal.optional import extra
from thresher.errors import ArgumentError, MissingExtraError, NotationError, ThresherError, argument, located
from thresher.learning.model_structure import StructureError, require_structure

Node: TypeAlias = Mapping[str, Any]

# Classes and functions that saved models name; they report thresher.learning as their module, so that files may move.
SAVED = (
    *("CalibratedModel", "Categories", "CostSensitiveClassifier", "DateParts", "DerivedFeatures"),
    *("DistanceClassifier", "GroupedModel"),
    *("LeafTree", "MissingFlags", "Neighbours", "Numbers", "OneFeatureRule", "Outliers", "ScatterSelector"),
    *("TextFeatures", "TreeNodes", "named_category"),
)
_SCALARS = frozenset(
    f"numpy.{kind.__name__}"
    for kind in (np.bool_, np.str_, *(np.dtype(f"{sign}{size}").type for sign in "iu" for size in (1, 2, 4, 8)))
) | {"numpy.float16", "numpy.float32", "numpy.float64"}
_OBJECTS = frozenset(
    {
        *(f"sklearn._loss.link.{name}" for name in ("Interval", "LogitLink")),
        "sklearn._loss.loss.HalfBinomialLoss",
        "sklearn.compose._column_transformer.ColumnTransformer",
        "sklearn.dummy.DummyClassifier",
        *(f"sklearn.ensemble.{name}" for name in ("_forest.RandomForestClassifier", "_iforest.IsolationForest")),
        "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
        "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        *(f"sklearn.feature_extraction.text.{name}" for name in ("CountVectorizer", "TfidfVectorizer")),
        "sklearn.feature_extraction.text.TfidfTransformer",
        "sklearn.frozen._frozen.FrozenEstimator",
        "sklearn.impute._base.SimpleImputer",
        "sklearn.linear_model._logistic.LogisticRegression",
        *(f"sklearn.model_selection._split.{name}" for name in ("StratifiedGroupKFold", "StratifiedKFold")),
        "sklearn.naive_bayes.GaussianNB",
        "sklearn.pipeline.Pipeline",
        *(f"sklearn.preprocessing._data.{name}" for name in ("MinMaxScaler", "RobustScaler", "StandardScaler")),
        *(f"sklearn.preprocessing._encoders.{name}" for name in ("OneHotEncoder", "OrdinalEncoder")),
        "sklearn.preprocessing._label.LabelEncoder",
        "sklearn.preprocessing._target_encoder.TargetEncoder",
        "sklearn.svm._classes.LinearSVC",
        *(f"sklearn.tree._classes.{name}" for name in ("DecisionTreeClassifier", "ExtraTreeRegressor")),
        *(f"thresher.calibration.{name}" for name in ("CalibrationMap", "Candidate", "LogLinear", "LogisticCurve")),
        *(f"thresher.calibration.{name}" for name in ("Losses", "MEstimate", "OneVsRest", "Steps")),
        *(f"thresher.{name}" for name in ("cautions.Caution", "choices.Choice", "choices.Point", "ranking.Ranking")),
        *(f"thresher.{name}" for name in ("ranking.Segments", "tables.CostMatrix", "tables.OperatingCondition")),
        *(f"thresher.learning.{name}" for name in SAVED if name[0].isupper()),
    }
)
# The types that a file may hold, by the loader that skops writes for them: another one would build them in other ways.
TRUSTED: Mapping[str, frozenset[str]] = {
    **{
        f"{name.capitalize()}Node": frozenset({f"builtins.{name}"})
        for name in ("dict", "list", "set", "slice", "tuple")
    },
    "JsonNode": frozenset({"builtins.str"}),
    "TypeNode": frozenset({f"builtins.{name}" for name in ("bool", "float", "int", "str")}) | _SCALARS,
    "NdArrayNode": frozenset({"numpy.ndarray"}) | _SCALARS,
    "DTypeNode": frozenset({"numpy.dtype"}),
    "ConstructorFromReduceNode": frozenset({"thresher.tables.Contingency"}),
    "RandomGeneratorNode": frozenset({"numpy.random._generator.Generator"}),
    "LossNode": frozenset({"sklearn._loss._loss.CyHalfBinomialLoss"}),
    "TreeNode": frozenset({"sklearn.tree._tree.Tree"}),
    "FunctionNode": frozenset({"thresher.learning.named_category"}),
    "ObjectNode": _OBJECTS,
}
_SCHEMA, _STOP_WORDS = "schema.json", "_stop_words_id"
_NO_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that the format of archives can say
_DEEPEST = 300  # levels of the schema; models of thresher have fewer than 50
_REPEATS = 10  # how many times the archive's size its arrays may have; those that objects share are read repeatedly


def write_model(model: Any, path: str | Path) -> Path:
    """Write a fitted model in skops format, atomically; equal models give equal bytes.

    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.naive_bayes import GaussianNB
    >>> with TemporaryDirectory() as folder:
    ...     file = write_model(GaussianNB().fit([[0], [1]], [0, 1]), Path(folder) / "model.skops")
    ...     read_model(file).predict([[0.9]]).tolist()
    [1]
    """
    skops = extra("skops.io", name="learn")
    write_file(path, reproducible_zip(skops.dumps(model)))
    return Path(path)


def read_model(path: str | Path, *, trusted: Sequence[str] = ()) -> Any:
    """Read what `write_model` wrote, after checking everything that the file holds.

    Types that thresher's own models are not made of are refused by name. A model of other types needs them in
    `trusted`, as "package.module.Type"; their structure is not checked, so trust only files you made yourself.
    """
    skops = extra("skops.io", name="learn")
    with located(str(path)):
        require_instance(path, (str, PathLike), name="path", fix="give the path of write_model's file")
        # Of one text, every part would be trusted.
        listed = f"give a list, e.g. {argument('trusted', ['package.module.Type'])}"
        require_instance(trusted, (list, tuple, set, frozenset), name="trusted", fix=listed)
        if Path(path).exists() and not Path(path).is_file():
            raise ArgumentError(f"{path} is no file", "give the path of write_model's file")
        content = read_bytes(path)
        try:
            files = _members(content)
            schema = _schema(files)
            _require_types(schema, trusted)
            _require_versions(schema, protocol=_schema(_members(skops.dumps(None)))["protocol"])
            _require_files(schema, files, size=len(content))
            require_structure(schema, files, unchecked=trusted)
            needed = skops.get_untrusted_types(data=content)
            return skops.loads(content, trusted=needed)
        except ThresherError:
            raise
        except Exception as error:  # whatever a damaged file makes of its parsers
            words = f"{error}".partition("\n")[0]
            reason = words if isinstance(error, StructureError | BadZipFile) else f"{type(error).__name__} {words}"
            what = f"this is no model as write_model writes it: {reason}"
            raise NotationError(what, "give write_model's file, unchanged") from error


def reproducible_zip(archive: bytes) -> bytes:
    """The same model with files numbered as they come, no times and no addresses.

    skops names objects by their address in memory, files by that or at random, and dates every file.
    """
    files = _members(archive)
    names: dict[str, str] = {}

    def renamed(node: Any) -> Any:
        if isinstance(node, list):
            return [renamed(item) for item in node]
        if not isinstance(node, dict):
            return node
        # The address of a vectoriser's stop words when it last checked them; without it, it checks again.
        state = node["content"] if node.get("__loader__") == "DictNode" else {}
        if _STOP_WORDS in state and "stop_words" in state:
            kinds = [kind for key, kind in zip(state, node["key_types"]["content"], strict=True) if key != _STOP_WORDS]
            state = {key: value for key, value in state.items() if key != _STOP_WORDS}
            node = node | {"content": state, "key_types": node["key_types"] | {"content": kinds}}
        result: dict[str, Any] = {}
        for key, value in node.items():
            # A model's own entry under such a key is a node, neither a number nor the name of a file.
            if key == "file" and isinstance(value, str) and value in files:
                result[key] = names.setdefault(value, f"{len(names)}{PurePath(value).suffix}")
            elif key != "__id__" or not isinstance(value, int):
                result[key] = renamed(value)
        return result

    schema = json.dumps(renamed(json.loads(files[_SCHEMA])), indent=2)
    made = io.BytesIO()
    with ZipFile(made, "w") as target:
        for name, new in names.items():
            target.writestr(ZipInfo(new, _NO_TIME), files[name])
        target.writestr(ZipInfo(_SCHEMA, _NO_TIME), schema)
    return made.getvalue()


def _members(archive: bytes) -> dict[str, bytes]:
    """The files of an archive without compression, together no larger than it."""
    with ZipFile(io.BytesIO(archive)) as source:
        members = source.infolist()
        if any(one.compress_type != ZIP_STORED or one.file_size != one.compress_size for one in members):
            raise StructureError("its files are compressed, and write_model does not compress")
        if len({one.filename for one in members}) < len(members):
            raise StructureError("two of its files have one name")
        if sum(one.file_size for one in members) > len(archive):
            raise StructureError("its files overlap")
        return {one.filename: source.read(one) for one in members}


def _schema(files: Mapping[str, bytes]) -> dict[str, Any]:
    if _SCHEMA not in files:
        raise StructureError(f"it has no {_SCHEMA}")
    require_nesting(files[_SCHEMA], _DEEPEST)
    schema = json.loads(files[_SCHEMA].decode("utf-8"))
    if not isinstance(schema, dict):
        raise StructureError(f"its {_SCHEMA} is no object")
    return schema


def nodes_of(schema: Any) -> Iterator[Node]:
    """Every node that skops could make an object of: those that name a loader."""
    rest = [schema]
    while rest:
        part = rest.pop()
        if isinstance(part, dict):
            if "__loader__" in part and not isinstance(part["__loader__"], dict):
                yield part
            rest += part.values()
        elif isinstance(part, list):
            rest += part


def type_of(node: Node) -> str:
    """The type that a node names."""
    return f"{node['__module__']}.{node['__class__']}"


def _require_types(schema: Node, trusted: Sequence[str]) -> None:
    """Refuse types that are neither known with this loader nor trusted by the caller."""
    types = {(str(node["__loader__"]), type_of(node)) for node in nodes_of(schema)}
    unknown = sorted({name for loader, name in types if name not in TRUSTED.get(loader, ()) and name not in trusted})
    if unknown:
        what = f"the file holds {len(unknown)} types that are not known to be harmless: {', '.join(unknown[:8])}"
        fix = f"if you made the file yourself, pass {argument('trusted', unknown)}; otherwise do not load it"
        raise ArgumentError(what, fix)
    for package in dict.fromkeys(name.partition(".")[0] for _, name in sorted(types) if name in trusted):
        if find_spec(package) is None:
            what = f"the model needs the package {package}, which is not installed"
            raise MissingExtraError(what, f"pip install {package}")


def _require_versions(schema: Node, *, protocol: int) -> None:
    """Refuse models of another scikit-learn or format."""
    if schema.get("protocol") != protocol:
        raise StructureError(f"its protocol is {schema.get('protocol')!r}, and this version of skops writes {protocol}")
    if any("__id__" in node for node in nodes_of(schema)):
        raise StructureError("it numbers its objects, and write_model does not")
    here = sklearn.__version__
    for state in (node["content"] for node in nodes_of(schema) if node["__loader__"] == "DictNode"):
        written = str(json.loads(state["_sklearn_version"]["content"])) if "_sklearn_version" in state else here
        if written.split(".")[:2] != here.split(".")[:2]:
            what = f"the model was made by scikit-learn {written}, and this is {here}: it may score otherwise"
            raise NotationError(what, f'pip install "scikit-learn=={written}", or learn the model again')


def _require_files(schema: Node, files: Mapping[str, bytes], *, size: int) -> None:
    """Refuse arrays that are larger than their bytes, or than the archive many times."""
    total = 0
    for node in nodes_of(schema):
        if "file" in node and not isinstance(node["file"], dict):
            content = files[node["file"]]
            total += len(content)
            if node["__loader__"] == "NdArrayNode":
                _require_array(content)
    if total > _REPEATS * size:
        raise StructureError(f"it names its files so often that they would fill {total:,} bytes")


def _require_array(content: bytes) -> None:
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, kind = read(stream)
    empty = kind.itemsize == 0 and math.prod(shape) > 0
    if kind.hasobject or empty or math.prod(shape) * kind.itemsize != len(content) - stream.tell():
        raise StructureError(f"an array says that it has the shape {shape}, and holds {len(content):,} bytes")
