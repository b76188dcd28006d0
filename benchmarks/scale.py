"""Scans against pandas with scikit-learn and against Spark MLlib: one way and one size per process, JSON out.

Rows are Parquet with a label and a float64 score, all distinct, as many files as there are ten millions of rows. Those
of commands have two models, whose scores go together.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

ROWS_PER_FILE = 10**7
FOLDER = Path(os.environ.get("THRESHER_BENCH", tempfile.gettempdir())) / "thresher-bench"
GIB = 2**30
SPARK_LIMIT = 20.0  # times as long as the scan took


def written(rows: int, *, models: int = 1) -> Path:
    """A folder of this many rows, made when it is not there yet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = FOLDER / (str(rows) if models == 1 else f"{rows} of {models} models")
    folder.mkdir(parents=True, exist_ok=True)
    for number, start in enumerate(range(0, rows, ROWS_PER_FILE)):
        path = folder / f"{number:03d}.parquet"
        if path.exists():
            continue
        rng = np.random.default_rng([7, number])
        size = min(ROWS_PER_FILE, rows - start)
        labels = (rng.random(size) < 0.3).astype(np.int8)
        noise = rng.normal(size=size)
        columns = {"y": labels, "p": 1 / (1 + np.exp(-noise - 1.2 * labels + 1))}
        if models > 1:
            columns["q"] = 1 / (1 + np.exp(-0.7 * noise - 0.7 * rng.normal(size=size) - labels + 1))
        draft = path.with_suffix(".draft")
        pq.write_table(pa.table(columns), draft, use_dictionary=["y"])
        draft.replace(path)
    return folder


def baseline(folder: Path) -> dict[str, float]:
    """What most people do: all rows into pandas, the AUC from scikit-learn."""
    import pandas as pd
    from sklearn.metrics import roc_auc_score

    rows = pd.read_parquet(folder)
    return {"auc": float(roc_auc_score(rows["y"], rows["p"]))}


def scanned(source: Any, **how: Any) -> dict[str, float]:
    """The AUC and between which bounds it lies, which is what the others give; the rest is not timed."""
    import thresher as th

    start = time.perf_counter()
    ranking = th.scan(source() if callable(source) else source, label="y", score="p", **how)
    result = {"auc": th.auc(ranking), "width": th.bounds(ranking, "auc").width}
    return result | {"seconds": time.perf_counter() - start, **decided(ranking)}


def exactly(source: Any) -> dict[str, float]:
    """The exact AUC, the curve and the decision, as on a machine that the rows do not fit."""
    import thresher as th

    setattr(import_module("thresher.sources.scan"), "memory_budget", lambda: 0)  # noqa: B010 - as a test would
    start = time.perf_counter()
    ranking = th.scan(source, label="y", score="p", exact=True)
    result = {"auc": th.auc(ranking), "width": th.bounds(ranking, "auc").width} | decided(ranking)
    return result | {"seconds": time.perf_counter() - start}


def decided(ranking: Any) -> dict[str, float]:
    import thresher as th

    cost = th.bounds(ranking, "expected_cost", condition=th.OperatingCondition(cost_ratio=5))
    return {"cost width": cost.width, "points": float(len(th.curves.thin(ranking).split))}


def frame(folder: Path) -> Any:
    """All rows as an Arrow table."""
    import pyarrow.parquet as pq

    return pq.read_table(folder)


def reading(folder: Path) -> dict[str, float]:
    """All batches of both models, read and left."""
    import pyarrow.dataset as ds

    options = ds.ParquetFragmentScanOptions(pre_buffer=False)
    scanner = ds.dataset(folder, format="parquet").scanner(fragment_scan_options=options)
    return {"rows": float(sum(batch.num_rows for batch in scanner.to_batches()))}


def counting(folder: Path) -> dict[str, float]:
    """One bounded scan of both models."""
    import thresher as th

    return {"models": float(len(th.scan(folder, label="y", score=["p", "q"], exact=False)))}


def command(*words: str) -> Callable[[Path], dict[str, float]]:
    """A command line in a process of its own, with its largest memory."""

    def run(folder: Path) -> dict[str, float]:
        columns = ("--label", "y", "--score", "p", "--score", "q")
        line = [sys.executable, "-m", "thresher", words[0], str(folder), *columns, *words[1:]]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
        return {"gibibytes": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / GIB}

    return run


def spark_session() -> Any:
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "9g")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    return session


def by_spark(folder: Path) -> dict[str, float]:
    """The bounded scan and MLlib's metrics in the same session, each once, after a first look at the rows.

    MLlib is asked in two ways: as its Python class takes rows, and by the evaluator that calls it inside the JVM. What
    takes `SPARK_LIMIT` times as long as the scan is cancelled there, and the ratio is at least what is found.
    """
    import ibis  # noqa: F401 - imports are not timed on either side
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.mllib.evaluation import BinaryClassificationMetrics

    import thresher as th

    session = spark_session()
    rows = session.read.parquet(str(folder))
    rows.count()
    start = time.perf_counter()
    ranking = th.scan(rows, label="y", score="p", exact=False, refine=False)
    result = {"seconds": time.perf_counter() - start, "width": th.bounds(ranking, "auc").width}
    evaluator = BinaryClassificationEvaluator(rawPredictionCol="p", labelCol="y", numBins=0)
    pairs = rows.rdd.map(lambda row: (float(row[1]), float(row[0])))
    ways: dict[str, Callable[[], float]] = {
        "evaluator": lambda: evaluator.evaluate(rows),
        "mllib": lambda: BinaryClassificationMetrics(pairs).areaUnderROC,
    }
    for name, way in ways.items():
        took, area = within(SPARK_LIMIT * result["seconds"], session, way)
        result |= {name: took, f"{name} auc": area}
    session.stop()
    return result


def within(limit: float, session: Any, work: Callable[[], float]) -> tuple[float, float]:
    """Seconds and result of a Spark job; the limit and NaN where it was cancelled for taking longer."""
    late = threading.Timer(limit, session.sparkContext.cancelAllJobs)
    late.start()
    start = time.perf_counter()
    try:
        result = float(work())
    except Exception:
        if time.perf_counter() - start < limit:
            raise
        return limit, float("nan")
    finally:
        late.cancel()
    return time.perf_counter() - start, result


WAYS: dict[str, Callable[[Path], dict[str, float]]] = {
    "pandas and scikit-learn": baseline,
    "in memory": lambda folder: scanned(lambda: frame(folder)),
    "bounded": lambda folder: scanned(folder, exact=False, refine=False),
    "refined": lambda folder: scanned(folder, exact=False),
    "exact, range by range": exactly,
    "spark": by_spark,
}

# Ways to read two models: what commands take is compared with what it takes to read and to count.
REQUIRED = ("--require", "auc >= 0.7", "--require", "q:brier <= 0.3", "--require", "recall@threshold=0.5 >= 0.3")
COMMANDS: dict[str, Callable[[Path], dict[str, float]]] = {
    "reading": reading,
    "one bounded scan": counting,
    "gate": command("gate", *REQUIRED),
    "gate, a threshold looked for": command("gate", *REQUIRED, "--require", "recall@fpr<=0.05 >= 0.2"),
    "evaluate --no-paired": command("evaluate", "--no-paired"),
}


if __name__ == "__main__":
    _, way, rows = sys.argv
    place = written(int(rows), models=2 if way in COMMANDS else 1)
    start = time.perf_counter()
    result = (WAYS | COMMANDS)[way](place)
    result.setdefault("seconds", time.perf_counter() - start)
    if "gibibytes" not in result:
        result["gibibytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / GIB
    print(json.dumps(result))
