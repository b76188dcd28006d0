"""How hypothesis searches, the same way every time in CI; and the engines that tests of databases ask."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests import engines

settings.register_profile("here", max_examples=60, deadline=None)
settings.register_profile("ci", max_examples=60, deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "here")


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
