import gzip
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import thresher as th
from thresher.sources.files import column_names, read_columns
from thresher.sources.text_files import DataFile, csv_batches, header, translate_errors


@pytest.fixture
def csv(tmp_path):
    def written(content, name="rows.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return DataFile(str(path), path.suffix[1:])

    return written


def texts(file, wanted):
    actual = pa.Table.from_batches(csv_batches(file, dict.fromkeys(wanted, pa.string())))
    return {name: [text or None for text in actual[name].to_pylist()] for name in wanted}


class TestNames:
    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ("y,p\n", ["y", "p"]),
            ("y,p", ["y", "p"]),
            ("\n\ny,p\n1,2\n", ["y", "p"]),
            (b"\xef\xbb\xbfy,p\r\n", ["y", "p"]),
            ('"a,b","c\nd","e""f"\n', ["a,b", "c\nd", 'e"f']),
            ("é, p\n", ["é", " p"]),
            ("a;b\n", ["a;b"]),
        ],
    )
    def test_are_the_first_line(self, csv, content, expected):
        assert header(csv(content)) == expected

    def test_of_tabs(self, csv):
        assert header(csv("y\tp,q\n", "rows.tsv")) == ["y", "p,q"]


class TestFields:
    def test_come_as_texts_with_gaps_where_empty(self, csv):
        assert texts(csv('y,p\n1,\n"",0.50\n x ,"a,b"\n'), ["p", "y"]) == {
            "p": [None, "0.50", "a,b"],
            "y": ["1", None, " x "],
        }

    def test_line_breaks_in_quotation_marks(self, csv):
        many = "".join(f'{i},"line {i}\nand ""another"""\n' for i in range(1000))
        actual = texts(csv("i,t\n" + many), ["i", "t"])
        assert actual["i"] == [str(i) for i in range(1000)]
        assert actual["t"][7] == 'line 7\nand "another"'

    def test_lines_may_end_as_they_do_on_windows(self, csv):
        assert texts(csv("y,p\r\n1,2\r\n\r\n3,4"), ["y", "p"]) == {"y": ["1", "3"], "p": ["2", "4"]}

    def test_a_quotation_mark_inside_a_plain_field_is_itself(self, csv):
        assert texts(csv('y,p\n5" pipe,1\n'), ["y"]) == {"y": ['5" pipe']}

    def test_types_of_the_first_rows_decide_nothing(self, csv):
        rows = ["1"] * 1_000_000 + ["x"]
        assert texts(csv("p\n" + "\n".join(rows)), ["p"])["p"][-1] == "x"

    def test_a_text_longer_than_a_block(self, csv):
        assert len(texts(csv("t,p\n" + "x" * 3_000_000 + ",1\n"), ["t"])["t"][0]) == 3_000_000


