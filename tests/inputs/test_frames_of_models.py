"""A frame of models is taken wherever a mapping of models is."""

from __future__ import annotations

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import thresher as th
from tests.inference import class_examples

LABELS = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]
MODELS = {
    "tree": [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13],
    "logit": [0.8, 0.9, 0.2, 0.7, 0.6, 0.1, 0.5, 0.2, 0.4, 0.3],
}
FRAMES = [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table, lambda models: nw.from_native(pl.DataFrame(models))]
SEVERAL = pytest.mark.parametrize("frame", FRAMES)


@SEVERAL
def test_a_frame_gives_what_a_mapping_gives(frame):
    models = frame(MODELS)
    evaluation = th.evaluate(LABELS, MODELS, replicates=20)
    assert th.evaluate(LABELS, models, replicates=20).to_dict() == evaluation.to_dict()
    assert str(th.compare(LABELS, models)) == str(th.compare(LABELS, MODELS))
    assert th.inference.ScoredRows.of(LABELS, models).models == ("tree", "logit")
    decision = evaluation.decision
    np.testing.assert_array_equal(decision.apply(models), decision.apply(MODELS[decision.model]))


@SEVERAL
def test_predictions_come_as_a_frame_too(frame):
    predictions = {name: [int(score >= 0.5) for score in scores] for name, scores in MODELS.items()}
    actual = th.evaluate(LABELS, frame(MODELS), predictions=frame(predictions), replicates=20)
    assert actual["tree"].predictions == th.contingency(LABELS, predictions["tree"])


def test_a_single_column_names_its_model():
    assert list(th.evaluate(LABELS, pd.DataFrame({"tree": MODELS["tree"]})).models) == ["tree"]


def test_rows_are_never_aligned_in_silence():
    labels, models = pd.Series(LABELS), pd.DataFrame(MODELS)
    with pytest.raises(th.errors.LengthError, match="carry different row ids"):
        th.evaluate(labels, models.iloc[::-1])
    with pytest.raises(th.errors.LengthError, match="carry different row ids"):
        th.compare(labels, models.sort_values("logit"))


@SEVERAL
def test_what_is_no_number_is_refused_by_its_column(frame):
    models = frame({**MODELS, "town": list("abcdefghij")})
    for call in (th.evaluate, th.compare, th.inference.ScoredRows.of):
        with pytest.raises(th.errors.ScoreError, match="scores of 'town'"):
            call(LABELS, models)


def test_names_are_texts_and_occur_once():
    numbered = pd.DataFrame(np.array(list(MODELS.values())).T)
    with pytest.raises(th.errors.ArgumentError, match="models are named by text"):
        th.evaluate(LABELS, numbered)
    twice = pd.DataFrame(numbered.to_numpy(), columns=["tree", "tree"])
    with pytest.raises(th.errors.ColumnError, match="2 columns called 'tree'"):
        th.compare(LABELS, twice)


@SEVERAL
def test_a_decision_needs_its_models_column(frame):
    decision = th.evaluate(LABELS, {"tree": MODELS["tree"]}, replicates=20).decision
    with pytest.raises(th.errors.ArgumentError, match="no scores of the model 'tree' among 'logit'"):
        decision.apply(frame({"logit": MODELS["logit"]}))


ANIMALS = ["cat", "dog", "cow"] * 4
COLUMNS = {"dog": [0.1, 0.8, 0.1] * 4, "cat": [0.8, 0.1, 0.1] * 4, "cow": [0.1, 0.1, 0.8] * 4}
EAGER = pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])


@EAGER
def test_a_frame_of_probabilities_names_its_classes(frame):
    matrix = np.array([COLUMNS[name] for name in ("cat", "cow", "dog")]).T
    actual = class_examples.evaluate(ANIMALS, {"named": frame(COLUMNS), "plain": matrix})
    assert actual.classes == ("cat", "cow", "dog")
    assert actual["named"].confusion == actual["plain"].confusion
    assert actual["named"].rates.overall_accuracy.estimate == 1
    numbers = [["cat", "dog", "cow"].index(name) for name in ANIMALS]
    of_numbers = frame({"1": COLUMNS["dog"], "0": COLUMNS["cat"], "2": COLUMNS["cow"]})
    assert class_examples.evaluate(numbers, of_numbers)["model"].rates.overall_accuracy.estimate == 1


@EAGER
def test_columns_that_are_no_classes_are_refused(frame):
    unlike = frame({f"p_{name}": values for name, values in COLUMNS.items()})
    with pytest.raises(th.errors.ColumnError, match="the frame of 'model' has a column 'p_dog', and the classes are"):
        class_examples.evaluate(ANIMALS, unlike, classes=["dog", "cat", "cow"])
    actual = class_examples.evaluate(ANIMALS, frame(COLUMNS), classes=["cow", "dog", "cat"])
    assert actual["model"].rates.overall_accuracy.estimate == 1


def test_columns_that_pandas_numbered_stand_in_the_order_of_the_labels():
    matrix = np.array([COLUMNS[name] for name in ("cat", "cow", "dog")]).T
    assert class_examples.evaluate(ANIMALS, pd.DataFrame(matrix))["model"].rates.overall_accuracy.estimate == 1
