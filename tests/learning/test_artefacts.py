"""Tests of artefacts."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline

import thresher as th
from thresher.learning import (
    CalibratedModel,
    CostSensitiveClassifier,
    GroupedModel,
    LeafTree,
    Outliers,
    candidate_models,
    column_types,
    preparation,
    read_learned,
    read_model,
    write_learned,
    write_model,
)
from thresher.learning.artefacts import FILES
from thresher.learning.model_file import TRUSTED, reproducible_zip

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] > 0


def test_objects_files_and_times_are_numbered_as_they_come():
    model = HistGradientBoostingClassifier(max_iter=3, early_stopping=False).fit(X, Y)
    content = reproducible_zip(skops.io.dumps(model))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert [int(Path(name).stem) for name in names[:-1]] == list(range(len(names) - 1))
        text = archive.read("schema.json").decode()
    assert "__id__" not in text
    known = skops.io.get_untrusted_types(data=content)
    again = skops.io.loads(content, trusted=known)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_what_a_model_calls_file_or_id_stays():
    held = {"file": "0.npy", "__id__": 5, "numbers": np.arange(3), "again": [b"bytes", {"file": np.zeros(2)}]}
    result = skops.io.loads(reproducible_zip(skops.io.dumps(held)))
    assert result["file"] == "0.npy"
    assert result["__id__"] == 5
    np.testing.assert_array_equal(result["numbers"], np.arange(3))
    assert result["again"][0] == b"bytes"
    np.testing.assert_array_equal(result["again"][1]["file"], np.zeros(2))


def test_a_vectoriser_forgets_where_its_stop_words_lay():
    words = ["cheap pills", "dear friend"]
    model = TfidfVectorizer(stop_words=["dear"]).fit(words)
    content = reproducible_zip(skops.io.dumps(model))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert "_stop_words_id" not in json.dumps(json.loads(archive.read("schema.json")))
    again = skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))
    np.testing.assert_array_equal(again.transform(words).toarray(), model.transform(words).toarray())


_PROGRAM = """
import hashlib, sys
import pandas as pd
from thresher.learning import CalibratedModel, candidate_models, column_types, preparation
from thresher.learning.model_file import reproducible_zip
from sklearn.pipeline import make_pipeline
import skops.io
table = pd.DataFrame({"age": range(40), "town": ["Oslo", "Rome", "Bern", "Oslo"] * 10})
table["note"] = [f"{'cheap pills' if i % 3 else 'dear friend'} number {i} of forty" for i in range(40)]
prepare = preparation(column_types(table, types={"note": "text"}))
steps = make_pipeline(prepare, candidate_models()["tree"])
model = CalibratedModel(steps, cv=2).fit(table, [i % 5 < 2 for i in range(40)])
sys.stdout.write(hashlib.sha256(reproducible_zip(skops.io.dumps(model))).hexdigest())
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


LABELS = RNG.random(120) < 0.4
TABLE = pd.DataFrame(
    {"age": RNG.normal(size=120) + LABELS, "town": np.where(RNG.random(120) < 0.5 + 0.3 * LABELS, "Oslo", "Rome")}
)
COLUMNS = column_types(TABLE)


class Stranger(BaseEstimator):  # type: ignore[misc]
    pass


@pytest.mark.parametrize("name", candidate_models())
def test_every_candidate_comes_back(name, tmp_path):
    pipeline = Pipeline([("prepare", preparation(COLUMNS)), ("model", candidate_models()[name])])
    model = CalibratedModel(pipeline, method="platt", cv=2).fit(TABLE, LABELS)
    again = read_model(write_model(model, tmp_path / "model.skops"))
    np.testing.assert_array_equal(again.predict_proba(TABLE), model.predict_proba(TABLE))


