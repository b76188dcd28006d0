"""Mappings of results, which refuse changes and can be pickled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, NoReturn


class ReadOnly(dict[Any, Any]):
    """A dictionary that refuses changes, as do the mappings in it."""

    __slots__ = ()

    def __init__(self, items: Mapping[Any, Any]) -> None:
        super().__init__({name: read_only(value) for name, value in items.items()})

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a result does not change; change dict(...) of it")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type, tuple[dict[Any, Any]]]:
        return ReadOnly, (dict(self),)


class ReadOnlyFields:
    """A frozen dataclass whose mappings refuse changes too."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for part in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, part.name, read_only(getattr(self, part.name)))


def read_only(value: Any) -> Any:
    """A mapping as one that refuses changes; anything else as it is."""
    return ReadOnly(value) if isinstance(value, Mapping) else value
