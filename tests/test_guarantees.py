"""docs/guarantees.md names tests that exist, and modules open no connection."""

import ast
import re
from pathlib import Path

import thresher

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
CONNECTING = {"socket", "ssl", "http", "urllib.request", "ftplib", "smtplib", "requests", "httpx", "aiohttp", "urllib3"}


def test_every_promise_names_a_test_that_exists():
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
    assert len(lines) > 25
    for line in lines:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", line)
        assert named, line
        for path, name in named:
            functions = {
                node.name
                for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
                if isinstance(node, ast.FunctionDef)
            }
            assert name in functions, f"{path} has no {name}"


def test_no_module_opens_a_connection():
    for path in Path(thresher.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not CONNECTING & set(names), path
