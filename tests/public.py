"""Everything thresher offers: the front door, and what its packages export."""

import inspect
from importlib import import_module

import thresher as th
from docs.reference_pages import HELPERS

PACKAGES = ("tables", "curves", "choices", "calibration", "inference", "evaluation")


def offered():
    """Every public function and class by its name, wherever it is exported."""
    things = {name: getattr(th, name) for name in th.__all__}
    for package in PACKAGES:
        module = import_module(f"thresher.{package}")
        things |= {name: getattr(module, name) for name in module.__all__ if name not in HELPERS}
    return {name: thing for name, thing in things.items() if inspect.isfunction(thing) or inspect.isclass(thing)}


OFFERED = offered()
