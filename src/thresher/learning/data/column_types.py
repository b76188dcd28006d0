"""Types of columns, inferred from values and overruled on request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from thresher._internal.arguments import is_one_of, require_instance, require_names
from thresher._internal.results import Result, Tabular
from thresher.errors import ArgumentError, ColumnError, MissingValueError, argument
from thresher.evaluation.summary import text_table
from thresher.learning.data.derived import DerivedFeature, bin_edges, derived_feature
from thresher.learning.data.frame import LARGEST, column_of, frame

MOST_CATEGORIES = 1000
# Words among numbers are refused only when there are this many numbers and this great a share of them.
_NUMBERS, _NUMBER_SHARE = 10, 0.8
# Numbers with decimals are measurements and no codes, so a smaller share of them shows a mix.
_MEASURED_SHARE = 0.2
_FEWEST_FOR_IDENTIFIER = 20
_WORDS_OF_TEXT = 3
_ID = re.compile(r"(?:^|[_\s.-])(?:id|uuid|guid|key|index|row|nr|no)$", re.IGNORECASE)
_CAMEL_ID = re.compile(r"[a-z](?:Id|ID)$")

Kind: TypeAlias = Literal[
    "numerical", "boolean", "categorical", "ordinal", "text", "date", "identifier", "constant", "ignored"
]
Derived: TypeAlias = Literal["derived", "binned"]
USED: tuple[Kind, ...] = ("numerical", "boolean", "categorical", "ordinal", "text", "date")
# What values are, by the words of pandas for their types.
_FAMILIES = {"boolean": "boolean", "string": "text"}
_FAMILIES |= dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal"), "number")
_FAMILIES |= dict.fromkeys(("datetime", "datetime64", "date"), "date")


@dataclass(frozen=True, slots=True, repr=False)
class ColumnType(Result):
    """One column: its kind, the reason for it, and how many values it has and lacks.

    Features derived from other columns are "derived" or "binned", `of` those columns.
    """

    name: str
    kind: Kind | Derived
    reason: str
    rows: int
    distinct: int
    missing: int
    example: str
    order: tuple[str, ...] = ()
    of: tuple[str, ...] = ()

    @property
    def used(self) -> bool:
        """Whether a model may learn from it as it is; not from identifiers and constants."""
        return self.kind in USED


@dataclass(frozen=True, slots=True, repr=False)
class ColumnTypes(Tabular):
    """The columns of a table in order, then derived features; prints as a table.

    The target is left out.
    """

    columns: tuple[ColumnType, ...]
    target: str | None = None

    def named(self, *kinds: Kind | Derived) -> list[str]:
        """Names of the columns of these kinds.

        >>> column_types({"age": [31, 25, 40], "town": ["Oslo", "Rome", "Oslo"]}).named("categorical")
        ['town']
        """
        return [column.name for column in self.columns if column.kind in kinds]

    @property
    def used(self) -> list[str]:
        """Names of the columns that a model may learn from as they are."""
        return self.named(*USED)

    @property
    def needed(self) -> list[str]:
        """Names of the columns used as they are, or to derive features from."""
        return list(dict.fromkeys([*self.used, *self.sources(*get_args(Derived))]))

    def sources(self, *kinds: Derived) -> list[str]:
        """Names of the columns that features of these kinds are derived from."""
        return list(dict.fromkeys(name for column in self if column.kind in kinds for name in column.of))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for a file."""
        columns = [asdict(column) | {"order": list(column.order), "of": list(column.of)} for column in self]
        return {"target": self.target, "columns": columns}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ColumnTypes:
        """The column types that `to_dict` wrote."""
        columns = (column | {name: tuple(column[name]) for name in ("order", "of")} for column in data["columns"])
        return cls(tuple(ColumnType(**column) for column in columns), data["target"])

    def __getitem__(self, name: str) -> ColumnType:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def __iter__(self) -> Iterator[ColumnType]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def _brief(self) -> str:
        kinds = Counter(column.kind for column in self.columns)
        return f"{len(self):,} columns: {', '.join(f'{count:,} {kind}' for kind, count in kinds.items())}"

    def _columns(self) -> Mapping[str, Any]:
        shown = ("name", "kind", "rows", "distinct", "missing", "example", "reason")
        return {name: [getattr(column, name) for column in self] for name in shown}

    def __str__(self) -> str:
        head = ["column", "kind", "distinct", "missing", "example", "why"]
        lines = [
            [c.name, c.kind, f"{c.distinct:,}", f"{c.missing:,}" if c.missing else "", c.example, c.reason]
            for c in self
        ]
        columns = list(zip(head, *lines, strict=True))
        for place in (1, 4, 5):  # text_table aligns right, and words read better from the left
            width = max(map(len, columns[place]))
            columns[place] = tuple(text.ljust(width) for text in columns[place])
        return text_table(list(zip(*columns, strict=True)))


