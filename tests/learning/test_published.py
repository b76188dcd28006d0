"""Classes that saved models name report a public package, and their examples are collected there."""

import doctest
import inspect
from importlib import import_module

import pytest

from thresher.learning.model_file import TRUSTED

PUBLISHED = sorted(name for names in TRUSTED.values() for name in names if name.startswith("thresher."))
PACKAGES = {name.rpartition(".")[0] for name in PUBLISHED}
EXAMPLES = {package: doctest.DocTestFinder(exclude_empty=True).find(import_module(package)) for package in PACKAGES}


@pytest.mark.parametrize("name", PUBLISHED)
def test_its_module_is_a_public_package_that_offers_it(name):
    package, _, thing = name.rpartition(".")
    named = getattr(import_module(package), thing)
    assert named.__module__ == package
    assert named.__qualname__ == thing


@pytest.mark.parametrize("name", PUBLISHED)
def test_its_examples_are_collected(name):
    package, _, thing = name.rpartition(".")
    named = getattr(import_module(package), thing)
    count = sum(len(test.examples) for test in EXAMPLES[package] if f".{thing}." in f"{test.name}.")
    members = vars(named).values() if inspect.isclass(named) else ()
    documented = [named, *(each for each in members if inspect.isroutine(each) or isinstance(each, property))]
    expected = sum((getattr(each, "__doc__", None) or "").count(">>> ") for each in documented)
    assert count == expected
