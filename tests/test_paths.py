"""How many functions of thresher a call walks through: a reader can follow it, or not."""

import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import thresher as th

SOURCE = str(Path(th.__file__).parent)


def functions_walked(call):
    """Distinct functions and methods of thresher that a call enters, comprehensions and module bodies left out."""
    walked = set()

    def enter(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(SOURCE) and not code.co_name.startswith("<"):
            walked.add((code.co_filename, code.co_firstlineno))

    call()  # so that nothing is imported on the way
    threading.setprofile(enter)
    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return walked


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    labels = rng.random(2_000) < 0.3
    return labels, np.round(rng.random(2_000) * 0.6 + labels * 0.3, 3)


def test_a_ranking_is_few_functions_away(rows):
    labels, scores = rows
    assert len(functions_walked(lambda: th.rank(labels.astype(int), scores))) <= 31


@pytest.mark.parametrize("options", [{}, {"where": {"part": [1, 2]}}, {"exact": False}], ids=str)
def test_a_scan_of_parquet_can_be_followed(rows, tmp_path, options):
    import pyarrow as pa
    import pyarrow.parquet as pq

    labels, scores = rows
    table = pa.table({"y": labels, "p": scores, "part": np.arange(labels.size) % 3})
    pq.write_table(table, tmp_path / "rows.parquet")
    path = str(tmp_path / "rows.parquet")
    assert len(functions_walked(lambda: th.scan(path, label="y", score="p", **options))) <= 80


def test_an_evaluation_can_be_followed(rows):
    labels, scores = rows
    models = {"a": scores, "b": np.round(scores + np.random.default_rng(1).normal(0, 0.1, scores.size), 3).clip(0, 1)}
    condition = th.OperatingCondition(cost_ratio=2)
    assert len(functions_walked(lambda: th.evaluate(labels.astype(int), models, condition=condition))) <= 300
