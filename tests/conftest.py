"""How hypothesis searches, the same way every time in CI, where nothing may skip; and the engines that tests ask."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything loads it: test processes share the processors

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests import engines

settings.register_profile("here", max_examples=30, deadline=None)
settings.register_profile("ci", max_examples=30, deadline=None, derandomize=True, print_blob=True)
IN_CI = os.environ.get("CI") == "true"
settings.load_profile("ci" if IN_CI else "here")


def pytest_collection_modifyitems(config, items):
    """Leave out scikit-learn's check of array API input, which skips itself: estimators here take NumPy and frames."""
    left_out = [item for item in items if "check_array_api" in item.name or "array_api_input" in item.name]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
    return report


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server in a folder that anyone may enter, as its user is not root."""
    folder = Path(tempfile.mkdtemp(prefix="thresher-postgres-", dir="/tmp"))
    try:
        yield from engines.postgres_server(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def spark():
    yield from engines.spark_session()
