"""Faults while commands write: killed, disk full, read-only, input changed. The old file or the new one, complete.

Commands run in forks of one process that has loaded everything (`python -m tests.fuzz.faults WHICH SEED CASES`), so
that a case takes as long as the command itself, and kills fall on its work and not on its start.
"""

from __future__ import annotations

import ctypes
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.fuzz.answers import Answers

SECONDS = 900  # after which a command hangs
_ONE = ("rows.csv", "--label", "y", "--score", "a")
_SCORED = (*_ONE, "--score", "b", "--seed", "1")
_LEARN = ("learn", "table.csv", "--target", "y", "--model", "naive bayes", "--folds", "3", "--no-curves", "--jobs", "1")
# Every command that writes, and what it writes; the store of a watch has faults by itself.
COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "evaluate": (
        ("evaluate", *_SCORED, "-o", "to/report.html", "--decision", "to/decision.json"),
        ("report.html", "decision.json"),
    ),
    "figures": (
        ("evaluate", *_SCORED, "--figures", "to/figures"),
        ("figures",),
    ),
    "calibrate": (
        ("calibrate", *_ONE, "-o", "to/map.json", "--write", "to/more.csv"),
        ("map.json", "more.csv"),
    ),
    "apply": (("apply", "decision.json", "rows.csv", "-o", "to/applied.parquet"), ("applied.parquet",)),
    "merge": (("merge", *_ONE, "-o", "to/ranking.parquet"), ("ranking.parquet",)),
    "learn": ((*_LEARN, "-o", "to/out", "--overwrite"), ("out",)),
    "predict": (("predict", "out", "table.csv", "-o", "to/scored.csv"), ("scored.csv",)),
    "gate": (("gate", *_SCORED, "--require", "auc >= 0", "--junit", "to/gate.xml"), ("gate.xml",)),
    "costs": (("costs", "--from", "rows.csv", "--label", "y", "-o", "to/form.csv", "--overwrite"), ("form.csv",)),
    "classroom": (
        ("classroom", *_ONE, "--bins", "5", "-o", "to/lesson.html", "--no-open"),
        ("lesson.html",),
    ),
    "watch": (
        ("watch", "check", "watch.db", "--as-of", "MOMENT", "-o", "to/watch.html", "--prometheus", "to/watch.prom"),
        ("watch.html", "watch.prom"),
    ),
    "demo": (("demo", "-o", "to/demo.html", "--predictions", "to/demo.csv"), ("demo.html", "demo.csv")),
}
_WATCH = (
    ("watch", "create", "watch.db", "decision.json", "--reference", *_ONE, "--promise", "alarm_rate <= 1"),
    ("watch", "insert", "watch.db", "watched.csv", "--id", "id", "--time", "at", "--score", "a"),
)
FAULTS = ("kill", "full", "read-only", "changed")


def faults(seed: int, size: int) -> Answers:
    """Every command that writes, disturbed at random moments."""
    return _in_forks("commands", seed, max(size // 8, 1))


def overwriting(seed: int, size: int) -> Answers:
    """A folder that is replaced again and again, by processes that are killed."""
    return _in_forks("folder", seed, size)


def _in_forks(which: str, seed: int, cases: int) -> Answers:
    answers = Answers()
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "agg"}
    ran = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "tests.fuzz.faults", which, str(seed), str(cases)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=environment,
    )
    for line in ran.stdout.splitlines():
        answers.check(line.startswith("right "), line)
    if ran.returncode:
        answers.wrong.append(f"exit {ran.returncode}: {ran.stderr[-2000:]}")
    return answers


