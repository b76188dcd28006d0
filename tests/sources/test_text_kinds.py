"""Kinds of texts learned batch by batch: what `typed` says of all rows at once."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from thresher.inputs.arrow import numpy_column
from thresher.sources.text_kinds import TextKind
from thresher.sources.texts import typed

TEXTS: list[list[str | None]] = [
    [None, "1", "0", "12", "-3"],
    ["0.5", "1e3", "inf", "2", "7"],
    ["true", "False", "TRUE", None],
    ["NA", "null", "nan", " ", " 1"],
    ["01", "0x1", "yes", "2024-01-01"],
    [str(2**63), str(2**64 - 1), str(2**60), "1e400"],
]
batches = st.lists(
    st.sampled_from([*TEXTS, TEXTS[0] + TEXTS[3], TEXTS[1] + TEXTS[3]]).flatmap(
        lambda few: st.lists(st.sampled_from(few), max_size=4)
    ),
    min_size=1,
    max_size=3,
)


@given(batches)
@settings(deadline=None)
def test_batches_say_what_all_rows_say(pieces):
    kind = TextKind("p")
    arrays = [pa.array(piece, pa.string()) for piece in pieces]
    for array in arrays:
        kind.see(array)
    expected = typed(pa.chunked_array(arrays, pa.string()), name="p").tolist()
    if pa.types.is_null(kind.type):
        assert expected == [None] * len(expected)
        return
    found = pa.chunked_array([kind.converted(array) for array in arrays], kind.type)
    values = numpy_column(found, name="p").tolist()
    same = [_alike(one, other) for one, other in zip(values, expected, strict=True)]
    assert all(same) != (kind.refusal() is not None)


def _alike(one, other):
    return (one == other and isinstance(one, bool | str) == isinstance(other, bool | str)) or repr(one) == repr(other)


@pytest.mark.parametrize(("text", "shown"), [("1e400", "1e400"), (str(2**53 + 1), str(2**53 + 1))])
def test_numbers_that_floats_would_change(text, shown):
    kind = TextKind("p")
    for piece in (["0.5", None], [text, "1"]):
        kind.see(pa.array(piece))
    error = kind.refusal()
    assert isinstance(error, th.ScoreError)
    assert error.what == f"1 of 4 entries of 'p' do not fit a float64 exactly, first {shown}"


def test_large_numbers_that_floats_hold():
    kind = TextKind("p")
    kind.see(pa.array(["0.5", str(2**60), "inf", "1e300"]))
    assert kind.refusal() is None
    assert np.isinf(kind.converted(pa.array(["inf"])).to_numpy()[0])
