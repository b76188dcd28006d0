"""What a shell offers to complete: columns of the file already typed, and measures."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from thresher.errors import ThresherError


def column_items(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Columns of the file that stands on the line already; none when it cannot be read."""
    del param
    # Half a line cannot be parsed, so the file may still be among the words that are left.
    words = [ctx.params.get("source"), *ctx.args]
    source = next((word for word in words if isinstance(word, str) and Path(word).exists()), None)
    if source is None:
        return []
    from thresher.sources.files import column_names

    try:
        names = column_names(source)
    except (ThresherError, OSError):
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def quantity_items(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Numbers of a model with what they estimate, and registered measures."""
    from thresher.tables import MODEL_NUMBERS

    numbers = [
        CompletionItem(name, help=known.estimates)
        for name, known in MODEL_NUMBERS.items()
        if name.startswith(incomplete)
    ]
    return numbers + measure_items(ctx, param, incomplete)


def measure_items(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Registered measures, each with its formula."""
    del ctx, param
    from thresher.tables import MEASURES

    return [CompletionItem(name, help=known.formula) for name, known in MEASURES.items() if name.startswith(incomplete)]