@dataclass
class Stage:
    """A folder with the inputs, and what each command writes when nobody disturbs it."""

    folder: Path
    old: dict[str, Any] = field(default_factory=dict)
    new: dict[str, dict[str, Any]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    stderr: str = ""
    moment: str = ""  # of which a watch is asked, so that it answers the same every time

    def prepare(self) -> None:
        """Write the inputs, and run every command once."""
        rows = [f"{(i * 7 + i // 3) % 3 % 2},{i * 37 % 101 / 101},{i * 53 % 97 / 97}" for i in range(400)]
        (self.folder / "rows.csv").write_text("y,a,b\n" + "\n".join(rows) + "\n", encoding="utf-8")
        shutil.copy(self.folder / "rows.csv", self.folder / "table.csv")
        to = self.folder / "to"
        to.mkdir()
        for name, (words, outputs) in COMMANDS.items():
            if name == "watch":
                self._start_watch()
            start = time.monotonic()
            code = self.run(words)
            assert code == 0, (name, self.stderr)
            self.seconds[name] = time.monotonic() - start
            self.new[name] = {output: content_of(to / output) for output in outputs}
            for output, copied in (("decision.json", "decision.json"), ("out", "out")):
                if output in outputs:
                    copy = shutil.copytree if (to / output).is_dir() else shutil.copy
                    copy(to / output, self.folder / copied)

    def _start_watch(self) -> None:
        """Make a store that holds rows of the last days."""
        rows = [f"{i},{datetime.now(UTC) - timedelta(hours=i + 1)},{i * 37 % 101 / 101}" for i in range(100)]
        (self.folder / "watched.csv").write_text("id,at,a\n" + "\n".join(rows) + "\n", encoding="utf-8")
        for words in _WATCH:
            assert self.run(words) == 0, self.stderr
        self.moment = datetime.now(UTC).isoformat()

    def reset(self, name: str) -> None:
        """Older outputs: those of a run before, with other content."""
        to = self.folder / "to"
        shutil.rmtree(to)
        to.mkdir()
        for output, content in self.new[name].items():
            if isinstance(content, dict):
                (to / output).mkdir()
                for file in content:
                    (to / output / file).write_bytes(b"old")
            else:
                (to / output).write_bytes(b"old")
        shutil.copy(self.folder / "table.csv", self.folder / "rows.csv")
        self.old = {output: content_of(to / output) for output in COMMANDS[name][1]}

    def run(self, words: tuple[str, ...], *, before: Callable[[], None] = lambda: None, kill: float = -1.0) -> int:
        """Run a command in a fork; `before` disturbs it from within, `kill` after so many seconds."""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            self._be(words, before, write)
        os.close(write)
        if kill >= 0:
            time.sleep(kill)
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        with os.fdopen(read, encoding="utf-8", errors="replace") as stream:
            self.stderr = stream.read()
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)

    def _be(self, words: tuple[str, ...], before: Callable[[], None], stderr: int) -> None:
        from thresher.cli.app import program

        code = 99
        try:
            os.chdir(self.folder)
            for stream, handle in enumerate((*[os.open(os.devnull, os.O_RDWR)] * 2, stderr)):
                os.dup2(handle, stream)
            before()
            program.main([self.moment if word == "MOMENT" else word for word in words], prog_name="thresher")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 98
        finally:
            os._exit(code)


def content_of(path: Path) -> Any:
    """The bytes of a file, or of the files of a folder; None of what is not there."""
    if path.is_dir():
        return {file.name: file.read_bytes() for file in sorted(path.iterdir())}
    return path.read_bytes() if path.exists() else None


def disturb(stage: Stage, name: str, fault: str, rng: random.Random) -> str:
    """Run a command with a fault; returns what is wrong afterwards."""
    words, outputs = COMMANDS[name]
    stage.reset(name)
    to = stage.folder / "to"
    if fault == "kill":
        code = stage.run(words, kill=rng.uniform(0, 1.1 * stage.seconds[name]))
    elif fault == "full":
        sizes = [len(part) for content in stage.new[name].values() for part in _parts(content)]
        code = stage.run(words, before=_limit(rng.randrange(max(sizes))))
    elif fault == "read-only":
        folders = [to, *(path for path in to.iterdir() if path.is_dir())]
        for folder in folders:
            folder.chmod(0o555)
        code = stage.run(words, before=_without_override)
        for folder in folders:
            folder.chmod(0o755)
    else:
        with _changing(stage.folder / "rows.csv", rng.uniform(0, stage.seconds[name]), rng):
            code = stage.run(words)
    allowed = {"kill": (0, -9), "full": (0, 2), "read-only": (2,), "changed": (0, 2)}[fault]
    if code not in allowed:
        return f"exit {code}: {stage.stderr[-1500:]}"
    text = stage.stderr
    if code == 2 and not (text.startswith("thresher: ") and "\n  fix: " in text and "Traceback" not in text):
        return f"no paragraph: {text[-1500:]}"
    for output in outputs:
        content = content_of(to / output)
        fine = [stage.old[output], stage.new[name][output]] if code or fault != "changed" else [content]
        if content not in fine and not (output == "figures" and _each_is(content, stage, name)):
            return f"{output} is neither the old one nor the new one: {str(content)[:200]}"
    rest = sorted(path.name for path in to.iterdir() if path.name not in outputs)
    return f"left behind: {rest}" if rest and code != -9 else ""


def _parts(content: Any) -> list[bytes]:
    return list(content.values()) if isinstance(content, dict) else [content]