class TestWhatIsWrong:
    def test_nothing_there(self, csv):
        with pytest.raises(th.errors.EmptyError, match=r"rows\.csv is empty"):
            header(csv("\n"))

    @pytest.mark.parametrize(
        ("content", "line", "fields"),
        [
            ("y,p\n1,2\n3\n4,5\n", 3, "1 field,"),
            ("y,p\n1,2,3\n", 2, "3 fields,"),
            ('y,p\n"a\nb",2\n\n"c\nd",1,2\n', 5, "3 fields,"),
            ("y,p\n" + "1,2\n" * 300_000 + "1,2,3\n", 300_002, "3 fields,"),
        ],
    )
    def test_rows_of_another_length_are_named_by_line(self, csv, content, line, fields):
        with pytest.raises(
            th.errors.SourceError, match=f"line {line:,} of .* has {fields} and the line of names has 2"
        ):
            texts(csv(content), ["y"])

    @pytest.mark.parametrize("wanted", ["y", "p"])
    def test_a_quotation_mark_that_swallows_the_rest(self, csv, wanted):
        with pytest.raises(th.errors.SourceError, match=r"line 3 of .* opens a quotation mark that nothing closes"):
            texts(csv('y,p\n1,2\n3,"4\n5,6\n7,8\n'), [wanted])

    def test_a_byte_that_is_no_utf8(self, csv):
        with pytest.raises(
            th.errors.SourceError, match=r"is not UTF-8: byte 10 \(in line 3\) belongs to another encoding"
        ):
            texts(csv(b"y,p\n1,2\n3,\xe9\n"), ["p"])
        with pytest.raises(th.errors.SourceError, match=r"byte 1 \(in line 1\)"):
            header(csv(b"p\xe9,y\n"))

    def test_utf16(self, csv):
        for encoding in ("utf-16-le", "utf-16-be"):
            with pytest.raises(th.errors.SourceError, match=r"byte 0 \(in line 1\) belongs to UTF-16"):
                header(csv("\ufeffy,p\n1,2\n".encode(encoding)))

    def test_a_carriage_return_alone_ends_no_line(self, csv):
        with pytest.raises(
            th.errors.SourceError, match=r"line 1 of .* holds a carriage return outside quotation marks"
        ):
            header(csv("y,p\r1,2\r"))
        with pytest.raises(th.errors.SourceError, match=r"line 1 of .* holds a field of more than 131,072 signs"):
            header(csv(f"y,{'p' * 200_000}\n1,2\n"))


def written(folder, content):
    path = folder / "rows.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path, names):
    return read_columns(path, names)


values = st.one_of(st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False), st.text())


@given(st.lists(st.dictionaries(st.sampled_from("abc"), values), min_size=1, max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_every_value_comes_back_whatever_other_lines_hold(tmp_path, rows):
    file = written(tmp_path, "\n".join(json.dumps(row) for row in rows))
    keys = {key for row in rows for key in row}
    assert set(column_names(file)) == keys
    actual = read(file, sorted(keys)) if keys else {}
    for name in actual:
        expected = [row.get(name) for row in rows]
        got = [None if isinstance(value, float) and np.isnan(value) else value for value in actual[name].tolist()]
        assert got == expected


def test_numbers_like_nan_and_infinity_as_python_writes_them(tmp_path):
    actual = read(written(tmp_path, '{"p": NaN}\n{"p": -Infinity}\n{"p": 0.5}\n'), ["p"])["p"]
    assert np.isnan(actual[0])
    assert actual[1:].tolist() == [-np.inf, 0.5]


def test_types_of_the_first_lines_decide_nothing_in_memory(tmp_path):
    lines = ['{"p": 1}'] * 1000 + ['{"p": 0.5, "q": "late"}']
    file = written(tmp_path, "\n".join(lines))
    assert read(file, ["p"])["p"][-2:].tolist() == [1.0, 0.5]
    assert read(file, ["q"])["q"].tolist()[-2:] == [None, "late"]
    words = written(tmp_path, "\n".join([*lines, '{"p": "word"}', f'{{"p": {2**53 + 1}}}']))
    assert read(words, ["p"])["p"].tolist()[-3:] == [0.5, "word", 2**53 + 1]
    with pytest.raises(th.errors.ColumnError, match=r"line 1,002 of .* holds 'word' as 'p'"):
        th.scan(words, label="q", score="p", positive="late")


def test_nan_as_python_writes_it_is_missing(tmp_path):
    path = written(tmp_path, '{"y": 1, "p": 0.5}\n' * 3 + '{"y": 0, "p": NaN}\n{"y": 0, "p": 0.25}\n')
    with pytest.raises(th.errors.MissingValueError, match=r"1 of 5 scores .*first at rows 3"):
        th.scan(path, label="y", score="p")
    assert th.scan(path, label="y", score="p", missing="drop") == th.rank([1, 1, 1, 0], [0.5, 0.5, 0.5, 0.25])


@pytest.mark.parametrize("depth", [100, 100_000])
def test_nesting_is_refused_before_it_crashes_the_reader(tmp_path, depth):
    deep = '{"y": 1, "p": 0.5, "z": ' + "[" * depth + "]" * depth + "}\n"
    flat = '{"y": 0, "p": 0.25, "z": "[[[[{{{{"}\n' * 200
    path = written(tmp_path, flat + deep + flat)
    if depth > 500:
        with pytest.raises(
            th.errors.SourceError, match=r"line 201 of .* nested more than 500 levels deep, from byte 524"
        ):
            th.scan(path, label="y", score="p")
    else:
        assert th.scan(path, label="y", score="p").total == 401


def test_a_line_longer_than_a_block(tmp_path):
    path = written(tmp_path, '{"y": 1, "p": 0.5, "t": "' + "x" * (20 << 20) + '"}\n{"y": 0, "p": 0.25}\n')
    assert th.scan(path, label="y", score="p") == th.rank([1, 0], [0.5, 0.25])


def test_texts_that_look_like_dates_stay_texts(tmp_path):
    assert read(written(tmp_path, '{"y": "2020-01-01"}\n{"y": "2020-01-02"}\n'), ["y"])["y"].tolist() == [
        "2020-01-01",
        "2020-01-02",
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"p": 1}\n{"p": 2', "line 2 of .* is not a JSON object: Expecting"),
        ('{"p": 1}\n\n[1, 2]\n', "line 3 of .* holds a list, not a JSON object"),
        ('{"p": 1, "p": 2}', "line 1 of .* the key 'p' occurs twice"),
        (b'{"p": 1}\n{"p": "\xff"}', "line 2 of .* is not a JSON object: 'utf-8' codec can't decode byte 0xff"),
        ("p,y\n1,2\n", "line 1 of .* is not a JSON object"),
    ],
)
def test_what_is_wrong_is_named_by_line(tmp_path, content, words):
    with pytest.raises(th.errors.SourceError, match=words):
        read(written(tmp_path, content), ["p"])


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_nothing_there(tmp_path, content):
    with pytest.raises(th.errors.EmptyError, match=r"rows\.jsonl is empty"):
        column_names(written(tmp_path, content))


def test_lines_of_a_packed_file(tmp_path):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"a\nb\r\nc"))
    assert list(DataFile(str(path), "csv", "gzip").lines()) == [b"a\n", b"b\r\n", b"c"]


