"""How a column looks: the rules by which its kind is found, and the checks of a kind that was declared."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import ColumnError
from thresher.learning.category_columns import category_texts, require_known

MOST_CATEGORIES = 1000
# Numbers make a column numerical in spite of some words only when there are this many of them and this great a share.
_NUMBERS, _NUMBER_SHARE = 10, 0.8
# Numbers with decimals are measurements and no codes, so that a smaller share of them tells a mix.
_MEASURED_SHARE = 0.2
_FEWEST_FOR_IDENTIFIER = 20
_WORDS_OF_TEXT = 3
_ID = re.compile(r"(?:^|[_\s.-])(?:id|uuid|guid|key|index|row|nr|no)$", re.IGNORECASE)
_CAMEL_ID = re.compile(r"[a-z](?:Id|ID)$")


@dataclass(frozen=True, slots=True)
class Look:
    """A kind and the reason for it."""

    kind: Any
    reason: str
    order: tuple[str, ...] = ()


def looked_at(values: Any, present: Any, *, most: int) -> Look:
    """The kind of a column from its values that are there."""
    family = _family(present)
    if family not in ("mixed", "ordered") and len(present) == len(values) and (present == present.iloc[0]).all():
        return Look("constant", "one value in every row")
    if family == "ordered":
        order = tuple(map(str, present.dtype.categories))
        return Look("ordinal", f"ordered categories: {' < '.join(order)}", order)
    if family in ("boolean", "date"):
        return Look(family, "true or false" if family == "boolean" else "dates")
    if family == "number":
        return _numbers(present.astype(np.float64), "numbers")
    if family == "mixed":
        raise _mixed(present)
    return _categories(present, "categories", most) if family == "categories" else _texts(present, most)


def declared(present: Any, kind: Any, order: tuple[Any, ...]) -> Look:
    """The look of a column whose kind was said; a kind that its values contradict is refused."""
    import pandas as pd

    if kind == "ordinal":
        return _ordinal(present, order)
    if kind in ("numerical", "boolean"):
        numbers = pd.to_numeric(present.astype(object), errors="coerce")
        if numbers.isna().any():
            raise words_among_numbers(present, numbers)
    if kind == "date":
        dates = pd.to_datetime(present, errors="coerce", utc=True, format="ISO8601")
        if dates.isna().any():
            first = present[dates.isna()]
            raise ColumnError(
                f"column {present.name!r} is declared a date, and {len(first):,} of {len(present):,} values are no "
                f"ISO date (first {first.iloc[0]!r} at row {first.index[0]})",
                "write dates as 2024-12-31, or convert the column with pandas.to_datetime first",
            )
    return Look(kind, "declared")


def words_among_numbers(present: Any, numbers: Any) -> ColumnError:
    """What is said of text in a column of numbers."""
    name, bad = present.name, present[numbers.isna()]
    words = ", ".join(repr(word) for word in dict.fromkeys(bad.astype(str).tolist()[:3]))
    return ColumnError(
        f"column {name!r} holds numbers, but {len(bad):,} of {len(present):,} values are text "
        f"({words}; first at row {bad.index[0]})",
        f"make them missing or numbers, or declare types={{{name!r}: 'categorical'}} or 'ignored'",
    )


def _family(present: Any) -> str:
    """By the column's type, or where that is "object", by the types of its values."""
    import pandas as pd
    from pandas.api import types as dtypes

    if isinstance(present.dtype, pd.CategoricalDtype):
        return "ordered" if present.dtype.ordered else "categories"
    inferred = dtypes.infer_dtype(present, skipna=True)
    if inferred in ("integer", "floating", "mixed-integer-float", "decimal"):
        return "number"
    if inferred in ("datetime", "datetime64", "date"):
        return "date"
    return {"boolean": "boolean", "string": "text"}.get(inferred, "mixed")


