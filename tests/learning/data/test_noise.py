import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.learning import instance_noise, label_noise


@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=60).filter(lambda y: len(set(y)) > 1),
    st.floats(0, 1),
    st.integers(0, 9),
)
def test_exactly_the_share_is_flipped_to_another_class(labels, rate, seed):
    noisy = label_noise(labels, rate, seed=seed)
    assert noisy.flipped.sum() == np.floor(round(rate * len(labels), 9) + 0.5)
    np.testing.assert_array_equal(noisy.labels != np.array(labels), noisy.flipped)
    assert set(noisy.labels.tolist()) <= set(labels)
    assert sum(noisy.counts.values()) == noisy.flipped.sum()


def test_rates_per_class_are_exact():
    labels = np.array(["ham"] * 80 + ["spam"] * 20)
    noisy = label_noise(labels, {"spam": 0.5})
    assert noisy.counts == {"ham": 0, "spam": 10}
    assert (noisy.labels == "ham").sum() == 90
    assert label_noise(labels, 0.3, seed=4).labels.tolist() == label_noise(labels, 0.3, seed=4).labels.tolist()


def test_other_classes_are_equally_likely():
    noisy = label_noise([0] * 3000 + [1, 2, 3], {0: 1})
    np.testing.assert_allclose(np.bincount(noisy.labels[:3000])[1:], 1000, atol=100)


@pytest.mark.parametrize("labels", [[True, False] * 5, pd.Categorical(["a", "b"] * 5), [0.5, 1.5] * 5])
def test_labels_keep_their_type(labels):
    noisy = label_noise(labels, 0.2)
    assert noisy.labels.dtype == np.asarray(labels).dtype


def test_labels_may_be_tuples():
    labels = np.empty(4, dtype=object)
    labels[:] = [("a", 1), ("b", 2)] * 2
    noisy = label_noise(labels, 0.5)
    assert noisy.labels.shape == (4,)
    assert [a != b for a, b in zip(noisy.labels, labels, strict=True)] == noisy.flipped.tolist()


def test_rows_are_disturbed_exactly_and_the_others_left_alone():
    table = pd.DataFrame({"age": np.arange(100.0), "n": range(100), "town": ["Oslo", "Rome"] * 50, "y": 0})
    table.loc[3, ["age", "town"]] = [np.nan, None]
    noisy = instance_noise(table, 0.25, scale=2, columns=["age", "n", "town"], seed=1)
    assert noisy.disturbed.sum() == 25
    assert noisy.data["age"].isna().sum() == 1
    assert noisy.data["town"].isna().sum() == 1
    pd.testing.assert_frame_equal(noisy.data[~noisy.disturbed], table[~noisy.disturbed], check_dtype=False)
    assert (noisy.data["age"] != table["age"])[noisy.disturbed].sum() >= 24
    assert noisy.data["y"].tolist() == table["y"].tolist()


def test_numbers_are_disturbed_by_so_many_deviations():
    values = np.random.default_rng(0).normal(scale=5, size=20_000)
    noisy = instance_noise({"x": values}, 1, scale=0.5)
    assert np.std(noisy.data["x"] - values) == pytest.approx(2.5, rel=0.03)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: label_noise([0, 1], 1.5), th.errors.ArgumentError, "from 0 to 1, got 1.5"),
        (lambda: label_noise([0, 0], 0.5), th.errors.OneClassError, "no label is wrong"),
        (lambda: label_noise([0, 1], {2: 0.5}), th.errors.ArgumentError, "2, which is no class"),
        (lambda: label_noise([0, None], 0.5), th.errors.MissingValueError, "1 of 2 labels"),
        (
            lambda: instance_noise({"a": [1]}, 0.5, scale=0),
            th.errors.ArgumentError,
            "scale must lie strictly between 0 and inf",
        ),
        (lambda: instance_noise({"a": [1]}, 0.5, scale=10**400), th.errors.ArgumentError, "strictly between"),
        (lambda: instance_noise({"a": [1e308, 1]}, 0.5), th.errors.ColumnError, "squares overflow"),
        (lambda: instance_noise({"a": [None]}, 0.5), th.errors.ColumnError, "no values to draw from"),
        (lambda: instance_noise({"a": [1]}, 0.5, columns=["b"]), th.errors.ColumnError, "no column 'b'"),
    ],
)
def test_impossible_noise_is_refused(call, kind, words):
    with pytest.raises(kind, match=words):
        call()