def _each_is(content: Any, stage: Stage, name: str) -> bool:
    """A folder of pictures is written picture by picture."""
    old, new = stage.old["figures"], stage.new[name]["figures"]
    return all(part in (old[file], new[file]) for file, part in content.items() if not file.startswith("."))


def _limit(size: int) -> Callable[[], None]:
    """No file may grow beyond a size, which is what a full disk does to it."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _without_override() -> None:
    """Give up root's right to write where nobody may; others never had it."""
    if os.geteuid() or not sys.platform.startswith("linux"):
        return
    library = ctypes.CDLL(None, use_errno=True)
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()  # capabilities(7), version 3
    library.capget(header, data)
    for low in (0, 1):  # effective and permitted
        data[low] &= ~0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
    if library.capset(header, data):
        raise OSError(ctypes.get_errno(), "capset")


@contextmanager
def _changing(path: Path, after: float, rng: random.Random) -> Iterator[None]:
    """Change the input at a moment: cut off, replaced, removed or longer."""
    changer = os.fork()
    if changer == 0:
        time.sleep(after)
        content = path.read_bytes()
        how = rng.choice(("cut", "replace", "remove", "append"))
        if how == "remove":
            path.unlink()
        else:
            change = {"cut": content[: rng.randrange(len(content))], "replace": b"spam", "append": content * 2}[how]
            path.write_bytes(change)
        os._exit(0)
    try:
        yield
    finally:
        os.waitpid(changer, 0)


def commands(rng: random.Random, cases: int) -> Iterator[str]:
    """Disturb every command so many times; yields what is wrong, or nothing."""
    import pyarrow.csv
    import pyarrow.dataset
    import pyarrow.parquet  # noqa: F401

    import thresher.learning
    import thresher.plots
    import thresher.report  # noqa: F401

    with tempfile.TemporaryDirectory() as home:
        stage = Stage(Path(home))
        stage.prepare()
        for _ in range(cases):
            for name in COMMANDS:
                fault = rng.choice(FAULTS)
                wrong = disturb(stage, name, fault, rng)
                yield wrong and f"{name}, {fault}: {wrong}"


def folder(rng: random.Random, kills: int) -> Iterator[str]:
    """Kill processes that replace a folder, at random moments and before each of their calls of the system."""
    from thresher._internal import atomic

    for _ in range(kills):
        yield _replace_and_kill(lambda: time.sleep(rng.uniform(0, 0.05)), 0)[0]
    one_step = atomic.exchange
    for exchange in (one_step, lambda *_: False):
        atomic.exchange = exchange
        call, killed = 0, True
        while killed:
            call += 1
            wrong, killed = _replace_and_kill(lambda: None, call)
            yield wrong and f"killed before call {call}, {exchange}: {wrong}"
    atomic.exchange = one_step


def _replace_and_kill(wait: Callable[[], None], call: int) -> tuple[str, bool]:
    """Replace a folder, again and again if `call` is 0, until killed: what is wrong, and whether it was killed."""
    from thresher._internal.atomic import recover_folder, replace_folder

    names = ("a", "b", "c")
    with tempfile.TemporaryDirectory() as home, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        target = Path(home, "out")

        def write(generation: int) -> None:
            with replace_folder(target, names=names, overwrite=True) as temporary:
                for name in names:
                    (temporary / name).write_bytes(b"%d" % generation * 5000)

        write(0)
        child = os.fork()
        if child == 0:
            if call:
                sys.addaudithook(_killer(call))
            for generation in range(1, 2 if call else 10**9):
                write(generation)
            os._exit(0)
        wait()
        if not call:
            os.kill(child, signal.SIGKILL)
        killed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
        recover_folder(target)
        content = content_of(target) or {}
        complete = len(set(content.values())) == 1 and tuple(content) == names
        return "" if complete else f"the folder holds {[(name, len(part)) for name, part in content.items()]}", killed


def _killer(call: int) -> Callable[[str, tuple[Any, ...]], None]:
    """Kill this process before so many calls that open, rename, make or remove something."""
    calls = 0

    def count(event: str, _: tuple[Any, ...]) -> None:
        nonlocal calls
        calls += event.startswith(("open", "os.", "shutil.", "ctypes."))
        if calls == call:
            os.kill(os.getpid(), signal.SIGKILL)

    return count


def main(which: str, seed: int, cases: int) -> None:
    """Print one line per case."""
    rng = random.Random(seed)  # noqa: S311 - a case to repeat
    for wrong in {"commands": commands, "folder": folder}[which](rng, cases):
        sys.stdout.write(f"wrong {wrong!r}\n" if wrong else "right \n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