class Inference(NamedTuple):
    """A kind and the reason for it."""

    kind: Any
    reason: str
    order: tuple[str, ...] = ()


def column_types(
    data: Any,
    *,
    target: str | None = None,
    types: Mapping[str, Kind] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    derive: Sequence[str] = (),
    most_categories: int = MOST_CATEGORIES,
) -> ColumnTypes:
    """The kind of each column; `types` overrules, `orders` declares ordinal columns.

    Nothing is converted here, and a doubtful column is refused, not guessed at: one that is wholly missing, that mixes
    kinds of values, that has words among its numbers, or that has more than `most_categories` categories.

    `derive` adds features made of columns of numbers: `log(x)`, `log1p(x)`, `x / y`, `x * y`, and `bins(x, 5)`, which
    are five bins of about equally many rows. A feature that some row does not have is refused, e.g. a logarithm of 0.
    The columns may be ignored, so that the feature takes their place.

    >>> table = {"id": list(range(1, 31)), "size": ["S", "M", "L"] * 10, "age": [31.5, 25, None] * 10}
    >>> print(column_types(table, orders={"size": ["S", "M", "L"]}))
    column  kind        distinct  missing  example  why
    id      identifier        30           1        a different whole number in every row
    size    ordinal            3           S        order declared: S < M < L
    age     numerical          2       10  31.5     numbers
    """
    table, types, orders = frame(data), {} if types is None else types, {} if orders is None else orders
    fix = "give e.g. types={'age': 'numerical'}, orders={'size': ['S', 'M', 'L']}"
    for name, declared in (("types", types), ("orders", orders)):
        require_instance(declared, Mapping, name=name, fix=fix)
    for name, order in orders.items():
        if isinstance(order, str) or not isinstance(order, Iterable):
            raise ArgumentError(f"the order of {name!r} is no list: {order!r}", "give categories, lowest first")
    for name in [*types, *orders, *([] if target is None else [target])]:
        column_of(table, name)
    for kind in types.values():
        if not is_one_of(kind, get_args(Kind)):
            raise ArgumentError(f"there is no kind {kind!r}", f"use one of {', '.join(get_args(Kind))}")
    columns = tuple(
        _column_type(table[name], types.get(name), tuple(orders.get(name, ())), most_categories)
        for name in table.columns
        if name != target
    )
    features = [derived_feature(text, table) for text in require_names(derive, name="derive", example="log(age)")]
    names = [*table.columns, *(feature.name for feature in features)]
    if twice := [feature.name for feature in features if names.count(feature.name) > 1]:
        raise ArgumentError(f"{twice[0]!r} is there twice", "derive each feature once, and none that is a column")
    binned = [feature.columns[0] for feature in features if feature.bins]
    if twice := [name for name in binned if binned.count(name) > 1]:
        raise ArgumentError(f"{twice[0]!r} is in bins twice", "choose one number of bins")
    kinds = {column.name: column for column in columns}
    return ColumnTypes((*columns, *(_derived(feature, table, kinds) for feature in features)), target)


def _column_type(values: Any, kind: Kind | None, order: tuple[Any, ...], most: int) -> ColumnType:
    name, rows = str(values.name), len(values)
    present = values.dropna()
    missing = rows - len(present)
    if kind == "ignored":
        return ColumnType(name, "ignored", "left out on request", rows, 0, missing, "")
    if not len(present):
        what = f"column {name!r} has no values: all {rows:,} rows are missing"
        raise MissingValueError(what, f"fill it, or leave it out with {argument('types', {name: 'ignored'})}")
    if kind is None and not order:
        inference = infer_kind(values, present, most=most)
    else:
        inference = declared_kind(present, kind or "ordinal", order)
    first = present.iloc[0]
    example = f"{first:.6g}" if isinstance(first, float) else " ".join(str(first).removesuffix(" 00:00:00").split())
    shown = example if len(example) <= 24 else example[:23] + "…"
    distinct = int((present.astype(str) if present.dtype == object else present).nunique())
    return ColumnType(name, inference.kind, inference.reason, rows, distinct, missing, shown, inference.order)


