"""Preparation: raw columns as numbers, by one scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any, Literal, TypeAlias, get_args

from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from thresher._internal.arguments import is_one_of, require_instance, require_one_of, require_seed
from thresher.errors import ArgumentError, argument
from thresher.learning.data.column_types import ColumnTypes, Derived
from thresher.learning.data.outliers import Outliers
from thresher.learning.preprocessing.encoders import (
    Categories,
    DateParts,
    DerivedFeatures,
    MissingFlags,
    Numbers,
    Text,
    TextFeatures,
    named_category,
)

Encoding: TypeAlias = Literal["one-hot", "ordinal", "target"]
Scaling: TypeAlias = Literal["standard", "min-max", "robust"]

# Categories beyond which a column is encoded by the target rather than by a feature for each.
MANY_CATEGORIES = 30
_SCALERS = {"standard": StandardScaler, "min-max": MinMaxScaler, "robust": RobustScaler}


def preparation(
    columns: ColumnTypes,
    *,
    missing: Literal["indicator", "fill"] = "indicator",
    outliers: Outliers | None = None,
    scale: Scaling | None = "standard",
    encode: Literal["auto"] | Encoding | Mapping[str, Encoding] = "auto",
    words: int = 500,
    text: Text = "tf-idf",
    seed: int = 0,
) -> ColumnTransformer:
    """A transformer from columns to a frame of numbers, named by their source.

    Everything it learns (medians, fences, scales, categories, words, target means) it learns in `fit`, so within a
    pipeline from training folds alone. Rows are never dropped.

    Missing numbers are filled with the median and categories with the most frequent one; "indicator" also adds a column
    that says where. `outliers` are treated before numbers are filled. `scale` is that of numbers, dates and declared
    orders. `encode="auto"` gives up to 30 categories a column each, and beyond that encodes them by the target,
    cross-fitted with `seed` (scikit-learn's TargetEncoder); a mapping decides by column, the others being "auto".
    `words` is how many words each text column gives, and `text` what of them, as in `TextFeatures`.

    >>> from thresher.learning import column_types, frame
    >>> table = {"age": [31, None, 25, 40], "town": ["Oslo", "Rome", "Oslo", "Rome"]}
    >>> preparation(column_types(table)).fit_transform(frame(table)).round(2)
        age  age: missing  town=Oslo  town=Rome
    0 -0.14           0.0        1.0        0.0
    1 -0.14           1.0        0.0        1.0
    2 -1.26           0.0        1.0        0.0
    3  1.54           0.0        0.0        1.0
    """
    require_instance(columns, ColumnTypes, name="columns", fix="give what column_types(data) returns")
    if outliers is not None:
        require_instance(outliers, Outliers, name="outliers", fix='give e.g. Outliers("iqr")')
    require_seed(seed)
    require_one_of(text, get_args(Text), name="text")
    encodings = _encodings(columns, encode)
    if missing not in ("indicator", "fill"):
        fix = 'use "indicator" or "fill"; to drop rows, call complete_rows(data) on the training rows first'
        raise ArgumentError(f"there is no way {missing!r} to treat missing values", fix)
    if scale is not None and not is_one_of(scale, _SCALERS):
        raise ArgumentError(f"there is no scale {scale!r}", f"use one of {', '.join(_SCALERS)}, or None")
    if not columns.needed:
        what = "no column is left that a model may learn from"
        raise ArgumentError(what, f"overrule the kinds with {argument('types', {'column': 'kind'})}")
    scaling = [] if scale is None else [("scale", _SCALERS[scale]())]
    fences = [] if outliers is None else [("outliers", clone(outliers))]
    often = ("fill", SimpleImputer(strategy="most_frequent", keep_empty_features=True))
    middle = ("fill", SimpleImputer(strategy="median", keep_empty_features=True))
    ordinal = columns.named("ordinal")
    orders = {name: list(columns[name].order) for name in ordinal}
    texts, known, numbers = ("texts", Categories()), ("texts", Categories(orders)), ("numbers", Numbers())
    # A missing text is a text without words, which its features show already.
    lacking = [name for name in columns.needed if columns[name].missing and columns[name].kind != "text"]
    derived, binned = (("derive", DerivedFeatures(columns.named(kind))) for kind in get_args(Derived))
    ways: list[tuple[str, list[tuple[str, Any]], list[str]]] = [
        ("numbers", [numbers, *fences, middle, *scaling], columns.named("numerical")),
        ("switches", [numbers, often], columns.named("boolean")),
        ("derived", [derived, middle, *scaling], columns.sources("derived")),
        ("binned", [binned], columns.sources("binned")),
        ("dates", [("parts", DateParts()), middle, *scaling], columns.named("date")),
        ("orders", [known, often, ("encode", OrdinalEncoder(categories=list(orders.values()))), *scaling], ordinal),
        ("missing", [("where", MissingFlags())], lacking if missing == "indicator" else []),
        *((way, [texts, often, ("encode", encoder)], encodings[way]) for way, encoder in _encoders(seed).items()),
        ("words", [("words", TextFeatures(words, text=text))], columns.named("text")),
    ]
    steps = [
        (way, Pipeline([(name, clone(step)) for name, step in steps]), names) for way, steps, names in ways if names
    ]
    prepare = ColumnTransformer(steps, remainder="drop", sparse_threshold=0, verbose_feature_names_out=False)
    return prepare.set_output(transform="pandas")


def _encoders(seed: int) -> dict[str, Any]:
    # scikit-learn 1.9 takes the folds; before, their seed.
    state = signature(TargetEncoder).parameters.get("random_state")
    seeded = state is not None and state.default is None
    folds = {"random_state": seed} if seeded else {"cv": StratifiedKFold(5, shuffle=True, random_state=seed)}
    return {
        "one-hot": OneHotEncoder(handle_unknown="ignore", sparse_output=False, feature_name_combiner=named_category),
        "ordinal": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        "target": TargetEncoder(**folds),
    }


def _encodings(columns: ColumnTypes, encode: Any) -> dict[str, list[str]]:
    """Which categorical columns are encoded which way."""
    categorical = columns.named("categorical")
    wished = dict(encode) if isinstance(encode, Mapping) else dict.fromkeys(categorical, encode)
    ways: dict[str, list[str]] = {way: [] for way in _encoders(0)}
    for name, way in wished.items():
        if name not in categorical:
            what = f"{name!r} is to be encoded, and is no categorical column"
            raise ArgumentError(what, f"name one of {', '.join(categorical) or 'none: there are none'}")
        if way != "auto" and way not in ways:
            raise ArgumentError(f"there is no encoding {way!r}", f"use auto or one of {', '.join(ways)}")
    for name in categorical:
        way = wished.get(name, "auto")
        few = columns[name].distinct <= MANY_CATEGORIES
        ways[("one-hot" if few else "target") if way == "auto" else way].append(name)
    return ways
