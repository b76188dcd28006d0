import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import thresher as th
from thresher.inputs.arrow import numpy_column
from thresher.sources import json_lines
from thresher.sources.data_file import DataFile
from thresher.sources.json_lines import columns_in, names_in


def written(folder, content):
    path = folder / "rows.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return DataFile(str(path), "jsonl")


def read(file, names):
    columns = columns_in(file, names)
    return {
        name: values if isinstance(values, np.ndarray) else numpy_column(values, name=name)
        for name, values in columns.items()
    }


values = st.one_of(st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False), st.text())


@given(st.lists(st.dictionaries(st.sampled_from("abc"), values), min_size=1, max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_every_value_comes_back_whatever_stands_beside_it(tmp_path, rows):
    file = written(tmp_path, "\n".join(json.dumps(row) for row in rows))
    found = read(file, ["a", "b"])
    for name in ("a", "b"):
        expected = [row.get(name) for row in rows]
        got = [None if isinstance(value, float) and np.isnan(value) else value for value in found[name].tolist()]
        assert got == expected
    assert set(names_in(file, None)) == {key for row in rows for key in row}


def test_numbers_like_nan_and_infinity_as_python_writes_them(tmp_path):
    found = read(written(tmp_path, '{"p": NaN}\n{"p": -Infinity}\n{"p": 0.5}\n'), ["p"])["p"]
    assert np.isnan(found[0])
    assert found[1:].tolist() == [-np.inf, 0.5]


def test_types_of_the_first_block_decide_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "BLOCK", 1 << 10)
    lines = ['{"p": 1}'] * 1000 + ['{"p": 0.5, "q": "late"}']
    file = written(tmp_path, "\n".join(lines))
    assert read(file, ["p"])["p"][-2:].tolist() == [1.0, 0.5]
    assert names_in(file, ["p"]) == ["p"]
    assert names_in(file, ["q"]) == ["p", "q"]
    assert read(file, ["q"])["q"].tolist()[-2:] == [None, "late"]
    words = written(tmp_path, "\n".join([*lines, '{"p": "word"}', f'{{"p": {2**53 + 1}}}']))
    assert read(words, ["p"])["p"].tolist()[-3:] == [0.5, "word", 2**53 + 1]


def test_texts_that_look_like_dates_stay_texts(tmp_path):
    assert read(written(tmp_path, '{"y": "2020-01-01"}\n{"y": "2020-01-02"}\n'), ["y"])["y"].tolist() == [
        "2020-01-01",
        "2020-01-02",
    ]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"p": 1}\n{"p": 2', "line 2 of .* is not a JSON object: Expecting"),
        ('{"p": 1}\n\n[1, 2]\n', "line 3 of .* holds a list, not a JSON object"),
        ('{"p": 1, "p": 2}', "line 1 of .* the key 'p' occurs twice"),
        (b'{"p": 1}\n{"p": "\xff"}', "line 2 of .* is not a JSON object: 'utf-8' codec can't decode byte 0xff"),
        ("p,y\n1,2\n", "line 1 of .* is not a JSON object"),
    ],
)
def test_what_is_wrong_is_told_by_line(tmp_path, content, told):
    with pytest.raises(th.SourceError, match=told):
        read(written(tmp_path, content), ["p"])


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_nothing_there(tmp_path, content):
    with pytest.raises(th.EmptyError, match=r"rows\.jsonl is empty"):
        names_in(written(tmp_path, content), None)
