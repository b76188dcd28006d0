import pytest

import thresher as th
from thresher.sources.listing import listed_files


@pytest.fixture
def folder(tmp_path):
    def filled(*names):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"y,p\n1,0.5\n")
        return tmp_path

    return filled


def names(source, root):
    return [file.name.removeprefix(f"{root}/") for file in listed_files(source, where="here")]


class TestFormats:
    @pytest.mark.parametrize(
        ("name", "format_", "compression"),
        [
            ("a.csv", "csv", None),
            ("A.CSV", "csv", None),
            ("a.b.tsv.gz", "tsv", "gzip"),
            ("a.tab", "tsv", None),
            ("a.ndjson.zst", "jsonl", "zstd"),
            ("a.snappy.parquet", "parquet", None),
            ("a.pq", "parquet", None),
            ("a.feather", "arrow", None),
            ("a.ipc", "arrow", None),
        ],
    )
    def test_are_known_by_suffix(self, folder, name, format_, compression):
        (file,) = listed_files(folder(name) / name, where="here")
        assert (file.format, file.compression) == (format_, compression)

    @pytest.mark.parametrize("name", ["a", "a.txt", "a.gz", "a.xlsx", ".csv"])
    def test_others_are_refused(self, folder, name):
        with pytest.raises(th.SourceError, match="cannot be told from its name") as caught:
            listed_files(folder(name) / name, where="here")
        assert "csv, tsv, jsonl, parquet" in caught.value.fix


class TestPlaces:
    def test_a_folder_and_those_below_in_sorted_order(self, folder):
        root = folder("b.csv", "a/z.csv", "a/b.csv", "c.txt", "_old/x.csv", ".hidden/x.csv", "a/_x.csv")
        assert names(root, root) == ["a/b.csv", "a/z.csv", "b.csv"]

    def test_globs(self, folder):
        root = folder("b2.csv", "b1.csv", "x.csv", "a/b3.csv")
        assert names(root / "b*.csv", root) == ["b1.csv", "b2.csv"]
        assert names(root / "**/b?.csv", root) == ["a/b3.csv", "b1.csv", "b2.csv"]

    def test_a_glob_of_folders(self, folder):
        root = folder("day=1/a.csv", "day=2/a.csv", "week=1/a.csv")
        assert names(root / "day=*", root) == ["day=1/a.csv", "day=2/a.csv"]

    def test_a_name_that_looks_like_a_glob(self, folder):
        root = folder("a[1].csv", "a1.csv")
        assert names(root / "a[1].csv", root) == ["a[1].csv"]

    def test_partitions(self, folder):
        root = folder("year=2024/land=N%2FL/a.csv", "year=2024/land=__HIVE_DEFAULT_PARTITION__/a.csv")
        first, second = listed_files(root, where="here")
        assert dict(first.partition) == {"year": "2024", "land": "N/L"}
        assert dict(second.partition) == {"year": "2024", "land": None}

    @pytest.mark.parametrize(
        ("source", "told"),
        [
            ("absent.csv", "there is no file or folder"),
            ("absent*.csv", "no file matches"),
            ("", "holds no data"),
            ("?.txt", "cannot be told from its name"),
        ],
    )
    def test_nothing_there(self, folder, source, told):
        with pytest.raises(th.SourceError, match=told):
            listed_files(folder("a.txt") / source, where="here")

    def test_files_of_different_formats(self, folder):
        root = folder("a.csv", "b.parquet")
        with pytest.raises(th.SourceError, match="different formats"):
            listed_files(root, where="here")
        assert names(root / "*.csv", root) == ["a.csv"]
