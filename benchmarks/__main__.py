"""Run every benchmark and write `benchmarks/results.md`."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import numpy as np

from benchmarks.core import KINDS
from benchmarks.scale import COMMANDS, SPARK_LIMIT
from benchmarks.timing import seconds

Settings: TypeAlias = dict[str, dict[str, str]]

SIZES = (10**6, 10**7)
GROWTH = (10**5, 316_228, 10**6, 3_162_278, 10**7)
PROCESSES = 7
RESULTS = Path(__file__).with_name("results.md")


def main() -> None:
    """Measure the sections named on the command line, or all; those not measured stay as they were written."""
    asked = sys.argv[1:] or list(SECTIONS)
    if unknown := [name for name in asked if name not in SECTIONS]:
        sys.exit(f"there is no section {', '.join(unknown)}: pick from {', '.join(SECTIONS)}")
    sections = written_before()
    slow_sort = wide_vectors_hurt()
    settings: Settings = {"As NumPy comes": {}} | ({"Without AVX-512": slow_sort} if slow_sort else {})
    parts = [INTRODUCTION, versions()]
    if slow_sort:
        parts.append(WIDE_VECTORS.format(features=slow_sort["NPY_DISABLE_CPU_FEATURES"]))
    for name, (title, measured) in SECTIONS.items():
        if name in asked:
            sections[title] = measured(settings)
            print(f"## {title}\n\n{sections[title]}\n", flush=True)
        if title in sections:
            parts.append(f"## {title}\n\n{sections[title]}")
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"written to {RESULTS.relative_to(Path.cwd())}")


def written_before() -> dict[str, str]:
    """The sections of the table on file, by title."""
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    sections = [section.partition("\n\n") for section in text.split("\n## ")[1:]]
    return {title: body.strip() for title, _, body in sections}


def with_every(settings: Settings, table: Callable[[dict[str, str]], str]) -> str:
    """One table for each setting of NumPy, under its name where there are several."""
    made = [(title, table(setting)) for title, setting in settings.items()]
    return "\n\n".join(result if len(made) == 1 else f"{title}:\n\n{result}" for title, result in made)


def rankings(settings: Settings) -> str:
    return with_every(settings, lambda setting: f"{core_table(setting)}\n\n{growth_line(setting)}")


def growth_line(setting: dict[str, str]) -> str:
    return f"Cost of building grows as rows to the power {growth(setting):.2f} over 10⁵ to 10⁷."


def core_table(setting: dict[str, str]) -> str:
    lines = [
        "| scores | rows | ranking ÷ sort | memory ÷ scores | AUC, sklearn ÷ thresher | everything, so | ÷ sort |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for kind in KINDS:
        for rows in SIZES:
            everything = kind == "float64 distinct"
            result = child("benchmarks.core", kind, str(rows), "everything" if everything else "auc", setting=setting)
            columns = " | "
            if everything:
                ratio, differs = result["sklearn everything"] / result["everything"], result["agreement"]
                columns = f"{ratio:.0f}× (differs by {differs:.0e}) | {result['everything'] / result['sort']:.1f}"
            lines.append(
                f"| {kind} | {rows:,} | {result['rank'] / result['sort']:.2f} | {result['memory']:.1f} "
                f"| {result['sklearn auc'] / result['auc']:.0f}× | {columns} |"
            )
            print(lines[-1], flush=True)
    return "\n".join(lines)


def inference_table(setting: dict[str, str]) -> str:
    """How sure, as ratios to rankings and peers."""
    times = child("benchmarks.inference", setting=setting)
    lines = [
        "| what | ratio |",
        "|---|--:|",
        f"| DeLong interval of 10⁶ rows ÷ building the ranking | {times['interval'] / times['rank']:.2f} |",
        f"| evaluating three models of 10⁶ rows ÷ three rankings | {times['evaluate'] / times['three rankings']:.1f} |",
        f"| the same, every number read | {times['evaluate, all read'] / times['three rankings']:.1f} |",
        f"| the same at a declared class mix | {times['at mix, all read'] / times['three rankings']:.1f} |",
        f"| evaluating 10⁵ × 4 ÷ sorting the vectors | {times['evaluate vectors'] / times['sort of vectors']:.0f} |",
        f"| weights of 10⁵ segments, 4 classes ÷ sorting them | {times['weights'] / times['sort of vectors']:.0f} |",
        f"| {RESAMPLES} | {times['row by row'] / times['bootstrap']:.0f}× |",
    ]
    if "peer paired" in times:
        ratio = times["peer paired"] / times["paired"]
        lines.append(f"| paired DeLong of two models, 10⁶ rows: MLstatkit ÷ thresher | {ratio:.1f}× |")
    return "\n".join(lines)


def features_table(setting: dict[str, str]) -> str:
    """Choosing features, as ratios to one pass over the rows and a generic selector."""
    result = child("benchmarks.features", setting=setting)
    if not result["same features"]:
        raise RuntimeError("the generic selector chose other features, so times do not compare")
    lines = [
        "| features by scatter | ratio |",
        "|---|--:|",
        f"| {EXACTLY} | {result['exact'] / result['pass']:.2f} |",
        f"| the same by forward search ÷ the pass | {result['forward'] / result['pass']:.2f} |",
        f"| NumPy, a variance per class ÷ the pass | {result['plain NumPy'] / result['pass']:.1f} |",
        f"| {SEQUENTIALLY} | {result['few generic'] / result['few forward']:.0f}× |",
    ]
    return "\n".join(lines)


def page_table() -> str:
    """The page and the evaluation it shows, and its budgets."""
    result = child("benchmarks.page", setting={})
    written = result["page"] / result["evaluate"]
    lines = [
        "| what | measured | budget |",
        "|---|--:|--:|",
        f"| writing three models of 10⁶ rows ÷ evaluating them, every number read | {written:.2f} | 1 |",
        f"| script, kB | {result['script']:.0f} | 120 |",
        f"| page per model without script and style, kB | {result['per model']:.0f} | 150 |",
    ]
    if "step" in result:
        lines += [
            f"| main thread per step of the threshold slider, ms | {result['step']:.1f} | 10 |",
            f"| the same of a class share, 20,000 segments of 4 classes, ms | {result['class step']:.1f} | 16 |",
            f"| first paint beyond an empty page's, ms | {result['first paint']:.0f} | 300 |",
        ]
    return "\n".join(lines)


def scale_table() -> str:
    """Ways to rank Parquet rows against pandas with scikit-learn, whose time at 10⁸ rows is extrapolated."""
    lines = ["| how | rows | pandas and scikit-learn ÷ thresher | GiB | width of AUC bounds |", "|---|--:|--:|--:|--:|"]
    few, many = 10**7, 10**8
    per_row: dict[tuple[str, int], float] = {}
    base = child("benchmarks.scale", "pandas and scikit-learn", str(few), setting={})
    lines.append(f"| pandas and scikit-learn | {few:,} | 1 | {base['gibibytes']:.2f} | exact |")
    for way in ("in memory", "bounded", "refined", "exact, range by range"):
        for rows in (few, many):
            if (way, rows) in (("in memory", many), ("refined", many)):
                continue
            result = child("benchmarks.scale", way, str(rows), setting={})
            per_row[way, rows] = result["seconds"] / rows
            ratio = base["seconds"] * rows / few / result["seconds"]
            width = f"{result['width']:.1e}" if result["width"] else "exact"
            lines.append(f"| {way} | {rows:,} | {ratio:.1f}× | {result['gibibytes']:.2f} | {width} |")
            print(lines[-1], flush=True)
    grown = [
        f"{per_row[way, many] / per_row[way, few]:.2f} {way}"
        for way, rows in per_row
        if (way, many) in per_row and rows == few
    ]
    return "\n".join(lines) + f"\n\nCost per row at 10⁸ rows ÷ at 10⁷: {', '.join(grown)}."


def command_table() -> str:
    """Commands on 5·10⁷ rows of two models, against reading them and one bounded scan."""
    rows = 5 * 10**7
    results = {way: child("benchmarks.scale", way, str(rows), setting={}) for way in COMMANDS}
    lines = ["| what | ÷ reading | ÷ one bounded scan | GiB |", "|---|--:|--:|--:|"]
    read, counted = (results[way]["seconds"] for way in ("reading", "one bounded scan"))
    for way, result in results.items():
        took = result["seconds"]
        lines.append(f"| {way} | {took / read:.1f}× | {took / counted:.2f}× | {result['gibibytes']:.2f} |")
    return "\n".join(lines)


def spark_table() -> str:
    """The bounded scan against MLlib in one session."""
    lines = [
        "| rows | BinaryClassificationMetrics ÷ scan | its evaluator inside the JVM ÷ scan | width of AUC bounds |",
        "|--:|--:|--:|--:|",
    ]
    for rows in (10**6, 10**7):
        result = child("benchmarks.scale", "spark", str(rows), setting={})
        cells = [
            f"{'' if f'{name} auc' in result else 'more than '}{result[name] / result['seconds']:.1f}×"
            for name in ("mllib", "evaluator")
        ]
        lines.append(f"| {rows:,} | {' | '.join(cells)} | {result['width']:.1e} |")
        print(lines[-1], flush=True)
    return f"{SPARK.format(times=SPARK_LIMIT)}\n\n" + "\n".join(lines)


def watching_table() -> str:
    """Rates, memory and times of a watch in a file."""
    few, many = 10**6, 10**7
    with tempfile.TemporaryDirectory() as folder:
        inserted = {}
        for rows in (few, many):
            place = Path(folder, str(rows))
            place.mkdir()
            child("benchmarks.watching", "write", str(rows), str(place), setting={})
            inserted[rows] = child("benchmarks.watching", "insert", str(rows), str(place), setting={})
    labels = child("benchmarks.watching", "label", "400000", setting={})
    year = child("benchmarks.watching", "year", "274", setting={})
    after = {rows: child("benchmarks.watching", "compacted", str(rows), setting={}) for rows in (10**5, few, many)}

    def line(what: str, value: Callable[[str], float], form: str) -> str:
        return f"| {what} | {value('processor'):{form}} | {value('wall'):{form}} |"

    lines = [
        line("rows inserted a second, text ids, of 10⁶", lambda clock: few / inserted[few][clock], ",.0f"),
        line("the same, of 10⁷", lambda clock: many / inserted[many][clock], ",.0f"),
        line("labels a second, of 4·10⁵", lambda clock: 400_000 / labels[clock], ",.0f"),
        line("check of 365 days, 3 promises, 20 columns, 10⁵ rows, s", lambda clock: year[clock], ".2f"),
        line("check after compacting 10⁵ rows, s", lambda clock: after[10**5][clock], ".3f"),
        line("check after compacting 10⁶ rows ÷ that", lambda clock: after[few][clock] / after[10**5][clock], ".2f"),
        line("check after compacting 10⁷ rows ÷ that", lambda clock: after[many][clock] / after[10**5][clock], ".2f"),
    ]
    memory = inserted[many]["mebibytes"] / inserted[few]["mebibytes"]
    words = f"Inserting 10⁷ rows takes {memory:.2f} times the memory of 10⁶, the check of a year"
    words += f" {year['mebibytes']:.0f} MiB at most."
    return "\n".join(["| what | processor | clock |", "|---|--:|--:|", *lines, "", words])


def growth(setting: dict[str, str]) -> float:
    """The exponent of time against rows, by least squares on logarithms."""
    times = [child("benchmarks.growth", str(rows), setting=setting)["rank"] for rows in GROWTH]
    return float(np.polyfit(np.log(GROWTH), np.log(times), 1)[0])


def importing() -> str:
    """Wall time of `import thresher` and of `thresher --help` over a bare interpreter."""

    def run(code: str) -> float:
        return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), repeat=7)

    bare, with_numpy, with_thresher = run("pass"), run("import numpy"), run("import thresher")
    used = run("import thresher; thresher.evaluate")
    usual, helping = median_seconds("-c", "pass"), median_seconds("-m", "thresher", "--help")
    return (
        f"`import thresher` takes {with_thresher - bare:.2f} s over a bare interpreter, for it loads nothing; "
        f"taking `thresher.evaluate` from it {used - bare:.2f} s, of which NumPy {with_numpy - bare:.2f} s.\n\n"
        f"`thresher --help` takes {helping - usual:.2f} s over a bare interpreter: "
        f"medians of {PROCESSES} processes."
    )


def median_seconds(*arguments: str) -> float:
    """The median wall time of several processes of this interpreter: what one who types a command waits for."""
    command = [sys.executable, *arguments]
    return median(
        seconds(lambda: subprocess.run(command, check=True, capture_output=True), repeat=1) for _ in range(PROCESSES)
    )


def wide_vectors_hurt() -> dict[str, str]:
    """The setting that switches AVX-512 off, if NumPy sorts at least 1.5 times faster without it."""
    result = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    wide = [name for name in result if name.startswith("AVX512") or name == "X86_V4"]
    if not wide:
        return {}
    setting = {"NPY_DISABLE_CPU_FEATURES": " ".join(wide)}
    with_them, without = (child("benchmarks.growth", "3000000", setting=each)["sort"] for each in ({}, setting))
    return setting if with_them > 1.5 * without else {}


def child(module: str, *arguments: str, setting: dict[str, str]) -> dict[str, Any]:
    """A module's measurements in a process of its own, so that nothing is warm but the file cache."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, **setting},
        check=True,
        capture_output=True,
        text=True,
    )
    return {name: value for name, value in json.loads(done.stdout).items() if not math.isnan(value)}