def _numbers(present: Any, reason: str) -> Look:
    numbers = present.to_numpy(dtype=np.float64)
    if np.isinf(numbers).any():
        raise ColumnError(
            f"{int(np.isinf(numbers).sum()):,} of {numbers.size:,} values of column {present.name!r} are infinite",
            "make them missing or finite",
        )
    if np.isin(numbers, (0.0, 1.0)).all():
        return Look("boolean", "0 or 1")
    whole = bool((numbers == np.floor(numbers)).all())
    if whole and present.nunique() == numbers.size >= _FEWEST_FOR_IDENTIFIER:
        running = numbers.max() - numbers.min() + 1 == numbers.size
        if running or _ID.search(str(present.name)) or _CAMEL_ID.search(str(present.name)):
            return Look("identifier", "a whole number of its own in every row")
    return Look("numerical", reason)


def _texts(present: Any, most: int) -> Look:
    import pandas as pd

    texts = present.astype(str).str.strip()
    numbers = pd.to_numeric(texts, errors="coerce")
    if numbers.notna().all() and not texts.str.match(r"0\d").any():
        return _numbers(numbers, "numbers written as text")
    measured = bool((numbers.dropna() % 1 != 0).any())
    enough = numbers.notna().mean() >= (_MEASURED_SHARE if measured else _NUMBER_SHARE)
    if enough and numbers.nunique() > _NUMBERS and numbers.isna().any():
        raise words_among_numbers(present, numbers)
    if texts.str.match(r"\d{4}-\d{2}-\d{2}").all():
        dates = pd.to_datetime(texts, errors="coerce", utc=True, format="ISO8601")
        if dates.notna().all():
            return Look("date", "dates written as text")
    share = texts.nunique() / len(texts)
    if texts.str.split().str.len().mean() >= _WORDS_OF_TEXT and share > 0.5:
        return Look("text", "several words, seldom the same")
    if len(texts) >= _FEWEST_FOR_IDENTIFIER and share == 1:
        return Look("identifier", "a text of its own in every row")
    return _categories(present, "texts that repeat", most)


def _categories(present: Any, reason: str, most: int) -> Look:
    distinct = present.nunique()
    if distinct > most:
        name = present.name
        raise ColumnError(
            f"column {name!r} has {distinct:,} categories in {len(present):,} rows, more than {most:,}",
            f"group the rare ones, declare it types={{{name!r}: 'text'}} or 'ignored', or declare it 'categorical' to "
            "have categories encoded by the target",
        )
    return Look("categorical", reason)


def _ordinal(present: Any, order: tuple[Any, ...]) -> Look:
    import pandas as pd

    name = present.name
    if not order and isinstance(present.dtype, pd.CategoricalDtype) and present.dtype.ordered:
        order = tuple(present.dtype.categories)
    if not order:
        raise ColumnError(
            f"column {name!r} is declared ordinal, and its order is not said",
            f"pass orders={{{name!r}: [lowest, ..., highest]}}",
        )
    texts = tuple(category_texts(pd.Series(list(order), dtype=object)).tolist())
    require_known(category_texts(present), texts)
    return Look("ordinal", f"order declared: {' < '.join(texts)}", texts)


def _mixed(present: Any) -> ColumnError:
    kinds = [type(value).__name__ for value in present]
    counts = Counter(kinds).most_common()
    name = present.name
    if len(counts) == 1:
        return ColumnError(
            f"column {name!r} holds values of type {counts[0][0]}, which are neither numbers, texts nor dates",
            f"turn them into such, or leave the column out with types={{{name!r}: 'ignored'}}",
        )
    told = ", ".join(f"{count:,} {kind}" for kind, count in counts)
    first = present.index[kinds.index(counts[1][0])]
    return ColumnError(
        f"column {name!r} mixes kinds of values: {told} (first at row {first})",
        f"make them one kind, or leave the column out with types={{{name!r}: 'ignored'}}",
    )
