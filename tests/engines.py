"""Real engines for tests: PostgreSQL from the system's packages in a temporary folder, and one local Spark session.

Both listen on the loopback interface only. Without the system packages their tests are skipped with the package's
name, except where CI=true, when they fail.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def require(available: object, package: str) -> None:
    """Skip a test that needs a system package, or fail it in CI."""
    if available:
        return
    message = f"needs the system package {package}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


def postgres_binaries() -> Path | None:
    """The folder of PostgreSQL's server programs."""
    result = shutil.which("initdb")
    if result:
        return Path(result).parent
    known = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return known[-1].parent if known else None


class Postgres:
    """A server of its own, stopped and started at will."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        self.folder, self.binaries = folder, binaries
        self.user = None
        if os.geteuid() == 0:  # initdb refuses to run as root
            self.user = pwd.getpwnam("nobody").pw_uid
            shutil.chown(folder, "nobody")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        secret = folder / "secret"
        secret.write_text("tulip", encoding="ascii")
        secret.chmod(0o644)
        data = str(folder / "data")
        self._run("initdb", "-D", data, "-U", "ann", "-A", "scram-sha-256", f"--pwfile={secret}", "-E", "UTF8", "-N")
        self.start()

    @property
    def url(self) -> str:
        return f"postgres://ann:tulip@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        self._run(
            "pg_ctl", "-D", str(self.folder / "data"), "-w", "-o", options, "-l", str(self.folder / "log"), "start"
        )

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", mode, "stop")

    def connection(self) -> Any:
        import psycopg

        for _ in range(20):
            try:
                return psycopg.connect(self.url.replace("postgres://", "postgresql://"), autocommit=True)
            except psycopg.OperationalError:
                time.sleep(0.2)
        raise RuntimeError("the server did not start")

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(  # noqa: S603
            [str(self.binaries / program), *arguments],
            check=True,
            capture_output=True,
            user=self.user,
            cwd=self.folder,
            timeout=120,
            stdin=subprocess.DEVNULL,
        )


def postgres_server(folder: Path) -> Iterator[Postgres]:
    """A server that is gone afterwards."""
    binaries = postgres_binaries()
    require(binaries, "postgresql")
    assert binaries is not None
    folder.chmod(0o755)
    server = Postgres(folder, binaries)
    try:
        yield server
    finally:
        server.stop("immediate")


def spark_session() -> Iterator[Any]:
    """One local session for a test run; its machine takes seconds to start."""
    require(shutil.which("java"), "default-jre-headless")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()
