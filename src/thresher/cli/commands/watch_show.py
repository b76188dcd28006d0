"""`thresher watch show`: what a watch holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from thresher.cli import options
from thresher.cli.commands.watch import STORE, StoreOptions, WatchPrintOptions


@options.define("show", examples=["thresher watch show fraud.db"])
@STORE
def command(store: str, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Show settings, decisions, batches and checks."""
    from thresher.cli.console.screen import heading, name_text, present, table
    from thresher.watching import Watch

    history = Watch(store, name=where.name, timeout=where.timeout).history()

    def blocks() -> Iterator[Any]:
        yield heading(history["watch"])
        yield [name_text(f"{name}: {value}") for name, value in history["settings"].items() if value not in (None, [])]
        for title, key in (("Decisions", "decisions"), ("Batches", "batches"), ("Checks", "checks")):
            lines = history[key]
            if lines:
                names = list(lines[0])
                yield heading(title)
                yield table(names, [[str(line.get(name, "")) for name in names] for line in lines], left=len(names))

    present(printed, lambda: json.dumps(history), lambda _: blocks())