@pytest.mark.parametrize(
    "model",
    [
        CalibratedModel(LogisticRegression(), smoothing=th.calibration.MEstimate(m=2, prior=0.5)),
        GroupedModel(LogisticRegression(), boundaries=[0.3, 0.6], smoothing="laplace"),
        CostSensitiveClassifier(LogisticRegression(), th.OperatingCondition(cost_ratio=3)),
        CostSensitiveClassifier(LogisticRegression(), th.OperatingCondition(cost_ratio=3), fit_weights=True),
        LeafTree(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_wrappers_come_back(model, tmp_path):
    numbers = TABLE[["age"]]
    again = read_model(write_model(model.fit(numbers, LABELS), tmp_path / "model.skops"))
    np.testing.assert_array_equal(again.predict(numbers), model.predict(numbers))


@pytest.mark.parametrize(
    "model",
    [
        *(CalibratedModel(GaussianNB(), method=name) for name in ("isotonic", "temperature", "auto")),
        CostSensitiveClassifier(GaussianNB(), th.OperatingCondition(costs=th.CostMatrix.by_class({2: 5}, range(3)))),
        CostSensitiveClassifier(GaussianNB(), fit_weights=True),
    ],
    ids=lambda model: getattr(model, "method", "costs"),
)
def test_wrappers_of_several_classes_come_back(model, tmp_path):
    X, y = load_iris(return_X_y=True)
    path = write_model(model.fit(X, y), tmp_path / "model.skops")
    again = read_model(path)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert write_model(again, tmp_path / "again.skops").read_bytes() == path.read_bytes()


def test_fences_of_outliers_are_trusted(tmp_path):
    rows = pd.DataFrame({"age": [31.0, 25, 40, 38, 900], "town": ["Oslo", "Rome"] * 2 + ["Oslo"]})
    model = preparation(column_types(rows), outliers=Outliers("robust_z")).fit(rows)
    again = read_model(write_model(model, tmp_path / "model.skops"))
    pd.testing.assert_frame_equal(again.transform(rows), model.transform(rows))


def test_unknown_types_are_refused_by_name(tmp_path):
    file = write_model(Stranger(), tmp_path / "model.skops")
    with pytest.raises(th.errors.ArgumentError, match=r"not known to be harmless: .*Stranger"):
        read_model(file)
    assert isinstance(read_model(file, trusted=[f"{Stranger.__module__}.Stranger"]), Stranger)


def test_trusted_names_exist():
    from importlib import import_module

    for name in set().union(*TRUSTED.values()):
        module, _, thing = name.rpartition(".")
        assert hasattr(import_module(module), thing), name


def test_a_package_that_is_not_installed_is_named(tmp_path, monkeypatch):
    file = write_model(Stranger(), tmp_path / "model.skops")
    name = f"{Stranger.__module__}.Stranger"
    monkeypatch.setattr("thresher.learning.model_file.find_spec", lambda _: None)
    with pytest.raises(th.errors.MissingExtraError, match=r"needs the package tests, which is not installed"):
        read_model(file, trusted=[name])


def test_what_is_no_model_is_refused(tmp_path):
    (tmp_path / "text").write_text("spam")
    with zipfile.ZipFile(tmp_path / "zip", "w") as archive:
        archive.writestr("spam", "ham")
    for name in ("text", "zip"):
        with pytest.raises(th.errors.NotationError, match="no model as write_model writes it"):
            read_model(tmp_path / name)
    with pytest.raises(th.errors.SourceError, match="no file"):
        read_model(tmp_path / "absent")


def test_a_failed_write_leaves_what_was_there(tmp_path, monkeypatch):
    file = write_model(LogisticRegression(), tmp_path / "model.skops")
    before = file.read_bytes()

    def failing(path, content):
        with path.open("wb") as half:
            half.write(content[:10])
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", failing)
    with pytest.raises(KeyboardInterrupt):
        write_model(Stranger(), file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["model.skops"]


def test_the_same_rows_give_the_same_bytes(tmp_path):
    one, other = (
        write_model(LeafTree().fit(TABLE[["age"]], LABELS), tmp_path / name).read_bytes() for name in ("one", "other")
    )
    assert one == other


VISITS_RNG = np.random.default_rng(5)
LABEL = VISITS_RNG.random(150) < 0.4
VISITS = pd.DataFrame(
    {
        "age": np.where(VISITS_RNG.random(150) < 0.1, np.nan, VISITS_RNG.normal(40, 10, 150) + 9 * LABEL),
        "town": VISITS_RNG.choice(["Oslo", "Rome", "Bern"], 150),
        "many": [f"c{i}" for i in VISITS_RNG.integers(0, 40, 150)],
        "size": VISITS_RNG.choice(["S", "M", "L"], 150),
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(VISITS_RNG.integers(0, 300, 150), unit="D"),
        "note": [" ".join(VISITS_RNG.choice(["cheap", "pills", "dear", "friend"], 5)) + f" {i}" for i in range(150)],
        "vip": VISITS_RNG.random(150) < 0.5,
        "ill": LABEL,
    }
)
ORDERS = {"size": ["S", "M", "L"]}


@pytest.fixture(scope="module")
def result():
    return th.learn(VISITS, "ill", models=["naive bayes"], folds=3, orders=ORDERS, curves=False)


@pytest.fixture(scope="module")
def written(result, tmp_path_factory):
    return write_learned(result, VISITS, tmp_path_factory.mktemp("home") / "out", title="Ill")


def test_the_round_trip_keeps_every_call(result, written):
    deployed = read_learned(written)
    assert deployed.decision == result.decision
    np.testing.assert_array_equal(deployed.probabilities(VISITS), result.probabilities(VISITS))
    np.testing.assert_array_equal(deployed.calls(VISITS), result.calls(VISITS))
    assert deployed.labels == (False, True)
    assert set(deployed.named(deployed.calls(VISITS))) <= {True, False}


def test_rows_of_text_are_scored_alike(result, written):
    texts = VISITS.drop(columns="ill").astype(object).map(lambda value: None if pd.isna(value) else str(value))
    np.testing.assert_allclose(read_learned(written).probabilities(texts), result.probabilities(VISITS), rtol=1e-12)


def test_the_target_may_be_absent_and_unknown_columns_are_named(written):
    _, remarks = read_learned(written).scored(VISITS.drop(columns="ill").assign(shoe=41))
    assert remarks.unused == ("shoe",)
    assert not remarks.gaps
    assert not remarks.unseen


def test_a_folder_that_lacks_files_is_refused(written, tmp_path):
    with pytest.raises(th.errors.ArgumentError, match="there is no folder"):
        read_learned(tmp_path / "absent")
    for name in FILES[:3]:
        (tmp_path / name).write_bytes((written / name).read_bytes())
    plain = json.loads((tmp_path / "columns.json").read_text())
    for damage in ({"format": "other"}, {"labels": ["one"]}, {"columns": [{"name": "age"}]}, {"known": None}):
        (tmp_path / "columns.json").write_text(json.dumps(plain | damage))
        with pytest.raises(th.errors.NotationError, match="is damaged"):
            read_learned(tmp_path)
    (tmp_path / "decision.json").unlink()
    with pytest.raises(th.errors.ArgumentError, match=r"lacks decision\.json"):
        read_learned(tmp_path)


def test_the_same_rows_give_the_same_bytes_folder(result, written, tmp_path):
    again = write_learned(result, VISITS, tmp_path / "out", title="Ill")
    for name in FILES:
        assert (again / name).read_bytes() == (written / name).read_bytes(), name


@pytest.mark.parametrize("name", list(candidate_models()))
def test_every_model_of_the_zoo_is_read_back(tmp_path, name):
    columns = column_types(VISITS, target="ill", orders=ORDERS)
    steps = Pipeline([("prepare", preparation(columns)), ("model", candidate_models()[name])])
    model = CalibratedModel(steps, cv=StratifiedKFold(2, shuffle=True, random_state=0)).fit(VISITS[columns.used], LABEL)
    again = read_model(write_model(model, tmp_path / "model.skops"))
    rows = VISITS[columns.used]
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
