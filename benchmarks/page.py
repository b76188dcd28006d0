"""The page: what writing it adds to the evaluation, its size, and how quick it is in a browser, JSON out."""

from __future__ import annotations

import json
import math
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import thresher as th
from benchmarks.timing import seconds
from thresher.report import page
from thresher.report.page import asset

ROWS = 10**6
STEPS = 150
SEGMENTS = 20_000
EMPTY = "<!DOCTYPE html><html lang=en><title>empty</title><body><p>empty"
MOVE = """async (steps) => {
    const slider = document.querySelector("input[type=range]");
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const width = slider.max - slider.min;
    for (let step = 0; step < steps; step += 1) {
        slider.value = Number(slider.min) + width * (0.1 + 0.8 * step / steps);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        await frame();
    }
}"""


def models(rows: int) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(0)
    labels = rng.random(rows) < 0.2
    return labels, {f"model {by}": 1 / (1 + np.exp(1 - by * labels - rng.normal(size=rows))) for by in (2, 1.5, 1)}


def class_page() -> str:
    """A page of four classes that holds as many segments as it may."""
    rng = np.random.default_rng(0)
    labels = rng.integers(4, size=SEGMENTS)
    heavy = np.exp(rng.normal(size=(SEGMENTS, 4)) + 1.6 * np.eye(4)[labels])
    matrix = heavy / heavy.sum(axis=1, keepdims=True)
    return page(th.evaluate(labels, matrix, classes=range(4), replicates=20))


def in_browser(written: str) -> dict[str, float]:
    """Milliseconds to the first paint beyond an empty page's, and of the main thread per step of a slider."""
    program = shutil.which("chromium")
    if program is None:
        return {"first paint": math.nan, "step": math.nan}
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)

        def opened(text: str) -> Any:
            file = Path(folder, "page.html")
            file.write_bytes(text.encode())
            view = browser.new_page(viewport={"width": 1280, "height": 900})
            view.goto(file.as_uri())
            return view

        def first_paint(text: str) -> float:
            view = opened(text)
            view.wait_for_timeout(300)
            at = view.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
            view.close()
            return float(at)

        paints = [min(first_paint(text) for _ in range(5)) for text in (written, EMPTY)]
        view = opened(written)
        view.wait_for_selector("#page.live")
        session = view.context.new_cdp_session(view)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})  # of the processor, not of the clock
        view.evaluate(MOVE, 20)
        before = _main_thread(session)
        view.evaluate(MOVE, STEPS)
        step = (_main_thread(session) - before) / STEPS
        browser.close()
    return {"first paint": paints[0] - paints[1], "step": 1000 * step}


def _main_thread(session: Any) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))


def measured() -> dict[str, float]:
    labels, scores = models(ROWS)
    condition = th.OperatingCondition(cost_ratio=5)
    evaluation = th.evaluate(labels, scores, condition=condition)
    written = page(evaluation)
    bundle = len(asset("page.js").encode()) + len(asset("page.css").encode())
    return {
        "evaluate": seconds(lambda: th.evaluate(labels, scores, condition=condition).to_dict()),
        "page": seconds(lambda: page(evaluation)),
        "script": len(asset("page.js").encode()) / 1000,
        "per model": (len(written.encode()) - bundle) / 1000 / len(scores),
        **in_browser(written),
        "class step": in_browser(class_page())["step"],
    }


if __name__ == "__main__":
    print(json.dumps(measured()))
