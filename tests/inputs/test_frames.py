from decimal import Decimal

import ibis
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings

import thresher as th
from tests.strategies import labelled_scores
from thresher.inputs.frames import frame_columns, frame_names, is_frame


class Stream:
    """What speaks Arrow's PyCapsule interface and nothing else."""

    def __init__(self, inside):
        self.inside = inside

    def __arrow_c_stream__(self, requested_schema=None):
        return self.inside.__arrow_c_stream__(requested_schema)


FRAMES = {
    "pandas": pd.DataFrame,
    "pandas of Arrow types": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas of nullable types": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "Polars": pl.DataFrame,
    "lazy Polars": pl.LazyFrame,
    "pyarrow table": pa.table,
    "pyarrow batch": lambda columns: pa.RecordBatch.from_pydict({name: pa.array(v) for name, v in columns.items()}),
    "narwhals": lambda columns: nw.from_native(pl.DataFrame(columns)),
    "lazy narwhals": lambda columns: nw.from_native(pl.LazyFrame(columns)),
    "narwhals of pandas": lambda columns: nw.from_native(pd.DataFrame(columns)),
    "ibis": lambda columns: ibis.memtable(pa.table(columns)),
    "capsule": lambda columns: Stream(pa.table(columns)),
    "mapping": dict,
}
EAGER = {name: FRAMES[name] for name in ("pandas", "Polars", "pyarrow table", "narwhals", "mapping")}


@pytest.fixture(params=FRAMES)
def kind(request):
    return request.param


def read(frame, names=None):
    return frame_columns(frame, names)


@pytest.mark.parametrize("kind", [name for name in FRAMES if name not in ("ibis", "pandas of nullable types")])
@given(rows=labelled_scores())
@settings(max_examples=40, deadline=None)
def test_a_frame_gives_the_ranking_of_its_columns(kind, rows):
    labels, scores = rows
    columns = read(FRAMES[kind]({"id": np.arange(labels.size), "y": labels, "p": scores}), ["p", "y"])
    assert list(columns) == ["p", "y"]
    assert columns["p"].dtype == scores.dtype
    assert th.rank(columns["y"], columns["p"]) == th.rank(labels, scores)


class TestEveryFrame:
    def test_all_columns_in_order(self, kind):
        frame = FRAMES[kind]({"y": [1, 0], "p": [0.5, 0.25], "w": ["a", "b"]})
        assert frame_names(frame) == ["y", "p", "w"]
        assert {name: values.tolist() for name, values in read(frame).items()} == {
            "y": [1, 0],
            "p": [0.5, 0.25],
            "w": ["a", "b"],
        }

    def test_is_one(self, kind):
        assert is_frame(FRAMES[kind]({"y": [1, 0]}))

    def test_an_absent_column(self, kind):
        frame = FRAMES[kind]({"label": [1, 0], "p_tree": [0.5, 0.25]})
        with pytest.raises(
            th.errors.ColumnError, match="the frame has no column 'p_tre'; did you mean 'p_tree'"
        ) as caught:
            read(frame, ["label", "p_tre"])
        assert "'label' and 'p_tree'" in caught.value.fix

    def test_gaps_stay_gaps(self, kind):
        big = 2**53 + 1
        frame = FRAMES[kind]({"y": [1, None, 0], "p": [0.5, 0.25, None], "i": [big, None, 3], "w": ["a", None, "b"]})
        columns = read(frame)
        with pytest.raises(th.errors.MissingValueError, match=r"1 of 3 labels .* 1; 1 of 3 scores .* 2|1 of 3 labels"):
            th.rank(columns["y"], columns["p"])
        assert th.rank(columns["y"], columns["p"], missing="drop") == th.rank([1], [0.5])
        if kind not in ("pandas", "narwhals of pandas", "pandas of nullable types"):  # pandas itself rounds these
            assert columns["i"].tolist()[0] == big