def test_content_is_not_shown():
    assert "secret" not in repr(DataFile("standard input", "csv", content=b"secret"))


def test_the_first_line_of_a_message_is_enough():
    with (
        pytest.raises(th.errors.SourceError, match=r"a\.csv cannot be read as csv: no luck\n"),
        translate_errors(DataFile("a.csv", "csv")),
    ):
        raise EOFError("no luck\nat all")


def test_errors_of_thresher_pass():
    with pytest.raises(th.errors.ColumnError, match="what"), translate_errors(DataFile("a.csv", "csv")):
        raise th.errors.ColumnError("what", "fix")


def test_an_absent_file():
    with (
        pytest.raises(th.errors.SourceError, match=r"absent\.csv cannot be read as csv: "),
        translate_errors(file := DataFile("absent.csv", "csv")),
    ):
        file.stream()


class TestNumbers:
    """Scores and weights of text files are float64; what that would change is refused."""

    @pytest.mark.parametrize("text", ["9007199254740993", "-36028797018963969", "1e400"])
    @pytest.mark.parametrize("kind", ["csv", "jsonl"])
    def test_those_that_would_be_rounded(self, tmp_path, text, kind):
        path = tmp_path / f"rows.{kind}"
        rows = [(1, "0.5"), (0, text), (0, "9007199254740992")]
        lines = (
            [f'{{"y": {y}, "p": {p}}}' for y, p in rows] if kind == "jsonl" else ["y,p", *(f"{y},{p}" for y, p in rows)]
        )
        path.write_text("\n".join(lines))
        with pytest.raises(
            th.errors.ScoreError, match=r"1 of 3 numbers in column 'p' of .* do not fit a float64 exactly"
        ):
            th.scan(path, label="y", score="p")
        path.write_text(path.read_text().replace(text, "36028797018963968"))
        assert th.scan(path, label="y", score="p") == th.rank([1, 0, 0], [0.5, 2.0**55, 2.0**53])

    def test_words_are_named_with_their_line(self, tmp_path):
        path = tmp_path / "rows.csv"
        path.write_text("y,p\n1,0.5\n0,high\n")
        with pytest.raises(
            th.errors.ScoreError, match=r"'p' of .*rows.csv holds 'high' \(line 3\), which is not a number"
        ):
            th.scan(path, label="y", score="p")

    def test_blanks_and_signs_of_what_is_missing(self, tmp_path):
        path = tmp_path / "rows.csv"
        path.write_text("y,p,w\n1, 0.5 ,1\n0,NA,2\n1,,3\n0,nan,4\n0,inf,5\n")
        with pytest.raises(
            th.errors.MissingValueError, match=r"3 of 5 scores are missing or NaN \(first at rows 1, 2, 3\)"
        ) as e:
            th.scan(path, label="y", score="p")
        assert e.value.where == f"column 'p' of {path}"
        actual = th.scan(path, label="y", score="p", weights="w", missing="drop")
        assert actual == th.rank([1, 0], [0.5, np.inf], weights=[1, 5])
        assert actual.dropped == 3


