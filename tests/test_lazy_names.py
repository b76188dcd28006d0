"""`import thresher` costs nothing, and yet every name is there."""

import subprocess
import sys

import pytest

import thresher as th


def fresh(code):
    """What a fresh interpreter prints."""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    return ran.stdout.strip()


def test_a_name_loads_no_room_on_its_right():
    loaded = fresh("import sys, thresher; thresher.ThresherError; print(*sys.modules)").split()
    assert "thresher.errors" in loaded
    assert "thresher.ranking" not in loaded


def test_names_can_be_imported_from_a_fresh_package():
    assert fresh("from thresher import evaluate, rank, auc; print(auc(rank([1, 0], [2, 1])))") == "1.0"


def test_everything_can_be_imported_at_once():
    assert fresh("from thresher import *; print(evaluate.__name__, Ranking.__name__)") == "evaluate Ranking"


def test_rooms_are_there_without_importing_them():
    assert fresh("import thresher; print(thresher.curves.auc is thresher.auc)") == "True"


def test_dir_lists_names_and_rooms_before_they_are_loaded():
    listed = fresh("import thresher; print(*dir(thresher))").split()
    assert {*th.__all__, "curves", "evaluation"} <= set(listed)
    assert len(listed) == len(set(listed))


def test_what_is_not_there_is_refused_as_python_does():
    with pytest.raises(AttributeError, match="module 'thresher' has no attribute 'acu'"):
        _ = th.acu
    with pytest.raises(ImportError, match="cannot import name 'acu'"):
        from thresher import acu  # noqa: F401
