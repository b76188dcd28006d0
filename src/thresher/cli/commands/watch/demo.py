"""`thresher watch demo`: a year of a watched decision, and the page at its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from thresher.cli import options
from thresher.cli.options import PrintOptions, option

if TYPE_CHECKING:
    from thresher.laboratory import Stream
    from thresher.watching import Check

WEEK, WEEKS = 7, 52
TWICE = 15  # the week whose delivery comes twice
PROMISES = ("precision >= 0.5", "recall >= 0.4", "alarm_rate <= 0.06")
COST_RATIO, SAMPLE = 3.0, 0.03
_START = datetime(2026, 1, 1, tzinfo=UTC)
_SALT = "demo"


@dataclass(frozen=True, slots=True)
class WatchDemoOptions:
    """The files to write."""

    output: str = option("-o", default="thresher-watch.html", metavar="FILE", help="The page.")
    store: str | None = option(metavar="FILE", help="Also keep the watch, to try the other commands on.")


@options.define("demo", examples=["thresher watch demo", "thresher watch demo --store purchases.db"])
def demo(how: WatchDemoOptions, printed: PrintOptions) -> None:
    """Watch a simulated year, and write its page; needs no input.

    Purchases are scored for fraud. Reviewers label alarms and a drawn 3 % of the other purchases, frauds later than
    honest ones; one delivery comes twice, some labels are corrected. On day 290 honest purchases of a new channel
    begin to look risky.
    """
    from thresher.cli.outputs import require_outputs

    require_outputs(source=None, output=how.output, store=how.store)

    from rich.text import Text

    from thresher.cli.console.screen import present, working, written_text
    from thresher.cli.console.watch import check_blocks
    from thresher.errors import OutputError
    from thresher.laboratory import Stream

    if how.store is not None and Path(how.store).exists():
        raise OutputError(f"{how.store} exists already", "name a file that does not exist")
    events: list[str] = []
    stream = Stream(rows=150)
    with TemporaryDirectory() as folder:
        place = Path(how.store) if how.store is not None else Path(folder) / "purchases.db"
        with working("watching a year go by") as say:
            check = simulate(place, stream, tell=lambda week, text: _note(events, say, week, text))
        with working("writing the page"):
            check.to_html(how.output)
    written = [f"page     {how.output}", *([f"watch    {how.store}"] if how.store is not None else [])]
    lines = [Text(line) for line in events]
    present(printed, check.to_json, lambda _: [lines, *check_blocks(check), written_text(written)])


def _note(events: list[str], say: Callable[[str], None], week: int, text: str) -> None:
    date = _START + timedelta(days=WEEK * (week + 1))
    events.append(f"{date:%Y-%m-%d}  {text}")
    say(text)


def simulate(
    place: Path, stream: Stream, *, weeks: int = WEEKS, tell: Callable[[int, str], object] = lambda *_: None
) -> Check:
    """Let weeks go by: rows come, labels follow, every other week somebody checks."""
    import numpy as np

    from thresher.evaluation import evaluate
    from thresher.inference import permanent_random_numbers
    from thresher.tables import OperatingCondition
    from thresher.watching import Watch

    now = _START
    reference = stream.reference()
    condition = OperatingCondition(cost_ratio=COST_RATIO)
    decision = evaluate(reference["fraud"], {"p": reference["p"]}, condition=condition, seed=1).decision
    watch = Watch.create(
        place,
        decision,
        reference=reference,
        label="fraud",
        score="p",
        promises=PROMISES,
        matures="30d",
        sample=SAMPLE,
        columns=["amount", "channel"],
        salt=_SALT,
        name="purchases",
        clock=lambda: now,
    )
    tell(-1, f"deployed: alarm from {decision.threshold:.3g} on, a missed fraud costs {COST_RATIO:g} false alarms")
    open_: set[str] = set()
    pending: dict[str, Any] = {}
    check = None
    for week in range(weeks):
        now = _START + timedelta(days=WEEK * (week + 1))
        days = [stream.rows_of(day) for day in range(WEEK * week, WEEK * (week + 1))]
        rows = {name: np.concatenate([day[name] for day in days]) for name in days[0]}
        for copy in range(2 if week == TWICE else 1):
            inserted = watch.insert(rows, id="tx", time="at", score="p")
            if copy:
                tell(week, f"delivered twice: {inserted.again:,} rows known already, {inserted.rows:,} new")
        drawn = permanent_random_numbers(rows["tx"].tolist(), _SALT) < SAMPLE
        new = stream.labels(rows["tx"][decision.rule.apply(rows["p"]) | drawn])
        pending = {name: np.concatenate([pending[name], new[name]]) if pending else new[name] for name in new}
        known = pending["at"] <= np.datetime64(now.replace(tzinfo=None))
        watch.label({name: values[known] for name, values in pending.items()}, id="tx", label="fraud", time="at")
        pending = {name: values[~known] for name, values in pending.items()}
        if (week % 2 and week >= 5) or week == weeks - 1:
            check = watch.check()
            for alarm in check.alarms:
                if alarm.promise not in open_:
                    one = check.promises.get(alarm.promise)
                    tell(week, "alarm: scores have moved" if one is None else f"alarm: {one.promise}: {one.because}")
            open_ |= {alarm.promise for alarm in check.alarms}
    assert check is not None  # noqa: S101 - the last week is checked
    return check