class TestLabels:
    """Texts of labels and groups are read as numbers or truth values when all rows were seen."""

    @pytest.mark.parametrize(
        ("labels", "positive", "expected"),
        [
            (["1", "0", "1"], None, [1, 0, 1]),
            (["1.0", "0", "1"], None, [1, 0, 1]),
            (["true", "False", "TRUE"], None, [True, False, True]),
            (["yes", "no", "yes"], "yes", [1, 0, 1]),
            (["01", "02", "01"], "01", [1, 0, 1]),
            (["NA", "EU", "NA"], "NA", [1, 0, 1]),
            (["2", "-1", "2"], 2, [1, 0, 1]),
        ],
    )
    @pytest.mark.parametrize("exact", [None, True, False])
    def test_values(self, tmp_path, labels, positive, expected, exact):
        path = tmp_path / "rows.csv"
        path.write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in zip(labels, (0.5, 0.25, 0.125), strict=True)))
        actual = th.scan(path, label="y", score="p", positive=positive, exact=exact)
        assert actual == th.rank(expected, [0.5, 0.25, 0.125])

    @pytest.mark.parametrize("exact", [None, False])
    def test_missing_among_numbers(self, tmp_path, exact):
        path = tmp_path / "rows.csv"
        path.write_text("y,p,g\n1,0.5,1\nNA,0.25,NA\n0,0.125,1\n,0.75,2\n1,0.3,\n0,0.4,2.0\n")
        with pytest.raises(th.errors.MissingValueError, match="2 of 6 labels are missing"):
            th.scan(path, label="y", score="p", exact=exact)
        actual = th.scan(path, label="y", score="p", missing="drop", exact=exact)
        assert actual == th.rank([1, 0, 1, 0], [0.5, 0.125, 0.3, 0.4])
        assert actual.dropped == 2
        groups = th.scan(path, label="y", score="p", missing="drop", by="g", exact=exact)
        assert groups == {1: th.rank([1, 0], [0.5, 0.125]), 2: th.rank([0], [0.4]), None: th.rank([1], [0.3])}
        assert [groups[name].dropped for name in (1, 2, None)] == [0, 1, 1]


def test_two_of_very_many_columns(tmp_path):
    path = tmp_path / "wide.csv"
    names = ",".join(f"c{i}" for i in range(100_000))
    path.write_text(f"y,p,{names}\n1,0.5,{'1,' * 99_999}1\n0,0.25,{'1,' * 99_999}1\n")
    assert th.scan(path, label="y", score="p") == th.rank([1, 0], [0.5, 0.25])


