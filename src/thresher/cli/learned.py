"""What `thresher learn` does between reading and printing: learn with a word on what is running, and write."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from thresher.choices import OperatingCondition
from thresher.cli.learning_table import LearningTable
from thresher.cli.plain_text import plain_text
from thresher.cli.working import working
from thresher.extras import extra
from thresher.inference.interval import require_level
from thresher.learning import Learned, learn, write_learned
from thresher.learning.folder import FILES
from thresher.learning.whole_folder import require_folder
from thresher.learning.workflow import COMPARING
from thresher.learning.zoo import chosen_models


def require_feasible(given: Mapping[str, Any]) -> None:
    """Refuse, before hours of learning, what would be refused after them."""
    require_level(given["level"])
    if given["output"] is None:
        return
    for package, name in (("jinja2", "report"), ("skops.io", "learn"), ("pyarrow.parquet", "files")):
        extra(package, name=name)
    require_folder(given["output"], names=FILES, overwrite=given["overwrite"])


def learned(table: LearningTable, condition: OperatingCondition, given: Mapping[str, Any]) -> tuple[Learned, list[str]]:
    """The library's `learn`, as the options say, and what scikit-learn warned of, each warning once."""
    models = list(given["models"]) or None
    names = list(chosen_models(models, seed=given["seed"]))
    with warnings.catch_warnings(record=True) as caught, _told(names, quiet=given["quiet"]) as (stage, progress):
        warnings.simplefilter("always")
        found = learn(
            table.data,
            table.target,
            positive=table.positive,
            condition=condition,
            prefer=given["prefer"],
            models=models,
            types=table.types,
            orders=table.orders,
            missing="indicator" if given["missing"] == "drop" else given["missing"],
            folds=given["folds"],
            groups=table.groups,
            time=table.time,
            curves=given["curves"],
            level=given["level"],
            seed=given["seed"],
            n_jobs=given["jobs"],
            stage=stage,
            progress=progress,
        )
    return found, told_once(caught)


def told_once(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """Warnings in one line each, the same ones counted.

    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     for _ in range(2):
    ...         warnings.warn("did not converge", stacklevel=1)
    >>> told_once(caught)
    ['did not converge (2 times)']
    """
    texts = [plain_text(str(one.message).strip().partition("\n")[0]) for one in caught]
    counts = {text: texts.count(text) for text in dict.fromkeys(texts)}
    return [text if count == 1 else f"{text} ({count:,} times)" for text, count in counts.items()]


def write(found: Learned, table: LearningTable, given: Mapping[str, Any]) -> list[str]:
    """Write the folder if one is asked for; returns the paths."""
    if given["output"] is None:
        return []
    name = "standard input" if given["source"] == "-" else Path(given["source"]).name
    with working("writing the folder"):
        write_learned(
            found, table.data, given["output"], title=f"{table.target} in {name}", overwrite=given["overwrite"]
        )
    return [str(Path(given["output"], file)) for file in FILES]


def present(
    found: Learned, table: LearningTable, given: Mapping[str, Any], *, remarks: Sequence[str], written: Sequence[str]
) -> None:
    """Print the summary, or plain data, or nothing."""
    from thresher.cli.learned_summary import learned_summary, plain_learned

    if given["as_json"]:
        import json

        plain = plain_learned(found) | {"dropped": table.dropped, "warnings": list(remarks), "written": list(written)}
        click.echo(json.dumps(plain, allow_nan=False, default=str))
    elif not given["quiet"]:
        from thresher.cli.screen import console, show

        screen = console()
        blocks = learned_summary(found, width=screen.width, dropped=table.dropped, remarks=remarks, written=written)
        show(screen, blocks)


@contextmanager
def _told(names: Sequence[str], *, quiet: bool) -> Iterator[tuple[Any, Any]]:
    """Functions for `learn` to call as it works, which tell what is running on stderr if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None, None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        running = ""

        def stage(words: str) -> None:
            nonlocal running
            running = plain_text(words)
            bar.reset(task, total=None, description=_running(running, names, 0, 0))

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, description=_running(running, names, done, total))

        yield stage, progress


def _running(words: str, names: Sequence[str], done: int, total: int) -> str:
    """What is running: the model and the fold while models are compared, else the words themselves.

    >>> _running("comparing models", ["tree", "forest"], 6, 10)
    'fitting forest, fold 2 of 5'
    >>> _running("learning curve", ["tree"], 6, 10)
    'learning curve'
    """
    if words != COMPARING or done == total:
        return words
    each = max(total // len(names), 1)
    return f"fitting {plain_text(names[min(done // each, len(names) - 1)])}, fold {done % each + 1} of {each}"
