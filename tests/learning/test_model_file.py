"""Models survive files, strangers are refused, and nothing half-written is left."""

import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

import thresher as th
from thresher.learning import (
    CalibratedModel,
    GroupedModel,
    LeafTree,
    ThresholdClassifier,
    column_types,
    preparation,
    read_model,
    write_model,
    zoo,
)
from thresher.learning.model_file import TRUSTED

RNG = np.random.default_rng(0)
LABELS = RNG.random(120) < 0.4
TABLE = pd.DataFrame(
    {"age": RNG.normal(size=120) + LABELS, "town": np.where(RNG.random(120) < 0.5 + 0.3 * LABELS, "Oslo", "Rome")}
)
COLUMNS = column_types(TABLE)


class Stranger(BaseEstimator):  # type: ignore[misc]
    pass


@pytest.mark.parametrize("name", zoo())
def test_every_model_of_the_zoo_comes_back(name, tmp_path):
    pipeline = Pipeline([("prepare", preparation(COLUMNS)), ("model", zoo()[name])])
    model = CalibratedModel(pipeline, method="platt", cv=2).fit(TABLE, LABELS)
    again = read_model(write_model(model, tmp_path / "model.skops"))
    np.testing.assert_array_equal(again.predict_proba(TABLE), model.predict_proba(TABLE))


@pytest.mark.parametrize(
    "model",
    [
        CalibratedModel(LogisticRegression(), smoothing=th.MEstimate(m=2, prior=0.5)),
        GroupedModel(LogisticRegression(), boundaries=[0.3, 0.6], smoothing="laplace"),
        ThresholdClassifier(LogisticRegression(), th.OperatingCondition(cost_ratio=3)),
        LeafTree(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_wrappers_come_back(model, tmp_path):
    numbers = TABLE[["age"]]
    again = read_model(write_model(model.fit(numbers, LABELS), tmp_path / "model.skops"))
    np.testing.assert_array_equal(again.predict(numbers), model.predict(numbers))


def test_unknown_types_are_refused_by_name(tmp_path):
    file = write_model(Stranger(), tmp_path / "model.skops")
    with pytest.raises(th.ArgumentError, match=r"not known to be harmless: .*Stranger"):
        read_model(file)
    assert isinstance(read_model(file, trusted=[f"{Stranger.__module__}.Stranger"]), Stranger)


def test_trusted_names_exist():
    from importlib import import_module

    for name in TRUSTED:
        module, _, thing = name.rpartition(".")
        if find_spec(module.partition(".")[0]) is None:
            assert module.partition(".")[0] in ("lightgbm", "xgboost")
            continue
        assert hasattr(import_module(module), thing), name


def test_a_package_that_is_not_installed_is_named(tmp_path, monkeypatch):
    file = write_model(Stranger(), tmp_path / "model.skops")
    mine = f"{Stranger.__module__}.Stranger"
    monkeypatch.setattr("thresher.learning.model_file.find_spec", lambda _: None)
    with pytest.raises(th.MissingExtraError, match=r"needs the package tests, which is not installed"):
        read_model(file, trusted=[mine])


def test_what_is_no_model_is_refused(tmp_path):
    (tmp_path / "text").write_text("spam")
    with zipfile.ZipFile(tmp_path / "zip", "w") as archive:
        archive.writestr("spam", "ham")
    for name in ("text", "zip"):
        with pytest.raises(th.NotationError, match="no model in skops format"):
            read_model(tmp_path / name)
    with pytest.raises(th.ArgumentError, match="no file"):
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