@pytest.mark.parametrize("exact", [None, True, False])
def test_labels_that_say_na_are_dropped_with_their_rows(tmp_path, exact):
    """They come after 0 and 1, and were counted as positives."""
    path = tmp_path / "rows.csv"
    path.write_text("y,p\n0,0.1\n1,0.9\nNA,0.5\n,0.55\n1,0.3\n")
    ranking = th.scan(path, label="y", score="p", missing="drop", exact=exact)
    assert ranking == th.rank([0, 1, None, None, 1], [0.1, 0.9, 0.5, 0.55, 0.3], missing="drop")
    assert ranking.dropped == 2


def test_fractions_before_an_integer_are_not_cut_off(tmp_path):
    """Arrow stops at the third column, and would make integers of the first one, by its last value."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 0.5, "c": false}\n{"a": 0, "c": 0.0}\n')
    assert read_columns(path, ["a"])["a"].tolist() == [0.5, 0]


def test_a_value_that_is_no_number_is_named_with_its_line_in_several_threads(tmp_path):
    import pyarrow as pa

    path, before = tmp_path / "rows.csv", pa.cpu_count()
    path.write_text("label,p\n1,0.9\n0,high\n")
    pa.set_cpu_count(2)
    try:
        with pytest.raises(th.errors.ScoreError, match=r"holds 'high' \(line 3\), which is not a number"):
            th.scan(path, label="label", score="p")
    finally:
        pa.set_cpu_count(before)


@pytest.mark.parametrize("sign", ["\u00a0", "\f", "\v", "\u3000", "\x1c", "\u2009"])
@pytest.mark.parametrize("form", ["{}1", "1{}"])
def test_only_spaces_and_tabs_around_a_number_are_no_part_of_it(csv, sign, form):
    file = csv(f"y,p\n1,{form.format(sign)}\n0,0.5\n")
    with pytest.raises(th.errors.ScoreError, match="which is not a number"):
        th.scan(file.name, label="y", score="p")
    labels = csv(f"y,p\n{form.format(sign)},0.9\n0,0.5\n")
    with pytest.raises(th.errors.PositiveLabelError, match="cannot tell which label is positive"):
        th.scan(labels.name, label="y", score="p")
    assert read_columns(labels.name, ["y"])["y"].tolist() == [form.format(sign), "0"]


@pytest.mark.parametrize("number", [" 1", "1\t", " 1 "])
def test_spaces_and_tabs_around_a_number(csv, number):
    assert th.scan(csv(f"y,p\n1,{number}\n0,0.5\n").name, label="y", score="p") == th.rank([1, 0], [1, 0.5])


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
def test_numbers_of_more_digits_than_python_reads(csv, name):
    digits = "9" * 5000
    text = f"y,p\n1,{digits}\n0,0.5\n" if name == "rows.csv" else f'{{"y": 1, "p": {digits}}}\n{{"y": 0, "p": 0.5}}\n'
    with pytest.raises(th.errors.ScoreError, match="do not fit a float64 exactly, first 999") as refused:
        th.scan(csv(text, name).name, label="y", score="p")
    assert len(str(refused.value)) < 1000


def test_lists_of_one_number_are_no_numbers(tmp_path):
    for lines in ('{"y": 1, "p": [1]}\n{"y": 0, "p": [0]}\n', '{"y": 1, "p": [1]}\n{"y": 0, "p": [0], "q": NaN}\n'):
        path = written(tmp_path, lines)
        with pytest.raises(th.errors.ColumnError):
            th.scan(path, label="y", score="p")
        with pytest.raises(th.errors.ColumnError, match="not one value per row"):
            read(path, ["p"])


def test_bytes_that_are_not_utf8_matter_where_they_are_read(csv):
    file = csv(b"y,p,note\n1,0.9,\xff\n0,0.2,b\n")
    assert th.scan(file.name, label="y", score="p") == th.rank([1, 0], [0.9, 0.2])
    with pytest.raises(th.errors.SourceError, match="is not UTF-8"):
        read_columns(file.name, ["note"])
