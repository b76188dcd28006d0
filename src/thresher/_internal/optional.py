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
    """An optional package, or an error that names the extra to install.

    >>> extra("math", name="report").sqrt(4)
    2.0
    >>> extra("absent", name="report")
    Traceback (most recent call last):
    thresher.errors.MissingExtraError: this needs the package absent, which is not installed
      where: extra(package)
      fix:   pip install "thresher[report]"
    """
    top = package.partition(".")[0]
    if find_spec(top) is None:
        what = f"this needs the package {top}, which is not installed"
        raise MissingExtraError(what, f'pip install "thresher[{name}]"')
    return import_module(package)


def publish(package: str, *things: Any) -> None:
    """Let things report a package as their module: saved models survive moved files.

    Doctest skips functions defined in another file, so those with examples are listed in the package's `__test__`.
    """
    examples = vars(sys.modules[package]).setdefault("__test__", {})
    for thing in things:
        thing.__module__ = package
        members = vars(thing).items() if isinstance(thing, type) else [("", thing)]
        for name, member in members:
            function = getattr(member, "__func__", member)
            if isfunction(function) and ">>>" in (function.__doc__ or ""):
                examples[f"{thing.__name__}.{name}".rstrip(".")] = function
