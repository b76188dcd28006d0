"""A real browser for the tests of the page: Debian's chromium, started once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser.reader import Reader
from thresher.report import page

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, or a word on what to install; in CI it has to be there."""
    program = shutil.which("chromium")
    if program is None:
        what = "these tests drive a real browser: install Debian's package chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(what)
        pytest.skip(what)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Any], str]:
    """The address of an evaluation's page, which is written once however often it is opened."""
    folder = tmp_path_factory.mktemp("pages")
    known: dict[int, tuple[Any, str]] = {}

    def address(shown: Any) -> str:
        if id(shown) not in known:
            file = folder / f"{len(known)}.html"
            file.write_bytes((shown if isinstance(shown, str) else page(shown)).encode())
            known[id(shown)] = shown, file.as_uri()
        return known[id(shown)][1]

    return address


@pytest.fixture
def opened(chromium: Any, written: Callable[[Any], str]) -> Iterator[Callable[..., Reader]]:
    """Open an evaluation's page (or a text of HTML) as a reader would; everything it asks for is noted."""
    contexts = []

    def open_(shown: Any, *, fragment: str = "", scripts: bool = True, width: int = 1280, dark: bool = False) -> Reader:
        context = chromium.new_context(
            java_script_enabled=scripts,
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        contexts.append(context)
        reader = Reader(context.new_page())
        reader.open(f"{written(shown)}{fragment}", scripts=scripts)
        return reader

    yield open_
    for context in contexts:
        context.close()
