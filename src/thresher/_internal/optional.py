"""Optional packages, loaded when asked for, with a clear word when absent."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from inspect import isfunction
from types import ModuleType
from typing import Any

from thresher.errors import MissingExtraError


def extra(package: str, *, name: str) -> ModuleType:
    """An optional package; when it is not installed, the error names the extra to install.

    >>> extra("math", name="report").sqrt(4)
    2.0
    >>> extra("absent", name="report")
    Traceback (most recent call last):
    thresher.errors.MissingExtraError: this needs the package absent, which is not installed
      where: extra(package)
      fix:   pip install "thresher[report]"
    """
    if find_spec(package.partition(".")[0]) is None:
        raise MissingExtraError(
            f"this needs the package {package.partition('.')[0]}, which is not installed",
            fix=f'pip install "thresher[{name}]"',
        )
    return import_module(package)


def publish(package: str, *things: Any) -> None:
    """Let classes and functions report a package as their module, so that saved models survive moved files.

    Doctest skips functions defined in another file, so those with examples are listed in the package's `__test__`.

    >>> from thresher.ranking import Ranking
    >>> Ranking.__module__
    'thresher.ranking'
    """
    examples = vars(sys.modules[package]).setdefault("__test__", {})
    for thing in things:
        thing.__module__ = package
        members = vars(thing).items() if isinstance(thing, type) else [("", thing)]
        for name, member in members:
            function = getattr(member, "__func__", member)
            if isfunction(function) and ">>>" in (function.__doc__ or ""):
                examples[f"{thing.__name__}.{name}".rstrip(".")] = function
