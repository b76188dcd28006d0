"""Sources of more rows than fit: what the options ask of them, as arguments of the library's scans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from thresher.cli.rows import named_columns, positive_label, table_name
from thresher.cli.working import telling
from thresher.errors import ArgumentError
from thresher.sources.fetched import first_columns
from thresher.sources.progress import Progress


@contextmanager
def scanning(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Arguments for `scan_models`, `compare_scan` and `evaluate_scan`, whose progress is told on a terminal."""
    label, scores = named_columns(given)
    if given.get("predictions"):
        raise ArgumentError("--prediction needs rows, and there are more than fit", "leave it out, or sample")
    table = table_name(given)
    with telling("counting where the rows are") as tell:

        def told(now: Progress) -> None:
            tell(_words(now))

        positive = given.get("positive")
        if positive is not None:
            labels = first_columns(given["source"], [label], table=table, listener=told)[label]
            positive = positive_label(positive, labels)
        yield {
            "label": label,
            "scores": scores,
            "table": table,
            "positive": positive,
            "weight": given.get("weight"),
            "missing": given["missing"],
            "progress": told,
        }


def _words(now: Progress) -> str:
    """How far a scan has come.

    >>> _words(Progress("counting", rows=2_000_000, total=10_000_000, seconds=0.5))
    'counting: 2,000,000 of 10,000,000 rows, 4,000,000 per second'
    >>> _words(Progress("learning types", rows=2_000_000, total=None, seconds=0.5))
    'learning types: 2,000,000 rows, 4,000,000 per second'
    >>> _words(Progress("ranking rows", rows=None, total=None, seconds=3.2))
    'ranking rows: 3 s'
    """
    if now.rows is None or now.rate is None:
        return f"{now.stage}: {now.seconds:.0f} s"
    of = "" if now.total is None else f" of {now.total:,}"
    return f"{now.stage}: {now.rows:,}{of} rows, {now.rate:,.0f} per second"
