"""Equal models give equal bytes, and what is renamed is still the same model."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import skops.io
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer

from thresher.learning.steady_archive import steady

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] > 0


def test_objects_files_and_times_are_numbered_as_they_come():
    model = HistGradientBoostingClassifier(max_iter=3, early_stopping=False).fit(X, Y)
    whole = steady(skops.io.dumps(model))
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        names = archive.namelist()
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert [int(Path(name).stem) for name in names[:-1]] == list(range(len(names) - 1))
        text = archive.read("schema.json").decode()
    assert '"__id__": 0' in text
    known = skops.io.get_untrusted_types(data=whole)
    again = skops.io.loads(whole, trusted=known)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_what_a_model_calls_file_or_id_stays():
    held = {"file": "0.npy", "__id__": 5, "numbers": np.arange(3), "again": [b"bytes", {"file": np.zeros(2)}]}
    found = skops.io.loads(steady(skops.io.dumps(held)))
    assert found["file"] == "0.npy"
    assert found["__id__"] == 5
    np.testing.assert_array_equal(found["numbers"], np.arange(3))
    assert found["again"][0] == b"bytes"
    np.testing.assert_array_equal(found["again"][1]["file"], np.zeros(2))


def test_a_vectoriser_forgets_where_its_stop_words_lay():
    words = ["cheap pills", "dear friend"]
    model = TfidfVectorizer(stop_words=["dear"]).fit(words)
    whole = steady(skops.io.dumps(model))
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        assert "_stop_words_id" not in json.dumps(json.loads(archive.read("schema.json")))
    again = skops.io.loads(whole, trusted=skops.io.get_untrusted_types(data=whole))
    np.testing.assert_array_equal(again.transform(words).toarray(), model.transform(words).toarray())


_PROGRAM = """
import hashlib, sys
import pandas as pd
from thresher.learning import CalibratedModel, column_types, preparation, zoo
from thresher.learning.steady_archive import steady
from sklearn.pipeline import make_pipeline
import skops.io
table = pd.DataFrame({"age": range(40), "town": ["Oslo", "Rome", "Bern", "Oslo"] * 10})
table["note"] = [f"{'cheap pills' if i % 3 else 'dear friend'} number {i} of forty" for i in range(40)]
prepare = preparation(column_types(table, types={"note": "text"}))
model = CalibratedModel(make_pipeline(prepare, zoo()["tree"]), cv=2).fit(table, [i % 5 < 2 for i in range(40)])
sys.stdout.write(hashlib.sha256(steady(skops.io.dumps(model))).hexdigest())
"""


def test_other_processes_write_the_same_bytes():
    digests = {
        subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-c", _PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1
    assert len(digests.pop()) == 64