def versions() -> str:
    import scipy
    import sklearn

    return (
        f"Python {sys.version.split()[0]}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}, {os.cpu_count()} processors."
    )


RESAMPLES = "2,000 resamples of AUC, cost and threshold, 10⁵ rows: scikit-learn row by row ÷ thresher"

EXACTLY = "best 50 of 10,000 features by J exactly, 10⁴ rows, one pass included ÷ that pass"
SEQUENTIALLY = "forward search, 6 of 60 features, 2,000 rows: scikit-learn's sequential selector ÷ thresher"
SCANS = """Parquet rows of a label and a float64 score, all distinct; each way in a process of its own, imports and all.
GiB is the most memory the process held, the embedded engine included. Range by range, the thinned curve and the
decision are timed with the AUC."""
COMMAND_LINES = """5·10⁷ Parquet rows of a label and the float64 scores of two models; each way in a process of its own,
imports and all. GiB is the most memory the process held. A threshold that is looked for is resampled from the
counts, which takes as long for any number of rows."""
SPARK = """Ibis to Spark, local[2]: MLlib and the bounded scan, each once in one session after a first look at the rows.
MLlib is cancelled after {times:.0f} times the time of the scan: the ratio is then more than what is shown."""

WATCHES = """One SQLite file, synchronous at each commit of 50,000 rows; every measurement in a process of its own.
Rates and seconds are of this machine, unlike all other figures here: of one processor, and by the clock."""

