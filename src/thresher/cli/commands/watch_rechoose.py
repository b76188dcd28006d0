"""`thresher watch rechoose`: the threshold of today."""

from __future__ import annotations

import json

from rich.text import Text

from thresher.cli import options
from thresher.cli.commands.watch import STORE, StoreOptions, WatchPrintOptions


@options.define("rechoose", examples=["thresher watch rechoose fraud.db"])
@STORE
def command(store: str, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Choose the threshold again, from what is known today.

    By the limits of the class ratio that scores give, and by drawn labels. Nothing is changed.
    """
    from thresher.cli.console.screen import present
    from thresher.watching import Watch

    choices = Watch(store, name=where.name, timeout=where.timeout).rechoose()
    present(printed, lambda: json.dumps(choices.to_dict()), lambda _: [Text(str(choices))])
