"""Names of columns: the wanted ones are there, once, or the error says which ones are."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from typing import Any

from thresher.errors import ColumnError

NAMES_SHOWN = 20


def require_columns(wanted: Collection[str], present: Sequence[str], *, place: str) -> None:
    """Raise `ColumnError` unless every wanted column is among those present, once.

    >>> require_columns(["p_tree"], ["label", "p_tre"], place="predictions.csv")
    Traceback (most recent call last):
    thresher.errors.ColumnError: predictions.csv has no column 'p_tree'; did you mean 'p_tre'?
      where: require_columns(wanted, present)
      fix:   name one of its columns: 'label' and 'p_tre'
    """
    absent = [name for name in wanted if name not in present]
    if absent:
        told = "no column " + repr(absent[0]) if len(absent) == 1 else "no columns " + named(absent)
        near = [match for name in absent for match in _near(name, present)]
        suggestion = f"; did you mean {' or '.join(map(repr, dict.fromkeys(near)))}?" if near else ""
        raise ColumnError(f"{place} has {told}{suggestion}", _fix(present))
    twice = [name for name in wanted if present.count(name) > 1]
    if twice:
        raise ColumnError(
            f"{place} has {present.count(twice[0])} columns called {twice[0]!r}", "rename all but one of them"
        )


def require_same_columns(one: Sequence[str], other: Sequence[str], *, places: tuple[str, str]) -> None:
    """Raise `ColumnError` unless two files that belong together have the same columns, in any order.

    >>> require_same_columns(["y", "p"], ["y"], places=("a.csv", "b.csv"))
    Traceback (most recent call last):
    thresher.errors.ColumnError: files that belong together differ in columns: 'p' is in a.csv and not in b.csv
      where: require_same_columns(one, other)
      fix:   read them apart, or give them the same columns
    """
    for has, lacks, (full, short) in ((one, other, places), (other, one, places[::-1])):
        lone = [name for name in has if name not in lacks]
        if lone:
            raise ColumnError(
                f"files that belong together differ in columns: {named(lone)} is in {full} and not in {short}",
                fix="read them apart, or give them the same columns",
            )


def named(names: Sequence[str]) -> str:
    """The first names in words, and how many more there are."""
    shown = [repr(name) for name in names[:NAMES_SHOWN]]
    if len(names) > NAMES_SHOWN:
        return f"{', '.join(shown)} and {len(names) - NAMES_SHOWN:,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def _near(name: Any, present: Sequence[Any]) -> list[str]:
    texts = [other for other in present if isinstance(other, str)]  # frames may name columns by numbers
    folded = {other.strip().casefold(): other for other in reversed(texts)}
    same = folded.get(str(name).strip().casefold())
    return [same] if same is not None else difflib.get_close_matches(str(name), dict.fromkeys(texts), n=2, cutoff=0.6)


def _fix(present: Sequence[Any]) -> str:
    if not all(isinstance(name, str) for name in present):
        return f"name one of its columns: {named(present)}"
    if len(present) == 1 and (other := next((mark for mark in (";", "\t", "|") if mark in present[0]), None)):
        return f"the file seems to be separated by {other!r}: separate it by commas, or by tabs and call it .tsv"
    if present and all(_is_number(name) for name in present):
        return f"its first line holds numbers ({named(present)}): give it a line of names"
    return f"name one of its columns: {named(present)}" if present else "it has no columns at all"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
