"""The front door: few names, each explained by an example, and nothing loaded before it is used."""

import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import thresher as th
from tests.public import PACKAGES

HEAVY = ("pandas", "polars", "pyarrow", "sklearn", "matplotlib", "scipy.optimize", "scipy.stats", "scipy.sparse")


def fresh(code):
    """What a fresh interpreter prints."""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    return ran.stdout.strip()


def has_example(thing):
    tests = doctest.DocTestFinder(recurse=inspect.isclass(thing)).find(thing, thing.__name__, globs={})
    return any(test.examples for test in tests)


FUNCTIONS = [name for name in th.__all__ if inspect.isfunction(getattr(th, name))]
CLASSES = [name for name in th.__all__ if inspect.isclass(getattr(th, name))]
# A result needs no example of its own when a function that returns it has one.
RETURNED = " ".join(str(inspect.signature(getattr(th, name)).return_annotation) for name in FUNCTIONS)


def test_few_names_are_public():
    assert len(th.__all__) <= 70
    assert len(set(th.__all__)) == len(th.__all__)
    assert [name for name in th.__all__ if not hasattr(th, name)] == []
    assert [name for name in th.__all__ if "multiclass" in name or "classes" in name] == []


def test_no_public_name_says_how_many_classes():
    """The value says it: `evaluate`, `compare` and the others take either."""
    named = {name for package in (th, *(getattr(th, each) for each in PACKAGES)) for name in package.__all__}
    assert {name for name in named if "multiclass" in name.lower() or "_classes" in name} == set()
    gone = ("evaluate_classes", "compare_classes", "class_auc_interval", "multiclass_auc", "MulticlassAUC")
    for name in (*gone, "MulticlassEvaluation", "MulticlassModel", "brier_multiclass", "one_vs_rest_rankings"):
        assert not any(hasattr(getattr(th, package), name) for package in PACKAGES), name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_explained_by_an_example(name):
    thing = getattr(th, name)
    first = inspect.cleandoc(thing.__doc__ or "").partition("\n")[0]
    assert first.endswith((".", "?"))
    assert has_example(thing)


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_is_explained_by_an_example(name):
    thing = getattr(th, name)
    assert inspect.cleandoc(thing.__doc__ or "").partition("\n")[0].endswith((".", "?"))
    assert has_example(thing) or name in RETURNED or issubclass(thing, Exception)


def test_importing_thresher_does_not_even_import_numpy():
    loaded = fresh("import sys, thresher; print(*sys.modules)").split()
    assert [name for name in loaded if name.startswith("thresher")] == ["thresher.version", "thresher"]
    assert "numpy" not in loaded


def test_a_name_loads_no_package_on_its_right():
    loaded = fresh("import sys, thresher; thresher.ThresherError; print(*sys.modules)").split()
    assert "thresher.errors" in loaded
    assert "thresher.ranking" not in loaded


def test_using_thresher_imports_nothing_heavy():
    loaded = fresh("import sys, thresher; thresher.choose, thresher.calibration_map; print(*sys.modules)").split()
    assert "thresher.curves.hull" in loaded
    assert [name for name in loaded if name in HEAVY or name.startswith(tuple(f"{part}." for part in HEAVY))] == []


def test_a_ranking_of_ordinary_size_needs_no_scipy():
    rank = "thresher.rank(numpy.arange(9000) % 2, numpy.sin(numpy.arange(9000)))"
    loaded = fresh(f"import sys, numpy, thresher; {rank}; print(*sys.modules)").split()
    assert not [name for name in loaded if name.startswith("scipy")]


def test_importing_thresher_has_no_effect_on_numpy_or_warnings():
    fresh(
        "import numpy as np, warnings; e, p, f = np.geterr(), np.get_printoptions(), list(warnings.filters);"
        "import thresher; thresher.calibration_map;"
        "assert (e, p, f) == (np.geterr(), np.get_printoptions(), list(warnings.filters))"
    )


def test_names_can_be_imported_from_a_fresh_package():
    assert fresh("from thresher import evaluate, rank, auc; print(auc(rank([1, 0], [2, 1])))") == "1.0"
    assert fresh("from thresher import *; print(evaluate.__name__, Ranking.__name__)") == "evaluate Ranking"
    assert fresh("import thresher; print(thresher.curves.auc is thresher.auc)") == "True"


def test_dir_lists_names_and_packages_before_they_are_loaded():
    listed = fresh("import thresher; print(*dir(thresher))").split()
    assert {*th.__all__, "curves", "evaluation"} <= set(listed)
    assert len(listed) == len(set(listed))


def test_what_is_not_there_is_refused_as_python_does():
    with pytest.raises(AttributeError, match="module 'thresher' has no attribute 'acu'"):
        _ = th.acu
    with pytest.raises(ImportError, match="cannot import name 'acu'"):
        from thresher import acu  # noqa: F401


def test_nothing_strays_into_the_repository():
    """Such as data that somebody tried things on."""
    root = Path(__file__).parents[1]
    endings = {".arrow", ".csv", ".db", ".duckdb", ".feather", ".json", ".jsonl", ".parquet", ".png", ".py"}
    assert [path.name for path in root.iterdir() if path.suffix in endings] == []


def test_a_name_of_a_package_is_pointed_out():
    with pytest.raises(AttributeError, match=r"no attribute 'mcnemar'; it is thresher\.inference\.mcnemar"):
        _ = th.mcnemar
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        _ = th.nonsense