def _derived(feature: DerivedFeature, table: Any, kinds: Mapping[str, ColumnType]) -> ColumnType:
    """A derived feature that no row of a table makes undefined."""
    import pandas as pd

    for name in feature.columns:
        if name not in kinds:
            raise ArgumentError(f"{feature.name} is made of the target {name!r}", "derive features from other columns")
        if kinds[name].kind not in ("numerical", "boolean", "ignored"):
            what = f"{feature.name} is made of {name!r}, which is {kinds[name].kind}: {kinds[name].reason}"
            raise ColumnError(what, f"if it holds numbers, declare {argument('types', {name: 'numerical'})}")
    numbers = pd.DataFrame({name: parse_numbers(table[name].dropna()) for name in feature.columns}, index=table.index)
    values = feature.values(numbers)
    present = values[~np.isnan(values)]
    distinct, reason = len(np.unique(present)), feature.words
    if feature.bins:
        distinct = len(bin_edges(values, feature.bins)) + 1
        reason += f"; its values repeat, so that {distinct} differ" if distinct < feature.bins else ""
    if distinct < 2:
        what = f"{feature.name} is the same in every row that has it"
        raise ColumnError(what, "leave it out; it tells no row from another")
    kind: Derived = "binned" if feature.bins else "derived"
    missing, example = len(values) - len(present), f"{present[0]:.6g}"
    return ColumnType(feature.name, kind, reason, len(values), distinct, missing, example, of=feature.columns)


def infer_kind(values: Any, present: Any, *, most: int) -> Inference:
    """The kind of a column, from the values that are not missing."""
    family = value_family(present)
    if family not in ("mixed", "ordered") and len(present) == len(values) and (present == present.iloc[0]).all():
        return Inference("constant", "one value in every row")
    if family == "ordered":
        order = tuple(map(str, present.dtype.categories))
        return Inference("ordinal", f"ordered categories: {' < '.join(order)}", order)
    if family in ("boolean", "date"):
        return Inference(family, "true or false" if family == "boolean" else "dates")
    if family == "number":
        return _numbers(present.astype(np.float64), "numbers")
    if family == "mixed":
        raise _mixed(present)
    return _categories(present, "categories", most) if family == "categories" else _texts(present, most)


def declared_kind(present: Any, kind: Any, order: tuple[Any, ...]) -> Inference:
    """The declared kind of a column; one that its values contradict is refused."""
    if kind == "ordinal":
        return _ordinal(present, order)
    if kind in ("numerical", "boolean"):
        parse_numbers(present)
    if kind == "date":
        parse_dates(present)
    return Inference(kind, "declared")


def value_family(values: Any) -> str:
    """What a column holds, by its type or by the types of its values."""
    import pandas as pd

    if isinstance(values.dtype, pd.CategoricalDtype):
        return "ordered" if values.dtype.ordered else "categories"
    return _FAMILIES.get(pd.api.types.infer_dtype(values, skipna=True), "mixed")


def parse_numbers(present: Any) -> Any:
    """Numbers, numbers written as text and booleans as float64; other text is refused."""
    import pandas as pd

    numbers = pd.to_numeric(present.astype(object), errors="coerce")
    if numbers.isna().any():
        raise _text_among_numbers(present, numbers)
    return numbers.astype(np.float64)


def parse_dates(values: Any) -> Any:
    """Dates in UTC, missing where values are; text that is no ISO date is refused."""
    import pandas as pd

    of_text = values.dtype == object or pd.api.types.is_string_dtype(values.dtype)
    dates = pd.to_datetime(values, errors="coerce", utc=True, **({"format": "ISO8601"} if of_text else {}))
    bad = values[dates.isna() & values.notna()]
    if len(bad):
        raise ColumnError(
            f"{len(bad):,} of {len(values):,} values of column {values.name!r} are no ISO date (first {bad.iloc[0]!r} "
            f"at row {bad.index[0]})",
            "write dates as 2024-12-31, or convert the column with pandas.to_datetime first",
        )
    return dates


def category_texts(values: Any) -> Any:
    """Categories as texts; an integer is spelled without a point, whatever its type."""
    import pandas as pd

    def spell(value: Any) -> str:
        integral = isinstance(value, float | np.floating) and float(value).is_integer()
        return str(int(value)) if integral else str(value)

    texts = [np.nan if missing else spell(value) for value, missing in zip(values, values.isna(), strict=True)]
    return pd.Series(texts, index=values.index, name=values.name, dtype=object)


def require_known(texts: Any, order: Sequence[str]) -> None:
    """Refuse a category that a declared order does not have."""
    stray = texts[~texts.isin(order)]
    if len(stray):
        raise ColumnError(
            f"{len(stray):,} of {len(texts):,} values of column {texts.name!r} are not in its declared order (first "
            f"{stray.iloc[0]!r} at row {stray.index[0]})",
            f"add them to {argument('orders', {texts.name: list(order)})}, or make them missing",
        )


