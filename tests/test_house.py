"""The house rules that a linter does not know: one sort, quick imports, documented names, small files."""

import ast
import doctest
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import thresher as th

SOURCE = Path(th.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
SORTS = {"sort", "sorted", "argsort", "lexsort", "unique", "partition", "argpartition", "union1d", "intersect1d"}
SORTS |= {"setdiff1d", "sort_complex", "rankdata", "unique_values", "unique_counts", "unique_inverse", "unique_all"}
MOST_LINES = 700

# (file, call): what is sorted there, which is never rows.
SORTED_ELSEWHERE = {
    ("calibration/binning.py", "np.unique"): "splits between bins",
    ("calibration/calibration_error.py", "np.sort"): "simulated errors, for their quantiles",
    ("calibration/calibration_error.py", "np.union1d"): "splits between bins",
    ("calibration/map.py", "sorted"): "names of options, for an error message",
    ("calibration/smoothing.py", "np.argsort"): "segments by their proportion, to say whether smoothing reorders them",
    ("choices/isometric.py", "np.argsort"): "the points of a drawn line",
    ("choices/isometric.py", "sorted"): "the two ends of a line",
    ("choices/joint.py", "sorted"): "corners of the hulls of several models",
    ("curves/hull.py", "np.union1d"): "splits, when the guess of the hull lacked a corner",
    ("curves/thinning.py", "np.argsort"): "candidate splits by their distance from the kept ones",
    ("curves/thinning.py", "np.union1d"): "splits that are kept",
    ("inference/candidates.py", "np.union1d"): "splits that are candidates",
    ("inference/lowess.py", "np.argsort"): "few groups by their distance from a score, or from the curve",
    ("curves/thinning.py", "np.unique"): "splits that are kept",
    ("plots/models.py", "np.union1d"): "splits that are drawn",
    ("evaluation/bands.py", "np.unique"): "splits between which segments are joined",
    ("report/curve.py", "np.union1d"): "splits that are kept for several reasons",
    ("learning/dealing.py", "np.argsort"): "classes, groups and parts, by their size",
    ("learning/dealing.py", "np.unique"): "distinct moments, so that rows of one moment stay together",
    ("learning/exact_selection.py", "np.argsort"): "features by their term in the iteration",
    ("learning/exact_selection.py", "np.sort"): "positions of the chosen features",
    ("learning/scatter.py", "sorted"): "distinct labels that have no common order, by their spelling",
    ("learning/selection.py", "np.sort"): "positions of the chosen features",
    ("learning/whole_folder.py", "sorted"): "names of files, for an error message",
    ("inputs/labels.py", "sorted"): "distinct labels",
    ("sources/buckets.py", "np.argsort"): "cells of buckets",
    ("sources/counter.py", "np.argsort"): "rows by their group, never by score",
    ("sources/counter.py", "np.unique"): "groups",
    ("sources/external_sort.py", "np.argsort"): "rows by their range",
    ("sources/external_sort.py", "np.unique"): "edges of ranges",
    ("sources/engines/pairs.py", "np.lexsort"): "kinds of calls",
    ("sources/engines/pairs.py", "np.unique"): "clusters",
    ("sources/engines/pairs.py", "sorted"): "two classes",
    ("sources/engines/refine.py", "np.argsort"): "gaps between buckets",
    ("sources/engines/refine.py", "np.sort"): "the same gaps",
    ("sources/engines/refine.py", "np.unique"): "buckets that an engine counted",
    ("sources/engines/result.py", "np.unique"): "labels and groups that an engine counted",
    ("sources/files.py", "sorted"): "paths of files",
    ("tables/contingency.py", "sorted"): "shapes, for an error message",
}


def relative(path):
    return path.relative_to(SOURCE).as_posix()


def sorting_calls():
    for path in FILES:
        if path.parent.name == "ranking":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                of_text = called.endswith(".partition") and not called.startswith("np.")
                if called.split(".")[-1] in SORTS and not of_text:
                    yield relative(path), called


def test_rows_are_sorted_in_one_place():
    assert set(sorting_calls()) - set(SORTED_ELSEWHERE) == set()


def test_the_list_of_exceptions_is_not_out_of_date():
    assert set(SORTED_ELSEWHERE) - set(sorting_calls()) == set()


def test_the_scan_would_see_a_sort():
    calls = [
        ast.unparse(node.func)
        for node in ast.walk(ast.parse((SOURCE / "ranking" / "counting.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in SORTS
    ]
    assert {"np.argsort", "pair.sort"} <= set(calls)


def test_a_ranking_of_ordinary_size_needs_no_scipy():
    rank = "thresher.rank(numpy.arange(9000) % 2, numpy.sin(numpy.arange(9000)))"
    code = f"import sys, numpy, thresher; {rank}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()  # noqa: S603
    assert not [name for name in loaded if name.startswith("scipy")]


def test_importing_thresher_does_not_even_import_numpy():
    code = "import sys, thresher; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()  # noqa: S603
    assert [name for name in loaded if name.startswith("thresher")] == ["thresher.version", "thresher"]
    assert "numpy" not in loaded


def test_using_thresher_imports_nothing_heavy():
    heavy = ("pandas", "polars", "pyarrow", "sklearn", "matplotlib", "scipy.optimize", "scipy.stats", "scipy.sparse")
    code = "import sys, thresher; thresher.choose, thresher.calibration_map; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()  # noqa: S603
    assert "thresher.curves.hull" in loaded
    assert [name for name in loaded if name in heavy or name.startswith(tuple(f"{part}." for part in heavy))] == []


def test_importing_thresher_has_no_effect_on_numpy_or_warnings():
    code = (
        "import numpy as np, warnings; e, p, f = np.geterr(), np.get_printoptions(), list(warnings.filters);"
        "import thresher; thresher.calibration_map;"
        "assert (e, p, f) == (np.geterr(), np.get_printoptions(), list(warnings.filters))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603


PUBLIC = [
    name
    for name in th.__all__
    if inspect.isfunction(getattr(th, name))
    or (inspect.isclass(getattr(th, name)) and not issubclass(getattr(th, name), Exception))
]


def has_example(thing):
    found = doctest.DocTestFinder(recurse=inspect.isclass(thing)).find(thing, thing.__name__, globs={})
    return any(test.examples for test in found)


# A result needs no example of its own when a function that returns it has one.
RETURNED = {
    str(inspect.signature(getattr(th, name)).return_annotation).partition("[")[0]
    for name in PUBLIC
    if inspect.isfunction(getattr(th, name)) and has_example(getattr(th, name))
}


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_explained_by_an_example(name):
    thing = getattr(th, name)
    assert inspect.cleandoc(thing.__doc__ or "").partition("\n")[0].endswith((".", "?"))
    assert has_example(thing) or name in RETURNED


def test_public_names_are_listed_once_and_exist():
    assert len(set(th.__all__)) == len(th.__all__)
    assert [name for name in th.__all__ if not hasattr(th, name)] == []


def test_every_public_class_or_function_of_a_room_is_public():
    """What a room's __init__ offers under a name of thresher is the same thing."""
    for room in ("ranking", "sources", "tables", "curves", "choices", "calibration", "inference", "evaluation"):
        module = importlib.import_module(f"thresher.{room}")
        for name in module.__all__:
            if hasattr(th, name) and not inspect.ismodule(getattr(th, name)):
                assert getattr(th, name) is getattr(module, name)


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_every_module_opens_with_a_sentence(path):
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert text
    assert text.splitlines()[0].endswith((".", ":"))


@pytest.mark.parametrize("path", [path for path in FILES if path.stem != "__init__"], ids=relative)
def test_no_file_outgrows_its_concept(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_no_file_is_a_drawer(path):
    assert path.stem not in {"utils", "util", "helpers", "common", "misc", "base", "core", "manager"}


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_nothing_is_random_without_a_seed(path):
    """`np.random.default_rng(seed)` is the only way in; the module-level generator is never used."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and ast.unparse(node).startswith("np.random."):
            assert node.attr in {"default_rng", "Generator", "SeedSequence", "random"}, ast.unparse(node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "np.random.default_rng":
            assert node.args, "default_rng() without a seed"


def test_nothing_strays_into_the_repository():
    """Such as data that somebody tried things on."""
    root = Path(__file__).parents[1]
    endings = {".arrow", ".csv", ".db", ".duckdb", ".feather", ".json", ".jsonl", ".parquet", ".png", ".py"}
    assert [path.name for path in root.iterdir() if path.suffix in endings] == []
