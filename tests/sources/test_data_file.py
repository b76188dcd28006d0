import gzip

import pytest

import thresher as th
from thresher.sources.data_file import DataFile, reading


def test_lines_of_a_packed_file(tmp_path):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"a\nb\r\nc"))
    assert list(DataFile(str(path), "csv", "gzip").lines()) == [b"a\n", b"b\r\n", b"c"]


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_bytes_at_once(tmp_path, compression):
    path = tmp_path / "rows"
    path.write_bytes(b"0123456789" if compression is None else gzip.compress(b"0123456789"))
    for file in (DataFile(str(path), "csv", compression), DataFile("stdin", "csv", compression, path.read_bytes())):
        stream = file.at_once()
        stream.seek(8)
        assert stream.read() == b"89"


def test_content_is_not_shown():
    assert "secret" not in repr(DataFile("standard input", "csv", content=b"secret"))


def test_the_first_line_of_what_was_said_is_enough():
    with (
        pytest.raises(th.SourceError, match=r"a\.csv cannot be read as csv: no luck\n  where: here\n"),
        reading(DataFile("a.csv", "csv")),
    ):
        raise EOFError("no luck\nat all")


def test_our_own_errors_pass():
    with pytest.raises(th.ColumnError, match="what"), reading(DataFile("a.csv", "csv")):
        raise th.ColumnError("what", "fix")


def test_an_absent_file():
    with (
        pytest.raises(th.SourceError, match=r"absent\.csv cannot be read as csv: "),
        reading(file := DataFile("absent.csv", "csv")),
    ):
        file.opened()
