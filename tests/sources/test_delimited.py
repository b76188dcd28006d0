import pytest

import thresher as th
from thresher.sources.data_file import DataFile
from thresher.sources.delimited import columns_in, names_in


@pytest.fixture
def csv(tmp_path):
    def written(content, name="rows.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return DataFile(str(path), path.suffix[1:])

    return written


def names(file):
    return names_in(file, None)


def texts(file, wanted):
    return {name: values.to_pylist() for name, values in columns_in(file, wanted).items()}


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
        assert names(csv(content)) == expected

    def test_of_tabs(self, csv):
        assert names(csv("y\tp,q\n", "rows.tsv")) == ["y", "p,q"]


class TestFields:
    def test_come_as_texts_with_gaps_where_empty(self, csv):
        assert texts(csv('y,p\n1,\n"",0.50\n x ,"a,b"\n'), ["p", "y"]) == {
            "p": [None, "0.50", "a,b"],
            "y": ["1", None, " x "],
        }

    def test_line_breaks_in_quotation_marks(self, csv):
        many = "".join(f'{i},"line {i}\nand ""another"""\n' for i in range(1000))
        found = texts(csv("i,t\n" + many), ["i", "t"])
        assert found["i"] == [str(i) for i in range(1000)]
        assert found["t"][7] == 'line 7\nand "another"'

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
        with pytest.raises(th.EmptyError, match=r"rows\.csv is empty"):
            names(csv("\n"))

    @pytest.mark.parametrize(
        ("content", "line", "fields"),
        [
            ("y,p\n1,2\n3\n4,5\n", 3, "1 field,"),
            ("y,p\n1,2,3\n", 2, "3 fields,"),
            ('y,p\n"a\nb",2\n\n"c\nd",1,2\n', 5, "3 fields,"),
            ("y,p\n" + "1,2\n" * 300_000 + "1,2,3\n", 300_002, "3 fields,"),
        ],
    )
    def test_rows_of_another_length_are_told_by_line(self, csv, content, line, fields):
        with pytest.raises(th.SourceError, match=f"line {line:,} of .* has {fields} and the line of names has 2"):
            texts(csv(content), ["y"])

    @pytest.mark.parametrize("wanted", ["y", "p"])
    def test_a_quotation_mark_that_swallows_the_rest(self, csv, wanted):
        with pytest.raises(th.SourceError, match=r"line 3 of .* opens a quotation mark that nothing closes"):
            texts(csv('y,p\n1,2\n3,"4\n5,6\n7,8\n'), [wanted])

    def test_a_byte_that_is_no_utf8(self, csv):
        with pytest.raises(th.SourceError, match=r"is not UTF-8: byte 10 \(in line 3\) belongs to another encoding"):
            texts(csv(b"y,p\n1,2\n3,\xe9\n"), ["p"])
        with pytest.raises(th.SourceError, match=r"byte 1 \(in line 1\)"):
            names(csv(b"p\xe9,y\n"))

    def test_utf16(self, csv):
        for encoding in ("utf-16-le", "utf-16-be"):
            with pytest.raises(th.SourceError, match=r"byte 0 \(in line 1\) belongs to UTF-16"):
                names(csv("\ufeffy,p\n1,2\n".encode(encoding)))

    def test_a_carriage_return_alone_ends_no_line(self, csv):
        with pytest.raises(th.SourceError, match=r"line 1 of .* holds a carriage return outside quotation marks"):
            names(csv("y,p\r1,2\r"))