INTRODUCTION = """# Benchmarks

Written by `make bench`; `python -m benchmarks rankings page` measures some sections again.
Every figure is a ratio within one run of its section: same data, same machine, best of several.
*Sort* is `np.sort`, and *everything* is AUC, DeLong placements, ROC, PR, average precision, Brier score and its
decomposition, isotonic map, cheapest threshold and the table at it; scikit-learn computes the same except
placements."""

WIDE_VECTORS = """NumPy's vectorised sort is much slower with AVX-512 than without on this processor (as on AMD Zen 4,
whose compress-to-memory instructions are slow), and sorting is most of what a ranking costs. So the figures
are given twice: as NumPy comes, and with `NPY_DISABLE_CPU_FEATURES="{features}"` set for both sides."""

SECTIONS: dict[str, tuple[str, Callable[[Settings], str]]] = {
    "rankings": ("Rankings and the numbers read off them", rankings),
    "inference": ("How sure", lambda settings: with_every(settings, inference_table)),
    "features": ("Features", lambda settings: with_every(settings, features_table)),
    "page": ("The page", lambda _: page_table()),
    "scans": ("Scans", lambda _: f"{SCANS}\n\n{scale_table()}"),
    "commands": ("Commands", lambda _: f"{COMMAND_LINES}\n\n{command_table()}"),
    "spark": ("Spark", lambda _: spark_table()),
    "watching": ("A watch", lambda _: f"{WATCHES}\n\n{watching_table()}"),
    "importing": ("Importing", lambda _: importing()),
}

if __name__ == "__main__":
    main()
