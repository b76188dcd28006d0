"""What a reader does with the page: move things, read numbers, copy."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

CATCH_COPIES = """
window.copied = [];
const clipboard = { writeText: async (text) => { window.copied.push(text); } };
Object.defineProperty(navigator, "clipboard", { value: clipboard, configurable: true });
"""

CALM = 160  # milliseconds after which words and long tables have followed a moving slider

PRESS_AND_WAIT = """async (name) => {
    const buttons = [...document.querySelectorAll("button")];
    const said = (each) => each.getAttribute("aria-label") ?? each.textContent;  // "Copied" for a while afterwards
    const found = buttons.find((each) => said(each) === name) ?? document.querySelector("button.primary");
    window.copied.length = 0;
    found.click();
    while (!window.copied.length) await new Promise((done) => setTimeout(done, 5));
    return window.copied[0];
}"""


class Reader:
    """A page that is open in the browser, with everything it asked for and complained about."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.asked: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._note)

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def open(self, address: str, *, scripts: bool) -> None:
        """Go there, and wait until the script has drawn."""
        if scripts:
            self.page.add_init_script(CATCH_COPIES)
        self.page.goto(address)
        if scripts:
            self.page.wait_for_selector("#page.live")
            self.settle()

    def settle(self) -> None:
        """Wait until what was set is drawn: the page draws once per frame."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def press(self, name: str) -> None:
        """Press a button, once the words above it have caught up."""
        self.page.wait_for_timeout(CALM)
        self.page.get_by_role("button", name=name).click()
        self.settle()

    def type(self, label: str, text: str) -> None:
        """Type into the field of a control."""
        field = self.page.get_by_label(f"{label}, type a value")
        field.fill(text, force=True)
        field.press("Enter")
        self.settle()

    def threshold(self, value: Any) -> None:
        """Set the threshold by typing it."""
        self.type("Threshold", value if isinstance(value, str) else repr(value))

    def costs(self, ratio: str) -> None:
        """Set the cost ratio by typing it."""
        self.type("Cost ratio, miss : false alarm", ratio)

    def classes(self, ratio: str) -> None:
        """Set the class ratio by typing it."""
        percent = self.page.get_by_label("Share of positives, type a value").count()
        self.type("Share of positives" if percent else "Class ratio, pos : neg", ratio)

    def cells(self) -> dict[str, float]:
        """The contingency table now."""
        result = self.page.eval_on_selector_all(
            "[data-cell]", "nodes => nodes.map((node) => [node.dataset.cell, node.querySelector('span').textContent])"
        )
        return {name: float(text.replace(",", "")) for name, text in result}

    def copied(self, button: str) -> str:
        """What a button copies."""
        return str(self.page.evaluate(PRESS_AND_WAIT, button))

    def table(self, caption: str) -> list[list[str]]:
        """A table as its CSV says it, with all digits; long tables follow a moving slider a little later."""
        self.page.wait_for_timeout(CALM)
        return list(csv.reader(io.StringIO(self.copied(f"Copy {caption} as CSV"))))

    def measures(self) -> dict[str, dict[str, str]]:
        """Every measure of every model now, by model and measure."""
        head, *rows = self.table("Measures of all models")
        now = {at: name.removesuffix(", now") for at, name in enumerate(head) if name.endswith(", now")}
        return {model: {row[0]: row[at] for row in rows} for at, model in now.items()}

    def decision(self) -> dict[str, Any]:
        """The decision under the current sliders."""
        answer: dict[str, Any] = json.loads(self.copied("Copy decision"))
        return answer

    def handle(self, panel: str) -> Any:
        """The marker of the current model in a panel."""
        return self.page.locator(f"[data-panel={panel}] .handle")
