"""A folder holds the same model, decision and scores that `learn` found, and nothing unknown is loaded from it."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

import thresher as th
from thresher.learning import (
    CalibratedModel,
    column_types,
    preparation,
    read_learned,
    read_model,
    write_learned,
    write_model,
    zoo,
)
from thresher.learning.folder import FILES

RNG = np.random.default_rng(5)
LABEL = RNG.random(150) < 0.4
TABLE = pd.DataFrame(
    {
        "age": np.where(RNG.random(150) < 0.1, np.nan, RNG.normal(40, 10, 150) + 9 * LABEL),
        "town": RNG.choice(["Oslo", "Rome", "Bern"], 150),
        "many": [f"c{i}" for i in RNG.integers(0, 40, 150)],
        "size": RNG.choice(["S", "M", "L"], 150),
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 300, 150), unit="D"),
        "note": [" ".join(RNG.choice(["cheap", "pills", "dear", "friend"], 5)) + f" {i}" for i in range(150)],
        "vip": RNG.random(150) < 0.5,
        "ill": LABEL,
    }
)
ORDERS = {"size": ["S", "M", "L"]}


@pytest.fixture(scope="module")
def found():
    return th.learn(TABLE, "ill", models=["naive bayes"], folds=3, orders=ORDERS, curves=False)


@pytest.fixture(scope="module")
def written(found, tmp_path_factory):
    return write_learned(found, TABLE, tmp_path_factory.mktemp("home") / "out", title="Ill")


def test_the_round_trip_keeps_every_call(found, written):
    deployed = read_learned(written)
    assert deployed.decision == found.decision
    np.testing.assert_array_equal(deployed.probabilities(TABLE), found.probabilities(TABLE))
    np.testing.assert_array_equal(deployed.calls(TABLE), found.calls(TABLE))
    assert deployed.labels == (False, True)
    assert set(deployed.named(deployed.calls(TABLE))) <= {True, False}


def test_rows_of_text_are_scored_alike(found, written):
    texts = TABLE.drop(columns="ill").astype(object).map(lambda value: None if pd.isna(value) else str(value))
    np.testing.assert_allclose(read_learned(written).probabilities(texts), found.probabilities(TABLE), rtol=1e-12)


def test_the_target_may_be_absent_and_strangers_are_told(written):
    _, remarks = read_learned(written).scored(TABLE.drop(columns="ill").assign(shoe=41))
    assert remarks.unused == ("shoe",)
    assert not remarks.gaps
    assert not remarks.unseen


def test_a_folder_that_is_not_whole_is_refused(written, tmp_path):
    with pytest.raises(th.ArgumentError, match="there is no folder"):
        read_learned(tmp_path / "absent")
    for name in FILES[:3]:
        (tmp_path / name).write_bytes((written / name).read_bytes())
    plain = json.loads((tmp_path / "columns.json").read_text())
    for damage in ({"format": "other"}, {"labels": ["one"]}, {"columns": [{"name": "age"}]}, {"known": None}):
        (tmp_path / "columns.json").write_text(json.dumps(plain | damage))
        with pytest.raises(th.NotationError, match="is damaged"):
            read_learned(tmp_path)
    (tmp_path / "decision.json").unlink()
    with pytest.raises(th.ArgumentError, match=r"lacks decision\.json"):
        read_learned(tmp_path)


def test_the_same_rows_give_the_same_bytes(found, written, tmp_path):
    again = write_learned(found, TABLE, tmp_path / "out", title="Ill")
    for name in FILES:
        assert (again / name).read_bytes() == (written / name).read_bytes(), name


@pytest.mark.parametrize("name", list(zoo()))
def test_every_model_of_the_zoo_is_read_back(tmp_path, name):
    columns = column_types(TABLE, target="ill", orders=ORDERS)
    steps = Pipeline([("prepare", preparation(columns)), ("model", zoo()[name])])
    model = CalibratedModel(steps, cv=StratifiedKFold(2, shuffle=True, random_state=0)).fit(TABLE[columns.used], LABEL)
    again = read_model(write_model(model, tmp_path / "model.skops"))
    rows = TABLE[columns.used]
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