def _numbers(present: Any, reason: str) -> Inference:
    numbers = present.to_numpy(dtype=np.float64)
    if np.isinf(numbers).any():
        what = f"{int(np.isinf(numbers).sum()):,} of {numbers.size:,} values of column {present.name!r} are infinite"
        raise ColumnError(what, "make them missing or finite")
    if (large := np.abs(numbers) > LARGEST).any():
        what = (
            f"{int(large.sum()):,} of {numbers.size:,} values of column {present.name!r} are larger than {LARGEST:.2g}"
        )
        raise ColumnError(
            f"{what}, which trees cannot hold and squares overflow", "divide the column, or make them missing"
        )
    if np.isin(numbers, (0.0, 1.0)).all():
        return Inference("boolean", "0 or 1")
    integers = bool((numbers == np.floor(numbers)).all())
    if integers and present.nunique() == numbers.size >= _FEWEST_FOR_IDENTIFIER:
        name, running = str(present.name), numbers.max() - numbers.min() + 1 == numbers.size
        if running or _ID.search(name) or _CAMEL_ID.search(name):
            return Inference("identifier", "a different whole number in every row")
    return Inference("numerical", reason)


def _texts(present: Any, most: int) -> Inference:
    import pandas as pd

    texts = present.astype(str).str.strip()
    numbers = pd.to_numeric(texts, errors="coerce")
    if numbers.notna().all() and not texts.str.match(r"0\d").any():
        return _numbers(numbers, "numbers written as text")
    measured = bool((numbers.dropna() % 1 != 0).any())
    enough = numbers.notna().mean() >= (_MEASURED_SHARE if measured else _NUMBER_SHARE)
    if enough and numbers.nunique() > _NUMBERS and numbers.isna().any():
        raise _text_among_numbers(present, numbers)
    if texts.str.match(r"\d{4}-\d{2}-\d{2}").all():
        dates = pd.to_datetime(texts, errors="coerce", utc=True, format="ISO8601")
        if dates.notna().all():
            return Inference("date", "dates written as text")
    share = texts.nunique() / len(texts)
    if texts.str.split().str.len().mean() >= _WORDS_OF_TEXT and share > 0.5:
        return Inference("text", "several words, seldom the same")
    if len(texts) >= _FEWEST_FOR_IDENTIFIER and share == 1:
        return Inference("identifier", "a different text in every row")
    return _categories(present, "texts that repeat", most)


def _categories(present: Any, reason: str, most: int) -> Inference:
    distinct = present.nunique()
    if distinct > most:
        name = present.name
        raise ColumnError(
            f"column {name!r} has {distinct:,} categories in {len(present):,} rows, more than {most:,}",
            f"group the rare ones, declare it {argument('types', {name: 'text'})} or 'ignored', or declare it "
            "'categorical' to have categories encoded by the target",
        )
    return Inference("categorical", reason)


def _ordinal(present: Any, order: tuple[Any, ...]) -> Inference:
    import pandas as pd

    name = present.name
    if not order and isinstance(present.dtype, pd.CategoricalDtype) and present.dtype.ordered:
        order = tuple(present.dtype.categories)
    if not order:
        what = f"column {name!r} is declared ordinal, and its order is not declared"
        raise ColumnError(what, f"pass {argument('orders', {name: ['lowest', ..., 'highest']})}")
    texts = tuple(category_texts(pd.Series(list(order), dtype=object)).tolist())
    require_known(category_texts(present), texts)
    return Inference("ordinal", f"order declared: {' < '.join(texts)}", texts)


def _text_among_numbers(present: Any, numbers: Any) -> ColumnError:
    name, bad = present.name, present[numbers.isna()]
    words = ", ".join(repr(word) for word in dict.fromkeys(bad.astype(str).tolist()[:3]))
    return ColumnError(
        f"column {name!r} holds numbers, but {len(bad):,} of {len(present):,} values are text "
        f"({words}; first at row {bad.index[0]})",
        f"make them missing or numbers, or declare {argument('types', {name: 'categorical'})} or 'ignored'",
    )


def _mixed(present: Any) -> ColumnError:
    name, kinds = present.name, [type(value).__name__ for value in present]
    counts = Counter(kinds).most_common()
    what, remedy = (
        f"holds values of type {counts[0][0]}, which are neither numbers, texts nor dates",
        "turn them into such",
    )
    if len(counts) > 1:
        listed = ", ".join(f"{count:,} {kind}" for kind, count in counts)
        first = present.index[kinds.index(counts[1][0])]
        what, remedy = f"mixes kinds of values: {listed} (first at row {first})", "make them one kind"
    fix = f"{remedy}, or leave the column out with {argument('types', {name: 'ignored'})}"
    return ColumnError(f"column {name!r} {what}", fix)
