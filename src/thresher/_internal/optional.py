"""Imports on demand: optional packages, and packages of thresher that a method needs when it is called."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
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


def lazy_import(name: str) -> ModuleType:
    """A package of thresher that imports the calling one, loaded when a method needs it.

    Imports follow the layers; `Evaluation.to_html` is a convenience that leads to a higher one.

    >>> lazy_import("ranking").Ranking.__name__
    'Ranking'
    """
    return import_module(f"thresher.{name}")


def publish(package: str, *things: Any) -> None:
    """Let classes and functions report a package as their module, so that saved models survive moved files.

    >>> from thresher.ranking import Ranking
    >>> Ranking.__module__
    'thresher.ranking'
    """
    for thing in things:
        thing.__module__ = package