class TestNoCopies:
    @pytest.mark.parametrize("kind", EAGER)
    @pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8])
    def test_numbers_are_shared(self, kind, dtype):
        scores = np.arange(1000).astype(dtype)
        frame = EAGER[kind]({"p": scores})
        native = frame.to_native() if kind == "narwhals" else frame
        column = native["p"]
        if kind == "pyarrow table":
            inside = column.chunk(0).to_numpy()
        elif kind == "mapping":
            inside = column
        else:
            inside = column.to_numpy()
        assert np.shares_memory(read(frame, ["p"])["p"], inside)

    def test_of_a_pandas_frame_of_one_block_too(self):
        block = np.random.default_rng(0).random((100, 3))
        frame = pd.DataFrame(block, columns=["a", "b", "c"])
        assert np.shares_memory(read(frame, ["b"])["b"], frame["b"].to_numpy())

    def test_nothing_is_written_to_what_is_shared(self):
        frame = pl.DataFrame({"y": [1, 0, 1], "p": [0.5, -0.0, 0.25]})
        columns = read(frame)
        th.rank(columns["y"], columns["p"])
        assert frame["p"].to_list() == [0.5, -0.0, 0.25]


class TestTypes:
    def test_categories_are_their_labels(self):
        for frame in (
            pd.DataFrame({"y": pd.Series(["ham", "spam"], dtype="category")}),
            pl.DataFrame({"y": pl.Series(["ham", "spam"], dtype=pl.Categorical)}),
            pl.DataFrame({"y": pl.Series(["ham", "spam"], dtype=pl.Enum(["spam", "ham"]))}),
            pa.table({"y": pa.array(["ham", "spam"]).dictionary_encode()}),
        ):
            assert read(frame)["y"].tolist() == ["ham", "spam"]

    @pytest.mark.parametrize("frame", [pl.DataFrame, pa.table, pd.DataFrame], ids=["Polars", "pyarrow", "pandas"])
    def test_decimals_stay_distinct_or_are_refused(self, frame):
        short = [Decimal("0.100"), Decimal("0.099")]
        long = [Decimal("0.1000000000000000001"), Decimal("0.1000000000000000002")]
        columns = read(frame({"y": [1, 0], "p": short, "q": long}))
        assert th.rank(columns["y"], columns["p"]) == th.rank([1, 0], [0.1, 0.099])
        with pytest.raises(th.errors.ScoreError, match=r"2 of 2 scores do not fit a float64 exactly, first 0\.1"):
            th.rank(columns["y"], columns["q"])

    def test_fields_of_a_numpy_array(self):
        rows = np.array([(1, 0.5), (0, 0.25)], dtype=[("y", "i1"), ("p", "f4")])
        assert is_frame(rows)
        columns = read(rows)
        assert {name: values.dtype.str for name, values in columns.items()} == {"y": "|i1", "p": "<f4"}
        assert np.shares_memory(columns["p"], rows)

    def test_names_that_occur_twice(self):
        for frame in (
            pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"]),
            pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], ["a", "a", "b"]),
        ):
            assert read(frame, ["b"])["b"].tolist() == [3]
            with pytest.raises(th.errors.ColumnError, match="the frame has 2 columns called 'a'"):
                read(frame, ["a"])

    def test_lengths_of_a_mapping(self):
        with pytest.raises(th.errors.LengthError, match="y 2, p 1"):
            read({"y": [1, 0], "p": [0.5]})

    @pytest.mark.parametrize("thing", [5, "rows.csv", [1, 2], None, np.zeros((3, 2)), object()])
    def test_what_is_no_frame(self, thing):
        assert not is_frame(thing)
        with pytest.raises(th.errors.ArgumentError, match="is no frame that thresher knows"):
            read(thing, ["y"])

    def test_only_wanted_columns_of_a_lazy_frame_are_computed(self):
        def never(_):
            raise AssertionError("computed")

        frame = pl.LazyFrame({"y": [1, 0]}).with_columns(bad=pl.col("y").map_batches(never, return_dtype=pl.Int64))
        assert read(frame, ["y"])["y"].tolist() == [1, 0]

    def test_absent_narwhals_names_the_extra(self, monkeypatch):
        from thresher._internal import optional as extras

        monkeypatch.setattr(extras, "find_spec", lambda _: None)
        with pytest.raises(th.errors.MissingExtraError, match=r'pip install "thresher\[frames\]"'):
            read(pl.DataFrame({"y": [1]}))
