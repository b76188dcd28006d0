"""True processes: how quick, how quiet, and how they end."""

import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROWS = ["predictions.csv", "--label", "malignant", "--score", "forest", "--score", "logistic"]
COMMAND = [sys.executable, "-m", "thresher"]


def run(folder, *words, **options):
    settings = {
        "capture_output": True,
        "text": True,
        "cwd": folder,
        "timeout": 120,
        "stdin": subprocess.DEVNULL,
    } | options
    command = words[0] if options.get("shell") else [*COMMAND, *words]
    return subprocess.run(command, check=False, **settings)  # noqa: S603


def names_in(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def test_help_loads_nothing_heavy():
    code = (
        "import sys; sys.argv = ['thresher', 'gate', '--help']\n"
        "from thresher.cli import main\n"
        "try: main()\n"
        "except SystemExit: print('LOADED', *sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    loaded = ran.stdout.split("LOADED")[1].split()
    assert not {"numpy", "scipy", "pyarrow", "polars", "sklearn", "rich.console", "thresher.ranking"} & set(loaded)


def test_exit_codes(folder):
    gate = ["gate", *ROWS[:5], "--require"]
    assert run(folder, *gate, "auc >= 0.5").returncode == 0
    assert run(folder, *gate, "auc >= 0.999").returncode == 1
    assert run(folder, *gate, "acu >= 0.5").returncode == 2


def test_piped_output_is_plain_text(folder):
    ran = run(folder, "evaluate", *ROWS)
    assert ran.returncode == 0
    assert ran.stderr == ""
    assert "\x1b" not in ran.stdout
    assert all(line == line.rstrip() for line in ran.stdout.splitlines())


def test_json_is_all_there_is_on_standard_output_and_the_same_bytes_every_time(folder):
    ran, again = (run(folder, "evaluate", *ROWS, "--json") for _ in range(2))
    assert json.loads(ran.stdout)["rows"] == 240
    assert ran.stderr == ""
    assert ran.stdout == again.stdout


def test_standard_input_in_a_pipe(folder):
    with Path(folder, "predictions.csv").open() as text:
        ran = run(folder, "choose", "-", *ROWS[1:5], stdin=text)
    assert ran.stdout.startswith("forest: call a case positive")


def test_a_terminal_that_knows_no_braille(folder):
    ran = run(folder, "evaluate", *ROWS, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.isascii()


def test_nobody_listens_any_more(folder):
    names = ",".join(f"column{i}" for i in range(50))
    Path(folder, "big.csv").write_text(f"forest,{names}\n" + ("0.5," + ",".join("x" * 50) + "\n") * 5_000)
    run(folder, "evaluate", *ROWS[:5], "--decision", "decision.json", "-q")
    reader = subprocess.Popen(  # noqa: S603
        [*COMMAND, "apply", "decision.json", "big.csv"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = reader.stdout, reader.stderr
    assert out is not None
    assert err is not None
    out.read(100)
    out.close()
    with err:
        assert err.read() == b""
    assert reader.wait(60) == 141


def test_a_full_disk(folder):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with Path("/dev/full").open("w") as full:
        ran = run(folder, "evaluate", *ROWS, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert ran.returncode == 2
    assert "there is no space left on the device" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_end_only_what_needs_them(folder, closed):
    """Cron and other programs may start this one without standard streams."""

    def code(*words):
        line = f"exec {' '.join(map(shlex.quote, [*COMMAND, *words]))} {closed}"
        ran = run(folder, line, shell=True)  # noqa: S604 - only a shell closes streams
        assert "Traceback" not in ran.stderr
        return ran.returncode

    Path(folder, "decision.json").unlink(missing_ok=True)
    assert code("evaluate", *ROWS[:5], "--quiet", "--decision", "decision.json") == 0
    assert json.loads(Path(folder, "decision.json").read_text())["model"] == "forest", "and nothing else is in it"
    assert code("choose", *ROWS[:5]) == (2 if ">&-" in closed.replace("2>&-", "") else 0)
    if closed.startswith("<&-"):
        assert code("choose", "-", *ROWS[1:5]) == 2
    if closed.endswith("2>&-"):
        assert code("choose", "absent.csv", *ROWS[1:5]) == 2


@pytest.mark.parametrize(("asked", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_leaves_nothing_half_written(folder, asked, code):
    Path(folder, "big.csv").write_text("forest\n" + "0.5\n" * 1_000_000)
    run(folder, "evaluate", *ROWS[:5], "--decision", "decision.json", "-q")
    before = names_in(folder)
    worker = subprocess.Popen(  # noqa: S603
        [*COMMAND, "apply", "decision.json", "big.csv", "-o", "out.csv"],
        cwd=folder,
        stderr=subprocess.PIPE,
    )
    for _ in range(600):
        if any(name.startswith(".out.csv") for name in names_in(folder)):
            break
        time.sleep(0.02)
    worker.send_signal(asked)
    assert b"Traceback" not in worker.communicate(timeout=60)[1]
    assert worker.returncode == code
    assert names_in(folder) == before


def seen(folder, *words, code=0, **env):
    """What a terminal of 120 columns is sent."""
    parent, child = pty.openpty()
    settings = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", **env}
    settings.pop("NO_COLOR", None) if "NO_COLOR" not in env else None
    worker = subprocess.Popen([*COMMAND, *words], cwd=folder, stdout=child, stderr=child, env=settings)  # noqa: S603
    os.close(child)
    answer = b""
    while select.select([parent], [], [], 60)[0]:
        try:
            piece = os.read(parent, 65536)
        except OSError:  # the other side is gone
            break
        if not piece:
            break
        answer += piece
    assert worker.wait(60) == code
    os.close(parent)
    return answer.decode()


def test_a_terminal_gets_colours_and_dots(folder):
    text = seen(folder, "evaluate", *ROWS)
    assert "\x1b[" in text
    assert any("\u2801" <= char <= "\u28ff" for char in text)


@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_color_is_heeded(folder, setting):
    text = seen(folder, "evaluate", *ROWS, **setting)
    assert not re.search("\x1b\\[[0-9;]*m", text), "a word about work that takes long may still move the cursor"
    assert "ROC curve  " in text, "curves that only colours tell apart are not drawn together"


def test_refusals_respect_no_color_too(folder):
    words = ["evaluate", "absent.csv", "--label", "y", "--score", "p"]
    assert "\x1b[31m" in seen(folder, *words, code=2)
    for setting in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        text = seen(folder, *words, code=2, **setting)
        assert text.startswith("thresher: ")
        assert "\x1b" not in text


def test_learning_tells_what_is_running_and_an_interruption_leaves_nothing(learnt, tmp_path):
    Path(tmp_path, "tumours.csv").write_bytes((learnt / "tumours.csv").read_bytes())
    parent, child = pty.openpty()
    words = ["learn", "tumours.csv", "--target", "tumour", "--positive", "malignant", "-o", "out"]
    worker = subprocess.Popen([*COMMAND, *words], cwd=tmp_path, stdout=child, stderr=child)  # noqa: S603
    os.close(child)
    answer = b""
    while not (fitting := re.search(rb"fitting (\w+)", answer)) and select.select([parent], [], [], 60)[0]:
        answer += os.read(parent, 65536)
    worker.send_signal(signal.SIGINT)
    assert fitting, "which model is being fitted"
    assert worker.wait(60) == 130
    os.close(parent)
    assert names_in(tmp_path) == ["tumours.csv"]


def test_learning_loads_nothing_heavy_for_its_help():
    code = (
        "import sys; sys.argv = ['thresher', 'learn', '--help']\n"
        "from thresher.cli import main\n"
        "try: main()\n"
        "except SystemExit: print('LOADED', *sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert not {"numpy", "sklearn", "pandas", "rich.console"} & set(ran.stdout.split("LOADED")[1].split())


@pytest.mark.parametrize(
    ("flag", "megabytes", "memory"), [("v", 200, "address space"), ("v", 900, "address space"), ("d", 300, "data")]
)
def test_too_little_memory_is_one_paragraph(tmp_path, flag, megabytes, memory):
    (tmp_path / "rows.csv").write_text("y,p\n1,0.9\n0,0.1\n" * 20)
    limit = f"ulimit -{flag} {megabytes * 1024}"
    words = f"{limit}; exec {sys.executable} -m thresher evaluate rows.csv --label y --score p"
    result = subprocess.run(["sh", "-c", words], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603, S607
    assert result.returncode == 2
    assert result.stderr.startswith(f"thresher: this process may use {megabytes} MiB of {memory}")
    assert "Traceback" not in result.stderr
